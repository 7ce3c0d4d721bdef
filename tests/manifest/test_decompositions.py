"""A driver of LAPACK that fails gives way to the next one; only if all fail there is an error."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

from manifest import decompositions as ours
from tests.cases import over
from tests.commands import python

#: The bidiagonal form of ``V_2' V_1`` of two singular kernels over 784 pixels: diagonal, and above.
FAILS = Path(__file__).with_name("gesdd_fails.npy")


RNG = np.random.default_rng(0)
A, SQUARE = RNG.normal(size=(9, 6)), RNG.normal(size=(12, 12))
SYMMETRIC = np.asfortranarray(SQUARE + SQUARE.T)
TRIDIAGONAL = np.triu(np.tril(SYMMETRIC, 1), -1)
close = partial(np.testing.assert_allclose, atol=1e-12)


def are_eigenpairs(S, values, vectors):
    close(S @ vectors, vectors * values)
    close(vectors.T @ vectors, np.eye(len(values)))
    close(values, np.linalg.eigvalsh(S)[: len(values)])


def svd():
    for B in (A, A.T, A[:6]):
        U, s, Vt = ours.svd(B, "B")
        close((U[:, : len(s)] * s) @ Vt[: len(s)], B)
        close(U.T @ U, np.eye(len(U)))
        close(s, scipy.linalg.svdvals(B))
        close(ours.svdvals(B, "B"), s)


def norm():
    close(ours.spectral_norm(A, "B"), np.linalg.norm(A, 2))


def eigh_in_place():
    are_eigenpairs(SYMMETRIC, *ours.symmetric_eigh(np.asfortranarray(np.tril(SYMMETRIC)), "B"))


def eigh():
    are_eigenpairs(SYMMETRIC, *ours.eigh(SYMMETRIC, "B"))
    close(ours.eigvalsh(SYMMETRIC, "B"), np.linalg.eigvalsh(SYMMETRIC))


def smallest():
    close(ours.smallest_eigenvalue(SYMMETRIC, "B"), np.linalg.eigvalsh(SYMMETRIC)[0])


def tridiagonal():
    parts = np.diag(TRIDIAGONAL), np.diag(TRIDIAGONAL, 1)
    close(ours.tridiagonal_eigh(*parts, name="B"), np.linalg.eigvalsh(TRIDIAGONAL))
    are_eigenpairs(TRIDIAGONAL, *ours.tridiagonal_eigh(*parts, 3, "B"))


def least_squares():
    B, b = A[:, :3], np.arange(9.0)
    close(ours.least_squares(B, b, "B"), np.linalg.solve(B.T @ B, B.T @ b))


FUNCTIONS = (svd, norm, eigh_in_place, eigh, smallest, tridiagonal, least_squares)
#: A table of drivers, and calls that take the drivers' results.
CASES = {function.__name__.upper(): function for function in FUNCTIONS}


def not_converged(driver):
    def fail(A, *others, **parameters):
        driver(A, *others, **parameters)  # which may overwrite A
        raise np.linalg.LinAlgError("made to fail")

    return fail


def not_finite(driver):
    return lambda *given, **named: tuple(part * np.nan for part in driver(*given, **named))


def wrong(driver):
    return lambda *given, **named: tuple(part + 1e-6 for part in driver(*given, **named))


def all_but(monkeypatch, table, kept, fault):
    """All drivers have the fault, except one of that place."""
    drivers = getattr(ours, table)
    for place, (name, driver) in enumerate(drivers.copy().items()):
        if place != kept:
            # A wrong result of the first driver is not looked for.
            monkeypatch.setitem(
                drivers, name, (not_converged if fault is wrong and not place else fault)(driver)
            )


@over("fault", [not_converged, not_finite, wrong])
@over("table", CASES)
def test_a_fallback_takes_the_place_of_drivers_that_fail(table, fault):
    drivers = getattr(ours, table)
    for place in range(len(drivers)):
        with pytest.MonkeyPatch.context() as monkeypatch:
            all_but(monkeypatch, table, place, fault)
            CASES[table]()
    with pytest.MonkeyPatch.context() as monkeypatch:
        all_but(monkeypatch, table, None, fault)
        with pytest.raises(np.linalg.LinAlgError, match=r"decomposes B of shape \(\d+, \d+\)") as e:
            CASES[table]()
    assert [str(e.value).count(f"{name}: ") for name in drivers] == [1] * len(drivers)


def test_the_order_of_the_drivers():
    names = {table: list(getattr(ours, table)) for table in CASES}
    assert names["SVD"] == ["gesdd", "gesvd", "gesdd of the transpose", "gesdd after QR"]
    for table in ("EIGH_IN_PLACE", "EIGH", "SMALLEST"):
        assert names[table][1:] == ["syevr", "syev"]


def test_results_of_the_first_driver_are_taken_bit_for_bit():
    A = np.random.default_rng(0).normal(size=(60, 60))
    A = np.asfortranarray(A + A.T)
    for mine, theirs in (
        (ours.svd(A), scipy.linalg.svd(A)),
        ([ours.svdvals(A)], [scipy.linalg.svdvals(A)]),
        ([ours.spectral_norm(A)], [np.linalg.norm(A, 2)]),
        (ours.eigh(A), np.linalg.eigh(A)),
        ([ours.eigvalsh(A)], [np.linalg.eigvalsh(A)]),
        (ours.symmetric_eigh(A.copy(order="F")), scipy.linalg.lapack.dsyevd(A, lower=1)[:2]),
        ([ours.least_squares(A, A[0])], [np.linalg.lstsq(A, A[0])[0]]),
    ):
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


CHILD = f"""
import sys
import numpy as np, scipy.linalg
from manifest.decompositions import svd, svdvals, spectral_norm
diagonal, above = np.load({str(FAILS)!r})
A = np.asfortranarray(np.diag(diagonal) + np.diag(above[:-1], 1))
try:
    scipy.linalg.svd(A)
except np.linalg.LinAlgError:
    U, s, Vt = svd(A)
    assert np.abs((U * s) @ Vt - A).max() < 1e-13
    assert np.abs(U.T @ U - np.eye(len(A))).max() < 1e-12
    assert np.abs(svdvals(A) - s).max() < 1e-13
    assert abs(spectral_norm(A) - s[0]) < 1e-13
else:
    sys.exit("gesdd converges")
"""


def test_a_matrix_on_which_the_divide_and_conquer_of_avx_512_fails():
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    if not {"AVX512_SKX", "X86_V4"} & set(found):
        pytest.skip("this processor has no AVX-512")
    child = python("-c", CHILD, OPENBLAS_CORETYPE="SkylakeX", OPENBLAS_NUM_THREADS="1")
    if "gesdd converges" in child.stderr:
        pytest.skip("the divide and conquer of this OpenBLAS converges")
    assert child.returncode == 0, child.stderr
