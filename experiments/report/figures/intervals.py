"""The mean of each method with its 95 % interval, from the best to the worst.

The measure is that of the summary. Groups, such as cases or readings, have a panel each.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from experiments.report.columns import heading, is_percent
from experiments.report.figures._forms import apart
from experiments.report.figures.style import (
    COLUMN,
    EMPHASISED,
    TEXT,
    handle,
    legend,
    marks,
    read_table,
)

#: Columns that name a group of rows.
GROUPS = ("case", "condition", "reading", "ranking_share")
PLAIN = "#444444"
#: The end of the name of a published number; the name without it is that of the method.
QUOTED = "_quoted"
_DOT: dict[str, Any] = {"marker": "o", "color": PLAIN, "linestyle": "none"}
_INTERVAL = Patch(color=PLAIN, alpha=0.3, linewidth=0, label="95 % interval of the mean")


def draw(folder: Path, *, with_classifiers: bool = False) -> dict[str, Figure]:
    """Draw from summary.csv: its measure is the column before its standard deviation.

    Parameters
    ----------
    folder : Path
    with_classifiers : bool
        Draw the accuracies of rankings and of classifiers, which have no readings, in one panel.
        Each reading of a method has a row, and results that would cover one another share theirs.
        Thin lines are one standard deviation to either side. A published number, named "quoted",
        is hollow, and stands in the row of its method if this was measured, too.
    """
    summary = read_table(folder / "summary.csv")
    if with_classifiers:
        summary = summary[(summary["ranking_share"] == 1) & summary["accuracy"].notna()]
        mark_of = marks(folder, EMPHASISED)
        parts = apart(_without_readings(summary))
        return {f"figure{stem}": _with_classifiers(part, mark_of) for stem, part in parts.items()}
    columns = [str(name) for name in summary]
    measure = columns[columns.index("std") - 1]
    summary = summary[summary[measure].notna()]
    by = [name for name in GROUPS if name in summary and summary[name].nunique() > 1]
    means = summary.groupby("label", sort=False)[measure].mean()
    order = list(means.sort_values(ascending=False, kind="stable").index)
    mark_of = marks(folder, summary["method"].unique())
    return {"figure": panels_of(summary, order, by, measure, mark_of)}


def panels_of(
    table: pd.DataFrame,
    labels: Sequence[str],
    by: Sequence[str],
    measure: str,
    mark_of: Mapping[str, Mapping[str, str]],
    titles: str = "{}",
) -> Figure:
    """A panel for each group of a table; a row has the results of one label in all panels.

    Parameters
    ----------
    table : DataFrame
        Columns label, method, ci_low, ci_high, the measure and those of the groups.
    labels : sequence of str
        The labels of the rows, from above.
    by : sequence of str
        The columns of the groups.
    measure : str
        The column of the means.
    mark_of : mapping of str to mapping
        Method -> colour and marker.
    titles : str
        The title of a panel; the values of the group replace the braces.
    """
    groups = list(table.groupby(list(by), sort=False)) if by else [((), table)]
    size = (COLUMN if len(groups) == 1 else TEXT, 0.19 * len(labels) + 0.9)
    figure, axes = plt.subplots(1, len(groups), figsize=size, sharey=True, squeeze=False)
    for axis, (group, part) in zip(axes.flat, groups, strict=True):
        for row in part.to_dict("records"):
            _row(axis, labels.index(row["label"]), row, measure, **mark_of[row["method"]])
        axis.set_title(titles.format(", ".join(map(str, group))))
        _finish(axis, labels, measure)
    legend(figure, [handle("mean", **_DOT, markersize=4), _INTERVAL])
    return figure


def _row(axis: Axes, y: float, row: Mapping[Any, Any], measure: str, color: str, **mark) -> None:
    """Draw a mean and, if it is known, its interval."""
    scale = 100 if is_percent(measure) else 1
    if pd.notna(row["ci_low"]):
        ends = scale * np.array([row["ci_low"], row["ci_high"]])
        bar: dict[str, Any] = {"alpha": 0.3, "linewidth": 4, "solid_capstyle": "butt"}
        axis.plot(ends, [y, y], color=color, zorder=2, **bar)
    axis.plot(scale * row[measure], y, color=color, zorder=4, **{"markersize": 4, **mark})


def _finish(axis: Axes, labels: Sequence[str], measure: str) -> None:
    """Name the rows, and put the first one above."""
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", linewidth=0.3, color="#DDDDDD")
    axis.set_axisbelow(True)
    axis.set_xlabel(heading(measure).capitalize().replace(", %", " (%)"))


def _without_readings(table: pd.DataFrame) -> pd.DataFrame:
    """One row for each result; the reading is in its label if results differ by reading."""
    # A table without classifiers has no column "quoted", and a ranking has no value in it.
    known = table.get("quoted", pd.Series(index=table.index, dtype=object))
    table = table.assign(quoted=known.eq(True), is_classifier=known.notna())
    table = table[~(table["is_classifier"] & table.duplicated("method"))]
    results = table.groupby("method")[["accuracy", "std"]]
    differs = (results.transform("nunique") > 1).any(axis=1) & ~table["is_classifier"]
    table.loc[differs, "label"] += " (" + table["reading"] + ")"
    return table.sort_values(["quoted", "accuracy"], ascending=[True, False], kind="stable")


def _with_classifiers(table: pd.DataFrame, mark_of: Mapping[str, Mapping[str, str]]) -> Figure:
    table = table.assign(method=table["method"].str.removesuffix(QUOTED))
    measured, quoted = table[~table["quoted"]], table[table["quoted"]]
    # Methods that are emphasised, or stand beside a published number, share a row with no other.
    values = measured[["accuracy", "std", "ci_low", "ci_high"]].round(9).fillna(-1)
    alone = measured["method"].isin({*EMPHASISED, *quoted["method"]})
    rows = measured.groupby([measured["method"].where(alone, ""), *(values[c] for c in values)])
    measured = measured.assign(label=rows["label"].transform(lambda s: " = ".join(s.unique())))
    measured = measured.drop_duplicates("label")
    row_of = measured.drop_duplicates("method").set_index("method")["label"]
    own_row = quoted["method"].map(row_of).fillna(quoted["label"])
    quoted = quoted.assign(label=own_row, ci_low=np.nan)
    labels = list(dict.fromkeys([*measured["label"], *quoted["label"]]))
    shared = {*measured["label"]} & {*quoted["label"]}

    figure, axis = plt.subplots(figsize=(COLUMN, 0.185 * len(labels) + 1.05))
    for row in [*measured.to_dict("records"), *quoted.to_dict("records")]:
        beside = 0.19 if row["quoted"] else -0.19
        y = labels.index(row["label"]) + beside * (row["label"] in shared)
        colour = mark_of.get(row["method"], _DOT)["color"]
        ends = 100 * (row["accuracy"] + np.array([-row["std"], row["std"]]))
        axis.plot(np.clip(ends, 0, 100), [y, y], color=colour, linewidth=0.7, zorder=3)
        mark = {"color": colour, "markerfacecolor": "white" if row["quoted"] else colour}
        _row(axis, y, row, "accuracy", marker="o", markersize=3.5, **mark)
    if 0 < len(measured) < len(labels):
        axis.axhline(len(measured) - 0.5, color="black", linewidth=0.5)
    _finish(axis, labels, "accuracy")
    axis.set_xlim(right=min(axis.get_xlim()[1], 101))
    dots = {"measured": PLAIN} if quoted.empty else {"measured": PLAIN, "quoted": "white"}
    handles = [
        handle(word, **_DOT, markersize=3.5, markerfacecolor=face) for word, face in dots.items()
    ]
    deviation = handle("± one standard deviation", color=PLAIN, linewidth=0.7)
    legend(figure, [*handles, _INTERVAL, deviation])
    return figure
