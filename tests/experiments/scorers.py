"""Scorers that take their time, never end, die or fail, for the tests of interrupted runs.

Before a run each is tried on 24 samples; there they behave.
"""

import hashlib
import os
import signal
import time
import warnings
from pathlib import Path


def slow(X, y):
    """A quarter of a second, so that a run can be caught in the middle."""
    time.sleep(0.25 if len(X) > 24 else 0)
    return abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def endless(X, y):
    """Compiled code that lets no handler of a signal run; says first that it has begun."""
    if len(X) <= 24:
        return slow(X, y)
    Path(os.environ["BEGUN"]).touch()
    return hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)


def dying(X, y):
    """Killed by the system, as for lack of memory."""
    if len(X) > 24:
        os.kill(os.getpid(), signal.SIGKILL)
    return slow(X, y)


def moody(X, y):
    """Fails on about half of the samples, the same ones each time."""
    if X[0, 0] == 1:
        raise RuntimeError("no score today")
    return slow(X, y)


def talkative(X, y):
    """Warns of what it does, except where it is tried."""
    if len(X) > 24:
        warnings.warn("a word of warning", stacklevel=1)
    return abs(X.mean(axis=0))
