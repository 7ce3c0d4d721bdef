"""Growth of time and memory with the features, the samples and the number of methods.

The samples are random numbers of a fixed seed in two classes of equal size; for "spsd" two features
are equal in the first class, so that Algorithm 2 has something to drop. There are three axes:

- features: ManiFeSt and each filter score 60 samples.
- samples: ManiFeSt and each filter score 500 features.
- methods: an accuracy experiment of fixed size (one random split of 200 samples of 100 features, an
  SVM on 4 numbers of features) runs the first 1 to 9 methods of the paper in one process.

Each point is a process of its own, which computes a small case of the same first. Its "seconds" are
the median of as many runs as a few seconds allow, its "MiB" the peak of the process above what it
held before the first of these runs, and "arrays" that peak in matrices of d x d numbers. Fixed
costs hide the growth at small sizes, so an exponent is the slope of log time (or memory) against
log size over the points from a tenth of the largest size on, with its standard error. A method
stops at the size whose time, extrapolated, exceeds the limit of a point; the point is then named as
not measured.

Writes results/benchmarks/growth.csv, growth.md and growth.png. Points are kept in outputs/ until
all are there, so a run that was interrupted goes on.

    python benchmarks/bench_growth.py [--features 100 ... 5000 8000] [--samples 20 ...] [--limit S]
"""

import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import linregress

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import baselines
from benchmarks.common import (
    composed,
    file_dataset,
    fresh,
    kept,
    label,
    machine,
    parser,
    samples,
    write,
)
from experiments.atomic import atomic_write
from experiments.engine.timing import peak_memory
from experiments.report.text import markdown
from manifest import AmbiguousScoreWarning, manifest_score

FILTERS = ["gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff"]
FEATURES = [100, 200, 500, 1000, 1500, 2000, 3000, 5000]
SAMPLES = [20, 60, 200, 600, 1000, 2000, 4000, 6000]
SIZE = {"features": "d", "samples": "n", "methods": "methods"}
#: Both forms of ManiFeSt are drawn in its colour; the dash tells them apart.
DASHES = {"spd": "-", "spsd": "--"}
LABELS = {"spd": "ManiFeSt, Algorithm 1", "spsd": "ManiFeSt, Algorithm 2"}
MIB = 2**20


def fit(sizes, values):
    """The slope of log value against log size from a tenth of the largest size on; its error."""
    sizes, values = np.asarray(sizes, float), np.asarray(values, float)
    upper = sizes >= sizes.max() / 10
    if upper.sum() < 3 or not (values[upper] > 0).all():
        return np.nan, np.nan
    line = linregress(np.log(sizes[upper]), np.log(values[upper]))
    return line.slope, line.stderr


def series(given):
    """Lists of points, each along one axis, from small to large."""
    common = {"n": 60, "d": 500, "methods": 1}
    for method in (*DASHES, *FILTERS):
        yield [common | {"axis": "features", "method": method, "d": d} for d in given.features]
        yield [common | {"axis": "samples", "method": method, "n": n} for n in given.samples]
    fixed = {"axis": "methods", "method": "experiment", "n": 200, "d": 100}
    yield [fixed | {"methods": k} for k in range(1, 1 + given.methods)]


def too_long(done, size, limit):
    """True if the next point takes longer than the limit if time goes on as it did."""
    if len(done) < 2:
        return False
    (size1, time1), (size2, time2) = done[-2:]
    slope = max(np.log(time2 / time1) / np.log(size2 / size1), 0.0)
    return time2 * (size / size2) ** slope > limit


def experiment(names):
    """One accuracy experiment with nothing stored before."""
    from experiments.runner import run_experiment

    X, y = samples(200, 100)
    X[y == 1, :10] += 0.5
    with tempfile.TemporaryDirectory() as folder:
        config = composed(
            "experiment=colon",
            "profile=smoke",
            *file_dataset(Path(folder) / "data.npz", X, y),
            f"method=[{','.join(names)}]",
            "protocol.n_repetitions=1",
            "protocol.readings=[paper]",
            "protocol.sizes=[5,10,20,50]",
            "protocol.inner_folds=5",
            "workers=0",
            f"store={folder}/store",
        )
        run_experiment(config, Path(folder) / "run")


def point(axis, method, n, d, methods, seconds):
    """Time and memory of one point, in this process."""
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    if axis == "methods":
        names = [*FILTERS, "manifest"][:methods]
        small, case = partial(experiment, names[:1]), partial(experiment, names)
    else:
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
    return {
        "seconds": round(float(np.median(times)), 6),
        "MiB": round(mib, 2),
        "arrays": round(mib * MIB / (8 * d**2), 2) if method in DASHES else np.nan,
        "runs": len(times),
    }


def alone(given_point, seconds):
    """Time and memory of a point from a process of its own."""
    call = f"point(**{given_point!r}, seconds={seconds})"
    return fresh("from benchmarks.bench_growth import point", call)[1]


def run(given):
    """The table of all points, and what was left out for the time that it would take."""
    rows, left_out = [], []
    for points in series(given):
        done: list[tuple[int, float]] = []
        for one in points:
            size = one[SIZE[one["axis"]]]
            if too_long(done, size, given.limit):
                left_out.append(f"{one['method']} at {size} {one['axis']}")
                continue
            key = [one, given.seconds]
            rows.append(one | kept("growth", key, partial(alone, one, given.seconds)))
            done.append((size, rows[-1]["seconds"]))
            print(rows[-1], flush=True)
    return pd.DataFrame(rows), left_out


def exponents(table):
    """A row for each axis and method."""
    rows = []
    for (axis, method), part in table.groupby(["axis", "method"], sort=False):
        sizes = part[SIZE[axis]]
        row = {"axis": axis, "method": method, "from": sizes[sizes >= sizes.max() / 10].min()}
        row |= {"to": sizes.max()}
        row |= {name: f"{part[name].iloc[-1]:.3g}" for name in ("seconds", "MiB")}
        for name in ("seconds", "MiB"):
            # Below a median of 1 MiB the system's pages decide, not the method.
            enough = name == "seconds" or part["MiB"].median() > 1
            slope, error = fit(sizes, part[name]) if enough else (np.nan, np.nan)
            row[f"{name} ~ size^"] = "" if np.isnan(slope) else f"{slope:.2f} ± {error:.2f}"
        rows.append(row)
    return pd.DataFrame(rows)


def report(table):
    """The tables of growth.md."""

    def wide(axis, methods, values):
        part = table[(table["axis"] == axis) & table["method"].isin(methods)]
        size = SIZE[axis]
        pivot = part.pivot_table(index=size, columns="method", values=values, sort=False)
        if isinstance(pivot.columns, pd.MultiIndex):
            pivot.columns = [f"{method} {name}" for name, method in pivot.columns]
        return markdown(pivot.map("{:.3g}".format).reset_index())

    methods = table[table["axis"] == "methods"][["methods", "seconds", "MiB", "runs"]]
    slope = ""
    if len(methods) > 2:
        line = linregress(methods["methods"], methods["seconds"])
        slope = f"\n{line.intercept:.2f} s and {line.slope:.2f} ± {line.stderr:.2f} s a method.\n"
    return (
        "Exponents: see benchmarks/bench_growth.py for what is fitted.\n\n"
        f"{markdown(exponents(table))}\nManiFeSt against features (60 samples):\n\n"
        f"{wide('features', DASHES, ['MiB', 'arrays', 'seconds'])}\n"
        "Seconds against samples (500 features):\n\n"
        f"{wide('samples', [*DASHES, *FILTERS], 'seconds')}\n"
        f"An experiment against its number of methods:\n\n{markdown(methods)}{slope}"
    )


def draw(table, png):
    """Time against features, samples and methods, and memory against features, log-log."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, ScalarFormatter

    from experiments.report.figures.style import STYLE_SHEET, TEXT, marks

    axis_of = table.groupby("axis").get_group
    ours = axis_of("features")[axis_of("features")["method"].isin(DASHES)]
    panels = [
        (axis_of("features"), "d", "seconds", "features (60 samples)", 3),
        (axis_of("samples"), "n", "seconds", "samples (500 features)", None),
        (ours, "d", "MiB", "features (60 samples)", 2),
        (axis_of("methods"), "methods", "seconds", "methods of an experiment", None),
    ]
    with plt.style.context(STYLE_SHEET):
        figure, axes = plt.subplots(2, 2, figsize=(TEXT, 5.6))
        for axis, (part, size, value, title, power) in zip(axes.flat, panels, strict=True):
            for method, points in part.groupby("method", sort=False):
                if method == "experiment":
                    look = {"color": "0.2", "marker": "o"}
                else:
                    name = "manifest" if method in DASHES else method
                    look = marks(png.parent, [name])[name]
                    look["label"] = LABELS.get(method) or label(method)
                look["linestyle"] = DASHES.get(method, "-")
                positive = points[points[value] > 0]
                width = 1.8 if method in DASHES else 1.0
                axis.plot(positive[size], positive[value], markersize=4, lw=width, **look)
            axis.set(xscale="log", yscale="log", xlabel=title)
            axis.set_ylabel("peak memory in MiB" if value == "MiB" else value)
            if size == "methods":
                axis.xaxis.set_major_locator(FixedLocator([1, 2, 3, 5, 7, 9]))
                axis.yaxis.set_major_locator(LogLocator(subs=[1, 2, 5]))
                axis.yaxis.set_major_formatter(ScalarFormatter())
            axis.xaxis.set_major_formatter(ScalarFormatter())
            axis.xaxis.set_minor_formatter(NullFormatter())
            axis.yaxis.set_minor_formatter(NullFormatter())
            if power:  # a grey guide of that slope above the largest value
                end = part[size].max()
                ends = np.array([max(part[size].min(), end / 10), end])
                above = 3 * part[value].max() * (ends / end) ** power
                axis.plot(ends, above, ":", color="0.5", lw=1)
                middle = np.sqrt([ends.prod(), above.prod()])
                axis.text(*middle, f"slope {power} ", ha="right", va="bottom", color="0.35", size=7)
        shown = axes[0, 0].get_legend_handles_labels()
        figure.legend(*shown, loc="outside lower center", ncols=5, handlelength=3)
        with atomic_write(png) as part:
            figure.savefig(part, metadata={"Software": None})
        plt.close(figure)


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--features", type=int, nargs="+", default=FEATURES)
    arguments.add_argument("--samples", type=int, nargs="+", default=SAMPLES)
    arguments.add_argument("--methods", type=int, default=1 + len(FILTERS), help="at most")
    arguments.add_argument("--limit", type=float, default=120, help="seconds of one run, at most")
    arguments.add_argument("--seconds", type=float, default=1, help="of the runs of a point, about")
    given = arguments.parse_args()
    table, left_out = run(given)
    note = f"{machine()}."
    if left_out:
        note += f" Not measured, for the time a run would take: {', '.join(left_out)}."
    draw(table, given.to / "growth.png")
    print(write(given.to, "growth", table, note, report(table)))


if __name__ == "__main__":
    main()
