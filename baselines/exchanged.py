"""ManiFeSt's score with the classes exchanged: which of them is class 1 is arbitrary."""

from typing import Any

import numpy as np

from ._common import hands_on
from .combined._method import check_samples
from .combined._method import manifest_score as as_coded

__all__ = ["manifest_score"]


@hands_on(as_coded, "scale_factor", "percentile", "n_normalizations", "geometry")
def manifest_score(X: Any, y: Any, **of_manifest: Any) -> np.ndarray:
    """ManiFeSt's score, class 1 being the largest label in place of the smallest.

    The logarithms of two kernels at their mean are each other's negatives, so that the score does
    not depend on which kernel is K_1. In Algorithm 2 on singular kernels it does: D lives on the
    range of K_1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    scale_factor : float, default=1.0
        The kernel scale of each class is this factor times the median distance between its
        features. Positive.
    percentile : float in [0, 100], optional
        Take this percentile of those distances in place of the median.
    n_normalizations : int, default=0
        Number of times that each kernel K becomes ``A^-1/2 K A^-1/2``, with A the diagonal matrix
        of its row sums.
    geometry : {"regularized", "spd", "spsd", "auto"}, default="regularized"
        "regularized" adds a small multiple of the identity to all kernels, and is always defined.
        "spd" is Algorithm 1 of the paper, "spsd" its Algorithm 2, for two classes only. "auto" is
        "spd" if all kernels are positive definite; otherwise "spsd" for two classes and
        "regularized" for more.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        ``manifest_score(X, classes.size - 1 - codes)``; the codes are the places of the labels
        among the sorted classes.

    Raises
    ------
    TypeError, ValueError
        As in `manifest.manifest_score`.
    """
    X, y = check_samples(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    return as_coded(X, codes.max() - codes, **of_manifest)
