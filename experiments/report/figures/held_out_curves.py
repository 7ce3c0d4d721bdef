"""Test accuracy against the number of features: ManiFeSt and ReliefF in front of all others.

The shaded area is one standard deviation of ManiFeSt's accuracy over the splits, to either side.
The dotted line is the SVM on all features. Filters whose lines would cover one another share a
line.
"""

from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures._curves import (
    ALL_FEATURES,
    DASHES,
    DEVIATION,
    all_rows,
    band,
    band_handle,
    by_reading,
    forms_figure,
    methods,
    number_axis,
    read,
)
from experiments.report.figures._forms import alike
from experiments.report.figures.style import TEXT, legend, marks, read_table

_SHOWN = {
    "manifest": DASHES[0],
    "manifest_regularized": DASHES[0],
    "relieff": DASHES[1],
    "manifest_relieff": DASHES[3],
}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from curves.csv and, for all features, summary.csv; one figure for each reading."""
    summary = read_table(folder / "summary.csv")
    baseline = summary[summary["method"] == ALL_FEATURES]
    curves = all_rows(read(folder, "curves"))
    mark_of = marks(folder, methods(curves))
    return by_reading(curves, partial(_figure, mark_of, baseline), partial(forms_figure, mark_of))


def _figure(mark_of: dict[str, dict], baseline: pd.DataFrame, curves: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(TEXT, 3.6))
    labels = methods(curves)
    shown = [name for name in labels if name in _SHOWN] or list(labels)[-1:]
    others = alike(curves[~curves["method"].isin(shown)], ["n_features"], ["test_mean"])
    shaded = next((name for name in shown if name.startswith("manifest")), shown[-1])
    handles = []
    for name, label in {**{name: labels[name] for name in shown}, **others}.items():
        curve = curves[curves["method"] == name]
        x, mean = curve["n_features"], curve["test_mean"]
        style = {"linewidth": 0.8, "alpha": 0.8, "markersize": 3, "linestyle": "-", **mark_of[name]}
        if name in shown:
            style |= {"linewidth": 1.5, "alpha": 1, "markersize": 4, "zorder": 3}
            style |= {"linestyle": _SHOWN.get(name, "-")}
        if name == shaded:
            band(axis, x, mean, curve["test_std"], style["color"])
        handles += axis.plot(x, 100 * mean, label=label, **style)
    for row in baseline[baseline["reading"] == curves["reading"].iloc[0]].itertuples():
        handles += [
            axis.axhline(
                100 * row.accuracy,
                color="black",
                linestyle=":",
                linewidth=1,
                label=f"all {row.n_features} features",
            )
        ]
    number_axis(axis, curves["n_features"])
    axis.set_xlabel("Number of features")
    axis.set_ylabel("Test accuracy (%)")
    # A mean plus its deviation may be more than an accuracy can be.
    axis.set_ylim(top=min(axis.get_ylim()[1], 100.5))
    shade = band_handle(f"{labels[shaded]}: {DEVIATION}", mark_of[shaded]["color"])
    legend(figure, [*handles, shade])
    return figure
