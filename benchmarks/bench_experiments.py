"""What every experiment takes in every profile: time, CPU, memory, and the share of each stage.

A row is a run of the command on two workers with nothing stored before. What does not fit the time
is estimated: from whole runs of one repetition, with the seeds 0, 1, ... (repetitions are
exchangeable, and each goes through all stages: sums of methods and the nested choice are in it);
or, where one repetition takes hours, from random parts of its units (benchmarks/cells.py). Rows are
kept in outputs/benchmarks/experiments.json: stopped and started again, it goes on; lower bounds and
rows of other code are measured anew. Writes results/benchmarks/experiments.csv and experiments.md.

    python benchmarks/bench_experiments.py [--minutes 25] [--only colon madelon] [--profiles smoke]
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import estimates
from benchmarks.measured import (
    FOLDER,
    OUTPUTS,
    ROOT,
    Failed,
    at,
    composed,
    finished,
    machine,
    with_home,
)
from experiments.atomic import atomic_write
from experiments.config import PROFILES, plain
from experiments.engine.keys import canonical_json, digest
from experiments.report.text import markdown

KEPT = OUTPUTS / "experiments.json"
#: One repetition of these takes hours or days: parts of units are sampled at once.
LONG = {(name, "paper") for name in ("madelon", "madelon_samples", "gisette_1000", "gisette_like")}
#: What a row of the file has besides errors and shares.
COLUMNS = ("experiment", "profile", "wall", "cpu", "memory", "units", "load")
#: Columns of shares, and the stages that they add up; all others are "other work".
SHARES = {
    "start-up": ("start-up",),
    "data": ("data",),
    "scores": ("scores",),
    "SVM": ("SVM",),
    "store": ("store",),
    "waiting": ("waiting", "idle"),
    "tables, figure": ("tables", "figure"),
}


def row_of(config, home, seconds):
    """One row, within about so many seconds."""
    given = (f"experiment={config.name}", f"profile={config.profile.name}", *at(home))
    until, patience = time.monotonic() + seconds, max(3 * seconds, 90.0)
    try:
        if (config.name, config.profile.name) in LONG:
            return estimates.from_parts(config, home, seconds)
        n = config.protocol.n_repetitions
        if config.profile.name == "smoke" or n == 1:
            return estimates.whole_run(finished(*given, timeout=patience), patience)
        one = [*given, "protocol.n_repetitions=1"]
        if "judged_draws" in config.protocol:
            one.append(f"protocol.judged_draws={min(1, config.protocol.judged_draws)}")
        found: list = []
        while not found or time.monotonic() < until - found[-1][0]:
            left = patience if not found else until - time.monotonic()
            done = finished(*one, f"seed={len(found)}", timeout=left)
            if done is None:
                break
            found.append(done)
            estimate = estimates.from_repetitions(found, config)
            if estimate["wall"] < max(seconds - found[0][0], 10.0):
                return estimates.whole_run(finished(*given, timeout=patience), patience)
        if not found:
            return estimates.lower_bound(patience, f"one of {n} repetitions")
        return estimates.from_repetitions(found, config)
    except Failed as error:
        if "cannot be had" in str(error):
            return {"how": "data not at hand"}
        return {"how": f"failed: {error}"}


def shares(stages):
    """Column -> share of the seconds of all processes."""
    total = sum(stages.values())
    left, found = dict(stages), {}
    for column, names in SHARES.items():
        mine = [name for name in left if name.partition(":")[0] in names]
        found[column] = sum(left.pop(name) for name in mine) / total
    return {**found, "other work": sum(left.values()) / total}


def told(row):
    """A kept row as a row of the table."""
    cells = {"experiment": row["experiment"], "profile": row["profile"]}
    sign = "> " if row.get("bound") else ""
    for name in ("wall", "cpu"):
        text = sign + duration(row[name]) if name in row else ""
        if error := row.get("error", {}).get(name):
            text += f" ± {duration(error)}"
        cells[name] = text
    cells["memory"] = f"{row['memory'] / 2**20:.0f} MiB" if row.get("memory") else ""
    cells["units"] = str(row.get("units", ""))
    by_column = shares(row["stages"]) if row.get("stages") else {}
    for column in (*SHARES, "other work"):
        cells[column] = f"{by_column[column]:.0%}" if column in by_column else ""
    return {**cells, "how": row["how"]}


def duration(seconds):
    """Seconds as a person says them, up to days."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.65 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def write(rows):
    """The table, of the rows that there are."""
    raw = [
        {key: row.get(key) for key in COLUMNS}
        | {f"{name} error": row.get("error", {}).get(name) for name in ("wall", "cpu")}
        | (shares(row["stages"]) if row.get("stages") else {})
        | {"how": row["how"]}
        for row in rows
    ]
    with atomic_write(FOLDER / "experiments.csv") as part:
        pd.DataFrame(raw).to_csv(part, index=False, float_format="%.4g", lineterminator="\n")
    with atomic_write(FOLDER / "experiments.md") as part:
        busiest = max(row["load"] for row in rows)
        part.write_text(markdown(pd.DataFrame([told(row) for row in rows])) + note(busiest))


def load():
    """The load of the machine, of which two are this benchmark's own."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else float("nan")


def note(busiest):
    return (
        f"\nTwo workers, nothing stored before; {machine()}, {busiest} at most before a row. "
        "Memory is that of the largest process. Shares are of the seconds of all processes: "
        "waiting is a worker without a unit, also while workers start; other work is what no "
        "other column names, such as classifiers, operators, t-SNE and splits. Estimates take "
        "both workers to be busy all the time; ± is the standard error of the sample.\n"
    )


def main() -> int:
    names = sorted(path.stem for path in (ROOT / "configs" / "experiment").glob("*.yaml"))
    parser = with_home(argparse.ArgumentParser(description=__doc__.split("\n")[0]))
    parser.add_argument("--minutes", type=float, default=25.0, help="for all rows together")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="EXPERIMENT")
    parser.add_argument("--profiles", nargs="+", choices=PROFILES, default=list(PROFILES))
    parser.add_argument("--fresh", action="store_true", help="measure again what is kept")
    given = parser.parse_args()
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    until = time.monotonic() + 60 * given.minutes
    finished("experiment=xor100", "profile=smoke")  # bytecode, and files in memory
    todo = {}
    for profile in given.profiles:
        for name in given.only:
            config = composed(f"experiment={name}", f"profile={profile}")
            row = kept.get(f"{name} {profile}", {})
            if given.fresh or row.get("bound") or row.get("code") != code_of(config):
                todo[name, profile] = config
    for left, ((name, profile), config) in zip(range(len(todo), 0, -1), todo.items(), strict=True):
        seconds = max(10.0, (until - time.monotonic()) / left)
        row = {"experiment": name, "profile": profile, "load": load()}
        row |= row_of(config, given.home, seconds)
        kept[f"{name} {profile}"] = {**row, "code": code_of(config)}
        with atomic_write(KEPT) as part:
            part.write_text(json.dumps(kept, indent=1))
        print("  ".join(text for text in told(row).values() if text), flush=True)
    order = [f"{name} {profile}" for name in names for profile in PROFILES]
    write([kept[key] for key in order if key in kept])
    return 0


def code_of(config):
    """What a row was measured with: the code of its units, and its config."""
    return f"{code_version(config.protocol.kind)} {digest(canonical_json(plain(config)))}"


if __name__ == "__main__":
    sys.exit(main())
