"""Best test accuracy against the number of samples that features are ranked from, by method.

The classifier always sees all training rows. Bars are one standard deviation over the splits to
either side. Methods stand a little apart along x, so that their bars can be told apart; methods
whose points and bars would cover one another share them.
"""

from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.report.figures._curves import (
    DEVIATION,
    by_reading,
    look,
    methods,
    number_axis,
    read,
)
from experiments.report.figures._forms import alike, families
from experiments.report.figures.style import TEXT, legend, marks

_APART = 1.025


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv, one figure for each reading."""
    summary = read(folder, "summary")
    mark_of = marks(folder, methods(summary))
    return by_reading(summary, partial(_figure, mark_of), partial(_forms, mark_of))


def _figure(mark_of: dict[str, dict], summary: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(TEXT, 3.8))
    labels = alike(summary, ["ranking_samples"], ["accuracy", "std"])
    handles = _bars(axis, mark_of, summary, labels)
    _axes([axis], summary)
    legend(figure, [*handles, _bar_handle()])
    return figure


def _forms(mark_of: dict[str, dict], summary: pd.DataFrame) -> Figure:
    labels, groups = methods(summary), families(summary["method"])
    figure, axes = plt.subplots(1, len(groups), figsize=(TEXT, 3.0), sharey=True, squeeze=False)
    handles = []
    for axis, (first, names) in zip(axes.flat, groups.items(), strict=True):
        handles += _bars(axis, mark_of, summary, {name: labels[name] for name in names})
        axis.set_title(labels[first])
    _axes(axes.flat, summary)
    legend(figure, [*handles, _bar_handle()])
    return figure


def _bars(axis, mark_of, summary, labels):
    for position, (method, label) in enumerate(labels.items()):
        points = summary[summary["method"] == method].sort_values("ranking_samples")
        accuracy, std = 100 * points["accuracy"], 100 * points["std"]
        axis.errorbar(
            points["ranking_samples"] * _APART ** (position - (len(labels) - 1) / 2),
            accuracy,
            [np.minimum(std, accuracy), np.minimum(std, 100 - accuracy)],
            label=label,
            **look(method, mark_of[method]),
            elinewidth=0.6,
            capsize=1.5,
        )
    return [Line2D([], [], label=n, **look(m, mark_of[m])) for m, n in labels.items()]


def _bar_handle():
    return Line2D(
        [], [], linestyle="none", marker="|", markersize=9, color="#666666", label=DEVIATION
    )


def _axes(axes, summary):
    numbers = sorted(summary["ranking_samples"].unique())
    for axis in axes:
        number_axis(axis, numbers)
        axis.set_xticks(numbers)
        axis.set_xlabel("Samples ranked from")
    axes[0].set_ylabel("Best test accuracy (%)")
