"""ManiFeSt at several kernel scales, pooled."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._common import validated
from ..combine import min_max
from ._method import scores_at_scales

__all__ = ["manifest_pooled"]


def manifest_pooled(
    X: Any,
    y: Any,
    *,
    percentiles: Sequence[float] = (5, 30, 50, 70, 95),
    scale_factor: float = 1.0,
    n_normalizations: int = 0,
) -> np.ndarray:
    """The mean of ManiFeSt's scores at several kernel scales, each mapped to [0, 1] first.

    It leaves no kernel scale to be tuned. A scale at which the score is no more than rounding is
    left out: there, the order of the features is chance.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    percentiles : sequence of float in [0, 100]
        Each kernel scale is such a percentile of the distances between the features of a class,
        times `scale_factor`.
    scale_factor : float, default=1.0
        A factor of all kernel scales. Positive.
    n_normalizations : int, default=0
        Number of times that each kernel K becomes ``A^-1/2 K A^-1/2``, with A the diagonal matrix
        of its row sums.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [0, 1], higher is better.

    Raises
    ------
    TypeError, ValueError
        As `manifest.manifest_scores`.
    """
    if not len(percentiles):
        raise ValueError("percentiles must hold at least one percentile, got none.")
    X, codes = validated(X, y)
    of_scales = scores_at_scales(
        X, codes, percentiles, scale_factor=scale_factor, n_normalizations=n_normalizations
    )
    return np.mean([min_max(scores) for scores in of_scales], axis=0)
