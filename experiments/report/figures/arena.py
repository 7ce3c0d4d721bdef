"""Mean ranks with the critical difference, and accuracy against stability and time.

The first figures are critical-difference diagrams (Demsar 2006): rank 1 is best, and the thick
lines join methods whose mean ranks differ by less than the critical difference of Nemenyi's test at
5 %. Another one has the accuracy of each method, the stability of its features and the seconds of a
ranking; a filled one is beaten by no other method in all three. The last one has the mean
and the largest regret of each method, in points of accuracy behind the best one of a problem. In
all of them ManiFeSt, or its mean of the kernels, is a part of the orange methods.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from experiments.evaluation.mean_ranks import cliques
from experiments.report.figures.style import TEXT, read_table
from experiments.report.names import DARK, STRONG, has_manifest

TOGETHER = "together"
#: Height, in inches, of a method's line and of what is above the first one.
LINE, ABOVE = 0.15, 0.55
#: Two means are joined by a line where they differ by less than the critical difference.
JOINED: dict[str, Any] = {"color": "black", "linewidth": 2.5, "solid_capstyle": "butt"}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from ranks.csv, pareto.csv and regret.csv."""
    ranked, points, behind = (
        read_table(folder / f"{name}.csv") for name in ("ranks", "pareto", "regret")
    )
    # The judgement problems, if there are any apart from the others.
    ranked, behind = (
        part[part["problems"] == part["problems"].iloc[0]] for part in (ranked, behind)
    )
    ranked = ranked.assign(n_train=ranked["n_train"].astype(str))
    wanted = list(dict.fromkeys(ranked["n_train"]))
    others = [name for name in wanted if name != TOGETHER]
    figures = {"figure": _diagrams(ranked, [TOGETHER])} if TOGETHER in wanted else {}
    if len(others) > 1:
        figures["figure_samples"] = _diagrams(ranked, others)
    return figures | {"figure_pareto": _pareto(points), "figure_regret": _regret(behind)}


def _colour(method: str) -> str:
    return STRONG if has_manifest(method) else DARK


def _rows(axis: Axes, table: pd.DataFrame) -> None:
    """Name the rows in the colours of their methods, the first one above."""
    axis.set_yticks(range(len(table)), table["label"])
    axis.set_ylim(len(table) - 0.4, -0.6)
    for text, method in zip(axis.get_yticklabels(), table["method"], strict=True):
        text.set_color(_colour(method))


def _diagrams(ranked: pd.DataFrame, wanted: list[str]) -> Figure:
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
        _diagram(axis, part, height)
        n = f"{part['n_data_sets'].iloc[0]} data sets"
        said = "all numbers of samples" if name == TOGETHER else f"{name} samples"
        axis.set_title(f"Mean rank (1 is best), {said}, {n}", fontsize=8, pad=12)
    text = "Black bars join methods that do not differ significantly."
    figure.supxlabel(text, fontsize=7)
    return figure


def _bars(part: pd.DataFrame) -> list[tuple[int, int]]:
    """The first and the last place of each largest group that lies within the difference."""
    return cliques(part["mean_rank"], part["critical_difference"].iloc[0])


def _diagram(axis: Axes, part: pd.DataFrame, height: float) -> None:
    """Ranks on a line; the better half of the methods is named on the left, the rest on the right.

    One unit of the vertical axis is an inch.
    """
    values, k = part["mean_rank"].to_numpy(), len(part)
    bars = _bars(part)
    margin = 0.4 * (k - 1)
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
        line, end, side = (place, 1, -1) if place < half else (k - 1 - place, k, 1)
        y, edge = LINE * (len(bars) + 1 + line), end + side * 0.02 * k
        mean, color = row["mean_rank"], _colour(row["method"])
        axis.plot([mean, mean, edge], [0, y, y], color=color, linewidth=0.7)
        axis.text(
            edge + side * 0.01 * k,
            y,
            f"{row['label']} ({mean:.1f})",
            ha="right" if side < 0 else "left",
            va="center",
            fontsize=6.3,
            fontweight="bold" if color == STRONG else "normal",
        )


def _pareto(points: pd.DataFrame) -> Figure:
    """A row for each method, the most accurate one above, and a panel for each measure."""
    points = points.sort_values("accuracy", ascending=False, kind="stable").reset_index(drop=True)
    points["accuracy"] *= 100
    titles = {
        "accuracy": "Mean test accuracy (%)",
        "stability": "Stability (1: same features)",
        "seconds": "Seconds of a ranking",
    }
    size = (TEXT, 0.2 * len(points) + 0.7)
    figure, axes = plt.subplots(1, len(titles), figsize=size, sharey=True)
    for axis, (column, title) in zip(axes, titles.items(), strict=True):
        for y, row in points.iterrows():
            own = _colour(row["method"])
            face = own if row["on_front"] else "white"
            axis.plot(row[column], y, "o", color=own, markerfacecolor=face, markersize=4.5)
        axis.set_title(title)
        axis.grid(axis="both")
    axes[-1].set_xscale("log")
    axes[-1].xaxis.set_minor_formatter(NullFormatter())
    axes[-1].xaxis.set_major_formatter("{x:g}")
    _rows(axes[0], points)
    for text, is_best in zip(axes[0].get_yticklabels(), points["on_front"], strict=True):
        text.set_fontweight("bold" if is_best else "normal")
    axes[1].set_xlabel("filled and bold: no other method is better in all three")
    return figure


def _regret(behind: pd.DataFrame) -> Figure:
    """A row for each method, the least mean regret above, with its interval and the largest."""
    behind = behind.sort_values("regret", kind="stable").reset_index(drop=True)
    figure, axis = plt.subplots(figsize=(TEXT, 0.2 * len(behind) + 0.7))
    percent = 100 * behind[["regret", "ci_low", "ci_high", "largest_regret"]].to_numpy(dtype=float)
    for y, (mean, low, high, largest) in enumerate(percent):
        own = _colour(str(behind["method"].iloc[y]))
        axis.plot([low, high], [y, y], color=own, linewidth=1.2)
        axis.plot(mean, y, "o", color=own, markersize=4.5)
        axis.plot(largest, y, "o", color=own, markerfacecolor="white", markersize=4.5)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.grid(axis="both")
    _rows(axis, behind)
    axis.set_xlabel(
        "points of accuracy behind the best method of a problem:\n"
        "mean (filled, 95 % interval), largest (hollow)"
    )
    return figure
