"""Draw the check of the propositions on the eigenvalues of D.

(a) If the kernels share an eigenvector, the formula of section 4 gives the eigenvalue; the appendix
lacks its factor 1/2. (b) The published bound divided by the value; it holds if the ratio is at
least 1.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.report.figures.style import (
    DARK,
    PALETTE,
    TEXT,
    dot,
    handle,
    legend,
    name_of,
    set_title,
)

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
    figure, axes = plt.subplots(1, 2, figsize=(TEXT, 2.6))
    visible = rows[rows["predicted"].abs() > VISIBLE * rows["norm"]]
    shared = visible[(visible["part"] == 0) & (visible["case"] == "shared")]
    _shared(axes[0], shared, looks)
    _slack(axes[1], visible, looks)
    handles = [dot(name, *of_name) for name, of_name in looks.items()]
    dashes = {"shared eigenvectors": "-", "the data's own": "--"}
    handles += [handle(f"(b) {k}", color=DARK, linestyle=v) for k, v in dashes.items()]
    legend(figure, handles)
    set_title(figure, name_of(folder), "formula and bound on kernels of data")
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
    axis.set_title("(a) Shared eigenvectors: measured and formula")
    axis.set_xlabel(r"formula for $|\lambda|$")
    axis.set_ylabel(r"measured $|\phi^T D \phi|$")


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
    axis.set_title("(b) The published bound over the eigenvalue")
    axis.set_xlabel(r"bound / $|\lambda|$")
    axis.set_ylabel("eigenvectors below (%)")
