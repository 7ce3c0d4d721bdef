"""The algebra of the score by the array API standard: see :mod:`manifest.array_api`.

Each function does what the one of the same name in :mod:`manifest.kernels`,
:mod:`manifest.linalg`, :mod:`manifest.spd`, :mod:`manifest.spsd` (the reduced form) or
:mod:`manifest.regularized` does. Its first argument is ``xp``, the namespace of its arrays. Nothing
is done in place, because some libraries cannot.
"""

import math

import numpy as np

from manifest import sentences
from manifest.kernels import _CANCELLATION, _CHUNK
from manifest.linalg import EPS, NotPositiveDefiniteError
from manifest.regularized import FLOOR
from manifest.spsd import _CLUSTER, _ORTHOGONAL, _at_the_cut

#: Only :mod:`manifest.array_api` has a use for it.
DECIDES_NUMBERS = False


def eye_like(xp, A, dtype=None):
    """The identity of the size, kind and device of a square A."""
    return xp.eye(A.shape[0], dtype=dtype or A.dtype, device=A.device)


def class_kernel(xp, X, label, *, scale_factor, percentile, n_normalizations):
    """The kernel over the features of one class; see :func:`manifest.kernels.class_kernel`."""
    # The power of two is applied in two steps: a float may not hold the whole of it.
    _, exponent = math.frexp(float(xp.max(xp.abs(X))))
    X = X * math.ldexp(1.0, -(exponent // 2)) * math.ldexp(1.0, exponent // 2 - exponent)
    squared = squared_feature_distances(xp, X)
    distance = distance_percentile(xp, squared, 50 if percentile is None else percentile)
    scale = scale_factor * distance
    if scale**2 < np.finfo(float).tiny:
        raise ValueError(
            sentences.zero_scale(
                label,
                math.ldexp(distance, exponent),
                scale_factor=scale_factor,
                percentile=percentile,
                n_features=X.shape[1],
            )
        )
    kernel = xp.exp(squared * (-0.5 / scale**2))
    for _ in range(n_normalizations):
        weights = 1 / xp.sqrt(xp.sum(kernel, axis=1))
        kernel = kernel * weights[:, None] * weights
    return kernel


def squared_feature_distances(xp, X):
    """The distances of :func:`manifest.kernels.squared_feature_distances`, to the same digits."""
    n, d = X.shape
    ordered = xp.sort(X, axis=1)
    shifted = X - (0.5 * (ordered[:, (d - 1) // 2] + ordered[:, d // 2]))[:, None]
    gram = shifted.T @ shifted
    norms = xp.linalg.diagonal(gram)
    sums = norms[:, None] + norms
    apart = ~eye_like(xp, gram, dtype=xp.bool)
    squared = xp.where(apart, sums - (gram + gram.T), 0.0)
    doubtful = apart & (squared <= _CANCELLATION * sums)
    touched = xp.any(doubtful, axis=1)
    if not bool(xp.any(touched)):
        return squared
    features = X.T
    (rows,) = xp.nonzero(touched)
    step = max(1, _CHUNK // (n * d))
    m = rows.shape[0]
    blocks = (rows[start : min(start + step, m)] for start in range(0, m, step))
    exact = xp.concat(
        [
            xp.sum((xp.take(features, block, axis=0)[:, None, :] - features) ** 2, axis=-1)
            for block in blocks
        ]
    )
    # Row i of the matrix is found in row place[i] of the recomputed rows.
    place = xp.cumulative_sum(xp.astype(touched, xp.int64)) - 1
    place = xp.where(touched, place, 0)
    return xp.where(doubtful, xp.take(exact, place, axis=0), squared)


def distance_percentile(xp, squared, percentile):
    """One percentile of :func:`manifest.kernels.distance_percentiles`, a float."""
    index = xp.arange(squared.shape[0], device=squared.device)
    ordered = xp.sort(squared[index[:, None] < index])
    last = ordered.shape[0] - 1
    position = last * percentile / 100
    low = int(position)
    below, above = (math.sqrt(float(ordered[i])) for i in (low, min(low + 1, last)))
    return below + (above - below) * (position - low)


def cholesky(xp, A):
    """The lower Cholesky factor, or None where A is numerically not positive definite."""
    try:
        L = xp.linalg.cholesky(A)
    except Exception as error:
        # Each library has its own error of this name. Other errors, such as of memory, pass.
        if not type(error).__name__.endswith("LinAlgError"):
            raise
        return None
    return L if bool(xp.all(xp.isfinite(L))) else None


def exceeds(xp, K, bound):
    """Whether every eigenvalue of K exceeds a bound; see :func:`manifest.linalg.exceeds`."""
    return cholesky(xp, K - bound * eye_like(xp, K)) is not None


def is_positive_definite(xp, K, margin=1.0):
    """Whether all eigenvalues exceed margin d eps ||K||_1."""
    norm = float(xp.max(xp.sum(xp.abs(K), axis=0)))
    return exceeds(xp, K, margin * K.shape[0] * float(EPS) * norm)


def pencil(xp, K1, K2):
    """``K1 = F diag(h) F'`` and ``K2 = F diag(1 - h) F'``; see :func:`manifest.spd.pencil`.

    Returns
    -------
    F : array of shape (d, d)
    h : array of shape (d,)
        Ascending, in [0, 1] up to rounding.

    Raises
    ------
    NotPositiveDefiniteError
        If the sum has no Cholesky factor.
    """
    L = cholesky(xp, K1 + K2)
    if L is None:
        raise NotPositiveDefiniteError("the sum of the two kernels is not positive definite")
    # The standard has a general solver only. A triangular one, where a library has it, takes a
    # third of the time.
    triangular = getattr(xp.linalg, "solve_triangular", None)

    def solve(B):
        return xp.linalg.solve(L, B) if triangular is None else triangular(L, B, upper=False)

    C = solve(solve(K1).T)
    h, U = xp.linalg.eigh(0.5 * (C + C.T))
    return L @ U, h


def spsd_pencil(xp, K1, K2, on_host):
    """Algorithm 2 as one pencil, in the basis V_1; see :func:`manifest.spsd.spsd_pencil`.

    Parameters
    ----------
    xp : module
    K1, K2 : array of shape (d, d)
        Symmetric positive semi-definite.
    on_host : callable
        Turns an array into a NumPy array.

    Returns
    -------
    F : array of shape (k, k)
    h : array of shape (k,)
        As :func:`pencil` returns them.
    basis : array of shape (d, k), or None
        None stands for the identity.
    counts : dict of str to int
        `n_orthogonal` is the number of principal angles that reach 90 degrees, `n_cut` the number
        of directions that cannot be told from dropped ones.
    """
    if all(is_positive_definite(xp, K, _CLUSTER) for K in (K1, K2)):
        return *pencil(xp, K1, K2), None, {"n_orthogonal": 0, "n_cut": 0}
    (w1, V1), (w2, V2) = (xp.linalg.eigh(K) for K in (K1, K2))
    spectra = [on_host(w) for w in (w1, w2)]
    tolerances = [len(w) * EPS * w[-1] for w in spectra]
    r = max(int((w <= t).sum()) for w, t in zip(spectra, tolerances, strict=True))
    n_cut = sum(_at_the_cut(w, r, t) for w, t in zip(spectra, tolerances, strict=True))
    w1, V1, w2, V2 = w1[r:], V1[:, r:], w2[r:], V2[:, r:]
    left, cosines, right = xp.linalg.svd(V2.T @ V1, full_matrices=False)
    half = xp.sqrt(w2)[:, None] * (left @ right)
    F, h = pencil(xp, eye_like(xp, half) * w1, half.T @ half)
    return F, h, V1, {"n_orthogonal": int((on_host(cosines) < _ORTHOGONAL).sum()), "n_cut": n_cut}


def regularization(xp, K1, K2):
    """The shift of :func:`manifest.regularized.regularization`, a float."""
    trace = float(xp.sum(xp.linalg.diagonal(K1)) + xp.sum(xp.linalg.diagonal(K2)))
    level = FLOOR * trace / (2 * K1.shape[0])
    if not (is_positive_definite(xp, K1) and is_positive_definite(xp, K2)):
        return level
    low = [K for K in (K1, K2) if not exceeds(xp, K, level)]
    return max((level - float(xp.linalg.eigvalsh(K)[0]) for K in low), default=0.0)
