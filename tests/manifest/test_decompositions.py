"""A driver of LAPACK that fails gives way to the next one; only if all fail there is an error."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

from manifest import decompositions as ours
from tests.cases import over

#: The bidiagonal form of ``V_2' V_1`` of two singular kernels over 784 pixels: diagonal, and above.
FAILS = Path(__file__).with_name("gesdd_fails.npy")


def symmetric(d=12, seed=0):
    A = np.random.default_rng(seed).normal(size=(d, d))
    return np.asfortranarray(A + A.T)


def is_svd(A, U, s, Vt):
    np.testing.assert_allclose((U[:, : len(s)] * s) @ Vt[: len(s)], A, atol=1e-13)
    np.testing.assert_allclose(U.T @ U, np.eye(len(U)), atol=1e-13)
    np.testing.assert_allclose(s, scipy.linalg.svdvals(A), atol=1e-13)


def are_eigenpairs(A, values, vectors):
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-12)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[: len(values)], atol=1e-12)


def every_svd():
    A = np.random.default_rng(0).normal(size=(9, 6))
    for B in (A, A.T, A[:6]):
        is_svd(B, *ours.svd(B, "B"))
        np.testing.assert_allclose(ours.svdvals(B, "B"), scipy.linalg.svdvals(B), atol=1e-13)


def every_norm():
    A = np.random.default_rng(0).normal(size=(9, 6))
    np.testing.assert_allclose(ours.spectral_norm(A, "B"), np.linalg.norm(A, 2), atol=1e-13)


def every_eigh_in_place():
    A = symmetric()
    lower = np.asfortranarray(np.tril(A))
    are_eigenpairs(A, *ours.symmetric_eigh(lower, "B"))


def every_eigh():
    A = symmetric()
    are_eigenpairs(A, *ours.eigh(A, "B"))
    np.testing.assert_allclose(ours.eigvalsh(A, "B"), np.linalg.eigvalsh(A), atol=1e-12)


def every_smallest():
    A = symmetric()
    assert ours.smallest_eigenvalue(A, "B") == pytest.approx(np.linalg.eigvalsh(A)[0], rel=1e-12)


def every_tridiagonal():
    diagonal, beside = np.arange(12.0), np.random.default_rng(0).normal(size=11)
    A = np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)
    values = ours.tridiagonal_eigh(diagonal, beside, name="B")
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A), atol=1e-12)
    lowest, vectors = ours.tridiagonal_eigh(diagonal, beside, 3, "B")
    np.testing.assert_allclose(lowest, values[:3], atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * lowest, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def every_least_squares():
    A, b = np.random.default_rng(0).normal(size=(9, 3)), np.arange(9.0)
    expected = np.linalg.solve(A.T @ A, A.T @ b)
    np.testing.assert_allclose(ours.least_squares(A, b, "B"), expected, atol=1e-12)


CASES = {
    "SVD": every_svd,
    "NORM": every_norm,
    "EIGH_IN_PLACE": every_eigh_in_place,
    "EIGH": every_eigh,
    "SMALLEST": every_smallest,
    "TRIDIAGONAL": every_tridiagonal,
    "LEAST_SQUARES": every_least_squares,
}


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
    A = symmetric(60)
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
from tests.cases import over
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
    environment = os.environ | {"OPENBLAS_CORETYPE": "SkylakeX", "OPENBLAS_NUM_THREADS": "1"}
    child = subprocess.run(
        [sys.executable, "-c", CHILD],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "gesdd converges" in child.stderr:
        pytest.skip("the divide and conquer of this OpenBLAS converges")
    assert child.returncode == 0, child.stderr
