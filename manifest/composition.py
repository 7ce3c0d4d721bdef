"""From samples to composite kernels: the kernels of all classes, diagonalised together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from manifest import sentences
from manifest.categories import AmbiguousScoreWarning
from manifest.kernels import ClassDistances
from manifest.linalg import (
    NotPositiveDefiniteError,
    diagonal,
    fill_upper,
    is_positive_definite,
)
from manifest.regularized import regularization
from manifest.several import mean_composition
from manifest.spd import congruence, difference_weights, mean_weights, pencil
from manifest.spsd import spsd_pencil
from manifest.trust import magnitude_of
from manifest.validation import check_parameters, split_classes


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
    magnitude: float
    principal_angles: np.ndarray
    basis: np.ndarray | None = None
    carry: Callable[[np.ndarray], np.ndarray] = fill_upper
    delta: float = 0.0
    n_orthogonal: int = 0
    n_cut: int = 0

    @property
    def n_ambiguous(self):
        """How many directions rounding pairs."""
        return self.n_orthogonal + self.n_cut

    def mean_operator(self):
        """M, of shape (d, d)."""
        return self.carry(congruence(self.F, mean_weights(self.h)))

    def difference_cores(self) -> Iterator[np.ndarray]:
        """The lower triangle of D_1 in the basis, of shape (k, k); D_2 is its negative."""
        yield congruence(self.F, difference_weights(self.h))

    def complaints(self):
        """The warnings that are due, each a category and a text."""
        if not self.n_ambiguous:
            return []
        told = sentences.ambiguous(
            n_orthogonal=self.n_orthogonal,
            n_cut=self.n_cut,
            rank=len(self.principal_angles),
            n_features=len(self.F if self.basis is None else self.basis),
        )
        return [(AmbiguousScoreWarning, told)]


def kernel_sets(X, y, percentiles, *, scale_factor=1.0, n_normalizations=0):
    """The kernels of all classes, once for each percentile; distances are computed once.

    Parameters are those of :func:`manifest.manifest_scores`, with X and y validated already: X a
    finite float64 array, y with two or more labels.

    Yields
    ------
    kernels : list of (ndarray of shape (d, d), float)
        A kernel and its scale for each class.
    labels : tuple
    """
    labels, parts = split_classes(X, y)
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
        yield kernels, labels


def compositions(X, y, percentiles, *, geometry="regularized", multiclass="mean", **parameters):
    """The compositions of every percentile.

    Parameters are those of :func:`kernel_sets` and of :func:`manifest.manifest_scores`.

    Yields
    ------
    iterator of Composition or MeanComposition
        For one percentile: one composition of all classes, or one for each pair of classes in the
        order of :func:`itertools.combinations` ("ovo").
    """
    for percentile in percentiles:
        check_parameters(
            percentile=percentile, geometry=geometry, multiclass=multiclass, **parameters
        )
    for kernels, labels in kernel_sets(X, y, percentiles, **parameters):
        if multiclass == "ovo" and len(labels) > 2:
            yield _pairs(kernels, labels, geometry)
        else:
            yield iter([_composition(kernels, labels, geometry)])
        # The generator of the kernels holds the list, too.
        kernels.clear()


def compose(X, y, *, percentile=None, **parameters):
    """The composition of all classes at one percentile; parameters as of :func:`compositions`."""
    ((parts,),) = compositions(X, y, [percentile], **parameters)
    return parts


def _pairs(kernels, labels, geometry):
    """The composition of each pair of classes, made when it is asked for."""
    classes = list(zip(kernels, labels, strict=True))
    for pair in combinations(classes, 2):
        copies = [(K.copy(order="F"), scale) for (K, scale), _ in pair]
        yield _composition(copies, tuple(label for _, label in pair), geometry)


def _composition(kernels, labels, geometry):
    """Diagonalise the kernels together; takes them out of their list, which frees their memory."""
    entries = magnitude_of([np.diagonal(K) for K, _ in kernels])
    if len(kernels) > 2:
        return mean_composition(kernels, labels, geometry, entries)
    (K2, scale2), (K1, scale1) = kernels.pop(), kernels.pop()
    common = {"scales": (scale1, scale2), "classes": labels, "magnitude": entries}
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
