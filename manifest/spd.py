"""Algorithm 1: the mean and the difference operator of two symmetric positive-definite matrices.

Both follow from one generalised eigenproblem of K1 against the sum of the two kernels::

    K1 V = (K1 + K2) V diag(h),   V'(K1 + K2) V = I,   F = (K1 + K2) V

gives K1 = F diag(h) F' and K2 = F diag(1 - h) F' with h in [0, 1], hence

    K1 #_t K2 = F diag(h^(1-t) (1-h)^t) F'                       (the geodesic)
    M = F diag(sqrt(h (1-h))) F'                                 (Eq. 2, t = 1/2)
    D = Log_M(K1) = 1/2 F diag(sqrt(h (1-h)) log(h / (1-h))) F'  (Eq. 3)

No matrix root, inverse or logarithm is formed. Using the sum instead of K1 as the metric treats
both classes in the same way: swapping them maps h to 1 - h and D to -D. It also keeps the problem
well conditioned if one kernel is nearly singular: both weights tend to zero with h or 1 - h.
"""

import numpy as np
from scipy.linalg import blas, lapack

from manifest.decompositions import symmetric_eigh
from manifest.linalg import NotPositiveDefiniteError, fill_upper, fortran, product


def pencil(K1, K2, *, overwrite=False):
    """Diagonalise two positive semi-definite matrices together; their sum is positive definite.

    Returns F, (d, d), and h, (d,), ascending in [0, 1], with ``K1 = F diag(h) F'`` and ``K2 = F
    diag(1 - h) F'``. `overwrite` reuses the memory of K1 and K2, which saves two arrays of that
    size. A sum without a Cholesky factor raises a NotPositiveDefiniteError.
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
    # By rounding, eigenvalues can be outside [0, 1] by a few eps. At 0 and 1 `mean_weights` and
    # `difference_weights` are zero.
    return blas.dtrmm(1.0, L, U, lower=1, overwrite_b=1), np.clip(h, 0.0, 1.0)


def congruence(F, weights):
    """Return the lower triangle of ``F diag(weights) F'`` in Fortran order, zero above it.

    F has shape (d, m). Negative weights, (m,), must come before positive ones, as in the pencil.
    Two symmetric rank-k updates, one for each sign, then cost half of a general product. The lower
    triangle is enough for eigensolvers; `manifest.linalg.fill_upper` completes the matrix.
    """
    scaled = np.multiply(F, np.sqrt(np.abs(weights)), order="F")
    m = int(np.max(np.flatnonzero(weights < 0), initial=-1)) + 1
    result = np.zeros((len(F), len(F)), order="F")
    for sign, part in ((-1.0, scaled[:, :m]), (1.0, scaled[:, m:])):
        if part.size:
            result = blas.dsyrk(sign, part, beta=1.0, c=result, lower=1, overwrite_c=1)
    return result


def mean_and_difference(K1, K2):
    """Return ``M = K1^1/2 (K1^-1/2 K2 K1^-1/2)^1/2 K1^1/2`` and ``D = Log_M(K1)``.

    These are Eqs. 2 and 3 of Cohen, Shnitzer, Kluger and Talmon (2023). The kernels are symmetric
    positive definite of shape (d, d) and are not changed. Swapping them does not change M and
    negates D. Errors are as in `pencil`.
    """
    F, h = pencil(K1, K2)
    M, D = (congruence(F, weights(h)) for weights in (mean_weights, difference_weights))
    return fill_upper(M), fill_upper(D)


def geodesic(K1, K2, t):
    """Return the point ``K1 #_t K2 = K1^1/2 (K1^-1/2 K2 K1^-1/2)^t K1^1/2`` on the geodesic.

    The geodesic is that of the affine-invariant metric (Bhatia, Positive Definite Matrices, 2007,
    section 6.1), with t in [0, 1]: 0 gives K1, 1/2 the mean M, and 1 gives K2. Matrices and
    errors are as in `mean_and_difference`.
    """
    F, h = pencil(K1, K2)
    return fill_upper(congruence(F, h ** (1 - t) * (1 - h) ** t))


def mean_weights(h):
    """Return the weights ``sqrt(h (1 - h))`` of the midpoint in the pencil."""
    return np.sqrt(h * (1 - h))


def difference_weights(h):
    """Return the weights ``1/2 sqrt(h (1-h)) log(h / (1-h))`` of Log_M(K1) in the pencil.

    Their limits at 0 and 1 are 0: a direction that only one kernel has contributes nothing.
    """
    inside = (h > 0) & (h < 1)
    h = np.where(inside, h, 0.5)
    return 0.5 * np.sqrt(h * (1 - h)) * np.log(h / (1 - h))


def absolute_diagonal(core, basis=None):
    """Return the diagonal of ``|D|``, ``r = sum_i |lambda_i| phi_i * phi_i`` (Eq. 4), (d,).

    `core` is the lower triangle of D and is overwritten. With a basis V of orthonormal columns, of
    shape (d, k), it is the lower triangle of the (k, k) matrix with ``D = V core V'``.
    """
    values, vectors = symmetric_eigh(core, "a difference operator")
    if basis is not None:
        vectors = product(basis, vectors)
    vectors *= vectors
    return blas.dgemv(1.0, vectors, np.abs(values))
