"""Distances between features, their percentiles, the kernel and its normalisation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform

from manifest.kernels import (
    class_kernel,
    distance_percentiles,
    rbf_kernel,
    squared_feature_distances,
)

finite = st.floats(-1e6, 1e6, allow_subnormal=False)


def distances(X, rtol=1e-9):
    """Our squares of the distances, after they are compared with subtracting and squaring."""
    ours = squared_feature_distances(X)
    np.testing.assert_allclose(ours, squareform(pdist(X.T, "sqeuclidean")), rtol=rtol, atol=0)
    np.testing.assert_array_equal(ours, ours.T)
    return ours


@given(arrays(float, st.tuples(st.integers(1, 8), st.integers(2, 12)), elements=finite))
def test_distances_agree_with_subtracting_and_squaring(X):
    distances(X, rtol=1e-8)


def test_nearly_equal_features_keep_their_digits_and_a_huge_one_does_not_blur_the_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 40)) + 1e3 * rng.normal(size=(30, 1))
    X[:, 1] = X[:, 0] + 1e-7 * rng.normal(size=30)
    X[:, 2] = X[:, 0]
    assert distances(X)[0, 2] == 0
    X = rng.normal(size=(20, 30))
    X[:, 7] *= 1e9
    distances(X)


@given(st.floats(0, 100), st.integers(2, 15), st.integers(0, 99))
def test_percentile_is_numpys(percentile, d, seed):
    X = np.random.default_rng(seed).normal(size=(4, d))
    (ours,) = distance_percentiles(squared_feature_distances(X), [percentile])
    assert ours == pytest.approx(np.percentile(pdist(X.T), percentile), rel=1e-9)


@pytest.mark.parametrize("power", [-400, 0, 400])
def test_kernel_is_equation_1_in_any_unit(power):
    X = np.random.default_rng(0).normal(size=(9, 7))
    kernel, scale = class_kernel(np.ldexp(X, power), "a", scale_factor=0.7)
    own = 0.7 * np.median(pdist(X.T))
    assert np.ldexp(scale, -power) == pytest.approx(own)
    expected = np.exp(-(squareform(pdist(X.T)) ** 2) / (2 * own**2))
    np.testing.assert_allclose(kernel, expected, rtol=1e-12)


def test_normalisation_tends_to_a_doubly_stochastic_kernel():
    X = np.random.default_rng(0).normal(size=(9, 30))

    def imbalance(times):
        kernel = rbf_kernel(squared_feature_distances(X), 4.0, n_normalizations=times)
        np.testing.assert_allclose(kernel, kernel.T, rtol=1e-14)
        return np.abs(kernel.sum(axis=1) - 1).max()

    assert imbalance(0) > imbalance(1) > imbalance(3) > imbalance(8)
    assert imbalance(60) < 1e-12
