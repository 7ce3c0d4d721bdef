"""Algorithm 1: the mean and the difference operator of two symmetric positive-definite matrices.

Everything follows from one generalised eigenproblem, of K1 against the sum of both kernels::

    K1 V = (K1 + K2) V diag(h),   V'(K1 + K2) V = I,   F = (K1 + K2) V

gives K1 = F diag(h) F' and K2 = F diag(1 - h) F' with h in [0, 1], hence

    K1 #_t K2 = F diag(h^(1-t) (1-h)^t) F'                       (the geodesic)
    M = F diag(sqrt(h (1-h))) F'                                 (Eq. 2, t = 1/2)
    D = Log_M(K1) = 1/2 F diag(sqrt(h (1-h)) log(h / (1-h))) F'  (Eq. 3)

No matrix root, inverse or logarithm is formed. Taking the sum as the metric, rather than K1, treats
the classes alike (swapping them maps h to 1 - h and D to -D) and keeps the problem well conditioned
when one of the kernels is nearly singular: both weights tend to zero with h or 1 - h.
"""

import numpy as np
from scipy.linalg import blas, eigh, lapack

EPS = np.finfo(np.float64).eps


class NotPositiveDefiniteError(np.linalg.LinAlgError, ValueError):
    """A matrix that must be positive definite is, numerically, not."""


def exceeds(K, bound):
    """Whether every eigenvalue of K exceeds a bound: K - bound I has a Cholesky factor.

    K, symmetric of shape (d, d), is not changed.
    """
    shifted = np.array(K, order="F")
    shifted[np.diag_indices_from(shifted)] -= bound
    return lapack.dpotrf(shifted, lower=1, clean=0, overwrite_a=1)[1] == 0


def is_positive_definite(K, margin=1.0):
    """Whether K is numerically positive definite: all eigenvalues exceed margin d eps ||K||_1.

    With margin 1 that is the tolerance below which ``matrix_rank`` counts an eigenvalue as zero,
    with the 1-norm as the bound of the largest eigenvalue.
    """
    return exceeds(K, margin * len(K) * EPS * np.abs(K).sum(axis=0).max())


def symmetric_eigh(A):
    """Eigenvalues, ascending, and eigenvectors of a symmetric A, which is overwritten.

    Only the lower triangle of A is read. The divide-and-conquer driver is the fastest for all
    eigenvectors.
    """
    return eigh(A, lower=True, driver="evd", overwrite_a=True, check_finite=False)


def pencil(K1, K2):
    """Diagonalise two positive definite matrices at once.

    Parameters
    ----------
    K1, K2 : ndarray of shape (d, d)
        Symmetric positive semi-definite, with a positive definite sum.

    Returns
    -------
    F : ndarray of shape (d, d)
        ``K1 = F diag(h) F'`` and ``K2 = F diag(1 - h) F'``.
    h : ndarray of shape (d,)
        Ascending, in [0, 1].

    Raises
    ------
    NotPositiveDefiniteError
        If the sum has no Cholesky factor.
    """
    L, info = lapack.dpotrf(np.asfortranarray(K1 + K2), lower=1, clean=1, overwrite_a=1)
    if info:
        raise NotPositiveDefiniteError("the sum of the two kernels is not positive definite")
    C, _ = lapack.dsygst(np.array(K1, order="F"), L, lower=1, overwrite_a=1)
    h, U = symmetric_eigh(C)
    # Rounding moves eigenvalues out of [0, 1] by some eps; there both weights below are zero.
    return blas.dtrmm(1.0, L, U, lower=1, overwrite_b=1), np.clip(h, 0.0, 1.0)


def congruence(F, weights):
    """The lower triangle of ``F diag(weights) F'``, for weights of either sign.

    Two symmetric rank-k updates, one a sign, cost half of a general product.

    Parameters
    ----------
    F : ndarray of shape (d, m)
    weights : ndarray of shape (m,)

    Returns
    -------
    ndarray of shape (d, d)
        Zero above the diagonal: eigensolvers need no more, :func:`fill_upper` completes it.
    """
    d = F.shape[0]
    result = np.zeros((d, d), order="F")
    for sign in (1.0, -1.0):
        chosen = sign * weights > 0
        if chosen.any():
            part = np.asfortranarray(F[:, chosen] * np.sqrt(sign * weights[chosen]))
            result = blas.dsyrk(sign, part, beta=1.0, c=result, lower=1, overwrite_c=1)
    return result


def fill_upper(A):
    """The symmetric matrix whose lower triangle is that of A."""
    return np.tril(A) + np.tril(A, -1).T


def mean_weights(h):
    """The weights ``sqrt(h (1 - h))`` of the midpoint in the pencil."""
    return np.sqrt(h * (1 - h))


def difference_weights(h):
    """The weights ``1/2 sqrt(h (1-h)) log(h / (1-h))`` of Log_M(K1) in the pencil.

    Their limits at 0 and 1 are 0: a direction that only one kernel has contributes nothing.
    """
    inside = (h > 0) & (h < 1)
    h = np.where(inside, h, 0.5)
    return 0.5 * np.sqrt(h * (1 - h)) * np.log(h / (1 - h))
