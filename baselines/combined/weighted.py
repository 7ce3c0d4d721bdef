"""A weighted sum of two normalised scores: ManiFeSt and a filter."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .._common import validated, with_grid
from ..combine import min_max
from ..filters.anova import anova
from ..filters.relieff import relieff
from ._method import check_weights, manifest_score, takes_manifest

__all__ = ["manifest_anova_weighted", "manifest_relieff_weighted"]


def _weighted(X, y, weights, scorer, of_manifest):
    """``w minmax(ManiFeSt) + (1 - w) minmax(filter)``, a row for each weight w."""
    weights = check_weights(weights, most=1)
    X, codes = validated(X, y)
    own, other = min_max(manifest_score(X, codes, **of_manifest)), min_max(scorer(X, codes))
    return np.array([weight * own + (1 - weight) * other for weight in weights])


@takes_manifest
def _relieff_grid(
    X: Any, y: Any, weights: Sequence[float], *, k: int = 10, scale: bool = True, **of_manifest: Any
) -> np.ndarray:
    return _weighted(X, y, weights, partial(relieff, k=k, scale=scale), of_manifest)


@takes_manifest
def _anova_grid(X: Any, y: Any, weights: Sequence[float], **of_manifest: Any) -> np.ndarray:
    return _weighted(X, y, weights, anova, of_manifest)


@with_grid("weight", _relieff_grid)
def manifest_relieff_weighted(X: Any, y: Any, *, weight: float = 0.5, **others: Any) -> np.ndarray:
    """ManiFeSt and ReliefF, ``w minmax(ManiFeSt) + (1 - w) minmax(ReliefF)``.

    With w = 1/2 it orders the features as the sum of both, with which Cohen, Shnitzer, Kluger and
    Talmon (2022, section on the colon data) "combine the multivariate standpoint of ManiFeSt with
    univariate considerations"; they ask for a systematic way. Here, an experiment tunes w.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    weight : float in [0, 1]
        w: 1 is ManiFeSt alone, 0 is ReliefF alone.
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
        In [0, 1], higher is better.

    Raises
    ------
    TypeError, ValueError
        As both scorers, and if the weight is no number in [0, 1].
    """
    return _relieff_grid(X, y, [weight], **others)[0]


@with_grid("weight", _anova_grid)
def manifest_anova_weighted(X: Any, y: Any, *, weight: float = 0.5, **others: Any) -> np.ndarray:
    """ManiFeSt and ANOVA, ``w minmax(ManiFeSt) + (1 - w) minmax(F)``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    weight : float in [0, 1]
        w: 1 is ManiFeSt alone, 0 is ANOVA alone.
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
        In [0, 1], higher is better.

    Raises
    ------
    TypeError, ValueError
        As both scorers, and if the weight is no number in [0, 1].
    """
    return _anova_grid(X, y, [weight], **others)[0]
