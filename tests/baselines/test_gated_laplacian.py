"""The gated Laplacian against its formula, written out pair by pair."""

import numpy as np
from scipy.stats import norm

from baselines import gated_laplacian
from baselines.filters.gated_laplacian import _objective


def gated_objective(X, mu, noise, factor):
    """Equation 4, pair by pair."""
    gated = X * np.clip(mu + noise, 0, 1)
    squared = ((gated[:, None] - gated) ** 2).sum(axis=2)
    nearest = (squared + np.diag(np.full(len(X), np.inf))).min(axis=1)
    K = np.exp(-squared / (factor * nearest.mean()))
    P = K / K.sum(axis=1, keepdims=True)
    return -np.trace(gated.T @ P @ P @ gated) / X.size / (norm.cdf(2 * mu).mean() + 1e-6)


def test_the_gradient_of_the_gated_laplacian_is_that_of_its_formula():
    rng = np.random.default_rng(0)
    X, mu, noise = rng.normal(size=(15, 6)), rng.uniform(-0.2, 1.2, 6), 0.1 * rng.normal(size=6)
    value, gradient = _objective(X, mu, noise, 2.0)
    np.testing.assert_allclose(value, gated_objective(X, mu, noise, 2.0), rtol=1e-12)
    for f, step in enumerate(1e-6 * np.eye(6)):
        rise = gated_objective(X, mu + step, noise, 2) - gated_objective(X, mu - step, noise, 2)
        np.testing.assert_allclose(gradient[f], rise / 2e-6, rtol=1e-5, atol=1e-9)


def test_equal_samples_are_not_each_others_nearest():
    X = np.random.default_rng(0).normal(size=(10, 4))
    mu, noise = np.full(4, 0.5), np.zeros(4)
    twice = _objective(np.repeat(X, 2, axis=0), mu, noise, 1.0)
    once = _objective(X, mu, noise, 1.0)
    np.testing.assert_allclose(twice[0], once[0], rtol=1e-10)
    np.testing.assert_allclose(twice[1], once[1], rtol=1e-8)


def test_the_gates_stay_open_for_features_that_part_clusters():
    rng = np.random.default_rng(0)
    clusters = np.arange(100) % 2
    X = rng.normal(size=(100, 20))
    X[:, :4] += 4 * clusters[:, None]
    scores = gated_laplacian(X, rng.integers(2, size=100), n_steps=200)
    assert set(np.argsort(-scores)[:4]) == {0, 1, 2, 3}


def test_features_of_equal_ranks_have_their_own_scores_in_any_order():
    """An increasing map of a feature is another feature; another unit of it is not."""
    rng = np.random.default_rng(0)
    X, y, order = rng.normal(size=(40, 6)), np.arange(40) % 2, rng.permutation(6)
    X[:, 1], X[:, 3] = np.exp(3 * X[:, 0]), 1e3 + 5 * X[:, 2]
    scores = gated_laplacian(X, y, n_steps=20)
    assert scores[0] != scores[1]
    assert scores[2] == scores[3]
    np.testing.assert_allclose(gated_laplacian(X[:, order], y, n_steps=20), scores[order])
