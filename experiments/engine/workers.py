"""Processes of this machine that run units, and go on when one of them is killed."""

import logging
import os
import queue
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from logging.handlers import QueueHandler

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool
from threadpoolctl import ThreadpoolController

from experiments.atomic import CannotWrite
from experiments.engine.code import Refused
from experiments.engine.interruption import GO_ON, WorkerDied, spare_children
from experiments.engine.keys import Key, Row, Unit, check_code
from experiments.engine.store import Store
from experiments.system import cpu_seconds, exit_with_parent, peak_memory

log = logging.getLogger(__name__)

#: Units that wait in the pool for each worker, so that no worker waits for its next unit.
AHEAD = 2
#: Workers that a unit may kill, each while it runs alone, before the run gives the unit up.
KILLS = 2
#: The error of a unit that was given up.
KILLED = f"its worker was killed {KILLS} times while it ran alone, perhaps for lack of memory"
#: Units in a row that are given up before the fault is taken to be in the machine.
IN_A_ROW = 3
#: Seconds after which a pool says that nothing has finished, so that its user can do other work.
HEARTBEAT = 1.0
#: Workers have one thread of BLAS each, because there is a worker for each core.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}

#: In a worker, the log since the last unit: the run's own process writes it.
_logged: queue.SimpleQueue = queue.SimpleQueue()
#: The pool of this process, which the next units find ready, by its number of workers. It is not
#: loky's reusable one: joblib expects that to be its own.
_pools: dict[int, ProcessPoolExecutor] = {}


@dataclass(frozen=True)
class Done:
    """The result of a unit: a row, an error, or neither if another run has the unit.

    `reused` is true if the row was stored already.
    """

    key: Key
    row: Row | None = None
    error: str | None = None
    trace: str = ""
    reused: bool = False
    #: Wall seconds of the unit, and processor seconds of its process since the unit before.
    seconds: float = 0.0
    cpu: float = 0.0
    #: The largest memory of the process so far, in bytes.
    peak: int | None = None
    pid: int | None = None
    logged: tuple[logging.LogRecord, ...] = ()


def execute(unit: Unit, store: Store, wait: bool) -> Done:
    """Run one unit and store its row here, so that nothing finished is lost.

    Every unit runs with one BLAS thread, whatever the number of workers: a threaded product sums
    in another order, and results shall not depend on the machine's load or size.

    Raises
    ------
    CannotWrite
        If the row cannot be stored.
    Refused
        If code or data have changed since the run started.
    """
    start = time.perf_counter()
    row, message, trace, reused = None, None, "", False
    try:
        with store.claim(unit.key, wait) as ours, _libraries(len(sys.modules)).limit(limits=1):
            if ours:
                row = store.get(unit.key)
                reused = row is not None
            if ours and not reused:
                check_code(unit.key)
                row = store.put(unit.key, unit.task())
    except (CannotWrite, Refused):
        raise
    except (Exception, SystemExit) as error:  # a scorer that calls sys.exit ends no run
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        trace = traceback.format_exc()
    seconds = time.perf_counter() - start
    logged = tuple(_logged.get() for _ in range(_logged.qsize()))
    used = cpu_seconds(), peak_memory(), os.getpid()
    return Done(unit.key, row, message, trace, reused, seconds, *used, logged)


@lru_cache(maxsize=1)
def _libraries(n_modules):
    """The libraries with threads; they are searched for when more modules have been imported."""
    return ThreadpoolController()


def run_on_workers(
    units: Sequence[Unit], store: Store, n_workers: int, wait: bool
) -> Iterator[Done | None]:
    """Each unit's result, as they come; None now and then while nothing has finished.

    When a worker is killed, the pool that it belonged to is lost. The units that were in the pool
    then run one by one on a single worker, which tells which of them kills: a unit that kills two
    such workers has failed, and all others go on.

    Raises
    ------
    CannotWrite, Refused
        See :func:`execute`.
    WorkerDied
        If workers die whatever they run.
    """
    spare_children()
    waiting = deque(units)
    running: dict[futures.Future, Unit] = {}
    given_up = 0
    try:
        while waiting or running:
            with suppress(BrokenProcessPool):  # a worker was killed while it was idle
                while waiting and len(running) < AHEAD * n_workers:
                    future = _pool(n_workers).submit(execute, waiting[0], store, wait)
                    running[future] = waiting.popleft()
            if not running:
                _pools.clear()
                continue
            finished, _ = futures.wait(running, HEARTBEAT, futures.FIRST_COMPLETED)
            if not finished:
                yield None
            suspects = []
            for future in finished:
                unit = running.pop(future)
                try:
                    done = future.result()
                except BrokenProcessPool:
                    suspects.append(unit)
                else:
                    given_up = 0
                    yield done
            if suspects:
                log.warning("a worker was killed; the units at hand run again, one by one")
                suspects += running.values()
                running.clear()
                _pools.clear()
            for unit in suspects:
                done = _run_alone(unit, store, wait)
                given_up = given_up + 1 if done.error == KILLED else 0
                if given_up == IN_A_ROW:
                    raise WorkerDied(
                        "workers are killed whatever they run, perhaps for lack of memory; "
                        f"{GO_ON}, with fewer than workers={n_workers} or with more memory"
                    )
                yield done
    except BaseException:
        for pool in _pools.values():
            pool.shutdown(kill_workers=True)
        _pools.clear()
        raise


def _pool(n_workers: int) -> ProcessPoolExecutor:
    if n_workers not in _pools:
        for other in _pools.values():
            other.shutdown()
        _pools.clear()
        _pools[n_workers] = ProcessPoolExecutor(
            n_workers, timeout=60, initializer=_begin, initargs=(os.getpid(),), env=ONE_THREAD
        )
    return _pools[n_workers]


def _run_alone(unit: Unit, store: Store, wait: bool) -> Done:
    """A unit's result from a worker that runs nothing else; the next unit finds it ready."""
    for _ in range(KILLS):
        try:
            return _pool(1).submit(execute, unit, store, wait).result()
        except BrokenProcessPool:
            _pools.clear()
    return Done(unit.key, error=KILLED)


def _begin(parent):
    """Prepare a worker: it ends with its parent, and its warnings go where the parent's go."""
    exit_with_parent(parent)
    logging.captureWarnings(True)
    logging.getLogger().handlers = [QueueHandler(_logged)]
