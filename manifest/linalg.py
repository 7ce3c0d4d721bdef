"""Call LAPACK and BLAS in place and without hidden copies.

Arrays are in Fortran order, because the LAPACK wrappers silently copy arrays of any other order.
All large products use SciPy's BLAS, never NumPy's ``@``. The two packages bring a BLAS each, and
idle threads of one keep spinning for a while and slow down the threads of the other.
Of symmetric matrices only the lower triangle is read.
"""

from functools import reduce

import numpy as np
from scipy.linalg import blas, lapack

EPS = np.finfo(np.float64).eps
_BLOCK = 128
_ABOVE = np.triu(np.ones((_BLOCK, _BLOCK), dtype=bool), 1)


class NotPositiveDefiniteError(np.linalg.LinAlgError, ValueError):
    """Raised if a matrix that must be positive definite is not, numerically."""


def fortran(A):
    """Return a symmetric A in Fortran order; A is copied only if it is not contiguous."""
    return A.T if A.flags.c_contiguous else np.asfortranarray(A)


def product(*factors):
    """Return the product of two or more matrices of the same precision, in Fortran order.

    They are multiplied from the left or from the right, whichever takes fewer operations.
    """
    rows, columns = [len(A) for A in factors], [A.shape[1] for A in factors]
    from_left = rows[0] * sum(n * m for n, m in zip(rows[1:], columns[1:], strict=True))
    from_right = columns[-1] * sum(n * m for n, m in zip(rows[:-1], columns[:-1], strict=True))
    if from_left <= from_right:
        return reduce(_product, factors)
    return reduce(lambda right, left: _product(left, right), factors[::-1])


def _product(A, B):
    gemm = blas.sgemm if A.dtype == np.float32 else blas.dgemm
    a, turned_a = (A, 0) if A.flags.f_contiguous else (A.T, 1)
    b, turned_b = (B, 0) if B.flags.f_contiguous else (B.T, 1)
    return gemm(1.0, a, b, trans_a=turned_a, trans_b=turned_b)


def diagonal(A):
    """Return the diagonal of A as a writable view."""
    return np.einsum("ii->i", A)


def fill_upper(A):
    """Copy the lower triangle of A to the upper one, in place, and return A."""
    d = len(A)
    for start in range(0, d, _BLOCK):
        stop = min(start + _BLOCK, d)
        block = A[start:stop, start:stop]
        np.copyto(block, block.T.copy(), where=_ABOVE[: stop - start, : stop - start])
        A[start:stop, stop:] = A[stop:, start:stop].T
    return A


def exceeds(K, bound):
    """Return True if all eigenvalues of K exceed a bound: K - bound I has a Cholesky factor.

    K is symmetric, of shape (d, d), and is not changed.
    """
    shifted = fortran(K).copy(order="F")
    diagonal(shifted)[...] -= bound
    return lapack.dpotrf(shifted, lower=1, clean=0, overwrite_a=1)[1] == 0


def is_positive_definite(K, margin=1.0):
    """Return True if K is numerically positive definite: eigenvalues exceed margin d eps ||K||_1.

    With margin 1 this is the tolerance below which ``matrix_rank`` counts an eigenvalue as zero;
    the 1-norm bounds the largest eigenvalue.
    """
    norm = lapack.dlange("1", fortran(K))  # type: ignore[call-arg]  # the stub lacks the matrix
    return exceeds(K, margin * len(K) * EPS * norm)
