"""Accuracy of rankings and of classifiers that select features themselves, on the same splits.

A point is a mean over the splits, a pale bar its 95 % interval and a thin line one standard
deviation to either side, as far as accuracies go. Filled points were measured. Hollow points, named
"quoted", are published numbers, of which only the mean and the deviation are known. A method that
has both has one row, and so have readings, and methods without published numbers, that come out
the same.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from experiments.report.figures._forms import apart
from experiments.report.figures.style import COLUMN, EMPHASISED, legend, marks, read_table

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
    colours = {name: mark["color"] for name, mark in marks(folder, EMPHASISED).items()}
    return {f"figure{stem}": _figure(part, colours) for stem, part in apart(table).items()}


def _figure(table, colours):
    table = table.assign(label=_named(table), method=table["method"].str.removesuffix(QUOTED))
    table = table.sort_values(["quoted", "accuracy"], ascending=[True, False], kind="stable")
    quoted = table[table["quoted"]]
    measured = _rows(table[~table["quoted"]], {*EMPHASISED, *quoted["method"]})
    alone = quoted[~quoted["method"].isin(table.loc[~table["quoted"], "method"])]
    labels = [*measured, *alone["label"]]
    places: dict[str, int] = {}
    methods = [*(rows["method"] for rows in measured.values()), *([m] for m in alone["method"])]
    for place, names in enumerate(methods):
        for name in names:
            places.setdefault(name, place)

    figure, axis = plt.subplots(figsize=(COLUMN, 0.185 * len(labels) + 1.05))
    shared = {places[method] for method in quoted["method"]} & set(range(len(measured)))
    for place, rows in enumerate(measured.values()):
        _point(axis, place - 0.19 * (place in shared), next(rows.itertuples()), colours)
    for result in quoted.itertuples():
        place = places[result.method]
        _point(axis, place + 0.19 * (place in shared), result, colours)
    if 0 < len(measured) < len(labels):
        axis.axhline(len(measured) - 0.5, color="black", linewidth=0.5)
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.4, -0.6)
    axis.set_xlim(right=min(axis.get_xlim()[1], 101))
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", linewidth=0.3, color="#DDDDDD")
    axis.set_axisbelow(True)
    axis.set_xlabel("Test accuracy (%)")
    legend(figure, _handles(table["quoted"].any()))
    return figure


def _named(table):
    """Labels; that of a ranking names the reading where its readings differ."""
    of_method = table.groupby("method")[["accuracy", "std"]]
    differs = (of_method.transform("nunique") > 1).any(axis=1) & ~table["by_itself"]
    return np.where(differs, table["label"] + " (" + table["reading"] + ")", table["label"])


def _rows(measured, alone):
    """Label -> the results that it stands for: those that would cover one another.

    Methods that are emphasised, or stand beside a published number, share no row with another.
    """
    values = measured[["accuracy", "std", "ci_low", "ci_high"]].round(9).fillna(-1)
    own = measured["method"].where(measured["method"].isin(alone), "")
    by = [own, *(values[name] for name in values)]
    return {
        " = ".join(dict.fromkeys(rows["label"])): rows
        for _, rows in measured.groupby(by, sort=False)
    }


def _point(axis, y, result, colours):
    colour = colours.get(result.method, PLAIN)
    mean = 100 * result.accuracy
    low, high = np.clip([mean - 100 * result.std, mean + 100 * result.std], 0, 100)
    if not result.quoted:
        ends = [100 * result.ci_low, 100 * result.ci_high]
        axis.plot(
            ends, [y, y], color=colour, alpha=0.3, linewidth=4, solid_capstyle="butt", zorder=2
        )
    face = "white" if result.quoted else colour
    axis.plot([low, high], [y, y], color=colour, linewidth=0.7, zorder=3)
    axis.plot(mean, y, "o", color=colour, markerfacecolor=face, markersize=3.5, zorder=4)


def _handles(with_quoted):
    dot: dict[str, Any] = {"marker": "o", "markersize": 3.5, "color": PLAIN, "linestyle": "none"}
    quoted = [Line2D([], [], markerfacecolor="white", label="quoted", **dot)]
    return [
        Line2D([], [], label="measured", **dot),
        *(quoted if with_quoted else []),
        Patch(color=PLAIN, alpha=0.3, linewidth=0, label="95 % interval of the mean"),
        Line2D([], [], color=PLAIN, linewidth=0.7, label="± one standard deviation"),
    ]
