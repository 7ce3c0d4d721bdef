"""Images of several classes as ManiFeSt sees them; the accuracy of all methods.

The upper figure has a sample of each class, the leading eigenvectors of M and of the D of each
class, and the score with the best pixels circled. Every eigenvector is divided by its largest
magnitude and has the sign of its entry of largest magnitude; eigenvalues stand above. The lower
figure has the test accuracy of each method at each number of features, with its 95 % interval over
the draws; methods whose points and intervals would cover one another share them.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures._forms import alike, without_variants
from experiments.report.figures.digits import INK, SIGNED, show, show_score
from experiments.report.figures.points import panels_of
from experiments.report.figures.style import TEXT, colours, methods, read_table
from experiments.report.names import STRONG, has_manifest

#: How many of the best pixels are circled, each in a panel.
CIRCLED = (20, 50)
_OF_D = (
    "Leading eigenvector of $D$ of each class against the others: dark is −1, light is 1\n"
    r"($\lambda > 0$: stronger in the class)"
)


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from accuracies.csv and any images.parquet."""
    images = folder / "images.parquet"
    table = read_table(folder / "accuracies.csv")
    table = table[table["ranking_share"] == table["ranking_share"].max()]
    colour_of = colours(folder, methods(table))
    colour_of |= {name: STRONG for name in colour_of if has_manifest(name)}
    figures = {"figure": _pictures(pd.read_parquet(images))} if images.is_file() else {}
    table = without_variants(table)
    labels = alike(table, ["n_features"], ["accuracy", "ci_low", "ci_high"])
    table = table[table["method"].isin(list(labels))]
    table = table.assign(label=table["method"].map(labels))
    figures["figure_accuracy"] = panels_of(
        table, ["n_features"], "accuracy", colour_of, "{} features"
    )
    return figures


def _pictures(images):
    of = {name: images[images["image"] == name] for name in ("sample", "mean", "difference")}
    score = images.loc[images["image"] == "score", "pixels"].iloc[0]
    n_classes = len(of["sample"])
    lines = -(-n_classes // 5)
    figure = plt.figure(figsize=(TEXT, 1.05 * 2 * lines + 2.4))
    (top,), (middle,), (bottom,) = figure.subfigures(
        3,
        1,
        squeeze=False,
        height_ratios=[lines, 1.2 * lines * of["difference"].shape[0] / n_classes, 2.2],
    )
    _row(top, of["sample"], "A sample of each class", lines, INK, scaled=False)
    _row(middle, of["difference"], _OF_D, lines, SIGNED)
    left, right = bottom.subfigures(1, 2, width_ratios=[1, 2.6])
    _row(left, of["mean"], "Eigenvectors of $M$\n(same colours)", len(of["mean"]), SIGNED)
    right.suptitle("Score, with the best pixels circled", fontsize=8)
    for axis, n in zip(right.subplots(1, len(CIRCLED)), CIRCLED, strict=True):
        _score(axis, score, n)
    return figure


def _row(figure, images, title, lines, colours, *, scaled=True):
    """Images side by side, on so many lines."""
    figure.suptitle(title, fontsize=8)
    axes = figure.subplots(lines, -(-len(images) // lines), squeeze=False)
    for axis in axes.flat[len(images) :]:
        axis.set_axis_off()
    for axis, row in zip(axes.flat, images.to_dict("records"), strict=False):
        named = "" if pd.isna(row["class"]) else f"{row['class']}: "
        over = rf"{named}$\lambda = {row['eigenvalue']:.1f}$" if scaled else ""
        show(axis, row["pixels"], colours, over, scaled=scaled)


def _score(axis, score, n):
    n = min(n, len(score) // 2)
    show_score(axis, score, f"best {n}")
    shape = axis.images[0].get_size()
    rows, columns = np.unravel_index(np.argsort(-score, kind="stable")[:n], shape)
    circle = {"marker": "o", "markersize": 4, "markerfacecolor": "none", "markeredgewidth": 0.6}
    axis.plot(columns, rows, linestyle="none", color="white", **circle)
