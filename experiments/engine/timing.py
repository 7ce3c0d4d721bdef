"""Processor time of a process."""

import time

_used = 0.0


def cpu_seconds() -> float:
    """Processor seconds of this process since the last call, or since its start at the first one.

    So the values add up to what the process has used, whichever part of the program asks.
    """
    global _used
    before, _used = _used, time.process_time()
    return _used - before
