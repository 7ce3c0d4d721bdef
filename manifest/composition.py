"""From samples to the composite kernels: the mean operator M and the difference operator D."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from manifest.kernels import class_kernel
from manifest.regularized import regularization
from manifest.spd import (
    NotPositiveDefiniteError,
    congruence,
    difference_weights,
    fill_upper,
    is_positive_definite,
    mean_weights,
    pencil,
    symmetric_eigh,
)
from manifest.spsd import AmbiguousScoreWarning, spsd_pencil
from manifest.validation import check_parameters, check_samples, two_classes


@dataclass(frozen=True)
class Composition:
    """Both kernels diagonalised together, before any operator of size d x d is formed.

    ``K_1 = V F diag(h) F' V'``, with V the identity (``basis`` is None) or of shape (d, k).
    """

    F: np.ndarray
    h: np.ndarray
    geometry: str
    scales: tuple[float, float]
    classes: tuple
    principal_angles: np.ndarray
    basis: np.ndarray | None = None
    carry: Callable[[np.ndarray], np.ndarray] = fill_upper
    delta: float = 0.0
    n_ambiguous: int = 0

    def difference_core(self):
        """Lower triangle of D in the basis, of shape (k, k)."""
        return congruence(self.F, difference_weights(self.h))


@dataclass(frozen=True)
class Operators:
    """The composite kernels of two classes and their eigenpairs.

    Attributes
    ----------
    mean, difference : ndarray of shape (d, d)
        M (Eq. 2) and D (Eq. 3), or their fixed-rank counterparts of Algorithm 2.
    mean_eigenvalues, difference_eigenvalues : ndarray of shape (k,)
        By decreasing absolute value.
    mean_eigenvectors, difference_eigenvectors : ndarray of shape (d, k)
        One a column, in the same order. The sign of an eigenvector is arbitrary.
    score : ndarray of shape (d,)
        The feature score of Eq. (4).
    geometry : {"spd", "spsd", "regularized"}
        What was computed, after "auto" has been decided.
    scales : tuple of two floats
        The kernel scales sigma_1 and sigma_2.
    classes : tuple of two labels
        Class 1, the smaller in sorted order, and class 2.
    rank : int
        k: d for "spd" and "regularized".
    principal_angles : ndarray of shape (k,)
        Between the ranges of the two kernels, ascending, in [0, pi/2]; zeros for full rank.
    n_ambiguous : int
        Directions that rounding pairs (see :class:`manifest.AmbiguousScoreWarning`).
    delta : float
        The shift of both kernels under "regularized", else 0.
    """

    mean: np.ndarray
    difference: np.ndarray
    mean_eigenvalues: np.ndarray
    mean_eigenvectors: np.ndarray
    difference_eigenvalues: np.ndarray
    difference_eigenvectors: np.ndarray
    score: np.ndarray
    geometry: str
    scales: tuple[float, float]
    classes: tuple
    rank: int
    principal_angles: np.ndarray
    n_ambiguous: int
    delta: float


def compose(X, y, *, scale_factor=1.0, percentile=None, n_normalizations=0, geometry="auto"):
    """Build both kernels and diagonalise them together.

    Parameters are those of :func:`manifest.manifest_score`, with X and y validated already: X a
    finite float64 array, y with exactly two labels.
    """
    check_parameters(scale_factor, percentile, n_normalizations, geometry)
    labels, parts = two_classes(X, y)
    kernel = partial(
        class_kernel,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
    )
    (K1, scale1), (K2, scale2) = (
        kernel(part, label) for label, part in zip(labels, parts, strict=True)
    )
    common = {"scales": (scale1, scale2), "classes": labels}
    if geometry in ("auto", "spd"):
        singular = [
            repr(label)
            for label, K in zip(labels, (K1, K2), strict=True)
            if not is_positive_definite(K)
        ]
        if singular and geometry == "spd":
            raise NotPositiveDefiniteError(
                f"the kernel of class {' and '.join(singular)} is not numerically positive "
                "definite, which Algorithm 1 (geometry='spd') needs; use geometry='regularized', "
                "or 'spsd' for the paper's Algorithm 2"
            )
        geometry = "spsd" if singular else "spd"
    if geometry == "spsd":
        reduced = spsd_pencil(K1, K2)
        if reduced.n_orthogonal or reduced.n_cut:
            warnings.warn(_ambiguity(reduced, len(K1)), AmbiguousScoreWarning, stacklevel=4)
        return Composition(
            F=reduced.F,
            h=reduced.h,
            geometry=geometry,
            basis=reduced.basis,
            carry=reduced.carry,
            principal_angles=reduced.angles,
            n_ambiguous=reduced.n_orthogonal + reduced.n_cut,
            **common,
        )
    delta = regularization(K1, K2) if geometry == "regularized" else 0.0
    for K in (K1, K2):
        K[np.diag_indices_from(K)] += delta
    F, h = pencil(K1, K2)
    angles = np.zeros(len(h))
    return Composition(F, h, geometry, principal_angles=angles, delta=delta, **common)


def _ambiguity(reduced, d):
    k = len(reduced.angles)
    return (
        f"the score of Algorithm 2 is not unique on these data: {reduced.n_orthogonal} of the "
        f"{k} principal angles between the ranges of the two kernels reach 90 degrees and "
        f"{reduced.n_cut} directions kept at rank {k} of {d} cannot be told from dropped ones, so "
        "rounding decides how they are paired. Features that are duplicates within one class, "
        "constant features and large kernel scales cause this. Use geometry='regularized' for a "
        "score that depends on the data alone."
    )


def operators(X, y, *, scale_factor=1.0, percentile=None, n_normalizations=0, geometry="auto"):
    """The mean operator M and the difference operator D of two classes, with their eigenpairs.

    ``M = K_1 # K_2`` (Eq. 2) and ``D = Log_M(K_1)`` (Eq. 3) for positive definite kernels, the
    fixed-rank operators of the paper's Algorithm 2 otherwise.

    Parameters
    ----------
    X, y, scale_factor, percentile, n_normalizations, geometry
        As in :func:`manifest.manifest_score`.

    Returns
    -------
    Operators

    Raises
    ------
    ValueError, TypeError
        As :func:`manifest.manifest_score`.

    Warns
    -----
    AmbiguousScoreWarning
        As :func:`manifest.manifest_score`.
    """
    X, y = check_samples(X, y)
    parts = compose(
        X,
        y,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
        geometry=geometry,
    )
    rank = len(parts.principal_angles)
    mean = parts.carry(congruence(parts.F, mean_weights(parts.h)))
    mean_values, mean_vectors = _eigenpairs(mean, rank)
    core = fill_upper(parts.difference_core())
    difference = core if parts.basis is None else parts.basis @ core @ parts.basis.T
    values, vectors = _eigenpairs(core, rank)
    if parts.basis is not None:
        vectors = parts.basis @ vectors
    return Operators(
        mean=mean,
        mean_eigenvalues=mean_values,
        mean_eigenvectors=mean_vectors,
        difference=difference,
        difference_eigenvalues=values,
        difference_eigenvectors=vectors,
        score=vectors**2 @ np.abs(values),
        geometry=parts.geometry,
        scales=parts.scales,
        classes=parts.classes,
        rank=rank,
        principal_angles=parts.principal_angles,
        n_ambiguous=parts.n_ambiguous,
        delta=parts.delta,
    )


def _eigenpairs(operator, rank):
    """The eigenpairs of the largest absolute eigenvalues, in decreasing order."""
    values, vectors = symmetric_eigh(operator.copy())
    order = np.argsort(-np.abs(values), kind="stable")[:rank]
    return values[order], vectors[:, order]
