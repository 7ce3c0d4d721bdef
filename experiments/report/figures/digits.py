"""Two classes of images as the method sees them: samples, eigenvectors of M and D, the score.

Every eigenvector is divided by its largest magnitude, and it has the sign of its entry of largest
magnitude. Eigenvalues stand above the pictures; an eigenvalue of D is positive where the first
class is the stronger. Dashed frames on the score are the regions of regions.csv; below stand their
numbers, their names and their shares.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from experiments.report.figures.style import TEXT, read_table
from experiments.report.stored import read_rows

#: Colour maps that go from dark to light: signs are told apart in grey, with zero in the middle.
SIGNED, POSITIVE, INK = "cividis", "magma", "gray_r"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from rows.parquet, summary.csv and regions.csv, one figure for each pair of classes."""
    rows = read_rows(folder)
    rows = rows[rows["draw"] == 0]
    summary = read_table(folder / "summary.csv")
    regions = pd.read_csv(folder / "regions.csv")
    figures = {}
    for case in summary[~summary["failed"]].drop_duplicates(["class_1", "class_2"]).itertuples():
        pair = (rows["class_1"] == case.class_1) & (rows["class_2"] == case.class_2)
        images = rows[pair & rows["geometry"].isin(["", case.geometry])].set_index("image")
        here = regions[
            (regions["class_1"] == case.class_1)
            & (regions["class_2"] == case.class_2)
            & (regions["geometry"] == case.geometry)
        ]
        figures[f"figure_{case.class_1}_{case.class_2}"] = _figure(case, images, here)
    return figures


def _figure(case, images, regions):
    figure = plt.figure(figsize=(TEXT, 2.9))
    n_mean, n_difference = (
        images.index.str.startswith(prefix).sum() for prefix in ("mean_", "difference_")
    )
    columns = [max(1, (n + 1) // 2) for n in (n_mean, n_difference)]
    left, middle, further, right = figure.subfigures(
        1, 4, squeeze=False, width_ratios=[1.35, columns[0], columns[1] + 0.35, 2.4]
    )[0]
    sign = rf"$\lambda > 0$: stronger in {case.name_1}, $< 0$: in {case.name_2}"
    titles = ("Samples\n", "Eigenvectors of $M$\n", f"Eigenvectors of $D$\n{sign}", "Score\n")
    for subfigure, title in zip((left, middle, further, right), titles, strict=True):
        subfigure.suptitle(title, fontsize=8)
    _samples(left, case, images)
    _eigenvectors(middle, images, "mean", n_mean, columns[0])
    _eigenvectors(further, images, "difference", n_difference, columns[1])
    _score(right, images, regions)
    return figure


def _square(pixels):
    side = round(np.sqrt(len(pixels)))
    return np.asarray(pixels).reshape(side, -1)


def _bare(axis):
    axis.set_xticks([])
    axis.set_yticks([])
    axis.spines[:].set_visible(False)


def _samples(figure, case, images):
    axes = figure.subplots(2, 1)
    for axis, label, name in zip(
        axes, (case.class_1, case.class_2), (case.name_1, case.name_2), strict=True
    ):
        chosen = images.index.str.startswith(f"sample_{label}_")
        several = [_square(pixels) for pixels in images.loc[chosen, "pixels"]]
        width = min(4, len(several))
        several += [np.zeros_like(several[0])] * (-len(several) % width)
        lines = [np.hstack(several[i : i + width]) for i in range(0, len(several), width)]
        axis.imshow(np.vstack(lines), cmap=INK)
        axis.set_ylabel(name)
        _bare(axis)


def _eigenvectors(figure, images, which, n, n_columns):
    axes = figure.subplots(-(-n // n_columns), n_columns, squeeze=False)
    for axis in axes.flat[n:]:
        axis.set_visible(False)
    for i, axis in zip(range(1, n + 1), axes.flat, strict=False):
        row = images.loc[f"{which}_{i}"]
        axis.imshow(
            _square(row["pixels"]) / np.abs(row["pixels"]).max(), cmap=SIGNED, vmin=-1, vmax=1
        )
        axis.set_title(rf"$\lambda_{{{i}}} = {row['eigenvalue']:.1f}$", fontsize=7, pad=2)
        _bare(axis)
    if which == "difference":
        bar = figure.colorbar(axes[0, 0].images[0], ax=axes, shrink=0.9, pad=0.03, aspect=30)
        bar.set_ticks([-1, 0, 1])


def _score(figure, images, regions):
    axis = figure.subplots()
    score = _square(images.loc["score", "pixels"])
    shown = axis.imshow(score, cmap=POSITIVE, vmin=0)
    figure.colorbar(shown, ax=axis, shrink=0.85, pad=0.02)
    drawn_over = [withStroke(linewidth=1.4, foreground="black")]
    key = []
    for number, region in enumerate(regions.itertuples(), start=1):
        name = region.region.replace("_", " ")
        share = f"{100 * region.score:.0f} % of score, {100 * region.area:.0f} % of pixels"
        key += [f"{number} {name}: {share}"]
        for edges in region.rectangles.split():
            top, bottom, first, last = map(int, edges.split(","))
            axis.add_patch(
                Rectangle(
                    (first - 0.5, top - 0.5),
                    last - first + 1,
                    bottom - top + 1,
                    fill=False,
                    edgecolor="white",
                    linewidth=0.6,
                    linestyle=(0, (3, 2)),
                    path_effects=drawn_over,
                )
            )
            axis.text(
                first - 0.2,
                top - 0.3,
                str(number),
                color="white",
                fontsize=7,
                va="top",
                path_effects=drawn_over,
            )
    if key:
        figure.supxlabel("\n".join(key), fontsize=7)
    _bare(axis)
