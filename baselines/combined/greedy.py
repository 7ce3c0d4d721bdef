"""Greedy selection: ManiFeSt's relevance, less what is redundant by the mean kernel M."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._common import integer, validated, with_grid
from ..combine import min_max
from ._method import TIES, check_weights, levels, operators, takes_manifest

__all__ = ["manifest_greedy"]

REDUNDANCIES = ("mean", "max")


def greedy_order(relevance, redundancy, weight, n_selected, penalty_by="mean") -> np.ndarray:
    """The step in which each feature is taken, 0 for the first.

    Each step takes the features with the largest ``relevance_i - weight * penalty_i``; the penalty
    is the mean ("mean"), or the maximum ("max"), of redundancy_ij, (n_features, n_features), over
    the features j that are taken already. Features that tie are taken together, since nothing in
    the data tells which of them is first. Exact duplicates therefore stay together. After
    `n_selected` features, the rest follows in the order of its relevance.
    """
    d = relevance.size
    steps = np.full(d, -1)
    total, largest = np.zeros(d), np.full(d, -np.inf)
    step = n_taken = 0
    while n_taken < min(n_selected, d):
        penalty = 0.0 if not n_taken else largest if penalty_by == "max" else total / n_taken
        gain = np.where(steps < 0, relevance - weight * penalty, -np.inf)
        tied = np.flatnonzero(gain >= gain.max() - TIES * (1 + weight))
        steps[tied] = step
        total += redundancy[:, tied].sum(axis=1)
        largest = np.maximum(largest, redundancy[:, tied].max(axis=1))
        step, n_taken = step + 1, n_taken + tied.size
    rest = steps < 0
    steps[rest] = step + levels(relevance[rest])
    return steps


@takes_manifest
def manifest_greedy_grid(
    X: Any,
    y: Any,
    weights: Sequence[float],
    *,
    redundancy: str = "mean",
    n_selected: int = 200,
    **of_manifest: Any,
) -> np.ndarray:
    """`manifest_greedy` for each weight, a row each; the score and M are computed once."""
    weights = check_weights(weights)
    if redundancy not in REDUNDANCIES:
        raise ValueError(f'redundancy must be "mean" or "max", got {redundancy!r}.')
    integer("n_selected", n_selected, 1)
    X, codes = validated(X, y)
    composite = operators(X, codes, **of_manifest)
    sizes = np.sqrt(np.diagonal(composite.mean))
    similarity = composite.mean / np.outer(sizes, sizes)
    relevance = min_max(composite.score)
    steps = [
        greedy_order(relevance, similarity, weight, n_selected, redundancy) for weight in weights
    ]
    return np.array([of_weight.max() - of_weight for of_weight in steps], dtype=np.float64)


@with_grid("weight", manifest_greedy_grid)
def manifest_greedy(X: Any, y: Any, *, weight: float = 0.3, **others: Any) -> np.ndarray:
    """Features taken one after the other: relevant by ManiFeSt, and not close on M to those taken.

    With r the score of Eq. (4), mapped to [0, 1], and S the features that are taken, the next one
    has the largest

        r_i - weight / |S| sum_{j in S} M_ij / sqrt(M_ii M_jj),

    the difference form of mRMR (Ding and Peng 2005) with ManiFeSt's relevance in place of a
    univariate one, and the mean kernel M of Eq. (2) in place of the mutual information of two
    features. Cohen, Shnitzer, Kluger and Talmon (2022) name the reduction of redundancies as future
    work. M is symmetric and positive definite, so that its entries, scaled to unit diagonal, lie in
    [-1, 1].

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two features. M takes memory for n_features^2 numbers.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each. For several classes M is the
        Riemannian mean of all kernels.
    weight : float
        At least 0; with 0 the order is that of ManiFeSt.
    redundancy : {"mean", "max"}, default="mean"
        The penalty is the mean over the taken features, as above, or the maximum.
    n_selected : int, default=200
        The number of features taken in this way; the rest follows in the order of ManiFeSt's score.
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
        Whole numbers that order the features as they were taken, the last one 0. Features that tie
        are taken together.

    Raises
    ------
    TypeError, ValueError
        As `manifest.manifest_score`, and if a parameter is out of range.

    References
    ----------
    C. Ding and H. Peng (2005), "Minimum redundancy feature selection from microarray gene
    expression data", Journal of Bioinformatics and Computational Biology 3(2).
    """
    return manifest_greedy_grid(X, y, [weight], **others)[0]
