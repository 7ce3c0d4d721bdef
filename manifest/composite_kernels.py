"""The composite kernels M and D as matrices, with the eigenpairs that the paper's figures show."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from manifest.composition import aggregated, compose
from manifest.decompositions import symmetric_eigh
from manifest.linalg import fill_upper, product
from manifest.trust import emit, is_informative, pending_warnings, rounding_of
from manifest.validation import check_parameters, check_samples


@dataclass(frozen=True)
class Operators:
    """The composite kernels of all classes and their eigenpairs.

    Two classes have one difference operator, ``D = Log_M(K_1)``, because that of the second class
    is its negative. More than two have one each: the arrays of differences then have the classes,
    C of them, along an additional first axis.

    Attributes
    ----------
    mean : ndarray of shape (d, d)
        M: the midpoint of two kernels (Eq. 2 or its fixed-rank counterpart of Algorithm 2), the
        Riemannian mean of more.
    difference : ndarray of shape (d, d) or (C, d, d)
        D (Eq. 3, or its fixed-rank counterpart), or all ``D_l = Log_M(K_l)``.
    mean_eigenvalues : ndarray of shape (k,)
        By decreasing absolute value.
    mean_eigenvectors : ndarray of shape (d, k)
        One a column, in the same order. The sign of an eigenvector is arbitrary.
    difference_eigenvalues : ndarray of shape (k,) or (C, k)
        By decreasing absolute value.
    difference_eigenvectors : ndarray of shape (d, k) or (C, d, k)
        One a column, in the same order.
    class_scores : ndarray of shape (C, d)
        ``r_l = diag |D_l|``, one row for each class.
    score : ndarray of shape (d,), or (C, d) for aggregate "none"
        The feature score: Eq. (4) for two classes and aggregate "max".
    geometry : {"spd", "spsd", "regularized"}
        The geometry that was computed, after "auto" has been decided.
    scales : tuple of C floats
        The kernel scale of each class.
    classes : tuple of C labels
        In sorted order; class 1 is the smallest.
    rank : int
        k: d for "spd" and "regularized".
    principal_angles : ndarray of shape (k,)
        Between the ranges of two kernels, ascending, in [0, pi/2]; zeros for full rank.
    n_ambiguous : int
        Number of directions that rounding pairs (see `manifest.AmbiguousScoreWarning`).
    informative : bool
        False if rounding decides the scores (see `manifest.UninformativeScoreWarning`).
    delta : float
        The shift of all kernels under "regularized", else 0.
    """

    mean: np.ndarray
    difference: np.ndarray
    mean_eigenvalues: np.ndarray
    mean_eigenvectors: np.ndarray
    difference_eigenvalues: np.ndarray
    difference_eigenvectors: np.ndarray
    class_scores: np.ndarray
    score: np.ndarray
    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    rank: int
    principal_angles: np.ndarray
    n_ambiguous: int
    informative: bool
    delta: float


def operators(
    X: ArrayLike,
    y: ArrayLike,
    *,
    scale_factor: float = 1.0,
    percentile: float | None = None,
    n_normalizations: int = 0,
    geometry: str = "regularized",
    aggregate: str = "max",
) -> Operators:
    """The mean operator M and the difference operators of all classes, with their eigenpairs.

    ``M = K_1 # K_2`` (Eq. 2) and ``D = Log_M(K_1)`` (Eq. 3) for two positive definite kernels, the
    fixed-rank operators of the paper's Algorithm 2 under "spsd". For more than two classes M is the
    Riemannian mean of all kernels, and each class has its ``D_l = Log_M(K_l)``.

    Parameters
    ----------
    X, y : array-like
        Those of `manifest.manifest_score`.
    scale_factor, percentile, n_normalizations, geometry, aggregate : optional
        Those of `manifest.manifest_score`.

    Returns
    -------
    Operators

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `manifest.manifest_score`.

    Warns
    -----
    AmbiguousScoreWarning, UninformativeScoreWarning, MeanNotConvergedWarning
        As `manifest.manifest_score`.
    """
    X, y = check_samples(X, y)
    check_parameters(aggregate=aggregate)
    parts = compose(
        X,
        y,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
        geometry=geometry,
    )
    rank = len(parts.principal_angles)
    mean = parts.mean_operator()
    mean_values, mean_vectors = _eigenpairs(mean, rank)
    differences, values, vectors = zip(
        *(_difference(core, parts.basis, rank) for core in parts.difference_cores()), strict=True
    )
    rows = [v**2 @ np.abs(w) for w, v in zip(values, vectors, strict=True)]
    class_scores = np.array(np.broadcast_to(rows, (len(parts.classes), len(mean))))
    rounding = rounding_of(len(mean), parts.magnitude)
    emit(pending_warnings(parts.warnings(), class_scores, rounding))
    several = len(differences) > 1
    return Operators(
        mean=mean,
        mean_eigenvalues=mean_values,
        mean_eigenvectors=mean_vectors,
        difference=np.array(differences) if several else differences[0],
        difference_eigenvalues=np.array(values) if several else values[0],
        difference_eigenvectors=np.array(vectors) if several else vectors[0],
        class_scores=class_scores,
        score=aggregated(class_scores, aggregate),
        geometry=parts.geometry,
        scales=parts.scales,
        classes=parts.classes,
        rank=rank,
        principal_angles=parts.principal_angles,
        n_ambiguous=parts.n_ambiguous,
        informative=is_informative(class_scores, rounding),
        delta=parts.delta,
    )


def _difference(core, basis, rank):
    """D from its lower triangle in a basis, and its eigenpairs."""
    core = fill_upper(core)
    values, vectors = _eigenpairs(core, rank)
    if basis is None:
        return core, values, vectors
    return product(product(basis, core), basis.T), values, product(basis, vectors)


def _eigenpairs(operator, rank):
    """The eigenpairs of the largest absolute eigenvalues, in decreasing order."""
    values, vectors = symmetric_eigh(operator.copy(order="F"), "a composite kernel")
    order = np.argsort(-np.abs(values), kind="stable")[:rank]
    return values[order], vectors[:, order]
