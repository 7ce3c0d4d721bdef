"""The exact score of torch and CuPy arrays against the same score of NumPy arrays.

60 samples of continuous features; for "spsd" two features are duplicates in the first class, so
that Algorithm 2 has something to drop. All libraries run in this process, in turn, on the cores
that it may use; medians of several runs, an array lies on its device before the clock starts and
the score is back in NumPy when it stops. "ratio" is NumPy's time over theirs, "difference" the
largest difference of a score from NumPy's, as a share of the largest score. What is not at hand is
named and not measured. Writes results/benchmarks/array.csv and array.md.

    python benchmarks/bench_array.py [--sizes 200 500 1000 2000] [--runs N]
"""

import argparse
import importlib
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import FOLDER, samples
from experiments.atomic import atomic_write
from experiments.engine.parallel import available_cores
from experiments.provenance import processor
from experiments.report.text import markdown
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
    """A row a library; their runs take turns."""
    X, y = samples(60, d, duplicates=geometry == "spsd")
    placed = {name: put(X) for name, (put, _) in found.items()}
    times: dict[str, list[float]] = {name: [] for name in found}
    scores = {}
    # The first run of a library loads what it needs, and does not count.
    for number in range(runs + 1):
        for name, (_, back) in found.items():
            time.sleep(
                0.1
            )  # idle threads of the library that ran before go on spinning for a while
            start = time.perf_counter()
            scores[name] = back(manifest_score(placed[name], y, geometry=geometry))
            if number:
                times[name].append(time.perf_counter() - start)
    medians = {name: float(np.median(values)) for name, values in times.items()}
    largest = scores["NumPy"].max()
    return [
        {
            "geometry": geometry,
            "features": d,
            "arrays": name,
            "seconds": round(medians[name], 4),
            "ratio": round(medians["NumPy"] / medians[name], 2),
            "difference": float(f"{np.abs(scores[name] - scores['NumPy']).max() / largest:.0e}"),
            "runs": runs,
        }
        for name in found
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 500, 1000, 2000])
    parser.add_argument("--runs", type=int, help="of each; default 9, 3 or 1 by size")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", AmbiguousScoreWarning)
    found, missing = libraries()
    rows = []
    for d in chosen.sizes:
        for geometry in GEOMETRIES:
            rows += compare(
                d, geometry, found, chosen.runs or (9 if d <= 500 else 3 if d <= 1000 else 1)
            )
            print(*rows[-len(found) :], sep="\n", flush=True)
    table = pd.DataFrame(rows)
    with atomic_write(FOLDER / "array.csv") as part:
        table.to_csv(part, index=False)
    note = " ".join([f"Cores: {available_cores()}; {processor()}.", *missing])
    with atomic_write(FOLDER / "array.md") as part:
        part.write_text(markdown(table) + f"\n{note}\n")
    print(note)


if __name__ == "__main__":
    main()
