"""Units of work on several processes: what is stored is not run again, what fails is reported."""

import logging
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.store import Row, Store, Unit

log = logging.getLogger(__name__)


@dataclass
class Outcome:
    """What became of the units of a run.

    Attributes
    ----------
    rows : dict
        Key -> row of each unit that is done.
    failures : dict
        Key -> the error of each unit that is not.
    computed, reused : int
    seconds : float
        Summed over processes.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    computed: int = 0
    reused: int = 0
    seconds: float = 0.0


def complete(
    units: Sequence[Unit], store: Store, outcome: Outcome, workers: int | None, what: str
) -> None:
    """Run the units that the store does not have, and add all to the outcome.

    Every unit runs with one BLAS thread, whatever the number of workers: a threaded product sums
    in another order, and results shall not depend on the machine's load or size.
    """
    pending = {}
    for unit in units:
        if unit.key in outcome.rows or unit.key in outcome.failures or unit.key in pending:
            continue
        row = store.get(unit.key)
        if row is None:
            pending[unit.key] = unit
        else:
            outcome.rows[unit.key] = row
            outcome.reused += 1
    if not pending:
        return
    n_jobs = min(workers or available_cores(), len(pending))
    jobs = (delayed(_execute)(unit, store) for unit in pending.values())
    done = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(jobs)
    for key, row, error, seconds in tqdm(
        done, total=len(pending), desc=what, unit="unit", mininterval=0.5, leave=False
    ):
        outcome.seconds += seconds
        if error is None:
            outcome.rows[key] = row
            outcome.computed += 1
        else:
            outcome.failures[key] = error
            log.error("unit %s failed: %s", key, error)


def _execute(unit, store):
    """One unit, in a worker: stored there, so that nothing finished is lost."""
    start = time.perf_counter()
    with threadpool_limits(1):
        try:
            row = unit.task()
            store.put(unit.key, row)
        except Exception as error:
            return unit.key, None, f"{type(error).__name__}: {error}", time.perf_counter() - start
    return unit.key, row, None, time.perf_counter() - start


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
