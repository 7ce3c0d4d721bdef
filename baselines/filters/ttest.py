"""t-test: the t statistic of each feature between two classes, as in skfeature."""

from typing import Any

import numpy as np

from ..contract import constants_last, one_against_rest, shifted, validated


def t_test(X: Any, y: Any) -> np.ndarray:
    """Compute the absolute t statistic of each feature (Davis and Sampson 1986), as skfeature.

    With the means mu_0, mu_1 and the (biased) variances var_0, var_1 of two classes of n_0 and n_1
    samples,

        t = |mu_0 - mu_1| / sqrt(var_0 / n_0 + var_1 / n_1).

    For classes of equal size the order is that of ANOVA. With several classes, each of them is
    compared with all others together: the score is max_c t(class c, the rest).

    The scores equal skfeature's ``t_score`` to the last bit. That function takes one feature at
    a time, and silently gives NaN if the labels are not 0 and 1. The score is at least 0. For a
    feature without spread inside the classes, it would be infinite and is set to sqrt(n / eps).
    """
    X, codes = validated(X, y)
    limit = np.sqrt(codes.size / np.finfo(float).eps)

    def statistics(varying: np.ndarray) -> np.ndarray:
        features = np.ascontiguousarray(shifted(varying).T)
        t = [_t(features, in_class == 1) for in_class in one_against_rest(codes)]
        return np.minimum(np.max(t, axis=0), limit)

    return constants_last(X, statistics)


def _t(features: np.ndarray, in_class: np.ndarray) -> np.ndarray:
    """Return |t| of each row, equal to skfeature's to the last bit."""
    inside, outside = (np.compress(chosen, features, axis=1) for chosen in (in_class, ~in_class))
    variances = [np.square(part.std(axis=1)) / part.shape[1] for part in (outside, inside)]
    return np.abs(outside.mean(axis=1) - inside.mean(axis=1)) / np.sqrt(sum(variances))
