"""The propositions on the eigenvalues of D, checked on kernels of data.

(a) Shared eigenvectors: phi' D phi against the formula of section 4, which has the factor 1/2, and
(crosses) against the formula of the appendix, which lacks it; the lines are at 1 and 1/2. (b) The
data's own kernels, which hardly share eigenvectors; lighter points are closer to shared. (c) How
far the formula and an eigenvector are from an eigenpair of D, as the kernels' eigenvectors part:
medians and the middle 80 %, data sets side by side. Below the dotted line the residual is less than
a tenth of the eigenvalue. (d) The bound over the value, as a distribution over eigenvectors: solid
where they are shared, dashed for the data's own. For the right-hand side as published, the ratio is
twice that.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from experiments.report.figures.style import TEXT, handle, legend
from experiments.report.stored import read_rows

#: Colours and markers of data sets, in their order, from the palette of Okabe and Ito.
MARKS = [("#0072B2", "o"), ("#D55E00", "^"), ("#009E73", "s"), ("#CC79A7", "D"), ("#8C6D31", "v")]
DARK = "#444444"
TITLES = (
    "(a) shared eigenvectors",
    "(b) the data's own, hardly shared eigenvectors",
    "(c) the formula, as eigenvectors part",
    "(d) bound over value: at least 1",
)
#: The share of the norm of D below which an eigenvalue is rounding.
VISIBLE = 1e-6


def draw(folder: Path) -> dict[str, Figure]:
    """Draw from rows.parquet."""
    rows = read_rows(folder)
    marks = dict(zip(dict.fromkeys(rows["dataset"]), MARKS * len(rows), strict=False))
    figure, axes = plt.subplots(2, 2, figsize=(TEXT, 5.5))
    visible = rows[rows["predicted"].abs() > VISIBLE * rows["norm"]]
    first = visible["part"] == 0
    _shared(axes[0, 0], visible[first & (visible["case"] == "shared")], marks)
    _own(axes[0, 1], visible[first & (visible["case"] == "data")], marks)
    _parting(axes[1, 0], visible[visible["case"] != "shared"], marks)
    _slack(axes[1, 1], visible, marks)
    for axis, title in zip(axes.flat, TITLES, strict=True):
        axis.set_title(title, loc="left")
    plain: dict[str, Any] = {"linestyle": "none", "color": DARK, "markersize": 4}
    bars = {**plain, "marker": "|", "markersize": 9}
    half: dict[str, Any] = {"color": "black", "linewidth": 0.7, "linestyle": ":"}
    handles = [
        handle(dataset, color=colour, marker=marker, markersize=4)
        for dataset, (colour, marker) in marks.items()
    ]
    handles += [
        handle("(a) formula without 1/2", **plain, marker="x"),
        handle("(c) the data's own", **plain, marker="o", markerfacecolor="white"),
        handle("(c) middle 80 % of eigenvectors", **bars),
        handle("(d) shared", color=DARK),
        handle("(d) the data's own", color=DARK, linestyle="--"),
        handle("(a) half the formula; (c) a tenth of |λ|", **half),
    ]
    legend(figure, handles)
    return {"figure": figure}


def _identity(axis, values):
    low, high = np.min(values) / 2, np.max(values) * 2
    axis.plot([low, high], [low, high], color="black", linewidth=0.7, zorder=1)
    axis.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    return low, high


def _shared(axis, rows, marks):
    measured, predicted = rows["measured"].abs(), rows["predicted"].abs()
    low, high = _identity(axis, np.concatenate([predicted, 2 * predicted]))
    axis.plot([low, high], [low / 2, high / 2], color="black", linewidth=0.7, linestyle=":")
    for dataset, (colour, marker) in marks.items():
        chosen = rows["dataset"] == dataset
        style = {"color": colour, "linestyle": "none", "rasterized": True, "markersize": 2.5}
        axis.plot(predicted[chosen], measured[chosen], marker=marker, **style)
        axis.plot(2 * predicted[chosen], measured[chosen], marker="x", **style)
    axis.set_xlabel(r"predicted $|\lambda|$, with 1/2 or without ($\times$)")
    axis.set_ylabel(r"$|\phi^T D \phi|$")


def _own(axis, rows, marks):
    measured, predicted = rows["measured"].abs(), rows["predicted"].abs()
    _identity(axis, np.concatenate([predicted, measured[measured > 0]]))
    for dataset, (_, marker) in marks.items():
        chosen = rows["dataset"] == dataset
        eps = {"c": rows.loc[chosen, "eps"], "cmap": "cividis_r", "vmin": 0, "vmax": np.sqrt(2)}
        style = {"marker": marker, "s": 5, "linewidth": 0, "rasterized": True}
        shown = axis.scatter(predicted[chosen], measured[chosen], **eps, **style)
    axis.figure.colorbar(shown, ax=axis, label=r"$\Vert\phi_\epsilon\Vert$: 0 is shared")
    axis.set_xlabel(r"predicted $|\lambda|$")
    axis.set_ylabel(r"$|\phi^T D \phi|$")


def _parting(axis, rows, marks):
    for position, (dataset, (colour, marker)) in enumerate(marks.items()):
        beside = 1.25 ** (position - (len(marks) - 1) / 2)
        for case, here in rows[rows["dataset"] == dataset].groupby("case", sort=False):
            share = here["residual"] / here["predicted"].abs()
            low, middle, high = share.quantile([0.1, 0.5, 0.9])
            style = {"color": colour, "marker": marker, "markersize": 3.5, "linewidth": 0.8}
            style["markerfacecolor"] = "white" if case == "data" else colour
            ends = [[middle - low], [high - middle]]
            axis.errorbar(here["eps"].median() * beside, middle, ends, **style)
    axis.axhline(0.1, color="black", linewidth=0.7, linestyle=":")
    axis.set(xscale="log", yscale="log")
    axis.set_xlabel(r"$\Vert\phi_\epsilon\Vert$")
    axis.set_ylabel(r"$\Vert D\phi - \lambda\phi\Vert\;/\;|\lambda|$")


def _slack(axis, rows, marks):
    bound = 0.5 * (rows["entries"] + rows["row_sum"] * rows["eps"] ** 2)
    slack = bound / rows["predicted"].abs()
    for dataset, (colour, _) in marks.items():
        for case, dash in (("shared", "-"), ("data", "--")):
            values = np.sort(slack[(rows["dataset"] == dataset) & (rows["case"] == case)])
            axis.step(values, np.arange(1, len(values) + 1) / len(values), dash, color=colour)
    axis.axvline(1, color="black", linewidth=0.7)
    axis.set_xscale("log")
    axis.set_xlabel(r"$\frac{1}{2}(S + a\epsilon^2)\;/\;|\lambda|$")
    axis.set_ylabel("share of eigenvectors")
