"""Features chosen one after the other: relevant, and unlike each other on ManiFeSt's mean kernel.

These scorers have no kernel scale to tune: see `manifest.relevance`.
"""

from functools import partial
from typing import Any

import numpy as np

from manifest.relevance import Form, calibrated_relevance, set_choice

from ._common import hands_on, validated
from .filters.anova import anova
from .filters.relieff import relieff

#: ReliefF's neighbours, its usual number.
_K = 10

#: A decorator: the signature shows the parameters of the relevance.
_form = hands_on(
    Form, "scale_factors", "geometry", "aggregate", "n_permutations", "block", "random_state"
)


def _backwards(steps: np.ndarray) -> np.ndarray:
    """Scores that order features as they were chosen: whole numbers, the last one 0."""
    return (steps.max() - steps).astype(np.float64)


@_form
def manifest_set(X: Any, y: Any, **form: Any) -> np.ndarray:
    """Features chosen one after the other: relevant at four kernel scales, and not alike on M.

    For the relevance see `manifest.relevance.calibrated_relevance`, for the choice
    `manifest.relevance.set_choice`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features that vary.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    scale_factors : sequence of positive floats, default=(0.1, 0.3, 1, 2)
        Kernel scales, in medians of the distances between the features of a class.
    geometry : {"regularized", "spd"}, default="regularized"
        "regularized" adds a small multiple of the identity to all kernels, and is always defined.
        "spd" needs positive definite kernels.
    aggregate : {"max", "sum"}, default="max"
        A part of a feature is the maximum of this part in all classes, or the sum.
    n_permutations : int, default=3
        Number of permutations of the labels, at least 1.
    block : int, default=1000
        At most so many features are compared with each other; more are divided at random into
        blocks.
    random_state : int, default=0
        Seed of the permutations and of the blocks.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Whole numbers that order the features as they were chosen, the last one 0. Features that tie
        are chosen together, but copies are last among the features that count; constant features
        strictly last.

    Raises
    ------
    TypeError, ValueError
        As `manifest.relevance.calibrated_relevance`.
    """
    X, codes = validated(X, y)
    return _backwards(calibrated_relevance(X, codes, **form).steps)


@_form
def manifest_relieff_set(X: Any, y: Any, **form: Any) -> np.ndarray:
    """Features chosen one after the other, by the relevance of ManiFeSt and of ReliefF (k = 10).

    Both relevances are calibrated by permuted labels and added up. For the choice see
    `manifest.relevance.set_choice`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features that vary.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    scale_factors : sequence of positive floats, default=(0.1, 0.3, 1, 2)
        Kernel scales, in medians of the distances between the features of a class.
    geometry : {"regularized", "spd"}, default="regularized"
        "regularized" adds a small multiple of the identity to all kernels, and is always defined.
        "spd" needs positive definite kernels.
    aggregate : {"max", "sum"}, default="max"
        A part of a feature is the maximum of this part in all classes, or the sum.
    n_permutations : int, default=3
        Number of permutations of the labels, at least 1.
    block : int, default=1000
        At most so many features are compared with each other; more are divided at random into
        blocks.
    random_state : int, default=0
        Seed of the permutations and of the blocks.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Whole numbers that order the features as they were chosen, the last one 0. Features that tie
        are chosen together, but copies are last among the features that count; constant features
        strictly last.

    Raises
    ------
    TypeError, ValueError
        As `manifest.relevance.calibrated_relevance`.
    """
    X, codes = validated(X, y)
    scorers = [partial(relieff, k=_K)]
    return _backwards(calibrated_relevance(X, codes, scorers=scorers, **form).steps)


def relieff_set(X: Any, y: Any, *, k: int = _K, scale: bool = True) -> np.ndarray:
    """Features chosen one after the other: relevant by ReliefF, and not alike on ManiFeSt's M.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features that vary.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.
    k : int, default=10
        ReliefF's number of neighbours, at least 1. If a class has fewer, all of them count.
    scale : bool, default=True
        ReliefF maps each feature to [0, 1] first.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Whole numbers that order the features as they were chosen, the last one 0. Features that tie
        are chosen together, but copies are last among the features that count; constant features
        strictly last.

    Raises
    ------
    TypeError, ValueError
        As `manifest.relevance.set_choice` and ReliefF.
    """
    X, codes = validated(X, y)
    return _backwards(set_choice(X, codes, relieff(X, codes, k=k, scale=scale)))


def anova_set(X: Any, y: Any) -> np.ndarray:
    """Features chosen one after the other: relevant by ANOVA, and not alike on ManiFeSt's M.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features that vary.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Whole numbers that order the features as they were chosen, the last one 0. Features that tie
        are chosen together, but copies are last among the features that count; constant features
        strictly last.

    Raises
    ------
    TypeError, ValueError
        As `manifest.relevance.set_choice` and ANOVA.
    """
    X, codes = validated(X, y)
    return _backwards(set_choice(X, codes, anova(X, codes)))
