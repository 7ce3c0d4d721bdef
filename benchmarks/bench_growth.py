"""Growth of time and memory with the features and with the samples.

The samples are random numbers of a fixed seed in two classes of equal size; for "spsd" two features
are equal in the first class, so that Algorithm 2 has something to drop. There are two axes:

- features: ManiFeSt and each filter score 60 samples.
- samples: ManiFeSt and each filter score 500 features.

Each point is a process of its own, which computes a small case of the same first. Its "seconds" are
the median of as many runs as a few seconds allow, its "MiB" the peak of the process above what it
held before the first of these runs. Fixed costs hide the growth at small sizes, so an exponent is
the slope of log time (or memory) against log size over the points from a tenth of the largest size
on, with its standard error. Writes results/benchmarks/growth.csv, growth.md and growth.png.

    python benchmarks/bench_growth.py [--features 100 ... 5000 8000] [--samples 20 ...]
"""

import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import linregress

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import baselines
from benchmarks.common import MIB, fresh, machine, parser, samples, write
from experiments.config import entry_of
from experiments.files import atomic_write
from experiments.report.text import markdown
from experiments.system import peak_memory
from manifest import AmbiguousScoreWarning, manifest_score

FILTERS = ["gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff"]
FEATURES = [100, 200, 500, 1000, 1500, 2000, 3000, 5000]
SAMPLES = [20, 60, 200, 600, 1000, 2000, 4000, 6000]
#: Names of the two algorithms of ManiFeSt; the dash tells them apart in the plot.
DASHES = {"spd": "-", "spsd": "--"}
LABELS = {"spd": "ManiFeSt, Algorithm 1", "spsd": "ManiFeSt, Algorithm 2"}


def fit(sizes, values):
    """The slope of log value against log size from a tenth of the largest size on; its error."""
    sizes, values = np.asarray(sizes, float), np.asarray(values, float)
    upper = sizes >= sizes.max() / 10
    if upper.sum() < 3 or not (values[upper] > 0).all():
        return np.nan, np.nan
    line = linregress(np.log(sizes[upper]), np.log(values[upper]))
    return line.slope, line.stderr


def points(given):
    """The points: an axis, a method, and the size along that axis."""
    for method in (*DASHES, *FILTERS):
        yield from ({"axis": "features", "method": method, "size": d} for d in given.features)
        yield from ({"axis": "samples", "method": method, "size": n} for n in given.samples)


def measured(axis, method, size, seconds):
    """Time and memory of one point, in this process."""
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    n, d = (60, size) if axis == "features" else (size, 500)
    ours = method in DASHES
    score = partial(manifest_score, geometry=method) if ours else baselines.get(method)
    small = partial(score, *samples(min(n, 20), 20, method == "spsd"))
    case = partial(score, *samples(n, d, method == "spsd"))
    small()
    if linux := sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")  # the peak so far becomes what is held
    before, times, mib = peak_memory() or 0, list[float](), np.nan
    while not times or (sum(times) + times[-1] < seconds and len(times) < 25):
        start = time.perf_counter()
        case()
        times.append(time.perf_counter() - start)
        if len(times) == 1 and linux:
            mib = ((peak_memory() or 0) - before) / MIB
    median = float(np.median(times))
    return {"seconds": round(median, 6), "MiB": round(mib, 2), "runs": len(times)}


def exponents(table):
    """A row for each axis and method."""
    rows = []
    for (axis, method), part in table.groupby(["axis", "method"], sort=False):
        row = {"axis": axis, "method": method, "to": part["size"].max()}
        for name in ("seconds", "MiB"):
            # Below a median of 1 MiB the system's pages decide, not the method.
            enough = name == "seconds" or part["MiB"].median() > 1
            slope, error = fit(part["size"], part[name]) if enough else (np.nan, np.nan)
            row[name] = f"{part[name].iloc[-1]:.3g}"
            row[f"{name} ~ size^"] = "" if np.isnan(slope) else f"{slope:.2f} ± {error:.2f}"
        rows.append(row)
    return pd.DataFrame(rows)


def report(table):
    """The tables of growth.md."""
    text = f"Exponents: see benchmarks/bench_growth.py.\n\n{markdown(exponents(table))}\n"
    for axis, part in table.groupby("axis", sort=False):
        for name in ("seconds", "MiB"):
            wide = part.pivot_table(index="size", columns="method", values=name, sort=False)
            wide = wide.map("{:.3g}".format).reset_index().rename(columns={"size": axis})
            text += f"{name} against {axis}:\n\n{markdown(wide)}\n"
    return text


def draw(table, png):
    """Draw time and memory against each axis, log-log."""
    import matplotlib.pyplot as plt

    from experiments.report.figures.style import STYLE_SHEET, TEXT, colours
    from experiments.report.names import GREY

    own = dict.fromkeys(DASHES, "manifest")
    colour_of = colours(png.parent, table["method"].replace(own))
    with plt.style.context(STYLE_SHEET):
        figure, axes = plt.subplots(2, 2, figsize=(TEXT, 5.6), sharex="col")
        for column, (axis, part) in zip(axes.T, table.groupby("axis", sort=False), strict=True):
            for panel, unit in zip(column, ("seconds", "MiB"), strict=True):
                for method, curve in part[part[unit] > 0].groupby("method", sort=False):
                    look = {"color": colour_of[own.get(method, method)]}
                    look["label"] = LABELS.get(method) or entry_of(method)["label"]
                    look["linestyle"] = DASHES.get(method, "-")
                    panel.plot(curve["size"], curve[unit], markersize=4, **look)
                panel.set(xscale="log", yscale="log", ylabel=unit)
            column[1].set_xlabel(axis)
        lines = sorted(axes[0, 0].get_lines(), key=lambda line: line.get_color() == GREY)
        is_grey = [line.get_color() == GREY for line in lines]
        named = [
            *(str(line.get_label()) for line in lines[: is_grey.count(False)]),
            "other filters",
        ]
        handles = lines[: len(named)]
        figure.legend(handles, named, loc="outside lower center", ncols=5, handlelength=3)
        with atomic_write(png) as part:
            figure.savefig(part, metadata={"Software": None})
        plt.close(figure)


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--features", type=int, nargs="+", default=FEATURES)
    arguments.add_argument("--samples", type=int, nargs="+", default=SAMPLES)
    arguments.add_argument("--seconds", type=float, default=1, help="of the runs of a point, about")
    given = arguments.parse_args()
    rows = []
    for point in points(given):
        rows.append(point | fresh(measured, *point.values(), given.seconds)[1])
        print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    draw(table, given.to / "growth.png")
    print(write(given.to, "growth", table, f"{machine()}.", report(table)))


if __name__ == "__main__":
    main()
