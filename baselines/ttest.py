"""t-test: Student's statistic of each feature between two classes, from skfeature."""

from typing import Any

import numpy as np

from baselines._common import constants_last, shifted, validated


def t_test(X: Any, y: Any) -> np.ndarray:
    """The absolute t statistic of each feature (``skfeature``'s ``t_score``).

    With the means mu_0, mu_1 and the (biased) variances var_0, var_1 of classes of n_0, n_1,

        t = |mu_0 - mu_1| / sqrt(var_0 / n_0 + var_1 / n_1).

    ``t_score`` knows the labels 0 and 1 only and silently gives NaN for others, so that the labels
    are coded first. For classes of equal size the order is that of ANOVA.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
        Labels of two classes.

    Returns
    -------
    scores : ndarray (n_features,)
        t >= 0, higher is better; constant features strictly last. A feature without spread inside
        the classes, whose t is infinite, gets sqrt(n / eps).

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked, and where there are several classes.
    """
    from skfeature.function.statistical_based.t_score import t_score

    X, codes = validated(X, y, two_classes="t_test")
    limit = np.sqrt(codes.size / np.finfo(float).eps)

    def statistics(varying: np.ndarray) -> np.ndarray:
        return np.minimum(t_score(shifted(varying), codes, mode="raw"), limit)

    return constants_last(X, statistics)
