"""What the second worker brings: the experiment colon, profile fast, on one worker and on two.

The efficiency is T(1) / (2 T(2)), where T is the time of the command from its start to its end,
with nothing stored before. By default only some of the ten splits are run; what does not grow with
them (the start, tables, the figure) then weighs more than in the whole run. Exits with 1 where the
efficiency is below 0.85. Writes results/benchmarks/efficiency.csv and efficiency.md.

    python benchmarks/bench_efficiency.py [--splits 3] [--runs 1] [--home FOLDER]
"""

import sys
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import data_home, machine, parser, timed_run, write

BOUND = 0.85
#: The splits of the profile fast.
SPLITS = 10


def main() -> int:
    arguments = parser(__doc__, runs=1, home=True)
    arguments.add_argument("--splits", type=int, default=3, help=f"{SPLITS} is the whole run")
    arguments.add_argument("--profile", default="fast")
    given = arguments.parse_args()
    colon = ["experiment=colon", *data_home(given.home)]
    timed_run(*colon, "profile=smoke")  # so that bytecode exists and files are in memory
    colon += [f"profile={given.profile}", f"protocol.n_repetitions={given.splits}"]
    rows = []
    for _ in range(given.runs):
        for workers in (1, 2):
            wall, record = timed_run(*colon, workers=workers)
            spent = {"CPU": record["seconds"]["cpu"], "in units": record["seconds"]["units"]}
            rows.append({"workers": workers, "seconds": wall} | spent)
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows).groupby("workers").median().round(1).reset_index()
    one, two = table["seconds"]
    table["efficiency"] = [1.0, round(one / (2 * two), 3)]
    note = (
        f"colon, profile {given.profile}, {given.splits} of {SPLITS} splits, both readings, all "
        f"methods; median of {given.runs}; {machine()}. Seconds are of the command; CPU and the "
        f"seconds in units are summed over processes. Bound: {BOUND}."
    )
    print(write(given.to, "efficiency", table, note))
    return int(table["efficiency"].iloc[1] < BOUND)


if __name__ == "__main__":
    sys.exit(main())
