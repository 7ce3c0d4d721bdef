"""A driver of LAPACK that fails gives way to QR iteration; if that fails too, there is an error."""

from functools import partial
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
        close(s, np.sqrt(np.linalg.eigvalsh(B.T @ B)[::-1][: len(s)]))
        close(ours.svdvals(B, "B"), s)
        close(ours.spectral_norm(B, "B"), s[0])


def eigh():
    are_eigenpairs(SYMMETRIC, *ours.symmetric_eigh(np.asfortranarray(np.tril(SYMMETRIC)), "B"))
    are_eigenpairs(SYMMETRIC, *ours.eigh(SYMMETRIC, "B"))
    close(ours.eigvalsh(SYMMETRIC, "B"), np.linalg.eigvalsh(SYMMETRIC))
    close(ours.smallest_eigenvalue(SYMMETRIC, "B"), np.linalg.eigvalsh(SYMMETRIC)[0])


def tridiagonal():
    parts = np.diag(TRIDIAGONAL), np.diag(TRIDIAGONAL, 1)
    close(ours.tridiagonal_eigh(*parts, name="B"), np.linalg.eigvalsh(TRIDIAGONAL))
    are_eigenpairs(TRIDIAGONAL, *ours.tridiagonal_eigh(*parts, 3, "B"))


DECOMPOSITIONS = {"svd": svd, "eigh": eigh, "tridiagonal": tridiagonal}
#: What may go wrong with a driver, once it may have overwritten its array.
FAULTS = {
    "does not converge": None,
    "is not finite": lambda part: part * np.nan,
    "is wrong": lambda part: part + 1e-6,
}


def with_fault(monkeypatch, fault, of):
    """The drivers of which `of` is true have the fault."""
    first, change = ours._first, FAULTS[fault]

    def faulty(driver, /, *arrays, **form):
        found = first(driver, *arrays, **form)
        if not of(form):
            return found
        if change is None:
            return None
        result = tuple(change(part) for part in found)
        return first(lambda: result)

    monkeypatch.setattr(ours, "_first", faulty)


def is_second(form):
    return form.get("lapack_driver") == "gesvd" or form.get("driver") == "ev"


@over("fault", ["does not converge", "is not finite"])
@over("name", DECOMPOSITIONS)
def test_qr_iteration_takes_the_place_of_a_driver_that_fails(name, fault):
    DECOMPOSITIONS[name]()
    with pytest.MonkeyPatch.context() as monkeypatch:
        with_fault(monkeypatch, fault, lambda form: not is_second(form))
        DECOMPOSITIONS[name]()


@over("fault", FAULTS)
@over("call", [ours.svd, ours.svdvals, ours.spectral_norm, ours.symmetric_eigh, ours.eigh,
               ours.eigvalsh, ours.smallest_eigenvalue])  # fmt: skip
def test_there_is_an_error_if_it_fails_too(call, fault):
    with pytest.MonkeyPatch.context() as monkeypatch:
        with_fault(monkeypatch, "does not converge", lambda form: not is_second(form))
        with_fault(monkeypatch, fault, is_second)
        with pytest.raises(np.linalg.LinAlgError, match=r"decomposes B of shape \(12, 12\)"):
            call(SYMMETRIC.copy(order="F"), "B")


def test_results_of_the_first_driver_are_taken_bit_for_bit():
    A = np.random.default_rng(0).normal(size=(60, 60))
    A = np.asfortranarray(A + A.T)
    diagonal, above = np.diag(A), np.diag(A, 1)
    lowest: Any = {"select": "i", "select_range": (0, 4)}
    for mine, theirs in (
        (ours.svd(A), scipy.linalg.svd(A)),
        ([ours.svdvals(A)], [scipy.linalg.svdvals(A)]),
        ([ours.spectral_norm(A)], [np.linalg.norm(A, 2)]),
        (ours.eigh(A), np.linalg.eigh(A)),
        ([ours.eigvalsh(A)], [np.linalg.eigvalsh(A)]),
        (ours.symmetric_eigh(A.copy(order="F")), scipy.linalg.lapack.dsyevd(A, lower=1)[:2]),
        ([ours.smallest_eigenvalue(A)], scipy.linalg.eigvalsh(A, subset_by_index=(0, 0))),
        (
            ours.tridiagonal_eigh(diagonal, above, 5),
            scipy.linalg.eigh_tridiagonal(diagonal, above, **lowest),
        ),
    ):
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(one, other)


CHILD = """
import sys
import numpy as np, scipy.linalg
from manifest.decompositions import svd, svdvals, spectral_norm
A = np.load(sys.argv[1])
if len(A) == 2:
    A = np.diag(A[0]) + np.diag(A[1, :-1], 1)
A = np.asfortranarray(A)
U, s, Vt = svd(A)
assert np.abs((U * s) @ Vt - A).max() < 1e-13
assert np.abs(U.T @ U - np.eye(len(A))).max() < 1e-12
assert np.abs(svdvals(A) - s).max() < 1e-13
assert abs(spectral_norm(A) - s[0]) < 1e-13
"""


@over("path", FAILS)
def test_a_matrix_on_which_the_divide_and_conquer_of_avx_512_fails(path):
    """On another processor it converges, and this is a matrix as any other."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    forced = {"OPENBLAS_CORETYPE": "SkylakeX"} if {"AVX512_SKX", "X86_V4"} & set(found) else {}
    child = python("-c", CHILD, str(path), OPENBLAS_NUM_THREADS="1", **forced)
    assert child.returncode == 0, child.stderr
