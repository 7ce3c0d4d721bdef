"""The figure of benchmarks/bench_growth.py: log-log, in the style of the other figures."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator, ScalarFormatter

from benchmarks.growth_point import FILTERS
from benchmarks.measured import label as label_of
from experiments.atomic import atomic_write
from experiments.report.figures.style import STYLE_SHEET, TEXT, mark

LABELS = {name: label_of(name) for name in FILTERS}
LABELS |= {"spd": "ManiFeSt, Algorithm 1", "spsd": "ManiFeSt, Algorithm 2"}
# Both forms of ManiFeSt in its colour; the dash tells them apart.
LINES = {"spd": ("manifest", "-"), "spsd": ("manifest", "--")}


def draw(csv: Path, png: Path) -> None:
    """Time against features, samples and methods, and memory against features.

    Parameters
    ----------
    csv : Path
        Columns axis, method, n, d, methods, seconds and MiB.
    png : Path
    """
    table = pd.read_csv(csv)
    with plt.style.context(STYLE_SHEET):
        figure, axes = plt.subplots(2, 2, figsize=(TEXT, 5.6))
        parts = {axis: table[table["axis"] == axis] for axis in ("features", "samples", "methods")}
        _lines(axes[0, 0], parts["features"], "d", "seconds")
        _lines(axes[0, 1], parts["samples"], "n", "seconds")
        ours = parts["features"][parts["features"]["method"].isin(LINES)]
        _lines(axes[1, 0], ours, "d", "MiB")
        _lines(axes[1, 1], parts["methods"], "methods", "seconds")
        for axis, number in ((axes[0, 0], 3), (axes[1, 0], 2)):
            _guide(axis, number)
        titles = ["features (60 samples)", "samples (500 features)", "features (60 samples)"]
        for axis, title in zip(axes.flat, [*titles, "methods of an experiment"], strict=True):
            axis.set_xlabel(title)
            axis.set_ylabel("peak memory in MiB" if axis is axes[1, 0] else "seconds")
        shown = axes[0, 0].get_legend_handles_labels()
        figure.legend(*shown, loc="outside lower center", ncols=5, handlelength=3)
        with atomic_write(png) as part:
            figure.savefig(part, metadata={"Software": None})
        plt.close(figure)


def _lines(axis, part, size, value):
    for method, points in part.groupby("method", sort=False):
        name, dash = LINES.get(method, (method, "-"))
        look = mark(name) if method != "experiment" else {"color": "0.2", "marker": "o"}
        width = 1.8 if method in LINES else 1.0
        label = LABELS.get(method, method)
        points = points[points[value] > 0]
        axis.plot(points[size], points[value], dash, markersize=4, lw=width, label=label, **look)
    axis.set_xscale("log")
    axis.set_yscale("log")
    if size == "methods":
        axis.xaxis.set_major_locator(FixedLocator([1, 2, 3, 5, 7, 9]))
        axis.xaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_major_locator(LogLocator(subs=[1, 2, 5]))
        axis.yaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_major_formatter(ScalarFormatter())
    for of in (axis.xaxis, axis.yaxis):
        of.set_minor_formatter(NullFormatter())


def _guide(axis, power):
    """A grey line of slope `power` above the largest points of the first line."""
    line = axis.get_lines()[0]
    x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
    if len(x) < 2:
        return
    ends = np.array([max(x[0], x[-1] / 10), x[-1]])
    above = 3 * y.max() * (ends / x[-1]) ** power
    axis.plot(ends, above, ":", color="0.5", lw=1)
    middle = np.sqrt(ends.prod()), np.sqrt(above.prod())
    axis.annotate(
        f"slope {power}", middle, xytext=(-4, 4), textcoords="offset points", ha="right",
        color="0.35", fontsize=7,
    )  # fmt: skip
