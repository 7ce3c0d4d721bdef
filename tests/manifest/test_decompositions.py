"""A driver of LAPACK that fails gives way to QR iteration; if that fails too, there is an error."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from manifest import decompositions as ours
from tests.cases import over
from tests.commands import ROOT, python

#: The bidiagonal form of ``V_2' V_1`` of two singular kernels over 784 pixels, diagonal and above;
#: and a whole such matrix, which lies beside the checkout or not at all.
FAILS = [Path(__file__).with_name("gesdd_fails.npy")]
FAILS += [path for path in [ROOT.parent / "shared" / "cases" / "gesdd_fails.npy"] if path.exists()]

A = np.random.default_rng(0).normal(size=(60, 60))
A = np.asfortranarray(A + A.T)
TRIDIAGONAL = np.triu(np.tril(A, 1), -1)
DIAGONALS = np.diag(TRIDIAGONAL), np.diag(TRIDIAGONAL, 1)
LOWEST: dict[str, Any] = {"select": "i", "select_range": (0, 4)}
#: Our call, and that of the first driver.
CALLS = {
    "svd": (lambda: ours.svd(A[:40], "B"), lambda: scipy.linalg.svd(A[:40])),
    "svdvals": (lambda: [ours.svdvals(A, "B")], lambda: [scipy.linalg.svdvals(A)]),
    "symmetric_eigh": (
        lambda: ours.symmetric_eigh(np.asfortranarray(np.tril(A)), "B"),
        lambda: scipy.linalg.lapack.dsyevd(A, lower=1)[:2],
    ),
    "eigh": (lambda: ours.eigh(A, "B"), lambda: np.linalg.eigh(A)),
    "smallest_eigenvalue": (
        lambda: [ours.smallest_eigenvalue(A, "B")],
        lambda: scipy.linalg.eigvalsh(A, subset_by_index=(0, 0)),
    ),
    "tridiagonal": (
        lambda: [ours.tridiagonal_eigh(*DIAGONALS, name="B")],
        lambda: [scipy.linalg.eigvalsh_tridiagonal(*DIAGONALS)],
    ),
    "lowest": (
        lambda: ours.tridiagonal_eigh(*DIAGONALS, 5, "B"),
        lambda: scipy.linalg.eigh_tridiagonal(*DIAGONALS, **LOWEST),
    ),
}
#: What may go wrong with a driver.
FAULTS = {
    "does not converge": None,
    "is not finite": lambda part: part * np.nan,
    "is wrong": lambda part: part + 1e-6,
}


def with_fault(monkeypatch, fault, of_second):
    """The first drivers, or the second ones, have the fault."""
    first, change = ours._first, FAULTS[fault]

    def faulty(driver, /, *arrays, **form):
        found = first(driver, *arrays, **form)
        if of_second != (form.get("lapack_driver") == "gesvd" or form.get("driver") == "ev"):
            return found
        return None if change is None else first(lambda: tuple(change(part) for part in found))

    monkeypatch.setattr(ours, "_first", faulty)


@over("call", CALLS)
def test_results_of_the_first_driver_are_taken_bit_for_bit(call):
    mine, theirs = CALLS[call]
    for one, other in zip(mine(), theirs(), strict=True):
        np.testing.assert_array_equal(one, other)


@over("fault", ["does not converge", "is not finite"])
@over("call", CALLS)
def test_qr_iteration_takes_the_place_of_a_driver_that_fails(call, fault):
    mine, theirs = CALLS[call]
    with pytest.MonkeyPatch.context() as monkeypatch:
        with_fault(monkeypatch, fault, of_second=False)
        for one, other in zip(mine(), theirs(), strict=True):
            if np.ndim(one) == 2:  # Signs of vectors are arbitrary; the last of V' have no value.
                one, other = abs(one[:, :5]), abs(other[:, :5])
            np.testing.assert_allclose(one, other, atol=1e-11)


@over("fault", FAULTS)
@over("call", CALLS)
def test_there_is_an_error_if_it_fails_too(call, fault):
    with pytest.MonkeyPatch.context() as monkeypatch:
        with_fault(monkeypatch, "does not converge", of_second=False)
        with_fault(monkeypatch, fault, of_second=True)
        with pytest.raises(np.linalg.LinAlgError, match=r"decomposes B of shape \(.., 60\)"):
            CALLS[call][0]()


CHILD = """
import sys
import numpy as np
from manifest.decompositions import svd, svdvals
A = np.load(sys.argv[1])
if len(A) == 2:
    A = np.diag(A[0]) + np.diag(A[1, :-1], 1)
A = np.asfortranarray(A)
U, s, Vt = svd(A)
assert np.abs((U * s) @ Vt - A).max() < 1e-13
assert np.abs(U.T @ U - np.eye(len(A))).max() < 1e-12
assert np.abs(svdvals(A) - s).max() < 1e-13
"""


@over("path", FAILS)
def test_a_matrix_on_which_the_divide_and_conquer_of_avx_512_fails(path):
    """On another processor it converges, and this is a matrix as any other."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    forced = {"OPENBLAS_CORETYPE": "SkylakeX"} if {"AVX512_SKX", "X86_V4"} & set(found) else {}
    child = python("-c", CHILD, str(path), OPENBLAS_NUM_THREADS="1", **forced)
    assert child.returncode == 0, child.stderr
