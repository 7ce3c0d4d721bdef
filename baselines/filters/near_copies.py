"""Near-copies: how much a feature resembles others, whatever the labels are."""

from typing import Any

import numpy as np

from ..contract import constants_last, shifted, validated
from .correlations import correlations, mean_of_largest


def near_copies(X: Any, y: Any) -> np.ndarray:
    """Compute the mean of a feature's three largest correlations with others; labels are not used.

    With r_ij the correlation of features i and j over all samples,

        score_i = mean of the three largest |r_ij| over j != i, in [0, 1].

    It is the least that explains a benchmark whose relevant features have redundant copies. Memory
    grows with the square of the number of features.
    """
    X, _ = validated(X, y)

    def scores(varying: np.ndarray) -> np.ndarray:
        r = np.abs(correlations(shifted(varying)))
        np.fill_diagonal(r, 0)
        return mean_of_largest(r)

    return constants_last(X, scores)
