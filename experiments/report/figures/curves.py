"""Draw accuracy against the number of features or samples, in one panel or one per method."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report.columns import TUNINGS, is_percent
from experiments.report.figures import style
from experiments.report.figures.points import rows

#: With at most this many numbers of features, each has a point, because a line would hide gaps.
_FEW = 8
_DOTTED: dict[str, Any] = {"linestyle": ":", "linewidth": 1}
#: Tunings that a table and a figure of their own compare; see `experiments.report.tunings`.
NOT_DRAWN = ("once", "oracle")


def draw(
    folder: Path,
    *,
    table: str = "curves",
    measures: Sequence[str] = ("test",),
    by_method: bool = False,
    x: str = "n_features",
    y: str = "",
    xlabel: str = "",
    ylabel: str = "",
    by: str = "",
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
    x, y, xlabel, ylabel, by : str
        If y is given, as :func:`with_intervals` takes them.
    """
    curves, axes = style.read_table(folder / f"{table}.csv"), (x, y, xlabel, ylabel, by)
    if "tuning" not in curves:
        return {"figure": with_intervals(folder, curves, *axes)}
    summary, figures = style.read_table(folder / "summary.csv"), {}
    is_curve = (curves["method"] != ALL_FEATURES) & curves["n_features"].notna()
    is_curve &= ~curves["tuning"].isin(NOT_DRAWN)
    for tuning, part in curves[is_curve].groupby("tuning", sort=False):
        best = style.of_all_rows(summary[summary["tuning"] == tuning])
        tuned = TUNINGS[str(tuning)]
        if y:
            figure = with_intervals(folder, style.without_variants(part), *axes)
        elif len(measures) == 2:
            figure = _gaps(folder, part, best, tuned)
        elif by_method:
            figure = _shares(folder, part)
        else:
            figure = _overlay(folder, part, best, tuned)
        figures[f"figure_{tuning}"] = figure
    return figures


def with_intervals(
    folder: Path, table: pd.DataFrame, x: str, y: str, xlabel: str, ylabel: str, by: str = ""
) -> Figure:
    """Return lines by method with 95 % intervals; the values of x are at equal distances.

    Parameters
    ----------
    folder : Path
    table : DataFrame
        Columns method, label, x, y, ci_low and ci_high.
    x, y, xlabel, ylabel : str
        The columns for the axes, and the labels of the axes.
    by : str
        A column whose values have a panel each; the column BY_label has their words.
    """
    colour_of = style.colours(folder, style.own_first(table))
    scale = 100 if is_percent(y) else 1
    parts = [part for _, part in table.groupby(by, sort=False)] if by else [table]
    height = 1.35 if len(parts) > 1 else 2.4
    figure, axes = style.panels(len(parts), 1, xlabel, ylabel, height=height)
    for axis, part in zip(axes, parts, strict=True):
        values = sorted(part[x].unique())
        part = part.assign(place=part[x].map(values.index))
        bars = scale * part[["ci_low", "ci_high"]]
        handles = _lines(axis, part, colour_of, "place", scale * part[y], bars)
        axis.set_xticks(range(len(values)), [f"{value:g}" for value in values])
        axis.set_title(part[f"{by}_label"].iloc[0] if by else "", fontsize=8)
    bar = style.handle("95 % interval", color=style.DARK, alpha=0.5, linewidth=1)
    what = ylabel[:1].lower() + ylabel[1:].removesuffix(" (%)")
    return style.finish(figure, folder, what, [*handles, bar])


def _gaps(folder, curves, best, tuned) -> Figure:
    """A panel for each method: validation solid and test dashed, and the area between them."""
    curves = style.of_all_rows(style.of_paper(folder, curves))
    curves = style.alike(curves, "n_features", ["validation_mean", "test_mean"])
    handles = [
        style.handle("validation", color=style.DARK),
        style.handle("test", color=style.DARK, linestyle=style.DASHED),
        style.band("gap between them", style.DARK, 0.2),
    ]
    everything = best.loc[best["method"] == ALL_FEATURES, "accuracy"]
    columns = 4 if curves["method"].nunique() > 6 else 3
    figure, panels = _method_panels(curves, "Accuracy (%)", columns, 1.7)
    for axis, own, label, color in panels:
        x, validation, test = (own[k] for k in ("n_features", "validation_mean", "test_mean"))
        validation, test = 100 * validation, 100 * test
        axis.fill_between(x, test, validation, color=color, alpha=0.2, linewidth=0)
        axis.plot(x, validation, color=color)
        axis.plot(x, test, color=color, linestyle=style.DASHED)
        for level in everything:
            axis.axhline(100 * level, color=style.GREY, **_DOTTED)
        gap = (validation - test).mean()
        words = f"{label}\nbest test {test.max():.1f} %, gap {gap:.1f}"
        axis.set_title(words, color=color, fontsize=8)
    if len(everything):
        handles.append(style.handle("test, SVM on all features", color=style.GREY, **_DOTTED))
    return style.finish(figure, folder, f"validation and test accuracy ({tuned})", handles)


def _shares(folder, curves) -> Figure:
    """A panel for each method: test accuracy ranked from all rows and from fewer."""
    curves = style.of_paper(folder, curves)
    samples = curves.groupby("ranking_share")["ranking_samples"].max().sort_index()[::-1]
    looks = [(style.DARK, "-"), (style.BLUE, style.DASHED), (style.GREY, ":")]
    look_of = dict(zip(samples.index, looks, strict=False))
    handles: list[Artist] = [
        style.handle(f"ranked from {samples[share]:.0f} rows", color=color, linestyle=dashes)
        for share, (color, dashes) in look_of.items()
    ]
    handles.append(style.band("± one standard deviation over the splits"))
    figure, panels = _method_panels(curves, "Test accuracy (%)", 3, 1.5)
    for axis, own, label, own_color in panels:
        best = []
        for share, (color, dashes) in look_of.items():
            part = own[own["ranking_share"] == share]
            x, mean, std = part["n_features"], 100 * part["test_mean"], 100 * part["test_std"]
            ends = (mean - std).clip(0, 100), (mean + std).clip(0, 100)
            axis.fill_between(x, *ends, color=color, alpha=0.2, linewidth=0)
            axis.plot(x, mean, color=color, linestyle=dashes)
            best.append(f"{mean.max():.1f} %")
        axis.set_title(f"{label}, best {', '.join(best)}", color=own_color, fontsize=8)
    words = " and from ".join(f"{n:.0f}" for n in samples)
    return style.finish(figure, folder, f"test accuracy, ranked from {words} rows", handles)


def _method_panels(curves, ylabel, columns, height):
    """A figure, and for each method its panel, rows, label and colour."""
    labels = style.labels_of(curves)
    figure, axes = style.panels(len(labels), 0.65, "Number of features", ylabel, columns, height)
    panels = []
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        own = curves[curves["method"] == method].sort_values("n_features")
        color = style.STRONG if style.is_own(method) else style.DARK
        style.number_axis(axis, own["n_features"])
        panels.append((axis, own, fill(label, 112 // columns), color))
    return figure, panels


def _overlay(folder, curves, best, tuned) -> Figure:
    """All methods in one panel, and their best accuracies with intervals on the right."""
    curves = style.without_variants(style.of_all_rows(curves))
    curves = style.alike(curves, "n_features", ["test_mean"])
    labels = style.labels_of(curves)
    colour_of = style.colours(folder, style.own_first(curves))
    best = best[best["method"].isin([*labels, ALL_FEATURES])]
    best = best.assign(label=best["method"].map(labels).fillna("SVM, all features"))
    size = (style.TEXT, 0.19 * len(best) + 1.5)
    figure, (left, right) = plt.subplots(1, 2, figsize=size, width_ratios=[1.4, 1])
    handles = _lines(left, curves, colour_of, "n_features", 100 * curves["test_mean"])
    for level in 100 * best.loc[best["method"] == ALL_FEATURES, "accuracy"]:
        left.axhline(level, color=style.DARK, **_DOTTED)
        handles.append(style.handle("SVM, all features", color=style.DARK, **_DOTTED))
    left.set_title("Mean over the splits")
    left.set(xlabel="Number of features", ylabel="Test accuracy (%)")
    style.number_axis(left, curves["n_features"], steps=(1, 3))
    rows(right, best.sort_values("accuracy", ascending=False, kind="stable"), "accuracy", colour_of)
    right.set_title("Best" + (", 95 % interval" if best["ci_low"].notna().any() else ""))
    right.set_xlabel("Test accuracy (%)")
    return style.finish(figure, folder, f"test accuracy ({tuned})", handles)


def _lines(axis: Axes, table: pd.DataFrame, colour_of, x: str, y, bars=None) -> list[Artist]:
    """A line for each method that has a colour, and an area with the lines of all others."""
    table = table.assign(y=y)
    is_other = table["method"].map(colour_of) == style.GREY
    found: list[Artist] = []
    labels = style.labels_of(table)
    for name in style.own_first(table[~is_other]):
        own, color = table[table["method"] == name].sort_values(x), colour_of[name]
        line: dict[str, Any] = {**style.look(name, color), "label": labels[name]}
        if bars is not None or own[x].nunique() <= _FEW:
            line |= {"marker": "o", "markersize": 3}
        found += axis.plot(own[x], own["y"], **line)
        if bars is not None:
            axis.vlines(own[x], *bars.loc[own.index].to_numpy().T, color=color, alpha=0.5)
    if is_other.any():
        ends = table[is_other].groupby(x)["y"].agg(["min", "max"])
        names = ", ".join(style.labels_of(table[is_other]).values())
        area: dict[str, Any] = {"color": style.GREY, "alpha": 0.4, "linewidth": 0, "zorder": 1}
        area["label"] = fill(f"between the lines of {names}", 60)
        found.append(axis.fill_between(ends.index, ends["min"], ends["max"], **area))
    axis.grid(axis="y")
    return found
