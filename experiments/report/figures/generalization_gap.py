"""Validation (solid) and test (dashed) accuracy of each method, the gap between them shaded.

The methods are ordered variants of one method: three scales of the ManiFeSt kernel. The number in
parentheses is the mean gap over the numbers of features, in percentage points.
"""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
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
from experiments.report.figures.style import TEXT, legend


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, one figure for each reading."""
    return by_reading(all_rows(read(folder, "curves")), _figure)


def _figure(curves: pd.DataFrame) -> Figure:
    labels = methods(curves)
    figure, axes = plt.subplots(1, len(labels), figsize=(TEXT, 2.6), sharey=True, squeeze=False)
    # Ordered variants take an ordered palette, which grows lighter in print without colours too.
    colours = matplotlib.colormaps["plasma"](np.linspace(0.05, 0.7, len(labels)))
    for axis, (method, label), colour in zip(axes.flat, labels.items(), colours, strict=True):
        curve = curves[curves["method"] == method]
        x = curve["n_features"]
        validation, test = 100 * curve["validation_mean"], 100 * curve["test_mean"]
        axis.fill_between(x, validation, test, color=colour, alpha=0.25, linewidth=0)
        axis.plot(x, validation, linestyle="-", color=colour)
        axis.plot(x, test, linestyle="--", color=colour)
        axis.set_title(f"{label} (mean gap {(validation - test).mean():.1f})")
        number_axis(axis, x, steps=(1,))
        axis.set_xlabel("Number of features")
    axes[0, 0].set_ylabel("Accuracy (%)")
    shade = band_handle("gap between the two; its mean, in points, is above each panel")
    legend(figure, [*line_handles(), shade])
    return figure
