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
from scipy.linalg import blas, lapack

from manifest.decompositions import symmetric_eigh
from manifest.linalg import NotPositiveDefiniteError, fill_upper, fortran, product


def pencil(K1, K2, *, overwrite=False):
    """Diagonalise two positive semi-definite matrices of positive definite sum at once.

    ``K1 = F diag(h) F'`` and ``K2 = F diag(1 - h) F'``, with F of shape (d, d), and h ascending in
    [0, 1], (d,). `overwrite` uses the memory of K1 and K2, which saves two arrays of that size. A
    sum without a Cholesky factor is a NotPositiveDefiniteError.
    """
    C, S = fortran(K1), fortran(K2)
    if not overwrite:
        C, S = C.copy(order="F"), S.copy(order="F")
    S += C
    L, info = lapack.dpotrf(S, lower=1, clean=0, overwrite_a=1)
    if info:
        raise NotPositiveDefiniteError("the sum of the two kernels is not positive definite")
    C, _ = lapack.dsygst(C, L, lower=1, overwrite_a=1)
    h, U = symmetric_eigh(C, "the pencil of two kernels")
    # Rounding moves eigenvalues out of [0, 1] by some eps. At 0 and 1 `mean_weights` and
    # `difference_weights` are zero.
    return blas.dtrmm(1.0, L, U, lower=1, overwrite_b=1), np.clip(h, 0.0, 1.0)


def congruence(F, weights):
    """The lower triangle of ``F diag(weights) F'``, in Fortran order and zero above the diagonal.

    F has shape (d, m). Of the weights, (m,), negative ones come before positive ones, as those of
    the pencil do: two symmetric rank-k updates, one for each sign, cost half of a general product.
    `manifest.linalg.fill_upper` completes the matrix; eigensolvers need no more.
    """
    scaled = np.multiply(F, np.sqrt(np.abs(weights)), order="F")
    m = int(np.max(np.flatnonzero(weights < 0), initial=-1)) + 1
    result = np.zeros((len(F), len(F)), order="F")
    for sign, part in ((-1.0, scaled[:, :m]), (1.0, scaled[:, m:])):
        if part.size:
            result = blas.dsyrk(sign, part, beta=1.0, c=result, lower=1, overwrite_c=1)
    return result


def mean_and_difference(K1, K2):
    """The mean ``M = K1^1/2 (K1^-1/2 K2 K1^-1/2)^1/2 K1^1/2`` and ``D = Log_M(K1)``.

    They are Eqs. 2 and 3 of Cohen, Shnitzer, Kluger and Talmon (2023), for symmetric positive
    definite kernels of shape (d, d), which are not changed. Exchanging these leaves M as it is and
    negates D. Errors are those of `pencil`.
    """
    F, h = pencil(K1, K2)
    M, D = (congruence(F, weights(h)) for weights in (mean_weights, difference_weights))
    return fill_upper(M), fill_upper(D)


def geodesic(K1, K2, t):
    """The point ``K1 #_t K2 = K1^1/2 (K1^-1/2 K2 K1^-1/2)^t K1^1/2`` between two matrices.

    It is on the geodesic of the affine-invariant metric (Bhatia, Positive Definite Matrices, 2007,
    section 6.1), at the share t of the way, in [0, 1]: 0 is K1, 1/2 the mean M, 1 is K2. The
    matrices are those of `mean_and_difference`, and so are the errors.
    """
    F, h = pencil(K1, K2)
    return fill_upper(congruence(F, h ** (1 - t) * (1 - h) ** t))


def midpoint_score(K1, K2):
    """The score ``diag |D|`` (Eq. 4) of two positive definite kernels, which are overwritten."""
    F, h = pencil(K1, K2, overwrite=True)
    return absolute_diagonal(congruence(F, difference_weights(h)))


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


def absolute_diagonal(core, basis=None):
    """The diagonal of ``|D|``, ``r = sum_i |lambda_i| phi_i * phi_i`` (Eq. 4), of shape (d,).

    `core` is the lower triangle of D, which is overwritten; with a basis of orthonormal columns V,
    of shape (d, k), it is that of the (k, k) matrix with ``D = V core V'``.
    """
    values, vectors = symmetric_eigh(core, "a difference operator")
    if basis is not None:
        vectors = product(basis, vectors)
    vectors *= vectors
    return blas.dgemv(1.0, vectors, np.abs(values))
