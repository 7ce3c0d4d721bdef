"""The sum of normalised scores: two filters, or a filter and ManiFeSt, as one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .contract import min_max_scaled


def min_max(scores: Any) -> np.ndarray:
    """Scores mapped to [0, 1] by (s - min) / (max - min); equal scores become zeros.

    A score above the minimum stays above 0, even if the quotient vanishes in double precision.
    Constant features, whose scores are just below all others, so stay strictly last.

    A ValueError says so if the scores are not one finite vector (n_features,).
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not scores.size or not np.isfinite(scores).all():
        raise ValueError(
            f"Scores to normalise must be one vector of finite numbers, got shape {scores.shape}"
            f"{'' if np.isfinite(scores).all() else ' with NaN or infinity'}."
        )
    above = scores > scores.min()
    if not above.any():
        return np.zeros(scores.size)
    unit = min_max_scaled(scores[:, None])[:, 0]
    return np.where(above, np.maximum(unit, np.nextafter(0, 1)), 0.0)


def sum_of_normalised(scores: Sequence[Any]) -> np.ndarray:
    """The sum of several score vectors, each mapped to [0, 1] by `min_max` first.

    This is how the paper combines ManiFeSt with ReliefF (Cohen, Shnitzer, Kluger, Talmon 2022,
    section on the colon data); a method of an experiment is such a sum if its file has ``combine``.

    Parameters
    ----------
    scores : sequence of array-like of shape (n_features,)

    Returns
    -------
    total : ndarray of shape (n_features,)
        In [0, len(scores)], higher is better.

    Raises
    ------
    ValueError
        If there is no vector, one is not finite, or their lengths differ.
    """
    vectors = [min_max(vector) for vector in scores]
    lengths = sorted({vector.size for vector in vectors})
    if len(lengths) != 1:
        raise ValueError(
            f"Scores to sum must be of the same features, got vectors of lengths {lengths}."
        )
    return np.sum(vectors, axis=0)
