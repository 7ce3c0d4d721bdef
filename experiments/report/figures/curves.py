"""Draw lines against the number of features or samples, or against a setting."""

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, LogLocator

from experiments.config import entry_of, family_of, is_own
from experiments.evaluation import tuning as tunings
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report.columns import TUNINGS, axis_label, is_percent
from experiments.report.figures import style
from experiments.report.figures.points import dots
from experiments.report.figures.style import BLUE, DARK, DASHED, DOTTED, GREY, STRONG

#: Beside a table of the best, lines are drawn down to so many points below the lowest of them.
LOWER = 8


class Line(NamedTuple):
    """A line that each method has: its label, its look, and its points."""

    label: str
    look: dict[str, Any]
    #: Columns n_features, y, low and high.
    table: pd.DataFrame
    #: The best point of each method, if it is drawn.
    best: pd.DataFrame | None = None


def curves(
    folder: Path,
    *,
    table: str = "curves",
    measures: Sequence[str] = ("test",),
    by_method: bool = False,
    x: str = "",
    y: str = "",
    xlabel: str = "",
    ylabel: str = "",
    by: str = "",
) -> dict[str, Figure]:
    """Draw accuracy against the number of features, or other axes, for each way of tuning.

    Parameters
    ----------
    table : str
        The name of the table.
    measures : sequence of {"validation", "test"}
        Two measures are drawn in a panel for each method, with the gap between them shaded.
    by_method : bool
        Draw a panel for each method, with a line for each share of the rows that rank.
    x, y, xlabel, ylabel, by : str
        Other axes, as of :func:`with_intervals`.
    """
    lines = style.shown(folder, pd.read_csv(folder / f"{table}.csv"))
    if "tuning" not in lines:
        return {"figure": with_intervals(folder, lines, x, y, xlabel, ylabel, by)}
    lines = lines[lines["method"] != ALL_FEATURES]
    pooled = [name for name, tuning in tunings.TUNINGS.items() if tuning.pooled]
    lines = lines[~lines["tuning"].isin(pooled)]  # They have a figure of their own.
    summary = pd.read_csv(folder / "summary.csv")
    all_rows = "ranking_share == ranking_share.max()"
    figures = {}
    for tuning, part in style.parts_of(lines, "tuning").items():
        best = summary[summary["tuning"] == tuning]
        if x:
            figure = with_intervals(folder, part, x, y, xlabel, ylabel, by)
        elif by_method and len(measures) == 1:
            figure = _shares(folder, part, best)
        else:
            draw = _gaps if len(measures) == 2 else _overlay
            figure = draw(folder, part.query(all_rows), best.query(all_rows), TUNINGS[tuning])
        figures[f"figure_{tuning}"] = figure
    return figures


def sweep(folder: Path, *, x: str, groups: Sequence[str] = ()) -> dict[str, Figure]:
    """Draw what a sweep measures against a setting that it changes, the column x of numbers.

    It is in sweep_mean.csv if the seed varies, else in sweep.csv. The values of the columns
    `groups`, such as the ways of tuning, have a panel each.
    """
    path = folder / "sweep_mean.csv"
    if not path.is_file():
        path = folder / "sweep.csv"
    table = pd.read_csv(path).dropna(subset="mean")
    measure = table["measure"].iloc[0]
    labels = [entry_of(name).get("label") or name for name in table["method"]]
    table = table.rename(columns={"mean": measure}).assign(label=labels)
    if groups:
        table["panel_label"] = table[groups].astype(str).agg(", ".join, axis=1)
    by = "panel" if groups else ""
    return {"sweep": with_intervals("", table, x, measure, x, axis_label(measure), by)}


def with_intervals(
    run: Path | str, table: pd.DataFrame, x: str, y: str, xlabel: str, ylabel: str, by: str
) -> Figure:
    """Return lines by method with 95 % intervals; the values of x are at equal distances.

    Parameters
    ----------
    run : Path or str
        The folder of the run, or a title.
    table : DataFrame
        Columns method, label, x, y, ci_low and ci_high.
    x, y, xlabel, ylabel, by : str
        The columns and the labels of the axes; the values of the column BY_label have a panel each.
    """
    colour_of = style.colours(style.own_first(table))
    scale = 100 if is_percent(y) else 1
    panels = style.parts_of(table, f"{by}_label")
    height = 1.5 if by else 2.6
    figure, axes = style.panels(len(panels), xlabel, ylabel, height=height)
    for axis, (title, rows) in zip(axes, panels.items(), strict=True):
        values = sorted(rows[x].unique())
        rows = rows.assign(
            x=rows[x].map(values.index),
            y=scale * rows[y],
            low=scale * rows["ci_low"],
            high=scale * rows["ci_high"],
        )
        handles = _lines(axis, rows, colour_of)
        axis.set_xticks(range(len(values)), [f"{value:g}" for value in values])
        axis.set_title(title)
    handles.append(style.handle("95 % interval", DARK, alpha=0.5, linewidth=1))
    what = ylabel[0].lower() + ylabel[1:].removesuffix(" (%)")
    return style.finish(figure, run, what, handles)


def _gaps(folder: Path, table: pd.DataFrame, best: pd.DataFrame, tuned: str) -> Figure:
    """A panel for each method: validation and test accuracy, and the gap between them."""
    validation = 100 * table["validation_mean"]
    test = 100 * table["test_mean"]
    lines = [
        Line("validation", {}, table.assign(y=validation, low=test, high=validation)),
        Line("test", {"linestyle": DASHED}, table.assign(y=test, low=test, high=test), best),
    ]
    gaps = validation - test
    best_of = best.set_index("method")
    # Nested, inner folds choose the number of features in each split: it is not the best of a line.
    word = "nested" if tuned == TUNINGS["nested"] else "best"

    def title(method: str) -> str:
        gap = gaps[table["method"] == method].mean()
        accuracy, low, high = 100 * best_of.loc[method, ["accuracy", "ci_low", "ci_high"]]
        return f"{word} {accuracy:.1f} % [{low:.0f}, {high:.0f}]\nmean gap {gap:.1f} points"

    figure, handles = _by_method(folder, lines, "gap between them", title)
    handles.append(style.dot(f"{word}, on its 95 % interval", DARK))
    handles += _all_features(figure.axes, best)
    return style.finish(figure, folder, f"validation and test accuracy ({tuned})", handles)


def _shares(folder: Path, table: pd.DataFrame, best: pd.DataFrame) -> Figure:
    """A panel for each method: test accuracy ranked from all rows and from fewer."""
    mean = 100 * table["test_mean"]
    std = 100 * table["test_std"]
    low = (mean - std).clip(0)
    high = (mean + std).clip(upper=100)
    table = table.assign(y=mean, low=low, high=high)
    shares = sorted(table["ranking_share"].dropna().unique(), reverse=True)
    looks = [{"color": DARK}, {"color": BLUE, "linestyle": DASHED}, {"color": GREY}]
    numbers = []
    accuracies = []
    lines = []
    for share, look in zip(shares, looks, strict=False):
        rows = table[table["ranking_share"] == share]
        number = f"{rows['ranking_samples'].max():.0f}"
        best_of_share = best[best["ranking_share"] == share]
        numbers.append(number)
        accuracies.append(100 * best_of_share.set_index("method")["accuracy"])
        lines.append(Line(f"ranked from {number} rows", look, rows, best_of_share))

    def title(method: str) -> str:
        words = [f"best {accuracies[0][method]:.1f} %"]
        for number, accuracy in zip(numbers[1:], accuracies[1:], strict=True):
            words.append(f"{accuracy[method]:.1f} % from {number} rows")
        return "\n".join(words)

    figure, handles = _by_method(folder, lines, "± one standard deviation over the splits", title)
    handles.append(style.dot("best, on its 95 % interval", DARK))
    what = f"test accuracy, ranked from {' and from '.join(numbers)} rows"
    return style.finish(figure, folder, what, handles)


def _by_method(
    folder: Path, lines: list[Line], area: str, title: Callable[[str], str]
) -> tuple[Figure, list[Artist]]:
    """A panel for each method, or for methods with the same lines, and the handles of a legend.

    Lines of a look are drawn on an area, and the best point of each line on its interval.
    """
    points = pd.concat([line.table for line in lines])
    shown = style.of_paper(folder, lines[0].table)
    labels = style.of_equal(points, "y", style.labels_of(shown))
    columns = 4 if len(labels) > 6 else 3
    figure, axes = style.panels(len(labels), "Number of features", "Accuracy (%)", columns, 1.7)
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        tone = STRONG if is_own(method) else DARK
        for line in lines:
            look = {"color": tone, **line.look}
            rows = line.table[line.table["method"] == method].set_index("n_features")
            axis.plot(rows["y"], **look)
            shade: dict[str, Any] = {"color": look["color"], "alpha": 0.2, "linewidth": 0}
            axis.fill_between(rows.index, rows["low"], rows["high"], **shade)
        for line in lines:
            if line.best is not None:
                color = line.look.get("color", tone)
                _best_point(axis, line.best[line.best["method"] == method], color)
        axis.set_title(f"{fill(label, 90 // columns)}\n{title(method)}", color=tone)
        _of_numbers(axis)
    handles: list[Artist] = []
    for line in lines:
        handles.append(style.handle(line.label, **{"color": DARK, **line.look}))
    handles.append(style.handle(area, DARK, alpha=0.2, linewidth=8))
    return figure, handles


def _best_point(axis: Axes, best: pd.DataFrame, color: str) -> None:
    """Draw the best point of a method on its interval."""
    x = best["n_features"]
    low = 100 * best["ci_low"]
    high = 100 * best["ci_high"]
    axis.vlines(x, low, high, color=color, alpha=0.5, linewidth=3)
    axis.plot(x, 100 * best["accuracy"], "o", color=color, markersize=4)


def _overlay(folder: Path, table: pd.DataFrame, best: pd.DataFrame, tuned: str) -> Figure:
    """All methods in one panel, and their best accuracies with intervals on the right."""
    methods = style.own_first(table)
    colour_of = style.colours(methods)
    best = best[best["method"].isin([*methods, ALL_FEATURES])].copy()
    best["color"] = best["method"].map(colour_of).fillna(DARK)
    best["is_marked"] = best["method"].map(family_of) == "manifest"
    size = (style.TEXT, 0.19 * len(best) + 1.8)
    figure, (left, right) = plt.subplots(1, 2, figsize=size, width_ratios=[1.4, 1])
    table = table.assign(x=table["n_features"], y=100 * table["test_mean"])
    handles = _lines(left, table, colour_of)
    handles += _all_features([left], best)
    left.set(xlabel="Number of features", ylabel="Test accuracy (%)", title="Mean over the splits")
    # Where few features are much worse, the differences between the best are not seen.
    lowest = 100 * best["accuracy"].min() - LOWER
    left.set_ylim(bottom=max(lowest, left.get_ylim()[0]))
    _of_numbers(left)
    dots(right, best.sort_values("accuracy", ascending=False, kind="stable"), "accuracy")
    right.set(xlabel="Test accuracy (%)", title="Best, 95 % interval")
    return style.finish(figure, folder, f"test accuracy ({tuned})", handles)


def _of_numbers(axis: Axes) -> None:
    """Make the x axis logarithmic, with all powers of ten; others between them if it is short."""
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(numticks=9))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter(LogFormatter())


def _all_features(axes: list[Axes], best: pd.DataFrame) -> list[Artist]:
    """Draw the accuracy of an SVM on all features, if it is known, and return its handle."""
    levels = 100 * best.loc[best["method"] == ALL_FEATURES, "accuracy"]
    for axis in axes:
        for level in levels:
            axis.axhline(level, **DOTTED)
    return [style.handle("SVM on all features", **DOTTED) for _ in levels]


def _lines(axis: Axes, table: pd.DataFrame, colour_of: dict[str, str]) -> list[Artist]:
    """A line of x and y for each method with a colour, and an area with the lines of all others."""
    is_other = ~table["method"].isin(colour_of)
    handles: list[Artist] = []
    for name in style.own_first(table[~is_other]):
        points = table[table["method"] == name].sort_values("x")
        family = family_of(name)
        look: dict[str, Any] = {"linewidth": 2.2, "zorder": 4} if family == "manifest" else {}
        look["linestyle"] = DASHED if family == "sum" else "-"
        look["color"] = colour_of[name]
        look["label"] = points["label"].iloc[0]
        handles += axis.plot(points["x"], points["y"], marker="o", markersize=2.5, **look)
        if "low" in points:
            axis.vlines(points["x"], points["low"], points["high"], colour_of[name], alpha=0.5)
    if is_other.any():
        others = table[is_other]
        ends = others.groupby("x")["y"].agg(["min", "max"])
        names = ", ".join(style.labels_of(others).values())
        label = fill(f"between the lines of {names}", 48)
        area: dict[str, Any] = {"color": GREY, "alpha": 0.4, "linewidth": 0, "label": label}
        handles.append(axis.fill_between(ends.index, ends["min"], ends["max"], **area))
    return handles
