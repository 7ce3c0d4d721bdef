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

import numpy as np

from manifest.decompositions import symmetric_eigh
from manifest.linalg import fill_upper, product


def flat_operators(kernels, is_log):
    """Return functions that compute M, (d, d), and D_1 of two classes, or ``D_1, ..., D_C``."""
    points = [_of_spectrum(K, np.log) for K in kernels] if is_log else kernels

    def mean():
        return sum(points[1:], points[0]) / len(points)

    def differences():  # They are symmetric: transposed, they are in Fortran order.
        if len(points) == 2:
            return iter([((points[0] - points[1]) / 2).T])
        own = mean()
        return ((point - own).T for point in points)

    return lambda: _of_spectrum(mean(), np.exp) if is_log else mean(), differences


def _of_spectrum(A, function):
    """Apply a function to the eigenvalues of a symmetric matrix A, which is not changed."""
    values, vectors = symmetric_eigh(A.copy(order="F"), "a kernel")
    return fill_upper(product(vectors * function(values), vectors.T))
