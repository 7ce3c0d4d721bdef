"""Draw the relevant features among the ten best of each method as boxes, and t-SNE.

The second figure has the test samples of the first draw, mapped to the plane; a good set of
features separates the classes.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures import style
from experiments.report.figures.style import BLUE, DARK, GREY, STRONG, TEXT

#: This method has a row of its own, because the paper reports it.
UNNORMALIZED = "manifest_unnormalized"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv and rows.parquet, and t-SNE from panels.csv and tsne.csv."""
    rows = pd.read_parquet(folder / "rows.parquet")
    summary = style.read_table(folder / "summary.csv")
    summary = summary[summary["correct"].notna()]
    extra = summary[summary["method"] == UNNORMALIZED]
    labels = style.labels_of(pd.concat([style.of_paper(folder, summary), extra]))
    rows = rows[rows["tuned"] & rows["method"].isin([*labels])]
    rows = rows.assign(label=rows["method"].map(labels))
    figures = {"figure": _boxes(folder, rows, labels)}
    if (folder / "tsne.csv").is_file():
        figures["figure_tsne"] = _tsne(folder)
    return figures


def _boxes(folder, rows, labels) -> Figure:
    """A box for each method, the largest mean above; methods of equal draws share one."""
    rows = rows.sort_values("method", key=lambda names: names.map([*labels].index), kind="stable")
    draws = style.alike(rows, "draw", ["correct"]).groupby("label", sort=False)["correct"]
    order = draws.mean().sort_values(kind="stable").index
    figure, axis = plt.subplots(figsize=(0.75 * TEXT, 0.28 * len(order) + 1.1))
    mean = {"marker": "o", "markersize": 4, "markeredgecolor": DARK, "markerfacecolor": "white"}
    boxes = axis.boxplot(
        [draws.get_group(label) for label in order],
        orientation="horizontal",
        widths=0.6,
        showmeans=True,
        patch_artist=True,
        medianprops={"color": BLUE, "linewidth": 2},
        meanprops={**mean, "zorder": 5},
        flierprops={"marker": ".", "markersize": 3, "markerfacecolor": GREY},
    )
    axis.set_yticks(range(1, len(order) + 1), order)
    for box, name in zip(boxes["boxes"], axis.get_yticklabels(), strict=True):
        is_own = name.get_text().startswith("ManiFeSt")
        box.set(facecolor=STRONG if is_own else GREY, alpha=0.5, linewidth=0.6)
        if is_own:
            name.set(color=STRONG, fontweight="bold")
    n_best = int(rows["relevant"].dropna().map(len).max())
    axis.set(xlim=(-0.2, n_best + 0.2), xlabel=f"Relevant features among the best {n_best}")
    axis.grid(axis="x")
    handles = [
        style.handle("median", color=BLUE, linewidth=2),
        style.dot("mean", DARK, markerfacecolor="white"),
        style.band("quartiles", alpha=0.5),
        style.handle("1.5 quartile ranges, points beyond", color=DARK, linewidth=0.8),
    ]
    what = f"relevant features found in {rows['draw'].nunique()} draws"
    return style.finish(figure, folder, what, handles)


def _tsne(folder) -> Figure:
    """The test samples of the first draw, a panel for each set of features."""
    panels, points = (style.read_table(folder / f"{stem}.csv") for stem in ("panels", "tsne"))
    figure, axes = plt.subplots(1, len(panels), figsize=(TEXT, 2.6), squeeze=False)
    handles: dict[str, Any] = {}
    for axis, panel in zip(axes.flat, panels.to_dict("records"), strict=True):
        of_panel = points[points["panel"] == panel["panel"]]
        looks = (("o", BLUE), ("^", style.YELLOW))
        for (marker, color), (label, part) in zip(looks, of_panel.groupby("class"), strict=True):
            look = {"marker": marker, "color": color, "label": f"class {label}"}
            dots = axis.scatter(part["x"], part["y"], s=6, linewidths=0, alpha=0.7, **look)
            handles[f"{label}"] = dots
        chosen = f"All {panel['n_selected']} features"
        if pd.notna(panel["correct"]):
            found = f"{panel['correct']:.0f} of {panel['n_relevant']} relevant features"
            chosen = f"{panel['label']}: {found}"
        if panel["mean_accuracy"] > 0:
            chosen += f"\n({100 * panel['mean_accuracy']:.1f} %)"
        axis.set_title(chosen, fontsize=8)
        axis.set(xticks=[], yticks=[])
    what = "t-SNE of the test samples of one draw (in brackets: mean accuracy)"
    return style.finish(figure, folder, what, handles.values())
