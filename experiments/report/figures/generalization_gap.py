"""Validation (solid) and test (dashed) accuracy of each method, the gap between them shaded.

The methods are ordered variants of one method, three in a row: the scales of the ManiFeSt kernel. A
further row has the same scales of another form. The number in parentheses is the mean gap over the
numbers of features, in percentage points.
"""

from itertools import cycle
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures._curves import (
    all_rows,
    band_handle,
    by_reading,
    line_handles,
    methods,
    number_axis,
    read,
)
from experiments.report.figures.style import legend, panels

#: How many variants one form has, and stand in a row.
_COLUMNS = 3


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, one figure for each reading."""
    return by_reading(all_rows(read(folder, "curves")), _figure)


def _figure(curves: pd.DataFrame) -> Figure:
    labels = methods(curves)
    figure, axes = panels(len(labels), 1.05, "Number of features", "Accuracy (%)", columns=_COLUMNS)
    # Ordered variants take an ordered palette, which grows lighter in print without colours too.
    palette = matplotlib.colormaps["plasma"](np.linspace(0.05, 0.7, _COLUMNS))
    for axis, (method, label), colour in zip(axes, labels.items(), cycle(palette), strict=False):
        curve = curves[curves["method"] == method]
        x = curve["n_features"]
        validation, test = 100 * curve["validation_mean"], 100 * curve["test_mean"]
        axis.fill_between(x, validation, test, color=colour, alpha=0.25, linewidth=0)
        axis.plot(x, validation, linestyle="-", color=colour)
        axis.plot(x, test, linestyle="--", color=colour)
        axis.set_title(f"{label} (mean gap {(validation - test).mean():.1f})")
        number_axis(axis, x, steps=(1,))
    shade = band_handle("gap between the two; its mean, in points, is above each panel")
    legend(figure, [*line_handles(), shade])
    return figure
