"""Wall time, CPU time and memory of every experiment in each profile.

A row is a run of the command on two workers with nothing stored before. If the whole run does not
fit the time, one repetition is run and multiplied: repetitions are exchangeable and each goes
through every part of the protocol. If one repetition does not fit either, its row is a lower bound.
Other rows of results/benchmarks/experiments.csv stay. Writes experiments.csv and experiments.md
after each row.

    python benchmarks/bench_experiments.py [--minutes 25] [--only colon madelon] [--profiles smoke]
"""

import sys
import time
from itertools import product
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import MIB, ROOT, Failed, load, machine, parser, timed_run, write
from experiments.config import PROFILES
from experiments.kinds import composed
from experiments.report.text import duration, markdown

WORKERS = 2
EXPERIMENTS = sorted(path.stem for path in (ROOT / "configs" / "experiment").glob("*.yaml"))
#: The least number of seconds that a run is given to end.
PATIENCE = 90.0
BOUND = "lower bound"
COLUMNS = ["experiment", "profile", "wall", "cpu", "memory", "units", "load", "how"]


def whole(run, limit, what):
    """The numbers of a finished run; a lower bound if it did not finish by the limit."""
    if run is None:
        return {"wall": limit, "how": f"{BOUND}: {what} had not ended then"}
    wall, record = run
    return {
        "wall": wall,
        "cpu": record["seconds"]["cpu"],
        "memory": max(peak or 0 for peak in record["peak_memory"].values()),
        "units": str(record["units"]["computed"]),
        "how": "measured",
    }


def multiplied(run, n):
    """The numbers of n repetitions from a run of one.

    Only the time in units grows with n. All workers are taken to be busy in that time; a unit runs
    on one thread, so its CPU time is its wall time. The estimate is too high if only some of the
    repetitions are judged by an SVM.
    """
    one = whole(run, 0.0, "")
    units = run[1]["seconds"]["units"]
    return one | {
        "wall": max(0.0, one["wall"] - units / WORKERS) + n * units / WORKERS,
        "cpu": max(0.0, one["cpu"] - units) + n * units,
        "units": f"about {n * run[1]['units']['computed']}",
        "how": f"estimated from 1 of {n} repetitions",
    }


def measured(config, home, seconds):
    """The numbers of one experiment and profile, within about so many seconds."""
    given = [f"experiment={config.name}", f"profile={config.profile.name}"]
    given += [f"data.home={home}"] if Path(home).is_dir() else []
    n, patience = config.protocol.n_repetitions, max(3 * seconds, PATIENCE)
    try:
        if config.profile.name != "smoke" and n > 1:
            one = timed_run(*given, "protocol.n_repetitions=1", timeout=patience)
            if one is None:
                return whole(None, patience, f"one of {n} repetitions")
            row = multiplied(one, n)
            if row["wall"] > max(seconds - one[0], 20.0):
                return row
        return whole(timed_run(*given, timeout=patience), patience, "it")
    except Failed as error:
        absent = "cannot be had" in str(error)
        return {"how": "data not at hand" if absent else f"failed: {error}"}


def readable(table):
    """The table as a person reads it."""
    told = table[["experiment", "profile"]].copy()
    sign = table["how"].str.startswith(BOUND).map({True: "> ", False: ""})
    for name in ("wall", "cpu"):
        told[name] = (sign + table[name].map(duration)).where(table[name].notna(), "")
    mebibytes = (table["memory"] / MIB).map("{:.0f} MiB".format)
    told["memory"] = mebibytes.where(table["memory"].notna(), "")
    return told.assign(units=table["units"].fillna(""), how=table["how"])


def main():
    arguments = parser(__doc__, home=True)
    arguments.add_argument("--minutes", type=float, default=25.0, help="for all rows together")
    arguments.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=EXPERIMENTS)
    arguments.add_argument("--profiles", nargs="+", choices=PROFILES, default=list(PROFILES))
    given = arguments.parse_args()
    file = given.to / "experiments.csv"
    rows: dict[tuple[str, str], dict] = {}
    if file.exists():
        stored = pd.read_csv(file, dtype={"units": "string"}).to_dict("records")
        rows = {(row["experiment"], row["profile"]): row for row in stored}
    todo = list(product(given.only, given.profiles))
    until = time.monotonic() + 60 * given.minutes
    timed_run("experiment=xor100", "profile=smoke")  # so that bytecode exists
    for left, (name, profile) in zip(range(len(todo), 0, -1), todo, strict=True):
        row = {"experiment": name, "profile": profile, "load": load()}
        config = composed(f"experiment={name}", f"profile={profile}")
        row |= measured(config, given.home, max(10.0, (until - time.monotonic()) / left))
        print(row, flush=True)
        rows[name, profile] = row
        order = [which for which in product(EXPERIMENTS, PROFILES) if which in rows]
        table = pd.DataFrame([rows[which] for which in order], columns=COLUMNS)
        note = (
            f"Two workers, nothing stored before; {machine()}, {table['load'].max()} at most "
            "before a row. Memory is that of the largest process. Estimates take both workers to "
            "be busy all the time."
        )
        write(given.to, "experiments", table.convert_dtypes(), note, markdown(readable(table)))


if __name__ == "__main__":
    main()
