"""Where a run's time goes: wall and CPU seconds by stage; what a process used of CPU and memory.

A stage is a block, ``with stage("svm"):``, and is booked in the ledger that is open in its thread,
without the stages inside it: what a ledger holds never adds up to more than the time it was open.
Where no ledger is open a stage costs a microsecond and is forgotten.
"""

import re
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ContextDecorator, contextmanager
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

#: Name of a stage -> its wall seconds and CPU seconds.
Spent = dict[str, tuple[float, float]]

#: Of the run's own process: before its first line, and while it waits for units or computes them.
START_UP, UNITS = "start-up", "units"
#: Of workers: without a unit; with one that another process computes at the moment.
IDLE, WAITING = "idle", "waiting"


class _Open(threading.local):
    """The ledger and the stage that this thread is in, and since when."""

    ledger: Spent | None = None
    name = ""
    wall = 0.0
    cpu = 0.0


_open = _Open()


def _turn(name: str) -> str:
    """Book the time since the last turn on the stage that ends, which is returned; begin another.

    CPU time is the process's: that of threads which a stage starts belongs to it.
    """
    wall, cpu, ended = time.perf_counter(), time.process_time(), _open.name
    if _open.ledger is not None:
        before = _open.ledger.get(ended, (0.0, 0.0))
        _open.ledger[ended] = (before[0] + wall - _open.wall, before[1] + cpu - _open.cpu)
        _open.name, _open.wall, _open.cpu = name, wall, cpu
    return ended


class stage(ContextDecorator):
    """A block, or a function, whose time is booked under a name.

    >>> with ledger("rest") as spent, stage("svm"):
    ...     pass
    >>> sorted(spent)
    ['rest', 'svm']
    """

    def __init__(self, name: str):
        self.name = name

    def _recreate_cm(self):
        return stage(self.name)  # a decorated function may call itself

    def __enter__(self):
        self.outer = _turn(self.name)

    def __exit__(self, *error):
        _turn(self.outer)


@contextmanager
def ledger(rest: str) -> Iterator[Spent]:
    """Book the stages of a block, and as `rest` what is in none of them.

    A ledger inside another books for itself alone: to the outer one it is part of a stage.
    """
    outer = (_open.ledger, _open.name, _open.wall, _open.cpu)
    spent: Spent = {}
    _open.ledger, _open.name = spent, rest
    _open.wall, _open.cpu = time.perf_counter(), time.process_time()
    try:
        yield spent
    finally:
        _turn("")
        _open.ledger, _open.name, _open.wall, _open.cpu = outer


def add(total: Spent, found: Mapping[str, tuple[float, float]]) -> None:
    """Add the stages of one ledger to those of another."""
    for name, (wall, cpu) in found.items():
        before = total.get(name, (0.0, 0.0))
        total[name] = (before[0] + wall, before[1] + cpu)


def of_all(run: Spent, units: Spent, seconds: float, capacity: float) -> Spent:
    """The stages of all processes of a run as one ledger.

    Parameters
    ----------
    run, units : Spent
        Of the run's own process, and of its units in whatever process.
    seconds : float
        Wall seconds of the units, summed.
    capacity : float
        Wall seconds that workers were there for, summed.

    Returns
    -------
    Spent
        The run's "units", which is their time once more, is left out; "idle" is what workers did
        not use, for want of a unit or for its way to them.
    """
    total = {name: found for name, found in run.items() if name != UNITS}
    add(total, units)
    started = units.get(START_UP, (0.0, 0.0))[0]
    total[IDLE] = (max(0.0, capacity - seconds - started), 0.0)
    return total


_used = 0.0


def cpu_seconds() -> tuple[float, bool]:
    """CPU seconds of this process, user and system, since the last call; whether it is the first.

    The first are those of the imports. All that a process says of itself adds up to what it used,
    whoever asks.
    """
    global _used
    before, _used = _used, time.process_time()
    return _used - before, before == 0.0


def peak_memory() -> int | None:
    """The largest resident memory that this process had, in bytes; None where it is not known."""
    try:
        status = Path("/proc/self/status").read_bytes()
    except OSError:
        status = b""
    # Preferred: a process inherits the peak in `getrusage` from the one that started it.
    if found := re.search(rb"VmHWM:\s+(\d+) kB", status):
        return 1024 * int(found[1])
    if resource is None:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )
