"""Measure how time and memory grow with the number of features, exactly and in random blocks.

60 samples of random numbers, in two classes of equal size. Each point is a process of its own with
one BLAS thread, which scores a small case first: "seconds" are its processor time, "MiB" is the
peak of the process above what it held before. Writes results/benchmarks/growth.csv and growth.md.

    python benchmarks/bench_growth.py [--exact 1000 2000 4000] [--blocks 5000 10000 20000 40000]
        [--set 5000 10000 20000] [--flat 2000 10000]
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import ROOT, parser, samples, write
from manifest import ManiFeStSet, manifest_score

#: Block size of the score, and of the set form, which scores each block at four scales.
BLOCK, SET_BLOCK = 2000, 1000
WAYS = {
    "exact": lambda X, y: manifest_score(X, y),
    "blocks": lambda X, y: manifest_score(X, y, block=BLOCK),
    "set": lambda X, y: ManiFeStSet(n_permutations=3).fit(X, y),
    "set, blocks": lambda X, y: ManiFeStSet(n_permutations=3, block=SET_BLOCK).fit(X, y),
    "set, K1 - K2": lambda X, y: ManiFeStSet(n_permutations=3, geometry="euclidean").fit(X, y),
}


def measured(way, d):
    """Return processor seconds and MiB of one point, measured in this process."""
    score, (X, y) = WAYS[way], samples(60, d)
    score(X[:, :50], y)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    score(X, y)
    seconds = time.process_time() - start
    unit = 1 if sys.platform == "darwin" else 1024
    mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit / 2**20
    return {"seconds": round(seconds, 2), "MiB": round(mib, 1)}


def measured_alone(way, d):
    """The same in a process of its own."""
    program = "import json; from benchmarks.bench_growth import measured\n"
    program += f"print(json.dumps(measured({way!r}, {d})))"
    env = os.environ | dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"], "1")
    return json.loads(subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, env=env))


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--exact", type=int, nargs="*", default=[1000, 2000, 4000])
    arguments.add_argument("--blocks", type=int, nargs="*", default=[5000, 10000, 20000, 40000])
    arguments.add_argument("--set", type=int, nargs="*", default=[5000, 10000, 20000], dest="sets")
    arguments.add_argument("--flat", type=int, nargs="*", default=[2000, 10000])
    given = arguments.parse_args()
    several = (given.exact, given.blocks, given.flat[:1], given.sets, given.flat)
    sizes = zip(WAYS, several, strict=True)
    points = [(way, d) for way, numbers in sizes for d in numbers]
    rows = [{"way": way, "features": d, **measured_alone(way, d)} for way, d in points]
    note = f"Blocks of {BLOCK}, for the set form of {SET_BLOCK}. One thread a process;"
    print(write(given.to, "growth", rows, note))


if __name__ == "__main__":
    main()
