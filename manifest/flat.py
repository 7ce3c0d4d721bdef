"""Two flat relatives of the paper's geometry, in which the mean is a sum and D a plain difference.

``"euclidean"`` takes the kernels as they are::

    M = mean_l K_l,   D_l = K_l - M

``"log_euclidean"`` takes the logarithms of the kernels that `manifest.regularized` has shifted
(Arsigny, Fillard, Pennec and Ayache 2006)::

    M = exp(mean_l log K_l),   D_l = log K_l - log M

Two classes have ``D_1 = -D_2``, half the difference of both kernels or logarithms. No direction is
ambiguous: both scores depend on the data alone, for any number of classes. To first order in
``K_1 - K_2`` the difference operators of the Riemannian and the Euclidean geometry agree.

References
----------
Arsigny, Fillard, Pennec and Ayache (2006), "Log-Euclidean metrics for fast and simple calculus on
diffusion tensors", Magnetic Resonance in Medicine 56.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from manifest.decompositions import symmetric_eigh
from manifest.linalg import fill_upper, product


@dataclass(frozen=True, kw_only=True)
class FlatComposition:
    """The kernels of all classes in a flat geometry; as `manifest.composition.Composition`."""

    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    magnitude: float
    principal_angles: np.ndarray
    #: The kernels or their logarithms, one of each class, in Fortran order.
    points: list[np.ndarray]
    delta: float = 0.0
    basis: None = None
    n_ambiguous: int = 0

    def mean_operator(self):
        """M, of shape (d, d)."""
        mean = sum(self.points[1:], self.points[0]) / len(self.points)
        return mean if self.geometry == "euclidean" else of_spectrum(mean, np.exp)

    def difference_cores(self) -> Iterator[np.ndarray]:
        """D_1 of two classes, half a difference; ``D_1, ..., D_C`` of more; of shape (d, d)."""
        if len(self.points) == 2:
            first, second = self.points
            yield np.asfortranarray((first - second) / 2)
            return
        mean = sum(self.points[1:], self.points[0]) / len(self.points)
        for point in self.points:
            yield np.asfortranarray(point - mean)

    def warnings(self):
        """None: nothing is ambiguous."""
        return []


def of_spectrum(A, function):
    """A function of a symmetric matrix: of its eigenvalues, with its eigenvectors. A is kept."""
    values, vectors = symmetric_eigh(A.copy(order="F"), "a kernel")
    return fill_upper(product(vectors * function(values), vectors.T))
