"""Relevant features among the ten best of each method, the mean over the draws.

Features keep their own ranges, as in the paper. A relevant feature has a larger variance here, so
that ManiFeSt and the Laplacian score find it by its variance. In the second figure, t-SNE maps the
test samples of the first draw to the plane; a good set of features separates the classes. The
accuracy above a panel is the mean over all draws.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures._forms import alike, without_variants
from experiments.report.figures.points import panels_of
from experiments.report.figures.style import TEXT, colours, legend, read_table
from experiments.report.names import PALETTE
from experiments.report.stored import provenance_of

_MARKERS = ("o", "^")


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from summary.csv and rows.parquet, and t-SNE from panels.csv and tsne.csv."""
    rows, summary = pd.read_parquet(folder / "rows.parquet"), read_table(folder / "summary.csv")
    colour_of = colours(folder, summary["method"])
    rows = summary[["method", "label"]].merge(rows[rows["tuned"]], on="method")
    n_best = rows["relevant"].dropna().map(len).max()
    labels = alike(without_variants(rows), ["draw"], ["correct"])
    table = summary[summary["method"].isin(list(labels)) & summary["correct"].notna()]
    table = table.assign(label=table["method"].map(labels))
    figure = panels_of(table, [], "correct", colour_of)
    axis = figure.axes[0]
    axis.set(xlim=(0, n_best + 0.3), xlabel=f"Relevant features found (of {n_best:.0f})")
    if provenance_of(folder)["config"]["dataset"].get("scaling") != "standard":
        figure.supxlabel("Unscaled features: variance reveals relevance", fontsize=8)
    has_panels = (folder / "panels.csv").is_file() and (folder / "tsne.csv").is_file()
    return {"figure": figure} | ({"figure_tsne": _tsne(folder)} if has_panels else {})


def _tsne(folder) -> Figure:
    """The test samples of the first draw, a panel for each set of features."""
    panels, points = (read_table(folder / f"{stem}.csv") for stem in ("panels", "tsne"))
    figure, axes = plt.subplots(1, len(panels), figsize=(TEXT, 2.8), squeeze=False)
    handles = {}
    for axis, panel in zip(axes.flat, panels.to_dict("records"), strict=True):
        of_panel = points[points["panel"] == panel["panel"]]
        for number, (label, members) in enumerate(of_panel.groupby("class")):
            style = {"marker": _MARKERS[number % 2], "color": PALETTE[number % 2], "alpha": 0.7}
            handles[label] = axis.scatter(
                members["x"], members["y"], s=6, linewidths=0, label=f"class {label}", **style
            )
        chosen = f"all {panel['n_selected']} features"
        if pd.notna(panel["correct"]):
            chosen = f"{panel['correct']:.0f} of {panel['n_relevant']} relevant features"
        title = f"{panel['label']}:\n{chosen}"
        if panel["mean_accuracy"] > 0:
            title += f"\nSVM, mean of the draws: {100 * panel['mean_accuracy']:.1f} %"
        axis.set_title(title.replace("All features:\na", "A"))
        axis.set(xticks=[], yticks=[])
    axes[0, 0].set_ylabel("t-SNE of the test samples")
    legend(figure, handles.values())
    return figure
