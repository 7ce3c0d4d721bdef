"""Draw points on their intervals: a row for each method, or for each part of an experiment."""

import math
from collections.abc import Collection
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.config import is_own
from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report.claims import PAPER, claims_in
from experiments.report.columns import (
    TUNINGS,
    axis_label,
    is_percent,
    measure_of,
    name_of,
    own_labels,
)
from experiments.report.figures import style
from experiments.report.figures.style import BAR, BLUE, DARK, DOTTED, GREEN, GREY, STRONG, TEXT
from experiments.report.tunings import SHOWN


def dots(
    axis: Axes, table: pd.DataFrame, measure: str, order: Collection[str] = (), marker: str = "o"
) -> None:
    """Draw points on their intervals in the rows of their labels, the first one above.

    Parameters
    ----------
    axis : Axes
    table : DataFrame
        A point for each row: the columns label, color, the measure and, if known, ci_low and
        ci_high, is_hollow, shift, how far below its row it is, and is_marked, whether its label is
        written in the colour of ManiFeSt.
    measure : str
        The column of the values; shares are drawn in percent.
    order : collection of str
        The labels of all rows, if they are not those of the table in its order.
    marker : str
    """
    order = list(order or table["label"].unique())
    place = table["label"].map(order.index) + table.get("shift", 0)
    scale = 100 if is_percent(measure) else 1
    colors = list(table["color"])
    if "ci_low" in table:
        low = scale * table["ci_low"]
        high = scale * table["ci_high"]
        axis.hlines(place, low, high, colors, **BAR)
    values = scale * table[measure]
    is_hollow = table.get("is_hollow", pd.Series(False, table.index))
    faces = table["color"].mask(is_hollow, "white")
    axis.scatter(values, place, 20, faces, marker=marker, edgecolors=colors, zorder=4)
    axis.set_yticks(range(len(order)), order)
    if "is_marked" in table:
        style.mark(axis, set(table.loc[table["is_marked"], "label"]))
    axis.set_ylim(len(order) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)


def best_first(table: pd.DataFrame, measure: str) -> list[str]:
    """Return the labels of a table by the mean of their measure, the largest first."""
    means = table.groupby("label", sort=False)[measure].mean()
    return list(means.sort_values(ascending=False, kind="stable").index)


def panels_of_dots(panels: dict[str, pd.DataFrame], measure: str, order: Collection[str]) -> Figure:
    """Draw points in a panel for each title, at most three in a row, with the same labels."""
    columns = min(3, len(panels))
    n_rows = math.ceil(len(panels) / columns)
    size = (TEXT, (0.19 * len(order) + 0.6) * n_rows + 0.4)
    figure, axes = plt.subplots(n_rows, columns, figsize=size, sharey=True, squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (title, rows) in zip(axes.flat, panels.items(), strict=False):
        dots(axis, rows, measure, order)
        axis.set(xlabel=axis_label(measure), title=title)
    return figure


def points(
    folder: Path, *, table: str = "summary", by: str = "", published: Collection[str] = ()
) -> dict[str, Figure]:
    """Draw the mean of each method in a table, from the best to the worst, for each way of tuning.

    The values of the column `by` have a panel each. Hollow points are the numbers that the entries
    `published` of results/paper.yaml have, in the rows of their methods.
    """
    means = style.shown(folder, pd.read_csv(folder / f"{table}.csv"))
    measure = measure_of(means)
    means["label"] = means["method"].map(style.labels_of(means))
    means["is_marked"] = means["method"].map(is_own)
    means["color"] = np.where(means["is_marked"], STRONG, DARK)
    means["is_hollow"] = False
    if published:
        means = pd.concat([means, _as_published(means, measure, published)])
    means = means.dropna(subset=measure)
    handles = [style.dot("mean with its 95 % interval", DARK)]
    if means["is_hollow"].any():
        handles.append(style.dot("published", DARK, markerfacecolor="white"))
    figures = {}
    for tuning, rows in style.parts_of(means, "tuning", "_{}").items():
        measured = rows[~rows["is_hollow"]]
        order = dict.fromkeys([*best_first(measured, measure), *rows["label"]])
        panels = style.parts_of(rows, by, f"{{}} {name_of(by)}")
        figure = panels_of_dots(panels, measure, order)
        style.finish(figure, folder, name_of(measure), handles)
        figures[f"figure{tuning}"] = figure
    return figures


def _as_published(means: pd.DataFrame, measure: str, entries: Collection[str]) -> pd.DataFrame:
    """Return the rows of methods with the accuracies that entries of paper.yaml have, hollow."""
    accuracy_of = {}
    for claim in claims_in(PAPER):
        if claim.entry in entries:
            accuracy_of[claim.arguments["method"]] = float(claim.published) / 100
    hollow = means.assign(is_hollow=True, ci_low=np.nan, ci_high=np.nan)
    hollow[measure] = hollow["method"].map(accuracy_of)
    return hollow


def arena(folder: Path) -> dict[str, Figure]:
    """Draw the mean rank and accuracy of each method over sources of data, held-out ones if any.

    The bars are as long as the critical difference of Nemenyi's test at 5 % (Demsar 2006): two
    methods differ significantly if their bars do not overlap. A single source has no figure.
    """
    ranks = pd.read_csv(folder / "ranks.csv")
    summary = pd.read_csv(folder / "summary.csv")
    ranks["is_marked"] = ranks["method"].map(is_own)
    ranks["color"] = np.where(ranks["is_marked"], STRONG, DARK)
    problems = ranks["problems"].iloc[0]
    is_together = ranks["n_train"].astype(str).eq("together")
    ranks = ranks[(ranks["problems"] == problems) & is_together]
    number = ranks["n_sources"].max()
    if not number > 1:
        return {}
    size = (TEXT, 0.17 * len(ranks) + 1.3)
    figure, (left, right) = plt.subplots(1, 2, figsize=size, sharey=True, width_ratios=[1.3, 1])
    half = ranks["critical_difference"] / 2
    low = ranks["mean_rank"] - half
    high = ranks["mean_rank"] + half
    dots(left, ranks.assign(ci_low=low, ci_high=high), "mean_rank")
    left.set_xlabel("Mean rank (1 is best)")
    dots(right, ranks, "accuracy")
    right.set_xlabel("Mean test accuracy (%)")
    words = "critical difference (5 %): methods differ if their bars do not overlap"
    handles = [style.handle(words, DARK, **BAR)]
    on_all = summary[summary["method"] == ALL_FEATURES]
    for label, level in zip(on_all["label"], 100 * on_all["accuracy"], strict=True):
        right.axvline(level, **DOTTED)
        handles.append(style.handle(f"{label}: {level:.1f} %", **DOTTED))
    held_out = "held-out " if problems == "held-out" else ""
    what = f"mean rank and accuracy over {number} {held_out}sources of data"
    return {"figure": style.finish(figure, folder, what, handles)}


def tuning(folder: Path) -> dict[str, Figure]:
    """Draw tuning.csv: accuracies on colon by the way of tuning, and hollow as published."""
    table = pd.read_csv(folder / "tuning.csv")
    figure, axis = plt.subplots(figsize=(TEXT, 0.36 * len(table) + 1.3))
    looks = ((GREY, "s"), (DARK, "o"), (BLUE, "^"), (GREEN, "D"))
    handles = []
    for place, (name, (color, marker)) in enumerate(zip(SHOWN, looks, strict=True)):
        rows = table.assign(
            color=color,
            shift=0.2 * (place - 1.5),
            ci_low=table[f"{name}_low"],
            ci_high=table[f"{name}_high"],
        )
        dots(axis, rows, name, marker=marker)
        handles.append(style.dot(f"{name}: {TUNINGS[name]}", color, marker=marker))
    published = table[["label", "published"]].assign(color=DARK, is_hollow=True)
    dots(axis, published, "published")
    style.mark(axis, own_labels(table))
    axis.set_xlabel("Test accuracy (%)")
    handles.append(style.dot("published (2023)", DARK, markerfacecolor="white"))
    handles.append(style.handle("95 % interval", DARK, **BAR))
    what = "test accuracy by how parameters are tuned, here and as published"
    return {"tuning": style.finish(figure, "Colon", what, handles)}
