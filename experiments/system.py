"""The system below a run: what Linux, macOS and Windows do in their own ways, with fallbacks.

Workers are started as new processes on every system and never forked. The number of cores and the
folder in shared memory are those of joblib, which has a fallback for each.
"""

import os
import platform
import re
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

#: A variable of the environment: if it is set, this module takes every fallback. Tests set it.
PLAIN = "MANIFEST_PLAIN_SYSTEM"
_IS_PLAIN = bool(os.environ.get(PLAIN))
_PROC = Path("/proc" if sys.platform == "linux" and not _IS_PLAIN else "/nonexistent")

try:
    if _IS_PLAIN:
        raise ImportError
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]

#: Linux alone says how much memory a process has reserved, and keeps to a limit on it.
MEMORY_IS_LIMITED = resource is not None and _PROC.exists()


def _read(path: str) -> str:
    """A file of Linux about processes or processors; empty if there is none."""
    try:
        return (_PROC / path).read_text(encoding="utf-8")
    except OSError:
        return ""


def program() -> str:
    """The name of the command that a user has called; run.py for all but those of the package."""
    name = Path("".join(sys.orig_argv[1:2])).stem  # sys.argv names run.py in each
    return name if name in ("manifest-run", "manifest-select") else "run.py"


@contextmanager
def locked(file: int | None, byte: int = 0, wait: bool = True) -> Iterator[bool]:
    """Lock one byte of an open file among processes; false inside if another process has it.

    The system drops the lock when its owner dies. Without locks, on Windows and on some file
    systems, nothing is locked and the value is true: two processes may do the same work.

    Parameters
    ----------
    file : int, optional
        The descriptor of a file that is open for writing. Without one nothing is locked.
    byte : int
    wait : bool
        Wait until no other process has the byte.
    """
    ours = held = False
    try:
        if sys.platform != "win32" and fcntl is not None and file is not None:
            fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, byte)
            held = True
        ours = True
    except BlockingIOError:
        pass
    except OSError:
        ours = True
    try:
        yield ours
    finally:
        if sys.platform != "win32" and held and file is not None:
            fcntl.lockf(file, fcntl.LOCK_UN, 1, byte)


def flush(path: str | os.PathLike[str]) -> None:
    """Return when a file, or the names in a folder, are safe on the disk; an OSError if not.

    Windows flushes no folder, and no file that is open for reading alone.
    """
    file = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@cache
def place() -> str:
    """A name for processes that see one another by their numbers: of a machine or a container.

    Containers of one machine may have one host name and see none of each other's processes.
    """
    seen = socket.gethostname()
    with suppress(OSError):
        seen += _read("sys/kernel/random/boot_id") + os.readlink(_PROC / "self" / "ns" / "pid")
    return f"{socket.gethostname()}-{sha256(seen.encode()).hexdigest()[:8]}"


def runs(pid: int) -> bool | None:
    """Tell if a process of that number runs at this :func:`place`; None if that cannot be known.

    On Windows the call that asks would end the process.
    """
    if sys.platform == "win32" or _IS_PLAIN:
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # It is another user's.
    return True


def hear(number: int, handle: Any) -> None:
    """Handle a signal, unless this process was told to ignore it, as under nohup."""
    if signal.getsignal(number) != signal.SIG_IGN:
        signal.signal(number, handle)


#: A thread can keep signals from itself and from the processes that it starts.
MASKS_SIGNALS = sys.platform != "win32" and not _IS_PLAIN


def block_interrupt() -> None:
    """Keep Ctrl-C from this thread and from the processes that it starts, if that is possible."""
    if sys.platform != "win32" and MASKS_SIGNALS:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def exit_with_parent(parent: int) -> None:
    """End this process within a second of its parent's end, however that came about.

    On Windows a process keeps the number of a parent that has ended, and nothing is watched.
    """

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if sys.platform != "win32" and not _IS_PLAIN:
        threading.Thread(target=watch, daemon=True).start()


def memory_limit() -> int | None:
    """The bytes that this process may reserve; None if there is no limit."""
    if sys.platform == "win32" or resource is None:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


@contextmanager
def limited_memory(n_bytes: int) -> Iterator[None]:
    """Let this process reserve `n_bytes` more than it has, and write no larger file.

    Where `MEMORY_IS_LIMITED` is false, nothing is limited.
    """
    if sys.platform == "win32" or not MEMORY_IS_LIMITED:
        yield
        return
    reserved = int(_read("self/statm").split()[0]) * resource.getpagesize()
    before = {}
    for kind, limit in ((resource.RLIMIT_AS, reserved + n_bytes), (resource.RLIMIT_FSIZE, n_bytes)):
        before[kind] = resource.getrlimit(kind)
        given = [value for value in before[kind] if value != resource.RLIM_INFINITY]
        resource.setrlimit(kind, (min([limit, *given]), before[kind][1]))
    try:
        yield
    finally:
        for kind, limits in before.items():
            resource.setrlimit(kind, limits)


def peak_memory() -> int | None:
    """The largest resident memory that this process had, in bytes; None if it is not known."""
    # This is preferred: `getrusage` has the peak of the process that started this one as well.
    if peak := re.search(r"VmHWM:\s+(\d+) kB", _read("self/status")):
        return 1024 * int(peak[1])
    if sys.platform == "win32" or resource is None:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


_used = 0.0


def cpu_seconds() -> float:
    """Processor seconds of this process since the last call, or since its start at the first one.

    So the values add up to what the process has used, whichever part of the program asks.
    """
    global _used
    before, _used = _used, time.process_time()
    return _used - before


def processor(*fields: str) -> list[str]:
    """Return what Linux says of the processor in these fields, each once; elsewhere its name."""
    lines = (line.partition(":") for line in _read("cpuinfo").splitlines())
    said = {value.strip() for field, _, value in lines if field.strip() in fields}
    return sorted(said) or [platform.processor()]


def is_terminal(stream: IO[str] | None) -> bool:
    """True if a person sees a stream; Windows gives a program without a window no streams."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # It is closed.
        return False


def has_no_reader(stream: IO[str]) -> bool:
    """True if a stream is a pipe whose reader has ended."""
    try:
        stream.flush()
        if sys.platform == "win32":
            return False
        asked = select.poll()
        asked.register(stream.fileno(), 0)
        return any(event & select.POLLERR for _, event in asked.poll(0))
    except (OSError, ValueError):
        return True
