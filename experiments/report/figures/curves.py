"""Accuracy against the number of features, a line for each method.

The shaded area is one standard deviation over the splits to either side. Filters whose lines would
cover one another share a line. A dotted line is the SVM on all features.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, NullFormatter, ScalarFormatter

from experiments.report.figures._forms import alike, by_reading, families, ranked
from experiments.report.figures.style import (
    ALL_FEATURES,
    DEVIATION,
    EMPHASISED,
    TEXT,
    handle,
    legend,
    look,
    marks,
    methods,
    panels,
    read_table,
)  # fmt: skip

#: Dashes of lines in one panel, the first of which is solid.
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))
# As in the paper, all rows are red and a part of them is blue; dashes tell them apart in grey.
_SHARES = tuple(zip(("#CC2222", "#1F5FBF", "#1A8A3A", "#7A5195"), DASHES, strict=True))


def draw(
    folder: Path,
    *,
    measures: Sequence[str] = ("test",),
    by_method: bool = False,
    front: Sequence[str] = EMPHASISED,
    others: str = "",
    sums_apart: bool = False,
) -> dict[str, Figure]:
    """Draw from curves.csv and, for the SVM on all features, summary.csv; a figure each reading.

    Parameters
    ----------
    folder : Path
    measures : sequence of {"validation", "test"}
        The accuracies, a row of panels for each.
    by_method : bool
        Draw a panel for each method instead. It has a line for each share of the rows that features
        were ranked from, or, with two measures, a line for each and the gap between them.
    front : sequence of str
        The methods in front of the others; the first one has its deviation shaded.
    others : str
        If given, all others are grey and share this label, and the title has the best accuracies.
    sums_apart : bool
        Draw single methods in a first column of panels, and sums of scores as well in a second.
    """
    curves = ranked(read_table(folder / "curves.csv"))
    if by_method:
        draw_part = partial(_by_method, measures)
        return by_reading(curves, draw_part, partial(draw_part, columns=2))
    mark_of = marks(folder, methods(curves))
    best = read_table(folder / "summary.csv")
    overlay = partial(_overlay, mark_of, best, measures, front, others, sums_apart)
    return by_reading(_of_all_rows(curves), overlay, partial(_forms, mark_of))


def _of_all_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of rankings that were made from the largest share of the training rows."""
    return table[table["ranking_share"] == table["ranking_share"].max()]


def _overlay(mark_of, best, measures, front, others, sums_apart, curves) -> Figure:
    """All methods in one panel for each measure, and for each column."""
    best = best[best["reading"] == curves["reading"].iloc[0]]
    labels = methods(curves)
    front = [name for name in front if name in labels] or list(labels)[-1:]
    if not others:
        labels = alike(curves, ["n_features"], [f"{name}_mean" for name in measures], front)
    labels = {name: labels[name] for name in [*front, *labels]}
    styles = {
        name: {"label": label, **_style(name, front, mark_of, others)}
        for name, label in labels.items()
    }
    sums = set(curves.loc[curves["combination"], "method"])
    columns = [list(labels)]
    if sums_apart and sums and sums < set(labels):
        columns.insert(0, [name for name in labels if name not in sums])
    size = (TEXT, 1.8 * len(measures) + 1.8)
    figure, axes = plt.subplots(
        len(measures), len(columns), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    handles: dict[str, Artist] = {style["label"]: handle(**style) for style in styles.values()}
    for column, shown in enumerate(columns):
        in_front = [name for name in front if name in shown] or shown
        shaded = in_front[-1 if column else 0]
        for axis, measure in zip(axes[:, column], measures, strict=True):
            for name in shown:
                curve = curves[curves["method"] == name]
                line(axis, curve, styles[name], measure, banded=name == shaded)
            number_axis(axis, curves["n_features"])
        axes[-1, column].set_xlabel("Number of features")
        if measures[-1] == "test":
            for row in best[best["method"] == ALL_FEATURES].itertuples():
                text = f"all {row.n_features:.0f} features"
                style: dict[str, Any] = {"color": "black", "linestyle": ":", "linewidth": 1}
                level = 100 * row.accuracy
                handles[text] = axes[-1, column].axhline(level, label=text, **style)
        text = f"{labels[shaded]}: {DEVIATION}"
        handles[text] = band_handle(text, styles[shaded]["color"])
        if len(columns) > 1:
            title = "(b) with a sum of scores" if column else "(a) single methods"
            axes[0, column].set_title(title, loc="left")
    for axis, measure in zip(axes[:, 0], measures, strict=True):
        axis.set_ylabel(f"{measure.capitalize()} accuracy (%)")
        # A mean plus its deviation may be more than an accuracy can be.
        axis.set_ylim(top=min(axis.get_ylim()[1], 100.5))
    if others:
        axes[0, 0].set_title(_best_title(_of_all_rows(ranked(best)), front, others))
    legend(figure, handles.values())
    return figure


def _style(name, front, mark_of, others) -> dict[str, Any]:
    """Colour, marker, dashes and strength of a method's line, and the label that others share."""
    if others:
        shared = {"color": "#888888", "linewidth": 0.6, "label": others}
        return {"color": _SHARES[0][0], "zorder": 3} if name in front else shared
    if name in front:
        dashes = DASHES[front.index(name) % len(DASHES)]
        return {**look(mark_of[name], strong=True), "linestyle": dashes}
    return look(mark_of[name], strong=False)


def _best_title(best: pd.DataFrame, front, others) -> str:
    """The best accuracy of the first method in front, and those of the others."""
    accuracies = 100 * best.set_index("method")["accuracy"]
    rest = accuracies.drop(front)
    of_rest = f", in {len(rest)} {others} {rest.min():.1f} to {rest.max():.1f} %"
    return f"Best accuracy: {accuracies[front[0]]:.1f} %{'' if rest.empty else of_rest}"


def _forms(mark_of, curves: pd.DataFrame) -> Figure:
    """Test accuracy of methods in several forms, a panel for each method with its forms."""
    labels, groups = methods(curves), families(curves["method"])
    figure, axes = plt.subplots(1, len(groups), figsize=(TEXT, 3.0), sharey=True, squeeze=False)
    handles = []
    for axis, (first, names) in zip(axes.flat, groups.items(), strict=True):
        for name, dashes in zip(names, cycle(DASHES), strict=False):
            style = {**mark_of[name], "linestyle": dashes, "markersize": 3, "label": labels[name]}
            handles.append(line(axis, curves[curves["method"] == name], style))
        axis.set_title(labels[first])
        number_axis(axis, curves["n_features"], steps=(1,))
        axis.set_xlabel("Number of features")
    axes[0, 0].set_ylabel("Test accuracy (%)")
    legend(figure, [*handles, band_handle()])
    return figure


def _by_method(measures, curves: pd.DataFrame, columns: int = 3) -> Figure:
    """A panel for each method, with a line for each share, or for each of two measures."""
    labels = methods(curves)
    has_gap = len(measures) > 1
    ylabel = "Accuracy (%)" if has_gap else f"{measures[0].capitalize()} accuracy (%)"
    columns = 3 if has_gap else columns
    figure, axes = panels(len(labels), 0.8, "Number of features", ylabel, columns)
    # Variants of one method have an ordered palette, lighter and lighter in print.
    palette = cycle(matplotlib.colormaps["plasma"](np.linspace(0.05, 0.7, columns)))
    for axis, (method, label), colour in zip(axes, labels.items(), palette, strict=False):
        own = curves[curves["method"] == method]
        if has_gap:
            handles, gap = _gap(axis, _of_all_rows(own), measures, colour)
            label = f"{label} (mean gap {gap:.1f})"
        else:
            handles = _shares(axis, own, measures[0])
        axis.set_title(label)
        number_axis(axis, curves["n_features"], steps=(1,))
    legend(figure, handles)
    return figure


def _gap(axis: Axes, curve: pd.DataFrame, measures, colour) -> tuple[list[Any], float]:
    """Draw two measures and the gap between them; entries of the legend, and the mean gap."""
    first, second = (100 * curve[f"{name}_mean"] for name in measures)
    axis.fill_between(curve["n_features"], first, second, color=colour, alpha=0.25, linewidth=0)
    handles: list[Any] = []
    for name, dashes in zip(measures, ("-", "--"), strict=True):
        line(axis, curve, {"color": colour, "linestyle": dashes}, name, banded=False)
        handles.append(handle(name, color="black", linestyle=dashes))
    shade = band_handle("gap between the two; its mean, in points, is above each panel")
    return [*handles, shade], (first - second).mean()


def _shares(axis: Axes, curves: pd.DataFrame, measure: str) -> list[Any]:
    """Draw a line for each share of the rows that rank, and return the entries of the legend."""
    largest, *smaller = sorted(curves["ranking_share"].unique(), reverse=True)
    handles: list[Any] = []
    for share, (colour, dashes) in zip([largest, *smaller[::-1]], cycle(_SHARES), strict=False):
        curve = curves[curves["ranking_share"] == share]
        text = f"ranked from {curve['ranking_samples'].max()} samples ({100 * share:g} %)"
        style = {"color": colour, "linestyle": dashes, "label": text}
        handles.append(line(axis, curve, style, measure))
    return [*handles, band_handle()]


def line(axis: Axes, curve: pd.DataFrame, style, measure: str = "test", banded=True) -> Line2D:
    """Draw MEASURE_mean against n_features, and one MEASURE_std to either side as a shaded band."""
    x, mean = curve["n_features"], curve[f"{measure}_mean"]
    if banded:
        std = curve[f"{measure}_std"]
        low, high = np.clip(100 * (mean - std), 0, 100), np.clip(100 * (mean + std), 0, 100)
        axis.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
    return axis.plot(x, 100 * mean, **style)[0]


def band_handle(label: str = DEVIATION, color: str = "#888888") -> Patch:
    """The legend's entry of a shaded area."""
    return Patch(color=color, alpha=0.3, linewidth=0, label=label)


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
