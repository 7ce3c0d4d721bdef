"""Five geometries: each takes the kernels of all classes, and gives their mean M and differences D.

"spd" and "spsd" are Algorithms 1 and 2 of the paper, and "regularized" makes the first one always
defined. "euclidean" and "log_euclidean" subtract kernels, or their logarithms. To first order in
``K_1 - K_2`` the difference operators of "spd" and "euclidean" agree.

Two classes have ``D_2 = -D_1``, so that only D_1 is made.

References
----------
Arsigny, Fillard, Pennec and Ayache (2006), "Log-Euclidean metrics for fast and simple calculus on
diffusion tensors", Magnetic Resonance in Medicine 56.

Cohen, Shnitzer, Kluger and Talmon (2022), "ManiFeSt: Manifold-based Feature Selection for Small
Data Sets", Algorithms 1 and 2.

Moakher (2005), "A differential geometric approach to the geometric mean of symmetric
positive-definite matrices", SIAM Journal on Matrix Analysis and Applications 26.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from manifest.decompositions import symmetric_eigh
from manifest.linalg import (
    NotPositiveDefiniteError,
    diagonal,
    fill_upper,
    is_positive_definite,
    product,
)
from manifest.mean import RiemannianMean, riemannian_mean
from manifest.regularized import FLOOR, regularization
from manifest.spd import pencil
from manifest.spsd import Midpoint, spsd_midpoint
from manifest.trust import AmbiguousScoreWarning, ScoreWarning, magnitude_of

_AMBIGUOUS = (
    "the score of Algorithm 2 is not unique on these data. Rounding, the order of the features and "
    "the coding of the classes decide how some directions are paired, so that swapped labels "
    "change the score. The causes are duplicate features within a class, constant features and "
    "large kernel scales. Use geometry='regularized' for a score that depends on the data alone."
)


class Geometry(ABC):
    """The kernels of all classes, before any operator of size d x d is formed.

    Parameters
    ----------
    kernels : sequence of C ndarrays of shape (d, d)
        Symmetric and positive semi-definite; they are overwritten.
    labels : tuple of C labels
        The names of the classes, for errors.

    Attributes
    ----------
    basis : ndarray of shape (d, k), or None
        The orthonormal columns in which the differences are given; None for the features.
    principal_angles : ndarray of shape (k,)
        Angles between the ranges of two kernels, ascending, in [0, pi/2]; zeros for full rank.
    delta : float
        The multiple of the identity that was added to all kernels.
    magnitude : float
        A bound of the entries of M; see `manifest.trust.magnitude_of`.
    n_ambiguous : int
        The number of directions whose pairing depends on rounding.
    warnings : list
        The warnings to issue.
    """

    basis: np.ndarray | None = None
    delta = 0.0
    n_ambiguous = 0

    def __init__(self, kernels, labels):
        self.magnitude = magnitude_of([np.diagonal(K) for K in kernels])
        self.principal_angles = np.zeros(len(kernels[0]))
        self.warnings: list[ScoreWarning] = []

    @abstractmethod
    def mean(self) -> np.ndarray:
        """Return M, of shape (d, d)."""

    @abstractmethod
    def differences(self) -> Iterator[np.ndarray]:
        """Yield the lower triangles of D_1, ..., D_C in the basis, (k, k); of two classes, D_1.

        They can be taken once, because the memory of each is freed.
        """


class Riemannian(Geometry):
    """A geometry with a mean on the manifold of kernels, which has the logarithms at it."""

    middle: Midpoint | RiemannianMean

    def mean(self):
        return self.middle.mean()

    def differences(self):
        return self.middle.differences()


class Spd(Riemannian):
    """Algorithm 1, for positive definite kernels: the Riemannian mean and the logarithms at it.

    ::

        M = argmin_X sum_l d(X, K_l)^2,   D_l = Log_M(K_l)

    with the affine-invariant distance d. Of two kernels ``M = K_1 # K_2`` is their midpoint, in
    closed form (see `manifest.spd`); that of more takes Newton's method (see `manifest.mean`).
    """

    def __init__(self, kernels, labels):
        super().__init__(kernels, labels)
        self.make_definite(kernels, labels)
        if len(kernels) == 2:
            F, h = pencil(*kernels, overwrite=True)
            self.middle = Midpoint(F, h, self.principal_angles)
        else:
            self.middle = mean = riemannian_mean(kernels)
            self.warnings = mean.warnings(len(labels))

    def make_definite(self, kernels, labels):
        """Raise a NotPositiveDefiniteError if a kernel is singular."""
        singular = [repr(c) for c, K in zip(labels, kernels, strict=True)
                    if not is_positive_definite(K)]  # fmt: skip
        if singular:
            other = ", or 'spsd' for the paper's Algorithm 2" if len(labels) == 2 else ""
            raise NotPositiveDefiniteError(
                f"the kernel of class {' and '.join(singular)} is not numerically positive "
                "definite, which Algorithm 1 (geometry='spd') needs; use geometry='regularized'"
                f"{other}"
            )


class Regularized(Spd):
    """Algorithm 1 on the kernels ``K_l + delta I``; see `manifest.regularized`."""

    def make_definite(self, kernels, labels):
        """Add the same small multiple of the identity to all kernels, if one needs it."""
        self.delta = lifted(kernels)


class Spsd(Riemannian):
    """Algorithm 2, for two kernels of any rank: ``M = G M' G'``, ``D = Log_M'(K_1)``.

    M' is the midpoint of K_1 and of K_2 turned into the range of K_1 (see `manifest.spsd`).
    """

    def __init__(self, kernels, labels):
        super().__init__(kernels, labels)
        if len(labels) > 2:
            raise ValueError(
                "geometry='spsd', the paper's Algorithm 2, is defined for two classes only, y has "
                f"{len(labels)}; use geometry='regularized', or multiclass='ovo' to compare the "
                "classes in pairs"
            )
        self.middle = middle = spsd_midpoint(*kernels)
        self.basis, self.principal_angles = middle.basis, middle.principal_angles
        self.n_ambiguous = middle.n_orthogonal + middle.n_cut
        if self.n_ambiguous:
            told = AmbiguousScoreWarning(
                _AMBIGUOUS,
                n_orthogonal=middle.n_orthogonal,
                rank=len(self.principal_angles),
                n_cut=middle.n_cut,
                n_features=len(kernels[0]),
            )
            self.warnings = [told]


class Euclidean(Geometry):
    """The arithmetic mean and plain differences: ``M = mean_l K_l``, ``D_l = K_l - M``.

    No direction is ambiguous: the score depends on the data alone, for any number of classes.
    """

    def __init__(self, kernels, labels):
        super().__init__(kernels, labels)
        self.points = list(kernels)

    def mean(self):
        return sum(self.points[1:], self.points[0]) / len(self.points)

    def differences(self):  # They are symmetric: transposed, they are in Fortran order.
        if len(self.points) == 2:
            yield ((self.points[0] - self.points[1]) / 2).T
        else:
            mean = Euclidean.mean(self)
            for point in self.points:
                yield (point - mean).T


class LogEuclidean(Euclidean):
    """The mean and the differences of logarithms of the kernels ``K_l + delta I``.

    ::

        M = exp(mean_l log K_l),   D_l = log K_l - log M

    (Arsigny, Fillard, Pennec and Ayache 2006).
    """

    def __init__(self, kernels, labels):
        super().__init__(kernels, labels)
        # Rounding changes the logarithm of an eigenvalue by eps over the eigenvalue.
        self.magnitude /= FLOOR
        self.delta = lifted(kernels)
        self.points = [of_spectrum(K, np.log) for K in kernels]

    def mean(self):
        return of_spectrum(super().mean(), np.exp)


def lifted(kernels):
    """Add the smallest multiple of the identity that lifts all eigenvalues to the floor."""
    delta = regularization(*kernels)
    for K in kernels:
        diagonal(K)[...] += delta
    return delta


def of_spectrum(A, function):
    """Apply a function to the eigenvalues of a symmetric matrix A, which is not changed."""
    values, vectors = symmetric_eigh(A.copy(order="F"), "a kernel")
    return fill_upper(product(vectors * function(values), vectors.T))


#: Name -> geometry.
GEOMETRIES: dict[str, type[Geometry]] = {
    "regularized": Regularized,
    "spd": Spd,
    "spsd": Spsd,
    "euclidean": Euclidean,
    "log_euclidean": LogEuclidean,
}
