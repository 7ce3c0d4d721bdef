"""A result of each method against a number, such as the samples that features are ranked from.

Points are means, with bars to either side. Methods stand a little apart along x, so that their bars
can be told apart.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.report.figures._forms import alike, by_reading, families, ranked
from experiments.report.figures.style import (
    DEVIATION,
    EMPHASISED,
    TEXT,
    handle,
    legend,
    look,
    marks,
    methods,
    read_table,
)  # fmt: skip

#: The distance of two neighbouring methods, as a share of the distance between two values.
_APART = 0.05
#: Values stand at equal distances if the largest is so many times the least.
_DECADE = 10
#: Methods that one figure shows; the others have a second one, beside the first method.
_MOST = 12
_BARS = {"std": DEVIATION, "ci": "95 % interval of the mean"}


def draw(
    folder: Path,
    *,
    table: str = "curves",
    x: str = "value",
    y: str = "recovered",
    bars: str = "ci",
    groups: Sequence[str] = ("case", "condition"),
    xlabel: str = "",
    ylabel: str = "",
    limits: tuple[float, float] | None = None,
) -> dict[str, Figure]:
    """Draw from one table; if it has readings, a figure for each, in which like methods are one.

    Parameters
    ----------
    folder : Path
    table : str
        The name of the table.
    x, y : str
        Its columns for the axes; those of y are shares, shown in percent.
    bars : {"ci", "std"}
        Intervals of the mean, or one standard deviation to either side.
    groups : sequence of str
        Columns whose values have a panel each, without readings; NAME_label has their words.
    xlabel, ylabel : str
        The labels of the axes; an empty xlabel takes the words of the last group.
    limits : (float, float), optional
        The ends of the y axis.
    """
    points = read_table(folder / f"{table}.csv")
    mark_of = marks(folder, methods(points))

    def figure(panels, columns):
        return _figure(panels, columns, mark_of, (x, y, bars), ylabel, limits)

    def together(part):
        labels = alike(part, [x], [y, *(["std"] if bars == "std" else ["ci_low", "ci_high"])])
        return figure([("", xlabel, part, labels)], 1)

    def forms(part):
        labels, kin = methods(part), families(part["method"])
        panels = [
            (labels[first], xlabel, part, {name: labels[name] for name in names})
            for first, names in kin.items()
        ]
        return figure(panels, len(panels))

    if "reading" in points:
        return by_reading(ranked(points), together, forms)
    labels = methods(points)
    names = list(labels)
    shown = {"figure": names[:_MOST]}
    if len(names) > _MOST:
        shown["figure_others"] = [names[0], *names[_MOST:]]
    return {
        stem: figure(*_grouped(points, groups, {name: labels[name] for name in part}, xlabel))
        for stem, part in shown.items()
    }


def _grouped(points: pd.DataFrame, groups, labels, xlabel):
    """A panel for each combination of values of the groups, and the panels in a row."""
    panels = []
    for _, part in points.groupby(list(groups), sort=False):
        title, words = (part[f"{name}_label"].iloc[0] for name in groups)
        panels.append((title, xlabel or words, part, labels))
    columns = points[groups[-1]].nunique()
    if columns == 1:
        columns = 2 if len(panels) in (2, 4) else 3
    return panels, min(columns, len(panels))


def _figure(panels, columns, mark_of, axes_of, ylabel, limits) -> Figure:
    rows = math.ceil(len(panels) / columns)
    height = 1.9 * rows + (1.9 if len(panels) == 1 else 1.1)
    figure, axes = plt.subplots(rows, columns, figsize=(TEXT, height), sharey=True, squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    handles: dict[str, Line2D] = {}
    for axis, (title, xlabel, part, labels) in zip(axes.flat, panels, strict=False):
        styles = {
            name: {"label": label, **look(mark_of[name], name in EMPHASISED)}
            for name, label in labels.items()
        }
        _panel(axis, part, styles, *axes_of)
        axis.set_title(title)
        axis.set_xlabel(xlabel)
        handles |= {style["label"]: handle(**style) for style in styles.values()}
    axes[0, 0].set_ylim(limits)
    for axis in axes[:, 0]:
        axis.set_ylabel(ylabel)
    bar: dict[str, Any] = {"marker": "|", "markersize": 9, "color": "#666666", "linestyle": "none"}
    legend(figure, [*handles.values(), handle(_BARS[axes_of[2]], **bar)])
    return figure


def _panel(axis: Axes, part: pd.DataFrame, styles, x, y, bars) -> None:
    values = np.sort(part[x].unique())
    many = values[0] > 0 and values[-1] >= _DECADE * values[0]
    place = {value: i for i, value in enumerate(values)} if many else {v: v for v in values}
    step = 1 if many else (values[-1] - values[0]) / max(1, len(values) - 1) or 1
    for number, (method, style) in enumerate(styles.items()):
        points = part[part["method"] == method].sort_values(x)
        mean = 100 * points[y]
        if bars == "std":
            low, high = mean - 100 * points["std"], mean + 100 * points["std"]
        else:
            low, high = 100 * points["ci_low"], 100 * points["ci_high"]
        ends = [mean - low.clip(lower=0), high.clip(upper=100) - mean]
        at = points[x].map(place) + _APART * step * (number - (len(styles) - 1) / 2)
        lengths = np.clip(np.nan_to_num(ends), 0, None)
        axis.errorbar(at, mean, lengths, **style, elinewidth=0.5, capsize=0)
    axis.set_xticks([place[value] for value in values], [f"{value:g}" for value in values])
