"""The mean, the difference and the geodesic of two given matrices, and the score that they give."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest import NotPositiveDefiniteError, operators
from manifest.kernels import class_kernel
from manifest.spd import geodesic, mean_and_difference, midpoint_score
from tests import oracle


@settings(max_examples=50)
@given(st.integers(0, 999), st.integers(1, 12), st.floats(0, 1))
def test_they_are_those_of_the_paper(seed, d, share):
    G1, G2 = np.random.default_rng(seed).normal(size=(2, d, 2 * d))
    K1, K2 = G1 @ G1.T, G2 @ G2.T
    close = partial(np.testing.assert_allclose, rtol=0, atol=1e-8 * np.abs(K1 + K2).max())
    for ours, papers in zip(mean_and_difference(K1, K2), oracle.algorithm_1(K1, K2), strict=True):
        close(ours, papers)
        np.testing.assert_array_equal(ours, ours.T)
    for t in (0, share, 1):
        close(geodesic(K1, K2, t), oracle.geodesic_spd(K1, K2, t))


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
