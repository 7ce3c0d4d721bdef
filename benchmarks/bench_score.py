"""The exact score against the paper's algorithms as they are written, and against its bare calls.

There are 60 samples of continuous features; for "spsd" and "regularized" two features are equal in
the first class, so that Algorithm 2 has something to drop. Everything runs in this process with the
same BLAS threads and takes turns; medians of several runs are compared:

- "literal" is the paper's algorithm, five eigendecompositions and more, in NumPy (tests/oracle.py).
- "bare" is the time of the calls to LAPACK and BLAS that the score makes. They are recorded and
  made again with the same arguments, contiguous and ready in memory; no implementation of this
  algebra can do without them.
- "arrays" is the peak of memory, in arrays of d x d numbers, that NumPy asked for.

Writes results/benchmarks/score.csv and score.md:

    python benchmarks/bench_score.py [--sizes 100 500 1000 2000 3000] [--runs N]
"""

import copy
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Hashable
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import scipy.linalg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import machine, parser, samples, timed, write
from manifest import AmbiguousScoreWarning, manifest_score
from tests import oracle

LITERAL = {"spd": oracle.algorithm_1, "spsd": oracle.algorithm_2, "regularized": oracle.algorithm_2}


def literal(algorithm, X, y):
    """The paper's algorithm from the samples to the score."""
    K1, K2 = (oracle.kernel(X[y == label])[0] for label in (0, 1))
    values, vectors = np.linalg.eigh(algorithm(K1, K2)[1])
    return vectors**2 @ np.abs(values)


class Recorded:
    """Stands for scipy.linalg's blas or lapack and keeps each call with its arguments."""

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
    with ExitStack() as patches:
        for module in [m for n, m in sys.modules.items() if n.partition(".")[0] == "manifest"]:
            for name, value in list(vars(module).items()):
                if value is scipy.linalg.blas or value is scipy.linalg.lapack:
                    stand_in = Recorded(value, calls)
                elif callable(value) and value is getattr(scipy.linalg, name, None):
                    stand_in = recorded(value, calls)
                else:
                    continue
                patches.enter_context(mock.patch.object(module, name, stand_in))
        yield calls


def copies(calls):
    """The recorded calls with arguments that may be overwritten."""
    return [(function, *copy.deepcopy(arguments)) for function, *arguments in calls]


def replay(calls):
    """Make the recorded calls again."""
    for function, args, keywords in calls:
        function(*args, **keywords)


def alternating(actions, prepare, runs):
    """Median seconds of each action. The actions take turns; the first turn does not count.

    A disturbance of the machine then disturbs all actions alike. An action that `prepare` names is
    called with a new value of that function, which is not timed. The idle threads of a BLAS spin
    for a while after its last call and would take time from another library, so each action begins
    after a rest, and a short one is called once more before it counts.
    """
    times: dict = {name: [] for name in actions}
    for _turn in range(runs + 1):
        for name, action in actions.items():
            time.sleep(0.1)
            for _ in range(2 if times[name] and times[name][-1] < 0.1 else 1):
                seconds, _result = timed(partial(action, *(f() for f in prepare.get(name, ()))))
            times[name].append(seconds)
    return {name: float(np.median(values[1:])) for name, values in times.items()}


def arrays(score, d):
    """Peak memory of one score, in arrays of d x d numbers."""
    tracemalloc.start()
    score()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8 * d**2)


def compare(d, runs):
    """One row for each geometry."""
    actions: dict[Hashable, Callable] = {}
    prepare: dict[Hashable, list[Callable]] = {}
    for geometry, algorithm in LITERAL.items():
        X, y = samples(60, d, duplicates=geometry != "spd")
        actions[geometry] = partial(manifest_score, X, y, geometry=geometry)
        with recording() as calls:
            actions[geometry]()
        actions["bare", geometry] = replay
        prepare["bare", geometry] = [partial(copies, calls)]
        # Two geometries share the literal Algorithm 2, which then is measured once.
        actions[algorithm] = partial(literal, algorithm, X, y)
    seconds = alternating(actions, prepare, runs)
    for geometry, algorithm in LITERAL.items():
        ours, bare = seconds[geometry], seconds["bare", geometry]
        yield {
            "geometry": geometry,
            "features": d,
            "seconds": round(ours, 5),
            "literal": round(seconds[algorithm], 5),
            "ratio": round(seconds[algorithm] / ours, 1),
            "bare": round(bare, 5),
            "over bare": round(ours / bare, 2),
            "arrays": round(arrays(actions[geometry], d), 1),
            "runs": runs,
        }


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 2000, 3000])
    arguments.add_argument("--runs", type=int, help="for a median; 21, 5 or 3 by default, by size")
    given = arguments.parse_args()
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    rows = []
    for d in given.sizes:
        rows += compare(d, given.runs or (21 if d <= 500 else 5 if d <= 1000 else 3))
        print(*rows[-len(LITERAL) :], sep="\n", flush=True)
    print(write(given.to, "score", rows, f"{machine()}."))


if __name__ == "__main__":
    main()
