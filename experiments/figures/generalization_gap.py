"""Validation (solid) and test (dashed) accuracy of each method, the gap between them shaded.

The methods are variants of one, in order: three scales of the ManiFeSt kernel.
"""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.figures._curves import all_rows, by_protocol, methods, number_axis, read
from experiments.figures.style import TEXT

_MARKERS = "os^Dv"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, one figure a protocol."""
    return by_protocol(all_rows(read(folder, "curves")), _figure)


def _figure(curves: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(0.75 * TEXT, 3.3))
    labels = methods(curves)
    # Ordered variants take an ordered palette, which grows lighter in grey as well.
    colours = matplotlib.colormaps["plasma"](np.linspace(0.05, 0.75, len(labels)))
    handles = []
    for i, (method, label) in enumerate(labels.items()):
        curve = curves[curves["method"] == method]
        x, validation, test = (
            curve["n_features"],
            100 * curve["validation_mean"],
            100 * curve["test_mean"],
        )
        style = {"color": colours[i], "marker": _MARKERS[i % len(_MARKERS)], "markersize": 3}
        axis.fill_between(x, validation, test, color=colours[i], alpha=0.2, linewidth=0)
        axis.plot(x, validation, linestyle="-", **style)
        axis.plot(x, test, linestyle="--", **style)
        handles.append(Line2D([], [], label=label, **style))
    number_axis(axis, curves["n_features"])
    axis.set_xlabel("Number of features")
    axis.set_ylabel("Accuracy (%)")
    handles += [
        Line2D([], [], color="black", linestyle="-", label="validation"),
        Line2D([], [], color="black", linestyle="--", label="test"),
    ]
    axis.legend(handles=handles, loc="lower right")
    return figure
