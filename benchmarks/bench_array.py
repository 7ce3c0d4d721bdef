"""The exact score of torch and CuPy arrays against the same score of NumPy arrays.

There are 60 samples of continuous features; for "spsd" two features are equal in the first class,
so that Algorithm 2 has something to drop. All libraries run in this process and take turns, on the
cores that it may use. An array lies on its device before the clock starts, and the score is back in
NumPy when the clock stops. "ratio" is NumPy's time over the library's; "difference" is the largest
difference of a score from NumPy's, as a share of the largest score. A library or a GPU that is not
at hand is named and not measured. Writes results/benchmarks/array.csv and array.md.

    python benchmarks/bench_array.py [--sizes 200 500 1000 2000] [--runs N]
"""

import importlib
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import alternating, machine, parser, runs_at, samples, write
from experiments.engine.parallel import available_cores
from manifest import AmbiguousScoreWarning, manifest_score

GEOMETRIES = ("spd", "spsd", "regularized")


def libraries():
    """What is at hand: name -> (to its device, back); and why the others are not measured."""
    found: dict[str, tuple[Callable, Callable]] = {"NumPy": (np.asarray, np.asarray)}
    missing = []
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        missing.append("torch: not installed; not measured.")
    else:
        torch.set_num_threads(available_cores())
        found[f"torch {torch.__version__}, CPU"] = (torch.asarray, lambda a: a.numpy())
        if torch.cuda.is_available():
            found[f"torch {torch.__version__}, {torch.cuda.get_device_name()}"] = (
                lambda a: torch.asarray(a, device="cuda"),
                lambda a: a.cpu().numpy(),
            )
    try:
        cupy = importlib.import_module("cupy")
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    except ImportError:
        missing.append("CuPy: not installed; not measured.")
    except cupy.cuda.runtime.CUDARuntimeError:
        missing.append("CuPy: finds no GPU; not measured.")
    else:
        found[f"CuPy {cupy.__version__}, {name}"] = (cupy.asarray, cupy.asnumpy)
    if all(name == "NumPy" or name.endswith("CPU") for name in found):
        missing.append("GPU: none at hand; not measured.")
    return found, missing


def compare(d, geometry, found, runs):
    """One row for each library."""
    X, y = samples(60, d, duplicates=geometry == "spsd")

    def score_of(library):
        put, back = found[library]
        placed = put(X)
        return lambda: back(manifest_score(placed, y, geometry=geometry))

    seconds, scores = alternating({name: score_of(name) for name in found}, runs, pause=0.1)
    largest = scores["NumPy"].max()
    for name in found:
        yield {
            "geometry": geometry,
            "features": d,
            "arrays": name,
            "seconds": round(seconds[name], 4),
            "ratio": round(seconds["NumPy"] / seconds[name], 2),
            "difference": float(f"{np.abs(scores[name] - scores['NumPy']).max() / largest:.0e}"),
            "runs": runs,
        }


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[200, 500, 1000, 2000])
    arguments.add_argument("--runs", type=int, help="for a median; 21, 5 or 3 by default, by size")
    given = arguments.parse_args()
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    found, missing = libraries()
    rows = []
    for d in given.sizes:
        for geometry in GEOMETRIES:
            rows += compare(d, geometry, found, given.runs or runs_at(d))
            print(*rows[-len(found) :], sep="\n", flush=True)
    print(write(given.to, "array", rows, " ".join([f"{machine()}.", *missing])))


if __name__ == "__main__":
    main()
