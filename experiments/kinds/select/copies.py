"""Features that are equal, or nearly so."""

import numpy as np
from numpy.typing import ArrayLike

#: Features whose correlations are computed at once.
AT_ONCE = 512


def duplicates(X: np.ndarray) -> np.ndarray:
    """For each feature the first feature with the same values, -1 where there is none before it."""
    first: dict[bytes, int] = {}
    earlier = np.full(X.shape[1], -1)
    for j, column in enumerate(np.ascontiguousarray(X.T + 0.0)):
        before = first.setdefault(column.tobytes(), j)
        earlier[j] = -1 if before == j else before
    return earlier


def groups_of(X: np.ndarray, order: ArrayLike, near: float) -> np.ndarray:
    """For each feature the best-ranked one that it is near-identical to, which may be itself.

    Going down the ranking, each feature that stands for itself takes in all lower ones whose
    correlation with it is at least `near`, of either sign. Constant features stand for themselves.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        NaN counts as the feature's mean.
    order : array of int
        Best first.
    near : float in (0, 1)
    """
    centred = X - np.nanmean(X, axis=0)
    centred[np.isnan(centred)] = 0.0
    norms = np.linalg.norm(centred, axis=0)
    ordered = np.asarray(order)
    unit = (centred / np.where(norms > 0, norms, 1.0))[:, ordered]
    taken = np.full(len(ordered), -1)
    for start in range(0, len(ordered), AT_ONCE):
        block = slice(start, min(start + AT_ONCE, len(ordered)))
        close = np.abs(unit[:, block].T @ unit[:, start:]) >= near
        for i in range(block.stop - start):
            if taken[start + i] < 0:
                taken[start + i] = start + i
                free = taken[start:] < 0
                taken[start:][free & close[i]] = start + i
    heads = np.empty(len(ordered), dtype=np.int64)
    heads[ordered] = ordered[taken]
    return heads
