"""Fisher score: the spread between the classes divided by the spread within them."""

from typing import Any

import numpy as np

from ..contract import constants_last, scatter, shifted, validated


def fisher_score(X: Any, y: Any) -> np.ndarray:
    """Compute the Fisher score of each feature (Duda, Hart, Stork 2006), as skfeature does.

    With classes c of n_c samples, mean mu_c and variance var_c,

        score = sum_c n_c (mu_c - mu)^2 / sum_c n_c var_c,

    which is ANOVA's F times (C - 1) / (n - C). skfeature's ``fisher_score`` returns only the order
    of the features, and rounding decides where features without spread inside the classes are.
    The score is at least 0. For a feature without spread inside the classes, it would be infinite
    and is set to 1 / eps.
    """
    X, codes = validated(X, y)
    eps, tiny = np.finfo(float).eps, np.finfo(float).tiny

    def ratio(varying: np.ndarray) -> np.ndarray:
        between, within = scatter(shifted(varying), codes)
        return between / np.maximum(within, between * eps + tiny)

    return constants_last(X, ratio)
