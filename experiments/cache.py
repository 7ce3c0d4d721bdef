"""Compute the tasks of a run in parallel by joblib, and store their results on disk.

A :class:`Task` is a piece of work with a key: everything that its numbers depend on, as JSON.
:class:`Cache` stores its row under the key, the versions of NumPy, SciPy and scikit-learn, and one
digest of all sources of this repository that may change a number. After an edit of any of them,
tasks are computed again. A killed run resumes from the stored tasks.
"""

import hashlib
import inspect
import logging
import re
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError
from joblib.memory import MemorizedFunc
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.config import ConfigError
from experiments.files import CannotWrite
from experiments.seeds import canonical_json

log = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parents[1]
#: Folders of the sources that may change a number, and those among them that only show it.
SOURCES, SHOWS = ("manifest", "baselines", "experiments"), ("experiments/report",)
#: Packages whose versions may change a number.
PACKAGES = ("numpy", "scipy", "scikit-learn")
#: Seconds to wait for the answer of a dask scheduler.
PATIENCE = 5
#: Seconds between two lines on the progress, if there is no terminal for a bar.
EVERY = 60
#: Seconds after which an idle worker ends, even if the run was killed.
IDLE = 30
#: A number in a warning; warnings that differ only in numbers count as one.
NUMBER = re.compile(r"\d[\d.]*(e[-+]\d+)?")

#: The result of a task: column -> number, text or array.
Row = dict[str, Any]


class RunStopped(RuntimeError):
    """Raised if a run stops early; the message says why."""


@dataclass(frozen=True)
class Task:
    """A piece of work: its key, and a picklable function without arguments."""

    key: str
    function: Callable[[], Row]


def key_of(kind: str, scorers: Iterable[Callable] = (), **determinants: Any) -> str:
    """Return the key of a task, as a text.

    Parameters
    ----------
    kind : str
        What the task computes, such as "scores".
    scorers : iterable of callables
        Scorers that the task calls. If one is from outside this repository, the digest of its file
        is part of the key.
    **determinants
        JSON values: the axes and parameters of the task, and the fingerprint of its samples.
    """
    places = [place for scorer in scorers if (place := place_elsewhere(scorer))]
    elsewhere = sorted(
        place if isinstance(place, str) else hashlib.sha256(place.read_bytes()).hexdigest()
        for place in places
    )
    return canonical_json([kind, determinants, *([elsewhere] if elsewhere else [])])


@cache
def place_elsewhere(scorer: Callable) -> Path | str | None:
    """Return the file of a scorer, or its class if it has none; None if in this repository."""
    try:
        path = Path(inspect.getfile(inspect.unwrap(scorer))).resolve()
    except TypeError:  # It is built in or an instance of a class.
        return f"{type(scorer).__module__}.{type(scorer).__qualname__}"
    return None if any(path.is_relative_to(ROOT / folder) for folder in SOURCES) else path


@cache
def code() -> str:
    """Return a digest of the sources and package versions that may change a number."""
    digest = hashlib.sha256()
    files = [path for folder in SOURCES for path in (ROOT / folder).rglob("*.[cp]*")]
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in (".py", ".c") and not name.startswith(SHOWS):
            digest.update(name.encode() + b"\0" + path.read_bytes())
    digest.update("".join(metadata.version(name) + "\0" for name in PACKAGES).encode())
    return digest.hexdigest()[:16]


def compute(key: str, code: str, function: Callable[[], Row]) -> Row:
    """Compute the row of a task. joblib stores it under the first two arguments."""
    return function()


@dataclass(frozen=True)
class Cache:
    """Rows of tasks in a folder, which runs, processes and machines may share."""

    #: The folder; it is created when it is needed.
    root: str

    def remembers(self, key: str) -> bool:
        """Return whether the row of a task is stored; it may be damaged."""
        return _memory(self).check_call_in_cache(key, code(), None)

    def row(self, key: str, function: Callable[[], Row]) -> Row:
        """Return the stored row of a task; compute it if it is missing or damaged.

        Raises
        ------
        CannotWrite
            If the row cannot be stored.
        """
        with warnings.catch_warnings():
            warnings.filterwarnings("error", category=joblib.memory.CacheWarning)
            try:
                return _memory(self)(key, code(), function)
            except joblib.memory.CacheWarning as error:
                raise CannotWrite(self.root, error.__context__ or error) from error


@cache
def _memory(cache: Cache) -> MemorizedFunc:
    """Return the function that computes rows and stores them in a cache."""
    try:
        memory = joblib.Memory(cache.root, verbose=0)
    except OSError as error:
        raise CannotWrite(cache.root, error) from error
    return memory.cache(compute, ignore=["function"])


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


def attempt(task: Task, cache: Cache, run_code: str) -> Done:
    """Compute a task on one thread of BLAS and store its row; an error becomes part of Done.

    With several threads a product would sum in another order, and numbers depend on the machine.

    Raises
    ------
    CannotWrite
        If the row cannot be stored.
    RunStopped
        If this process has other sources or package versions than the run.
    """
    if code() != run_code:
        raise RunStopped(
            "a worker has other sources or package versions than this run: they were changed "
            "while it started, or differ between machines; start the same command again"
        )
    row, message, trace = None, "", ""
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("default")
        try:
            row = cache.row(task.key, task.function)
        except (CannotWrite, RunStopped):
            raise
        except (Exception, SystemExit) as error:  # A scorer may call sys.exit.
            message = f"{type(error).__name__}: {error}".removesuffix(": ")
            trace = traceback.format_exc()
    told = tuple(f"{each.category.__name__}: {each.message}" for each in caught)
    return Done(task.key, row, message, trace, told)


def complete(
    tasks: Sequence[Task], cache: Cache, outcome: Outcome, workers: int | str | None, what: str
) -> None:
    """Compute the tasks that are not stored, and add all to the outcome.

    Parameters
    ----------
    tasks : sequence of Task
        Tasks with equal keys are computed once.
    cache : Cache
    outcome : Outcome
    workers : int, str or None
        Number of processes: None for one per core, 1 for this process only. A text is the address
        of a dask scheduler, whose workers must have the folder of the cache at the same path.
    what : str
        The name of the tasks in the progress bar.

    Raises
    ------
    CannotWrite, RunStopped
        As in :func:`attempt`, and if the system kills a worker.
    ConfigError
        If no dask scheduler answers at the address.
    """
    pending = {}
    for task in tasks:
        if task.key in outcome.rows or task.key in outcome.failures or task.key in pending:
            continue
        if cache.remembers(task.key):
            outcome.rows[task.key] = cache.row(task.key, task.function)
            outcome.reused += 1
        else:
            pending[task.key] = task
    if not pending:
        return
    with tqdm(total=len(pending), desc=what, unit="task", leave=False, disable=None) as bar:
        try:
            with _backend(workers, len(pending)) as n_jobs:
                parallel = joblib.Parallel(n_jobs, return_as="generator_unordered")
                asked = (joblib.delayed(attempt)(task, cache, code()) for task in pending.values())
                log_progress = _progress(what, len(pending), n_jobs)
                for done in parallel(asked):
                    _note(done, outcome)
                    bar.update()
                    if bar.disable:
                        log_progress()
        except TerminatedWorkerError as error:
            raise RunStopped(
                "a worker was killed, probably for lack of memory; start the same command again, "
                "with fewer workers (workers=1), and it will resume"
            ) from error


def _progress(what: str, n_tasks: int, n_jobs: int) -> Callable[[], None]:
    """Return a function to call after each task: it logs an estimate, then a line a minute.

    The first task of each worker is not counted, since it includes the start of the worker.
    """
    ends: list[float] = []
    said = time.monotonic()

    def log_progress() -> None:
        nonlocal said
        ends.append(time.monotonic())
        if (n_more := len(ends) - max(1, n_jobs)) < 1:
            return
        minutes = (ends[-1] - ends[-1 - n_more]) / n_more * (n_tasks - len(ends)) / EVERY
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
