"""What storing units costs, beside what it spares, all in the same run.

The share of the time of a split of colon (samples of its shape, drawn at random) that goes into
storing and looking up; 10,000 finished units recognised, beside merely reading their bytes; a
finished experiment repeated, beside its first run. Writes results/benchmarks/store.csv and
store.md.

    python benchmarks/bench_store.py
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import FOLDER, ROOT, composed
from experiments.atomic import atomic_write
from experiments.engine.keys import Unit, key_of
from experiments.engine.parallel import Outcome, available_cores, complete
from experiments.engine.store import Store
from experiments.report.text import markdown
from experiments.runner import run_experiment

N_UNITS = 10_000


class Timed(Store):
    """A store that counts the time spent in it, without the work that it asks for itself."""

    spent, depth = 0.0, 0

    def _timed(self, does, *arguments):
        start = time.perf_counter()
        Timed.depth += 1
        try:
            return does(*arguments)
        finally:
            Timed.depth -= 1
            if Timed.depth == 0:
                Timed.spent += time.perf_counter() - start

    def get(self, key):
        return self._timed(super().get, key)

    def put(self, key, row):
        return self._timed(super().put, key, row)


def overhead(folder: Path) -> dict:
    """One split of colon, both readings, with filters from fast to slow."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-1, 2, (62, 2000)).astype(float), np.arange(62) % 3 % 2
    np.savez(folder / "colon.npz", X=X, y=y)
    overrides = [
        "experiment=colon",
        "dataset=file",
        f"dataset.path={folder / 'colon.npz'}",
        "dataset.target=y",
        "protocol.n_repetitions=1",
        "method=[anova,fisher,relieff,manifest,manifest_relieff]",
        "workers=1",
        f"store={folder / 'colon'}",
    ]
    import experiments.runner

    experiments.runner.Store = Timed  # type: ignore[misc]
    start = time.perf_counter()
    run_experiment(composed(*overrides), folder / "run")
    seconds = time.perf_counter() - start
    n_units = len(list((folder / "colon").glob("??/*.parquet")))
    return line(f"store and look up {n_units} rows", Timed.spent, "a split of colon", seconds)


def fruitless():
    raise AssertionError("it is stored")


def recognition(folder: Path) -> dict:
    """Rows as those of colon: 19 sizes, 49 cells, an order of 2000 genes."""
    store, rng = Store(folder / "many"), np.random.default_rng(0)
    keys = [key_of("accuracy", [], split=number) for number in range(N_UNITS)]
    for key in keys:
        accuracies = rng.integers(0, 7, 931) / 6
        store.put(key, {"test": accuracies, "order": rng.permutation(2000), "ambiguous": True})
    units = [Unit(key, fruitless) for key in keys]
    seconds, bytes_alone = [], []
    for _ in range(3):
        start = time.perf_counter()
        complete(units, store, Outcome(), 1, "units")
        seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        for key in keys:
            store.path(key).read_bytes()
        bytes_alone.append(time.perf_counter() - start)
    return line(f"recognise {N_UNITS} units", min(seconds), "read their bytes", min(bytes_alone))


def repetition(folder: Path) -> dict:
    """The command as a user runs it, from the start of the interpreter to the figure."""
    command = [sys.executable, "run.py", "experiment=xor100", "profile=paper"]
    places = [f"store={folder / 'xor'}", f"hydra.run.dir={folder / 'xor_run'}"]
    seconds = []
    for _ in range(4):
        start = time.perf_counter()
        subprocess.run([*command, *places], cwd=ROOT, check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    return line("repeat xor100, profile paper", min(seconds[1:]), "its first run", seconds[0])


def line(what: str, seconds: float, reference: str, other: float) -> dict:
    row = {
        "what": what,
        "seconds": round(seconds, 2),
        "reference": reference,
        "its seconds": round(other, 2),
        "ratio": float(f"{seconds / other:.2g}"),
    }
    print(row, flush=True)
    return row


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = pd.DataFrame([overhead(folder), recognition(folder), repetition(folder)])
    with atomic_write(FOLDER / "store.csv") as part:
        table.to_csv(part, index=False)
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    note = f"\nWall time; {available_cores()} cores, load {load} at the end, fastest of three.\n"
    with atomic_write(FOLDER / "store.md") as part:
        part.write_text(markdown(table) + note)


if __name__ == "__main__":
    main()
