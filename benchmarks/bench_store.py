"""What storing units costs, beside what it spares, all in the same run.

There are four rows: the time that goes into storing and looking up, and the part of it that goes
into flushing files to the disk, both beside the whole time of a split of colon (samples of its
shape, drawn at random); the recognition of 10,000 finished units, beside merely reading their
bytes; the repetition of a finished experiment, beside its first run.
Writes results/benchmarks/store.csv and store.md.

    python benchmarks/bench_store.py [--units 10000] [--smoke]
"""

import sys
import tempfile
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import (
    alternating,
    composed,
    file_dataset,
    machine,
    parser,
    timed,
    timed_run,
    write,
)
from experiments import runner
from experiments.engine.keys import Unit, key_of
from experiments.engine.parallel import Outcome, complete
from experiments.engine.store import Store


class Timed(Store):
    """A store that counts the seconds spent in it."""

    spent = flushing = 0.0

    def _count(self, action, *arguments):
        seconds, row = timed(partial(action, *arguments))
        Timed.spent += seconds
        return row

    def get(self, key):
        return self._count(super().get, key)

    def put(self, key, row):
        return self._count(super().put, key, row)

    def flush(self, keys):
        before = Timed.spent
        self._count(super().flush, list(keys))
        Timed.flushing += Timed.spent - before


def overhead(folder: Path, profile: str) -> list[dict]:
    """One split of colon, both readings, with filters from fast to slow."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-1, 2, (62, 2000)).astype(float), np.arange(62) % 3 % 2
    config = composed(
        "experiment=colon",
        f"profile={profile}",
        *file_dataset(folder / "colon.npz", X, y),
        "protocol.n_repetitions=1",
        "method=[anova,fisher,relieff,manifest,manifest_relieff]",
        "workers=0",  # the store of another process would keep its own count
        f"store={folder / 'colon'}",
    )
    with mock.patch.object(runner, "Store", Timed):
        seconds, _ = timed(partial(runner.run_experiment, config, folder / "run"))
    n_units = len(list((folder / "colon").glob("??/*.parquet")))
    return [
        line(f"store and look up {n_units} rows", Timed.spent, "a split of colon", seconds),
        line(f"flush {n_units} rows to the disk", Timed.flushing, "a split of colon", seconds),
    ]


def fruitless():
    raise AssertionError("a stored unit is computed again")


def recognition(folder: Path, n: int) -> dict:
    """Rows as those of colon: 19 sizes, 49 cells, an order of 2000 genes."""
    store, rng = Store(folder / "many"), np.random.default_rng(0)
    keys = [key_of("accuracy", [], split=number) for number in range(n)]
    for key in keys:
        accuracies = rng.integers(0, 7, 931) / 6
        store.put(key, {"test": accuracies, "order": rng.permutation(2000), "ambiguous": True})
    units = [Unit(key, fruitless) for key in keys]
    actions = {
        "units": lambda: complete(units, store, Outcome(), 0, "units"),
        "bytes": lambda: [store.path(key).read_bytes() for key in keys],
    }
    seconds, _ = alternating(actions, 3, warm=False)
    return line(f"recognise {n} units", seconds["units"], "read their bytes", seconds["bytes"])


def repetition(folder: Path, profile: str) -> dict:
    """The command as a user runs it, from the start of the interpreter to the figure."""
    xor100 = ["experiment=xor100", f"profile={profile}", f"store={folder / 'xor'}"]
    first, *others = [timed_run(*xor100)[0] for _ in range(4)]
    return line(f"repeat xor100, profile {profile}", np.median(others), "its first run", first)


def line(what: str, seconds: float, reference: str, other: float) -> dict:
    return {
        "what": what,
        "seconds": round(seconds, 2),
        "reference": reference,
        "its seconds": round(other, 2),
        "ratio": float(f"{seconds / other:.2g}"),
    }


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--units", type=int, default=10_000, help="that are recognised")
    arguments.add_argument("--smoke", action="store_true", help="profile smoke everywhere: a trial")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            *overhead(folder, "smoke" if given.smoke else "fast"),
            recognition(folder, given.units),
            repetition(folder, "smoke" if given.smoke else "paper"),
        ]
    note = f"Wall time; medians of three where a thing is done more than once; {machine()}."
    print(write(given.to, "store", rows, note))


if __name__ == "__main__":
    main()
