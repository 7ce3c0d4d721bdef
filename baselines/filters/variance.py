"""Variance: how much a feature varies, whatever the labels are."""

from typing import Any

import numpy as np

from ..contract import constants_last, validated


def variance(X: Any, y: Any) -> np.ndarray:
    """Compute the variance of each feature, with divisor n; the labels are not used.

    It is the least that explains a benchmark whose relevant features vary more than all others. It
    says nothing about standardised features. The scores are at least 0.
    """
    X, _ = validated(X, y)
    return constants_last(X, lambda varying: (varying - varying.min(axis=0)).var(axis=0))
