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

from experiments.report.columns import heading, is_percent
from experiments.report.figures._forms import without_variants
from experiments.report.figures.style import COLUMN, TEXT, colours, handle, legend, read_table
from experiments.report.names import DARK, EMPHASISED, GREY, MIDDLE, STRONG

#: Columns that name a group of rows.
GROUPS = ("case", "condition", "reading", "ranking_share")
#: The end of the name of a published number; the name without it is that of the method.
QUOTED = "_quoted"


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
        colour_of = colours(folder, EMPHASISED)
        shown = without_variants(_without_readings(summary))
        return {"figure": _with_classifiers(shown, colour_of)}
    columns = [str(name) for name in summary]
    measure = columns[columns.index("std") - 1]
    summary = summary[summary[measure].notna()]
    by = [name for name in GROUPS if name in summary and summary[name].nunique() > 1]
    return {"figure": panels_of(summary, by, measure, colours(folder, summary["method"]))}


def panels_of(
    table: pd.DataFrame,
    by: Sequence[str],
    measure: str,
    colour_of: Mapping[str, str],
    titles: str = "{}",
) -> Figure:
    """A panel for each group of a table; a row has the results of one label in all panels.

    Rows are in the order of their means over the groups.

    Parameters
    ----------
    table : DataFrame
        Columns label, method, ci_low, ci_high, the measure and those of the groups.
    by : sequence of str
        The columns of the groups.
    measure : str
        The column of the means.
    colour_of : mapping of str to str
        Method -> colour.
    titles : str
        The title of a panel; the values of the group replace the braces.
    """
    means = table.groupby("label", sort=False)[measure].mean()
    labels = list(means.sort_values(ascending=False, kind="stable").index)
    groups = list(table.groupby(list(by), sort=False)) if by else [((), table)]
    size = (COLUMN if len(groups) == 1 else TEXT, 0.19 * len(labels) + 0.8)
    figure, axes = plt.subplots(1, len(groups), figsize=size, sharey=True, squeeze=False)
    for axis, (group, part) in zip(axes.flat, groups, strict=True):
        dots(axis, part, measure, colour_of, labels)
        axis.set_title(titles.format(", ".join(map(str, group))))
    return figure


def dots(
    axis: Axes,
    table: pd.DataFrame,
    measure: str,
    colour_of: Mapping[str, str],
    labels: Sequence[str] = (),
) -> None:
    """A row for each label, from above: the mean as a point on its 95 % interval.

    Names have the colours of their methods; ManiFeSt's are bold.
    """
    labels = labels or list(table["label"])
    is_strong = table["method"].isin(EMPHASISED) | table["method"].map(colour_of).eq(STRONG)
    strong = set(table.loc[is_strong, "label"])
    colours_of = {}
    for row in table.to_dict("records"):
        color = colour_of.get(row["method"], DARK)
        color = MIDDLE if color == GREY else color
        colours_of[row["label"]] = color
        _row(axis, labels.index(row["label"]), row, measure, color)
    _finish(axis, labels, measure)
    for text in axis.get_yticklabels():
        text.set_color(colours_of.get(text.get_text(), DARK))
        text.set_fontweight("bold" if text.get_text() in strong else "normal")


def _row(axis: Axes, y: float, row: Mapping[Any, Any], measure: str, color: str, **mark) -> None:
    """Draw a mean and, if it is known, its interval."""
    scale = 100 if is_percent(measure) else 1
    if "ci_low" in row and pd.notna(row["ci_low"]):
        ends = scale * np.array([row["ci_low"], row["ci_high"]])
        bar: dict[str, Any] = {"alpha": 0.35, "linewidth": 4, "solid_capstyle": "butt"}
        axis.plot(np.maximum(ends, 0), [y, y], color=color, zorder=2, **bar)
    axis.plot(scale * row[measure], y, "o", color=color, zorder=4, **{"markersize": 4.5, **mark})


def _finish(axis: Axes, labels: Sequence[str], measure: str) -> None:
    """Name the rows, and put the first one above."""
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x")
    axis.set_axisbelow(True)
    axis.set_xlabel(heading(measure).capitalize().replace(", %", " (%)"))
    if is_percent(measure):
        axis.set_xlim(right=min(axis.get_xlim()[1], 101))


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


def _with_classifiers(table: pd.DataFrame, colour_of: Mapping[str, str]) -> Figure:
    table = table.assign(method=table["method"].str.removesuffix(QUOTED))
    measured, quoted = table[~table["quoted"]], table[table["quoted"]]
    # Methods that are emphasised, or stand beside a published number, share a row with no other.
    values = measured[["accuracy", "std", "ci_low", "ci_high"]].round(9).fillna(-1)
    alone = measured["method"].isin({*EMPHASISED, *quoted["method"]})
    rows = measured.groupby([measured["method"].where(alone, ""), *(values[c] for c in values)])
    measured = measured.assign(label=rows["label"].transform(lambda s: " = ".join(s.unique())))
    measured = measured.drop_duplicates("label")
    first = measured.sort_values("reading", key=lambda name: name != "paper", kind="stable")
    row_of = first.drop_duplicates("method").set_index("method")["label"]
    own_row = quoted["method"].map(row_of).fillna(quoted["label"])
    quoted = quoted.assign(label=own_row, ci_low=np.nan)
    labels = list(dict.fromkeys([*measured["label"], *quoted["label"]]))
    shared = {*measured["label"]} & {*quoted["label"]}

    figure, axis = plt.subplots(figsize=(COLUMN, 0.185 * len(labels) + 1.05))
    for row in [*measured.to_dict("records"), *quoted.to_dict("records")]:
        beside = 0.19 if row["quoted"] else -0.19
        y = labels.index(row["label"]) + beside * (row["label"] in shared)
        colour = colour_of.get(row["method"], DARK)
        ends = 100 * (row["accuracy"] + np.array([-row["std"], row["std"]]))
        axis.plot(np.clip(ends, 0, 100), [y, y], color=colour, linewidth=0.7, zorder=3)
        face = "white" if row["quoted"] else colour
        _row(axis, y, row, "accuracy", colour, markersize=3.5, markerfacecolor=face)
    if 0 < len(measured) < len(labels):
        axis.axhline(len(measured) - 0.5, color="black", linewidth=0.5)
    _finish(axis, labels, "accuracy")
    dot: dict[str, Any] = {"marker": "o", "color": DARK, "linestyle": "none", "markersize": 3.5}
    handles = [handle("measured", **dot)]
    handles += [] if quoted.empty else [handle("published", **dot, markerfacecolor="white")]
    bar = handle("95 % interval of the mean", color=DARK, alpha=0.35, linewidth=4)
    deviation = handle("± one standard deviation", color=DARK, linewidth=0.7)
    legend(figure, [*handles, bar, deviation])
    return figure
