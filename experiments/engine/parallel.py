"""Units of work on several processes: what is stored is not run again, what fails is reported."""

import logging
import os
import queue
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from logging.handlers import QueueHandler

import joblib
from joblib.externals.loky.process_executor import BrokenProcessPool
from threadpoolctl import ThreadpoolController
from tqdm import tqdm

from experiments.atomic import CannotWrite
from experiments.engine import dask
from experiments.engine.code import Refused
from experiments.engine.interruption import WorkerDied, exit_with_parent, spare_children
from experiments.engine.keys import Key, Row, Unit, check_code
from experiments.engine.progress import watched
from experiments.engine.store import Store
from experiments.engine.timing import cpu_seconds, peak_memory

log = logging.getLogger(__name__)

#: In the environment of a sweep's jobs: how many of them share this machine's cores.
PARALLEL = "MANIFEST_PARALLEL_JOBS"

#: In a worker, what was logged since the last unit: the run's log is written by its own process.
_logged: queue.SimpleQueue = queue.SimpleQueue()


@dataclass
class Outcome:
    """What became of the units of a run.

    Attributes
    ----------
    rows : dict
        Key -> row of each unit that is done.
    failures : dict
        Key -> the error of each unit that is not.
    computed, reused, total : int
        The total grows as stages become known.
    seconds, cpu : float
        Summed over units and processes; CPU time is also that between units.
    peak : int or None
        The largest memory of a worker in bytes; None where there is no worker beside this process.
    modules : set of str
        Where the code of the units begins; see :class:`experiments.engine.keys.Key`.
    progressed : float
        Time of the last unit, in seconds since the epoch.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    computed: int = 0
    reused: int = 0
    total: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    peak: int | None = None
    modules: set[str] = field(default_factory=set)
    progressed: float = 0.0


@dataclass(frozen=True)
class _Done:
    """What a worker sends back: a row, an error, or neither where another run has the unit."""

    key: Key
    seconds: float = 0.0
    cpu: float = 0.0
    peak: int | None = None
    pid: int | None = None
    row: Row | None = None
    reused: bool = False
    error: str | None = None
    trace: str = ""
    logged: tuple[logging.LogRecord, ...] = ()


def complete(
    units: Sequence[Unit], store: Store, outcome: Outcome, workers: int | str | None, what: str
) -> None:
    """Run the units that the store does not have, and add all to the outcome.

    Workers are processes of this machine, as many as cores where None, or those of the dask
    scheduler at an address.

    Every unit runs with one BLAS thread, whatever the number of workers: a threaded product sums
    in another order, and results shall not depend on the machine's load or size.

    Raises
    ------
    CannotWrite
        Where a unit cannot be stored.
    Refused
        Where code or data have changed since the run started.
    WorkerDied
        Where a worker was killed.
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
    # What another run computes at the moment is left to it, and asked for again at the end.
    for wait in (False, True):
        if pending:
            if wait:
                log.info("%s: waiting for %d units that another run computes", what, len(pending))
            todo = list(pending.values())
            if isinstance(workers, str):
                done = dask.run(todo, workers, _execute, _lost, store=store, wait=wait)
            else:
                n_workers = min(workers or own_cores(), len(todo))
                done = _run(todo, store, n_workers, wait)
            for one in watched(done, len(pending), what):
                if one.row is not None or one.error is not None:
                    del pending[one.key]
                _note(one, outcome)


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Log what warns, here or in workers, once a run, however many units repeat it."""
    seen: set[str] = set()

    def new(record):
        known = record.getMessage() in seen
        seen.add(record.getMessage())
        return not known

    warned = logging.getLogger("py.warnings")
    warned.addFilter(new)
    try:
        yield
    finally:
        warned.removeFilter(new)


def _run(units, store, n_jobs, wait) -> Iterator[_Done]:
    """Each unit's result, as they come."""
    jobs = (joblib.delayed(_execute)(unit, store, wait) for unit in units)
    parallel = joblib.Parallel(
        n_jobs=n_jobs,
        backend="loky",
        return_as="generator_unordered",
        batch_size=1,
        initializer=_begin,
        initargs=(os.getpid(),),
    )
    if n_jobs > 1:
        spare_children()
    try:
        yield from parallel(jobs)
    except BrokenProcessPool as error:
        raise WorkerDied(
            "a worker process was killed, perhaps for lack of memory; run the same command again "
            f"to go on from the finished units, with fewer than workers={n_jobs} if it recurs"
        ) from error


def _begin(parent):
    """Prepare a worker: it ends with its parent, and its warnings go where the parent's go."""
    exit_with_parent(parent)
    logging.captureWarnings(True)
    logging.getLogger().handlers = [QueueHandler(_logged)]


def _execute(unit: Unit, store: Store, wait: bool) -> _Done:
    """One unit, in a worker: stored there, so that nothing finished is lost."""
    start = time.perf_counter()
    found = _found(unit, store, wait)
    return _Done(
        unit.key,
        time.perf_counter() - start,
        cpu_seconds(),
        peak_memory(),
        os.getpid(),
        logged=tuple(_logged.get() for _ in range(_logged.qsize())),
        **found,
    )


def _found(unit, store, wait) -> dict:
    """What became of a unit: a row, an error, or nothing where another run has it."""
    try:
        with store.claim(unit.key, wait) as ours, _libraries(len(sys.modules)).limit(limits=1):
            if not ours:
                return {}
            row = store.get(unit.key)
            if row is not None:
                return {"row": row, "reused": True}
            check_code(unit.key)
            return {"row": store.put(unit.key, unit.task())}
    except (CannotWrite, Refused):
        raise
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}


@lru_cache(maxsize=1)
def _libraries(n_modules):
    """Those with threads of their own, looked for anew when more modules have been imported.

    To look for them takes as long as a small unit.
    """
    return ThreadpoolController()


def _lost(key: Key, error: str) -> _Done:
    """A unit that the workers of a cluster did not survive, or could not take."""
    return _Done(key, error=error)


def _note(one: _Done, outcome: Outcome):
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


def available_cores() -> int:
    """The cores that this process may use: its affinity, and a container's share."""
    return joblib.cpu_count()


def own_cores() -> int:
    """This run's share of the cores, where a sweep runs several jobs at once."""
    return max(1, available_cores() // int(os.environ.get(PARALLEL, 1)))
