"""A result of each method against a number, such as the samples that features are ranked from.

Points are means and bars are their 95 % intervals. The methods that matter most are named at the
end of their lines; grey lines are the other methods.
"""

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.report.figures._forms import by_reading, ranked
from experiments.report.figures.style import (
    TEXT,
    colours,
    look,
    methods,
    name_lines,
    read_table,
)
from experiments.report.names import GREY, MIDDLE

#: Values are at equal distances if the largest is so many times the least.
_DECADE = 10
#: Heights of a panel among others, and of a single one, in inches.
_HEIGHTS = 1.35, 2.4


def draw(
    folder: Path,
    *,
    table: str = "curves",
    x: str = "value",
    y: str = "recovered",
    groups: Sequence[str] = ("case", "condition"),
    xlabel: str = "",
    ylabel: str = "",
    limits: tuple[float, float] | None = None,
) -> dict[str, Figure]:
    """Draw from one table; if it has protocols, a figure for each.

    Parameters
    ----------
    folder : Path
    table : str
        The name of the table.
    x, y : str
        Its columns for the axes; those of y are shares, shown in percent.
    groups : sequence of str
        Columns whose values have a panel each, without protocols; NAME_label has their words.
    xlabel, ylabel : str
        The labels of the axes; an empty xlabel takes the words of the last group.
    limits : (float, float), optional
        The ends of the y axis.
    """
    points = read_table(folder / f"{table}.csv")
    colour_of = colours(folder, methods(points))

    def together(part):
        return _figure([("", xlabel, part)], 1, colour_of, (x, y), ylabel, limits)

    if "reading" in points:
        return by_reading(ranked(points), together)
    panels = []
    for _, part in points.groupby(list(groups), sort=False):
        title, words = (part[f"{name}_label"].iloc[0] for name in groups)
        panels.append((title, xlabel or words, part))
    columns = points[groups[-1]].nunique()
    return {
        "figure": _figure(panels, columns if columns > 1 else 3, colour_of, (x, y), ylabel, limits)
    }


def _figure(panels, columns, colour_of, axes_of, ylabel, limits) -> Figure:
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    height = _HEIGHTS[len(panels) == 1]
    size = (TEXT, (height + 0.5) * rows + 0.3)
    figure, axes = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    if limits is not None:
        axes[0, 0].set_ylim(limits)
    # A grid names its rows on the left and its columns below.
    is_grid = len({title for title, _, _ in panels}) == rows > 1
    for number, (axis, (title, xlabel, part)) in enumerate(zip(axes.flat, panels, strict=False)):
        ends = _panel(axis, part, colour_of, *axes_of)
        axis.set_title("" if is_grid else title)
        if not is_grid or number >= len(panels) - columns:
            axis.set_xlabel(textwrap.fill(xlabel, 20 if is_grid else 40))
        if number % columns == 0:
            axis.set_ylabel(f"{title}\n{ylabel}" if is_grid else ylabel)
        axis.grid(axis="y")
        least = 0.14 * np.ptp(axis.get_ylim()) / height
        if number % columns == columns - 1:
            name_lines(axis, ends, least)
        elif number == len(panels) - 1:
            name_lines(axes.flat[len(panels)], ends, least, 0)
    return figure


def _panel(axis: Axes, part: pd.DataFrame, colour_of, x, y) -> dict[str, tuple[float, str]]:
    """Draw a line for each method; the ends and colours of lines that are not grey, by name."""
    values = np.sort(part[x].unique())
    many = values[0] > 0 and values[-1] >= _DECADE * values[0]
    place = {value: i for i, value in enumerate(values)} if many else {v: v for v in values}
    ends = {}
    for name, label in methods(part).items():
        points, color = part[part["method"] == name].sort_values(x), colour_of[name]
        at, mean = points[x].map(place), 100 * points[y]
        style = look(name, color)
        axis.plot(at, mean, **style, marker="o" if color != GREY else "", markersize=3)
        if color == GREY:
            ends["other methods"] = (mean.iloc[-1], MIDDLE)
        else:
            low, high = (100 * points[f"ci_{end}"] for end in ("low", "high"))
            axis.vlines(at, low, high, color=color, alpha=0.5)
            ends[label] = (mean.iloc[-1], color)
    axis.set_xticks([place[value] for value in values], [f"{value:g}" for value in values])
    return ends
