"""Scorers that take their time, never end, die or fail, for the tests of interrupted runs.

Before a run each is tried on 24 samples; there they behave.
"""

import hashlib
import os
import signal
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np

from manifest import AmbiguousScoreWarning

#: Names a file: while it is there, scores of `held` have to wait.
HOLD = "MANIFEST_TEST_HOLD"


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


def deadly(X, y):
    """Kills its process on the first sample that it meets, each time, and on no other."""
    if len(X) > 24:
        mark, name = Path(os.environ["BEGUN"]), hashlib.sha256(X.tobytes()).hexdigest()
        with suppress(FileExistsError), mark.open("x") as file:
            file.write(name)
        if mark.read_text() == name:
            os.kill(os.getpid(), signal.SIGKILL)
    return slow(X, y)


def leaving(X, y):
    """Leaves Python on some of the samples, in two ways that no scorer should."""
    if len(X) > 24 and X[0, :3].sum() == 3:
        sys.exit("enough")
    if len(X) > 24 and X[0, :3].sum() == 0:
        os._exit(3)
    return slow(X, y)


def held(X, y):
    """The means, once the file is gone that the variable HOLD names."""
    while len(X) > 24 and HOLD in os.environ and Path(os.environ[HOLD]).exists():
        time.sleep(0.05)
    return X.mean(axis=0)


def refuses(X, y):
    """The means, but of no experiment's samples."""
    if len(X) > 24:
        raise RuntimeError("no score today")
    return X.mean(axis=0)


def moody(X, y):
    """Fails on about half of the samples, the same ones each time."""
    if X[0, 0] == 1:
        raise RuntimeError("no score today")
    return slow(X, y)


def talkative(X, y):
    """Warns of what it does, except where it is tried."""
    if len(X) > 24:
        warnings.warn(f"a word of warning, {float(X.sum())}", stacklevel=1)
    return abs(X.mean(axis=0))


#: The values that `many_powers` was called with, call by call.
CALLS: list[list] = []


def many_powers(X, y, powers, *, shift=0):
    """Scores of `powered` with each of several powers; BEGUN names a file that holds it up."""
    CALLS.append(list(powers))
    if "BEGUN" in os.environ:
        begun = Path(os.environ["BEGUN"])
        begun.touch()
        while begun.exists():
            time.sleep(0.01)
        time.sleep(0.5)
    return np.array([powered(X, y, power=power, shift=shift) for power in powers])


def powered(X, y, *, power=1, shift=0, other=0):
    """A power of the means; `many_powers` does not know `other`."""
    return shift + abs(X.mean(axis=0)) ** power + other


powered.grid = ("power", many_powers)  # type: ignore[attr-defined]


def not_as_alone(X, y, powers):
    """A grid function that breaks its promise."""
    return np.array([powered(X, y, power=1) for _ in powers])


def too_few(X, y, powers):
    """A grid function that forgets a value."""
    return np.array([powered(X, y, power=power) for power in powers[1:]])


def unlike(X, y, *, power=1):
    return powered(X, y, power=power)


unlike.grid = ("power", not_as_alone)  # type: ignore[attr-defined]


def forgetful(X, y, *, power=1):
    return powered(X, y, power=power)


forgetful.grid = ("power", too_few)  # type: ignore[attr-defined]


def warning_of_two(X, y, powers):
    """Several powers at once; the ambiguity is that of 2."""
    return np.array([ambiguous_at_two(X, y, power=power) for power in powers])


def ambiguous_at_two(X, y, *, power=1):
    """Warns of an ambiguous score where the power is 2."""
    if power == 2:
        warnings.warn("not unique", AmbiguousScoreWarning, stacklevel=1)
    return powered(X, y, power=power)


ambiguous_at_two.grid = ("power", warning_of_two)  # type: ignore[attr-defined]
