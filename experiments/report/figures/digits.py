"""Draw samples of two classes of images, eigenvectors of M and D, and the score of each pixel.

Every eigenvector is divided by its largest magnitude, and its largest entry is positive.
Eigenvalues are above the pictures; an eigenvalue of D is positive if the first class is stronger.
Dashed frames on the score are the regions of regions.csv.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from experiments.report.figures import style
from experiments.report.stored import tables_in

#: Colour maps from dark to light, with zero in the middle, so that signs differ in grey as well.
SIGNED, POSITIVE, INK = "cividis", "magma", "gray_r"


def draw(folder: Path) -> dict[str, Figure]:
    """Draw a figure for each pair of classes from all that is stored, and any regions.csv."""
    rows = pd.concat(tables_in(folder).values())
    rows = rows[rows["draw"] == 0]
    summary = style.read_table(folder / "summary.csv")
    axes, path = ["class_1", "class_2", "geometry"], folder / "regions.csv"
    regions = pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=axes)
    figures = {}
    for case in summary[~summary["failed"]].drop_duplicates(axes[:2]).itertuples():
        own = (rows["class_1"] == case.class_1) & (rows["class_2"] == case.class_2)
        images = rows[own & rows["geometry"].isin(["", case.geometry])].set_index("image")
        of_case = (regions[axes] == [case.class_1, case.class_2, case.geometry]).all(axis=1)
        figure = _figure(case, images, regions[of_case])
        pair = f"{style.name_of(folder).partition(',')[0]}, {case.name_1} against {case.name_2}"
        what = "samples, eigenvectors of M and D, score of each pixel"
        style.finish(figure, folder, what, title=pair)
        figures[f"figure_{case.class_1}_{case.class_2}"] = figure
    return figures


def _figure(case, images, regions):
    figure = plt.figure(figsize=(style.TEXT, 2.9))
    mean, difference = (
        images[images.index.str.startswith(f"{o}_")] for o in ("mean", "difference")
    )
    columns = [max(1, (len(of) + 1) // 2) for of in (mean, difference)]
    widths = [1.35, columns[0], columns[1] + 0.35, 2.4]
    left, middle, further, right = figure.subfigures(1, 4, squeeze=False, width_ratios=widths)[0]
    sign = rf"$\lambda > 0$: stronger in {case.name_1}, $< 0$: in {case.name_2}"
    left.suptitle("Samples\n", fontsize=8)
    middle.suptitle("Eigenvectors of $M$\n(grey: of one sign)", fontsize=8)
    further.suptitle(f"Eigenvectors of $D$\n{sign}", fontsize=8)
    right.suptitle("Score\n", fontsize=8)
    _samples(left, case, images)
    _eigenvectors(middle, mean, columns[0])
    axes = _eigenvectors(further, difference, columns[1])
    bar = further.colorbar(axes[0, 0].images[0], ax=axes, shrink=0.9, pad=0.03, aspect=30)
    bar.set_ticks([-1, 0, 1])
    _score(right, images, regions)
    return figure


def _show(axis: Axes, pixels: np.ndarray, colours: str, title: str) -> None:
    """Draw a square image without ticks; an eigenvector of one sign in grey, by its magnitudes."""
    image = pixels.reshape(round(np.sqrt(pixels.size)), -1) if pixels.ndim == 1 else pixels
    if colours == SIGNED and image.min() * image.max() > 0:
        axis.imshow(np.abs(image), cmap=INK)
    elif colours == SIGNED:
        axis.imshow(image / np.abs(image).max(), cmap=SIGNED, vmin=-1, vmax=1)
    else:
        axis.imshow(image, cmap=colours, vmin=0 if colours == POSITIVE else None)
    axis.set_title(title, fontsize=7, pad=2)
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set_visible(False)


def _samples(figure, case, images):
    axes, names = figure.subplots(2, 1), {case.class_1: case.name_1, case.class_2: case.name_2}
    for axis, (label, name) in zip(axes, names.items(), strict=True):
        chosen = images.loc[images.index.str.startswith(f"sample_{label}_"), "pixels"]
        side = round(np.sqrt(len(chosen.iloc[0])))
        several = [pixels.reshape(side, -1) for pixels in chosen]
        width = min(4, len(several))
        several += [np.zeros_like(several[0])] * (-len(several) % width)
        lines = [np.hstack(several[i : i + width]) for i in range(0, len(several), width)]
        _show(axis, np.vstack(lines), INK, f"of class {name}")


def _eigenvectors(figure, images, n_columns):
    axes = figure.subplots(-(-len(images) // n_columns), n_columns, squeeze=False)
    for axis in axes.flat[len(images) :]:
        axis.set_visible(False)
    for i, (axis, row) in enumerate(zip(axes.flat, images.itertuples(), strict=False), start=1):
        title = rf"$\lambda_{{{i}}} = {row.eigenvalue:.1f}$"
        _show(axis, row.pixels, SIGNED, title)
    return axes


def _score(figure, images, regions):
    axis = figure.subplots()
    _show(axis, images.loc["score", "pixels"], POSITIVE, "")
    figure.colorbar(axis.images[0], ax=axis, shrink=0.85, pad=0.02)
    over: dict[str, Any] = {"path_effects": [withStroke(linewidth=1.4, foreground="black")]}
    frame = {**over, "fill": False, "edgecolor": "white", "linewidth": 0.6}
    key = []
    for number, region in enumerate(regions.itertuples(), start=1):
        name = region.region.replace("_", " ")
        share = f"{100 * region.score:.0f} % of score, {100 * region.area:.0f} % of pixels"
        key += [f"{number} {name}: {share}"]
        for edges in region.rectangles.split():
            top, bottom, first, last = map(int, edges.split(","))
            corner, width, height = (first - 0.5, top - 0.5), last - first + 1, bottom - top + 1
            axis.add_patch(Rectangle(corner, width, height, linestyle=(0, (3, 2)), **frame))
            at = {"x": first - 0.2, "y": top - 0.3, "va": "top"}
            axis.text(**at, s=str(number), color="white", fontsize=7, **over)
    if key:
        figure.supxlabel("\n".join(key), fontsize=7)
