"""Levene's test: whether the spread of a feature differs between the classes."""

from typing import Any

import numpy as np

from ..contract import constants_last, shifted, validated
from .anova import anova


def levene(X: Any, y: Any) -> np.ndarray:
    """Compute the statistic of Levene's test about medians (Brown and Forsythe 1974).

    It is the F statistic of `baselines.anova` for the distances ``|x - median of its class|``, at
    least 0. It responds to a difference of variances, and not to a difference of means.
    """
    X, codes = validated(X, y)
    return constants_last(X, lambda varying: np.maximum(anova(spread(varying, codes), codes), 0))


def spread(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the distance of each value from the median of its feature in its class."""
    values = shifted(X)
    for code in range(codes.max() + 1):
        values[codes == code] -= np.median(values[codes == code], axis=0)
    return np.abs(values)
