"""Compare the exact score with a literal transcription of the paper's algorithms.

There are 60 samples of continuous features; for "spsd" and "regularized" two features are equal in
the first class, so that Algorithm 2 has something to drop. Medians of several runs in one process
are compared:

- "literal" is the paper's algorithm, five eigendecompositions and more, in NumPy (tests/oracle.py).
- "arrays" is the peak memory that NumPy allocates, in arrays of d x d numbers.

Writes results/benchmarks/score.csv and score.md:

    python -m benchmarks.bench_score [--sizes 100 500 1000 2000 3000] [--runs 5]
"""

import tracemalloc
import warnings
from functools import partial

from benchmarks.common import parser, samples, timed, write
from manifest import AmbiguousScoreWarning, manifest_score
from tests import oracle

LITERAL = {"spd": oracle.algorithm_1, "spsd": oracle.algorithm_2, "regularized": oracle.algorithm_2}


def literal(algorithm, X, y):
    """Compute the score from the samples by the paper's algorithm as written."""
    K1, K2 = (oracle.kernel(X[y == label])[0] for label in (0, 1))
    return oracle.score(algorithm(K1, K2)[1])


def arrays(score, d):
    """Return the peak memory of a call, in arrays of d x d numbers."""
    tracemalloc.start()
    score()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8 * d**2)


def compared(geometry, d, runs):
    """The row of a geometry."""
    X, y = samples(60, d, duplicates=geometry != "spd")
    score = partial(manifest_score, X, y, geometry=geometry)
    score()  # The first call of a library is slower.
    (ours, _), (theirs, _) = (
        timed(each, runs) for each in (score, partial(literal, LITERAL[geometry], X, y))
    )
    return {
        "geometry": geometry,
        "features": d,
        "seconds": round(ours, 5),
        "literal": round(theirs, 5),
        "ratio": round(theirs / ours, 1),
        "arrays": round(arrays(score, d), 1),
        "runs": runs,
    }


def main():
    arguments = parser(__doc__, runs=5)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 2000, 3000])
    given = arguments.parse_args()
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    rows = []
    for d in given.sizes:
        rows += [compared(geometry, d, given.runs) for geometry in LITERAL]
    print(write(given.to, "score", rows, "60 samples;"))


if __name__ == "__main__":
    main()
