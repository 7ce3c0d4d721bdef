"""From samples to the composite kernels: the mean operator M and the difference operator D."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manifest import sentences
from manifest.kernels import ClassDistances
from manifest.linalg import (
    NotPositiveDefiniteError,
    diagonal,
    fill_upper,
    is_positive_definite,
    product,
    symmetric_eigh,
)
from manifest.regularized import regularization
from manifest.spd import congruence, difference_weights, mean_weights, pencil
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
    n_orthogonal: int = 0
    n_cut: int = 0

    @property
    def n_ambiguous(self):
        """Directions that rounding pairs."""
        return self.n_orthogonal + self.n_cut

    def difference_core(self):
        """Lower triangle of D in the basis, of shape (k, k)."""
        return congruence(self.F, difference_weights(self.h))

    def warn_if_ambiguous(self, stacklevel=3):
        """Tell the caller's caller where rounding decides a part of the score."""
        if not self.n_ambiguous:
            return
        told = sentences.ambiguous(
            n_orthogonal=self.n_orthogonal,
            n_cut=self.n_cut,
            rank=len(self.principal_angles),
            n_features=len(self.F if self.basis is None else self.basis),
        )
        warnings.warn(told, AmbiguousScoreWarning, stacklevel=stacklevel)


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


def compositions(X, y, percentiles, *, scale_factor=1.0, n_normalizations=0, geometry="auto"):
    """One composition for each percentile; the distances are computed once for all of them.

    Parameters are those of :func:`manifest.manifest_scores`, with X and y validated already: X a
    finite float64 array, y with exactly two labels.

    Yields
    ------
    Composition
    """
    for percentile in percentiles:
        check_parameters(scale_factor, percentile, n_normalizations, geometry)
    labels, parts = two_classes(X, y)
    distances = [
        ClassDistances.of(part, label, percentiles)
        for label, part in zip(labels, parts, strict=True)
    ]
    for left, percentile in reversed(list(enumerate(reversed(percentiles)))):
        kernels = [
            one.kernel(
                percentile,
                scale_factor=scale_factor,
                n_normalizations=n_normalizations,
                overwrite=not left,
            )
            for one in distances
        ]
        if not left:
            # From here on only the kernels hold this memory, and no copies are kept of those.
            distances.clear()
        yield _composition(kernels, labels, geometry)


def compose(X, y, *, percentile=None, **parameters):
    """The composition at one percentile; parameters as of :func:`compositions`."""
    (parts,) = compositions(X, y, [percentile], **parameters)
    return parts


def _composition(kernels, labels, geometry):
    """Diagonalise both kernels together; takes them out of their list, which frees their memory."""
    (K2, scale2), (K1, scale1) = kernels.pop(), kernels.pop()
    common = {"scales": (scale1, scale2), "classes": labels}
    if geometry in ("auto", "spd"):
        singular = [
            label for label, K in zip(labels, (K1, K2), strict=True) if not is_positive_definite(K)
        ]
        if singular and geometry == "spd":
            raise NotPositiveDefiniteError(sentences.not_positive_definite(singular))
        geometry = "spsd" if singular else "spd"
    if geometry == "spsd":
        reduced = spsd_pencil(K1, K2)
        return Composition(
            F=reduced.F,
            h=reduced.h,
            geometry=geometry,
            basis=reduced.basis,
            carry=reduced.carry,
            principal_angles=reduced.angles,
            n_orthogonal=reduced.n_orthogonal,
            n_cut=reduced.n_cut,
            **common,
        )
    delta = regularization(K1, K2) if geometry == "regularized" else 0.0
    if delta:
        for K in (K1, K2):
            diagonal(K)[...] += delta
    F, h = pencil(K1, K2, overwrite=True)
    angles = np.zeros(len(h))
    return Composition(F, h, geometry, principal_angles=angles, delta=delta, **common)


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
    parts.warn_if_ambiguous()
    rank = len(parts.principal_angles)
    mean = parts.carry(congruence(parts.F, mean_weights(parts.h)))
    mean_values, mean_vectors = _eigenpairs(mean, rank)
    V, core = parts.basis, fill_upper(parts.difference_core())
    difference = core if V is None else product(product(V, core), V.T)
    values, vectors = _eigenpairs(core, rank)
    if V is not None:
        vectors = product(V, vectors)
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
    values, vectors = symmetric_eigh(operator.copy(order="F"))
    order = np.argsort(-np.abs(values), kind="stable")[:rank]
    return values[order], vectors[:, order]
