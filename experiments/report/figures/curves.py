"""Draw lines against the number of features or samples, or against a setting."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, LogLocator

from experiments.config import entry_of, family_of, is_own
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report.columns import TUNINGS, axis_label, is_percent
from experiments.report.figures import style
from experiments.report.figures.points import dots
from experiments.report.figures.style import BLUE, DARK, DASHED, DOTTED, GREY, STRONG

#: Tunings that a figure of their own compares.
NOT_DRAWN = ("once", "oracle")
#: Beside a table of the best, lines are drawn down to so many points below the lowest of them.
LOWER = 8


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
        Other axes, as :func:`with_intervals` takes them.
    """
    lines, axes = pd.read_csv(folder / f"{table}.csv"), (x, y, xlabel, ylabel, by)
    if "tuning" not in lines:
        return {"figure": with_intervals(folder, style.shown(folder, lines), *axes)}
    lines = lines[(lines["method"] != ALL_FEATURES) & ~lines["tuning"].isin(NOT_DRAWN)]
    all_rows = "ranking_share == ranking_share.max()"
    summary, figures = pd.read_csv(folder / "summary.csv"), {}
    for tuning, part in style.shown(folder, lines).groupby("tuning", sort=False):
        best = summary[summary["tuning"] == tuning]
        if x:
            figure = with_intervals(folder, part, *axes)
        elif by_method and len(measures) == 1:
            figure = _shares(folder, part, best)
        else:
            draw = _gaps if len(measures) == 2 else _overlay
            figure = draw(folder, part.query(all_rows), best.query(all_rows), TUNINGS[str(tuning)])
        figures[f"figure_{tuning}"] = figure
    return figures


def sweep(folder: Path, *, x: str, groups: Sequence[str] = ()) -> dict[str, Figure]:
    """Draw what a sweep measures against a setting that it changes.

    It is in sweep_mean.csv if the seed varies, else in sweep.csv.

    Parameters
    ----------
    x : str
        The column of the setting, which has numbers.
    groups : sequence of str
        Columns whose values have a panel each, such as the ways of tuning.
    """
    path = folder / "sweep_mean.csv"
    table = pd.read_csv(path if path.is_file() else folder / "sweep.csv").dropna(subset="mean")
    measure = table["measure"].iloc[0]
    labels = [entry_of(name).get("label") or name for name in table["method"]]
    table = table.rename(columns={"mean": measure}).assign(label=labels)
    if groups:
        table["panel_label"] = table["panel"] = table[groups].astype(str).agg(", ".join, axis=1)
    axes = (x, measure, x, axis_label(measure), "panel" if groups else "")
    return {"sweep": with_intervals("", table, *axes)}


def with_intervals(
    run: Path | str, table: pd.DataFrame, x: str, y: str, xlabel: str, ylabel: str, by: str = ""
) -> Figure:
    """Return lines by method with 95 % intervals; the values of x are at equal distances.

    Parameters
    ----------
    run : Path or str
        The folder of the run, or a title.
    table : DataFrame
        Columns method, label, x, y, ci_low and ci_high.
    x, y, xlabel, ylabel : str
        The columns for the axes, and the labels of the axes.
    by : str
        A column whose values have a panel each; the column BY_label has their words.
    """
    colour_of = style.colours(style.own_first(table))
    scale = 100 if is_percent(y) else 1
    parts = [part for _, part in table.groupby(by, sort=False)] if by else [table]
    figure, axes = style.panels(len(parts), xlabel, ylabel, height=1.5 if by else 2.6)
    for axis, part in zip(axes, parts, strict=True):
        values = sorted(part[x].unique())
        ends = {"low": scale * part["ci_low"], "high": scale * part["ci_high"]}
        part = part.assign(x=part[x].map(values.index), y=scale * part[y], **ends)
        handles = _lines(axis, part, colour_of)
        axis.set_xticks(range(len(values)), [f"{value:g}" for value in values])
        axis.set_title(part[f"{by}_label"].iloc[0] if by else "")
    handles.append(style.handle("95 % interval", DARK, alpha=0.5, linewidth=1))
    return style.finish(figure, run, ylabel[0].lower() + ylabel[1:].removesuffix(" (%)"), handles)


def _gaps(folder, table, best, tuned) -> Figure:
    """A panel for each method: validation and test accuracy, and the gap between them."""
    validation, test = 100 * table["validation_mean"], 100 * table["test_mean"]
    lines = [
        ("validation", {}, table.assign(y=validation, low=test, high=validation)),
        ("test", {"linestyle": DASHED}, table.assign(y=test, low=test, high=test)),
    ]

    def title(method):
        row = best.set_index("method").loc[method]
        gap = (validation - test)[table["method"] == method].mean()
        accuracy, *ends = 100 * row[["accuracy", "ci_low", "ci_high"]]
        return f"{word} {accuracy:.1f} % [{ends[0]:.0f}, {ends[1]:.0f}]\nmean gap {gap:.1f} points"

    # Nested, inner folds choose the number of features in each split: it is not the best of a line.
    word = "nested" if tuned == TUNINGS["nested"] else "best"
    figure, handles = _by_method(folder, lines, [best], "gap between them", title)
    handles.append(style.dot(f"{word}, on its 95 % interval", DARK))
    handles += _all_features(figure.axes, best)
    return style.finish(figure, folder, f"validation and test accuracy ({tuned})", handles)


def _shares(folder, table, best) -> Figure:
    """A panel for each method: test accuracy ranked from all rows and from fewer."""
    mean, std = 100 * table["test_mean"], 100 * table["test_std"]
    table = table.assign(y=mean, low=(mean - std).clip(0), high=(mean + std).clip(upper=100))
    parts = [part for _, part in table.groupby("ranking_share")][::-1]
    bests = [part for _, part in best.groupby("ranking_share")][::-1]
    rows = [f"{part['ranking_samples'].max():.0f}" for part in parts]
    looks = [{"color": DARK}, {"color": BLUE, "linestyle": DASHED}, {"color": GREY}]
    lines = zip([f"ranked from {n} rows" for n in rows], looks, parts, strict=False)

    def title(method):
        values = [100 * part.set_index("method").loc[method, "accuracy"] for part in bests]
        fewer = [f"{value:.1f} % from {n} rows" for value, n in zip(values, rows, strict=True)][1:]
        return "\n".join([f"best {values[0]:.1f} %", *fewer])

    figure, handles = _by_method(
        folder, [*lines], bests, "± one standard deviation over the splits", title
    )
    handles.append(style.dot("best, on its 95 % interval", DARK))
    what = f"test accuracy, ranked from {' and from '.join(rows)} rows"
    return style.finish(figure, folder, what, handles)


def _by_method(folder, lines, bests, area, title):
    """A panel for each method, or for methods with the same lines, and the handles of a legend.

    Lines of a look are drawn on an area, and the best point of each line on its interval.
    """
    labels = _of_equal(style.labels_of(style.of_paper(folder, lines[0][-1])), lines)
    columns = 4 if len(labels) > 6 else 3
    figure, axes = style.panels(len(labels), "Number of features", "Accuracy (%)", columns, 1.7)
    for axis, (method, label) in zip(axes, labels.items(), strict=True):
        tone = STRONG if is_own(method) else DARK
        for _, look, table in lines:
            own = table[table["method"] == method].sort_values("n_features")
            x, mean, low, high = own[["n_features", "y", "low", "high"]].to_numpy().T
            axis.plot(x, mean, **{"color": tone, **look})
            axis.fill_between(x, low, high, color=look.get("color", tone), alpha=0.2, linewidth=0)
        for (_, look, _), best in zip(lines[-len(bests) :], bests, strict=True):
            point = best[best["method"] == method]
            ends, color = 100 * point[["ci_low", "ci_high"]].T.to_numpy(), look.get("color", tone)
            axis.vlines(point["n_features"], *ends, color=color, alpha=0.5, linewidth=3)
            axis.plot(point["n_features"], 100 * point["accuracy"], "o", color=color, markersize=4)
        axis.set_title(f"{fill(label, 90 // columns)}\n{title(method)}", color=tone)
        _of_numbers(axis)
    handles = [style.handle(words, **{"color": DARK, **look}) for words, look, _ in lines]
    return figure, [*handles, style.handle(area, DARK, alpha=0.2, linewidth=8)]


def _of_equal(labels, lines) -> dict[str, str]:
    """Return the first of the methods that have the same lines, with the labels of all."""
    values = pd.concat([table.sort_values("n_features") for _, _, table in lines])
    values = values.groupby("method")["y"].agg(tuple)[[*labels]]
    return {
        names.index[0]: ", ".join(names.index.map(labels))
        for _, names in values.groupby(values, sort=False)
    }


def _overlay(folder, table, best, tuned) -> Figure:
    """All methods in one panel, and their best accuracies with intervals on the right."""
    colour_of = style.colours(style.own_first(table))
    best = best[best["method"].isin([*colour_of, ALL_FEATURES])]
    best = best.assign(color=best["method"].map(colour_of).replace(GREY, DARK).fillna(DARK))
    size = (style.TEXT, 0.19 * len(best) + 1.8)
    figure, (left, right) = plt.subplots(1, 2, figsize=size, width_ratios=[1.4, 1])
    table = table.assign(x=table["n_features"], y=100 * table["test_mean"])
    handles = [*_lines(left, table, colour_of), *_all_features([left], best)]
    left.set(xlabel="Number of features", ylabel="Test accuracy (%)", title="Mean over the splits")
    # Where few features are much worse, the differences between the best are not seen.
    lowest = 100 * best["accuracy"].min() - LOWER
    left.set_ylim(bottom=max(lowest, left.get_ylim()[0]))
    _of_numbers(left)
    dots(right, best.sort_values("accuracy", ascending=False, kind="stable"), "accuracy")
    right.set(xlabel="Test accuracy (%)", title="Best, 95 % interval")
    return style.finish(figure, folder, f"test accuracy ({tuned})", handles)


def _of_numbers(axis) -> None:
    """Make the x axis logarithmic, with all powers of ten; others between them if it is short."""
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(numticks=9))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter(LogFormatter())


def _all_features(axes, best) -> list[Artist]:
    """Draw the accuracy of an SVM on all features, if it is known, and return its handle."""
    levels = 100 * best.loc[best["method"] == ALL_FEATURES, "accuracy"]
    for axis, level in product(axes, levels):
        axis.axhline(level, **DOTTED)
    return [style.handle("SVM on all features", **DOTTED) for _ in levels]


def _lines(axis, table, colour_of) -> list[Artist]:
    """A line of x and y for each method with a colour, and an area with the lines of all others."""
    is_other = table["method"].map(colour_of) == GREY
    found: list[Artist] = []
    for name in style.own_first(table[~is_other]):
        own, color = table[table["method"] == name].sort_values("x"), colour_of[name]
        family = family_of(name)
        look: dict[str, Any] = {"linewidth": 2.2, "zorder": 4} if family == "manifest" else {}
        look["linestyle"] = DASHED if family == "sum" else "-"
        look |= {"color": color, "label": own["label"].iloc[0], "marker": "o", "markersize": 2.5}
        found += axis.plot(own["x"], own["y"], **look)
        if "low" in own:
            axis.vlines(own["x"], own["low"], own["high"], color=color, alpha=0.5)
    if is_other.any():
        ends = table[is_other].groupby("x")["y"].agg(["min", "max"])
        names = ", ".join(style.labels_of(table[is_other]).values())
        label = fill(f"between the lines of {names}", 48)
        area: dict[str, Any] = {"color": GREY, "alpha": 0.4, "linewidth": 0, "label": label}
        found.append(axis.fill_between(ends.index, ends["min"], ends["max"], **area))
    return found
