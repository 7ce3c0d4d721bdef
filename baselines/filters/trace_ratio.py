"""Trace ratio: the spread between classes less a multiple of that within, for a set of features."""

from typing import Any

import numpy as np

from ..contract import constants_last, integer, min_max_scaled, scatter, validated


def trace_ratio(X: Any, y: Any, *, n_selected: int = 20) -> np.ndarray:
    """The trace ratio criterion (Nie, Xiang, Jia, Zhang, Yan 2008) with Fisher's scatter.

    Each feature is mapped to [0, 1]. With class c of n_c samples, mean mu_c and variance var_c,

        b_f = sum_c n_c / n (mu_cf - mu_f)^2,    w_f = sum_c n_c / n var_cf,

    and lambda the largest ratio that any set S of m features reaches,

        lambda = max_{|S| = m} sum_{f in S} b_f / sum_{f in S} w_f,    score_f = b_f - lambda w_f.

    The m features of the highest scores are such a set. It is found by Dinkelbach's iteration: take
    the m best for the ratio so far, then the ratio of these, until it grows no more. Where Fisher's
    score divides for each feature, this one divides once for all of them, and so prefers features
    whose spread is large. With variances of 1 in place of ranges it would order as Fisher's score.

    skfeature's ``trace_ratio`` starts from the first m features by their place, does not scale, and
    returns its scores sorted, not in the order of the features. The scores are at most 1/4. If m
    features had no spread inside the classes, lambda would be infinite; w_f is therefore at least
    eps b_f.

    Parameters
    ----------
    n_selected : int
        The size m of the set, at least 1. Where fewer features vary, all of these are the set.
    """
    X, codes = validated(X, y)
    m = integer("n_selected", n_selected, 1)
    return constants_last(X, lambda varying: _scores(min_max_scaled(varying), codes, m))


def _scores(X: np.ndarray, codes: np.ndarray, m: int) -> np.ndarray:
    between, within = scatter(X, codes, len(X))
    floor = np.finfo(float).eps * between + np.finfo(float).tiny
    within = np.maximum(within, floor)
    ratio, m = between.sum() / within.sum(), min(m, between.size)
    while True:
        best = np.argsort(ratio * within - between, kind="stable")[:m]
        reached = between[best].sum() / within[best].sum()
        if not reached > ratio * (1 + 1e-15):
            return between - ratio * within
        ratio = reached
