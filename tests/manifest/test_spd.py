"""The mean, the difference and the geodesic of two given matrices, and the score that they give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest import NotPositiveDefiniteError, operators
from manifest.kernels import class_kernel
from manifest.spd import geodesic, mean_and_difference, midpoint_score
from tests import oracle


def drawn(seed, d):
    """Two positive definite matrices, and a matrix that is invertible."""
    G1, G2, A = np.random.default_rng(seed).normal(size=(3, d, 2 * d))
    return G1 @ G1.T, G2 @ G2.T, A[:, :d] + 3 * np.eye(d)


def assert_equal(left, right):
    np.testing.assert_allclose(left, right, atol=1e-8 * np.abs(right).max())


PAIRS = given(st.integers(0, 999), st.integers(1, 12))
SHARES = given(st.integers(0, 999), st.integers(1, 12), st.floats(0, 1))


@settings(max_examples=25)
@PAIRS
def test_they_are_those_of_the_paper(seed, d):
    K1, K2, _ = drawn(seed, d)
    for ours, papers in zip(mean_and_difference(K1, K2), oracle.algorithm_1(K1, K2), strict=True):
        assert_equal(ours, papers)
        np.testing.assert_array_equal(ours, ours.T)


@settings(max_examples=25)
@SHARES
def test_the_geodesic_is_that_of_the_affine_invariant_metric(seed, d, t):
    K1, K2, A = drawn(seed, d)
    point = geodesic(K1, K2, t)
    assert_equal(point, oracle.geodesic_spd(K1, K2, t))
    assert_equal(point, geodesic(K2, K1, 1 - t))
    assert_equal(geodesic(A @ K1 @ A.T, A @ K2 @ A.T, t), A @ point @ A.T)


@settings(max_examples=25)
@PAIRS
def test_it_leads_from_one_matrix_over_their_mean_to_the_other(seed, d):
    K1, K2, _ = drawn(seed, d)
    M, D = mean_and_difference(K1, K2)
    for t, expected in ((0, K1), (0.5, M), (1, K2)):
        assert_equal(geodesic(K1, K2, t), expected)
    swapped, negative = mean_and_difference(K2, K1)
    assert_equal(swapped, M)
    np.testing.assert_allclose(negative, -D, atol=1e-8 * np.abs(K1 + K2).max())


def test_the_kernels_of_samples_give_the_operators_and_the_score_of_samples():
    """To the last bit, and only the score takes the memory of the kernels."""
    X = np.random.default_rng(0).normal(size=(80, 15)) * np.repeat([[1.0], [3.0]], 40, axis=0)
    kernels = [class_kernel(part, label)[0] for label, part in enumerate(np.split(X, 2))]
    before = [K.copy() for K in kernels]
    M, D = mean_and_difference(*kernels)
    geodesic(kernels[0], kernels[1], 0.3)
    np.testing.assert_array_equal(kernels, before)
    expected = operators(X, np.repeat([0, 1], 40), geometry="spd")
    np.testing.assert_array_equal(M, expected.mean)
    np.testing.assert_array_equal(D, expected.difference)
    np.testing.assert_allclose(midpoint_score(*kernels), expected.score, rtol=1e-10)


def test_a_singular_sum_has_no_mean():
    with pytest.raises(NotPositiveDefiniteError, match="sum"):
        mean_and_difference(np.diag([1.0, 0.0]), np.diag([2.0, 0.0]))
