"""See how far runs are that go on elsewhere: in another terminal, on a cluster.

    python scripts/status.py                          what moved in outputs/ within a day
    python scripts/status.py outputs/sweeps/TIME      the jobs of a sweep

A run is "dead" where its process is gone before its end; start it again, and it goes on from the
finished units. "progress" is the time since the last unit. "left" is an estimate of the time that
the units under way still take.
"""

import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pandas as pd

from experiments.engine.progress import below, duration, state_of
from experiments.report.text import aligned

DAY = 86400.0


def line(job: str, record: dict, now: float) -> dict:
    """The row of a run in the table."""
    state = state_of(record, now)
    computed, failed = record.get("computed", 0), record.get("failed", 0)
    done, total = computed + record.get("reused", 0) + failed, record.get("total", 0)
    left = ""
    if state == "running" and computed:
        left = duration((record["alive"] - record["started"]) / computed * (total - done))
    return {
        "job": job,
        "experiment": record.get("experiment", ""),
        "state": state,
        "units": f"{done} of {total}",
        "failed": failed,
        "progress": f"{duration(now - record.get('progressed', record['alive']))} ago",
        "left": left,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="of a run, a sweep, or several")
    folder = parser.parse_args(arguments).folder
    now = time.time()
    lines = [
        line(job, record, now)
        for job, record in below(Path(folder or "outputs"))
        if folder or now - record["alive"] < DAY
    ]
    if not lines:
        print(f"no runs in {folder or 'outputs within a day'}; name a folder of runs")
        return 1
    print(aligned(pd.DataFrame(lines), 120), end="")
    states = pd.Series([one["state"] for one in lines]).value_counts().sort_index()
    print(f"\n{len(lines)} runs: " + ", ".join(f"{n} {state}" for state, n in states.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
