"""Scorers that take their time, fail, or break a promise, for the tests of runs and of grids.

Before a run each is tried on 24 samples; there they behave.
"""

import time
import warnings

import numpy as np

from manifest import AmbiguousScoreWarning


def slow(X, y):
    """A quarter of a second, so that a run can be caught in the middle."""
    time.sleep(0.25 if len(X) > 24 else 0)
    return abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def moody(X, y):
    """Fails on about half of the samples, the same ones each time."""
    if X[0, 0] == 1:
        raise RuntimeError("no score today")
    return slow(X, y)


#: The values that `many_powers` was called with, call by call.
CALLS: list[list] = []


def many_powers(X, y, powers, *, shift=0):
    """Scores of `powered` with each of several powers."""
    CALLS.append(list(powers))
    return np.array([powered(X, y, power=power, shift=shift) for power in powers])


def powered(X, y, *, power=1, shift=0, other=0):
    """A power of the means; `many_powers` does not know `other`."""
    return shift + abs(X.mean(axis=0)) ** power + other


powered.grid = ("power", many_powers)  # type: ignore[attr-defined]


def too_few(X, y, powers):
    """A grid function that forgets a value."""
    return np.array([powered(X, y, power=power) for power in powers[1:]])


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
