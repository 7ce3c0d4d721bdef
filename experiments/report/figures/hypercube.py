"""Draw the relevant features among the ten best of each method as boxes, and t-SNE.

The second figure has the test samples of the first draw, mapped to the plane; a good set of
features separates the classes.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures.style import (
    BLUE,
    DARK,
    GREY,
    STRONG,
    TEXT,
    band,
    dot,
    handle,
    labels_of,
    legend,
    name_of,
    of_paper,
    read_table,
    set_title,
)

#: This method has a row of its own, because the paper reports it.
UNNORMALIZED = "manifest_unnormalized"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv and rows.parquet, and t-SNE from panels.csv and tsne.csv."""
    rows, summary = pd.read_parquet(folder / "rows.parquet"), read_table(folder / "summary.csv")
    summary = summary[summary["correct"].notna()]
    extra = summary[summary["method"] == UNNORMALIZED]
    shown = pd.concat([of_paper(folder, summary), extra]).drop_duplicates("method")
    figures = {"figure": _boxes(folder, rows[rows["tuned"]], labels_of(shown))}
    if (folder / "panels.csv").is_file() and (folder / "tsne.csv").is_file():
        figures["figure_tsne"] = _tsne(folder)
    return figures


def _boxes(folder, rows, labels) -> Figure:
    """A box for each method, the largest mean above; methods of equal draws share one."""
    values: dict[tuple, list[str]] = {}
    for name, label in labels.items():
        draws = rows[rows["method"] == name].sort_values("draw")["correct"]
        values.setdefault(tuple(draws), []).append(label)
    order = sorted(values, key=np.mean)
    names = [" = ".join(values[draws]) for draws in order]
    figure, axis = plt.subplots(figsize=(0.75 * TEXT, 0.28 * len(order) + 1.1))
    mean: dict[str, Any] = {"marker": "o", "markersize": 4, "markeredgecolor": DARK}
    boxes = axis.boxplot(
        order,
        orientation="horizontal",
        widths=0.6,
        showmeans=True,
        patch_artist=True,
        medianprops={"color": BLUE, "linewidth": 2},
        meanprops={**mean, "markerfacecolor": "white", "zorder": 5},
        flierprops={"marker": ".", "markersize": 3, "markerfacecolor": GREY},
    )
    for box, name in zip(boxes["boxes"], names, strict=True):
        color = STRONG if name.startswith("ManiFeSt") else GREY
        box.set(facecolor=color, alpha=0.5, linewidth=0.6)
    axis.set_yticks(range(1, len(names) + 1), names)
    for name in axis.get_yticklabels():
        if name.get_text().startswith("ManiFeSt"):
            name.set(color=STRONG, fontweight="bold")
    n_best = int(rows["relevant"].dropna().map(len).max())
    axis.set(xlim=(-0.2, n_best + 0.2), xlabel=f"Relevant features among the best {n_best}")
    axis.grid(axis="x")
    axis.set_axisbelow(True)
    handles = [
        handle("median", color=BLUE, linewidth=2),
        dot("mean", DARK, markerfacecolor="white"),
        band("quartiles", alpha=0.5),
        handle("1.5 quartile ranges, points beyond", color=DARK, linewidth=0.8),
    ]
    legend(figure, handles)
    n = rows["draw"].nunique()
    set_title(figure, name_of(folder), f"relevant features found in {n} draws")
    return figure


def _tsne(folder) -> Figure:
    """The test samples of the first draw, a panel for each set of features."""
    panels, points = (read_table(folder / f"{stem}.csv") for stem in ("panels", "tsne"))
    figure, axes = plt.subplots(1, len(panels), figsize=(TEXT, 2.6), squeeze=False)
    handles = {}
    for axis, panel in zip(axes.flat, panels.to_dict("records"), strict=True):
        of_panel = points[points["panel"] == panel["panel"]]
        for number, (label, members) in enumerate(of_panel.groupby("class")):
            style = {"marker": ("o", "^")[number % 2], "color": (BLUE, "#E69F00")[number % 2]}
            handles[label] = axis.scatter(
                members["x"],
                members["y"],
                s=6,
                linewidths=0,
                alpha=0.7,
                label=f"class {label}",
                **style,
            )
        chosen = f"all {panel['n_selected']} features"
        if pd.notna(panel["correct"]):
            chosen = f"{panel['correct']:.0f} of {panel['n_relevant']} relevant features"
            chosen = f"{panel['label']}: {chosen}"
        if panel["mean_accuracy"] > 0:
            chosen += f"\n({100 * panel['mean_accuracy']:.1f} %)"
        axis.set_title(chosen[:1].upper() + chosen[1:], fontsize=8)
        axis.set(xticks=[], yticks=[])
    legend(figure, handles.values())
    what = "t-SNE of the test samples of one draw (in brackets: mean accuracy)"
    set_title(figure, name_of(folder), what)
    return figure
