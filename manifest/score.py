"""Compute the score of every feature: samples, kernels, difference operators, Eq. (4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifest.blocks import draw_blocks
from manifest.composition import aggregated, compositions
from manifest.spd import absolute_diagonal
from manifest.trust import (
    UninformativeScoreWarning,
    emit,
    one_of_each,
    pending_warnings,
    rounding_of,
)
from manifest.validation import check_parameters, check_samples


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
    random_state: int = 0,
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
    percentile : float in [0, 100], optional
        Use this percentile of the distances instead of the median.
    n_normalizations : int, default=0
        How many times each kernel K is replaced by ``A^-1/2 K A^-1/2``, where A is the diagonal
        matrix of the row sums of K.
    geometry : {"regularized", "spd", "spsd", "auto", "euclidean", "log_euclidean"}
        By default "regularized".
        "regularized" adds a small multiple of the identity to all kernels and applies Algorithm 1
        of the paper (see `manifest.regularized.regularization`). It is always defined, has none of
        the ambiguity of Algorithm 2, and equals Algorithm 1 if the kernels are well
        conditioned. "spd" is Algorithm 1 and "spsd" Algorithm 2 of the paper, for two classes only.
        "auto" is Algorithm 1 if all kernels are numerically positive definite; otherwise it is
        Algorithm 2 for two classes and "regularized" for more. "euclidean" and "log_euclidean"
        subtract kernels, or their logarithms, instead of using the Riemannian difference (see
        `manifest.flat`).
    aggregate : {"max", "sum", "none"}, default="max"
        Each class l has its own scores ``r_l = diag |D_l|``. The score of a feature is their
        maximum or sum over the classes; "none" returns all of them. With two classes, both have
        the same scores.
    multiclass : {"mean", "ovo"}, default="mean"
        "mean" compares every class with the Riemannian mean of all classes. "ovo" (one against one)
        computes the two-class score for each pair of classes, in the order of
        `itertools.combinations`, and aggregates over the pairs.
    block : int, optional
        Divide the features at random into blocks of at most this size, at least 3, and score each
        block separately. Time and memory are then linear in n_features (see
        `manifest.blocks`). None compares all features with each other, in time n_features^3
        and memory n_features^2.
    random_state : int, default=0
        Non-negative seed of the blocks.

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
    (scores,) = scores_in_blocks(
        X,
        y,
        [percentile],
        scale_factor=scale_factor,
        n_normalizations=n_normalizations,
        geometry=geometry,
        multiclass=multiclass,
        block=block,
        random_state=random_state,
    )
    emit(scores.warnings)
    return aggregated(scores.rows, aggregate)


def manifest_scores(
    X: ArrayLike,
    y: ArrayLike,
    *,
    percentiles: Sequence[float | None],
    aggregate: str = "max",
    **parameters: Any,
) -> NDArray[np.float64]:
    """Compute the ManiFeSt scores for several kernel scales from the same distances.

    Parameters
    ----------
    X, y : array-like
        As in `manifest_score`, which also lists the errors and warnings.
    percentiles : sequence of floats in [0, 100]
        One or more percentiles of the distances between the features of a class; None is the
        median.
    aggregate, **parameters : optional
        The other parameters of `manifest_score`.

    Returns
    -------
    ndarray of shape (len(percentiles), n_features) or (len(percentiles), n_classes, n_features)
        Entry i is ``manifest_score(X, y, percentile=percentiles[i])``.
    """
    X, y = check_samples(X, y)
    check_parameters(aggregate=aggregate)
    percentiles = list(percentiles)
    if not percentiles:
        raise ValueError("percentiles must contain at least one percentile, got none")
    rows = []
    for scores in scores_in_blocks(X, y, percentiles, **parameters):
        emit(scores.warnings)
        rows.append(aggregated(scores.rows, aggregate))
    return np.array(rows)


@dataclass(frozen=True)
class ClassScores:
    """The scores of validated samples at one kernel scale, and what is known about them."""

    #: ``r_l = diag |D_l|`` of each class, or the score of each pair ("ovo"); arrays of length d.
    rows: np.ndarray
    #: The geometry of all rows; "auto" if they differ.
    geometry: str
    scales: tuple[float, ...]
    n_ambiguous: int
    #: The error of the scores by rounding.
    rounding: float
    #: The warnings to issue.
    warnings: list


def scores_in_blocks(X, y, percentiles, *, block=None, random_state=0, **parameters):
    """Yield the `ClassScores` of validated samples at each percentile, exact or block by block.

    `block` and `random_state` are passed to `manifest.blocks.draw_blocks`, the other parameters to
    `manifest.composition.compositions`. With several blocks `scales` is empty, since each block
    has its own.
    """
    blocks = draw_blocks(X, block, random_state)
    if len(blocks) == 1:
        yield from _class_scores(X, y, percentiles, **parameters)
        return
    found = [list(_class_scores(X[:, part], y, percentiles, **parameters)) for part in blocks]
    for of_percentile in zip(*found, strict=True):
        yield _joined(blocks, of_percentile)


def _joined(blocks, scores):
    """Join the scores of all blocks."""
    rows = np.empty((len(scores[0].rows), sum(map(len, blocks))))
    for part, one in zip(blocks, scores, strict=True):
        rows[:, part] = one.rows
    geometries = {one.geometry for one in scores}
    warnings = [warning for one in scores for warning in one.warnings]
    # Rounding in one block says nothing about all features.
    warnings = [one for one in warnings if not isinstance(one, UninformativeScoreWarning)]
    rounding = max(one.rounding for one in scores)
    n_ambiguous = sum(one.n_ambiguous for one in scores)
    return _assessed(rows, geometries, {}, n_ambiguous, rounding, one_of_each(warnings))


def _class_scores(X, y, percentiles, *, multiclass="mean", **parameters):
    """Yield the scores at each percentile; see `manifest.composition.compositions`."""
    for group in compositions(X, y, percentiles, multiclass=multiclass, **parameters):
        rows, geometries, warnings = [], set(), []
        scales: dict = {}
        n_ambiguous, magnitude = 0, 0.0
        for parts in group:
            rows += [absolute_diagonal(core, parts.basis) for core in parts.difference_cores()]
            geometries.add(parts.geometry)
            scales |= dict(zip(parts.classes, parts.scales, strict=True))
            n_ambiguous += parts.n_ambiguous
            magnitude = max(magnitude, parts.magnitude)
            warnings += parts.warnings
            del parts  # before the next one is made
        if multiclass == "mean" and len(scales) == 2:
            # D_2 = -D_1 has the same absolute value.
            rows *= 2
        rounding = rounding_of(len(rows[0]), magnitude)
        yield _assessed(np.array(rows), geometries, scales, n_ambiguous, rounding, warnings)


def _assessed(rows, geometries, scales, n_ambiguous, rounding, warnings):
    """Combine the scores with what is known about them."""
    return ClassScores(
        rows=rows,
        geometry=geometries.pop() if len(geometries) == 1 else "auto",
        scales=tuple(scales.values()),
        n_ambiguous=n_ambiguous,
        rounding=rounding,
        warnings=pending_warnings(warnings, rows, rounding),
    )
