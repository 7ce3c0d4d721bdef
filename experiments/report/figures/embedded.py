"""Accuracy of rankings and of classifiers that select features themselves, on the same splits.

A point is a mean over the splits, a pale bar its 95 % interval and a thin line one standard
deviation to either side. Filled points were measured. Hollow points, named "quoted", are published
numbers, of which only the mean and the deviation are known. A method that has both has one row.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from experiments.report.figures.style import COLUMN, EMPHASISED, marks, read_table

PLAIN = "#444444"
#: The end of the name of a published number; the name without it is that of the method.
QUOTED = "_quoted"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv."""
    table = read_table(folder / "summary.csv")
    table = table[(table["ranking_share"] == 1) & table["accuracy"].notna()]
    # A table without classifiers has no column "quoted", and a ranking has no value in it.
    by_itself = table.get("quoted", pd.Series(index=table.index, dtype=object))
    table = table.assign(quoted=by_itself.eq(True), by_itself=by_itself.notna())
    # Readings of a ranking make no difference to a classifier.
    table = table[~(table["by_itself"] & table.duplicated("method"))]
    table = table.sort_values(["quoted", "accuracy"], ascending=[True, False], kind="stable")
    several = table.loc[~table["by_itself"], "reading"].nunique() > 1

    results: list[Any] = list(table.itertuples())
    rows: dict[str, int] = {}
    labels: list[str] = []
    figure_rows = []
    for result in results:
        beside = rows.get(result.method.removesuffix(QUOTED)) if result.quoted else None
        if beside is None:
            beside = len(labels)
            rows.setdefault(result.method, beside)
            suffix = f" ({result.reading})" if several and not result.by_itself else ""
            labels.append(result.label + suffix)
        figure_rows.append((beside, result))

    figure, axis = plt.subplots(figsize=(COLUMN, 0.185 * len(labels) + 0.95))
    n_measured = len({row for row, result in figure_rows if not result.quoted})
    both = {row for row, result in figure_rows if result.quoted and row < n_measured}
    mark_of = marks(folder, EMPHASISED)
    for row, result in figure_rows:
        colour = mark_of.get(result.method.removesuffix(QUOTED), {"color": PLAIN})["color"]
        _point(axis, row + 0.19 * (1 if result.quoted else -1) * (row in both), result, colour)
    if 0 < n_measured < len(labels):
        axis.axhline(n_measured - 0.5, color="black", linewidth=0.5)
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", linewidth=0.3, color="#DDDDDD")
    axis.set_axisbelow(True)
    axis.set_xlabel("Test accuracy (%)")
    figure.legend(handles=_legend(), loc="outside lower center", ncols=2, columnspacing=1.2)
    return {"figure": figure}


def _point(axis, y, result, colour):
    mean, std = 100 * result.accuracy, 100 * result.std
    if not result.quoted:
        ends = [100 * result.ci_low, 100 * result.ci_high]
        axis.plot(
            ends, [y, y], color=colour, alpha=0.3, linewidth=4, solid_capstyle="butt", zorder=2
        )
    face = "white" if result.quoted else colour
    axis.plot([mean - std, mean + std], [y, y], color=colour, linewidth=0.7, zorder=3)
    axis.plot(mean, y, "o", color=colour, markerfacecolor=face, markersize=3.5, zorder=4)


def _legend():
    dot: dict[str, Any] = {"marker": "o", "markersize": 3.5, "color": PLAIN}
    return [
        Line2D([], [], linestyle="none", label="measured", **dot),
        Line2D([], [], linestyle="none", markerfacecolor="white", label="quoted", **dot),
        Patch(color=PLAIN, alpha=0.3, linewidth=0, label="95 % interval of the mean"),
        Line2D([], [], color=PLAIN, linewidth=0.7, label="± one standard deviation"),
    ]
