"""Processor time of a process, and the peak of its memory."""

import re
import sys
import time
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_used = 0.0


def cpu_seconds() -> float:
    """Processor seconds of this process since the last call, or since its start at the first one.

    So the values add up to what the process has used, whichever part of the program asks.
    """
    global _used
    before, _used = _used, time.process_time()
    return _used - before


def peak_memory() -> int | None:
    """The largest resident memory that this process had, in bytes; None if it is not known."""
    try:
        status = Path("/proc/self/status").read_bytes()
    except OSError:
        status = b""
    # This is preferred: `getrusage` has the peak of the process that started this one as well.
    if peak := re.search(rb"VmHWM:\s+(\d+) kB", status):
        return 1024 * int(peak[1])
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if resource else None
