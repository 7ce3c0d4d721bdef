"""Combine two filters, or a filter and ManiFeSt, by the sum of their normalised scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from manifest.validation import finite

from .contract import min_max_scaled


def min_max(scores: Any) -> np.ndarray:
    """Map scores to [0, 1] by (s - min) / (max - min); equal scores become zeros.

    A score above the minimum stays above 0, even if the quotient vanishes in double precision.
    Constant features, which score just below all others, therefore stay strictly last.

    Scores that are not one finite vector (n_features,) raise a ValueError.
    """
    scores = finite("scores to normalise", scores)
    above = scores > scores.min()
    if not above.any():
        return np.zeros(scores.size)
    unit = min_max_scaled(scores[:, None])[:, 0]
    return np.where(above, np.maximum(unit, np.nextafter(0, 1)), 0.0)


def sum_of_normalised(scores: Sequence[Any]) -> np.ndarray:
    """Add several score vectors after mapping each to [0, 1] by `min_max`.

    The paper combines ManiFeSt with ReliefF in this way (Cohen, Shnitzer, Kluger, Talmon 2022,
    section on the colon data). In an experiment, a method file with ``combine`` defines such a sum.

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
        If there is no vector, if one is not finite, or if the lengths differ.
    """
    vectors = [min_max(vector) for vector in scores]
    lengths = sorted({vector.size for vector in vectors})
    if len(lengths) != 1:
        raise ValueError(
            f"Scores to add must be of the same features, got vectors of lengths {lengths}."
        )
    return np.sum(vectors, axis=0)
