"""Accuracy against the number of features; the best accuracy of each method with its interval.

Names have the colours of their lines, and the grey area has the lines of all other methods.
Overlapping 95 % intervals on the right say that the splits do not decide between two methods.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
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
from experiments.report.figures.points import rows
from experiments.report.figures.style import (
    TEXT,
    colours,
    legend,
    look,
    methods,
    panels,
    read_table,
)
from experiments.report.names import ALL_FEATURES, DARK, GREY, PALETTE, STRONG

#: So few numbers of features have a point each: a line alone hides how far apart they are.
_FEW = 8
# Dashes of lines in one panel, the first of which is solid.
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))


def draw(
    folder: Path,
    *,
    table: str = "curves",
    measures: Sequence[str] = ("test",),
    by_method: bool = False,
    front: str = "",
    x: str = "n_features",
    y: str = "",
    groups: Sequence[str] = (),
    xlabel: str = "",
    ylabel: str = "",
) -> dict[str, Figure]:
    """Draw from a table and from summary.csv; if it has protocols, a figure for each.

    Parameters
    ----------
    folder : Path
    table : str
        The name of the table.
    measures : sequence of {"validation", "test"}
        The accuracies, a row of panels for each.
    by_method : bool
        Draw a panel for each method instead. It has a line for each share of the rows that features
        were ranked from, or for each of two measures.
    front : str
        A method that is drawn in front of all others, in the strong colour.
    x, y : str
        If y is given, the columns for the axes of lines with 95 % intervals; y is a share. The
        values of x are at equal distances.
    groups : sequence of str
        Columns whose values have a panel each, without protocols; NAME_label has their words.
    xlabel, ylabel : str
        The labels of the axes; an empty xlabel takes the words of the last group.
    """
    curves, summary = (read_table(folder / f"{stem}.csv") for stem in (table, "summary"))
    curves = ranked(curves) if "tuning" in curves else curves
    colour_of = colours(folder, methods(curves))
    if front in colour_of:
        colour_of = {name: STRONG if name == front else GREY for name in colour_of}
    if y:
        draw_part = partial(_with_intervals, colour_of, (x, y), groups, (xlabel, ylabel))
        return {"figure": draw_part(curves)} if groups else by_reading(curves, draw_part)
    best = ranked(summary)
    if by_method:
        draw_part = partial(_by_method, measures, best)
        figures = by_reading(curves, draw_part)
        first = without_variants(curves[curves["tuning"] == curves["tuning"].iloc[0]])
        others = first_and_others(first).get("_others") if len(measures) == 1 else None
        return figures if others is None else {**figures, "figure_others": draw_part(others)}
    everything = summary[summary["method"] == ALL_FEATURES]
    overlay = partial(_overlay, colour_of, pd.concat([best, everything]), measures)
    return by_reading(_of_all_rows(curves), overlay)


def _of_all_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of rankings that were made from the largest share of the training rows."""
    return table[table["ranking_share"] == table["ranking_share"].max()]


def _overlay(colour_of, best, measures, curves) -> Figure:
    """All methods in one panel for each measure, and their best accuracies on the right."""
    labels = alike(curves, ["n_features"], [f"{name}_mean" for name in measures])
    best = _of_all_rows(best[best["tuning"] == curves["tuning"].iloc[0]])
    best = best[best["method"].isin([*labels, ALL_FEATURES])].assign(
        label=lambda table: [
            labels.get(row.method, f"SVM on all {row.n_features:.0f} features")
            for row in table.itertuples()
        ]
    )
    height = max(1.9 * len(measures) + 0.7, 0.19 * len(best) + 0.8)
    figure = plt.figure(figsize=(TEXT, height))
    grid = figure.add_gridspec(len(measures), 2, width_ratios=[1.5, 1])
    axis = None
    for number, measure in enumerate(measures):
        axis = figure.add_subplot(grid[number, 0], sharex=axis)
        _lines(axis, curves[curves["method"].isin(list(labels))], colour_of, f"{measure}_mean")
        if measure == "test":
            for level in 100 * best.loc[best["method"] == ALL_FEATURES, "accuracy"]:
                axis.axhline(level, color=DARK, linestyle=":", linewidth=1)
        axis.set_ylabel(f"{measure.capitalize()} accuracy (%)")
        axis.set_title("Mean over the splits" if number == 0 else "")
        number_axis(axis, curves["n_features"])
    assert axis is not None
    axis.set_xlabel("Number of features (logarithmic)")
    right = figure.add_subplot(grid[:, 1])
    rows(right, best.sort_values("accuracy", ascending=False, kind="stable"), "accuracy", colour_of)
    # One split gives no interval.
    right.set_title("Best" + (", 95 % interval" if best["ci_low"].notna().any() else ""))
    right.set_xlabel("Test accuracy (%)")
    return figure


def _lines(
    axis: Axes, table: pd.DataFrame, colour_of, y: str, x: str = "n_features", bars: bool = False
) -> list[Artist]:
    """A line for each method that has a colour, and an area with the lines of all others."""
    is_other = table["method"].map(colour_of) == GREY
    found: list[Artist] = []
    for name, label in methods(table[~is_other]).items():
        own, color = table[table["method"] == name].sort_values(x), colour_of[name]
        style: dict[str, Any] = {**look(name, color), "label": label}
        if bars or own[x].nunique() <= _FEW:
            style |= {"marker": "o", "markersize": 3}
        found += axis.plot(own[x], 100 * own[y], **style)
        if bars:
            axis.vlines(own[x], 100 * own["ci_low"], 100 * own["ci_high"], color=color, alpha=0.5)
    if is_other.any():
        ends = 100 * table[is_other].groupby(x)[y].agg(["min", "max"])
        look_of: dict[str, Any] = {"color": GREY, "alpha": 0.4, "zorder": 1}
        area = axis.fill_between(ends.index, ends["min"], ends["max"], label="others", **look_of)
        found.append(area)
    axis.grid(axis="y")
    return found


def _with_intervals(colour_of, columns_of, groups, words, table: pd.DataFrame) -> Figure:
    """Lines with 95 % intervals, a panel for each group; a grid has the last group in columns."""
    (x, y), (xlabel, ylabel) = columns_of, words
    parts = [part for _, part in table.groupby(list(groups), sort=False)] if groups else [table]
    columns = table[groups[-1]].nunique() if groups else 1
    columns = min(columns if columns > 1 else 3, len(parts))
    height = 1.35 if len(parts) > 1 else 2.4
    figure, axes = panels(len(parts), 1, "", ylabel, columns, height)
    titles = [part[f"{groups[0]}_label"].iloc[0] if groups else "" for part in parts]
    for number, (axis, part, title) in enumerate(zip(axes, parts, titles, strict=True)):
        values = sorted(part[x].unique())
        part = part.assign(place=part[x].map(values.index))
        handles = _lines(axis, part, colour_of, y, "place", bars=True)
        axis.set_xticks(range(len(values)), [f"{value:g}" for value in values])
        # The panels of a line have one title if it is the same.
        axis.set_title("" if number and title == titles[number - 1] else title)
        if number >= len(parts) - columns:
            said = xlabel or part[f"{groups[-1]}_label"].iloc[0]
            axis.set_xlabel(fill(said, 100 // columns))
    legend(figure, handles)
    return figure


def _by_method(measures, best, curves: pd.DataFrame) -> Figure:
    """A panel for each method, with a line for each share, or for each of two measures."""
    is_gap = len(measures) > 1
    curves = _of_all_rows(curves) if is_gap else first_and_others(curves)[""]
    best = best[best["tuning"] == curves["tuning"].iloc[0]]
    shares = sorted(curves["ranking_share"].unique(), reverse=True)
    means = [f"{name}_mean" for name in measures]
    labels = alike(curves, ["ranking_share", "n_features"], means)
    ylabel = "Accuracy (%)" if is_gap else f"{measures[0].capitalize()} accuracy (%)"
    figure, axes = panels(
        len(labels), 0.8, "Number of features", ylabel, 2 if len(labels) in (2, 4) else 3, 1.7
    )
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        own = curves[curves["method"] == method]
        handles: list[Artist] = []
        of_lines = [(share, measure) for share in shares for measure in measures]
        # The first colour of the palette is ManiFeSt's.
        looks = zip(of_lines, (DARK, *PALETTE[1:]), _DASHES, strict=False)
        for (share, measure), color, dashes in looks:
            curve = own[own["ranking_share"] == share]
            text = f"ranked from {curve['ranking_samples'].max()} samples ({100 * share:g} %)"
            style = {"color": color, "linestyle": dashes, "label": measure if is_gap else text}
            handles.append(line(axis, curve, style, measure, banded=not is_gap))
        of_method = best[best["method"] == method].set_index("ranking_share")["accuracy"]
        told = "best " + " → ".join(f"{100 * of_method[share]:.1f}" for share in shares) + " %"
        if is_gap:
            told = f"(mean gap {100 * (own[means[0]] - own[means[1]]).mean():.1f})"
        axis.set_title(f"{label}\n{told}", color=STRONG if method == "manifest" else DARK)
        number_axis(axis, curves["n_features"], steps=(1,))
        axis.grid(axis="y")
    if not is_gap:
        handles.append(band_handle("± one standard deviation over the splits"))
    legend(figure, handles)
    return figure


def band_handle(label: str) -> Patch:
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
