"""Normalised scores of all features, one panel for each method (XOR-100).

Green circles are means over the draws, and red dashes are one standard deviation to either side.
The number in parentheses is the mean number of relevant features among as many best features.
"""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.figures.style import panels, read_table


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv and features.csv."""
    summary = read_table(folder / "summary.csv")
    features = read_table(folder / "features.csv")
    figure, axes = panels(len(summary), margin=0.3)
    for axis, method in zip(axes, summary.itertuples(), strict=True):
        scores = features[features["method"] == method.method]
        if method.failed:
            axis.set_title(f"{method.label} (failed)")
            continue
        panel(axis, scores)
        axis.set_title(f"{method.label} ({method.correct:.1f})")
    figure.supxlabel("Feature", fontsize=8)
    figure.supylabel("Normalised score", fontsize=8)
    return {"figure": figure}


def panel(axis: Axes, scores: pd.DataFrame) -> None:
    """Draw the mean and the standard deviation of the normalised score of each feature."""
    for sign in (-1, 1):
        axis.plot(
            scores["feature"],
            scores["mean"] + sign * scores["std"],
            linestyle="none",
            marker="_",
            markersize=3,
            color="#CC2222",
        )
    axis.plot(
        scores["feature"],
        scores["mean"],
        linestyle="none",
        marker="o",
        markersize=2.6,
        color="#1A8A3A",
    )
    axis.set_ylim(-0.2, 1.2)
    axis.set_yticks([0, 0.5, 1])
