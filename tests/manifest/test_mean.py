"""The Riemannian mean: an oracle, what defines it, and its identities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest import NotPositiveDefiniteError
from manifest.linalg import fill_upper
from manifest.mean import TOLERANCE, riemannian_mean
from manifest.spd import mean_and_difference
from tests import oracle


def positive_definite(rng, d, spread):
    """A random matrix whose eigenvalues lie within exp(-spread / 2) and exp(spread / 2)."""
    V = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return (V * np.exp(rng.uniform(-spread / 2, spread / 2, d))) @ V.T


def drawn(seed, C, d, spread=4.0):
    rng = np.random.default_rng(seed)
    return [positive_definite(rng, d, spread) for _ in range(C)]


def differences(mean):
    """All logarithms as matrices."""
    return [fill_upper(mean.pop_difference()) for _ in range(len(mean.logarithms))]


@settings(max_examples=20)
@given(st.integers(0, 999), st.integers(3, 6), st.integers(2, 20), st.floats(0.1, 6))
def test_agrees_with_pyriemann(seed, C, d, spread):
    pytest.importorskip("pyriemann", reason="pyRiemann is not installed")
    kernels = drawn(seed, C, d, spread)
    M, D, _ = oracle.several(kernels)
    ours = riemannian_mean(kernels)
    assert ours.converged
    np.testing.assert_allclose(ours.operator(), M, atol=1e-6 * np.abs(M).max())
    np.testing.assert_allclose(differences(ours), D, atol=1e-6 * np.abs(D).max())


@settings(max_examples=40)
@given(st.integers(0, 999), st.integers(1, 6), st.integers(1, 20), st.floats(0.1, 20))
def test_the_gradient_vanishes_at_the_mean(seed, C, d, spread):
    """By its definition, from M alone: the logarithms at M of all matrices cancel."""
    kernels = drawn(seed, C, d, spread)
    ours = riemannian_mean(kernels)
    M = ours.operator()
    inverse_root = oracle.function_of(M, lambda v: 1 / np.sqrt(v))
    logs = [oracle.function_of(inverse_root @ K @ inverse_root, np.log) for K in kernels]
    distance = np.mean([np.linalg.norm(log) for log in logs])
    rounding = 1e-12 * np.exp(spread)
    assert np.linalg.norm(np.mean(logs, axis=0)) <= 1.1 * TOLERANCE * distance + rounding
    if C > 1:
        assert ours.residual <= TOLERANCE


@settings(max_examples=25)
@given(st.integers(0, 999), st.integers(1, 20), st.floats(0.1, 15))
def test_two_matrices_have_the_closed_form(seed, d, spread):
    K1, K2 = drawn(seed, 2, d, spread)
    midpoint, _ = mean_and_difference(K1, K2)
    ours = riemannian_mean([K1, K2]).operator()
    np.testing.assert_allclose(ours, midpoint, atol=1e-8 * np.abs(midpoint).max())


@settings(max_examples=25)
@given(st.integers(0, 999), st.integers(2, 6), st.integers(1, 15), st.floats(0.1, 15))
def test_commuting_matrices_have_the_geometric_mean_of_the_eigenvalues(seed, C, d, spread):
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(d, d)))[0]
    logs = rng.uniform(-spread / 2, spread / 2, (C, d))
    kernels = [(V * np.exp(row)) @ V.T for row in logs]
    mean = logs.mean(axis=0)
    ours = riemannian_mean(kernels)
    scale = np.exp(mean).max()
    np.testing.assert_allclose(ours.operator(), (V * np.exp(mean)) @ V.T, atol=1e-7 * scale)
    for D, row in zip(differences(ours), logs, strict=True):
        expected = (V * (np.exp(mean) * (row - mean))) @ V.T
        np.testing.assert_allclose(D, expected, atol=1e-6 * scale * spread)


@settings(max_examples=25)
@given(st.integers(0, 999), st.integers(3, 5), st.integers(1, 12))
def test_congruence_and_the_order_of_the_matrices(seed, C, d):
    """The mean of ``A K_l A'`` is ``A M A'``, and it does not depend on the order of the K_l."""
    rng = np.random.default_rng(seed)
    kernels = drawn(seed, C, d)
    A = positive_definite(rng, d, 2.0) @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    M = riemannian_mean(kernels).operator()
    moved = riemannian_mean([A @ K @ A.T for K in kernels]).operator()
    np.testing.assert_allclose(moved, A @ M @ A.T, atol=1e-6 * np.abs(moved).max())
    turned = riemannian_mean(kernels[::-1]).operator()
    np.testing.assert_allclose(turned, M, atol=1e-6 * np.abs(M).max())


def test_of_equal_matrices_it_is_that_matrix():
    (K,) = drawn(0, 1, 20)
    ours = riemannian_mean([K] * 4)
    np.testing.assert_allclose(ours.operator(), K, atol=1e-12)
    np.testing.assert_allclose(differences(ours), 0, atol=1e-12)


def test_badly_conditioned_matrices_take_few_eigendecompositions_and_are_not_changed():
    """Eight decades, on which steps along the gradient take hundreds."""
    kernels = [np.asfortranarray(K) for K in drawn(0, 8, 40, spread=18.0)]
    before = [K.copy() for K in kernels]
    ours = riemannian_mean(kernels)
    np.testing.assert_array_equal(kernels, before)
    assert ours.converged
    assert ours.n_eigendecompositions == 1 + ours.n_steps + (ours.n_steps + 1) * 8
    assert ours.n_steps <= 8


def test_a_singular_matrix_has_no_mean():
    K1, K2, K3 = drawn(0, 3, 5)
    K3[0] = K3[:, 0] = 0
    with pytest.raises(NotPositiveDefiniteError, match="one is singular"):
        riemannian_mean([K1, K2, K3])
