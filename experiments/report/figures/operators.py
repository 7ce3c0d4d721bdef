"""Draw M and D of two SPD matrices in the cone of 2 x 2 SPD matrices.

Symmetric 2 x 2 matrices are points in space, and the positive definite ones fill a cone. Both
kernels are on the sheet of matrices with their determinant (blue), and so are the geodesic between
them and its midpoint M. D is an arrow in the tangent plane at M (orange). Dashed lines are the
exponential map, which takes the tips of D and -D to the kernels.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures import style

BLUE, DARK, GREY, ORANGE = style.BLUE, style.DARK, style.MIDDLE, style.STRONG
#: Arrow -> its tip, and the kernel to which the exponential map takes the tip.
ARROWS = {"$D$": ("tip_of_D", "K1"), "$-D$": ("tip_of_minus_D", "K2")}
NAMES = {"K1": "$K_1$", "K2": "$K_2$", "M": "$M$"}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from points.csv."""
    table = pd.read_csv(folder / "points.csv").groupby("part")
    figure = plt.figure(figsize=(0.75 * style.TEXT, 2.6))
    _space(figure.subfigures(), {name: part[["x", "y", "z"]].to_numpy() for name, part in table})
    handles = [
        style.handle("geodesic", color=BLUE, linewidth=1.8),
        style.handle("$D$ and $-D$", color=ORANGE, linewidth=1.2),
        style.handle("exponential map at $M$", color=DARK, linestyle="--", linewidth=0.7),
        style.handle("singular matrices", color=GREY, linewidth=0.8),
    ]
    what = "two kernels, their mean and their difference"
    return {"figure": style.finish(figure, folder, what, handles)}


def _space(figure, at):
    axis = figure.add_axes((-0.1, -0.42, 1.2, 1.62), projection="3d", computed_zorder=False)
    rim = at["rim_of_cone"]
    wall = np.stack([0 * rim, rim])
    sheet = at["sheet"].reshape(-1, len(rim), 3)
    for surface, color, alpha in ((wall, GREY, 0.12), (sheet, BLUE, 0.2)):
        counts = {"rcount": len(surface), "ccount": len(rim)}
        look = {"color": color, "alpha": alpha, "linewidth": 0, "shade": False, "zorder": 1}
        axis.plot_surface(*surface.transpose(2, 0, 1), **counts, **look)
        axis.plot(*surface[-1].T, color=color, linewidth=0.7, zorder=1)
    plane = at["tangent_plane"][[[0, 1], [3, 2]]].transpose(2, 0, 1)
    axis.plot_surface(*plane, color=ORANGE, alpha=0.25, linewidth=0, shade=False, zorder=2)
    lowest = sorted(at["tangent_plane"].tolist(), key=lambda corner: corner[2])[:2]
    x, y, z = np.mean(lowest, axis=0)
    over: dict[str, Any] = {"ha": "center", "zorder": 7}
    axis.text(x, y, z + 0.08, "tangent plane at $M$", color=ORANGE, fontsize=7, **over)
    axis.plot(*at["geodesic"].T, color=BLUE, linewidth=1.8, zorder=4)
    for name, (tip, kernel) in ARROWS.items():
        arrow = (*at["M"][0], *(at[tip] - at["M"])[0])
        axis.quiver(*arrow, color=ORANGE, arrow_length_ratio=0.12, zorder=5)
        axis.plot(*np.vstack([at[tip], at[kernel]]).T, "--", color=DARK, linewidth=0.7, zorder=3)
        middle = (at[tip][0] + at["M"][0]) / 2
        axis.text(*(middle - [0, 0, 0.28]), name, color=ORANGE, **over)
    for name, label in NAMES.items():
        axis.plot(*at[name].T, "o", color=DARK, markersize=3.5, zorder=6)
        axis.text(*(at[name][0] + [0, 0, 0.14]), label, **over)
    axis.set_axis_off()
    low, high = wall.reshape(-1, 3).min(axis=0), wall.reshape(-1, 3).max(axis=0)
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axis.set_box_aspect(high - low, zoom=1.3)
    axis.view_init(elev=-10, azim=95)
