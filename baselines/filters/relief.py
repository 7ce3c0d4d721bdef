"""Relief: compare a feature's differences to the nearest miss and to the nearest hit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from ..contract import TIES, constants_last, min_max_scaled, validated

#: How many differences are computed at once, so that they fit into a core's cache.
_CHUNK = 1 << 16


def relief(X: Any, y: Any) -> np.ndarray:
    """Compute Relief (Kira and Rendell 1992) with every sample as a probe.

    Each feature is mapped to [0, 1]. Let hit(i) be the sample of class y_i nearest to sample i in
    Euclidean distance, and miss(i) the nearest sample of any other class. Then

        score_f = 1/n sum_i [ (x_if - x_miss(i),f)^2 - (x_if - x_hit(i),f)^2 ].

    Kira and Rendell draw the probes at random and define the score for two classes. Here all n
    samples are probes, so that nothing is random. Taking the nearest sample of any other class
    generalises it to several classes (Relief-E, Kononenko 1994).

    ReliefF with one neighbour differs: it uses the Manhattan distance, does not square the
    differences, and takes a miss from each other class. For two classes and features with two
    values, both give the same order.

    If several samples have the smallest squared distance to the probe, up to 1e-9 of its size, they
    get equal weights. The score therefore depends on the data alone. The scores lie in [-1, 1]. The
    only sample of a class has no hit.
    """
    X, codes = validated(X, y)
    return constants_last(X, lambda varying: _scores(min_max_scaled(varying), codes))


def _scores(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    squared = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(squared, np.inf)
    same = codes[:, None] == codes
    scores = np.zeros(X.shape[1])
    for sign, others in ((1, ~same), (-1, same)):
        distances = np.where(others, squared, np.inf)
        nearest = distances.min(axis=1, keepdims=True)
        near = (distances <= nearest * (1 + TIES)) & np.isfinite(nearest)
        probe, neighbour = np.nonzero(near)
        weights = sign / near.sum(axis=1)[probe]
        for some, gaps in differences(X, probe, neighbour):
            scores += weights[some] @ gaps**2
    return scores / len(X)


def differences(X: np.ndarray, i: np.ndarray, j: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the differences X_i - X_j of pairs of samples, in parts, with the slice of each."""
    step = max(1, _CHUNK // X.shape[1])
    for start in range(0, i.size, step):
        some = slice(start, start + step)
        yield some, X[i[some]] - X[j[some]]
