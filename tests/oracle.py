"""The paper's two algorithms, transcribed line by line and as slowly as they are written.

Nothing here is shared with the package: kernels, matrix roots, geodesics and logarithms are built
from eigendecompositions exactly as the equations state them, so that an agreement of the two is an
agreement with the paper. Notation follows the paper (K, M, D, G, P, O, Theta).
"""

import numpy as np
from scipy.spatial.distance import pdist, squareform


def classes(C=2, n=20, d=15):
    """Samples of C classes, n of each; in each of them another pair of features is correlated."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(C * n, d)), np.repeat(np.arange(C), n)
    for label in range(C):
        X[y == label, 2 * label] = X[y == label, 2 * label + 1] + 0.5 * rng.normal(size=n)
    return X, y


def kernel(X_class, scale_factor=1.0, percentile=None, n_normalizations=0):
    """Eq. (1): the RBF kernel over the features of one class, and its scale."""
    distances = pdist(np.asarray(X_class, dtype=float).T)
    scale = np.median(distances) if percentile is None else np.percentile(distances, percentile)
    scale = scale * scale_factor
    K = np.exp(-(squareform(distances) ** 2) / (2 * scale**2))
    for _ in range(n_normalizations):
        D = np.diag(1 / np.sqrt(K.sum(axis=1)))
        K = D @ K @ D
    return K, scale


def function_of(A, function):
    """f(A) of a symmetric matrix through its eigendecomposition."""
    values, vectors = np.linalg.eigh((A + A.T) / 2)
    return vectors @ np.diag(function(values)) @ vectors.T


def geodesic_spd(K1, K2, t):
    """The geodesic of the affine-invariant metric between two SPD matrices."""
    root, inverse_root = function_of(K1, np.sqrt), function_of(K1, lambda v: 1 / np.sqrt(v))
    return root @ function_of(inverse_root @ K2 @ inverse_root, lambda v: v**t) @ root


def log_spd(K, K_tilde):
    """Log_K(K_tilde), the logarithmic map of the affine-invariant metric."""
    root, inverse_root = function_of(K, np.sqrt), function_of(K, lambda v: 1 / np.sqrt(v))
    return root @ function_of(inverse_root @ K_tilde @ inverse_root, np.log) @ root


def geodesic_grassmann(G1, G2, t):
    """The geodesic between two subspaces, with the rotations O1, O2 of the SVD of G2'G1."""
    O2, sigma, O1t = np.linalg.svd(G2.T @ G1)
    theta = np.arccos(np.clip(sigma, -1, 1))
    sin_pinv = np.array([1 / np.sin(a) if np.sin(a) > 1e-12 else 0.0 for a in theta])
    X = (np.eye(len(G1)) - G1 @ G1.T) @ G2 @ O2 @ np.diag(sin_pinv)
    path = G1 @ O1t.T @ np.diag(np.cos(theta * t)) + X @ np.diag(np.sin(theta * t))
    return path, O1t.T, O2


def score(D):
    """Eq. (4): the squared eigenvectors of D, weighted by its absolute eigenvalues."""
    values, vectors = np.linalg.eigh((D + D.T) / 2)
    return sum(abs(v) * phi * phi for v, phi in zip(values, vectors.T, strict=True))


def algorithm_1(K1, K2):
    """Algorithm 1 (SPD): the operators M and D."""
    M = geodesic_spd(K1, K2, 0.5)
    return M, log_spd(M, K1)


def leading(K, k):
    """The eigenvectors of the k largest eigenvalues."""
    return np.linalg.eigh(K)[1][:, ::-1][:, :k]


def algorithm_2(K1, K2):
    """Algorithm 2 (SPSD): the operators M and D."""
    k = min(np.linalg.matrix_rank(K1, hermitian=True), np.linalg.matrix_rank(K2, hermitian=True))
    G1, G2 = leading(K1, k), leading(K2, k)
    half, O1, O2 = geodesic_grassmann(G1, G2, 0.5)
    P1, P2 = O1.T @ G1.T @ K1 @ G1 @ O1, O2.T @ G2.T @ K2 @ G2 @ O2
    M = half @ geodesic_spd(P1, P2, 0.5) @ half.T
    GM = leading(M, k)
    whole, OM, O1_tilde = geodesic_grassmann(GM, G1, 1.0)
    PM = OM.T @ GM.T @ M @ GM @ OM
    P1_tilde = O1_tilde.T @ G1.T @ K1 @ G1 @ O1_tilde
    return M, whole @ log_spd(PM, P1_tilde) @ whole.T


def several(kernels):
    """The 2023 version's M and D of each class, with pyRiemann's mean and logarithmic map."""
    from pyriemann.geometry.mean import mean_riemann
    from pyriemann.geometry.tangentspace import log_map_riemann

    M = mean_riemann(np.array(kernels), tol=1e-12, maxiter=500)
    return M, log_map_riemann(np.array(kernels), M, C12=True)
