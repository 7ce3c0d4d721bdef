"""Pearson: the absolute correlation of each feature with the label, from pandas."""

from typing import Any

import numpy as np
import pandas as pd

from baselines._common import constants_last, shifted, validated


def pearson(X: Any, y: Any) -> np.ndarray:
    """Absolute Pearson correlation with the label coded 0/1 (``pandas.DataFrame.corrwith``).

        |r| = |sum_i (x_i - mean x)(y_i - mean y)| / sqrt(sum_i (x_i - mean x)^2 (y_i - mean y)^2),

    each sum over i taken before the product. It does not depend on which class is coded 1, and it
    orders the features as ANOVA does: F = (n - 2) r^2 / (1 - r^2).

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
        Labels of two classes. Several classes have no order to correlate with, and are refused.

    Returns
    -------
    scores : ndarray (n_features,)
        |r| in [0, 1], higher is better; constant features strictly last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked, and where there are several classes.
    """
    X, codes = validated(X, y, two_classes="pearson")

    def correlations(varying: np.ndarray) -> np.ndarray:
        label = pd.Series(codes, dtype=float)
        return np.minimum(pd.DataFrame(shifted(varying)).corrwith(label).abs().to_numpy(), 1)

    return constants_last(X, correlations)
