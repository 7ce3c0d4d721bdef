"""The exact score against the paper's algorithms as they are written, in the same process.

60 samples of continuous features with one duplicated pair in the first class (so that Algorithm 2
has something to drop), median of several runs. Writes results/benchmarks/score.csv and score.md.

    python benchmarks/bench_score.py [--sizes 100 500 1000 2000]
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.parallel import available_cores
from experiments.store import whole
from experiments.tables import markdown
from manifest import AmbiguousScoreWarning, manifest_score
from tests import oracle

FOLDER = Path(__file__).resolve().parents[1] / "results" / "benchmarks"


def samples(d, singular):
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(60, d)), np.arange(60) % 2
    if singular:
        X[y == 0, 0] = X[y == 0, 1]
    return X, y


def literal(algorithm):
    """The paper's algorithm from the samples to the score."""

    def score(X, y):
        K1, K2 = (oracle.kernel(X[y == label])[0] for label in (0, 1))
        values, vectors = np.linalg.eigh(algorithm(K1, K2)[1])
        return vectors**2 @ np.abs(values)

    return score


def ours(geometry):
    return lambda X, y: manifest_score(X, y, geometry=geometry)


CASES = {
    "spd": (False, ours("spd"), literal(oracle.algorithm_1)),
    "spsd": (True, ours("spsd"), literal(oracle.algorithm_2)),
    "regularized": (True, ours("regularized"), literal(oracle.algorithm_2)),
}


def seconds(score, X, y, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        score(X, y)
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 1000, 2000])
    rows = []
    for d in parser.parse_args().sizes:
        runs = 21 if d <= 500 else 3
        for name, (singular, fast, slow) in CASES.items():
            X, y = samples(d, singular)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", AmbiguousScoreWarning)
                mine, theirs = seconds(fast, X, y, runs), seconds(slow, X, y, max(1, runs // 3))
            rows.append(
                {
                    "geometry": name,
                    "features": d,
                    "seconds": round(mine, 4),
                    "literal": round(theirs, 4),
                    "ratio": round(theirs / mine, 1),
                }
            )
            print(rows[-1])
    table = pd.DataFrame(rows)
    threads = max((lib["num_threads"] for lib in threadpool_info()), default=1)
    with whole(FOLDER / "score.csv") as part:
        table.to_csv(part, index=False)
    note = f"\nMedians in one process; {available_cores()} cores, {threads} BLAS threads.\n"
    with whole(FOLDER / "score.md") as part:
        part.write_text(markdown(table) + note)


if __name__ == "__main__":
    main()
