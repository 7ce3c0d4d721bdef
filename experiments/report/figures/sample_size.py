"""Best accuracy against the number of samples that features are ranked from, by method.

The classifier always sees all training rows. Bars are one standard deviation over the splits to
either side. Methods stand a little apart along x, so that their bars can be told apart.
"""

from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures._curves import by_reading, methods, number_axis, read
from experiments.report.figures.style import EMPHASISED, TEXT, marks

_APART = 1.02


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv, one figure for each reading."""
    summary = read(folder, "summary")
    return by_reading(summary, partial(_figure, marks(folder, methods(summary))))


def _figure(mark_of: dict[str, dict], summary: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(TEXT, 3.4))
    labels = methods(summary)
    for position, (method, label) in enumerate(labels.items()):
        points = summary[summary["method"] == method].sort_values("ranking_samples")
        strong = method in EMPHASISED
        axis.errorbar(
            points["ranking_samples"] * _APART ** (position - (len(labels) - 1) / 2),
            100 * points["accuracy"],
            100 * points["std"],
            label=label,
            **mark_of[method],
            markersize=4.5 if strong else 3,
            linewidth=1.8 if strong else 0.8,
            elinewidth=0.6,
            capsize=1.5,
            zorder=3 if strong else 2,
        )
    numbers = sorted(summary["ranking_samples"].unique())
    number_axis(axis, numbers)
    axis.set_xticks(numbers)
    axis.set_xlabel("Samples that features are ranked from")
    axis.set_ylabel("Best accuracy (%)")
    figure.legend(loc="outside right upper", handlelength=3)
    return figure
