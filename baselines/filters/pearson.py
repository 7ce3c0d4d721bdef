"""Pearson: the absolute correlation of each feature with the label, from pandas (Battiti 1994)."""

from typing import Any

import numpy as np

from ..contract import constants_last, one_against_rest, shifted, validated


def pearson(X: Any, y: Any) -> np.ndarray:
    """Compute the absolute Pearson correlation with the label (``pandas.DataFrame.corrwith``).

        |r| = |sum_i (x_i - mean x)(y_i - mean y)| / sqrt(sum_i (x_i - mean x)^2 (y_i - mean y)^2),

    where the label is coded 0/1 and each sum over i is taken before the product. It does not matter
    which of two classes is coded 1. The order is that of ANOVA: F = (n - 2) r^2 / (1 - r^2).

    Several classes have no order. Each of them is therefore compared with all others together:
    with y_c = 1 in class c and 0 elsewhere, the score is max_c |r(x, y_c)|. The scores
    lie in [0, 1].
    """
    X, codes = validated(X, y)

    def correlations(varying: np.ndarray) -> np.ndarray:
        import pandas as pd

        features = pd.DataFrame(shifted(varying))
        r = [features.corrwith(pd.Series(c, dtype=float)) for c in one_against_rest(codes)]
        return np.minimum(np.abs(r).max(axis=0), 1)

    return constants_last(X, correlations)
