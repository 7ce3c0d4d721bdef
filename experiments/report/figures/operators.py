"""Draw M and D: in the cone of 2 x 2 matrices, and by their eigenvectors on images."""

from math import isqrt
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from experiments.report.figures import style
from experiments.report.figures.style import BLUE, DARK, GREY, STRONG
from experiments.report.stored import provenance_of, tables_in

#: The places of pictures, and their widths.
PLACES: Any = [
    ["sample_1", "mean_1", "difference_1", "difference_2", "score"],
    ["sample_2", "mean_2", "difference_3", "difference_4", "score"],
]
WIDTHS = [1.35, 1, 1, 1, 2.2]
#: The eigenvectors among them -> their operator and eigenvalue.
EIGENVECTORS = {f"mean_{i}": rf"$M$: $\lambda_{i}" for i in (1, 2)}
EIGENVECTORS |= {f"difference_{i}": rf"$D$: $\lambda_{i}" for i in range(1, 5)}
#: Colour maps from dark to light, with zero in the middle, so that signs differ in grey as well.
SIGNED, POSITIVE, INK = "cividis", "magma", "gray_r"


def operators(folder: Path) -> dict[str, Figure]:
    """Draw M and D of two SPD matrices in the cone of 2 x 2 SPD matrices, from points.csv.

    Symmetric 2 x 2 matrices are points in space, and the positive definite ones fill a cone. Both
    kernels are on the sheet of matrices with their determinant (blue), and so are the geodesic
    between them and its midpoint M. D is an arrow in the tangent plane at M (orange). Dashed lines
    are the exponential map, which takes the tips of D and -D to the kernels.
    """
    table = pd.read_csv(folder / "points.csv").groupby("part")
    at = {name: part[["x", "y", "z"]].to_numpy() for name, part in table}
    figure = plt.figure(figsize=(0.75 * style.TEXT, 2.85))
    space: Any = figure.subfigures()
    axis = space.add_axes((-0.1, -0.42, 1.2, 1.62), projection="3d", computed_zorder=False)
    rim, corners = at["rim_of_cone"], at["tangent_plane"]
    wall, sheet = np.stack([0 * rim, rim]), at["sheet"].reshape(-1, len(rim), 3)
    flat: dict[str, Any] = {"linewidth": 0, "shade": False, "rcount": 99, "ccount": 99}
    for surface, color, alpha in ((wall, GREY, 0.2), (sheet, BLUE, 0.2)):
        axis.plot_surface(*surface.transpose(2, 0, 1), color=color, alpha=alpha, zorder=1, **flat)
        axis.plot(*surface[-1].T, color=color, linewidth=0.7, zorder=1)
    plane = corners[[[0, 1], [3, 2]]].transpose(2, 0, 1)
    axis.plot_surface(*plane, color=STRONG, alpha=0.25, zorder=2, **flat)
    axis.plot(*at["geodesic"].T, color=BLUE, linewidth=1.8, zorder=4)
    over: dict[str, Any] = {"ha": "center", "zorder": 7}
    x, y, z = corners[np.argsort(corners[:, 2])[:2]].mean(axis=0)  # the middle of the lowest edge
    axis.text(x, y, z + 0.08, "tangent plane at $M$", color=STRONG, fontsize=7, **over)
    for name, tip, kernel in (("$D$", "tip_of_D", "K1"), ("$-D$", "tip_of_minus_D", "K2")):
        arrow = (at[tip] - at["M"])[0]
        axis.quiver(*at["M"][0], *arrow, color=STRONG, arrow_length_ratio=0.12, zorder=5)
        axis.plot(*np.vstack([at[tip], at[kernel]]).T, "--", color=DARK, linewidth=0.7, zorder=3)
        axis.text(*(at["M"][0] + arrow / 2 - [0, 0, 0.28]), name, color=STRONG, **over)
    for name, label in (("K1", "$K_1$"), ("K2", "$K_2$"), ("M", "$M$")):
        axis.plot(*at[name].T, "o", color=DARK, markersize=3.5, zorder=6)
        axis.text(*(at[name][0] + [0, 0, 0.14]), label, **over)
    axis.set_axis_off()
    low, high = wall.reshape(-1, 3).min(axis=0), wall.reshape(-1, 3).max(axis=0)
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axis.set_box_aspect(high - low, zoom=1.3)
    axis.view_init(elev=-10, azim=95)
    handles = [
        style.handle("geodesic", BLUE, linewidth=1.8),
        style.handle("$D$ and $-D$", STRONG),
        style.handle("exponential map at $M$", DARK, linestyle="--", linewidth=0.7),
        style.handle("singular matrices", GREY, linewidth=0.8),
    ]
    what = "two kernels, their mean and their difference"
    return {"figure": style.finish(figure, folder, what, handles)}


def digits(folder: Path) -> dict[str, Figure]:
    """Draw samples of two classes of images, eigenvectors of M and D, and the score of each pixel.

    Every eigenvector is divided by its largest magnitude, and its largest entry is positive. Values
    are above the pictures; an eigenvalue of D is positive if the first class is stronger. Dashed
    frames are the regions of regions.csv, if there are any.
    """
    stored = pd.concat(tables_in(folder).values())
    stored = stored[stored["draw"] == 0]
    summary, path = pd.read_csv(folder / "summary.csv"), folder / "regions.csv"
    regions = pd.read_csv(path) if path.is_file() else summary.head(0)
    run, figures = provenance_of(folder)["config"]["title"].partition(",")[0], {}
    for case in summary[~summary["failed"]].itertuples():
        pair = f"class_1 == {case.class_1} and class_2 == {case.class_2}"
        figure = _pictures(case, stored.query(pair).set_index("image"), regions.query(pair))
        title = f"{run}, {case.name_1} against {case.name_2}"
        style.finish(figure, title, "samples, eigenvectors of M and D, score")
        figures[f"figure_{case.class_1}_{case.class_2}"] = figure
    return figures


def _pictures(case, images, regions) -> Figure:
    figure, axes = plt.subplot_mosaic(PLACES, figsize=(style.TEXT, 2.9), width_ratios=WIDTHS)
    for axis in axes.values():
        axis.set_axis_off()
    side = isqrt(len(images.loc["score", "pixels"]))
    for place, label, name in ((1, case.class_1, case.name_1), (2, case.class_2, case.name_2)):
        names = [f"sample_{label}_{number}" for number in range(len(images))]
        chosen = images.loc[images.index.isin(names), "pixels"]
        rows = np.stack(chosen).reshape(-1, 4, side, side)
        axes[f"sample_{place}"].imshow(np.vstack([np.hstack([*row]) for row in rows]), cmap=INK)
        axes[f"sample_{place}"].set_title(f"Samples of {name}")
    for name, symbols in EIGENVECTORS.items():
        row = images.loc[name]
        image = row["pixels"].reshape(side, side)
        if image.min() * image.max() > 0:
            axes[name].imshow(np.abs(image), cmap=INK)
        else:
            axes[name].imshow(image / np.abs(image).max(), cmap=SIGNED, vmin=-1, vmax=1)
        axes[name].set_title(f"{symbols} = {row['eigenvalue']:.1f}$")
    of_difference = [axes[f"difference_{i}"] for i in range(1, 5)]
    shown = ScalarMappable(Normalize(-1, 1), SIGNED)
    figure.colorbar(shown, ax=of_difference, ticks=[-1, 0, 1], shrink=0.9, pad=0.03, aspect=30)
    axis, score = axes["score"], images.loc["score", "pixels"].reshape(side, side)
    shown = axis.imshow(score, cmap=POSITIVE, vmin=0)
    figure.colorbar(shown, ax=axis, shrink=0.75, pad=0.02)
    axis.set_title("Score")
    signs = f"positive if stronger in {case.name_1}, negative if in {case.name_2}"
    key = [f"Grey: an eigenvector of one sign. Eigenvalues of $D$: {signs}."]
    over: dict[str, Any] = {"path_effects": [withStroke(linewidth=1.4, foreground="black")]}
    frame: dict[str, Any] = {"fill": False, "edgecolor": "white", "linestyle": "--"}
    edged = {**frame, **over}
    for number, region in enumerate(regions.itertuples(), start=1):
        share = f"{100 * region.score:.0f} % of score, {100 * region.area:.0f} % of pixels"
        key.append(f"{number} {region.region.replace('_', ' ')}: {share}")
        for edges in region.rectangles.split():
            top, bottom, left, right = map(int, edges.split(","))
            box = (left - 0.5, top - 0.5), right - left + 1, bottom - top + 1
            axis.add_patch(Rectangle(*box, linewidth=0.6, **edged))
            for picture in of_difference:
                picture.add_patch(Rectangle(*box, linewidth=0.4, **frame))
            axis.text(
                left - 0.2, top - 0.3, str(number), va="top", color="white", fontsize=7, **over
            )
    figure.supxlabel(f"{key[0]}\n{'    '.join(key[1:])}", fontsize=7)
    return figure
