"""Correct selections of all methods, and the test samples seen through three sets of features.

(a) Boxes are quartiles, whiskers reach the extremes over the draws, red lines are medians and
circles are means; methods whose selections are equally good in every draw share a box. (b) Test
samples of the first draw by t-SNE; each class has a colour and a marker. The number in parentheses
is the mean test accuracy of an SVM on such features, and the line below it says how many of the
features are relevant in this draw.
"""

import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from experiments.report.figures._forms import alike, apart
from experiments.report.figures.style import TEXT, handle, legend, methods, read_table
from experiments.report.stored import read_rows

CLASSES = (("#0072B2", "o"), ("#E69F00", "^"))
_MEDIAN: dict[str, Any] = {"color": "#CC2222", "linewidth": 2}
_MEAN: dict[str, Any] = {"marker": "o", "markersize": 4.5}
_MEAN |= {"markerfacecolor": "white", "markeredgecolor": "black"}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw (a) from summary.csv and rows.parquet, and (b) from panels.csv and tsne.csv."""
    rows = read_rows(folder)
    labels = read_table(folder / "summary.csv")[["method", "label"]]
    parts = apart(labels.merge(rows[rows["tuned"]], on="method"))
    panels, points = (
        read_table(path) if path.is_file() else pd.DataFrame()
        for path in (folder / "panels.csv", folder / "tsne.csv")
    )
    shared = alike(parts[""], ["draw"], ["correct"])
    figures = {"figure": _figure(parts[""], shared, panels, points)}
    if "_forms" in parts:
        forms = methods(parts["_forms"])
        figures["figure_forms"] = _figure(parts["_forms"], forms, panels.iloc[:0], points)
    return figures


def _figure(rows, labels, panels, points):
    figure = plt.figure(figsize=(TEXT, 5.2 if len(panels) else 2.9))
    heights = [1.1, 1] if len(panels) else [1]
    grid = figure.add_gridspec(len(heights), max(1, len(panels)), height_ratios=heights)
    axis = figure.add_subplot(grid[0, :])
    handles = _boxes(axis, rows, labels)
    classes: dict[str, Any] = {}
    for column, panel in enumerate(panels.itertuples()):
        of_panel = points[points["panel"] == panel.panel]
        classes |= _scatter(figure.add_subplot(grid[1, column]), panel, of_panel)
    if len(panels):
        axis.set_title("(a)", loc="left")
        figure.axes[1].set_title("(b)", loc="left")
    legend(figure, [*handles, *classes.values()])
    return figure


def _boxes(axis, rows, labels):
    axis.boxplot(
        [rows.loc[rows["method"] == method, "correct"] for method in labels],
        # A label stands on several short lines.
        tick_labels=[re.sub(r" (?=\()|(?<=[,=≈]) ", "\n", label) for label in labels.values()],
        whis=(0, 100),
        widths=0.5,
        showmeans=True,
        medianprops=_MEDIAN,
        meanprops=_MEAN,
    )
    axis.set_ylabel("Correct selections")
    axis.set_ylim(-0.3, None)
    if len(labels) > 9:
        plt.setp(axis.get_xticklabels(), rotation=30, ha="right", rotation_mode="anchor")
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.grid(axis="y", linewidth=0.4, alpha=0.5)
    return [
        Patch(facecolor="white", edgecolor="black", label="quartiles"),
        handle("extremes (whiskers)", color="black"),
        handle("median", **_MEDIAN),
        handle("mean", linestyle="none", **_MEAN),
    ]


def _scatter(axis, panel, points):
    handles = {}
    for number, (label, members) in enumerate(points.groupby("class")):
        colour, marker = CLASSES[number % len(CLASSES)]
        style = {"s": 6, "marker": marker, "color": colour, "linewidths": 0, "alpha": 0.8}
        points_of = (members["x"], members["y"])
        handles[label] = axis.scatter(*points_of, label=f"class {label}", **style)
    accuracy = "" if pd.isna(panel.mean_accuracy) else f" ({100 * panel.mean_accuracy:.1f} %)"
    chosen = f"{panel.n_selected} features"
    if pd.notna(panel.correct):
        chosen = f"{panel.correct:.0f} of {panel.n_relevant} correct"
    axis.set_title(f"{panel.label}{accuracy}\n{chosen}")
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[["top", "right"]].set_visible(True)
    return handles
