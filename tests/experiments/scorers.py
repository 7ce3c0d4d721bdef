"""Scorers that take their time or fail, for the tests of runs.

Before a run each is tried on 24 samples; there they behave.
"""

import time


def slow(X, y):
    """A quarter of a second, so that a run can be caught in the middle."""
    time.sleep(0.25 if len(X) > 24 else 0)
    return abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def moody(X, y):
    """Fails on about half of the samples, the same ones each time."""
    if X[0, 0] == 1:
        raise RuntimeError("no score today")
    return slow(X, y)
