"""One point of benchmarks/bench_many_features.py, in a process of its own.

    python benchmarks/many_features_point.py POINT SCORES [--home FOLDER]

writes the scores to SCORES (.npy) and prints what was measured as JSON. POINT is JSON: "data" with
a name and the parameters of its generator, "method" ("exact", "context" or a filter), "parameters".
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from joblib.externals.loky import get_reusable_executor
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import baselines
from benchmarks import common
from experiments.datasets import generate, load
from experiments.datasets.generators import GENERATORS
from manifest import manifest_score
from manifest.context import context_score
from manifest.validation import split_classes

MIB = 2**20


def data(name, params, home):
    """X, y and the relevant features; generated columns are scaled to unit variance, in place."""
    if name not in GENERATORS:
        known = load(name, home=home)
        return known.X, known.y, ()
    X, y, relevant = generate(name, np.random.default_rng(0), **params)
    # Column by column: whole-array expressions would take the memory that is to be measured.
    for column in X.T:
        column -= column.mean()
        column /= column.std() or 1.0
    return X, y, relevant


def bar():
    """A progress hook that draws a bar on standard error."""
    shown = tqdm(unit="block")

    def progress(done, total):
        shown.total = total
        shown.update(done - shown.n)

    return progress


def peak(workers):
    """The most bytes that this process and so many workers have held, if all at one time."""
    # What children have held is known once they have ended.
    get_reusable_executor(reuse=True).shutdown(wait=True)
    own, theirs = (
        1024 * resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own + workers * theirs


def measure(point, home):
    """The scores, and a dict of what was measured."""
    X, y, relevant = data(**point["data"], home=home)
    parameters = point["parameters"]
    found: dict[str, object] = {}
    start = time.perf_counter()
    if point["method"] == "exact":
        scores = manifest_score(X, y, geometry="regularized", **parameters)
    elif point["method"] == "context":
        result = context_score(*split_classes(X, y), progress=bar(), **parameters)
        scores = result.scores
    else:
        scores = baselines.get(point["method"])(X, y)
    found["seconds"] = round(time.perf_counter() - start, 3)
    if point["method"] == "context":
        for name in ("agreement", "agreement_of_sizes"):
            found[name] = [round(value, 4) for value in getattr(result, name)(200)]
        found["relative_error"] = round(float(np.median(result.error / scores)), 4)
    # A process is a worker of its own where there is one job.
    jobs = parameters.get("n_jobs", 1)
    found["MiB"] = round(peak(jobs if jobs > 1 else 0) / MIB)
    if relevant:
        best = np.argsort(-scores, kind="stable")[: len(relevant)]
        found["recovered"] = round(float(np.isin(best, relevant).mean()), 3)
    return scores, found


def main():
    parser = common.parser(__doc__, home=True)
    parser.add_argument("point", type=json.loads)
    parser.add_argument("scores", type=Path)
    given = parser.parse_args()
    scores, found = measure(given.point, given.home)
    np.save(given.scores, scores)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
