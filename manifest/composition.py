"""Diagonalise the kernels of all classes together, and form the composite kernels M and D.

Two classes use the closed form of `manifest.spd` or `manifest.spsd`. More classes use
the score of the paper's 2023 version (appendix on several classes)::

    M = argmin_X sum_l d(X, K_l)^2,   D_l = Log_M(K_l),   r_l = diag |D_l|

The score of a feature is the maximum of r_l over the classes, or their sum. For two classes M is
the midpoint and D_2 = -D_1, so that both r_l are the score of Algorithm 1.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from manifest.decompositions import symmetric_eigh
from manifest.flat import flat_operators
from manifest.kernels import class_kernels
from manifest.linalg import (
    NotPositiveDefiniteError,
    diagonal,
    fill_upper,
    is_positive_definite,
    product,
)
from manifest.mean import riemannian_mean
from manifest.regularized import FLOOR, regularization
from manifest.spd import congruence, difference_weights, mean_weights, pencil
from manifest.spsd import SpsdPencil, spsd_pencil
from manifest.trust import (
    AmbiguousScoreWarning,
    emit,
    is_informative,
    magnitude_of,
    pending_warnings,
    rounding_of,
)
from manifest.validation import check_memory, check_parameters, check_samples, split_classes

_AMBIGUOUS = (
    "the score of Algorithm 2 is not unique on these data. Rounding, the order of the features and "
    "the coding of the classes decide how some directions are paired, so that swapped labels "
    "change the score. The causes are duplicate features within a class, constant features and "
    "large kernel scales. Use geometry='regularized' for a score that depends on the data alone."
)


@dataclass(frozen=True, kw_only=True)
class Composition:
    """The kernels of all classes in one geometry, before any operator of size d x d is formed."""

    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    magnitude: float
    principal_angles: np.ndarray
    #: Returns M, of shape (d, d).
    mean_operator: Callable[[], np.ndarray]
    #: Returns the lower triangle of D_1 in the basis, of shape (k, k), for two classes, since D_2
    #: is its negative; those of D_1, ..., D_C for more. It can be called once.
    difference_cores: Callable[[], Iterator[np.ndarray]]
    #: None, or the orthonormal columns in which the cores are given, (d, k).
    basis: np.ndarray | None = None
    delta: float = 0.0
    #: Number of directions whose pairing depends on rounding.
    n_ambiguous: int = 0
    warnings: list = field(default_factory=list)


def aggregated(rows, aggregate):
    """Return the maximum ("max") or sum ("sum") over rows of scores, or the rows ("none")."""
    if aggregate == "none":
        return rows
    return rows.max(axis=0) if aggregate == "max" else rows.sum(axis=0)


def compositions(
    X,
    y,
    percentiles,
    *,
    scale_factor=1.0,
    n_normalizations=0,
    geometry="regularized",
    multiclass="mean",
):
    """Yield an iterator of compositions for each percentile, computing the distances once.

    The parameters are those of `manifest.manifest_scores`; X and y must be validated. An iterator
    yields one composition of all classes or, under "ovo", one for each pair of classes in
    the order of `itertools.combinations`.
    """
    for percentile in percentiles:
        check_parameters(
            scale_factor, percentile, n_normalizations, geometry, multiclass=multiclass
        )
    labels, parts = split_classes(X, y)
    check_memory(X.shape[1], n_arrays(len(labels), len(percentiles), multiclass))
    form = {"scale_factor": scale_factor, "n_normalizations": n_normalizations}
    of_classes = [
        class_kernels(part, label, percentiles, **form)
        for part, label in zip(parts, labels, strict=True)
    ]
    for _ in percentiles:
        kernels = [next(of_class) for of_class in of_classes]
        if multiclass == "ovo" and len(labels) > 2:
            yield _pairs(kernels, labels, geometry)
        else:
            yield iter([composed(kernels, labels, geometry)])
        kernels.clear()


def n_arrays(n_classes, n_percentiles=1, multiclass="mean"):
    """Return how many arrays of shape (d, d) a score needs at its peak, rounded up."""
    kept = n_classes if n_percentiles > 1 else 0  # the distances
    if n_classes == 2:
        return 5 + kept
    return kept + (5 + n_classes if multiclass == "ovo" else 8 + 2 * n_classes)


def _pairs(kernels, labels, geometry):
    """Yield the composition of each pair of classes."""
    classes = list(zip(kernels, labels, strict=True))
    for pair in combinations(classes, 2):
        copies = [(K.copy(order="F"), scale) for (K, scale), _ in pair]
        yield composed(copies, tuple(label for _, label in pair), geometry)


def composed(kernels, labels, geometry):
    """Return the composition of all kernels, a list of pairs (kernel, scale).

    The kernels are overwritten and removed from the list, which frees their memory.
    """
    several = len(labels) > 2
    if several and geometry == "spsd":
        raise ValueError(
            "geometry='spsd', the paper's Algorithm 2, is defined for two classes only, y has "
            f"{len(labels)}; use geometry='regularized', or multiclass='ovo' to compare the "
            "classes in pairs"
        )
    matrices, scales = [K for K, _ in kernels], tuple(scale for _, scale in kernels)
    kernels.clear()
    magnitude = magnitude_of([np.diagonal(K) for K in matrices])
    if geometry in ("auto", "spd"):
        singular = [
            label for label, K in zip(labels, matrices, strict=True) if not is_positive_definite(K)
        ]
        if singular and geometry == "spd":
            other = "" if several else ", or 'spsd' for the paper's Algorithm 2"
            raise NotPositiveDefiniteError(
                f"the kernel of class {' and '.join(map(repr, singular))} is not numerically "
                "positive definite, which Algorithm 1 (geometry='spd') needs; use "
                f"geometry='regularized'{other}"
            )
        geometry = "spd" if not singular else "regularized" if several else "spsd"
    delta = regularization(*matrices) if geometry in ("regularized", "log_euclidean") else 0.0
    if delta:
        for K in matrices:
            diagonal(K)[...] += delta
    common = {"scales": scales, "classes": labels, "geometry": geometry, "delta": delta}
    common |= {"magnitude": magnitude, "principal_angles": np.zeros(len(matrices[0]))}
    if geometry == "spsd":
        return _of_pencil(spsd_pencil(*matrices), common)
    if geometry in ("euclidean", "log_euclidean"):
        is_log = geometry == "log_euclidean"
        if is_log:  # Rounding changes the logarithm of an eigenvalue by eps over the eigenvalue.
            common["magnitude"] /= FLOOR
        mean, differences = flat_operators(matrices, is_log)
        return Composition(mean_operator=mean, difference_cores=differences, **common)
    if several:
        found = riemannian_mean(matrices)
        common |= {"mean_operator": found.operator, "difference_cores": found.pop_differences}
        return Composition(**common, warnings=found.warnings(len(labels)))
    F, h = pencil(*matrices, overwrite=True)
    return _of_pencil(SpsdPencil(F, h, common["principal_angles"]), common)


def _of_pencil(found, common):
    """Return the composition of two kernels that are diagonalised together."""
    n_ambiguous, warnings = found.n_orthogonal + found.n_cut, []
    if n_ambiguous:
        n_features = len(found.F if found.basis is None else found.basis)
        numbers = {"n_orthogonal": found.n_orthogonal, "n_cut": found.n_cut}
        numbers |= {"rank": len(found.principal_angles), "n_features": n_features}
        warnings = [AmbiguousScoreWarning(_AMBIGUOUS, **numbers)]
    return Composition(
        **common | {"principal_angles": found.principal_angles},
        mean_operator=lambda: found.carry(congruence(found.F, mean_weights(found.h))),
        difference_cores=lambda: iter([congruence(found.F, difference_weights(found.h))]),
        basis=found.basis,
        n_ambiguous=n_ambiguous,
        warnings=warnings,
    )


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
    geometry : {"spd", "spsd", "regularized", "euclidean", "log_euclidean"}
        The geometry that was used, never "auto".
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
        The multiple of the identity added to all kernels under "regularized", else 0.
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
    """Compute the mean operator M and the difference operators, with their eigenpairs.

    For two positive definite kernels ``M = K_1 # K_2`` (Eq. 2) and ``D = Log_M(K_1)`` (Eq. 3).
    Under "spsd" they are the fixed-rank operators of the paper's Algorithm 2. For more classes M is
    the Riemannian mean of all kernels, and each class has its ``D_l = Log_M(K_l)``.

    Parameters
    ----------
    X, y : array-like
        As in `manifest.manifest_score`, which also lists the errors and warnings.
    scale_factor, percentile, n_normalizations, geometry, aggregate : optional
        Those of `manifest.manifest_score`.

    Returns
    -------
    Operators
    """
    X, y = check_samples(X, y)
    check_parameters(aggregate=aggregate)
    form = {"n_normalizations": n_normalizations, "geometry": geometry}
    ((parts,),) = compositions(X, y, [percentile], scale_factor=scale_factor, **form)
    rank = len(parts.principal_angles)
    mean = parts.mean_operator()
    mean_values, mean_vectors = _eigenpairs(mean, rank)
    differences, values, vectors = zip(
        *(_difference(core, parts.basis, rank) for core in parts.difference_cores()), strict=True
    )
    rows = [v**2 @ np.abs(w) for w, v in zip(values, vectors, strict=True)]
    class_scores = np.array(np.broadcast_to(rows, (len(parts.classes), len(mean))))
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
    """Return D, given its lower triangle in a basis, and its eigenpairs."""
    core = fill_upper(core)
    values, vectors = _eigenpairs(core, rank)
    if basis is None:
        return core, values, vectors
    return product(product(basis, core), basis.T), values, product(basis, vectors)


def _eigenpairs(operator, rank):
    """Return the eigenpairs of the largest absolute eigenvalues, in decreasing order."""
    values, vectors = symmetric_eigh(operator.copy(order="F"), "a composite kernel")
    order = np.argsort(-np.abs(values), kind="stable")[:rank]
    return values[order], vectors[:, order]
