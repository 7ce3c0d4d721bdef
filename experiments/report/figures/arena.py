"""Mean ranks with the critical difference, and accuracy against stability and time.

The first figures are critical-difference diagrams (Demsar 2006): rank 1 is best, and the thick
lines join methods whose mean ranks differ by less than the critical difference of Nemenyi's test at
5 %. The last figure has the mean accuracy of each method against the seconds of a ranking and
against the stability of its features; filled marks are methods that no other one beats in
accuracy, stability and time together.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from experiments.evaluation.mean_ranks import cliques
from experiments.report.figures.style import EMPHASISED, TEXT, legend, marks, read_table

TOGETHER, NESTED = "together", "nested"
#: Height, in inches, of a method's line and of what is above the first one.
LINE, ABOVE = 0.15, 0.55
#: Two means are joined by a line where they differ by less than the critical difference.
JOINED: dict[str, Any] = {"color": "black", "linewidth": 2.5, "solid_capstyle": "butt"}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from ranks.csv and pareto.csv."""
    ranked, points = read_table(folder / "ranks.csv"), read_table(folder / "pareto.csv")
    ranked = ranked[ranked["measure"].astype(str) == NESTED]
    ranked = ranked.assign(n_train=ranked["n_train"].astype(str))
    wanted = list(dict.fromkeys(ranked["n_train"]))
    together = [name for name in wanted if name == TOGETHER]
    others = [name for name in wanted if name != TOGETHER]
    mark_of = marks(folder, dict.fromkeys([*points["method"], *ranked["method"]]))
    figures = {"figure": _diagrams(ranked, together, mark_of)} if together else {}
    if len(others) > 1:
        figures["figure_samples"] = _diagrams(ranked, others, mark_of)
    return figures | {"figure_pareto": _pareto(points, mark_of)}


def _diagrams(ranked: pd.DataFrame, wanted: list[str], mark_of: dict[str, dict]) -> Figure:
    """A diagram for each number of training samples, one below the other."""
    parts = [ranked[ranked["n_train"] == name] for name in wanted]
    heights = [ABOVE + LINE * (len(_bars(part)) + -(-len(part) // 2) + 1) for part in parts]
    figure, axes = plt.subplots(
        len(parts),
        1,
        figsize=(TEXT, sum(heights) + 0.3 * len(parts)),
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )
    for axis, part, name, height in zip(axes[:, 0], parts, wanted, heights, strict=True):
        _diagram(axis, part, height, mark_of)
        n = f"{part['n_data_sets'].iloc[0]} data sets"
        said = "mean over the numbers of samples" if name == TOGETHER else f"{name} samples"
        axis.set_title(f"{said}, {n}", fontsize=8, pad=12)
    return figure


def _bars(part: pd.DataFrame) -> list[tuple[int, int]]:
    """The first and the last place of each largest group that lies within the difference."""
    return cliques(part["mean_rank"], part["critical_difference"].iloc[0])


def _diagram(axis: Axes, part: pd.DataFrame, height: float, mark_of: dict[str, dict]) -> None:
    """Ranks on a line; the better half of the methods is named on the left, the rest on the right.

    One unit of the vertical axis is an inch.
    """
    values, k = part["mean_rank"].to_numpy(), len(part)
    bars = _bars(part)
    margin = 0.32 * (k - 1)
    axis.set_xlim(1 - margin, k + margin)
    axis.set_ylim(height - ABOVE, -ABOVE)
    axis.axis("off")
    axis.plot([1, k], [0, 0], color="black", linewidth=0.8)
    for rank in range(1, k + 1):
        axis.plot([rank, rank], [0, -0.05], color="black", linewidth=0.8)
        axis.text(rank, -0.08, str(rank), ha="center", va="bottom", fontsize=7)
    difference = part["critical_difference"].iloc[0]
    shown = min(difference, k - 1)
    axis.plot([1, 1 + shown], [-0.35, -0.35], color="black", linewidth=1.2)
    for end in (1, 1 + shown):
        axis.plot([end, end], [-0.39, -0.31], color="black", linewidth=1.2)
    text = f"critical difference {difference:.2f}"
    axis.text(1 + shown + 0.01 * k, -0.35, text, ha="left", va="center", fontsize=7)
    for line, (first, last) in enumerate(bars):
        y = LINE * (line + 0.6)
        axis.plot([values[first] - 0.04, values[last] + 0.04], [y, y], **JOINED)
    half = -(-k // 2)
    for place, row in enumerate(part.to_dict("records")):
        left = place < half
        line = place if left else k - 1 - place
        y = LINE * (len(bars) + 1 + line)
        edge = 1 - 0.02 * k if left else k + 0.02 * k
        strong, mean = row["method"] in STRONG, row["mean_rank"]
        color = mark_of[row["method"]]["color"] if strong else "#555555"
        axis.plot([mean, mean, edge], [0, y, y], color=color, linewidth=0.7)
        axis.text(
            edge - 0.01 * k if left else edge + 0.01 * k,
            y,
            f"{row['label']} ({mean:.1f})",
            ha="right" if left else "left",
            va="center",
            fontsize=7,
            fontweight="bold" if strong else "normal",
        )


#: The paper's method in all its forms.
STRONG = {*EMPHASISED, "manifest_relieff_regularized"}


def _pareto(points: pd.DataFrame, mark_of: dict[str, dict]) -> Figure:
    figure, axes = plt.subplots(1, 2, figsize=(TEXT, 3.0 + 0.05 * len(points)), sharey=True)
    dot: dict[str, Any] = {"markersize": 6, "linestyle": "none"}
    handles = []
    for row in points.to_dict("records"):
        mark = {**dot, **mark_of[row["method"]]}
        handles.append(Line2D([], [], label=row["label"], **mark))
        mark["markeredgewidth"] = 1.8 if row["on_front"] else 0.8
        if not row["on_front"]:
            mark["markerfacecolor"] = "none"
            if str(mark["marker"]).startswith("$"):  # A letter has no face.
                mark["alpha"] = 0.5
        for axis, column in zip(axes, ("seconds", "stability"), strict=True):
            axis.plot(row[column], 100 * row["accuracy"], **mark)
    axes[0].set_xscale("log")
    axes[0].xaxis.set_minor_formatter(NullFormatter())
    axes[0].set_xlabel("Seconds of a ranking, one thread")
    axes[1].set_xlabel("Stability of the features")
    axes[0].set_ylabel("Mean test accuracy (%)")
    legend(figure, handles)
    return figure
