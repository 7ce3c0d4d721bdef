"""Measure how time and memory grow with the number of features: geometries, blocks, set forms.

60 samples of random numbers, in two classes of equal size. Each point is a process of its own with
one BLAS thread, which scores a small case first: "seconds" are its processor time, "MiB" is the
peak of the process above what it held before. Writes results/benchmarks/growth.csv and growth.md.

    python -m benchmarks.bench_growth      half an hour of one core and 6 GiB
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from benchmarks.common import ROOT, parser, samples, write
from manifest import ManiFeStSet, manifest_score

#: Block size of the score, and of the set form, which scores each block at four scales.
BLOCK, SET_BLOCK = 2000, 1000
FORMS = {"spsd": "Algorithm 2", "regularized": "regularized", "euclidean": "K1 - K2"}
FORMS |= {"log_euclidean": "log K1 - log K2"}


def set_form(X, y, **parameters):
    """Fit the set form with as many permutations as in experiments."""
    ManiFeStSet(n_permutations=3, **parameters).fit(X, y)


riemannian = partial(set_form, geometry="regularized")
#: Way -> what is measured, and at how many features.
WAYS: dict[str, tuple[Callable, list[int]]] = {
    label: (partial(manifest_score, geometry=geometry), [500, 2000, 8000])
    for geometry, label in FORMS.items()
} | {
    "blocks": (partial(manifest_score, block=BLOCK), [20000, 40000]),
    "set, Riemannian": (riemannian, [2000]),
    "set, Riemannian, blocks": (partial(riemannian, block=SET_BLOCK), [20000]),
    "set, K1 - K2": (set_form, [2000, 10000]),
    "set, K1 - K2, blocks": (partial(set_form, block=BLOCK), [20000]),
}


def measured(way, d):
    """Return processor seconds and MiB of one point, measured in this process."""
    score, _ = WAYS[way]
    X, y = samples(60, d)
    score(X[:, :50], y)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    score(X, y)
    seconds = time.process_time() - start
    unit = 1 if sys.platform == "darwin" else 1024
    mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit / 2**20
    return {"seconds": round(seconds, 2), "MiB": round(mib, 1)}


def measured_alone(way, d):
    """Return the same, measured in a process of its own."""
    program = "import json; from benchmarks.bench_growth import measured\n"
    program += f"print(json.dumps(measured({way!r}, {d})))"
    env = os.environ | dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"], "1")
    return json.loads(subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, env=env))


def main():
    given = parser(__doc__).parse_args()
    rows = []
    for way, (_, sizes) in WAYS.items():
        for d in sizes:
            rows.append({"way": way, "features": d, **measured_alone(way, d)})
    note = f"Blocks of {BLOCK}, for the set form of {SET_BLOCK}. One thread a process;"
    print(write(given.to, "growth", rows, note))


if __name__ == "__main__":
    main()
