"""Levene's test: does the spread of a feature differ between the classes?"""

from typing import Any

import numpy as np

from ..contract import constants_last, shifted, validated
from .anova import anova


def levene(X: Any, y: Any) -> np.ndarray:
    """The statistic of Levene's test about medians, for each feature (Brown and Forsythe 1974).

    It is the F statistic of `baselines.anova` of the distances ``|x - median of its class|``, at
    least 0. It sees a difference of variances and no difference of means.
    """
    X, codes = validated(X, y)
    return constants_last(X, lambda varying: np.maximum(anova(spread(varying, codes), codes), 0))


def spread(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The distance of each value from the median of its feature in its class."""
    values = shifted(X)
    for code in range(codes.max() + 1):
        values[codes == code] -= np.median(values[codes == code], axis=0)
    return np.abs(values)
