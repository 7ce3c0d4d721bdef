"""Wall time, CPU time and memory of every experiment in each profile.

A row is a run of the command on two workers with nothing stored before. Where the whole run does
not fit the time, one repetition is run and multiplied: repetitions are exchangeable and each goes
through every part of the protocol. Where one repetition does not fit either, its row is a lower
bound. Rows of results/benchmarks/experiments.csv that were measured with the same code and config
are kept, so a run that was stopped goes on; lower bounds are measured again. Writes
results/benchmarks/experiments.csv and experiments.md after each row.

    python benchmarks/bench_experiments.py [--minutes 25] [--only colon madelon] [--profiles smoke]
"""

import hashlib
import json
import sys
import time
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import (
    ROOT,
    Failed,
    composed,
    data_home,
    load,
    machine,
    parser,
    sources,
    timed_run,
    write,
)
from experiments.config import PROFILES, plain
from experiments.report.text import markdown

WORKERS = 2
EXPERIMENTS = sorted(path.stem for path in (ROOT / "configs" / "experiment").glob("*.yaml"))
#: The least number of seconds that a run is given to end.
PATIENCE = 90.0
BOUND = "lower bound"
COLUMNS = ["experiment", "profile", "wall", "cpu", "memory", "units", "load", "how", "code"]


def whole(found, limit, what):
    """The numbers of a finished run; a lower bound where it did not finish by the limit."""
    if found is None:
        return {"wall": limit, "how": f"{BOUND}: {what} had not ended then"}
    wall, record = found
    return {
        "wall": wall,
        "cpu": record["seconds"]["cpu"],
        "memory": max(peak or 0 for peak in record["peak_memory"].values()),
        "units": str(record["units"]["computed"]),
        "how": "measured",
    }


def multiplied(found, n):
    """The numbers of n repetitions from a run of one.

    Only the time in units grows with n. All workers are taken to be busy in that time; a unit runs
    on one thread, so its CPU time is its wall time. The estimate is too high where only some of the
    repetitions are judged by an SVM.
    """
    one = whole(found, 0.0, "")
    units = found[1]["seconds"]["units"]
    return one | {
        "wall": max(0.0, one["wall"] - units / WORKERS) + n * units / WORKERS,
        "cpu": max(0.0, one["cpu"] - units) + n * units,
        "units": f"about {n * found[1]['units']['computed']}",
        "how": f"estimated from 1 of {n} repetitions",
    }


def measured(config, home, seconds):
    """The numbers of one experiment and profile, within about so many seconds."""
    given = (f"experiment={config.name}", f"profile={config.profile.name}", *data_home(home))
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


def duration(seconds):
    """Seconds as a person says them, up to days."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.65 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def readable(table):
    """The table as a person reads it."""
    told = table[["experiment", "profile"]].copy()
    sign = table["how"].str.startswith(BOUND).map({True: "> ", False: ""})
    for name in ("wall", "cpu"):
        told[name] = (sign + table[name].map(duration)).where(table[name].notna(), "")
    mebibytes = (table["memory"] / 2**20).map("{:.0f} MiB".format)
    told["memory"] = mebibytes.where(table["memory"].notna(), "")
    told["units"] = table["units"].fillna("")
    return told.assign(how=table["how"])


def code_of(config):
    """The code, the machine and the config that a row is measured with."""
    text = json.dumps([sources(), plain(config)], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def main():
    arguments = parser(__doc__, home=True)
    arguments.add_argument("--minutes", type=float, default=25.0, help="for all rows together")
    arguments.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=EXPERIMENTS)
    arguments.add_argument("--profiles", nargs="+", choices=PROFILES, default=list(PROFILES))
    arguments.add_argument("--fresh", action="store_true", help="measure again what is kept")
    given = arguments.parse_args()
    file, rows = given.to / "experiments.csv", {}
    if file.exists():
        stored = pd.read_csv(file, dtype={"units": "string"}).to_dict("records")
        rows = {(row["experiment"], row["profile"]): row for row in stored}
    todo = {}
    for profile in given.profiles:
        for name in given.only:
            config = composed(f"experiment={name}", f"profile={profile}")
            row = rows.get((name, profile), {"how": BOUND})
            if given.fresh or row["how"].startswith(BOUND) or row.get("code") != code_of(config):
                todo[name, profile] = config
    until = time.monotonic() + 60 * given.minutes
    timed_run("experiment=xor100", "profile=smoke")  # so that bytecode exists
    order = [(name, profile) for name in EXPERIMENTS for profile in PROFILES]
    for left, (which, config) in zip(range(len(todo), 0, -1), todo.items(), strict=True):
        row = dict(zip(COLUMNS, which, strict=False)) | {"load": load(), "code": code_of(config)}
        row |= measured(config, given.home, max(10.0, (until - time.monotonic()) / left))
        print(row, flush=True)
        # A lower bound adds nothing to an older row that has a longer time.
        if row["how"].startswith(BOUND) and rows.get(which, {}).get("wall", 0.0) > row["wall"]:
            continue
        rows[which] = row
        table = pd.DataFrame([rows[which] for which in order if which in rows], columns=COLUMNS)
        note = (
            f"Two workers, nothing stored before; {machine()}, {table['load'].max()} at most "
            "before a row. Memory is that of the largest process. Estimates take both workers to "
            "be busy all the time."
        )
        write(given.to, "experiments", table.convert_dtypes(), note, markdown(readable(table)))


if __name__ == "__main__":
    main()
