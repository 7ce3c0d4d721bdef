"""Trace ratio: the spread between classes minus a multiple of that within, for a set."""

from typing import Any

import numpy as np

from ..contract import check_integer, constants_last, min_max_scaled, scatter, validated


def trace_ratio(X: Any, y: Any, *, n_selected: int = 20) -> np.ndarray:
    """Compute the trace ratio criterion (Nie, Xiang, Jia, Zhang, Yan 2008), Fisher's scatter.

    Each feature is mapped to [0, 1]. With classes c of n_c samples, mean mu_c and variance var_c,

        b_f = sum_c n_c / n (mu_cf - mu_f)^2,    w_f = sum_c n_c / n var_cf,

    and lambda the largest ratio of any set S of m features,

        lambda = max_{|S| = m} sum_{f in S} b_f / sum_{f in S} w_f,    score_f = b_f - lambda w_f.

    The m features with the highest scores are such a set. Dinkelbach's iteration finds it: take
    the m best features for the current ratio, then their ratio, until it no longer increases.
    Fisher's score divides for each feature; this score divides once for all of them, and therefore
    prefers features with a large spread. With variances of 1 instead of ranges of 1, the order
    would be that of Fisher's score.

    skfeature's ``trace_ratio`` starts from the first m columns, does not scale, and returns sorted
    scores, not in the order of the features. The scores are at most 1/4. If m features had no
    spread inside the classes, lambda would be infinite; w_f is therefore at least eps b_f.

    Parameters
    ----------
    n_selected : int
        The size m of the set, at least 1. If fewer features vary, the set contains all of them.
    """
    X, codes = validated(X, y)
    m = check_integer("n_selected", n_selected, 1)
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
