"""Differences of correlations, and three tests combined: of means, of spreads, of correlations."""

from typing import Any

import numpy as np
from scipy import stats

from ..contract import constants_last, one_against_rest, shifted, validated
from .anova import anova
from .levene import spread

#: Correlations are at most so close to 1.
_LIMIT = 1 - 1e-12
#: The least and the largest p-value that Cauchy's rule adds up.
_LEAST, _MOST = 1e-300, 0.99


def correlation_difference(X: Any, y: Any) -> np.ndarray:
    """Compute the largest differences of a feature's correlations between the classes.

    With r_ij(c) the correlation of features i and j in class c of n_c samples and Fisher's (1915)
    ``z(r) = artanh(r)``,

        d_ij = |z(r_ij(0)) - z(r_ij(1))| / sqrt(1 / (n_0 - 3) + 1 / (n_1 - 3)),
        score_i = mean of the three largest d_ij over j.

    n_c - 3 is at least 1. With several classes, each is compared with all others together, and the
    largest score counts. Memory grows with the square of the number of features.
    """
    X, codes = validated(X, y)

    def scores(varying: np.ndarray) -> np.ndarray:
        d = [_differences(varying, labels) for labels in one_against_rest(codes)]
        return np.max([mean_of_largest(of_class) for of_class in d], axis=0)

    return constants_last(X, scores)


def three_tests(X: Any, y: Any) -> np.ndarray:
    """Combine the F test of means, Levene's test and a test of correlations by Cauchy's rule.

    The p-value of the correlations of a feature is the smallest one over its partners, times their
    number (Bonferroni), of the normal deviate d_ij of `correlation_difference`. With p_1, p_2, p_3,
    ``T = mean tan((1/2 - p) pi)`` has nearly a Cauchy distribution if nothing differs, however the
    tests depend on each other (Liu and Xie 2020, "Cauchy combination test", Journal of the American
    Statistical Association 115). The score is -log of its p-value, at least 0. p-values are clipped
    to [1e-300, 0.99].
    """
    X, codes = validated(X, y)
    between, within = codes.max(), max(codes.size - codes.max() - 1, 1)

    def scores(varying: np.ndarray) -> np.ndarray:
        partners = max(varying.shape[1] - 1, 1)
        d = [_differences(varying, labels).max(axis=0) for labels in one_against_rest(codes)]
        parts = (varying, spread(varying, codes))
        of_F = [stats.f.sf(np.maximum(anova(part, codes), 0), between, within) for part in parts]
        p = np.array([*of_F, 2 * partners * len(d) * stats.norm.sf(np.max(d, axis=0))])
        T = np.tan((0.5 - np.clip(p, _LEAST, _MOST)) * np.pi).mean(axis=0)
        return -stats.cauchy.logsf(T)

    return constants_last(X, scores)


def _differences(X: np.ndarray, in_class: np.ndarray) -> np.ndarray:
    """d_ij of two classes, of shape (d, d); 0 on the diagonal."""
    values = shifted(X)
    parts = [values[in_class == code] for code in (0, 1)]
    z = [np.arctanh(np.clip(correlations(part), -_LIMIT, _LIMIT)) for part in parts]
    d = np.abs(z[0] - z[1]) / np.sqrt(sum(1 / max(len(part) - 3, 1) for part in parts))
    np.fill_diagonal(d, 0)
    return d


def mean_of_largest(relations: np.ndarray) -> np.ndarray:
    """Return the mean of the three largest values of each column; a lone feature has no relation.

    `relations` is of shape (d, d), at least 0, with a diagonal of 0.
    """
    n = min(3, len(relations) - 1)
    if n == 0:
        return np.zeros(1)
    return np.sort(relations, axis=0)[-n:].mean(axis=0)


def correlations(X: np.ndarray) -> np.ndarray:
    """Return the correlations of all features, (d, d); 0 with one that does not vary."""
    varies = X.max(axis=0) > X.min(axis=0)
    centred = np.where(varies, X - X.mean(axis=0), 0)
    sizes = np.sqrt(np.square(centred).sum(axis=0))
    unit = centred / np.where(sizes > 0, sizes, 1)
    return unit.T @ unit
