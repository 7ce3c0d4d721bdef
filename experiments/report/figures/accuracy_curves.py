"""Accuracy against the number of features: validation solid, test dashed, a colour for each method.

Each reading has a figure. Its panel (a) shows the single methods, and (b) the combinations as well.
"""

from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.report.figures._curves import (
    all_rows,
    by_reading,
    line_handles,
    methods,
    number_axis,
    read,
)
from experiments.report.figures.style import EMPHASISED, TEXT, marks


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, one figure for each reading."""
    curves = all_rows(read(folder, "curves"))
    return by_reading(curves, partial(_figure, marks(folder, methods(curves))))


def _figure(mark_of: dict[str, dict], curves: pd.DataFrame) -> Figure:
    labels = methods(curves)
    single = list(methods(curves[~curves["combination"]]))
    panels = [list(labels)] if single in ([], list(labels)) else [single, list(labels)]
    figure, axes = plt.subplots(1, len(panels), figsize=(TEXT, 3.6), sharey=True, squeeze=False)
    for letter, axis, shown in zip("ab", axes.flat, panels, strict=False):
        for method in shown:
            curve = curves[curves["method"] == method]
            strong = method in EMPHASISED
            style = {
                **mark_of[method],
                "markersize": 3.5 if strong else 2.5,
                "linewidth": 1.8 if strong else 0.8,
                "alpha": 1.0 if strong else 0.75,
                "zorder": 3 if strong else 2,
            }
            x = curve["n_features"]
            axis.plot(x, 100 * curve["validation_mean"], linestyle="-", **style)
            axis.plot(x, 100 * curve["test_mean"], linestyle="--", **style)
        number_axis(axis, curves["n_features"], steps=(1, 2, 4))
        axis.set_xlabel("Number of features")
        if len(panels) > 1:
            axis.set_title(f"({letter})", loc="left")
    axes[0, 0].set_ylabel("Accuracy (%)")
    handles = [
        Line2D([], [], label=label, **mark_of[method], markersize=4)
        for method, label in labels.items()
    ]
    handles += line_handles()
    figure.legend(handles=handles, loc="outside lower center", ncols=6)
    return figure
