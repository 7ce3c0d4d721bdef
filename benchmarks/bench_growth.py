"""How time and memory grow with the features, the samples and the number of methods.

Random numbers of fixed seed, two classes of half the samples each; for "spsd" two features are
duplicates in the first class, so that Algorithm 2 has something to drop. Three axes:

- features: 60 samples; ManiFeSt and each filter.
- samples: 500 features; ManiFeSt and each filter.
- methods: the first 1 to 9 methods of the paper in an accuracy experiment of fixed size (one random
  split of 200 samples of 100 features, an SVM on 4 numbers of features), on one worker.

Each point is a process of its own, which computes a small case of the same first: its "seconds" are
the median of as many runs as a few seconds allow, its "MiB" the peak of the process above what it
held before the first of these runs, and "arrays" that in matrices of d x d numbers. Where growth
starts is hidden by fixed costs, so an exponent is the slope of log time (or memory) against log
size over the points from a tenth of the largest size on, with its standard error. A method stops at
the size whose time, extrapolated, exceeds the limit of a point; it is then named as not measured.

Writes results/benchmarks/growth.csv, growth.md and growth.png. Points wait in outputs/growth until
all are there, so that a run that was interrupted goes on.

    python benchmarks/bench_growth.py [--features 100 ... 5000 8000] [--samples 20 ...] [--limit S]
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import linregress

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.growth_figure import draw
from benchmarks.growth_point import FILTERS
from benchmarks.measured import FOLDER, ROOT
from experiments.atomic import atomic_write
from experiments.engine.parallel import available_cores
from experiments.provenance import processor
from experiments.report.text import markdown

WAITING = ROOT / "outputs" / "growth"
FEATURES = [100, 200, 500, 1000, 1500, 2000, 3000, 5000]
SAMPLES = [20, 60, 200, 600, 1000, 2000, 4000, 6000]
KEY = ["axis", "method", "n", "d", "methods"]
SIZE = {"features": "d", "samples": "n", "methods": "methods"}


def fit(sizes, values):
    """The slope of log value against log size from a tenth of the largest size on, its error."""
    sizes, values = np.asarray(sizes, float), np.asarray(values, float)
    upper = sizes >= sizes.max() / 10
    if upper.sum() < 3 or not (values[upper] > 0).all():
        return np.nan, np.nan
    line = linregress(np.log(sizes[upper]), np.log(values[upper]))
    return line.slope, line.stderr


def series(chosen):
    """Lists of points, each along one axis, from small to large."""
    common = {"n": 60, "d": 500, "methods": 1}
    for method in ("spd", "spsd", *FILTERS):
        yield [common | {"axis": "features", "method": method, "d": d} for d in chosen.features]
        yield [common | {"axis": "samples", "method": method, "n": n} for n in chosen.samples]
    fixed = {"axis": "methods", "method": "experiment", "n": 200, "d": 100}
    yield [fixed | {"methods": k} for k in range(1, 1 + chosen.methods)]


def too_long(done, size, limit):
    """Whether the next point takes longer than the limit if time goes on as it did."""
    if len(done) < 2:
        return False
    (size1, time1), (size2, time2) = done[-2:]
    slope = max(np.log(time2 / time1) / np.log(size2 / size1), 0.0)
    return time2 * (size / size2) ** slope > limit


def version():
    """A digest of the code that is measured, and of this script."""
    digest = hashlib.sha256(str(available_cores()).encode())
    for folder in ("manifest", "baselines", "experiments", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def measured(point, seconds):
    """Time and memory of a point from a process of its own."""
    script = Path(__file__).with_name("growth_point.py")
    command = [sys.executable, str(script), json.dumps(point), str(seconds)]
    # Without bytecode most of the time would go into compiling what is imported.
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment = kept | {"PYTHONPYCACHEPREFIX": str(WAITING / "bytecode")}
    output = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout
    return json.loads(output.splitlines()[-1])


def run(chosen, waiting):
    """All points: those that wait from before, the others each in a process of its own."""
    known = {}
    if waiting.is_file():
        lines = waiting.read_text().splitlines()
        known = {tuple(row[k] for k in KEY): row for row in map(json.loads, lines)}
    waiting.parent.mkdir(parents=True, exist_ok=True)
    rows, left_out = [], []
    for points in series(chosen):
        done: list[tuple[int, float]] = []
        for point in points:
            size = point[SIZE[point["axis"]]]
            if too_long(done, size, chosen.limit):
                left_out.append(f"{point['method']} at {size} {point['axis']}")
                continue
            row = known.get(tuple(point[k] for k in KEY))
            if row is None:
                row = point | measured(point, chosen.seconds)
                with waiting.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(row, flush=True)
            rows.append(row)
            done.append((size, row["seconds"]))
    return pd.DataFrame(rows), left_out


def exponents(table):
    """A row for each axis and method."""
    rows = []
    for (axis, method), part in table.groupby(["axis", "method"], sort=False):
        sizes = part[SIZE[axis]]
        row = {"axis": axis, "method": method, "from": sizes[sizes >= sizes.max() / 10].min()}
        row |= {"to": sizes.max(), "seconds": f"{part['seconds'].iloc[-1]:.3g}"}
        row |= {"MiB": f"{part['MiB'].iloc[-1]:.3g}"}
        for name in ("seconds", "MiB"):
            # What is less than this in the middle is the noise of pages, not of the method.
            enough = name == "seconds" or part["MiB"].median() > 1
            slope, error = fit(sizes, part[name]) if enough else (np.nan, np.nan)
            row[f"{name} ~ size^"] = "" if np.isnan(slope) else f"{slope:.2f} ± {error:.2f}"
        rows.append(row)
    return pd.DataFrame(rows)


def short(wide):
    """Three digits of each number."""
    return wide.map("{:.3g}".format).reset_index()


def report(table, left_out):
    """growth.md."""
    ours = table[(table["axis"] == "features") & table["method"].isin(["spd", "spsd"])]
    wide = ours.pivot_table(index="d", columns="method", values=["seconds", "MiB", "arrays"])
    wide.columns = [f"{method} {name}" for name, method in wide.columns]
    paragraphs = ["Exponents: see benchmarks/bench_growth.py for what is fitted.\n"]
    paragraphs += [markdown(exponents(table))]
    paragraphs += ["ManiFeSt against features (60 samples):\n", markdown(short(wide))]
    by_n = table[table["axis"] == "samples"].pivot_table(
        index="n", columns="method", values="seconds", sort=False
    )
    paragraphs += ["Seconds against samples (500 features):\n", markdown(short(by_n))]
    methods = table[table["axis"] == "methods"][["methods", "seconds", "MiB", "runs"]]
    paragraphs += ["An experiment against its number of methods:\n", markdown(methods)]
    if len(methods) > 2:
        line = linregress(methods["methods"], methods["seconds"])
        paragraphs[-1] += (
            f"\n{line.intercept:.2f} s and {line.slope:.2f} ± {line.stderr:.2f} s a method.\n"
        )
    machine = f"Cores: {available_cores()}; {processor()}."
    if left_out:
        machine += " Not measured, for the time a run would take: " + ", ".join(left_out) + "."
    return "\n".join([*paragraphs, machine + "\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--features", type=int, nargs="*", default=FEATURES)
    parser.add_argument("--samples", type=int, nargs="*", default=SAMPLES)
    parser.add_argument("--methods", type=int, default=1 + len(FILTERS), help="at most")
    parser.add_argument("--limit", type=float, default=120, help="seconds of one run, at most")
    parser.add_argument("--seconds", type=float, default=1, help="of the runs of a point, about")
    chosen = parser.parse_args()
    waiting = WAITING / f"{version()}.jsonl"
    table, left_out = run(chosen, waiting)
    with atomic_write(FOLDER / "growth.csv") as part:
        table.to_csv(part, index=False)
    with atomic_write(FOLDER / "growth.md") as part:
        part.write_text(report(table, left_out))
    draw(FOLDER / "growth.csv", FOLDER / "growth.png")
    print(markdown(exponents(table)))
    waiting.unlink()


if __name__ == "__main__":
    main()
