"""Test accuracy against the number of features: what other orders of the samples do to a method.

The first method is drawn in front, with one standard deviation over the splits shaded; the others
are the same method on the samples in other orders. The title has the best accuracies of the table.
"""

from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures._curves import (
    DEVIATION,
    all_rows,
    band,
    band_handle,
    by_reading,
    methods,
    number_axis,
    read,
)
from experiments.report.figures.style import TEXT, legend


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv and summary.csv, one figure for each reading."""
    best = all_rows(read(folder, "summary"))
    return by_reading(all_rows(read(folder, "curves")), partial(_figure, best))


def _figure(summary: pd.DataFrame, curves: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(TEXT, 3.2))
    (first, label), *others = methods(curves).items()
    for name, _ in others:
        curve = curves[curves["method"] == name]
        x, mean = curve["n_features"], 100 * curve["test_mean"]
        handles = axis.plot(x, mean, color="#888888", linewidth=0.6, label="other orders")
    own = curves[curves["method"] == first]
    front: dict[str, Any] = {"color": "#CC2222", "linewidth": 1.5, "zorder": 3}
    in_front = axis.plot(own["n_features"], 100 * own["test_mean"], label=label, **front)
    band(axis, own["n_features"], own["test_mean"], own["test_std"], front["color"])
    best = summary[summary["reading"] == curves["reading"].iloc[0]].set_index("method")["accuracy"]
    title = f"Best accuracy: {100 * best[first]:.1f} %"
    if others:
        found = 100 * best[[name for name, _ in others]]
        title += f", in {len(others)} other orders {found.min():.1f} to {found.max():.1f} %"
    axis.set_title(title)
    number_axis(axis, curves["n_features"])
    axis.set_xlabel("Number of features")
    axis.set_ylabel("Test accuracy (%)")
    legend(figure, [*in_front, *(handles[:1] if others else []), band_handle(DEVIATION)])
    return figure
