"""Two flat geometries, in which the mean is arithmetic and D is a plain difference.

``"euclidean"`` uses the kernels as they are::

    M = mean_l K_l,   D_l = K_l - M

``"log_euclidean"`` uses the logarithms of the kernels, which `manifest.regularized` shifts first
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

import numpy as np

from manifest.decompositions import symmetric_eigh
from manifest.linalg import fill_upper, product


def mean_of(points):
    """Return the mean, (d, d), of the kernels or of their logarithms."""
    return sum(points[1:], points[0]) / len(points)


def differences_of(points) -> Iterator[np.ndarray]:
    """Return D_1 of two classes, half a difference, or ``D_1, ..., D_C`` of more, (d, d) each."""
    if len(points) == 2:
        first, second = points
        yield ((first - second) / 2).T  # symmetric, and so in Fortran order
        return
    mean = mean_of(points)
    for point in points:
        yield (point - mean).T


def of_spectrum(A, function):
    """Apply a function to the eigenvalues of a symmetric matrix A, which is not changed."""
    values, vectors = symmetric_eigh(A.copy(order="F"), "a kernel")
    return fill_upper(product(vectors * function(values), vectors.T))
