"""Scorers for runs that a test looks into: one can be held up, one gives up."""

import os
import time
from pathlib import Path

import numpy as np

#: Names a file: while it is there, scores have to wait.
HOLD = "MANIFEST_TEST_HOLD"


def mean(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The mean of each feature (n_features,), of an experiment's samples once nothing holds it."""
    while len(X) > 24 and HOLD in os.environ and Path(os.environ[HOLD]).exists():
        time.sleep(0.05)
    return X.mean(axis=0)


def refuses(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The mean of each feature (n_features,), but of no experiment's samples."""
    if len(X) > 24:
        raise RuntimeError("no score today")
    return X.mean(axis=0)
