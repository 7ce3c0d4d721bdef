"""Columns of a run's tables as readers see them, on a page and in a terminal."""

import textwrap
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from experiments.report.findings import TUNINGS
from experiments.report.names import EMPHASISED
from experiments.report.text import cut, in_columns


class Column(NamedTuple):
    """The look of a column."""

    #: Empty for its name without underscores and without "n_", which begins numbers.
    heading: str = ""
    #: ALWAYS for a fraction that is shown in percent, SHARES for one that is so in tables whose
    #: measure is a share, and empty for a column that stays as it is.
    percent: str = ""
    #: ALWAYS, NEVER, ANY (only if a value is neither 0 nor missing) or SEVERAL (only if values
    #: differ).
    shown: str = "always"


#: Characters that a table shows of a text; a name of a user's may have thousands.
LONGEST = 100

ALWAYS, NEVER, ANY, SEVERAL, SHARES = "always", "never", "any", "several", "shares"
#: Columns of all tables; those that are not here have the look of ``Column()``.
COLUMNS = {
    "label": Column("method"),
    "case_label": Column("samples"),
    "ranking_share": Column("share of the rows that are ranked from", shown=SEVERAL),
    "ranking_samples": Column("samples ranked from", shown=SEVERAL),
    "accuracy": Column("accuracy, %", ALWAYS),
    "validation": Column("validation accuracy, %", ALWAYS),
    "recovered": Column("relevant features found, %", ALWAYS),
    "accuracy_std": Column("its deviation, points", ALWAYS),
    "std": Column("standard deviation", SHARES),
    "difference": Column(percent=SHARES),
    "correct": Column("relevant features found"),
    "condition_label": Column("what varies"),
    "q25": Column("lower quartile"),
    "q75": Column("upper quartile"),
    "p_value": Column("p"),
    "p_holm": Column("p, Holm"),
    "p_friedman": Column("p, Friedman"),
    "n_top": Column("best pixels"),
    "n_tasks": Column("repetitions"),
    "n_visible": Column("of them visible"),
    "n_vectors": Column("eigenvectors"),
    "n_per_class": Column("images a class"),
    "n_evaluated": Column("SVMs"),
    "n_ambiguous": Column("ambiguous rankings"),
    "n_train": Column("training samples"),
    "top_as_reference": Column("of them as the reference's"),
    "top_between_draws": Column("of them in each draw"),
    "on_front": Column("beaten by none"),
    "other": Column("compared with"),
    "other_label": Column(shown=NEVER),
    "problems": Column("which problems"),
    "regret": Column("regret, points", ALWAYS),
    "largest_regret": Column("largest regret, points", ALWAYS),
    "to_K1": Column("distance to K1"),
    "to_K2": Column("distance to K2"),
    "failed": Column(shown=ANY),
    "n_failed": Column(shown=ANY),
    "quoted": Column(shown=ANY),
    "combination": Column(shown=NEVER),
    "log2_C": Column(shown=NEVER),
    "log2_gamma": Column(shown=NEVER),
}
#: Intervals, each in one column: the name of its ends without _low and _high -> the look.
INTERVALS = {
    "ci": Column("95 % interval", SHARES),
    "largest_ci": Column("95 % interval of the largest regret", ALWAYS),
    "precision": Column("95 % interval of the precision"),
    "accuracy": Column("95 % interval of the accuracy", ALWAYS),
    "difference": Column("95 % interval of the difference", SHARES),
}
#: Interval -> the columns that it follows, the first of them that the table has.
FOLLOWS = {
    "ci": ("recovered", "correct", "regret", "accuracy", "difference"),
    "largest_ci": ("largest_regret",),
    "precision": ("average_precision",),
}
#: Rows that a page shows; the file has all.
ROWS = 400
#: Rows that a terminal shows.
LINES = 40
#: Headings of the columns that a terminal tells once if all rows have the same value; it tells no
#: zeros of others.
TOLD = ("splits", "draws")
ONCE = (*TOLD, "failed", "ambiguous rankings")
#: Protocols in the order of a page; a table without protocols has the empty one.
ORDER = ["", *TUNINGS]


def readable(
    table: pd.DataFrame, names: Mapping[str, str], is_share: bool = False, measure: str = ""
) -> dict[str, Any]:
    """A table as its page shows it.

    Parameters
    ----------
    table : DataFrame
    names : mapping of str to str
        Method -> its name in figures.
    is_share : bool
        True if deviations, differences and intervals are of shares, and so in percent.
    measure : str
        The column that the interval "ci" follows if :data:`FOLLOWS` names none that the table has;
        by default the one before "std".

    Returns
    -------
    dict
        "header": the headings. "rows": tuples of cells with "text", "is_number" and "key", by which
        the page sorts. "n_left": the number of rows that are left out.

    Raises
    ------
    ValueError
        If an interval has no column that it follows.
    """
    table = table.dropna(axis="columns", how="all")
    percents = {ALWAYS, SHARES} if is_share else {ALWAYS}
    ends = _ends(table, measure or measure_of(table))
    hidden = {f"{name}_{end}" for name in ends.values() for end in ("low", "high")}
    hidden |= {name for name in ("case", "condition") if f"{name}_label" in table}
    hidden |= {"method"} if "label" in table else set()
    first = [name for name in ("label", "case_label") if name in table]
    others = (c for c in table if c not in hidden and c not in first and _is_shown(table[c]))
    header: list[str] = []
    columns: list[list[dict[str, Any]]] = []
    for name in map(str, [*first, *others]):
        values, in_percent = table[name].head(ROWS), _look(name).percent in percents
        if name in ("method", "other"):
            values = values.map(lambda value: names.get(str(value), str(value)))
        header.append(heading(name))
        digits = 1 if in_percent else _digits(values)
        columns.append([_cell(100 * v if in_percent else v, digits) for v in values])
        if name in ends:
            look = INTERVALS[ends[name]]
            of_samples = ends[name] == "ci" and {"n_splits", "n_draws"} & set(table)
            header.append("95 %, new samples" if of_samples else look.heading)
            scale, digits = (100, 1) if look.percent in percents else (1, 2)
            both = scale * table[[f"{ends[name]}_low", f"{ends[name]}_high"]].head(ROWS)
            columns.append(
                [
                    {
                        "text": "" if pd.isna(low) else f"[{low:.{digits}f}, {high:.{digits}f}]",
                        "is_number": True,
                        "key": f"{low:.6g}",
                    }
                    for low, high in both.to_numpy()
                ]
            )
    rows = list(zip(*columns, strict=True))
    return {"header": header, "rows": rows, "n_left": max(0, len(table) - ROWS)}


def _ends(table: pd.DataFrame, measure: str) -> dict[str, str]:
    """Column -> the interval that follows it."""
    ends = {}
    for name in INTERVALS:
        if {f"{name}_low", f"{name}_high"} <= set(table):
            known = (*FOLLOWS.get(name, (name,)), *[measure] * (name == "ci"))
            after = [column for column in known if column in table]
            if not after:
                raise ValueError(
                    f"the interval {name!r} must follow one of the columns that FOLLOWS names for "
                    f"it, and the table has none of them; it has {', '.join(map(str, table))}"
                )
            ends[after[0]] = name
    return ends


def _look(name: str) -> Column:
    """The look of a column; accuracy_at_N is the accuracy at N features."""
    column = COLUMNS.get(name, Column())
    return column._replace(percent=ALWAYS) if name.startswith("accuracy_at_") else column


def heading(name: str) -> str:
    """The heading of a column."""
    return _look(name).heading or name.removeprefix("n_").replace("_", " ")


def is_percent(name: str) -> bool:
    """True if a column's values are fractions that are shown in percent in every table."""
    return _look(name).percent == ALWAYS


def _is_shown(column: pd.Series) -> bool:
    """True if the column says something."""
    shown = _look(str(column.name)).shown
    if shown == ANY:
        return bool(column.fillna(0).astype(bool).any())
    return column.nunique() > 1 if shown == SEVERAL else shown == ALWAYS


def _digits(values: pd.Series) -> int:
    """The decimals of a column of numbers: none for whole and large ones."""
    numbers = pd.to_numeric(values, errors="coerce").dropna().abs()
    if numbers.empty or (numbers == numbers.round()).all() or numbers.max() >= 1000:
        return 0
    return 1 if numbers.max() >= 100 else 2 if numbers.max() >= 10 else 3


def _cell(value, digits):
    if isinstance(value, str):
        return {"text": cut(value, LONGEST), "is_number": False, "key": value}
    if pd.isna(value):
        return {"text": "", "is_number": False, "key": ""}
    if isinstance(value, bool):
        text = "yes" if value else "no"
        return {"text": text, "is_number": False, "key": text}
    least = 10.0**-digits
    text = f"{value:,.{digits}f}".replace(",", " ")
    if 0 < abs(value) < least / 2:
        text = f"{'>' if value < 0 else '<'} {'-' if value < 0 else ''}{least:.{digits}f}"
    return {"text": text, "is_number": True, "key": f"{value:.6g}"}


def measure_of(table: pd.DataFrame) -> str:
    """The column before the standard deviation, "std"; empty if there is none."""
    columns = ["", *map(str, table)]
    return columns[columns.index("std") - 1] if "std" in columns else ""


def best(summary: pd.DataFrame, names: Mapping[str, str], is_share: bool) -> dict[str, Any] | None:
    """The results in at most seven columns, from the best one; None if no measure is summarised.

    `names` are those of the methods in figures, and a share is told in percent. The result has a
    "header", "rows" with "cells", "is_own" and "choice", their protocol, and the "choices" with
    their numbers, of which "first" is shown at first.
    """
    columns, measure = [str(name) for name in summary], measure_of(summary)
    if not measure or "method" not in columns:
        return None
    groups = [c for c in ("case", "condition") if f"{c}_label" in columns]
    groups = [f"{c}_label" for c in groups if summary[c].nunique() > 1]
    groups += [c for c in ("ranking_samples",) if c in columns and summary[c].nunique() > 1]
    shown = ["label", *groups, measure, "ci_low", "ci_high", "n_features", "stability"]
    shown += ["n_splits", "n_draws", "n_ambiguous", "failed"]
    shown = [c for c in shown if c in columns or c == "label"]
    failed = summary["failed"].eq(True) if "failed" in columns else False
    summary = summary[summary[measure].notna() | failed]
    # At equal numbers of samples, the best first.
    by, ascending = [*groups, measure], [*(c != "ranking_samples" for c in groups), False]
    summary = summary.sort_values(by, ascending=ascending, kind="stable")
    if "label" not in summary:
        summary = summary.assign(label=summary["method"].map(names))
    has_protocols = "tuning" in columns and summary["tuning"].nunique() > 1
    protocols = list(summary["tuning"]) if has_protocols else [""] * len(summary)
    told = readable(summary[shown], names, is_share, measure)
    rows = zip(told["rows"], summary["method"], protocols, strict=False)
    number_of = {name: protocols.count(name) for name in sorted(set(protocols), key=ORDER.index)}
    return {
        "header": told["header"],
        "rows": [{"cells": r, "is_own": m in EMPHASISED, "choice": p} for r, m, p in rows],
        "choices": list(number_of.items()) if has_protocols else [],
        "first": next(iter(number_of)) if has_protocols else "",
    }


def terminal(summary: pd.DataFrame, is_share: bool = False, width: int = 100) -> str:
    """The table of a page for a terminal, with at most `width` characters in a line.

    A number of repetitions that all rows share is told once, above. Each protocol has a table of at
    most :data:`LINES` rows. If it is too wide, the texts of its widest column are cut, then columns
    are left out from the last one on, and the last line names them.

    Examples
    --------
    >>> print(terminal(pd.DataFrame({"label": ["a", "b"], "n_draws": [5, 5], "x": [0.5, None]})))
    5 draws
    <BLANKLINE>
    method      x
    a       0.500
    b
    """
    found = best(summary, {}, is_share)
    if found is None:
        whole = readable(summary.drop(columns="method", errors="ignore"), {}, is_share)
        rows = [{"cells": cells, "choice": ""} for cells in whole["rows"]]
        found = {**whole, "rows": rows, "choices": []}
    header, parts = found["header"], []
    told, kept = _told_once(header, [row["cells"] for row in found["rows"]])
    more: dict[str, None] = {}
    for choice, _ in found["choices"] or [("", 0)]:
        own = [row["cells"] for row in found["rows"] if row["choice"] == choice]
        shown = [[row[at] for at in kept] for row in own[:LINES]]
        lines, left_out = _fitted([header[at] for at in kept], shown, width)
        parts.append("\n".join([f"protocol {choice}"] * bool(choice) + lines))
        more |= dict.fromkeys([f"{len(own) - LINES} rows"] * (len(own) > LINES) + left_out)
    if more:
        named = f"also in summary.csv: {', '.join(more)}"
        parts.append("\n".join(textwrap.wrap(named, width, subsequent_indent="  ")))
    return "\n\n".join([", ".join(told)] * bool(told) + parts)


def _told_once(header: list[str], rows: list) -> tuple[list[str], list[int]]:
    """The texts that stand once above a table for all its rows, and the columns that it keeps."""
    told, kept = [], []
    for at, heading in enumerate(header):
        texts = {cells[at]["text"] for cells in rows}
        is_alike = heading in ONCE and len(texts) == 1
        if is_alike and heading in TOLD:
            told.append(f"{min(texts)} {heading}")
        elif not (is_alike and texts & {"", "0", "no"}):
            kept.append(at)
    return told, kept


def _fitted(header: list[str], rows: list, width: int) -> tuple[list[str], list[str]]:
    """The lines of a table, and the headings of the columns that are left out."""
    columns = [[name, *(row[at]["text"] for row in rows)] for at, name in enumerate(header)]
    is_number = [any(row[at]["is_number"] for row in rows) for at in range(len(header))]
    left_out: list[str] = []
    while True:
        widths = [max(map(len, texts)) for texts in columns]
        if (over := sum(widths) + 2 * (len(widths) - 1) - width) <= 0:
            break
        texts = [(n, at) for at, n in enumerate(widths) if not is_number[at]]
        widest, at = max(texts, default=(0, 0))
        if widest - over >= max(12, len(columns[at][0])):
            columns[at] = [cut(text, widest - over) for text in columns[at]]
        elif len(columns) > 1:
            left_out.insert(0, cut(columns.pop()[0], LONGEST))
        else:
            break
    return in_columns(columns, is_number), left_out
