"""Chi-squared: test whether the classes have unequal shares of a feature's total."""

from typing import Any

import numpy as np
from sklearn.feature_selection import chi2 as of_counts

from ..contract import constants_last, min_max_scaled, validated


def chi2(X: Any, y: Any) -> np.ndarray:
    """Compute the chi-squared statistic of each feature (Liu and Setiono 1995, scikit-learn).

    With S_c the sum of a feature in class c, S its total, and n_c of n samples in class c::

        score = sum_c (S_c - S n_c / n)^2 / (S n_c / n).

    The statistic is meant for counts. Each feature is first mapped to [0, 1], because negative
    values have no shares. Location and scale therefore do not matter. The score is at least 0.
    """
    X, codes = validated(X, y)
    return constants_last(X, lambda varying: of_counts(min_max_scaled(varying), codes)[0])
