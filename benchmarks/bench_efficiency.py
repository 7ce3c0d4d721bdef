"""What the second worker brings: colon, profile fast, on one worker against two.

Efficiency is T(1) / (2 T(2)), of the command from its start to its end, each with nothing stored.
By default some of the ten splits are run; what does not grow with them (start-up, tables, figure)
then weighs more than in the whole run. Exits with 1 where it is below 0.85. Writes
results/benchmarks/efficiency.csv and efficiency.md.

    python benchmarks/bench_efficiency.py [--splits 3] [--runs 1] [--home FOLDER]
"""

import argparse
import sys
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import FOLDER, at, finished, machine, with_home
from experiments.atomic import atomic_write
from experiments.engine.timing import IDLE, START_UP, WAITING
from experiments.report.text import markdown

BOUND = 0.85
#: Of the profile fast.
SPLITS = 10


def measured(workers, splits, home):
    """Wall seconds, and where those of all processes went."""
    overrides = ["experiment=colon", f"protocol.n_repetitions={splits}", *at(home)]
    wall, record = finished(*overrides, workers=workers)
    stages = {name: spent["seconds"] for name, spent in record["stages"].items()}
    apart = {name: round(stages.get(name, 0.0), 1) for name in (START_UP, IDLE, WAITING)}
    return {
        "workers": workers,
        "seconds": round(wall, 1),
        "CPU": round(record["seconds"]["cpu"], 1),
        "in units": round(record["seconds"]["units"], 1),
        **apart,
        "tables, figure": round(stages["tables"] + stages["figure"], 1),
    }


def main() -> int:
    parser = with_home(argparse.ArgumentParser(description=__doc__.split("\n")[0]))
    parser.add_argument("--splits", type=int, default=3, help=f"{SPLITS} is the whole run")
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    rows = []
    finished("experiment=colon", "profile=smoke", *at(given.home))  # bytecode, and files in memory
    for _ in range(given.runs):
        for workers in (1, 2):
            rows.append(measured(workers, given.splits, given.home))
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows).groupby("workers").median().reset_index()
    one, two = table["seconds"]
    table["efficiency"] = [1.0, round(one / (2 * two), 3)]
    print(table.to_string(index=False))
    with atomic_write(FOLDER / "efficiency.csv") as part:
        table.to_csv(part, index=False)
    note = (
        f"\ncolon, profile fast, {given.splits} of {SPLITS} splits, both readings, all methods; "
        f"median of {given.runs}; {machine()}. Seconds are of the command; CPU and the columns "
        f"after it are summed over processes. Bound: {BOUND}.\n"
    )
    with atomic_write(FOLDER / "efficiency.md") as part:
        part.write_text(markdown(table) + note)
    return int(table["efficiency"].iloc[1] < BOUND)


if __name__ == "__main__":
    sys.exit(main())
