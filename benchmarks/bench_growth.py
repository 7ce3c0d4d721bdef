"""Measure how time and memory grow with the number of features, exactly and in random blocks.

The data are 60 samples of random numbers in two classes of equal size. Each point is measured in a
separate process with one BLAS thread, which first scores a small case. "seconds" is processor time,
and "MiB" the peak memory above the initial memory. An exponent is the slope of the logarithm of
time or memory against that of the features. Writes results/benchmarks/growth.csv and growth.md.

    python benchmarks/bench_growth.py [--exact 1000 2000 4000] [--blocks 5000 10000 20000 40000]
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import ENVIRONMENT, MIB, fresh, machine, parser, samples, write
from manifest import ManiFeStSet, manifest_score

#: Block size of the score, and of the set form, which scores each block at four scales.
BLOCK, SET_BLOCK = 2000, 1000
WAYS = {
    "exact": lambda X, y: manifest_score(X, y),
    "blocks": lambda X, y: manifest_score(X, y, block=BLOCK),
    "set, blocks": lambda X, y: ManiFeStSet(n_permutations=3, block=SET_BLOCK).fit(X, y),
}


def measured(way, d):
    """Return processor seconds and MiB of one point, measured in this process."""
    score, (X, y) = WAYS[way], samples(60, d)
    score(X[:, :50], y)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    score(X, y)
    seconds = time.process_time() - start
    unit = 1 if sys.platform == "darwin" else 1024
    mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit / MIB
    return {"seconds": round(seconds, 2), "MiB": round(mib, 1)}


def exponents(table):
    """Return a sentence for each way with two points or more."""
    for way, part in table.groupby("way", sort=False):
        if len(part) > 1:
            time_, memory = (
                np.polyfit(np.log(part["features"]), np.log(part[name]), 1)[0]
                for name in ("seconds", "MiB")
            )
            yield f"{way}: seconds ~ features^{time_:.2f}, MiB ~ features^{memory:.2f}."


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--exact", type=int, nargs="*", default=[1000, 2000, 4000])
    arguments.add_argument("--blocks", type=int, nargs="*", default=[5000, 10000, 20000, 40000])
    arguments.add_argument("--set", type=int, nargs="*", default=[5000, 10000, 20000], dest="sets")
    given = arguments.parse_args()
    ENVIRONMENT.update(dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"], "1"))
    rows = []
    for way, sizes in zip(WAYS, (given.exact, given.blocks, given.sets), strict=True):
        for d in sizes:
            rows.append({"way": way, "features": d, **fresh(measured, way, d)[1]})
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    blocks = f"Blocks of {BLOCK}, for the set form of {SET_BLOCK}."
    note = f"{blocks} {' '.join(exponents(table))} One thread; {machine()}."
    print(write(given.to, "growth", table, note))


if __name__ == "__main__":
    main()
