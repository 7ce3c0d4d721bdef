"""Distances between features, and the kernel at any of their percentiles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform

from manifest.kernels import class_kernel, squared_feature_distances
from tests import oracle

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


@given(st.none() | st.floats(0, 100), st.integers(2, 15), st.sampled_from([-400, 0, 400]))
def test_kernel_is_equation_1_at_any_percentile_and_in_any_unit(percentile, d, power):
    X = np.random.default_rng(d).normal(size=(4, d))
    ours, scale = class_kernel(np.ldexp(X, power), 0, percentile=percentile, scale_factor=0.7)
    kernel, expected = oracle.kernel(X, 0.7, percentile)
    assert np.ldexp(scale, -power) == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(ours, kernel, atol=1e-12)
