"""Many features: the score block by block against the exact one, its growth, what it recovers.

- agreement: prostate (5966 genes) and Gisette-like data (5000 features) at percentiles 10, 50 and
  90 of the distances. "spearman" is the rank correlation with the exact score, "of 200" how many of
  the best 200 features are among its best 200, "time" the share of the exact time. "two halves" and
  "two sizes" are what the approximation knows of itself: Spearman's rank correlation and the share
  of the best 200 in common, between halves of the repeats and with blocks of half the size.
- recovery: expression_like data with planted blocks, whose features differ between the classes in
  their correlation alone: the share of planted features among as many best ones.
- growth (--growth, none by default): time and memory of 100 samples of so many features, planted
  blocks of 100; the exponents are slopes of log time, and log memory, against log features.

Every point runs in a process of its own, one after the other. "MiB" is the peak of the process and
of its workers together. Writes results/benchmarks/many_features.csv and many_features.md.

    python benchmarks/bench_many_features.py [--exact 20000] [--growth 12500 25000 50000 450000]
"""

import resource
import sys
import tempfile
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import baselines
from benchmarks.common import MIB, fresh, machine, parser, timed, write
from experiments.datasets import generate, load
from experiments.report.text import markdown
from manifest import manifest_score
from manifest.context import agreement, context_score

SIZES = ("block", "context", "repeats")
#: The first are the defaults of the score.
SETTINGS = [
    dict(zip(SIZES, sizes, strict=True)) for sizes in ((2000, 0, 2), (1000, 0, 2), (1000, 1000, 2))
]
#: The scale at which features that are not correlated are far apart in the kernel.
SHARP = {"scale_factor": 0.4}
FILTERS = ("anova", "relieff")
TOP = 200
#: Columns of the report and their formats.
FORMS = {
    "data": "{}", "features": "{}", "scale": "{}", "method": "{}", "block": "{:.0f}",
    "context": "{:.0f}", "repeats": "{:.0f}", "seconds": "{:.3g}", "MiB": "{:.0f}",
    "time": "{:.2f}", "spearman": "{:.4f}", "of 200": "{:.0f}", "recovered": "{:.2f}",
    "two halves": "{0[0]:.3f}, {0[1]:.3f}", "two sizes": "{0[0]:.3f}, {0[1]:.3f}",
}  # fmt: skip


def points(chosen):
    """All points, each approximation after the exact score of the same samples."""
    shapes = {"prostate_ge": {}, "gisette_like": {"n_samples": 200, "n_features": 5000}}
    tables: list[tuple] = [
        ("agreement", name, shapes[name], {"percentile": percentile}, ())
        for name in chosen.data
        for percentile in chosen.percentiles
    ]
    for section, block, sizes in (
        ("recovery", 20, (*chosen.recovery, *chosen.exact)),
        ("growth", 100, chosen.growth),
    ):
        shape = [{"n_features": d, "block": block} for d in sizes]
        tables += [(section, "expression_like", params, SHARP, FILTERS) for params in shape]
    for section, data, params, scale, filters in tables:
        point = {"section": section, "data": data, "params": params}
        scores = [("exact", dict.fromkeys(SIZES)), *(("context", each) for each in SETTINGS)]
        for method, sizes in scores[1:2] if section == "growth" else scores:
            yield point | {"method": method, "scale": scale, "sizes": sizes}
        for method in filters:
            yield point | {"method": method, "scale": {}, "sizes": dict.fromkeys(SIZES)}


def samples(name, params, home):
    """X, y and the relevant features; generated columns are scaled to unit variance, in place."""
    if name == "prostate_ge":
        known = load(name, home=home)
        return known.X, known.y, ()
    X, y, relevant = generate(name, np.random.default_rng(0), **params)
    # Column by column: whole-array expressions would take the memory that is to be measured.
    for column in X.T:
        column -= column.mean()
        column /= column.std() or 1.0
    return X, y, relevant


def peak(workers):
    """The most bytes that this process and so many workers have held, if all at one time."""
    from joblib.externals.loky import get_reusable_executor

    # What children have held is known once they have ended.
    get_reusable_executor(reuse=True).shutdown(wait=True)
    own, theirs = (
        1024 * resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own + workers * theirs


def measured(point, home, scores_file):
    """Measure one point in this process, and leave its scores in a file (.npy)."""
    X, y, relevant = samples(point["data"], point["params"], home)
    jobs = joblib.cpu_count()
    row = {}
    if point["method"] == "exact":
        score = partial(manifest_score, X, y, geometry="regularized", **point["scale"])
    elif point["method"] == "context":
        score = partial(context_score, X, y, n_jobs=jobs, **point["scale"], **point["sizes"])
    else:
        score = partial(baselines.get(point["method"]), X, y)
    seconds, scores = timed(score)
    row["seconds"] = round(seconds, 3)
    workers = 0
    if point["method"] == "context":
        for name, own in (("two halves", "agreement"), ("two sizes", "agreement_of_sizes")):
            row[name] = [round(value, 4) for value in getattr(scores, own)(TOP)]
        scores = scores.scores
        # A process is a worker of its own if there is one job.
        workers = jobs if jobs > 1 else 0
    row["MiB"] = round(peak(workers) / MIB)
    if relevant:
        best = np.argsort(-scores, kind="stable")[: len(relevant)]
        row["recovered"] = round(float(np.isin(best, relevant).mean()), 3)
    np.save(scores_file, scores)
    return row


def run(points, home):
    """A row for each point, and what an approximation has in common with the exact score."""
    rows: list[dict] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, point in enumerate(points):
            scores = Path(folder) / f"{number}.npy"
            row = {
                "section": point["section"],
                "data": point["data"],
                "features": point["params"].get("n_features", 5966),
                "scale": ", ".join(f"{name} {value}" for name, value in point["scale"].items()),
                "method": point["method"],
                **point["sizes"],
                **fresh(measured, point, str(home), str(scores))[1],
            }
            if row["method"] == "exact":
                exact, reference = row, np.load(scores)
            elif row["method"] == "context" and row["section"] != "growth":
                near = agreement(np.load(scores), reference, TOP)
                row |= {"spearman": near.spearman, "of 200": round(TOP * near.top)}
                row["time"] = row["seconds"] / exact["seconds"]
            print(row, flush=True)
            rows.append(row)
    return pd.DataFrame(rows)


def exponents(growth):
    """Slopes of log seconds and log MiB against log features, by method; one sentence each."""
    for method, part in growth.groupby("method", sort=False):
        if len(part) > 1:
            time, memory = (
                np.polyfit(np.log(part["features"]), np.log(part[name]), 1)[0]
                for name in ("seconds", "MiB")
            )
            yield f"{method}: seconds ~ features^{time:.2f}, MiB ~ features^{memory:.2f}."


def report(table):
    """The sections of many_features.md."""
    shown = pd.DataFrame(
        {
            name: ["" if cell is None or cell != cell else form.format(cell) for cell in cells]
            for name, form in FORMS.items()
            if (cells := table.get(name)) is not None
        },
        index=table.index,
    )
    paragraphs = ["What the columns mean: see benchmarks/bench_many_features.py.\n"]
    for section, part in shown.groupby(table["section"], sort=False):
        paragraphs += [
            f"## {str(section).capitalize()}\n",
            markdown(part.loc[:, (part != "").any()]),
        ]
        if section == "growth":
            paragraphs += [line + "\n" for line in exponents(table[table["section"] == section])]
    return "\n".join(paragraphs)


def main():
    arguments = parser(__doc__, home=True)
    names = ["prostate_ge", "gisette_like"]
    arguments.add_argument("--data", nargs="*", choices=names, default=names)
    arguments.add_argument("--percentiles", type=float, nargs="+", default=[10, 50, 90])
    arguments.add_argument("--recovery", type=int, nargs="*", default=[5000], help="features")
    arguments.add_argument("--exact", type=int, nargs="*", default=[], help="more: an hour")
    arguments.add_argument("--growth", type=int, nargs="*", default=[], help="features")
    chosen = arguments.parse_args()
    table = run(points(chosen), chosen.home)
    print(write(chosen.to, "many_features", table, f"{machine()}.", report(table)))


if __name__ == "__main__":
    main()
