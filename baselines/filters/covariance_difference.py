"""The difference of the classes' covariance matrices, without a kernel and without a geometry."""

from typing import Any

import numpy as np

from ..contract import constants_last, one_against_rest, validated


def covariance_difference(X: Any, y: Any) -> np.ndarray:
    """Compute the norm of each row of the difference of two covariance matrices.

    With C_c the covariance matrix (divisor n_c) of the features in class c,

        score_i = sqrt(sum_j (C_0 - C_1)_ij^2), at least 0.

    It is the least that compares the relations of the features in two classes. With several
    classes, each is compared with all others together, and the largest score counts. Memory grows
    with the square of the number of features.
    """
    X, codes = validated(X, y)

    def scores(varying: np.ndarray) -> np.ndarray:
        values = varying - varying.min(axis=0)
        unit = np.frexp(values.max())[1]  # Squares neither overflow nor vanish.
        values = np.ldexp(values, -unit)
        of_classes = [_row_norms(values, labels) for labels in one_against_rest(codes)]
        return np.ldexp(np.max(of_classes, axis=0), 2 * unit)

    return constants_last(X, scores)


def _row_norms(X: np.ndarray, in_class: np.ndarray) -> np.ndarray:
    """Return the norms of the rows of the difference of two classes' covariances."""
    difference = np.zeros((X.shape[1], X.shape[1]))
    for code, sign in ((0, 1), (1, -1)):
        members = X[in_class == code]
        centred = members - members.mean(axis=0)
        difference += sign * (centred.T @ centred) / len(members)
    return np.linalg.norm(difference, axis=1)
