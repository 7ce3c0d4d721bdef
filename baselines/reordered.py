"""skfeature's ReliefF of samples in other orders: it breaks ties by the place of a sample."""

import hashlib
from typing import Any

import numpy as np

from ._common import validated
from .filters.relieff import relieff as relieff_in_place

__all__ = ["relieff"]


def relieff(X: Any, y: Any, *, k: int = 5, order: int = 0) -> np.ndarray:
    """skfeature's ReliefF, features in their units, of the samples in a random order.

    Of neighbours at equal distance skfeature takes those that come first. The order of the samples
    is that of the SHA-256 of ``order`` and the sample's values: random, but a function of the data.
    So two samples have the same order in every training part that has both, as in a data file.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes.
    k : int
        Number of neighbours, at least 1.
    order : int
        The number of the random order, at least 0.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        As those of ``relieff(X, y, k=k, scale=False, engine="skfeature")``, which they equal where
        no two neighbours of a sample are at the same distance.

    Raises
    ------
    TypeError, ValueError
        As in `baselines.filters.relieff.relieff`.
    """
    X, codes = validated(X, y)
    samples = np.column_stack([X, codes]) + 0.0  # Negative zeros are zeros.
    place = [hashlib.sha256(f"{order} ".encode() + sample.tobytes()).digest() for sample in samples]
    rows = sorted(range(len(place)), key=place.__getitem__)
    return relieff_in_place(X[rows], codes[rows], k=k, scale=False, engine="skfeature")
