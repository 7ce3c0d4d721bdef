"""Accuracy against the number of features, and the best accuracy of each method with its interval.

Names have the colours of their lines, and grey lines are other filters. Overlapping 95 % intervals
on the right say that the splits do not decide between two methods.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter

from experiments.report.figures._forms import (
    alike,
    by_reading,
    first_and_others,
    ranked,
    without_variants,
)
from experiments.report.figures.intervals import dots
from experiments.report.figures.style import (
    TEXT,
    colours,
    handle,
    legend,
    look,
    methods,
    panels,
    read_table,
)
from experiments.report.names import ALL_FEATURES, BLUE, DARK, GREY, PALETTE, STRONG, has_manifest

#: So few numbers of features have a point each: a line alone hides how far apart they are.
_FEW = 8
_BAND = "± one standard deviation over the splits"
# Dashes of lines in one panel, the first of which is solid.
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))


def draw(
    folder: Path,
    *,
    measures: Sequence[str] = ("test",),
    by_method: bool = False,
    front: str = "",
) -> dict[str, Figure]:
    """Draw from curves.csv and summary.csv; a figure for each protocol.

    Parameters
    ----------
    folder : Path
    measures : sequence of {"validation", "test"}
        The accuracies, a row of panels for each.
    by_method : bool
        Draw a panel for each method instead. It has a line for each share of the rows that features
        were ranked from, or, with two measures, a line for each and the gap between them.
    front : str
        A method that is drawn in front of all others, in the strong colour.
    """
    curves, best = (ranked(read_table(folder / f"{stem}.csv")) for stem in ("curves", "summary"))
    if by_method:
        draw_part = partial(_by_method, measures, best)
        figures = by_reading(curves, draw_part)
        return _with_others(figures, curves, draw_part) if len(measures) == 1 else figures
    everything = read_table(folder / "summary.csv").query("method == @ALL_FEATURES")
    colour_of = colours(folder, methods(curves))
    if front in colour_of:
        colour_of = {name: STRONG if name == front else GREY for name in colour_of}
    overlay = partial(_overlay, colour_of, pd.concat([best, everything]), measures)
    return by_reading(_of_all_rows(curves), overlay)


def _of_all_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of rankings that were made from the largest share of the training rows."""
    return table[table["ranking_share"] == table["ranking_share"].max()]


def _overlay(colour_of, best, measures, curves) -> Figure:
    """All methods in one panel for each measure, and their best accuracies on the right."""
    labels = alike(curves, ["n_features"], [f"{name}_mean" for name in measures])
    best = _of_all_rows(best[best["reading"] == curves["reading"].iloc[0]])
    best = best[best["method"].isin([*labels, ALL_FEATURES])].assign(
        label=lambda table: [
            labels.get(row.method, f"SVM on all {row.n_features:.0f} features")
            for row in table.itertuples()
        ]
    )
    height = max(1.9 * len(measures) + 0.6, 0.19 * len(best) + 0.8)
    figure = plt.figure(figsize=(TEXT, height))
    grid = figure.add_gridspec(len(measures), 2, width_ratios=[1.5, 1])
    axis = None
    for number, measure in enumerate(measures):
        axis = figure.add_subplot(grid[number, 0], sharex=axis)
        for name in labels:
            curve = curves[curves["method"] == name]
            line(axis, curve, look(name, colour_of[name]), measure, banded=False)
        if measure == "test":
            for level in 100 * best.loc[best["method"] == ALL_FEATURES, "accuracy"]:
                axis.axhline(level, color=DARK, linestyle=":", linewidth=1)
        axis.set_ylabel(f"{measure.capitalize()} accuracy (%)")
        axis.set_title("Mean over the splits" if number == 0 else "")
        axis.grid(axis="y")
        number_axis(axis, curves["n_features"])
    assert axis is not None
    axis.set_xlabel("Number of features (logarithmic)")
    right = figure.add_subplot(grid[:, 1])
    dots(right, best.sort_values("accuracy", ascending=False, kind="stable"), "accuracy", colour_of)
    # One split gives no interval.
    right.set_title("Best accuracy" + (",\n95 % interval" if best["ci_low"].notna().any() else ""))
    right.set_xlabel("Test accuracy (%)")
    return figure


def _with_others(figures, curves, draw_part) -> dict[str, Figure]:
    """The figures, and one more for the methods that the first one leaves out."""
    first = without_variants(curves[curves["reading"] == curves["reading"].iloc[0]])
    rest = first_and_others(first).get("_others")
    return figures if rest is None else {**figures, "figure_others": draw_part(rest)}


def _by_method(measures, best, curves: pd.DataFrame) -> Figure:
    """A panel for each method, with a line for each share, or for each of two measures."""
    if len(measures) == 1:
        curves = first_and_others(curves)[""]
    shares = [name for name in ("ranking_share",) if curves[name].nunique() > 1]
    labels = alike(curves, [*shares, "n_features"], [f"{name}_mean" for name in measures])
    ylabel = "Accuracy (%)" if len(measures) > 1 else f"{measures[0].capitalize()} accuracy (%)"
    columns = 2 if len(labels) in (2, 4) else 3
    figure, axes = panels(len(labels), 0.8, "Number of features", ylabel, columns, 1.7)
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        own = curves[curves["method"] == method]
        if len(measures) > 1:
            handles, gap = _gap(axis, _of_all_rows(own), measures)
            label = f"{label}\n(mean gap {gap:.1f})"
        else:
            handles = _shares(axis, own, measures[0])
            of_method = best[
                (best["method"] == method) & (best["reading"] == own["reading"].iloc[0])
            ].sort_values("ranking_share", ascending=False)
            values = " → ".join(f"{100 * value:.1f}" for value in of_method["accuracy"])
            label = f"{label}\nbest {values} %"
        axis.set_title(label, color=STRONG if method == "manifest" else DARK)
        number_axis(axis, curves["n_features"], steps=(1,))
        axis.grid(axis="y")
    legend(figure, handles)
    return figure


def _gap(axis: Axes, curve: pd.DataFrame, measures) -> tuple[list[Any], float]:
    """Draw two measures and the gap between them; entries of the legend, and the mean gap."""
    first, second = (100 * curve[f"{name}_mean"] for name in measures)
    color = STRONG if curve["method"].map(has_manifest).all() else BLUE
    axis.fill_between(curve["n_features"], first, second, color=color, alpha=0.2, linewidth=0)
    handles: list[Any] = []
    for name, dashes in zip(measures, _DASHES, strict=False):
        style = {"color": color, "linestyle": dashes}
        line(axis, curve, style, name, banded=False)
        handles.append(handle(name, **style))
    shade = Patch(color=color, alpha=0.2, label="gap; its mean, in points, is above each panel")
    return [*handles, shade], (first - second).mean()


def _shares(axis: Axes, curves: pd.DataFrame, measure: str) -> list[Any]:
    """Draw a line for each share of the rows that rank, and return the entries of the legend."""
    largest, *smaller = sorted(curves["ranking_share"].unique(), reverse=True)
    # The first colour of the palette is ManiFeSt's.
    looks = zip([largest, *smaller[::-1]], (DARK, *PALETTE[1:]), _DASHES, strict=False)
    handles: list[Any] = []
    for share, color, dashes in looks:
        curve = curves[curves["ranking_share"] == share]
        text = f"ranked from {curve['ranking_samples'].max()} samples ({100 * share:g} %)"
        handles.append(
            line(axis, curve, {"color": color, "linestyle": dashes, "label": text}, measure)
        )
    return [*handles, band_handle()]


def band_handle(label: str = _BAND) -> Patch:
    """The legend's entry of a shaded area."""
    return Patch(color=GREY, alpha=0.4, linewidth=0, label=label)


def line(axis: Axes, curve: pd.DataFrame, style, measure: str = "test", banded=True) -> Line2D:
    """Draw MEASURE_mean against n_features, and one MEASURE_std to either side as a shaded band."""
    x, mean = curve["n_features"], curve[f"{measure}_mean"]
    marks: dict[str, Any] = {"marker": "o", "markersize": 3} if len(x) <= _FEW else {}
    if banded:
        std = curve[f"{measure}_std"]
        low, high = np.clip(100 * (mean - std), 0, 100), np.clip(100 * (mean + std), 0, 100)
        axis.fill_between(x, low, high, color=style["color"], alpha=0.2, linewidth=0)
    return axis.plot(x, 100 * mean, **marks, **style)[0]


def number_axis(axis: Axes, numbers: Iterable[int], steps: Sequence[int] = (1, 2, 5)) -> None:
    """A logarithmic x axis over the numbers, with labels at the steps (of 1..9) of each decade."""
    low, high = min(numbers), max(numbers)
    axis.set_xscale("log")
    axis.set_xlim(low / 1.15, high * 1.15)
    decades = [10**i for i in range(len(str(high)))]
    labelled = [step * decade for decade in decades for step in steps]
    axis.xaxis.set_major_locator(FixedLocator([n for n in labelled if low <= n <= high]))
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_minor_formatter(NullFormatter())
    if len(steps) > 1:
        axis.tick_params(axis="x", labelrotation=45)
