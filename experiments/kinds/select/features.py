"""Facts of each feature alone: its name, copies of it, and what is suspicious about it."""

from itertools import combinations, compress
from typing import Any

import numpy as np
from scipy import stats

from experiments.datasets import Dataset
from experiments.datasets.user_table import UserTable
from experiments.kinds.select.copies import duplicates

#: The least rank correlation with the row's number, and the fewest rows, for a warning.
FOLLOWS, FEWEST = 0.99, 10
#: Warnings that a feature is too good, or is no measurement -> what the user is to check.
ADVICE = {
    "separates the classes alone": "check that it is not another form of the target, or measured "
    "after it",
    "follows the order of the rows": "check that it is not a row number, a date or the order of "
    "measurement",
}


def names_of(data: Dataset) -> list[str]:
    """The names of the features; numbers from 1 where the data have none."""
    return list(data.feature_names or (f"x{i}" for i in range(1, data.X.shape[1] + 1)))


def alone(data: UserTable) -> dict[str, Any]:
    """Columns for each feature: "constant", "duplicate_of", "warning"."""
    X, names = np.asarray(data.X, dtype=np.float64), names_of(data)
    return {
        "constant": np.nanmax(X, axis=0, initial=-np.inf) <= np.nanmin(X, axis=0, initial=np.inf),
        "duplicate_of": [names[j] if j >= 0 else "" for j in duplicates(X)],
        "warning": suspicions(X, data.y, data.file_rows),
    }


def suspicions(X: np.ndarray, y: np.ndarray, file_rows: np.ndarray) -> list[str]:
    """For each feature a warning where it is too good, or follows the order of the rows."""
    separates = np.ones(X.shape[1], dtype=bool)
    parts = [X[y == label] for label in np.unique(y)]
    bounds = [
        (np.nanmin(part, axis=0, initial=np.inf), np.nanmax(part, axis=0, initial=-np.inf))
        for part in parts
    ]
    for (low, high), (other_low, other_high) in combinations(bounds, 2):
        separates &= (high < other_low) | (other_high < low)
    for low, high in bounds:
        separates &= low <= high  # A class without any value proves nothing.
    follows = np.zeros(X.shape[1], dtype=bool)
    if len(file_rows) == len(X) >= FEWEST:
        different = np.array([len(np.unique(column)) for column in X.T])
        candidates = np.flatnonzero((different > len(X) / 2) & ~np.isnan(X).any(axis=0))
        ranks = stats.zscore(stats.rankdata(X[:, candidates], axis=0))
        place = stats.zscore(stats.rankdata(file_rows))
        follows[candidates] = np.abs(place @ ranks) >= FOLLOWS * len(X)
    return ["; ".join(compress(ADVICE, told)) for told in zip(separates, follows, strict=True)]
