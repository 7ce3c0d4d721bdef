"""Singular values, eigenvalues and least squares that fail only if every driver of LAPACK does.

A driver of LAPACK can fail on a harmless matrix: the divide and conquer of OpenBLAS for AVX-512
does. Each table below holds the drivers in the order in which they are tried; the first one is the
fastest. Its result counts if LAPACK reports success and its numbers are finite, so that a result of
the first driver changes by no bit and costs one sum. The result of any other driver must also give
the matrix back, with orthonormal vectors, to ``TOLERANCE d eps``.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from manifest.linalg import EPS, fill_upper

#: The largest relative residual of a fallback, in units of d eps.
TOLERANCE = 100.0

#: From a matrix, and whether vectors are wanted, to values alone or with vectors.
Driver = Callable[..., tuple[np.ndarray, ...]]


def _svd(A, vectors, driver="gesdd"):
    result = linalg.svd(A, compute_uv=vectors, lapack_driver=driver, check_finite=False)
    return result if vectors else (result,)


def _svd_of_transpose(A, vectors):
    return tuple(part.T for part in reversed(_svd(A.T, vectors)))


def _svd_after_qr(A, vectors):
    Q, R = linalg.qr(A, check_finite=False)
    left, *others = _svd(R, vectors)
    return Q @ left, *others


def _eigh(A, vectors, driver, subset=None):
    call: Callable = linalg.eigh  # The stubs know no driver that is a variable.
    result = call(
        A,
        lower=True,
        eigvals_only=not vectors,
        subset_by_index=subset,
        driver=driver,
        check_finite=False,
    )
    return result if vectors else (result,)


def _eigh_in_place(A, vectors):
    values, columns, info = lapack.dsyevd(A, lower=1, overwrite_a=1)
    if info:
        raise np.linalg.LinAlgError(f"LAPACK reports {info}")
    return values, columns


def _eigh_of_numpy(A, vectors):
    return np.linalg.eigh(A) if vectors else (np.linalg.eigvalsh(A),)


def _tridiagonal(T, vectors, n_lowest, driver="auto"):
    """The lowest eigenvalues of T = (diagonal, off-diagonal), all if that is None."""
    call: Callable = partial(
        linalg.eigh_tridiagonal,
        *T,
        eigvals_only=not vectors,
        lapack_driver=driver,
        check_finite=False,
    )
    if n_lowest is None or driver == "stev":  # stev computes all eigenvalues only.
        result = call()
        return tuple(part[..., :n_lowest] for part in (result if vectors else (result,)))
    return call(select="i", select_range=(0, n_lowest - 1))


_SYMMETRIC = {name: partial(_eigh, driver=name[2:]) for name in ("syevr", "syev")}
SVD: dict[str, Driver] = {
    "gesdd": _svd,
    "gesvd": partial(_svd, driver="gesvd"),
    "gesdd of the transpose": _svd_of_transpose,
    "gesdd after QR": _svd_after_qr,
}
NORM: dict[str, Driver] = {
    "gesdd of NumPy": lambda A, vectors: (np.linalg.svd(A, compute_uv=False),),
    **SVD,
}
EIGH_IN_PLACE: dict[str, Driver] = {"syevd": _eigh_in_place, **_SYMMETRIC}
EIGH: dict[str, Driver] = {"syevd of NumPy": _eigh_of_numpy, **_SYMMETRIC}
SMALLEST: dict[str, Driver] = {
    "syevr of one value": partial(_eigh, driver="evr", subset=(0, 0)),
    **_SYMMETRIC,
}
TRIDIAGONAL: dict[str, Driver] = {
    "stevd or stebz": _tridiagonal,
    **{name: partial(_tridiagonal, driver=name) for name in ("stemr", "stev")},
}
LEAST_SQUARES: dict[str, Driver] = {
    "gelsd": lambda A, _, b: np.linalg.lstsq(A, b)[:1],
    "gelsy": lambda A, _, b: linalg.lstsq(A, b, lapack_driver="gelsy")[:1],
    "gelss": lambda A, _, b: linalg.lstsq(A, b, lapack_driver="gelss")[:1],
}


def svd(A, name="a matrix"):
    """The singular value decomposition ``A = U[:, :k] diag(s) Vt[:k]``, k = min(m, n).

    Parameters
    ----------
    A : ndarray of shape (m, n)
        Not changed.
    name : str
        The matrix's name in an error.

    Returns
    -------
    U : ndarray of shape (m, m)
    s : ndarray of shape (k,)
        Descending.
    Vt : ndarray of shape (n, n)

    Raises
    ------
    numpy.linalg.LinAlgError
        If all drivers fail; it tells why each did.
    """
    return _first_success(A, name, SVD, partial(_svd_residual, A))


def svdvals(A, name="a matrix"):
    """The singular values of A, descending; parameters and errors as of `svd`."""
    result = _first_success(A, name, SVD, partial(_svd_residual, A), vectors=False)
    return result[len(result) // 2]


def spectral_norm(A, name="a matrix"):
    """The largest singular value of A; parameters and errors as of `svd`."""
    result = _first_success(A, name, NORM, partial(_svd_residual, A), vectors=False)
    return result[len(result) // 2].max()


def symmetric_eigh(A, name="a symmetric matrix"):
    """Eigenvalues, ascending, and eigenvectors of a symmetric A, which is overwritten.

    The divide-and-conquer driver is the fastest for all eigenvectors. Errors are those of
    `svd`.

    Parameters
    ----------
    A : ndarray of shape (d, d)
        Its lower triangle is read. In Fortran order its memory takes the eigenvectors.
    name : str
        The matrix's name in an error.

    Returns
    -------
    values : ndarray of shape (d,)
    vectors : ndarray of shape (d, d)
    """
    # The first driver destroys A; half an array is enough for another one.
    triangle, _ = lapack.dtrttp(A, uplo="L")

    def whole():
        return fill_upper(lapack.dtpttr(len(A), triangle, uplo="L")[0])

    return _first_success(
        A, name, EIGH_IN_PLACE, lambda *pairs: _eigh_residual(whole(), *pairs), restore=whole
    )


def eigh(A, name="a symmetric matrix"):
    """Eigenvalues, ascending, and eigenvectors of a symmetric A, as ``numpy.linalg.eigh``.

    Parameters, results and errors are those of `symmetric_eigh`; A is not changed.
    """
    return _first_success(A, name, EIGH, partial(_eigh_residual, A))


def eigvalsh(A, name="a symmetric matrix"):
    """Eigenvalues, ascending, of a symmetric A, as ``numpy.linalg.eigvalsh``; see `eigh`."""
    return _first_success(A, name, EIGH, partial(_eigh_residual, A), vectors=False)[0]


def smallest_eigenvalue(A, name="a symmetric matrix"):
    """The smallest eigenvalue of a symmetric A; parameters and errors as of `eigh`."""
    values = _first_success(A, name, SMALLEST, partial(_eigh_residual, A), vectors=False)[0]
    return float(values[0])


def tridiagonal_eigh(diagonal, off_diagonal, n_lowest=None, name="a tridiagonal matrix"):
    """All eigenvalues of a symmetric tridiagonal matrix, or the lowest ones with eigenvectors.

    Errors are those of `svd`.

    Parameters
    ----------
    diagonal : ndarray of shape (d,)
    off_diagonal : ndarray of shape (d - 1,)
    n_lowest : int, optional
        In 1..d.
    name : str
        The matrix's name in an error.

    Returns
    -------
    values : ndarray of shape (d,) or (n_lowest,)
        Ascending.
    vectors : ndarray of shape (d, n_lowest)
        If n_lowest is given.
    """

    def residual(values, vectors):
        whole = np.diag(diagonal) + np.diag(off_diagonal, 1) + np.diag(off_diagonal, -1)
        return _eigh_residual(whole, values, vectors)

    drivers = {key: partial(run, n_lowest=n_lowest) for key, run in TRIDIAGONAL.items()}
    both = n_lowest is not None
    result = _first_success((diagonal, off_diagonal), name, drivers, residual, vectors=both)
    return result if both else result[0]


def least_squares(A, b, name="a design"):
    """The x of least ``||A x - b||``; errors are those of `svd`.

    Parameters
    ----------
    A : ndarray of shape (m, n)
    b : ndarray of shape (m,)
    name : str
        The matrix's name in an error.

    Returns
    -------
    ndarray of shape (n,)
    """

    def residual(x):
        # The gradient is zero at the minimum.
        return _share(A.T @ (A @ x - b), np.linalg.norm(A) * np.linalg.norm(b))

    drivers = {key: partial(run, b=b) for key, run in LEAST_SQUARES.items()}
    return _first_success(A, name, drivers, residual)[0]


def _first_success(A, name, drivers, residual, vectors=True, restore=lambda: None):
    """The result of the first driver that succeeds; a later driver always computes vectors."""
    shape = (len(A[0]),) * 2 if isinstance(A, tuple) else A.shape
    failures: list[str] = []
    for driver, decompose in drivers.items():
        try:
            if failures:
                whole = restore()
                result = decompose(A if whole is None else whole, True)
                error = residual(*result)
                if not error <= TOLERANCE * max(shape) * EPS:
                    raise np.linalg.LinAlgError(f"the residual is {error:.1e}")
            else:
                result = decompose(A, vectors)
                if not all(np.isfinite(part.sum()) for part in result):
                    raise np.linalg.LinAlgError("the result is not finite")
            return result
        except ValueError as error:  # LinAlgError is one.
            failures.append(f"{driver}: {error}")
    raise np.linalg.LinAlgError(
        f"no driver of LAPACK decomposes {name} of shape {shape}: {'; '.join(failures)}. Look for "
        "NaN or infinity in it; if there is none, set OPENBLAS_CORETYPE=Haswell and try again."
    )


def _svd_residual(A, U, s, Vt):
    k = len(s)
    return max(_share(A - (U[:, :k] * s) @ Vt[:k], A), _skew(U), _skew(Vt.T))


def _eigh_residual(A, values, vectors):
    return max(_share(A @ vectors - vectors * values, A), _skew(vectors))


def _share(difference, whole):
    """The norm of a difference as a share of that of the whole."""
    return np.linalg.norm(difference) / max(np.linalg.norm(whole), np.finfo(np.float64).tiny)


def _skew(V):
    """The distance of the columns of V from orthonormal ones."""
    return np.linalg.norm(V.T @ V - np.eye(V.shape[1]))
