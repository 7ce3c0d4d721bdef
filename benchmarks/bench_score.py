"""Compare the exact score with a literal transcription of the paper's algorithms.

The data are 60 samples of continuous features. For "spsd" and "regularized" two features are equal
in the first class, so that Algorithm 2 has a direction to drop. All versions run in turns in this
process with the same BLAS threads. The medians of several runs are compared:

- "literal" is the paper's algorithm, five eigendecompositions and more, in NumPy (tests/oracle.py).
- "arrays" is the peak memory that NumPy allocates, in arrays of d x d numbers.

Writes results/benchmarks/score.csv and score.md:

    python benchmarks/bench_score.py [--sizes 100 500 1000 2000 3000] [--runs N]
"""

import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import machine, parser, samples, timed, write
from manifest import AmbiguousScoreWarning, manifest_score
from tests import oracle

LITERAL = {"spd": oracle.algorithm_1, "spsd": oracle.algorithm_2, "regularized": oracle.algorithm_2}


def literal(algorithm, X, y):
    """Compute the score from the samples by the paper's algorithm as written."""
    K1, K2 = (oracle.kernel(X[y == label])[0] for label in (0, 1))
    values, vectors = np.linalg.eigh(algorithm(K1, K2)[1])
    return vectors**2 @ np.abs(values)


def alternating(actions, runs):
    """Return the median seconds of each action. Actions run in turns; the first turn is ignored.

    A disturbance of the machine then affects all actions in the same way. The idle threads of a
    BLAS spin for a while after its last call and slow down other libraries. Each action therefore
    begins after a pause, and a short action runs once before it is measured.
    """
    times: dict = {name: [] for name in actions}
    for _turn in range(runs + 1):
        for name, action in actions.items():
            time.sleep(0.1)
            for _ in range(2 if times[name] and times[name][-1] < 0.1 else 1):
                seconds, _result = timed(action)
            times[name].append(seconds)
    return {name: float(np.median(values[1:])) for name, values in times.items()}


def arrays(score, d):
    """Return the peak memory of one score, in arrays of d x d numbers."""
    tracemalloc.start()
    score()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8 * d**2)


def compare(d, runs):
    """Return one row for each geometry."""
    actions: dict[Hashable, Callable] = {}
    for geometry, algorithm in LITERAL.items():
        X, y = samples(60, d, duplicates=geometry != "spd")
        actions[geometry] = partial(manifest_score, X, y, geometry=geometry)
        # Two geometries share the literal Algorithm 2, which is therefore measured once.
        actions[algorithm] = partial(literal, algorithm, X, y)
    seconds = alternating(actions, runs)
    for geometry, algorithm in LITERAL.items():
        ours = seconds[geometry]
        yield {
            "geometry": geometry,
            "features": d,
            "seconds": round(ours, 5),
            "literal": round(seconds[algorithm], 5),
            "ratio": round(seconds[algorithm] / ours, 1),
            "arrays": round(arrays(actions[geometry], d), 1),
            "runs": runs,
        }


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 2000, 3000])
    arguments.add_argument("--runs", type=int, help="runs for a median; default: 21, 5, 3 by size")
    given = arguments.parse_args()
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    rows = []
    for d in given.sizes:
        rows += compare(d, given.runs or (21 if d <= 500 else 5 if d <= 1000 else 3))
        print(*rows[-len(LITERAL) :], sep="\n", flush=True)
    print(write(given.to, "score", rows, f"{machine()}."))


if __name__ == "__main__":
    main()
