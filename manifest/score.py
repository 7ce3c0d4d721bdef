"""Compute the score of every feature: samples, kernels, difference operators, Eq. (4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifest.blocks import draw_blocks
from manifest.composition import aggregated, compared
from manifest.spd import absolute_diagonal
from manifest.trust import (
    UninformativeScoreWarning,
    emit,
    hidden_pair,
    is_informative,
    one_of_each,
    pending_warnings,
    rounding_of,
)
from manifest.validation import check_parameters, check_samples, seed_of


def manifest_score(
    X: ArrayLike,
    y: ArrayLike,
    *,
    scale_factor: float = 1.0,
    percentile: float | None = None,
    n_normalizations: int = 0,
    geometry: str = "regularized",
    aggregate: str = "max",
    multiclass: str = "mean",
    block: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> NDArray[np.float64]:
    """Compute the ManiFeSt score of every feature; higher is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers, at least two features; converted to a NumPy array in float64.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, at least two samples each. Class 1 is the smallest label in
        sorted order.
    scale_factor : float, default=1.0
        Positive. The kernel scale of each class is this factor times the median of the off-diagonal
        Euclidean distances between the features in that class.
    percentile : float in [0, 100], default=None
        Use this percentile of the distances instead of the median.
    n_normalizations : int, default=0
        How many times each kernel K is replaced by ``A^-1/2 K A^-1/2``, where A is the diagonal
        matrix of the row sums of K.
    geometry : {"regularized", "spd", "spsd", "euclidean", "log_euclidean"}, default="regularized"
        "regularized" adds a small multiple of the identity to all kernels and applies Algorithm 1
        of the paper (see `manifest.regularized.regularization`). It is always defined, has none of
        the ambiguity of Algorithm 2, and equals Algorithm 1 if the kernels are well
        conditioned. "spd" is Algorithm 1 of the paper, for positive definite kernels, and "spsd"
        its Algorithm 2, for two classes only. "euclidean" and "log_euclidean" subtract kernels, or
        their logarithms, instead of using the Riemannian difference (see `manifest.geometries`).
    aggregate : {"max", "sum", "none"}, default="max"
        Each class l has its own scores ``r_l = diag |D_l|``. The score of a feature is their
        maximum or sum over the classes; "none" returns all of them. With two classes, both have
        the same scores.
    multiclass : {"mean", "ovo"}, default="mean"
        "mean" compares every class with the Riemannian mean of all classes. "ovo" (one against one)
        computes the two-class score for each pair of classes, in the order of
        `itertools.combinations`, and aggregates over the pairs.
    block : int or None, default=None
        Divide the features at random into blocks of at most this size, at least 3, and score each
        block separately. Time and memory are then linear in n_features (see
        `manifest.blocks`). None compares all features with each other, in time n_features^3
        and memory n_features^2.
    random_state : int, RandomState or None, default=0
        Seed of the blocks, at least 0, or a source of it, as in scikit-learn.

    Returns
    -------
    ndarray of shape (n_features,), or (n_classes, n_features) for aggregate "none"
        Finite and non-negative. Under "ovo", aggregate "none" returns a row for each pair of
        classes. Multiplying all values of X by one positive number, or adding one constant, does
        not change the score.

    Raises
    ------
    ValueError
        If the score is not defined: NaN or infinity, one class, one sample in a
        class, one feature, a kernel scale of zero, a parameter out of range, "spsd" for more than
        two classes, or (as `manifest.NotPositiveDefiniteError`) singular kernels under
        "spd".
    TypeError
        If X is sparse.
    MemoryError
        If comparing the features needs more memory than there is. It is raised before anything of
        that size is allocated.

    Warns
    -----
    AmbiguousScoreWarning
        If the score of Algorithm 2 is not unique and depends on rounding.
    UninformativeScoreWarning
        If the kernels of the classes hardly differ, so that rounding decides the order of the
        features, and for two features, which always tie.
    HiddenPairWarning
        If the two features whose relation differs most between the classes, by far, are in the
        lower half: a smaller kernel scale would see them.
    MeanNotConvergedWarning
        If the Riemannian mean of more than two kernels did not converge.

    Notes
    -----
    Let K_l be the kernel of class l and M the Riemannian mean of all kernels (Moakher 2005). Then
    ``D_l = Log_M(K_l)`` and ``r_l = diag |D_l|``. For two classes ``D_2 = -D_1``, so that both r_l
    equal the score of Eq. (4).

    References
    ----------
    Cohen, Shnitzer, Kluger and Talmon (2022), "ManiFeSt: Manifold-based Feature Selection for Small
    Data Sets", Algorithms 1 and 2, Eqs. (1) to (4).

    Cohen, Shnitzer, Kluger and Talmon (2023), "Few-Sample Feature Selection via Feature Manifold
    Learning", International Conference on Machine Learning, appendix on several classes.

    Moakher (2005), "A differential geometric approach to the geometric mean of symmetric
    positive-definite matrices", SIAM Journal on Matrix Analysis and Applications 26.
    """
    check_parameters(aggregate=aggregate)
    X, y = check_samples(X, y)
    scores = scores_in_blocks(
        X,
        y,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
        geometry=geometry,
        multiclass=multiclass,
        block=block,
        random_state=random_state,
    )
    emit(scores.warnings)
    return aggregated(scores.rows, aggregate)


@dataclass(frozen=True)
class ClassScores:
    """The scores of validated samples, and what is known about them."""

    #: ``r_l = diag |D_l|`` of each class, or the score of each pair ("ovo"); arrays of length d.
    rows: np.ndarray
    scales: tuple[float, ...]
    n_ambiguous: int
    #: The error of the scores by rounding.
    rounding: float
    #: The warnings to issue.
    warnings: list


def scores_in_blocks(X, y, *, block=None, random_state=0, **parameters):
    """Return the `ClassScores` of validated samples, exact or block by block.

    `block` and `random_state` are passed to `manifest.blocks.draw_blocks`, the other parameters to
    `manifest.composition.compared`. With several blocks `scales` is empty, since each block has
    its own.
    """
    blocks = draw_blocks(X, block, seed_of(random_state))
    if len(blocks) == 1:
        return _class_scores(X, y, **parameters)
    found = [_class_scores(X[:, part], y, **parameters) for part in blocks]
    rows, warnings = np.empty((len(found[0].rows), X.shape[1])), []
    for part, scores in zip(blocks, found, strict=True):
        rows[:, part] = scores.rows
        warnings += scores.warnings
    n_ambiguous = sum(scores.n_ambiguous for scores in found)
    rounding = max(scores.rounding for scores in found)
    # Rounding in one block says nothing about all features.
    warnings = [one for one in warnings if not isinstance(one, UninformativeScoreWarning)]
    warnings = pending_warnings(one_of_each(warnings), rows, rounding)
    return ClassScores(rows, (), n_ambiguous, rounding, warnings)


def _class_scores(X, y, *, multiclass="mean", **parameters):
    """Return the scores of features that are all compared; see `manifest.composition.compared`."""
    labels, scales, pair, geometries = compared(X, y, multiclass=multiclass, **parameters)
    rows, warnings, n_ambiguous, magnitude = [], [], 0, 0.0
    for parts in geometries:
        rows += [absolute_diagonal(core, parts.basis) for core in parts.differences()]
        n_ambiguous += parts.n_ambiguous
        magnitude = max(magnitude, parts.magnitude)
        warnings += parts.warnings
        del parts  # before the next one is made
    if multiclass == "mean" and len(labels) == 2:
        # D_2 = -D_1 has the same absolute value.
        rows *= 2
    scores, rounding = np.array(rows), rounding_of(X.shape[1], magnitude)
    if is_informative(scores, rounding):
        warnings += hidden_pair(scores.max(axis=0), *pair)
    warnings = pending_warnings(warnings, scores, rounding)
    return ClassScores(scores, scales, n_ambiguous, rounding, warnings)
