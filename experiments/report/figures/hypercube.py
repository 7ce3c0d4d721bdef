"""Correct selections of all methods, and the test samples seen through three sets of features.

(a) Boxes are quartiles, whiskers reach the extremes over the draws, red lines are medians and
circles are means. (b) Test samples of the first draw by t-SNE; each class has a colour and a
marker. The number in parentheses is the mean test accuracy of an SVM on such features, and the line
below it says how many of the features are relevant in this draw.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures.style import TEXT, read_table

CLASSES = (("#0072B2", "o"), ("#E69F00", "^"))


def draw(folder: Path) -> dict[str, Figure]:
    """Draw (a) from summary.csv and rows.parquet, and (b) from panels.csv and tsne.csv."""
    panels = _table(folder / "panels.csv")
    figure = plt.figure(figsize=(TEXT, 5.0 if len(panels) else 2.6))
    heights = [1.1, 1] if len(panels) else [1]
    grid = figure.add_gridspec(len(heights), max(1, len(panels)), height_ratios=heights)
    axis = figure.add_subplot(grid[0, :])
    _boxes(axis, read_table(folder / "summary.csv"), pd.read_parquet(folder / "rows.parquet"))
    points = _table(folder / "tsne.csv")
    for column, panel in enumerate(panels.itertuples()):
        of_panel = points[points["panel"] == panel.panel]
        _scatter(figure.add_subplot(grid[1, column]), panel, of_panel)
    if len(panels):
        axis.set_title("(a)", loc="left")
        figure.axes[1].set_title("(b)", loc="left")
    return {"figure": figure}


def _table(path):
    return read_table(path) if path.is_file() else pd.DataFrame()


def _boxes(axis, summary, rows):
    tuned = rows[rows["tuned"]]
    methods = [row for row in summary.itertuples() if row.method in set(tuned["method"])]
    axis.boxplot(
        [tuned.loc[tuned["method"] == row.method, "correct"] for row in methods],
        tick_labels=[row.label.replace(" (", "\n(").replace(", ", ",\n") for row in methods],
        whis=(0, 100),
        widths=0.5,
        showmeans=True,
        medianprops={"color": "#CC2222", "linewidth": 2},
        meanprops={"marker": "o", "markersize": 4.5, "markerfacecolor": "white",
                   "markeredgecolor": "black"},
    )  # fmt: skip
    axis.set_ylabel("Correct selections")
    axis.set_ylim(-0.3, None)
    axis.yaxis.get_major_locator().set_params(integer=True)
    axis.grid(axis="y", linewidth=0.4, alpha=0.5)
    plt.setp(axis.get_xticklabels(), rotation=30, ha="right", rotation_mode="anchor")


def _scatter(axis, panel, points):
    for number, (label, members) in enumerate(points.groupby("class")):
        colour, marker = CLASSES[number % len(CLASSES)]
        axis.scatter(
            members["x"],
            members["y"],
            s=6,
            marker=marker,
            color=colour,
            linewidths=0,
            alpha=0.8,
            label=f"class {label}",
        )
    accuracy = "" if pd.isna(panel.mean_accuracy) else f" ({100 * panel.mean_accuracy:.1f} %)"
    chosen = f"{panel.n_selected} features"
    if pd.notna(panel.correct):
        chosen = f"{panel.correct:.0f} of {panel.n_relevant} correct"
    axis.set_title(f"{panel.label}{accuracy}\n{chosen}")
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[["top", "right"]].set_visible(True)
