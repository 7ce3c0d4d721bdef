"""A driver of LAPACK that fails gives way to QR iteration; if that fails too, there is an error."""

import itertools
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from manifest import decompositions as ours
from manifest.linalg import product
from tests.commands import python

A = np.random.default_rng(0).normal(size=(60, 60))
A = np.asfortranarray(A + A.T)
FIRST = ours._first
DIAGONALS = np.diag(A), np.diag(A, 1)
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
        lambda: scipy.linalg.eigh_tridiagonal(*DIAGONALS, select="i", select_range=(0, 4)),
    ),
}


def does_not_converge(parts):
    return None


def is_not_finite(parts):
    return FIRST(lambda: tuple(part * np.nan for part in parts))


def is_wrong(parts):
    return tuple(part + 1e-6 for part in parts)


def drivers(of_first, of_second=lambda parts: parts):
    """The first drivers, and QR iteration, with these faults."""

    def faulty(driver, /, *arrays, **form):
        is_second = form.get("lapack_driver") == "gesvd" or form.get("driver") == "ev"
        return (of_second if is_second else of_first)(FIRST(driver, *arrays, **form))

    return mock.patch.object(ours, "_first", faulty)


@pytest.mark.parametrize("call", CALLS)
def test_the_first_driver_then_qr_iteration_then_an_error(call):
    mine, theirs = CALLS[call]
    for one, other in zip(mine(), theirs(), strict=True):
        np.testing.assert_array_equal(one, other)
    for fault in (does_not_converge, is_not_finite):
        with drivers(fault):
            for one, other in zip(mine(), theirs(), strict=True):
                if np.ndim(one) == 2:  # Signs of vectors are arbitrary; the last of V' are free.
                    one, other = abs(one[:, :5]), abs(other[:, :5])
                np.testing.assert_allclose(one, other, atol=1e-11)
    for fault in (does_not_converge, is_not_finite, is_wrong):
        with (
            drivers(does_not_converge, fault),
            pytest.raises(np.linalg.LinAlgError, match=r"decomposes B of shape \(.., 60\)"),
        ):
            mine()


CHILD = """
import sys
import numpy as np
from manifest.decompositions import svd, svdvals
diagonal, above = np.load(sys.argv[1])
A = np.asfortranarray(np.diag(diagonal) + np.diag(above[:-1], 1))
U, s, Vt = svd(A)
assert np.abs((U * s) @ Vt - A).max() < 1e-13
assert np.abs(U.T @ U - np.eye(len(A))).max() < 1e-12
assert np.abs(svdvals(A) - s).max() < 1e-13
"""


def test_a_matrix_on_which_the_divide_and_conquer_of_avx_512_fails():
    """The bidiagonal form of ``V_2' V_1`` of two singular kernels over 784 pixels."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    forced = {"OPENBLAS_CORETYPE": "SkylakeX"} if {"AVX512_SKX", "X86_V4"} & set(found) else {}
    path = Path(__file__).with_name("gesdd_fails.npy")
    child = python("-c", CHILD, path, OPENBLAS_NUM_THREADS="1", **forced)
    assert child.returncode == 0, child.stderr


@given(st.lists(st.integers(1, 9), min_size=3, max_size=6), st.sampled_from(["f4", "f8"]))
def test_a_product_takes_factors_of_any_number_order_and_layout(sizes, precision):
    rng = np.random.default_rng(len(sizes))
    factors = [rng.normal(size=shape).astype(precision) for shape in itertools.pairwise(sizes)]
    factors[0] = np.asfortranarray(factors[0])
    found = product(*factors)
    assert found.dtype == precision
    np.testing.assert_allclose(found, np.linalg.multi_dot(factors), atol=1e-3, rtol=1e-3)
