"""Compute the tasks of a run in parallel by joblib, and store their results on disk.

A :class:`Task` is a piece of work with a key: everything that its numbers depend on, as JSON, apart
from the sources and packages of :func:`experiments.code.code`. :class:`Cache` stores its row with
both. After an edit of the sources, tasks are computed again. A killed run resumes from the stored
tasks.
"""

import hashlib
import logging
import pickle
import re
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError
from omegaconf import DictConfig
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.code import FOUND, UNKNOWN, code, loose_modules, optional_versions, state
from experiments.config import ConfigError, ToldError
from experiments.files import CannotWrite, atomic_write
from experiments.seeds import canonical_json

log = logging.getLogger(__name__)

#: Seconds to wait for the answer of a dask scheduler.
PATIENCE = 5
#: Seconds between two lines on the progress, if there is no terminal for a bar.
EVERY = 60
#: Seconds after which an idle worker ends, even if the run was killed.
IDLE = 30
#: Bytes of the checksum of a stored row.
SIZE = hashlib.sha256().digest_size
#: A number in a warning; warnings that differ only in numbers count as one.
NUMBER = re.compile(r"\d[\d.]*(e[-+]\d+)?")

#: The result of a task: column -> number, text or array.
Row = dict[str, Any]


class RunStopped(ToldError, RuntimeError):
    """Raised if a run stops early; the message says why."""


@dataclass(frozen=True)
class Task:
    """A piece of work: its key, and a picklable function without arguments."""

    key: str
    function: Callable[[], Row]


def key_of(kind: str, **determinants: Any) -> str:
    """Return the key of a task, as a text.

    Parameters
    ----------
    kind : str
        What the task computes, such as "scores".
    **determinants
        JSON values: the axes and parameters of the task, the fingerprint of its samples, and the
        digests of scorers from elsewhere (see :func:`experiments.code.elsewhere`). The versions of
        optional packages that they name are added.
    """
    versions = optional_versions(canonical_json(determinants))
    return canonical_json([kind, determinants, *([versions] if versions else [])])


@dataclass(frozen=True)
class Cache:
    """Rows of tasks in a folder, which runs, processes and machines may share.

    A file has the key, the digest of the code and the row of a task, below a checksum of them.
    """

    #: The folder; it is created when it is needed.
    root: str

    def path(self, key: str) -> Path:
        """Return the file of a task."""
        name = hashlib.sha256(f"{code()} {key}".encode()).hexdigest()
        return Path(self.root) / "tasks" / name[:2] / f"{name[2:]}.pkl"

    def load(self, key: str) -> Row | None:
        """Return the stored row of a task; None if it is missing or damaged."""
        try:
            content = (path := self.path(key)).read_bytes()
        except OSError:
            return None
        checksum, pickled = content[:SIZE], content[SIZE:]
        if hashlib.sha256(pickled).digest() == checksum:
            *stored, row = pickle.loads(pickled)
            if stored == [code(), key]:
                return row
        log.warning("a stored result is damaged and will be computed again: %s", path)
        return None

    def row(self, key: str, function: Callable[[], Row]) -> Row:
        """Return the stored row of a task; compute and store it if it is missing or damaged.

        A row of unknown code is not stored.

        Raises
        ------
        CannotWrite
            If the row cannot be stored.
        """
        if UNKNOWN in key:
            return function()
        if (row := self.load(key)) is None:
            row = function()
            pickled = pickle.dumps((code(), key, row))
            with atomic_write(self.path(key)) as part:
                part.write_bytes(hashlib.sha256(pickled).digest() + pickled)
        return row


@dataclass
class Outcome:
    """The results of the tasks of a run."""

    #: The row of each finished task, and the error of each failed one, by key.
    rows: dict[str, Row] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    computed: int = 0
    reused: int = 0
    #: Texts of the warnings that were already logged, without their numbers.
    warned: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Done:
    """The result of a task: its row or its error."""

    key: str
    row: Row | None
    error: str
    trace: str
    warned: tuple[str, ...]


def attempt(task: Task, cache: Cache, files: tuple[str, ...], expected: list[str]) -> Done:
    """Compute a task on one thread of BLAS and store its row; an error becomes part of Done.

    With several threads a product would sum in another order, and numbers depend on the machine.
    `expected` is the :func:`experiments.code.state` of the run, and `files` are the loose ones.

    Raises
    ------
    CannotWrite
        If the row cannot be stored.
    RunStopped
        If this process has other sources or package versions than the run.
    """
    if state(files) != expected:
        raise RunStopped(
            "a worker has other sources or package versions than this run: they were changed "
            "while it started, or differ between machines; start the same command again"
        )
    row, message, trace = None, "", ""
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("default")
        try:
            row = cache.row(task.key, task.function)
        except (CannotWrite, RunStopped, KeyboardInterrupt):
            raise
        except BaseException as error:  # A scorer may call sys.exit.
            message = f"{type(error).__name__}: {error}".removesuffix(": ")
            trace = traceback.format_exc()
    told = tuple(f"{each.category.__name__}: {each.message}" for each in caught)
    return Done(task.key, row, message, trace, told)


def _progress(what: str, n_tasks: int, n_jobs: int) -> Callable[[], None]:
    """Return a function to call after each task: it logs an estimate, then a line a minute."""
    ends: list[float] = []
    said = time.monotonic()

    def log_progress() -> None:
        nonlocal said
        ends.append(time.monotonic())
        # The first task of each worker includes the start of the worker.
        if (n_more := len(ends) - max(1, n_jobs)) < 1:
            return
        minutes = (ends[-1] - ends[-1 - n_more]) / n_more * (n_tasks - len(ends)) / 60
        if ends[-1] - said > EVERY or (n_more == 1 and minutes > 1):
            said = ends[-1]
            log.info("%s: %d of %d tasks, about %.0f min left", what, len(ends), n_tasks, minutes)

    return log_progress


@contextmanager
def _backend(workers: int | str | None, n_tasks: int) -> Iterator[int]:
    """Return joblib's backend for these workers, and the number of jobs."""
    if not isinstance(workers, str):
        n_jobs = workers or joblib.cpu_count()
        if n_jobs > 1:  # One job would run in this process, which a crashing task would end.
            n_jobs = max(2, min(n_jobs, n_tasks))
        with joblib.parallel_config("loky", inner_max_num_threads=1, idle_worker_timeout=IDLE):
            yield n_jobs
        return
    from distributed import Client

    try:
        client = Client(workers, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"no dask scheduler answers at scheduler={workers} ({error}); start one with `dask "
            "scheduler` and give its address, tcp://HOST:PORT"
        ) from error
    with client, joblib.parallel_config("dask", client=client):
        yield -1


def _note(done: Done, outcome: Outcome) -> None:
    """Add a task to the outcome and the log."""
    for text in done.warned:
        if (bare := NUMBER.sub("", text)) not in outcome.warned:
            outcome.warned.add(bare)
            log.warning("%s", text)
    if done.row is None:
        outcome.failures[done.key] = done.error
        log.error("a task failed: %s", done.error)
        log.debug("the task %s\n%s", done.key, done.trace)
    else:
        outcome.rows[done.key] = done.row
        outcome.computed += 1


@dataclass
class Run:
    """One run of an experiment: its config, the store, and what has been computed."""

    config: DictConfig
    cache: Cache
    outcome: Outcome = field(default_factory=Outcome)
    #: The folder of the results.
    folder: Path | None = None

    def complete(self, tasks: Sequence[Task], what: str) -> None:
        """Compute the tasks that are not yet stored, those with equal keys once.

        `what` is the name of the tasks in the progress bar. Workers of a dask scheduler must have
        the folder of the cache at the same path.

        Raises
        ------
        CannotWrite, RunStopped
            As in :func:`attempt`, and if the system kills a worker.
        ConfigError
            If no dask scheduler answers at the address.
        """
        outcome, pending = self.outcome, {}
        for task in tasks:
            if task.key in outcome.rows or task.key in outcome.failures or task.key in pending:
                continue
            if (row := self.cache.load(task.key)) is not None:
                outcome.rows[task.key] = row
                outcome.reused += 1
            else:
                pending[task.key] = task
        if not pending:
            return
        with tqdm(total=len(pending), desc=what, unit="task", leave=False, disable=None) as bar:
            try:
                for done in self._attempted(list(pending.values()), what, bar.disable):
                    _note(done, outcome)
                    bar.update()
            except TerminatedWorkerError as error:
                raise RunStopped(
                    "a worker was killed, probably for lack of memory; start the same command "
                    "again, with fewer workers (workers=1), and it will resume"
                ) from error

    def _attempted(self, tasks: list[Task], what: str, is_logged: bool) -> Iterator[Done]:
        """Yield the results of tasks as they come; the progress is logged if there is no bar."""
        files = tuple(loose_modules().values()) if FOUND else ()
        workers = self.config.scheduler or self.config.workers
        with _backend(workers, len(tasks)) as n_jobs:
            parallel = joblib.Parallel(n_jobs, return_as="generator_unordered")
            asked = joblib.delayed(attempt)
            now = state(files)
            log_progress = _progress(what, len(tasks), n_jobs)
            for done in parallel(asked(task, self.cache, files, now) for task in tasks):
                yield done
                if is_logged:
                    log_progress()

    def rows(self, tasks: list[Task]) -> list[Row] | None:
        """Return the rows of tasks; None if one of them failed."""
        done = self.outcome.rows
        rows = [done[task.key] for task in tasks if task.key in done]
        return rows if len(rows) == len(tasks) else None

    def rows_at(
        self, tasks: Mapping[tuple, Task], what: str, end: int | None = None
    ) -> dict[tuple, Row]:
        """Compute tasks that are named by axes, and return their rows group by group.

        Tasks with equal axes up to `end` are a group. If one of them failed, it has no rows.
        """
        self.complete(list(tasks.values()), what)
        groups: dict[tuple, list[tuple]] = {}
        for axes in tasks:
            groups.setdefault(axes[:end], []).append(axes)
        rows_of_tasks: dict[tuple, Row] = {}
        for group in groups.values():
            rows = self.rows([tasks[axes] for axes in group])
            if rows is not None:
                rows_of_tasks.update(zip(group, rows, strict=True))
        return rows_of_tasks
