"""One point of benchmarks/bench_growth.py, in a process that imports no more than it uses.

    python benchmarks/growth_point.py POINT SECONDS

prints time and memory as JSON; POINT is JSON too, with axis, method, n, d and methods.
"""

import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import composed, samples

FILTERS = ["gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff"]
MIB = 2**20


def scoring(point, folder):
    """What a point measures: the function, the small case that goes before and the case itself."""
    method, n, d = point["method"], point["n"], point["d"]
    if point["axis"] == "methods":
        names = [*FILTERS, "manifest"][: point["methods"]]
        return experiment, (names[:1], folder / "small", 1), (names, folder / "case", 1)
    if method in ("spd", "spsd"):
        from manifest import AmbiguousScoreWarning, manifest_score

        warnings.simplefilter("ignore", AmbiguousScoreWarning)

        def score(X, y):
            return manifest_score(X, y, geometry=method)
    else:
        import baselines

        score = baselines.get(method)
    duplicates = method == "spsd"
    return score, samples(min(n, 20), 20, duplicates), samples(n, d, duplicates)


def experiment(names, folder, repetitions):
    """One accuracy experiment, each time in a store of its own."""
    from experiments.runner import run_experiment

    folder.mkdir()
    X, y = samples(200, 100)
    X[y == 1, :10] += 0.5
    np.savez(folder / "data.npz", X=X, y=y)
    overrides = [
        "experiment=colon",
        "profile=smoke",
        "dataset=file",
        f"dataset.path={folder / 'data.npz'}",
        "dataset.target=y",
        f"method=[{','.join(names)}]",
        f"protocol.n_repetitions={repetitions}",
        "protocol.readings=[paper]",
        "protocol.sizes=[5,10,20,50]",
        "protocol.inner_folds=5",
        "workers=1",
        f"store={folder / 'store'}",
    ]
    run_experiment(composed(*overrides), folder / "run")


def resident(field):
    """VmRSS, what the process holds, or VmHWM, the most that it has held, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def measure(point, seconds):
    """Time and memory of one point, in this process."""
    with tempfile.TemporaryDirectory() as name:
        function, small, case = scoring(point, Path(name))
        function(*small)
        if sys.platform == "linux":
            Path("/proc/self/clear_refs").write_text("5")  # the most so far becomes what is held
            before = resident("VmRSS")
        times: list[float] = []
        mib = np.nan
        while not times or (sum(times) + times[-1] < seconds and len(times) < 25):
            if times and point["axis"] == "methods":
                case = (case[0], Path(name) / f"case{len(times)}", case[2])
            start = time.perf_counter()
            function(*case)
            times.append(time.perf_counter() - start)
            if len(times) == 1 and sys.platform == "linux":
                mib = (resident("VmHWM") - before) / MIB
    dense = point["method"] in ("spd", "spsd")
    return {
        "seconds": round(float(np.median(times)), 6),
        "MiB": round(mib, 2),
        "arrays": round(mib * MIB / (8 * point["d"] ** 2), 2) if dense else np.nan,
        "runs": len(times),
    }


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]), float(sys.argv[2]))))
