"""The propositions on the eigenvalues of D, checked on kernels of data.

(a) If the kernels share an eigenvector, the formula of section 4 gives the eigenvalue exactly; the
appendix lacks its factor 1/2. (b) The formula fails once the eigenvectors part: points are medians
and bars the middle 80 %; hollow points are the data's own kernels. Below the dotted line the error
is less than a tenth of the eigenvalue. (c) The published bound holds always, because its ratio to
the value is nowhere below 1, and it is loose for the data's own kernels.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures.style import TEXT, dot, handle, legend
from experiments.report.names import DARK, PALETTE

#: Markers of data sets, in their order.
MARKERS = ("o", "^", "s", "D", "v")
#: The share of the norm of D below which an eigenvalue is rounding.
VISIBLE = 1e-6
_THIN: dict[str, Any] = {"color": DARK, "linewidth": 0.7, "linestyle": ":"}


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from rows.parquet."""
    rows = pd.read_parquet(folder / "rows.parquet")
    names = list(dict.fromkeys(rows["dataset"]))
    looks = dict(zip(names, zip(PALETTE, MARKERS, strict=False), strict=False))
    figure, axes = plt.subplots(1, 3, figsize=(TEXT, 2.9))
    visible = rows[rows["predicted"].abs() > VISIBLE * rows["norm"]]
    shared = visible[(visible["part"] == 0) & (visible["case"] == "shared")]
    _shared(axes[0], shared, looks)
    _parting(axes[1], visible[visible["case"] != "shared"], looks)
    _slack(axes[2], visible, looks)
    handles = [dot(name, *of_name) for name, of_name in looks.items()]
    dashes = {"shared eigenvectors": "-", "the data's own": "--"}
    handles += [handle(f"(c) {k}", color=DARK, linestyle=v) for k, v in dashes.items()]
    legend(figure, handles)
    return {"figure": figure}


def _shared(axis, rows, looks):
    measured, predicted = rows["measured"].abs(), rows["predicted"].abs()
    low, high = predicted.min() / 2, predicted.max() * 2
    axis.plot([low, high], [low, high], color=DARK, linewidth=0.7, zorder=1)
    axis.plot([low, high], [2 * low, 2 * high], **_THIN)
    for dataset, (color, marker) in looks.items():
        own = rows["dataset"] == dataset
        style = {"color": color, "marker": marker, "rasterized": True, "markersize": 2.5}
        axis.plot(predicted[own], measured[own], linestyle="none", **style)
    axis.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, 4 * high))
    axis.annotate("without 1/2", (0.5, 0.72), xycoords="axes fraction", ha="right", color=DARK)
    axis.set_title("(a) Shared eigenvectors:\nthe formula is exact")
    axis.set_xlabel(r"formula for $|\lambda|$")
    axis.set_ylabel(r"measured $|\phi^T D \phi|$")


def _parting(axis, rows, looks):
    for position, (dataset, (color, marker)) in enumerate(looks.items()):
        shift = 1.25 ** (position - (len(looks) - 1) / 2)
        for case, here in rows[rows["dataset"] == dataset].groupby("case", sort=False):
            share = here["residual"] / here["predicted"].abs()
            low, middle, high = share.quantile([0.1, 0.5, 0.9])
            style = {"color": color, "marker": marker, "markersize": 3.5, "linewidth": 0.8}
            style["markerfacecolor"] = "white" if case == "data" else color
            ends = [[middle - low], [high - middle]]
            axis.errorbar(here["eps"].median() * shift, middle, ends, **style)
    axis.axhline(0.1, **_THIN)
    axis.set(xscale="log", yscale="log")
    axis.set_title("(b) Eigenvectors part:\nthe formula soon fails")
    axis.set_xlabel(r"distance of the eigenvectors, $\Vert\phi_\epsilon\Vert$")
    axis.set_ylabel(r"error, $\Vert D\phi - \lambda\phi\Vert\;/\;|\lambda|$")


def _slack(axis, rows, looks):
    bound = 0.5 * (rows["entries"] + rows["row_sum"] * rows["eps"] ** 2)
    slack = bound / rows["predicted"].abs()
    for dataset, (color, _) in looks.items():
        for case, dash in (("shared", "-"), ("data", "--")):
            values = np.sort(slack[(rows["dataset"] == dataset) & (rows["case"] == case)])
            share = 100 * np.arange(1, len(values) + 1) / len(values)
            axis.step(values, share, dash, color=color)
    axis.axvline(1, color=DARK, linewidth=0.7)
    axis.set_xscale("log")
    axis.set_title("(c) The bound holds:\nno ratio is below 1")
    axis.set_xlabel(r"bound / $|\lambda|$")
    axis.set_ylabel("eigenvectors below (%)")
