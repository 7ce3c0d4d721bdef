"""The share of the relevant features that each method finds, while samples get fewer or worse.

A panel belongs to one kind of samples and one condition, which the horizontal axis shows. Points
are means over the draws, bars are 95 % intervals of the mean. Methods stand a little apart, so that
their bars can be told apart. More methods than can be told apart have a second figure, in which the
first method stands again for comparison.
"""

import math
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.report.figures._curves import look, methods
from experiments.report.figures.style import TEXT, legend, marks, read_table

#: How far two neighbouring methods stand apart, as a share of the distance between two values.
_APART = 0.05
#: Where an axis holds several decades, its values stand at equal distances by their logarithm.
_DECADE = 10
#: How many methods one figure shows.
_MOST = 12


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv."""
    curves = read_table(folder / "curves.csv")
    labels = methods(curves)
    mark_of = marks(folder, labels)
    names = list(labels)
    shown = {"figure": names[:_MOST]}
    if len(names) > _MOST:
        shown["figure_others"] = [names[0], *names[_MOST:]]
    return {
        name: _figure(curves[curves["method"].isin(part)], {m: labels[m] for m in part}, mark_of)
        for name, part in shown.items()
    }


def _figure(curves, labels, mark_of):
    groups = dict(list(curves.groupby(["case", "condition"], sort=False)))
    n_conditions = curves["condition"].nunique()
    columns = n_conditions if n_conditions > 1 else 2 if len(groups) in (2, 4) else 3
    columns = min(columns, len(groups))
    rows = math.ceil(len(groups) / columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(TEXT, 1.9 * rows + 1.1), sharey=True, squeeze=False
    )
    for axis, part in zip(axes.flat, groups.values(), strict=False):
        _panel(axis, part, labels, mark_of)
    for axis in axes.flat[len(groups) :]:
        axis.set_visible(False)
    for axis in axes[:, 0]:
        axis.set_ylabel("Relevant features found (%)")
    legend(figure, [Line2D([], [], label=n, **look(m, mark_of[m])) for m, n in labels.items()])
    return figure


def _panel(axis, part, labels, mark_of):
    values = np.sort(part["value"].unique())
    many = values[0] > 0 and values[-1] >= _DECADE * values[0]
    # Values stand at equal distances where they differ by much: each is labelled.
    place = {value: i for i, value in enumerate(values)} if many else {v: v for v in values}
    step = 1 if many else (values[-1] - values[0]) / max(1, len(values) - 1) or 1
    for number, method in enumerate(labels):
        points = part[part["method"] == method].sort_values("value")
        mean = 100 * points["recovered"]
        ends = [mean - 100 * points["ci_low"], 100 * points["ci_high"] - mean]
        axis.errorbar(
            points["value"].map(place) + _APART * step * (number - (len(labels) - 1) / 2),
            mean,
            np.clip(np.nan_to_num(ends), 0, None),
            **look(method, mark_of[method]),
            elinewidth=0.5,
            capsize=0,
        )
    axis.set_xticks([place[value] for value in values], [f"{value:g}" for value in values])
    axis.set_ylim(-5, 105)
    axis.set_title(part["case_label"].iloc[0])
    axis.set_xlabel(part["condition_label"].iloc[0])
