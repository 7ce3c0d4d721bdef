"""Mean rank of each method over the data sets, with the critical difference.

In the first figures rank 1 is best, and the bars are as long as the critical difference of
Nemenyi's test at 5 % (Demsar 2006): two methods differ significantly if their bars do not overlap.
Another one has the accuracy of each method, the stability of its features and the seconds of a
ranking; a filled one is beaten by no other method in all three. The last one has the mean
and the largest regret of each method, in points of accuracy behind the best one of a problem. In
all of them ManiFeSt, or its mean of the kernels, is a part of the orange methods.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from experiments.report.figures.points import explain, panels_of, rows
from experiments.report.figures.style import TEXT, read_table
from experiments.report.names import STRONG, has_manifest

TOGETHER = "together"
#: Column -> the words of its axis.
MEASURES = {
    "accuracy": "Mean test accuracy (%)",
    "stability": "Stability (1: same features)",
    "seconds": "Seconds of a ranking",
}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from ranks.csv, pareto.csv and regret.csv; ranks on one data set are no figure."""
    ranked, points, behind = (
        read_table(folder / f"{name}.csv") for name in ("ranks", "pareto", "regret")
    )
    # The held-out problems, if there are any apart from the others.
    ranked, behind = (
        part[part["problems"] == part["problems"].iloc[0]] for part in (ranked, behind)
    )
    ranked = ranked[ranked["n_data_sets"] > 1]
    wanted = ranked["n_train"].astype(str)
    samples = (wanted + " samples, ").where(wanted != TOGETHER, "")
    half = ranked["critical_difference"] / 2
    ranked = ranked.assign(
        panel=samples + ranked["n_data_sets"].astype(str) + " data sets",
        ci_low=ranked["mean_rank"] - half,
        ci_high=ranked["mean_rank"] + half,
    )
    parts = {"figure": ranked[wanted == TOGETHER], "figure_samples": ranked[wanted != TOGETHER]}
    figures = {stem: _ranks(part) for stem, part in parts.items() if len(part)}
    if not figures:
        return {"figure_pareto": _pareto(points)}
    return figures | {"figure_pareto": _pareto(points), "figure_regret": _regret(behind)}


def _colours(table: pd.DataFrame) -> dict[str, str]:
    return {name: STRONG for name in table["method"] if has_manifest(name)}


def _ranks(ranked: pd.DataFrame) -> Figure:
    """A panel for each number of training samples; bars that do not overlap differ."""
    figure = panels_of(ranked, ["panel"], "mean_rank", _colours(ranked), ascending=True)
    for axis in figure.axes:
        axis.set_xlabel("Mean rank (1 is best)")
        axis.locator_params(axis="x", integer=True)
    rule = "Two methods differ significantly if their bars do not overlap."
    colour = "Orange: ManiFeSt, or its mean of the kernels, takes part."
    figure.supxlabel(f"{rule}\n{colour}", fontsize=8)
    return figure


def _pareto(points: pd.DataFrame) -> Figure:
    """A row for each method, the most accurate one above, and a panel for each measure."""
    points = points.sort_values("accuracy", ascending=False, kind="stable")
    points = points.rename(columns={"on_front": "filled"})
    figure, axes = plt.subplots(
        1, len(MEASURES), figsize=(TEXT, 0.19 * len(points) + 0.9), sharey=True
    )
    for axis, (column, title) in zip(axes, MEASURES.items(), strict=True):
        rows(axis, points, column, _colours(points))
        axis.set_xlabel(title)
    axes[-1].set_xscale("log")
    axes[-1].xaxis.set_minor_formatter(NullFormatter())
    axes[-1].xaxis.set_major_formatter("{x:g}")
    explain(figure, "no other method is better in all three", "another one is")
    return figure


def _regret(behind: pd.DataFrame) -> Figure:
    """A row for each method, the least mean regret above, with its interval and the largest."""
    largest = behind.assign(regret=behind["largest_regret"], ci_low=np.nan, filled=False)
    both = pd.concat([behind.assign(filled=True), largest])
    figure = panels_of(both, [], "regret", _colours(behind), ascending=True)
    figure.axes[0].set_xlabel("Points behind the best method")
    explain(figure, "mean, with its 95 % interval", "largest")
    return figure
