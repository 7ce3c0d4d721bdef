"""MultiSURF: Relief whose neighbours are all samples within a radius of the probe's own."""

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from ..contract import TIES, constants_last, min_max_scaled, validated
from .relief import differences


def multisurf(X: Any, y: Any) -> np.ndarray:
    """Compute MultiSURF (Urbanowicz, Olson, Schmitt, Meeker, Moore 2018), every sample a probe.

    Each feature is mapped to [0, 1]. The neighbours of sample i are those nearer than the mean of
    its n - 1 Manhattan distances less half their standard deviation. Let hits(i) be those of its
    class y_i, misses(i, c) those of another class c, and P(c) the share of class c. Then, with
    w_ic = P(c) / (1 - P(y_i)),

        score_f = 1/n sum_i [ sum_{c != y_i} w_ic mean_{j in misses(i, c)} |x_if - x_jf|
                              - mean_{j in hits(i)} |x_if - x_jf| ],

    where the mean over no sample is 0. There is nothing to tune. A sample whose distances are equal
    up to rounding has no neighbours. The scores lie in [-1, 1].

    The paper takes the weights w_ic of several classes from ReliefF (Robnik-Sikonja and Kononenko
    2003, Fig. 2): they sum to 1, and each class enters by the mean over its misses. scikit-rebate
    with continuous features gives the same for two classes. For more, it adds up the differences to
    the misses of a class and divides by the mean number of misses of all classes, so that a class
    with many near samples counts more (correlation 0.93 for three).
    """
    X, codes = validated(X, y)
    return constants_last(X, lambda varying: _scores(min_max_scaled(varying), codes))


def _scores(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    distances = squareform(pdist(X, "cityblock"))
    np.fill_diagonal(distances, np.nan)
    radius = np.nanmean(distances, axis=1) - np.nanstd(distances, axis=1) / 2
    near = distances < radius[:, None] * (1 - TIES)
    share = np.bincount(codes) / codes.size
    W = np.zeros(near.shape)
    for code in range(share.size):
        weight = np.where(codes == code, -1, share[code] / (1 - share[codes]))
        found = near & (codes == code)
        W += found * (weight / np.maximum(found.sum(axis=1), 1))[:, None]
    i, j = np.nonzero(W)
    parts = (W[i[some], j[some]] @ np.abs(gaps) for some, gaps in differences(X, i, j))
    return sum(parts, np.zeros(X.shape[1])) / len(X)
