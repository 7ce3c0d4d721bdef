"""Rankings combined: the mean rank, and robust rank aggregation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import beta, rankdata

from .._common import validated
from ..filters.anova import anova
from ..filters.ig import information_gain
from ..filters.relieff import relieff
from ._method import levels, manifest_score, takes_manifest

__all__ = ["rank_average", "robust_rank_aggregation"]


def ranks(scores: Any) -> np.ndarray:
    """The rank of each feature, 1 for the best, of scores (n_features,).

    Scores that differ by at most 1e-9 of the largest (`manifest.ranking.levels`) share the
    mean of their ranks.
    """
    return rankdata(levels(scores), method="average")


@takes_manifest
def rank_average(
    X: Any, y: Any, *, k: int = 10, scale: bool = True, **of_manifest: Any
) -> np.ndarray:
    """The mean rank of a feature by ManiFeSt, ReliefF and ANOVA (Borda's count).

    With r_l the rank of a feature of d in list l of m, 1 for the best,

        score = (d - 1/m sum_l r_l) / (d - 1).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    k : int, default=10
        ReliefF's number of neighbours, at least 1. If a class has fewer, all of them count.
    scale : bool, default=True
        ReliefF maps each feature to [0, 1] first.
    scale_factor : float, default=1.0
        The kernel scale of each class is this factor times the median distance between its
        features. Positive.
    percentile : float in [0, 100], optional
        Take this percentile of those distances in place of the median.
    n_normalizations : int, default=0
        Number of times that each kernel K becomes ``A^-1/2 K A^-1/2``, with A the diagonal matrix
        of its row sums.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [0, 1], higher is better; 1 for a feature that is first in all lists.

    Raises
    ------
    TypeError, ValueError
        As the three scorers.
    """
    X, codes = validated(X, y)
    own = manifest_score(X, codes, **of_manifest)
    lists = [own, relieff(X, codes, k=k, scale=scale), anova(X, codes)]
    d = X.shape[1]
    return (d - np.mean([ranks(scores) for scores in lists], axis=0)) / (d - 1)


def order_statistics(shares: Any) -> np.ndarray:
    """The probability of ranks as good as these if all lists are in random order.

    The k-th smallest of m independent uniform numbers follows the beta distribution with the
    parameters k and m - k + 1. So with r_(1) <= ... <= r_(m) the sorted ranks of a feature, divided
    by the number of features,

        beta_k = P(U_(k) <= r_(k)) = sum_{l = k}^m C(m, l) r_(k)^l (1 - r_(k))^(m - l),

    and the feature's value is min_k beta_k (Kolde, Laur, Adler and Vilo 2012). Times m it bounds a
    p-value; the factor changes no order.

    Parameters
    ----------
    shares : array-like of shape (m, n_features)
        Ranks divided by the number of features, in [0, 1].

    Returns
    -------
    least : ndarray of shape (n_features,)
        min_k beta_k, in [0, 1]; lower is better.

    References
    ----------
    R. Kolde, S. Laur, P. Adler and J. Vilo (2012), "Robust rank aggregation for gene list
    integration and meta-analysis", Bioinformatics 28(4).
    """
    ordered = np.sort(np.asarray(shares, dtype=np.float64), axis=0)
    m = len(ordered)
    k = np.arange(1, m + 1)[:, None]
    return np.min(beta.cdf(ordered, k, m - k + 1), axis=0)


def aggregated(lists: Sequence[Any]) -> np.ndarray:
    """Minus the decimal logarithm of `order_statistics` of the ranks of several lists of scores."""
    of_lists = np.array([ranks(scores) for scores in lists])
    return np.abs(np.log10(order_statistics(of_lists / of_lists.shape[1])))


@takes_manifest
def robust_rank_aggregation(
    X: Any, y: Any, *, k: int = 10, scale: bool = True, **of_manifest: Any
) -> np.ndarray:
    """Robust rank aggregation of ManiFeSt, ReliefF, ANOVA and information gain.

    A feature is good if it stands higher in some of the lists than it would by chance; lists in
    which it stands low count little. Information gain has its default parameters. See
    `order_statistics` for the formula and its source.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    k : int, default=10
        ReliefF's number of neighbours, at least 1. If a class has fewer, all of them count.
    scale : bool, default=True
        ReliefF maps each feature to [0, 1] first.
    scale_factor : float, default=1.0
        The kernel scale of each class is this factor times the median distance between its
        features. Positive.
    percentile : float in [0, 100], optional
        Take this percentile of those distances in place of the median.
    n_normalizations : int, default=0
        Number of times that each kernel K becomes ``A^-1/2 K A^-1/2``, with A the diagonal matrix
        of its row sums.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        ``-log10 min_k beta_k``, at least 0, higher is better.

    Raises
    ------
    TypeError, ValueError
        As the four scorers.
    """
    X, codes = validated(X, y)
    own = manifest_score(X, codes, **of_manifest)
    univariate = [anova(X, codes), information_gain(X, codes)]
    return aggregated([own, relieff(X, codes, k=k, scale=scale), *univariate])
