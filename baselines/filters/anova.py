"""ANOVA: the F statistic of each feature over the classes (Kao and Green 2008), by scikit-learn."""

import warnings
from typing import Any

import numpy as np
from sklearn.feature_selection import f_classif

from ..contract import constants_last, shifted, validated


def anova(X: Any, y: Any) -> np.ndarray:
    """Compute the one-way ANOVA F value of each feature (``sklearn.feature_selection.f_classif``).

    With C classes c of n_c samples, mean mu_c and variance var_c, and n samples in all,

        F = [sum_c n_c (mu_c - mu)^2 / (C - 1)] / [sum_c n_c var_c / (n - C)].

    F is at least 0. For a feature without spread inside the classes, F would be infinite; the score
    is then the largest value that double precision can resolve, (n - C) / (C - 1) / eps.
    """
    X, codes = validated(X, y)
    between, within = codes.max(), codes.size - codes.max() - 1
    limit = max(within, 1) / between / np.finfo(float).eps

    def f_values(varying: np.ndarray) -> np.ndarray:
        if within == 0:  # Each class has one sample and therefore no spread.
            return np.full(varying.shape[1], limit)
        with warnings.catch_warnings():
            # f_classif treats a feature without spread inside the classes as constant.
            warnings.simplefilter("ignore", UserWarning)
            F = f_classif(shifted(varying), codes)[0]
        # f_classif computes the spread within as total - between. If it vanishes, the difference
        # may round below zero, and F is negative.
        return np.clip(np.where(F < -1, limit, F), 0, limit)

    return constants_last(X, f_values)
