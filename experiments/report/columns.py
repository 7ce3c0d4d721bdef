"""Format the summary of a run for a page, a terminal and LaTeX.

It has at most :data:`MOST` columns with fixed decimals, and its rows are sorted by the measure of
the run. The file summary.csv has all columns.
"""

import pandas as pd

from experiments.config import is_own
from experiments.report.text import aligned, texts

#: The largest number of columns, and of the rows that a terminal shows.
MOST, LINES = 8, 40
#: Column -> its name and the format of its values, in the order of a summary. Shares in [0, 1] are
#: shown in percent.
COLUMNS = {
    "label": ("method", ""),
    "case_label": ("samples", ""),
    "tuning": ("tuning", ""),
    "ranking_samples": ("ranked from", ".0f"),
    "mean_rank": ("mean rank", ".2f"),
    "regret": ("regret", ".1%"),
    "largest_regret": ("largest regret", ".1%"),
    "recovered": ("relevant features found", ".1%"),
    "correct": ("relevant features found", ".2f"),
    "accuracy": ("accuracy", ".1%"),
    "validation": ("validation", ".1%"),
    "n_features": ("features", ".0f"),
    "stability": ("stability", ".2f"),
    "n_splits": ("splits", ".0f"),
    "n_draws": ("draws", ".0f"),
}
#: The ways of tuning, in their order on a page -> what figures say of them.
TUNINGS = {
    "paper": "tuned as in version 1",
    "icml": "tuned as in the version of 2023",
    "nested": "nested",
    "once": "one parameter for all splits, by validation: optimistic",
    "oracle": "one parameter for all splits, by the test rows",
}


def name_of(column: str) -> str:
    """Return the name of a column in words."""
    words = column.removeprefix("n_").replace("_", " ")
    name, _ = COLUMNS.get(column, (words, ""))
    return name


def form_of(column: str, usual: str = "") -> str:
    """Return the format of the values of a column; the usual one, if it has no other."""
    _, form = COLUMNS.get(column, ("", usual))
    return form


def heading(column: str) -> str:
    """Return the heading of a column, with its unit."""
    return name_of(column) + ", %" * is_percent(column)


def axis_label(column: str) -> str:
    """Return the label of an axis with the values of a column."""
    return name_of(column).capitalize() + " (%)" * is_percent(column)


def is_percent(column: str) -> bool:
    """Return True if a column holds shares that are shown in percent."""
    return form_of(column).endswith("%")


def own_labels(table: pd.DataFrame) -> set[str]:
    """Return the labels of ManiFeSt, its forms and its sums in a table of methods."""
    of_own_methods = table[table["method"].map(is_own)]
    return set(of_own_methods["label"])


def measure_of(summary: pd.DataFrame) -> str:
    """Return the column by which a summary compares methods; empty without one.

    It is the column before its standard deviation, or the mean rank.
    """
    columns = summary.columns.tolist()
    if "std" in columns[1:]:
        before = columns.index("std") - 1
        return columns[before]
    return "mean_rank" if "mean_rank" in columns else ""


def summary_table(summary: pd.DataFrame) -> pd.DataFrame:
    """Return summary.csv as texts, sorted by its measure, with at most eight columns.

    Columns without a value are left out, and so are those with only one, such as the way of tuning,
    unless they are results.
    """
    measure = measure_of(summary)
    names = summary.columns.tolist()
    if measure:
        summary = _sorted(summary.dropna(subset=[measure]), measure)
        names = [name for name in COLUMNS if name in summary]
        if measure not in names:
            names.insert(1, measure)
    columns: dict[str, str] = {}
    for name in names:
        values = summary[name]
        is_setting = not measure or name in ("tuning", "ranking_samples", "case_label")
        is_constant = values.nunique() < 2 <= len(values)
        if values.isna().all() or (is_setting and is_constant):
            continue
        form = form_of(name, ".4g" if pd.api.types.is_numeric_dtype(values) else "")
        columns[heading(name)] = f"{{{name}:{form}}}"
        if name == measure and "ci_low" in summary:
            interval = f"[{{ci_low:{form}}}, {{ci_high:{form}}}]"
            columns["95 % interval"] = interval
    return texts(summary, columns).iloc[:, :MOST]


def _sorted(summary: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return a summary by its case and its way of tuning, each from the best to the worst."""
    by = [name for name in ("case", "tuning") if name in summary]
    ascending = [True] * len(by)
    places = [*TUNINGS].index

    def order(column: pd.Series) -> pd.Series:
        return column.map(places) if column.name == "tuning" else column

    is_rank = measure == "mean_rank"
    return summary.sort_values([*by, measure], ascending=[*ascending, is_rank], key=order)


def terminal(summary: pd.DataFrame) -> str:
    """Return the summary of a run for a terminal."""
    table = summary_table(summary)
    text = aligned(table.head(LINES))
    if len(table) > LINES:
        text += f"... and {len(table) - LINES} more rows in summary.csv\n"
    return text


def latex(summary: pd.DataFrame) -> str:
    """Return the summary of a run as a table of the LaTeX package booktabs."""
    table = summary_table(summary)
    alignment = "l" + "r" * (len(table.columns) - 1)
    return table.to_latex(index=False, escape=True, column_format=alignment)
