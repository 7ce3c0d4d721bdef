"""Draw accuracy against the number of features or samples, in one panel or one per method."""

from collections.abc import Sequence
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

from experiments.report.columns import TUNINGS
from experiments.report.figures.points import rows
from experiments.report.figures.style import (
    BLUE,
    DARK,
    GREY,
    STRONG,
    TEXT,
    alike,
    band,
    colours,
    handle,
    labels_of,
    legend,
    look,
    name_of,
    number_axis,
    of_paper,
    own_first,
    panels,
    ranked,
    read_table,
    set_title,
    without_variants,
)
from experiments.report.stored import ALL_FEATURES

#: With at most this many numbers of features, each has a point, because a line would hide gaps.
_FEW = 8


def draw(
    folder: Path,
    *,
    table: str = "curves",
    measures: Sequence[str] = ("test",),
    by_method: bool = False,
    x: str = "n_features",
    y: str = "",
    groups: Sequence[str] = (),
    xlabel: str = "",
    ylabel: str = "",
) -> dict[str, Figure]:
    """Draw from a table and from summary.csv, a figure for each way of tuning.

    Parameters
    ----------
    folder : Path
    table : str
        The name of the table.
    measures : sequence of {"validation", "test"}
        Two measures are drawn in a panel for each method, with the gap between them shaded.
    by_method : bool
        Draw a panel for each method, with a line for each share of the rows that rank.
    x, y : str
        If y is given, the columns for the axes of lines with 95 % intervals; y is a share. The
        values of x are at equal distances.
    groups : sequence of str
        Columns whose values have a panel each, without ways of tuning; NAME_label has their words.
    xlabel, ylabel : str
        The labels of the axes; an empty xlabel takes the words of the last group.
    """
    curves, summary = (read_table(folder / f"{stem}.csv") for stem in (table, "summary"))
    curves = ranked(curves) if "tuning" in curves else curves
    if groups:
        return {"figure": _with_intervals(folder, (x, y), groups, (xlabel, ylabel), curves)}
    figures = {}
    for tuning, part in curves.groupby("tuning", sort=False):
        best = summary[summary["tuning"] == tuning]
        if y:
            draw_part = partial(_with_intervals, folder, (x, y), groups, (xlabel, ylabel))
            figure = draw_part(without_variants(part))
        elif len(measures) == 2:
            figure = _gaps(folder, of_paper(folder, _of_all_rows(part)), _of_all_rows(best))
        elif by_method:
            figure = _shares(folder, of_paper(folder, part), best)
        else:
            figure = _overlay(folder, without_variants(_of_all_rows(part)), _of_all_rows(best))
        figures[f"figure_{tuning}"] = figure
    return figures


def _of_all_rows(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of rankings that were made from the largest share of the training rows."""
    return table[table["ranking_share"].fillna(1) == table["ranking_share"].fillna(1).max()]


def _gaps(folder, curves, best) -> Figure:
    """A panel for each method: validation solid, test dashed, and the gap between them shaded."""
    curves = alike(curves, ["n_features"], ["validation_mean", "test_mean"])
    labels = labels_of(curves)
    few = len(labels) <= 6
    figure, axes = panels(
        len(labels), 0.65, "Number of features", "Accuracy (%)", 3 if few else 4, 1.7
    )
    everything = best.loc[best["method"] == ALL_FEATURES, "accuracy"]
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        own = curves[curves["method"] == method].sort_values("n_features")
        color = STRONG if method.startswith("manifest") and "relieff" not in method else DARK
        x, validation, test = own["n_features"], own["validation_mean"], own["test_mean"]
        axis.fill_between(x, 100 * test, 100 * validation, color=color, alpha=0.2, linewidth=0)
        axis.plot(x, 100 * validation, color=color)
        axis.plot(x, 100 * test, color=color, linestyle=(0, (4, 1.5)))
        for level in 100 * everything:
            axis.axhline(level, color=GREY, linestyle=":", linewidth=1)
        gap = 100 * (validation - test).mean()
        title = fill(label, 42 if few else 28)
        axis.set_title(
            f"{title}\nbest test {100 * test.max():.1f} %, gap {gap:.1f}", color=color, fontsize=8
        )
        number_axis(axis, x)
    handles: list[Artist] = [
        handle("validation", color=DARK),
        handle("test", color=DARK, linestyle=(0, (4, 1.5))),
        band("gap between them", DARK, 0.2),
    ]
    if len(everything):
        words = "test, SVM on all features"
        handles.append(handle(words, color=GREY, linestyle=":", linewidth=1))
    legend(figure, handles)
    set_title(figure, name_of(folder), f"validation and test accuracy ({_tuned(curves)})")
    return figure


def _shares(folder, curves, best) -> Figure:
    """A panel for each method: test accuracy, ranked from all rows and from fewer."""
    labels = labels_of(curves)
    shares = sorted(curves["ranking_share"].unique(), reverse=True)
    figure, axes = panels(len(labels), 0.65, "Number of features", "Test accuracy (%)", 3, 1.5)
    looks = [(DARK, "-"), (BLUE, (0, (4, 1.5))), (GREY, ":")][: len(shares)]
    samples = [curves.loc[curves["ranking_share"] == s, "ranking_samples"].max() for s in shares]
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        own = curves[curves["method"] == method]
        for share, (color, dashes) in zip(shares, looks, strict=False):
            part = own[own["ranking_share"] == share].sort_values("n_features")
            mean, std = part["test_mean"], part["test_std"]
            ends = np.clip([100 * (mean - std), 100 * (mean + std)], 0, 100)
            axis.fill_between(part["n_features"], *ends, color=color, alpha=0.2, linewidth=0)
            axis.plot(part["n_features"], 100 * mean, color=color, linestyle=dashes)
        found = best[best["method"] == method].set_index("ranking_share")["accuracy"]
        told = ", ".join(f"{100 * found[share]:.1f} %" for share in shares)
        color = STRONG if method == "manifest" else DARK
        axis.set_title(f"{label}, best {told}", color=color, fontsize=8)
        number_axis(axis, own["n_features"])
    handles: list[Artist] = [
        handle(f"ranked from {n:.0f} rows", color=color, linestyle=dashes)
        for n, (color, dashes) in zip(samples, looks, strict=False)
    ]
    legend(figure, [*handles, band("± one standard deviation over the splits")])
    rows_in_words = " and from ".join(f"{n:.0f}" for n in samples)
    set_title(figure, name_of(folder), f"test accuracy, ranked from {rows_in_words} rows")
    return figure


def _overlay(folder, curves, best) -> Figure:
    """All methods in one panel, and their best accuracies with intervals on the right."""
    curves = alike(curves, ["n_features"], ["test_mean"])
    labels, colour_of = labels_of(curves), colours(folder, own_first(curves))
    best = best[best["method"].isin([*labels, ALL_FEATURES])]
    best = best.assign(label=best["method"].map(labels).fillna("SVM, all features"))
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT, 0.19 * len(best) + 1.5), width_ratios=[1.4, 1]
    )
    handles = _lines(left, curves, colour_of, "test_mean", "n_features", bars=False)
    for level in 100 * best.loc[best["method"] == ALL_FEATURES, "accuracy"]:
        left.axhline(level, color=DARK, linestyle=":", linewidth=1)
        handles.append(handle("SVM, all features", color=DARK, linestyle=":", linewidth=1))
    left.set_title("Mean over the splits")
    left.set(xlabel="Number of features", ylabel="Test accuracy (%)")
    number_axis(left, curves["n_features"], steps=(1, 3))
    rows(right, best.sort_values("accuracy", ascending=False, kind="stable"), "accuracy", colour_of)
    right.set_title("Best" + (", 95 % interval" if best["ci_low"].notna().any() else ""))
    right.set_xlabel("Test accuracy (%)")
    legend(figure, handles)
    set_title(figure, name_of(folder), f"test accuracy ({_tuned(curves)})")
    return figure


def _tuned(curves: pd.DataFrame) -> str:
    """The way of tuning in words."""
    tuning = curves["tuning"].iloc[0]
    return TUNINGS.get(tuning, tuning)


def _lines(axis: Axes, table: pd.DataFrame, colour_of, y: str, x: str, *, bars) -> list[Artist]:
    """A line for each method that has a colour, and an area with the lines of all others."""
    is_other = table["method"].map(colour_of) == GREY
    found: list[Artist] = []
    labels = labels_of(table)
    for name in own_first(table[~is_other]):
        own, color = table[table["method"] == name].sort_values(x), colour_of[name]
        style: dict[str, Any] = {**look(name, color), "label": labels[name]}
        if bars or own[x].nunique() <= _FEW:
            style |= {"marker": "o", "markersize": 3}
        found += axis.plot(own[x], 100 * own[y], **style)
        if bars:
            axis.vlines(own[x], 100 * own["ci_low"], 100 * own["ci_high"], color=color, alpha=0.5)
    if is_other.any():
        ends = 100 * table[is_other].groupby(x)[y].agg(["min", "max"])
        names = ", ".join(labels_of(table[is_other]).values())
        label = fill(f"between the lines of {names}", 60)
        style = {"color": GREY, "alpha": 0.4, "linewidth": 0, "zorder": 1, "label": label}
        found.append(axis.fill_between(ends.index, ends["min"], ends["max"], **style))
    axis.grid(axis="y")
    return found


def _with_intervals(folder, columns_of, groups, words, table: pd.DataFrame) -> Figure:
    """Lines with 95 % intervals, a panel for each group; a grid has the last group in columns."""
    (x, y), (xlabel, ylabel) = columns_of, words
    colour_of = colours(folder, own_first(table))
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
    legend(figure, [*handles, handle("95 % interval", color=DARK, alpha=0.5, linewidth=1)])
    what = ylabel[:1].lower() + ylabel[1:].removesuffix(" (%)")
    set_title(figure, name_of(folder), f"{what}, by the number of samples")
    return figure
