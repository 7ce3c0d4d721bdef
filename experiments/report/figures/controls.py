"""Draw what results rest on: rankings by shuffled labels, and a score with one thing changed."""

from itertools import cycle
from pathlib import Path
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.config import entry_of, family_of, is_own
from experiments.report.columns import axis_label, measure_of
from experiments.report.figures import style
from experiments.report.figures.points import best_first, dots, panels_of_dots
from experiments.report.figures.style import BAR, BLUE, DARK, STRONG, TEXT
from experiments.report.stored import provenance_of

#: Differences of an ablation are drawn up to so many margins.
MOST = 6.0


def controls(folder: Path) -> dict[str, Figure]:
    """Draw the methods of a run with its controls; hollow points are rankings by shuffled labels.

    There is a panel for each case, or for each number of samples that rank.
    """
    names = provenance_of(folder)["config"]["controls"]
    means = pd.read_csv(folder / "summary.csv")
    measure = measure_of(means)
    if measure == "mean_rank":  # Controls have no rank.
        measure = "accuracy"
    means = means.dropna(subset=measure)
    if "tuning" in means:
        means = means[means["tuning"] == means["tuning"].iloc[0]]
    present = set(means["method"])
    origin_of = {}
    for name in names:
        entry = entry_of(name)
        if entry.get("blind") and entry["form_of"] in present:
            origin_of[name] = entry["form_of"]
    ours = [name for name in means["method"] if family_of(name) == "manifest"]
    drawn = [*names, *origin_of.values(), *ours]
    means = means[means["method"].isin(drawn)]
    labels = style.labels_of(means)
    means["is_hollow"] = means["method"].isin(origin_of)
    means["method"] = means["method"].replace(origin_of)
    means["label"] = means["method"].map(labels).fillna(means["label"])
    means["is_marked"] = means["method"].map(is_own)
    means["color"] = np.where(means["is_marked"], STRONG, DARK)
    order = best_first(means[~means["is_hollow"]], measure)
    if "case_label" in means:
        panels = style.parts_of(means, "case_label")
    else:
        panels = style.parts_of(means, "ranking_samples", "ranked from {} rows")
    figure = panels_of_dots(panels, measure, order)
    handles = _of_labels()
    if "ci_low" in means:
        handles.append(style.handle("95 % interval", DARK, **BAR))
    what = "simple filters, and rankings by shuffled labels"
    return {"figure_controls": style.finish(figure, folder, what, handles)}


def labels(folder: Path) -> dict[str, Figure]:
    """Draw labels.csv: what three methods find by true and by shuffled labels, on each problem."""
    table = pd.read_csv(folder / "labels.csv").dropna(subset=["true", "shuffled"])
    colour_of = style.colours(table["method"].unique())
    table["label"] = table["problem"]
    table["color"] = table["method"].map(colour_of)
    place = table["method"].map([*colour_of].index)
    table["shift"] = 0.22 * (place - 1)
    table["true"] *= 100 / table["most"]
    table["shuffled"] *= 100 / table["most"]
    is_share = table["unit"] == "%"
    measures = is_share.map({True: "accuracy", False: "recovered"})
    table["xlabel"] = measures.map(axis_label)
    panels = style.parts_of(table, "xlabel")
    heights = [rows["problem"].nunique() for rows in panels.values()]
    size = (TEXT, 0.36 * sum(heights) + 1.3)
    figure, axes = plt.subplots(len(panels), figsize=size, squeeze=False, height_ratios=heights)
    for axis, (xlabel, rows) in zip(axes.flat, panels.items(), strict=True):
        problems = [*rows["problem"].unique()]
        place = rows["problem"].map(problems.index) + rows["shift"]
        axis.hlines(place, rows["shuffled"], rows["true"], rows["color"], linewidth=1)
        dots(axis, rows, "true")
        dots(axis, rows.assign(is_hollow=True), "shuffled")
        axis.set_xlabel(xlabel)
    handles = [style.dot(entry_of(name)["label"], color) for name, color in colour_of.items()]
    handles += _of_labels()
    style.finish(figure, "True and shuffled labels", "what three rankings find", handles)
    return {"labels": figure}


def _of_labels() -> list[Line2D]:
    """The entries of a legend for full and for hollow points."""
    return [
        style.dot("ranked by the true labels", DARK),
        style.dot("by shuffled labels", DARK, markerfacecolor="white"),
    ]


def ablation(folder: Path) -> dict[str, Figure]:
    """Draw the score less each change of it, in units of the margin: a panel for each question."""
    pairs = pd.read_csv(folder / "pairs.csv").rename(columns={"part_label": "label"})
    changes = style.labels_of(pd.read_csv(folder / "summary.csv"))
    pairs["change"] = pairs["other"].map(changes)
    for name in ("difference", "ci_low", "ci_high"):
        pairs[name] /= pairs["margin"]
    order = [*pairs["label"].unique()]
    questions = [*pairs["question"].unique()]
    size = (TEXT, 0.155 * len(order) + 1.3)
    figure, axes = plt.subplots(1, len(questions), figsize=size, sharey=True, squeeze=False)
    for axis, question in zip(axes.flat, questions, strict=True):
        _question(axis, pairs[pairs["question"] == question], order)
        axis.set_title(question)
    handles = [
        style.handle("margin", "#E9E9E9", linewidth=8),
        style.handle("90 % interval", DARK, **BAR),
        style.dot("outside the panel", DARK, marker=">"),
    ]
    what = "the score less its change; what is right of the margin is needed"
    return {"figure": style.finish(figure, folder, what, handles)}


def _question(axis: Axes, pairs: pd.DataFrame, order: list[str]) -> None:
    """Draw the changes of one question, with arrows for those that lie outside the panel."""
    axis.axvspan(-1, 1, color="#E9E9E9", zorder=0)
    axis.axvline(0, color=DARK, linewidth=0.6)
    names = [*pairs["change"].unique()]
    tones = dict(zip(names, cycle([DARK, BLUE]), strict=False))
    place = pairs["change"].map(names.index)
    pairs = pairs.assign(shift=0.3 * place, color=pairs["change"].map(tones))
    is_outside = pairs["difference"].abs() > MOST
    pairs["ci_low"] = pairs["ci_low"].clip(-MOST, MOST)
    pairs["ci_high"] = pairs["ci_high"].clip(-MOST, MOST)
    dots(axis, pairs[~is_outside], "difference", order)
    for row in pairs[is_outside].to_dict("records"):
        y = order.index(row["label"]) + row["shift"]
        x = MOST if row["difference"] > 0 else -MOST
        arrow = ">" if row["difference"] > 0 else "<"
        axis.hlines(y, row["ci_low"], row["ci_high"], row["color"], **BAR)
        axis.plot(x, y, arrow, color=row["color"], markersize=4)
    axis.set(xlim=(-MOST - 0.8, MOST + 0.8), xlabel="margins")
    axis.tick_params(axis="y", labelsize=6.5)
    handles = [style.dot(fill(name, 22), tone) for name, tone in tones.items()]
    axis.legend(handles=handles, fontsize=6, loc="upper center", bbox_to_anchor=(0.5, -0.075))
