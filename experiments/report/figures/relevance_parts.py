"""The parts of the relevance of planted features, and the order in which they are chosen.

Three groups of features differ between the classes: in the mean, in the variance, and in the sign
of the correlation of pairs. The association part sees the last two, the mean part the first; their
sum is the relevance. The last panel has the features in the order of choice: noisy copies of a
shifted feature come after features that are less relevant and differ from it.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.figures.style import TEXT, dot, legend
from experiments.report.names import BLUE, GREEN, GREY, ORANGE, SKY

#: The colour and marker of each group; the last is the rest.
MARKS = {
    "mean": (BLUE, "o"),
    "noisy copies": (SKY, "v"),
    "variance": (ORANGE, "^"),
    "association": (GREEN, "s"),
    "noise": (GREY, "."),
}
PANELS = {
    "association": "(a) association part",
    "mean": "(b) mean part",
    "relevance": "(c) relevance, their sum",
}
#: So many choices are shown.
SHOWN = 25


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from parts.csv: feature, group, association, mean, relevance and step of each."""
    table = pd.read_csv(folder / "parts.csv")
    figure, axes = plt.subplots(2, 2, figsize=(TEXT, 4.2))
    for axis, (column, title) in zip(axes.flat, PANELS.items(), strict=False):
        _marked(axis, table, "feature", column)
        axis.set_title(title, loc="left")
        axis.set_xlabel("feature")
        is_sum = column == "relevance"
        axis.set_ylabel("relevance" if is_sum else "z score (permuted labels)")
    last = axes[1, 1]
    _marked(last, table[table["step"] < SHOWN].assign(place=lambda t: t["step"] + 1), "place")
    last.set_title("(d) order of choice", loc="left")
    last.set_xlabel("step")
    last.set_ylabel("relevance")
    legend(figure, [dot(group, *mark) for group, mark in MARKS.items()])
    return {"figure": figure}


def _marked(axis: Axes, table: pd.DataFrame, x: str, y: str = "relevance") -> None:
    """Draw the features of each group in its colour, on stems from 0."""
    for group, (colour, marker) in MARKS.items():
        own = table[table["group"] == group]
        axis.vlines(own[x], 0, own[y], color=colour, linewidth=0.7)
        axis.plot(own[x], own[y], marker, color=colour, markersize=3.5)
    axis.axhline(0, color="black", linewidth=0.5)
