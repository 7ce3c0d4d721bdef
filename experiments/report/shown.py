"""Tables of a run as a reader sees them: headings in words, accuracies in percent, intervals."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from experiments.report.text import interval, number

#: Column -> its heading. Columns that are not here keep their name, without underscores.
HEADINGS = {
    "label": "method",
    "case_label": "label of the samples",
    "reading": "reading",
    "ranking_share": "share of the rows that are ranked from",
    "ranking_samples": "samples ranked from",
    "accuracy": "accuracy, %",
    "std": "standard deviation",
    "n_features": "features",
    "validation": "validation accuracy, %",
    "n_splits": "splits",
    "n_draws": "draws",
    "n_units": "repetitions",
    "n_eigenvectors": "eigenvectors",
    "n_visible": "of them visible",
    "n_vectors": "eigenvectors",
    "n_per_class": "images a class",
    "n_top": "best pixels",
    "n_pixels": "pixels",
    "top_as_reference": "of them as the reference's",
    "top_between_draws": "of them in each draw",
    "n_failed": "failed",
    "n_judged": "SVMs",
    "n_orders": "orders of the features",
    "order_std": "deviation over orders, points",
    "n_ambiguous": "ambiguous",
    "correct": "relevant features found",
    "recovered": "relevant features found, %",
    "average_precision": "average precision",
    "condition_label": "what varies",
    "median": "median",
    "q25": "lower quartile",
    "q75": "upper quartile",
    "accuracy_std": "its deviation, points",
    "difference": "difference",
    "p_value": "p",
    "p_holm": "p, Holm",
    "p_friedman": "p, Friedman",
    "n_train": "training samples",
    "n_problems": "problems",
    "n_data_sets": "data sets",
    "on_front": "beaten by none",
    "other": "beside",
    "to_K1": "distance to K1",
    "to_K2": "distance to K2",
}
#: Columns that are fractions: always, and where a table is about accuracies.
FRACTIONS = {"accuracy", "validation", "accuracy_std", "accuracy_low", "accuracy_high", "order_std"}
FRACTIONS |= {"recovered"}
OF_ACCURACIES = {"std", "ci_low", "ci_high", "difference", "difference_low", "difference_high"}
#: The ends of an interval, the column that it follows, and its heading.
INTERVALS = (
    ("ci_low", "ci_high", ("recovered", "accuracy", "correct", "difference"), "95 % interval"),
    ("precision_low", "precision_high", ("average_precision",), "95 % interval of the precision"),
    ("accuracy_low", "accuracy_high", ("accuracy",), "95 % interval of the accuracy"),
    ("difference_low", "difference_high", ("difference",), "95 % interval of the difference"),
)
#: Columns that a reader needs no more, once they are words.
REPEATED = {"combination", "log2_C", "log2_gamma"}
#: Rows that a page shows; the file has all.
ROWS = 400


def readable(
    table: pd.DataFrame, names: Mapping[str, str], of_accuracies: bool = False
) -> dict[str, Any]:
    """A table as its page shows it.

    Parameters
    ----------
    table : DataFrame
    names : mapping of str to str
        Method -> its name in figures.
    of_accuracies : bool
        Whether deviations, differences and intervals are those of accuracies, thus in percent.

    Returns
    -------
    dict
        "header": the headings. "rows": lists of cells with "text", "is_number" and "key", by which
        the page sorts. "n_left": how many rows are left out.
    """
    table = table.dropna(axis="columns", how="all")
    fractions = (FRACTIONS | (OF_ACCURACIES if of_accuracies else set())) & set(table)
    fractions |= {name for name in map(str, table) if name.startswith("accuracy_at_")}
    table = table.assign(**{name: 100 * table[name] for name in fractions})
    drop = {name for name in table if name in REPEATED or _says_nothing(table[name])}
    for key in {"method", "other"} & set(table):
        if "label" in table and key == "method":
            drop.add(key)
        else:
            table[key] = table[key].map(lambda name: names.get(str(name), str(name)))
    drop |= {name for name in ("case", "condition") if f"{name}_label" in table}
    ends = {}
    for low, high, after, heading in INTERVALS:
        if {low, high} <= set(table):
            drop |= {low, high}
            ends[next((name for name in after if name in table), high)] = (low, high, heading)
    first = [name for name in ("label", "case_label") if name in table]
    columns = [*first, *(c for c in table if c not in drop and c not in first)]
    header, numeric = [], []
    for name in columns:
        header.append(HEADINGS.get(str(name), str(name).replace("_", " ")))
        numeric.append(table[name].dtype.kind in "iuf")
        if name in ends:
            header.append(ends[name][2])
            numeric.append(True)
    rows = []
    for record in table.head(ROWS).to_dict("records"):
        cells = []
        for name in columns:
            cells.append(_cell(record[name], name in fractions))
            if name in ends:
                low, high = (record[end] for end in ends[name][:2])
                digits = 1 if ends[name][0] in fractions else 2
                cells.append({"text": interval(low, high, digits), "is_number": True, "key": low})
        rows.append(cells)
    return {"header": header, "rows": rows, "n_left": max(0, len(table) - ROWS)}


def _says_nothing(column: pd.Series) -> bool:
    """Whether a column only says that nothing failed, or that all rows have the same share."""
    if column.name in ("failed", "n_failed", "quoted"):
        return not column.fillna(0).astype(bool).any()
    return column.name in ("ranking_share", "ranking_samples") and column.nunique() < 2


def _cell(value, is_percent):
    if isinstance(value, str):
        return {"text": value, "is_number": False, "key": value}
    if pd.isna(value):
        return {"text": "", "is_number": False, "key": ""}
    if isinstance(value, bool):
        return {"text": "yes" if value else "no", "is_number": False, "key": str(value)}
    if is_percent:
        text = number(value, 1)
    elif value == int(value) if abs(value) < 1e15 else False:
        text = f"{int(value)}"
    else:
        text = number(value, 3) if 0.01 <= abs(value) < 1e4 else f"{value:.2g}"
    return {"text": text, "is_number": True, "key": value}
