"""Test accuracy against the number of features: ManiFeSt and ReliefF in front of all others.

The shaded area is one standard deviation of ManiFeSt's accuracy over the splits, to either side.
The dotted line is the SVM on all features.
"""

from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures._curves import (
    ALL_FEATURES,
    all_rows,
    by_reading,
    methods,
    number_axis,
    read,
)
from experiments.report.figures.style import TEXT, marks, read_table

_SHOWN = {
    "relieff": (0, (4, 1.5)),
    "manifest": "-",
    "manifest_regularized": (0, (1, 1)),
    "manifest_relieff": (0, (4, 1, 1, 1)),
}
_OTHER = "#B0B0B0"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv and, for all features, summary.csv; one figure for each reading."""
    summary = read_table(folder / "summary.csv")
    baseline = summary[summary["method"] == ALL_FEATURES]
    curves = all_rows(read(folder, "curves"))
    return by_reading(curves, partial(_figure, marks(folder, methods(curves)), baseline))


def _figure(mark_of: dict[str, dict], baseline: pd.DataFrame, curves: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(TEXT, 3.4))
    labels = methods(curves)
    shown = [name for name in labels if name in _SHOWN] or list(labels)[-1:]
    others = [name for name in labels if name not in shown]
    for i, name in enumerate(others):
        curve = curves[curves["method"] == name]
        label = "other filters" if i == 0 else None
        axis.plot(
            curve["n_features"], 100 * curve["test_mean"], color=_OTHER, linewidth=0.7, label=label
        )
    for name in shown:
        curve = curves[curves["method"] == name]
        x, mean, std = (curve[key] for key in ("n_features", "test_mean", "test_std"))
        style = {**mark_of[name], "linestyle": _SHOWN.get(name, "-")}
        if name == "manifest":
            low, high = 100 * (mean - std), 100 * (mean + std)
            axis.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axis.plot(x, 100 * mean, label=labels[name], markersize=4, zorder=3, **style)
    for row in baseline[baseline["reading"] == curves["reading"].iloc[0]].itertuples():
        axis.axhline(
            100 * row.accuracy,
            color="black",
            linestyle=":",
            linewidth=1,
            label=f"all {row.n_features} features",
        )
    number_axis(axis, curves["n_features"])
    # A mean plus its deviation may be more than an accuracy can be.
    axis.set_ylim(top=min(axis.get_ylim()[1], 101))
    axis.set_xlabel("Number of features")
    axis.set_ylabel("Test accuracy (%)")
    figure.legend(loc="outside upper center", ncols=5, handlelength=3)
    return figure
