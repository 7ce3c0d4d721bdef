"""Fisher score: the spread between the classes over the spread within them, as in skfeature."""

from typing import Any

import numpy as np

from baselines._common import constants_last, shifted, validated

__all__ = ["fisher_score"]


def fisher_score(X: Any, y: Any) -> np.ndarray:
    """The Fisher score of each feature (Duda, Hart, Stork 2006), in the form that skfeature uses.

    With class c of n_c samples, mean mu_c and variance var_c,

        score = sum_c n_c (mu_c - mu)^2 / sum_c n_c var_c,

    which is ANOVA's F times (C - 1) / (n - C).

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
        Labels of two or more classes.

    Returns
    -------
    scores : ndarray (n_features,)
        score >= 0, higher is better; constant features strictly last. A feature without spread
        inside the classes, whose score is infinite, gets 1 / eps.

    Raises
    ------
    TypeError, ValueError
        As in every filter, if X or y cannot be ranked.

    Notes
    -----
    skfeature's ``fisher_score`` returns only the order of the features. Rounding decides if it puts
    a feature without spread inside the classes first or last. It holds n_samples^2 numbers in
    memory.
    """
    X, codes = validated(X, y)
    return constants_last(X, lambda varying: _ratio(varying, codes))


def _ratio(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    X = shifted(X)
    mean = X.mean(axis=0)
    between, within = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for code in range(codes.max() + 1):
        members = X[codes == code]
        centre = members.mean(axis=0)
        between += len(members) * (centre - mean) ** 2
        within += ((members - centre) ** 2).sum(axis=0)
    eps = np.finfo(float).eps
    return between / np.maximum(within, between * eps + np.finfo(float).tiny)
