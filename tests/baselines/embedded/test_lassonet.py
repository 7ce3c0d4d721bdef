"""LassoNet: its proximal operator against a search, and the path as scores."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

pytest.importorskip("jax", reason="the embedded systems need jax: pip install '.[neural]'")

from baselines.embedded import lassonet_score
from baselines.embedded.lassonet import hierarchical_prox
from tests.baselines.embedded.test_recovery import scores_of
from tests.cases import over

SMALL: dict[str, Any] = {"learning_rate": 0.01, "max_epochs": 100, "hidden_layers": (5,)}


@over("hierarchy", [0.3, 1.0, 10.0])
@over("price", [0.0, 0.5, 3.0])
def test_the_proximal_operator_is_the_minimum(hierarchy, price):
    rng = np.random.default_rng(0)
    theta, W = rng.normal(size=(12, 2)), rng.normal(size=(12, 5))
    b, V = hierarchical_prox(theta, W, price, hierarchy, np)
    norms = np.linalg.norm(b, axis=1)
    assert (np.abs(V).max(axis=1) <= hierarchy * norms + 1e-12).all()
    for j in range(len(theta)):
        length, w = np.linalg.norm(theta[j]), np.abs(W[j])

        # For |b| = t, the best b is along theta, and the best V is W cut to hierarchy t.
        def objective(t, length=length, w=w):
            cut = np.maximum(w - hierarchy * t, 0.0)
            return (length - t) ** 2 / 2 + (cut**2).sum() / 2 + price * t

        reached = ((theta[j] - b[j]) ** 2).sum() / 2 + ((W[j] - V[j]) ** 2).sum() / 2
        reached += price * norms[j]
        assert reached == pytest.approx(objective(norms[j]), abs=1e-12)
        least = minimize_scalar(objective, bounds=(0, 10), options={"xatol": 1e-10}).fun
        assert reached <= min(least, objective(0.0)) + 1e-9


def test_the_path_of_lassonet_gives_scores():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    y = (X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=80) > 0).astype(int)
    X[:, 7] = 1.0
    scores_of(lassonet_score, X, y, 2, **SMALL, path_epochs=20)


def test_the_path_gives_scores_if_no_feature_has_a_linear_effect():
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    X = np.tile(corners, (5, 1))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert (X.T @ (y - y.mean()) == 0).all()
    scores = lassonet_score(X, y, **SMALL, path_epochs=5)
    assert np.isfinite(scores).all()
    assert scores.min() >= 0
    assert scores.max() > 0


def test_what_cannot_be_scored_is_refused():
    X, y = np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2
    with pytest.raises(ValueError, match="at least two"):
        lassonet_score(X, 0 * y)
    for change, says in (
        ({"hierarchy": 0}, r"'hierarchy' parameter .* range \(0.0, inf\)"),
        ({"multiplier": 1}, r"'multiplier' parameter .* range \(1.0, inf\)"),
        ({"path_epochs": 0}, r"'path_epochs' parameter .* int in the range \[1, inf\)"),
        ({"hidden_layers": ()}, "hidden_layers must hold at least one width"),
    ):
        with pytest.raises(ValueError, match=says):
            lassonet_score(X, y, **change)
