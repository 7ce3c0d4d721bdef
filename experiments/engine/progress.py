"""Progress of a run: a bar in a terminal, and a small file in its folder for other programs."""

import json
import logging
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from experiments.atomic import write_text
from experiments.system import is_terminal, place, runs

log = logging.getLogger(__name__)

FILE = "progress.json"
#: Seconds between two writes of the file, and between two lines of the log without a bar.
HEARTBEAT = 2.0
QUIET = 60.0
#: In the environment of a sweep's jobs: the number of them that share this machine.
PARALLEL = "MANIFEST_PARALLEL_JOBS"
#: Without a sign of life for so many seconds a run counts as dead if its process cannot be seen.
SILENCE = 60.0

Item = TypeVar("Item")


class Progress:
    """Writes what an outcome holds into a run's folder, every few seconds and at the end.

    Parameters
    ----------
    folder : Path
    outcome : experiments.engine.parallel.Outcome
    **about
        JSON values that do not change: the experiment, its profile.
    """

    def __init__(self, folder: Path, outcome, **about):
        self.folder, self.outcome, self.about = folder, outcome, about
        self.headline: dict[str, Any] | None = None
        self.started = time.time()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self):
        self._write("running")
        self._thread.start()
        return self

    def __exit__(self, kind, error, trace):
        self._stop.set()
        self._thread.join()
        if kind is None:
            self._write("finished")
        elif issubclass(kind, Exception):
            self._write("failed", error=f"{kind.__name__}: {error}")
        else:
            self._write("interrupted")

    def _beat(self):
        while not self._stop.wait(HEARTBEAT):
            self._write("running")

    def _write(self, state, **more):
        outcome, now = self.outcome, time.time()
        record = {
            **self.about,
            "state": state,
            "total": outcome.total,
            "computed": outcome.computed,
            "reused": outcome.reused,
            "failed": len(outcome.failures),
            "headline": self.headline,
            "started": self.started,
            "progressed": max(outcome.progressed, self.started),
            "alive": now,
            "pid": os.getpid(),
            "host": place(),
            **more,
        }
        with suppress(OSError):  # whoever looks on can wait; the run itself says what is wrong
            save(self.folder, record)


def save(folder: Path, record: dict) -> None:
    """Write a record into a run's folder."""
    write_text(folder / FILE, json.dumps(record, indent=2) + "\n")


def load(folder: Path) -> dict | None:
    """The record of a run's folder; None if there is none that can be read."""
    try:
        return json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def below(folder: Path) -> list[tuple[str, dict]]:
    """The runs in a folder: the path of each, from there, and its record."""
    runs_below = [path.parent for path in sorted(folder.rglob(FILE))]
    records = [(run.relative_to(folder).as_posix(), load(run)) for run in runs_below]
    return [(place, record) for place, record in records if record]


def state_of(record: dict, now: float | None = None) -> str:
    """The state that a record tells, or "dead" if it says "running" and its process is gone."""
    if record["state"] != "running":
        return record["state"]
    here = runs(record["pid"]) if record["host"] == place() else None
    if here is not None:
        return "running" if here else "dead"
    silent = (time.time() if now is None else now) - record["alive"]
    return "running" if silent < SILENCE else "dead"


def watched(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The items as they come, with a bar and the time left, or a line a minute in the log."""
    shown = is_terminal(sys.stderr) and jobs_on_this_machine() == 1
    last = start = time.monotonic()
    log.debug("%s: %d units", what, total)
    with tqdm(
        total=total, desc=what, unit="unit", mininterval=0.5, leave=False, disable=not shown
    ) as bar:
        for done, item in enumerate(items, 1):
            yield item
            bar.update()
            now = time.monotonic()
            if not shown and now - last > QUIET:
                left = (now - start) / done * (total - done)
                log.info("%s: %d of %d units, about %s left", what, done, total, duration(left))
                last = now


def jobs_on_this_machine() -> int:
    """Number of jobs, this one included, that share this machine and its terminal."""
    return int(os.environ.get(PARALLEL, 1))


def duration(seconds: float) -> str:
    """Seconds as a person says them: 42 s, 12 min, 3.5 h."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 99.5 * 60 else f"{seconds / 3600:.1f} h"
