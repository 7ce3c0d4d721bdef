"""Accuracy against the number of features: validation above, test below, a line for each method.

Each reading has a figure. Its column (a) shows the single methods, and (b) the sums of scores as
well. The shaded area is one standard deviation over the splits to either side of ManiFeSt in (a)
and of the sum in (b). Filters whose lines would cover one another share a line.
"""

from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.report.figures._curves import (
    DEVIATION,
    all_rows,
    band,
    band_handle,
    by_reading,
    forms_figure,
    look,
    methods,
    number_axis,
    read,
)
from experiments.report.figures._forms import alike
from experiments.report.figures.style import EMPHASISED, TEXT, legend, marks

_ROWS = ("validation", "test")


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, one figure for each reading."""
    curves = all_rows(read(folder, "curves"))
    mark_of = marks(folder, methods(curves))
    return by_reading(curves, partial(_figure, mark_of), partial(forms_figure, mark_of))


def _figure(mark_of: dict[str, dict], curves: pd.DataFrame) -> Figure:
    labels = alike(curves, ["n_features"], [f"{row}_mean" for row in _ROWS])
    single = [name for name in labels if name in set(curves.loc[~curves["combination"], "method"])]
    columns = [list(labels)] if single in ([], list(labels)) else [single, list(labels)]
    figure, axes = plt.subplots(
        2, len(columns), figsize=(TEXT, 5.4), sharex=True, sharey=True, squeeze=False
    )
    shades = []
    for column, shown in enumerate(columns):
        shaded = ([name for name in shown if name in EMPHASISED] or shown)[-1]
        shades += [band_handle(f"{labels[shaded]}: {DEVIATION}", mark_of[shaded]["color"])]
        for axis, row in zip(axes[:, column], _ROWS, strict=True):
            for name in shown:
                curve = curves[curves["method"] == name]
                x, mean = curve["n_features"], curve[f"{row}_mean"]
                if name == shaded:
                    band(axis, x, mean, curve[f"{row}_std"], mark_of[name]["color"])
                axis.plot(x, 100 * mean, **look(name, mark_of[name]))
            number_axis(axis, curves["n_features"], steps=(1, 2, 5))
        axes[1, column].set_xlabel("Number of features")
        if len(columns) > 1:
            titles = "(a) single methods", "(b) with a sum of scores"
            axes[0, column].set_title(titles[column], loc="left")
    for axis, row in zip(axes[:, 0], _ROWS, strict=True):
        axis.set_ylabel(f"{row.capitalize()} accuracy (%)")
    handles = [
        Line2D([], [], label=label, **look(name, mark_of[name])) for name, label in labels.items()
    ]
    legend(figure, [*handles, *shades])
    return figure
