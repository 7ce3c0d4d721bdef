"""The calls to LAPACK and BLAS of which the score consists, in place and without hidden copies.

Arrays are in Fortran order: the wrappers of LAPACK silently copy an array of any other order. All
large products go through SciPy's BLAS and none through NumPy's ``@``. Each of the two packages
brings its own BLAS, and the idle threads of one keep spinning for a while and take the cores from
the threads of the other.
Symmetric matrices are read from their lower triangles.
"""

import numpy as np
from scipy.linalg import blas, lapack

EPS = np.finfo(np.float64).eps
_BLOCK = 128
_ABOVE = np.triu(np.ones((_BLOCK, _BLOCK), dtype=bool), 1)


class NotPositiveDefiniteError(np.linalg.LinAlgError, ValueError):
    """A matrix that must be positive definite is, numerically, not."""


def fortran(A):
    """A symmetric A in Fortran order; it is copied only where A is not contiguous."""
    return A.T if A.flags.c_contiguous else np.asfortranarray(A)


def product(A, B):
    """``A @ B`` of two arrays of the same precision, in Fortran order."""
    gemm = blas.sgemm if A.dtype == np.float32 else blas.dgemm
    a, turned_a = (A, 0) if A.flags.f_contiguous else (A.T, 1)
    b, turned_b = (B, 0) if B.flags.f_contiguous else (B.T, 1)
    return gemm(1.0, a, b, trans_a=turned_a, trans_b=turned_b)


def diagonal(A):
    """The diagonal of A as a view that can be written to."""
    return np.einsum("ii->i", A)


def fill_upper(A):
    """Make A symmetric, in place, from its lower triangle; returns A."""
    d = len(A)
    for start in range(0, d, _BLOCK):
        stop = min(start + _BLOCK, d)
        block = A[start:stop, start:stop]
        np.copyto(block, block.T.copy(), where=_ABOVE[: stop - start, : stop - start])
        A[start:stop, stop:] = A[stop:, start:stop].T
    return A


def exceeds(K, bound):
    """True if every eigenvalue of K exceeds a bound: K - bound I has a Cholesky factor.

    K, symmetric of shape (d, d), is not changed.
    """
    shifted = fortran(K).copy(order="F")
    diagonal(shifted)[...] -= bound
    return lapack.dpotrf(shifted, lower=1, clean=0, overwrite_a=1)[1] == 0


def is_positive_definite(K, margin=1.0):
    """True if K is numerically positive definite: all eigenvalues exceed margin d eps ||K||_1.

    With margin 1 that is the tolerance below which ``matrix_rank`` counts an eigenvalue as zero,
    with the 1-norm as the bound of the largest eigenvalue.
    """
    norm = lapack.dlange("1", fortran(K))  # type: ignore[call-arg]  # the stub lacks the matrix
    return exceeds(K, margin * len(K) * EPS * norm)
