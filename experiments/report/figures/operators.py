"""Draw M and D: in the cone of 2 x 2 matrices, and by their eigenvectors on images."""

from math import isqrt
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
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
EIGENVECTORS = {f"mean_{number}": rf"$M$: $\lambda_{number}" for number in (1, 2)}
EIGENVECTORS |= {f"difference_{number}": rf"$D$: $\lambda_{number}" for number in range(1, 5)}
#: Colour maps from dark to light, with zero in the middle, so that signs differ in grey as well.
SIGNED, POSITIVE, INK = "cividis", "magma", "gray_r"
#: The look of words among points, and of frames on pictures.
OVER: dict[str, Any] = {"ha": "center", "zorder": 7}
FRAME: dict[str, Any] = {"fill": False, "edgecolor": "white", "linestyle": "--"}


def operators(folder: Path) -> dict[str, Figure]:
    """Draw M and D of two SPD matrices in the cone of 2 x 2 SPD matrices, from points.csv.

    Symmetric 2 x 2 matrices are points in space, and the positive definite ones fill a cone. Both
    kernels are on the sheet of matrices with their determinant (blue), and so are the geodesic
    between them and its midpoint M. D is an arrow in the tangent plane at M (orange). Dashed lines
    are the exponential map, which takes the tips of D and -D to the kernels.
    """
    table = pd.read_csv(folder / "points.csv")
    points = {}
    for name, rows in table.groupby("part"):
        points[str(name)] = rows[["x", "y", "z"]].to_numpy()
    figure = plt.figure(figsize=(0.75 * style.TEXT, 2.85))
    space: Any = figure.subfigures()
    axis = space.add_axes((-0.1, -0.42, 1.2, 1.62), projection="3d", computed_zorder=False)
    rim = points["rim_of_cone"]
    wall = np.stack([0 * rim, rim])
    sheet = points["sheet"].reshape(-1, len(rim), 3)
    _surface(axis, wall, GREY, 0.2, zorder=1)
    axis.plot(*wall[-1].T, color=GREY, linewidth=0.7, zorder=1)
    _surface(axis, sheet, BLUE, 0.2, zorder=1)
    axis.plot(*sheet[-1].T, color=BLUE, linewidth=0.7, zorder=1)
    _tangent_plane(axis, points["tangent_plane"])
    axis.plot(*points["geodesic"].T, color=BLUE, linewidth=1.8, zorder=4)
    _arrow(axis, points, "$D$", "tip_of_D", "K1")
    _arrow(axis, points, "$-D$", "tip_of_minus_D", "K2")
    for name, label in (("K1", "$K_1$"), ("K2", "$K_2$"), ("M", "$M$")):
        axis.plot(*points[name].T, "o", color=DARK, markersize=3.5, zorder=6)
        x, y, z = points[name][0]
        axis.text(x, y, z + 0.14, label, **OVER)
    axis.set_axis_off()
    low = wall.reshape(-1, 3).min(axis=0)
    high = wall.reshape(-1, 3).max(axis=0)
    xlim, ylim, zlim = zip(low, high, strict=True)
    axis.set(xlim=xlim, ylim=ylim, zlim=zlim)
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


def _surface(axis: Any, grid: np.ndarray, color: str, alpha: float, zorder: int) -> None:
    """Draw the surface of a grid of points, (rows, columns, 3)."""
    axis.plot_surface(
        *grid.transpose(2, 0, 1),
        color=color,
        alpha=alpha,
        zorder=zorder,
        linewidth=0,
        shade=False,
        rcount=99,
        ccount=99,
    )


def _tangent_plane(axis: Any, corners: np.ndarray) -> None:
    """Draw the tangent plane by its four corners, with its name below its lowest edge."""
    _surface(axis, corners[[[0, 1], [3, 2]]], STRONG, 0.25, zorder=2)
    lowest = np.argsort(corners[:, 2])[:2]
    x, y, z = corners[lowest].mean(axis=0)
    axis.text(x, y, z + 0.08, "tangent plane at $M$", color=STRONG, fontsize=7, **OVER)


def _arrow(axis: Any, points: dict[str, np.ndarray], name: str, tip: str, kernel: str) -> None:
    """Draw an arrow from M to a tip, and the exponential map from there to a kernel."""
    middle = points["M"][0]
    arrow = (points[tip] - points["M"])[0]
    axis.quiver(*middle, *arrow, color=STRONG, arrow_length_ratio=0.12, zorder=5)
    line = np.vstack([points[tip], points[kernel]])
    axis.plot(*line.T, "--", color=DARK, linewidth=0.7, zorder=3)
    x, y, z = middle + arrow / 2
    axis.text(x, y, z - 0.28, name, color=STRONG, **OVER)


def digits(folder: Path) -> dict[str, Figure]:
    """Draw samples of two classes of images, eigenvectors of M and D, and the score of each pixel.

    Every eigenvector is divided by its largest magnitude, and its largest entry is positive. Values
    are above the pictures; an eigenvalue of D is positive if the first class is stronger. Dashed
    frames are the regions of regions.csv, if there are any.
    """
    stored = pd.concat(tables_in(folder).values())
    stored = stored[stored["draw"] == 0]
    summary = pd.read_csv(folder / "summary.csv")
    path = folder / "regions.csv"
    regions = pd.read_csv(path) if path.is_file() else summary.head(0)
    run, _, _ = provenance_of(folder)["config"]["title"].partition(",")
    figures = {}
    for case in summary[~summary["failed"]].itertuples():
        pair = f"class_1 == {case.class_1} and class_2 == {case.class_2}"
        images = stored.query(pair).set_index("image")
        figure = _pictures(case, images, regions.query(pair))
        title = f"{run}, {case.name_1} against {case.name_2}"
        style.finish(figure, title, "samples, eigenvectors of M and D, score")
        figures[f"figure_{case.class_1}_{case.class_2}"] = figure
    return figures


def _pictures(case: Any, images: Any, regions: Any) -> Figure:
    """Draw the pictures of a pair of classes, with frames around its regions."""
    figure, axes = plt.subplot_mosaic(PLACES, figsize=(style.TEXT, 2.9), width_ratios=WIDTHS)
    for axis in axes.values():
        axis.set_axis_off()
    score = images.loc["score", "pixels"]
    side = isqrt(len(score))
    for place, label, name in ((1, case.class_1, case.name_1), (2, case.class_2, case.name_2)):
        axes[f"sample_{place}"].imshow(_samples(images, label, side), cmap=INK)
        axes[f"sample_{place}"].set_title(f"Samples of {name}")
    for name, symbols in EIGENVECTORS.items():
        _eigenvector(axes[name], images.loc[name], symbols, side)
    of_difference = [axes[f"difference_{number}"] for number in range(1, 5)]
    signs = ScalarMappable(Normalize(-1, 1), SIGNED)
    figure.colorbar(signs, ax=of_difference, ticks=[-1, 0, 1], shrink=0.9, pad=0.03, aspect=30)
    shown = axes["score"].imshow(score.reshape(side, side), cmap=POSITIVE, vmin=0)
    figure.colorbar(shown, ax=axes["score"], shrink=0.75, pad=0.02)
    axes["score"].set_title("Score")
    shares = []
    for number, region in enumerate(regions.itertuples(), start=1):
        name = region.region.replace("_", " ")
        score_share = f"{100 * region.score:.0f} % of score"
        pixel_share = f"{100 * region.area:.0f} % of pixels"
        shares.append(f"{number} {name}: {score_share}, {pixel_share}")
        for edges in region.rectangles.split():
            _frame(axes["score"], of_difference, number, edges)
    key = (
        "Grey: an eigenvector of one sign. Eigenvalues of $D$: positive if stronger in "
        f"{case.name_1}, negative if in {case.name_2}."
    )
    figure.supxlabel(f"{key}\n{'    '.join(shares)}", fontsize=7)
    return figure


def _samples(images: Any, label: Any, side: int) -> np.ndarray:
    """Return the samples of a class as one picture, four in a row."""
    samples = images.filter(like=f"sample_{label}_", axis="index")
    grid = np.stack(samples["pixels"]).reshape(-1, 4, side, side)
    return np.vstack([np.hstack([*row]) for row in grid])


def _eigenvector(axis: Axes, eigenvector: Any, symbols: str, side: int) -> None:
    """Draw an eigenvector below its eigenvalue, in grey if it has one sign."""
    image = eigenvector["pixels"].reshape(side, side)
    if image.min() * image.max() > 0:
        axis.imshow(np.abs(image), cmap=INK)
    else:
        axis.imshow(image / np.abs(image).max(), cmap=SIGNED, vmin=-1, vmax=1)
    axis.set_title(f"{symbols} = {eigenvector['eigenvalue']:.1f}$")


def _frame(score: Axes, of_difference: list[Axes], number: int, edges: str) -> None:
    """Draw the frame of a rectangle, by its edges in pixels, with the number of its region."""
    top, bottom, left, right = map(int, edges.split(","))
    corner = (left - 0.5, top - 0.5)
    width = right - left + 1
    height = bottom - top + 1
    edge: dict[str, Any] = {"path_effects": [withStroke(linewidth=1.4, foreground="black")]}
    score.add_patch(Rectangle(corner, width, height, linewidth=0.6, **FRAME, **edge))
    for picture in of_difference:
        picture.add_patch(Rectangle(corner, width, height, linewidth=0.4, **FRAME))
    word: dict[str, Any] = {"va": "top", "color": "white", "fontsize": 7, **edge}
    score.text(left - 0.2, top - 0.3, str(number), **word)
