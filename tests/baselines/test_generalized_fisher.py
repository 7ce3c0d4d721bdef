"""The generalised Fisher score against its definition: criterion, best point, limits."""

import itertools

import numpy as np
import pytest

from baselines import fisher_score, generalized_fisher
from baselines.filters.generalized_fisher import _left, _with_sum

GAMMAS = [0.01, 1.0, 100.0]


@pytest.fixture
def X(y):
    X = np.random.default_rng(0).normal(size=(40, 7))
    X[:, :3] += y[:, None]
    X[:, 1] += X[:, 0]
    return X


def normalised(X):
    X = X - X.mean(axis=0)
    return X / np.linalg.norm(X, axis=0)


def indicator(y):
    H = (y[:, None] == np.unique(y)) / np.sqrt(np.bincount(y))
    return H - H.mean(axis=0)


def criterion(X, y, p, gamma):
    """tr[S_b (S_t + gamma I)^-1] of the features weighted by the roots of p."""
    Z = normalised(X) * np.sqrt(p)
    means = np.array([Z[y == c].mean(axis=0) for c in y])
    return np.trace(means.T @ means @ np.linalg.inv(Z.T @ Z + gamma * np.eye(X.shape[1])))


def left(X, y, p, gamma):
    return _left(normalised(X), indicator(y), np.asarray(p), gamma, None)


def weights(X, y, m, gamma):
    """The p of the scores, which are (1 + p) |x_f'V(p)|, by the same updates."""
    p = np.full(X.shape[1], m / X.shape[1])
    for _ in range(100):
        p = _with_sum(p * left(X, y, p, gamma), m)
    return p


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_squares_are_gamma_times_the_derivatives_of_the_criterion(X, y, gamma):
    p = np.random.default_rng(1).uniform(0.2, 0.8, 7)
    for f, step in enumerate(1e-6 * np.eye(7)):
        rise = criterion(X, y, p + step, gamma) - criterion(X, y, p - step, gamma)
        np.testing.assert_allclose(left(X, y, p, gamma)[f] ** 2, gamma * rise / 2e-6, rtol=1e-4)
    # Both systems of equations, of samples and of features, have the same solution.
    Z = normalised(X)
    by_features = _left(Z, indicator(y), p, gamma, Z.T @ Z)
    np.testing.assert_allclose(by_features, left(X, y, p, gamma), rtol=1e-8)


@pytest.mark.parametrize("m", [1, 2, 4])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_best_point_of_the_relaxation_is_reached(X, y, m, gamma):
    """No p is better by more than sum_f (q_f - p_f) F'_f, F being concave; q is the best corner."""
    p = weights(X, y, m, gamma)
    slopes = left(X, y, p, gamma) ** 2 / gamma
    reached = criterion(X, y, p, gamma)
    assert np.sort(slopes)[-m:].sum() - p @ slopes <= 0.01 * reached
    for chosen in itertools.combinations(range(7), m):
        corner = np.isin(np.arange(7), chosen).astype(float)
        assert criterion(X, y, corner, gamma) <= 1.01 * reached
    scores = (1 + p) * left(X, y, p, gamma)
    np.testing.assert_allclose(generalized_fisher(X, y, n_selected=m, gamma=gamma), scores)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_limits_are_ridge_regression_for_all_features_and_the_correlation_ratio(X, y, gamma):
    """w_f = x_f'V / gamma where p_f = 1."""
    Z = normalised(X)
    W = np.linalg.solve(Z.T @ Z + gamma * np.eye(7), Z.T @ indicator(y))
    expected = 2 * gamma * np.linalg.norm(W, axis=1)
    np.testing.assert_allclose(generalized_fisher(X, y, gamma=gamma), expected, rtol=1e-8)
    # For a large gamma it is the correlation ratio.
    fisher = fisher_score(X, y)
    scores = generalized_fisher(X, y, gamma=1e6)
    np.testing.assert_allclose(scores, 2 * np.sqrt(fisher / (1 + fisher)), rtol=1e-4)
