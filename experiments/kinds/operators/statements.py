"""Two statements of the paper's appendix on any kernels, as numbers that may contradict them.

"This SPSD geometry coincides with the SPD affine-invariant metric, when restricted to SPD
matrices": Algorithm 2, as it is written, has the difference operator of Algorithm 1 on kernels of
full rank. "This normalization converges in infinity to a doubly stochastic kernel": the rows of the
kernel sum to 1.
"""

import numpy as np

from manifest.decompositions import eigh, svd
from manifest.spd import geodesic, mean_and_difference

#: Half of the logarithm of the row sums goes in each normalisation, so that this many leave 1e-9.
N_NORMALIZATIONS = 60


def geometry_error(K1, K2) -> float:
    """``|| D2 - D1 || / || D1 ||`` of the operators of both algorithms, in spectral norms.

    Parameters
    ----------
    K1, K2 : ndarray of shape (d, d)
        Symmetric positive definite.
    """
    _, D = mean_and_difference(K1, K2)
    return float(np.linalg.norm(literal_difference(K1, K2) - D, 2) / np.linalg.norm(D, 2))


def literal_difference(K1, K2) -> np.ndarray:
    """The operator D of Algorithm 2, step by step, at full rank."""
    G1, G2 = (eigh(K, "a kernel")[1] for K in (K1, K2))
    O1, O2, angles = _principal(G1, G2)
    P1, P2 = _within(G1 @ O1, K1), _within(G2 @ O2, K2)
    middle = _grassmann(G1 @ O1, G2 @ O2, angles, 0.5)
    M = middle @ geodesic(P1, P2, 0.5) @ middle.T
    GM = eigh((M + M.T) / 2, "a mean operator")[1]
    OM, O1, angles = _principal(GM, G1)
    PM, P1 = _within(GM @ OM, M), _within(G1 @ O1, K1)
    values, vectors = eigh(PM, "a mean operator")
    root, inverse = ((vectors * values**power) @ vectors.T for power in (0.5, -0.5))
    values, vectors = eigh(_within(inverse, P1), "a kernel at the mean")
    log = root @ ((vectors * np.log(values)) @ vectors.T) @ root
    end = _grassmann(GM @ OM, G1 @ O1, angles, 1.0)
    return end @ log @ end.T


def _principal(first, second):
    """The rotations that align two bases, and the principal angles."""
    O2, cosines, O1 = svd(second.T @ first, "a product of bases")
    return O1.T, O2, np.arccos(np.clip(cosines, -1, 1))


def _grassmann(first, second, angles, t):
    """The geodesic between aligned bases; a direction without an angle stays."""
    sines = np.sin(angles)
    inverse = np.divide(1, sines, out=np.zeros_like(sines), where=sines > 1e-7)
    X = (second - first @ (first.T @ second)) * inverse
    return first * np.cos(angles * t) + X * np.sin(angles * t)


def _within(basis, K):
    P = basis.T @ K @ basis
    return (P + P.T) / 2


def row_sum_error(K) -> float:
    """The largest distance of a row sum from 1 after many symmetric normalisations of a kernel."""
    for _ in range(N_NORMALIZATIONS):
        root = np.sqrt(K.sum(axis=1))
        K = K / root[:, None] / root
    return float(np.abs(K.sum(axis=1) - 1).max())
