"""Compare the kernels of the classes, and form the operators M and D.

Two classes use the closed form of `manifest.spd` or `manifest.spsd`. More classes use
the score of the paper's 2023 version (appendix on several classes)::

    M = argmin_X sum_l d(X, K_l)^2,   D_l = Log_M(K_l),   r_l = diag |D_l|

The score of a feature is the maximum of r_l over the classes, or their sum. For two classes M is
the midpoint and D_2 = -D_1, so that both r_l are the score of Algorithm 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manifest.decompositions import symmetric_eigh
from manifest.geometries import GEOMETRIES, Geometry
from manifest.kernels import class_kernel, pair_that_differs_most
from manifest.linalg import fill_upper, product
from manifest.trust import emit, is_informative, pending_warnings, rounding_of
from manifest.validation import check_memory, check_parameters, check_samples, split_classes


def aggregated(rows, aggregate):
    """Return the maximum ("max") or sum ("sum") over rows of scores, or the rows ("none")."""
    if aggregate == "none":
        return rows
    return rows.max(axis=0) if aggregate == "max" else rows.sum(axis=0)


class Compared(NamedTuple):
    """The kernels of all classes, compared."""

    #: The classes in sorted order, and the kernel scale of each.
    labels: tuple
    scales: tuple[float, ...]
    #: See `manifest.kernels.pair_that_differs_most`.
    pair: tuple[int, int, float]
    #: One geometry of all classes or, under "ovo", one for each pair of classes in the order of
    #: `itertools.combinations`.
    geometries: Iterator[Geometry]


def compared(
    X,
    y,
    *,
    scale_factor=1.0,
    percentile=None,
    n_normalizations=0,
    geometry="regularized",
    multiclass="mean",
):
    """Return the kernels of validated samples, compared in a geometry.

    The parameters are those of `manifest.manifest_score`.
    """
    check_parameters(scale_factor, percentile, n_normalizations, geometry, multiclass=multiclass)
    labels, parts = split_classes(X, y)
    check_memory(X.shape[1], n_arrays(len(labels), multiclass))
    kernels, scales = [], []
    for part, label in zip(parts, labels, strict=True):
        kernel, scale = class_kernel(
            part,
            label,
            scale_factor=scale_factor,
            percentile=percentile,
            n_normalizations=n_normalizations,
        )
        kernels.append(kernel)
        scales.append(scale)
    pair = pair_that_differs_most(kernels)
    if multiclass == "ovo" and len(labels) > 2:
        geometries = _pairs(kernels, labels, geometry)
    else:
        geometries = iter([GEOMETRIES[geometry](kernels, labels)])
    return Compared(labels, tuple(scales), pair, geometries)


def n_arrays(n_classes, multiclass="mean"):
    """Return how many arrays of shape (d, d) a score needs at its peak, rounded up."""
    if n_classes == 2:
        return 5
    return 5 + n_classes if multiclass == "ovo" else 8 + 2 * n_classes


def _pairs(kernels, labels, geometry):
    """Yield the geometry of each pair of classes."""
    for i, j in combinations(range(len(labels)), 2):
        pair = labels[i], labels[j]
        # No name refers to the copies, so that their memory is freed.
        yield GEOMETRIES[geometry]([kernels[n].copy(order="F") for n in (i, j)], pair)


@dataclass(frozen=True)
class Operators:
    """The composite kernels of all classes and their eigenpairs.

    Two classes share one difference operator, ``D = Log_M(K_1)``, because that of the second class
    is its negative. More classes have one operator each; the arrays of differences then have an
    additional first axis for the C classes.

    Attributes
    ----------
    mean : ndarray of shape (d, d)
        M: the midpoint of two kernels (Eq. 2 or its fixed-rank counterpart of Algorithm 2), or the
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
    scales : tuple of C floats
        The kernel scale of each class.
    classes : tuple of C labels
        In sorted order; class 1 is the smallest.
    rank : int
        k: d for "spd" and "regularized".
    principal_angles : ndarray of shape (k,)
        Angles between the ranges of two kernels, ascending, in [0, pi/2]; zeros for full rank.
    n_ambiguous : int
        Number of directions whose pairing depends on rounding (see
        `manifest.AmbiguousScoreWarning`).
    informative : bool
        False if rounding decides the scores (see `manifest.UninformativeScoreWarning`).
    delta : float
        The multiple of the identity that the geometry adds to all kernels, or 0.
    """

    mean: np.ndarray
    difference: np.ndarray
    mean_eigenvalues: np.ndarray
    mean_eigenvectors: np.ndarray
    difference_eigenvalues: np.ndarray
    difference_eigenvectors: np.ndarray
    class_scores: np.ndarray
    score: np.ndarray
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
    """Compute the mean operator M and the difference operators, with their eigenpairs.

    For two positive definite kernels ``M = K_1 # K_2`` (Eq. 2) and ``D = Log_M(K_1)`` (Eq. 3).
    Under "spsd" they are the fixed-rank operators of the paper's Algorithm 2. For more classes M is
    the Riemannian mean of all kernels, and each class has its ``D_l = Log_M(K_l)``.

    Parameters
    ----------
    X, y : array-like
        As in `manifest.manifest_score`, which also lists the errors and warnings.
    scale_factor : float, default=1.0
        The kernel scale in medians of the distances; this and the following parameters are those
        of `manifest.manifest_score`.
    percentile : float in [0, 100], default=None
        A percentile of the distances in place of the median.
    n_normalizations : int, default=0
        How many times each kernel is normalised by its row sums.
    geometry : {"regularized", "spd", "spsd", "euclidean", "log_euclidean"}, default="regularized"
        How kernels are compared.
    aggregate : {"max", "sum", "none"}, default="max"
        How the scores of the classes are combined.

    Returns
    -------
    Operators
    """
    X, y = check_samples(X, y)
    check_parameters(aggregate=aggregate)
    labels, scales, _, (parts,) = compared(
        X,
        y,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
        geometry=geometry,
    )
    rank = len(parts.principal_angles)
    mean = parts.mean()
    mean_values, mean_vectors = _eigenpairs(mean, rank)
    differences, values, vectors, rows = [], [], [], []
    for core in parts.differences():
        D, eigenvalues, eigenvectors = _difference(core, parts.basis, rank)
        differences.append(D)
        values.append(eigenvalues)
        vectors.append(eigenvectors)
        rows.append(eigenvectors**2 @ np.abs(eigenvalues))
    class_scores = np.array(np.broadcast_to(rows, (len(labels), len(mean))))
    rounding = rounding_of(len(mean), parts.magnitude)
    emit(pending_warnings(parts.warnings, class_scores, rounding))
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
        scales=scales,
        classes=labels,
        rank=rank,
        principal_angles=parts.principal_angles,
        n_ambiguous=parts.n_ambiguous,
        informative=is_informative(class_scores, rounding),
        delta=parts.delta,
    )


def _difference(core, basis, rank):
    """Return D, given its lower triangle in a basis, and its eigenpairs."""
    core = fill_upper(core)
    values, vectors = _eigenpairs(core, rank)
    if basis is None:
        return core, values, vectors
    return product(basis, core, basis.T), values, product(basis, vectors)


def _eigenpairs(operator, rank):
    """Return the eigenpairs of the largest absolute eigenvalues, in decreasing order."""
    values, vectors = symmetric_eigh(operator.copy(order="F"), "a composite kernel")
    order = np.argsort(-np.abs(values), kind="stable")[:rank]
    return values[order], vectors[:, order]
