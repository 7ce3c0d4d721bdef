"""Test accuracy against the number of features, one panel for each method (Madelon).

Each share of the training rows that features were ranked from has a curve; the SVM always sees all
of them. The shaded area is one standard deviation over the splits to either side.
"""

from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.report.figures._curves import (
    DEVIATION,
    band,
    band_handle,
    by_reading,
    methods,
    number_axis,
    read,
)
from experiments.report.figures.style import legend, panels

# As in the paper, all rows are red and a part of them is blue; dashes tell them apart in grey.
_ALL = {"color": "#CC2222", "linestyle": "-"}
_PARTS = (
    {"color": "#1F5FBF", "linestyle": (0, (4, 1.5))},
    {"color": "#1A8A3A", "linestyle": (0, (1, 1))},
    {"color": "#7A5195", "linestyle": (0, (4, 1, 1, 1))},
)


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv, one figure for each reading."""
    return by_reading(read(folder, "curves"), _figure, partial(_figure, columns=2))


def _styles(shares):
    """A style for each share, the largest first."""
    largest, *others = sorted(shares, reverse=True)
    parts = {share: _PARTS[i % len(_PARTS)] for i, share in enumerate(reversed(others))}
    return {largest: _ALL, **parts}


def _figure(curves: pd.DataFrame, columns: int = 3) -> Figure:
    labels = methods(curves)
    styles = _styles(curves["ranking_share"].unique())
    figure, axes = panels(
        len(labels), 0.6, "Number of features", "Test accuracy (%)", columns=columns
    )
    handles: dict[float, Line2D] = {}
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        curve_of = partial(_curve, axis, curves[curves["method"] == method])
        handles |= {share: curve_of(share, style) for share, style in styles.items()}
        number_axis(axis, curves["n_features"], steps=(1,))
        axis.set_title(label)
    legend(figure, [*handles.values(), band_handle(DEVIATION)])
    return figure


def _curve(axis, curves, share, style):
    curve = curves[curves["ranking_share"] == share]
    x, mean, std = (curve[name] for name in ("n_features", "test_mean", "test_std"))
    band(axis, x, mean, std, style["color"])
    samples = curve["ranking_samples"].max()
    (line,) = axis.plot(
        x, 100 * mean, label=f"ranked from {samples} samples ({100 * share:g} %)", **style
    )
    return line
