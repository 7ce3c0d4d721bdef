"""Facts of each feature: its name, copies of it, and what is suspicious about it."""

from itertools import combinations, compress

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from experiments.datasets import Dataset

#: The least rank correlation with the row's number, and the fewest rows, for a warning.
FOLLOWS, FEWEST = 0.99, 10
#: Features whose correlations are computed at once.
AT_ONCE = 512
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


def duplicates(X: np.ndarray) -> np.ndarray:
    """For each feature the first feature with the same values, -1 where there is none before it."""
    first: dict[bytes, int] = {}
    earlier = np.full(X.shape[1], -1)
    for j, column in enumerate(np.ascontiguousarray(X.T + 0.0)):
        before = first.setdefault(column.tobytes(), j)
        earlier[j] = -1 if before == j else before
    return earlier


def groups_of(X: np.ndarray, y: np.ndarray, order: ArrayLike, near: float) -> np.ndarray:
    """For each feature the best-ranked one that it is near-identical to, which may be itself.

    Going down the ranking, each feature that stands for itself takes in all lower ones whose
    correlation with it is at least `near`, of either sign, over all samples and within the classes:
    two good markers are correlated by the class alone. Constant features stand for themselves; one
    that is constant within the classes counts as it is.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN counts as the feature's mean.
    y : ndarray of int (n_samples,)
        Classes 0..C-1.
    order : array of int
        Best first.
    near : float in (0, 1)
    """
    centred = X - np.nanmean(X, axis=0)
    centred[np.isnan(centred)] = 0.0
    classes = np.eye(int(np.max(y)) + 1)[y]
    within = centred - classes @ (np.linalg.pinv(classes) @ centred)
    is_flat = np.linalg.norm(within, axis=0) <= 1e-10 * np.linalg.norm(centred, axis=0)
    within[:, is_flat] = centred[:, is_flat]
    ordered = np.asarray(order)
    units = [_of_unit_length(part)[:, ordered] for part in (centred, within)]
    taken = np.full(len(ordered), -1)
    for start in range(0, len(ordered), AT_ONCE):
        block = slice(start, min(start + AT_ONCE, len(ordered)))
        close = np.all([np.abs(u[:, block].T @ u[:, start:]) >= near for u in units], axis=0)
        for i in range(block.stop - start):
            if taken[start + i] < 0:
                taken[start + i] = start + i
                free = taken[start:] < 0
                taken[start:][free & close[i]] = start + i
    heads = np.empty(len(ordered), dtype=np.int64)
    heads[ordered] = ordered[taken]
    return heads


def _of_unit_length(columns: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(columns, axis=0)
    return columns / np.where(norms > 0, norms, 1.0)
