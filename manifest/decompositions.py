"""Compute singular values and eigenvalues, with a second LAPACK driver if the first one fails.

Divide and conquer is the fastest driver, but that of OpenBLAS for AVX-512 fails on a few harmless
matrices. QR iteration then replaces it. Its vectors must be orthonormal and reproduce the matrix to
``TOLERANCE d eps``; otherwise a LinAlgError names the matrix. A finite result of the first driver
is returned unchanged. Of a symmetric matrix only the lower triangle is read.
"""

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from manifest.linalg import EPS, fill_upper

#: The largest relative residual of QR iteration, in units of d eps.
TOLERANCE = 100.0


def svd(A, name="a matrix"):
    """Return U, s, Vt with ``A = U[:, :k] diag(s) Vt[:k]``, of shapes (m, m), (k,) and (n, n)."""
    return _first(linalg.svd, A, check_finite=False) or _gesvd(A, name)


def svdvals(A, name="a matrix"):
    """Return the singular values of A in descending order."""
    return (_first(linalg.svd, A, compute_uv=False, check_finite=False) or _gesvd(A, name)[1:])[0]


def symmetric_eigh(A, name="a symmetric matrix"):
    """Do the same as `eigh`, but overwrite A; in Fortran order its memory holds the vectors."""
    # The first driver destroys A; half an array is enough for the second.
    triangle, _ = lapack.dtrttp(A, uplo="L")
    form = {"lower": True, "overwrite_a": True, "check_finite": False}
    found = _first(linalg.eigh, A, driver="evd", **form)
    return found or _syev(lapack.dtpttr(len(A), triangle, uplo="L")[0], name)


def eigh(A, name="a symmetric matrix"):
    """Return ascending eigenvalues (d,) and the eigenvectors (d, d) of a symmetric A."""
    return _first(np.linalg.eigh, A) or _syev(A, name)


def smallest_eigenvalue(A, name="a symmetric matrix"):
    """Return the smallest eigenvalue of a symmetric A."""
    form = {"lower": True, "eigvals_only": True, "check_finite": False}
    found = _first(linalg.eigh, A, subset_by_index=(0, 0), driver="evr", **form) or _syev(A, name)
    return float(found[0][0])


def tridiagonal_eigh(diagonal, off_diagonal, n_lowest=None, name="a tridiagonal matrix"):
    """Return all eigenvalues of a symmetric tridiagonal matrix, or the lowest with vectors."""
    some = {} if n_lowest is None else {"select": "i", "select_range": (0, n_lowest - 1)}
    form = {"eigvals_only": not some, "check_finite": False, **some}
    found = _first(linalg.eigh_tridiagonal, diagonal, off_diagonal, **form)
    if not found:
        found = _syev(np.diag(diagonal) + np.diag(off_diagonal, -1), name)
    return tuple(part[..., :n_lowest] for part in found) if some else found[0]


def _first(call, /, *arrays, **form):
    """Return the arrays that a driver computes; None if it fails or they are not finite."""
    try:
        found = call(*arrays, **form)
    except ValueError:  # LinAlgError is one.
        return None
    found = found if isinstance(found, tuple) else (found,)
    return found if all(np.isfinite(part.sum()) for part in found) else None


def _gesvd(A, name):
    found = _first(linalg.svd, A, lapack_driver="gesvd", check_finite=False)
    return _checked(found, A, name, lambda U, s, Vt: (U[:, : len(s)] * s) @ Vt[: len(s)])


def _syev(A, name):
    found = _first(linalg.eigh, A, lower=True, driver="ev", check_finite=False)
    whole = fill_upper(np.array(A, order="F"))
    return _checked(found, whole, name, lambda values, V: (V * values) @ V.T)


def _checked(found, A, name, product):
    """Return the result of the second driver if orthonormal vectors reproduce A by it."""
    errors: list = [np.inf]
    if found:
        size = max(np.linalg.norm(A), np.finfo(np.float64).tiny)
        errors = [np.linalg.norm(product(*found) - A) / size]
        errors += [np.linalg.norm(V.T @ V - np.eye(len(V))) for V in found if V.ndim == 2]
    if not max(errors) <= TOLERANCE * max(A.shape) * EPS:
        raise np.linalg.LinAlgError(
            f"no driver of LAPACK decomposes {name} of shape {A.shape}: the residual of QR "
            f"iteration is {max(errors):.1e}. Look for NaN or infinity in it; if there is none, "
            "set OPENBLAS_CORETYPE=Haswell and try again."
        )
    return found
