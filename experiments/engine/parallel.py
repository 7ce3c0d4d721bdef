"""Units of work on several processes: what is stored is not run again, what fails is reported."""

import logging
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import joblib
from tqdm import tqdm

from experiments.engine import dask
from experiments.engine.keys import Row, Unit
from experiments.engine.progress import jobs_on_this_machine, watched
from experiments.engine.store import Store
from experiments.engine.workers import Done, execute, run_on_workers

log = logging.getLogger(__name__)

#: Seconds between two flushes of finished units to the disk.
FLUSH = 1.0

#: joblib's warning if it replaces a worker whose memory has grown. Nothing is lost.
REPLACED = "A worker stopped while some jobs were given to the executor"
#: A number in a warning.
NUMBER = re.compile(r"\d[\d.]*(e[-+]\d+)?")


@dataclass
class Outcome:
    """The results of the units of a run."""

    #: The row of each unit that is done, and the error of each unit that failed, by key.
    rows: dict[str, Row] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    #: Numbers of units. The total grows when a stage of the run becomes known.
    computed: int = 0
    reused: int = 0
    total: int = 0
    #: Sums over units and processes. The processor time between units is part of `cpu`.
    seconds: float = 0.0
    cpu: float = 0.0
    #: The largest memory of a worker in bytes; None if this process is the only one.
    peak: int | None = None
    #: The modules where the code of the units begins.
    modules: set[str] = field(default_factory=set)
    #: Time of the last unit, in seconds since the epoch.
    progressed: float = 0.0


def complete(
    units: Sequence[Unit], store: Store, outcome: Outcome, workers: int | str | None, what: str
) -> None:
    """Run the units that the store does not have, and add all to the outcome.

    A unit counts as done only when its file is safe on the disk. Errors are the ones of
    :func:`experiments.engine.workers.run_on_workers`.

    Parameters
    ----------
    units : sequence of Unit
    store : Store
    outcome : Outcome
    workers : int, str or None
        Number of processes of this machine: None for one a core, 0 for this process alone. A text
        is the address of a dask scheduler, whose workers then compute the units.
    what : str
        The name of the units in the log.
    """
    pending = {}
    for unit in units:
        if unit.key in outcome.rows or unit.key in outcome.failures or unit.key in pending:
            continue
        row = store.get(unit.key)
        outcome.modules.update(unit.key.modules)
        outcome.total += 1
        if row is None:
            pending[unit.key] = unit
        else:
            outcome.rows[unit.key] = row
            outcome.reused += 1
    outcome.progressed = time.time()
    # A unit that another run computes at the moment is left to it, and asked for again at the end.
    for wait in (False, True):
        if pending:
            if wait:
                log.info("%s: waiting for %d units that another run computes", what, len(pending))
            done = _safely(_started(list(pending.values()), store, workers, wait), store)
            for one in watched(done, len(pending), what):
                if one.row is not None or one.error is not None:
                    del pending[one.key]
                _note(one, outcome)


def _started(units, store, workers, wait) -> Iterator[Done | None]:
    """Each unit's result as it comes, from the workers that were asked for."""
    if isinstance(workers, str):
        return dask.run(units, workers, store, wait)
    if workers == 0:
        return (execute(unit, store, wait) for unit in units)  # for a debugger, and for tests
    return run_on_workers(units, store, min(workers or own_cores(), len(units)), wait)


def _safely(results: Iterable[Done | None], store: Store) -> Iterator[Done]:
    """The results, each after its file has reached the disk; files are flushed together."""
    waiting: list[Done] = []
    last = time.monotonic()
    for done in results:
        if done is not None:
            waiting.append(done)
        if done is None or time.monotonic() - last > FLUSH:
            store.flush(one.key for one in waiting if one.row is not None)
            yield from waiting
            waiting, last = [], time.monotonic()
    store.flush(one.key for one in waiting if one.row is not None)
    yield from waiting


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Log each warning of this process and its workers once, however many units repeat it.

    Warnings that differ in their numbers alone, such as the size of a gradient, count as one.
    """
    seen: set[str] = set()

    def new(record):
        message = record.getMessage()
        text = NUMBER.sub("", message)
        known = text in seen or REPLACED in message
        seen.add(text)
        return not known

    warned = logging.getLogger("py.warnings")
    warned.addFilter(new)
    try:
        yield
    finally:
        warned.removeFilter(new)


def _note(one: Done, outcome: Outcome):
    """Enter a result into the outcome and the log."""
    outcome.seconds += one.seconds
    outcome.cpu += one.cpu
    if one.pid != os.getpid() and one.peak is not None:
        outcome.peak = max(outcome.peak or 0, one.peak)
    outcome.progressed = time.time()
    if one.row is not None:
        outcome.rows[one.key] = one.row
        outcome.reused += one.reused
        outcome.computed += not one.reused
    if one.error is None and not one.logged:
        return
    with tqdm.external_write_mode():
        for record in one.logged:
            logging.getLogger(record.name).handle(record)
        if one.error is not None:
            outcome.failures[one.key] = one.error
            log.error("unit %s failed: %s", one.key, one.error)
            log.debug("unit %s is %s\n%s", one.key, one.key.text, one.trace)


def own_cores() -> int:
    """This run's share of the cores, because a sweep may run several jobs at once.

    Joblib counts those that this process may use: its affinity, and a container's share.
    """
    return max(1, joblib.cpu_count() // jobs_on_this_machine())
