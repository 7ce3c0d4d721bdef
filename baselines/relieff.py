"""ReliefF: differences to the nearest samples of the other classes, less those to one's own."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from baselines._common import (
    constants_last,
    integer,
    min_max_scaled,
    use_skfeature,
    validated,
)


def relieff(X: Any, y: Any, *, k: int = 5, scale: bool = True, engine: str = "numpy") -> np.ndarray:
    """ReliefF (Kononenko 1994; Robnik-Sikonja and Kononenko 2003) with every sample as a probe.

    With hits(i) the k samples nearest to i in its own class y_i, misses(i, c) the k nearest in the
    class c, "nearest" by the Manhattan distance over all features, and P(c) the share of class c,

        score_f = sum_i [ sum_{c != y_i} P(c) / (1 - P(y_i)) mean_{j in misses(i, c)} |x_if - x_jf|
                          - mean_{j in hits(i)} |x_if - x_jf| ].

    The literature divides by the number of samples as well; skfeature, whose scale is kept, does
    not. Of samples at equal distance those that come first in X are taken.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
        Labels of two or more classes.
    k : int
        Number of neighbours, at least 1. Where a class has fewer, all of them are taken and the
        means are over those; the only sample of a class has no hits.
    scale : bool
        Map each feature to [0, 1] first, as the definition asks. Otherwise features of a large
        range decide who is near, and score higher.
    engine : {"numpy", "skfeature"}
        skfeature's ``reliefF`` gives the same scores for two classes of more than k samples. It
        divides by k even where a class has fewer neighbours, and its weights are wrong for several
        classes, which are refused.

    Returns
    -------
    scores : ndarray (n_features,)
        In [-n_samples, n_samples] where ``scale``; higher is better; constant features strictly
        last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked; where k is not an integer of at least 1;
        where ``engine`` is unknown.
    """
    if not use_skfeature(engine):
        return relieff_grid(X, y, [k], scale=scale)[0]
    from skfeature.function.similarity_based.reliefF import reliefF

    X, codes = validated(X, y, two_classes='relieff with engine="skfeature"')
    k = integer("k", k, 1)
    return constants_last(
        X,
        lambda varying: reliefF(
            min_max_scaled(varying) if scale else varying, codes, mode="raw", k=k
        ),
    )


def relieff_grid(X: Any, y: Any, ks: Sequence[int], *, scale: bool = True) -> np.ndarray:
    """ReliefF for several numbers of neighbours, which share the distances and their order.

    Parameters
    ----------
    X, y, scale
        As in `relieff`.
    ks : sequence of int
        Numbers of neighbours, each at least 1, in any order.

    Returns
    -------
    scores : ndarray (len(ks), n_features)
        Row i is ``relieff(X, y, k=ks[i], scale=scale)``, up to rounding.

    Raises
    ------
    TypeError, ValueError
        As in `relieff`, and where ``ks`` is empty.
    """
    X, codes = validated(X, y)
    if not len(ks):
        raise ValueError("ks, the numbers of neighbours, must hold at least one k, got none.")
    grid, row = np.unique([integer("k", k, 1) for k in ks], return_inverse=True)

    def scores(varying: np.ndarray) -> np.ndarray:
        return _scores(min_max_scaled(varying) if scale else varying, codes, grid)

    return constants_last(X, scores, rows=(grid.size,))[row]


def _scores(X: np.ndarray, codes: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The scores for each k of the ascending grid, one row each."""
    members = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    share = np.bincount(codes) / codes.size
    distances = squareform(pdist(X, "cityblock"))
    scores = np.zeros((grid.size, X.shape[1]))
    for i, own in enumerate(codes):
        for code, rows in enumerate(members):
            others = rows[rows != i] if code == own else rows
            if not others.size:
                continue
            weight = -1.0 if code == own else share[code] / (1 - share[own])
            counts = np.minimum(grid, others.size)
            near = others[np.argsort(distances[i, others], kind="stable")[: counts[-1]]]
            gaps = np.abs(X[near] - X[i])
            total, start = np.zeros(X.shape[1]), 0
            for row, count in enumerate(counts):
                total += gaps[start:count].sum(axis=0)
                scores[row] += (weight / count) * total
                start = count
    return scores
