"""The exact score against the paper's algorithms as they are written, and against its bare calls.

60 samples of continuous features; in the first class of the singular case two features are
duplicates, so that Algorithm 2 has something to drop. Everything runs in this process with the same
BLAS threads, in turn, and medians of several runs are compared:

- "literal" is the paper's algorithm, five eigendecompositions and more, in NumPy (tests/oracle.py).
- "bare" are the calls to LAPACK and BLAS that the score makes, recorded and made again with the
  same arguments, contiguous and ready in memory: what no implementation of this algebra can save.
- "arrays" is the peak of memory, in arrays of d x d numbers, that NumPy asked for.

Writes results/benchmarks/score.csv and score.md. One large score on its own, with its time and the
peak of the process, goes to score_large.csv and .md:

    python benchmarks/bench_score.py [--sizes 100 500 1000 2000 3000]
    python benchmarks/bench_score.py --large 20000
"""

import argparse
import copy
import resource
import sys
import time
import tracemalloc
import warnings
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import scipy.linalg
from threadpoolctl import threadpool_info

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import manifest.kernels
import manifest.linalg
import manifest.regularized
import manifest.score
import manifest.spd
import manifest.spsd
from benchmarks.measured import FOLDER, samples
from experiments.atomic import atomic_write
from experiments.engine.parallel import available_cores
from experiments.provenance import processor
from experiments.report.text import markdown
from manifest import AmbiguousScoreWarning, manifest_score
from tests import oracle

MODULES = (
    manifest.kernels,
    manifest.linalg,
    manifest.regularized,
    manifest.score,
    manifest.spd,
    manifest.spsd,
)
LITERAL = {"spd": oracle.algorithm_1, "spsd": oracle.algorithm_2, "regularized": oracle.algorithm_2}


def literal(algorithm, X, y):
    """The paper's algorithm from the samples to the score."""
    K1, K2 = (oracle.kernel(X[y == label])[0] for label in (0, 1))
    values, vectors = np.linalg.eigh(algorithm(K1, K2)[1])
    return vectors**2 @ np.abs(values)


class Recorded:
    """Stands for scipy.linalg's blas or lapack and keeps what is called with what."""

    def __init__(self, module, calls):
        self.module, self.calls = module, calls

    def __getattr__(self, name):
        return recorded(getattr(self.module, name), self.calls)


def recorded(function, calls):
    def call(*args, **keywords):
        calls.append((function, *copy.deepcopy((args, keywords))))
        return function(*args, **keywords)

    return call


@contextmanager
def recording():
    """Record all calls that the package makes of scipy.linalg, with copies of their arguments."""
    calls: list[tuple] = []
    patches = []
    for module in MODULES:
        for name, value in vars(module).items():
            if value is scipy.linalg.blas or value is scipy.linalg.lapack:
                patches.append(mock.patch.object(module, name, Recorded(value, calls)))
            elif callable(value) and value is getattr(scipy.linalg, name, None):
                patches.append(mock.patch.object(module, name, recorded(value, calls)))
    for patch in patches:
        patch.start()
    try:
        yield calls
    finally:
        for patch in patches:
            patch.stop()


def bare(calls, runs):
    """The median of the seconds that the recorded calls take."""

    def once():
        ready = [(call[0], *copy.deepcopy(call[1:])) for call in calls]
        start = time.perf_counter()
        for function, args, keywords in ready:
            function(*args, **keywords)
        return time.perf_counter() - start

    return median(once, runs)


def seconds(function, X, y, runs):
    """The median of the seconds that a score takes."""

    def once():
        start = time.perf_counter()
        function(X, y)
        return time.perf_counter() - start

    return median(once, runs)


def median(once, runs):
    # The threads of the BLAS that ran before go on spinning for a while; what rested is cold.
    time.sleep(0.2)
    if runs > 5:
        once()
    return float(np.median([once() for _ in range(runs)]))


def arrays(X, y, geometry):
    """Peak memory of one score, in arrays of d x d numbers."""
    tracemalloc.start()
    manifest_score(X, y, geometry=geometry)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8 * X.shape[1] ** 2)


@cache
def literal_seconds(d, algorithm, singular, runs):
    X, y = samples(60, d, singular)
    return seconds(partial(literal, algorithm), X, y, runs)


def compare(d, geometry, runs):
    singular = geometry != "spd"
    X, y = samples(60, d, singular)
    ours = partial(manifest_score, geometry=geometry)
    with recording() as calls:
        ours(X, y)
    mine = seconds(ours, X, y, runs)
    theirs = literal_seconds(d, LITERAL[geometry], singular, runs)
    alone = bare(calls, runs)
    return {
        "geometry": geometry,
        "features": d,
        "seconds": round(mine, 5),
        "literal": round(theirs, 5),
        "ratio": round(theirs / mine, 1),
        "bare": round(alone, 5),
        "over bare": round(mine / alone, 2),
        "arrays": round(arrays(X, y, geometry), 1),
        "runs": runs,
    }


def large(d):
    """One score of many features: time, processor time and the peak of this process."""
    X, y = samples(60, d, duplicates=False)
    start, cpu = time.perf_counter(), time.process_time()
    score = manifest_score(X, y, geometry="spd")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    assert np.isfinite(score).all()
    return {
        "geometry": "spd",
        "features": d,
        "minutes": round((time.perf_counter() - start) / 60, 1),
        "CPU minutes": round((time.process_time() - cpu) / 60, 1),
        "peak GiB": round(peak, 2),
        "arrays": round(peak * 2**30 / (8 * d**2), 1),
        "threads": threads(),
    }


def threads():
    pools = (pool for pool in threadpool_info() if pool["user_api"] == "blas")
    return max((pool["num_threads"] for pool in pools), default=1)


def write(name, rows):
    table = pd.DataFrame(rows)
    with atomic_write(FOLDER / f"{name}.csv") as part:
        table.to_csv(part, index=False)
    note = f"\n{available_cores()} cores, {threads()} BLAS threads; {processor()}.\n"
    with atomic_write(FOLDER / f"{name}.md") as part:
        part.write_text(markdown(table) + note)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 2000, 3000])
    parser.add_argument("--large", type=int, help="one score of so many features, nothing else")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    if chosen.large:
        row = large(chosen.large)
        print(row)
        write("score_large", [row])
        return
    rows = []
    for d in chosen.sizes:
        for geometry in LITERAL:
            rows.append(compare(d, geometry, runs=21 if d <= 500 else 5 if d <= 1000 else 3))
            print(rows[-1], flush=True)
    write("score", rows)


if __name__ == "__main__":
    main()
