"""Format the summary of a run for a page, a terminal and LaTeX.

It has at most :data:`MOST` columns with fixed decimals, and its rows are sorted by the measure of
the run. The file summary.csv has all columns.
"""

from collections.abc import Iterator

import pandas as pd

from experiments.report.text import aligned

#: The largest number of columns, and of the rows that a terminal shows.
MOST, LINES = 8, 40
#: Column -> its heading, in the order of a summary. Shares in [0, 1] have "%" and are shown in
#: percent. ``ci_low`` and ``ci_high`` become one column after the measure.
HEADINGS = {
    "label": "method",
    "case_label": "samples",
    "tuning": "tuning",
    "ranking_samples": "ranked from",
    "mean_rank": "mean rank",
    "regret": "regret, %",
    "largest_regret": "largest regret, %",
    "recovered": "relevant features found, %",
    "correct": "relevant features found",
    "accuracy": "accuracy, %",
    "validation": "validation, %",
    "n_features": "features",
    "stability": "stability",
    "n_splits": "splits",
    "n_draws": "draws",
}
#: The ways of tuning, in their order on a page -> what figures say of them.
TUNINGS = {
    "paper": "tuned as in version 1",
    "icml": "tuned as in the version of 2023",
    "nested": "nested",
    "once": "one parameter for all splits, by validation",
    "oracle": "one parameter for all splits, by the test rows",
}
#: Columns that repeat others, or are only in the file.
_HIDDEN = ("combination", "parameters", "n_failed")
#: Columns that are left out if they have only one value.
_AXES = ("tuning", "ranking_samples", "case_label")


def heading(column: str) -> str:
    """Return the heading of a column."""
    return HEADINGS.get(column, column.removeprefix("n_").replace("_", " "))


def axis_label(column: str) -> str:
    """Return the label of an axis with the values of a column."""
    return heading(column).capitalize().replace(", %", " (%)")


def is_percent(column: str) -> bool:
    """Return True if a column holds shares that are shown in percent."""
    return heading(column).endswith("%")


def measure_of(summary: pd.DataFrame) -> str:
    """Return the column by which a summary compares methods; empty without one.

    It is the column before its standard deviation, or the mean rank.
    """
    columns = [str(name) for name in summary]
    if "std" in columns[1:]:
        return columns[columns.index("std") - 1]
    return "mean_rank" if "mean_rank" in columns else ""


def summary_table(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the summary of a run as texts, sorted by its measure, with at most eight columns.

    Parameters
    ----------
    summary : DataFrame
        As summary.csv has it.

    Returns
    -------
    DataFrame
        A column of texts for each heading. Columns without a value are left out, and so are axes
        with only one value, such as the way of tuning.
    """
    measure = measure_of(summary)
    if measure:
        summary = summary[~summary.get("failed", pd.Series(False, summary.index)).eq(True)]
        by = [name for name in ("case", "tuning") if name in summary]
        order = summary[by].assign(measure=summary[measure] * (1 if measure == "mean_rank" else -1))
        if "tuning" in order:
            order["tuning"] = order["tuning"].map([*TUNINGS].index)
        summary = summary.loc[order.sort_values([*by, "measure"], kind="stable").index]
    shown = dict(_columns(summary, measure))
    return pd.DataFrame(dict(list(shown.items())[:MOST]))


def _columns(summary: pd.DataFrame, measure: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the headings and the texts of the columns, the most important first."""
    if measure:
        names = [name for name in HEADINGS if name in summary]
        names[1:1] = [] if measure in names else [measure]
    else:
        names = [str(name) for name in summary if name not in (*_HIDDEN, "label")]
        varied = [name for name in names if summary[name].nunique() > 1]
        names = varied if varied and len(summary) > 1 else names
    for name in names:
        values = summary[name]
        if values.isna().all() or (name in _AXES and values.nunique() < 2):
            continue
        yield heading(name), _texts(values, name)
        if name == measure and "ci_low" in summary and summary["ci_low"].notna().any():
            ends = zip(
                *(_texts(summary[f"ci_{end}"], name) for end in ("low", "high")), strict=True
            )
            yield "95 % interval", [f"[{low}, {high}]" if low else "" for low, high in ends]


def _texts(values: pd.Series, name: str) -> list[str]:
    """Format values with fixed decimals or three digits; empty if missing."""
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return ["" if pd.isna(value) else str(value) for value in values]
    scale, form = (100, ".1f") if is_percent(name) else (1, ".2f" if name in HEADINGS else ".3g")
    known = values.dropna()
    if scale == 1 and name != "correct" and (known == known.round()).all():
        form = ".0f"
    return ["" if pd.isna(value) else f"{scale * value:{form}}" for value in values]


def terminal(summary: pd.DataFrame) -> str:
    """Return the summary of a run for a terminal."""
    table = summary_table(summary)
    more = f"... and {len(table) - LINES} more rows in summary.csv\n" if len(table) > LINES else ""
    return aligned(table.head(LINES)) + more


def latex(summary: pd.DataFrame) -> str:
    """Return the summary of a run as a table of the LaTeX package booktabs.

    >>> print(latex(pd.DataFrame({"label": ["A_1"], "accuracy": [0.9], "std": [0.1]})), end="")
    \\begin{tabular}{lr}
    \\toprule
    method & accuracy, \\% \\\\
    \\midrule
    A\\_1 & 90.0 \\\\
    \\bottomrule
    \\end{tabular}
    """
    table = summary_table(summary)
    alignment = "l" + "r" * (len(table.columns) - 1)
    return table.to_latex(index=False, escape=True, column_format=alignment)
