"""Relevant features that the systems find in their papers' kinds of synthetic data."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

pytest.importorskip("jax", reason="the embedded systems need jax: pip install '.[neural]'")

import baselines
from baselines.embedded import INVASE, L2X, LSPIN, STG, LinearSTG, RealX, lassonet_score, stg_score
from baselines.embedded.lassonet import hierarchical_prox


def linear_problem(seed, n=200, d=50):
    """Five features decide the class, but for noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, :5] @ [2, -2, 2, -2, 2] + 0.5 * rng.normal(size=n) > 0).astype(int)


def product(seed, n, d):
    """P(y = 1 | x) = 1 / (1 + exp(x_1 x_2)), x normal; X, y and the relevant features of a sample.

    The XOR of L2X (Chen et al. 2018) with d = 10, and Syn1 of INVASE (Yoon et al. 2019) with
    d = 11. No classifier is right in more than about 0.63 of the samples.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (rng.uniform(size=n) < 1 / (1 + np.exp(X[:, 0] * X[:, 1]))).astype(int)
    return X, y, np.tile(np.arange(d) < 2, (n, 1))


def two_groups(seed, n, d=50):
    """Two groups with features of their own: the nonlinear classification that comes with LSPIN.

    The first four features are normal with a standard deviation of 1/2 around 1 in the first half
    of the samples, and around -1 in the second; the others, around 0. y = 1 where x_1 x_2 < 0.9 in
    the first half, and where x_3^2 + x_4^2 < 2.5 in the second (Yang et al. 2022, the authors'
    program).
    """
    second = np.arange(n)[:, None] >= n // 2
    X = np.random.default_rng(seed).normal(scale=0.5, size=(n, d))
    X[:, :4] += np.where(second, -1.0, 1.0)
    squares = (X[:, 2:4] ** 2).sum(axis=1) - 2.5
    y = (np.where(second[:, 0], squares, X[:, 0] * X[:, 1] - 0.9) < 0).astype(int)
    return X, y, np.arange(d) // 2 == second


# lam was chosen on seeds 100 to 129, where 0.02, 0.03 and 0.04 succeed in 29, 30 and 29.
@pytest.mark.slow
@pytest.mark.parametrize(("model", "n_seeds"), [(LinearSTG(lam=0.03), 10), (STG(), 2)])
def test_stg_opens_the_relevant_gates_and_no_others_for_each_seed(model, n_seeds):
    for seed in range(n_seeds):
        X, y = linear_problem(seed)
        model.set_params(random_state=seed, max_epochs=1500).fit(X, y)
        assert np.flatnonzero(model.feature_importances_).tolist() == [0, 1, 2, 3, 4], seed


NARROW: dict[str, Any] = {
    "selector_layers": (50, 50), "hidden_layers": (100, 100), "batch_size": 500, "max_epochs": 60,
}  # fmt: skip
#: System, its sample and number of training samples -> the least accuracy, the least true positive
#: rate and the largest false discovery rate, in percent. The best accuracy is about 63 % for the
#: first three; the program of LSPIN's authors has 94 to 98 %. The papers train on 10,000 samples
#: (INVASE) and a million (L2X), and report that both features are found for every sample.
STUDIES: dict[str, Any] = {
    "L2X": (
        # So few epochs are over before an optimised program would be compiled.
        L2X(n_selected=2, max_epochs=5, batch_size=500, random_state=0),
        (partial(product, d=10), 10_000),
        (58, 99, 1),
    ),
    "INVASE": (
        INVASE(learning_rate=1e-3, random_state=0, **NARROW),
        (partial(product, d=11), 10_000),
        (58, 99, 1),
    ),
    "RealX": (
        RealX(lam=0.05, random_state=0, **NARROW | {"max_epochs": 12}),
        (partial(product, d=11), 10_000),
        (58, 99, 1),
    ),
    "LSPIN": (
        LSPIN(
            gating_layers=(100, 100),
            hidden_layers=(200, 200),
            lam=1.3356,
            learning_rate=0.03415,
            max_epochs=1000,
            weight_std=0.1,
            random_state=0,
        ),
        (two_groups, 855),
        (88, 98, 10),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_the_gates_of_a_sample_are_those_of_its_relevant_features(name, request):
    model, (sample, n), (accuracy, least, most) = STUDIES[name]
    if name in ("L2X", "RealX"):
        request.getfixturevalue("compiled_soon")
    X, y, support = sample(1_000_000, 2000)
    opened = model.fit(*sample(0, n)[:2]).gates(X) > 0
    hits, n_open = (opened & support).sum(axis=1), opened.sum(axis=1)
    assert 100 * model.score(X, y) > accuracy
    assert 100 * (hits / support.sum(axis=1)).mean() >= least
    assert 100 * ((n_open - hits) / np.maximum(n_open, 1)).mean() <= most


def scores_of(scorer, X, y, n_relevant, **options):
    """The scores: the first features are relevant, feature 7 is constant, labels are names."""
    scores = scorer(X, y, **options)
    assert scores.shape == X.shape[1:]
    assert scores.dtype == np.float64
    assert np.isfinite(scores).all()
    assert set(np.argsort(-scores)[:n_relevant]) == set(range(n_relevant))
    assert scores[7] < np.delete(scores, 7).min()
    named = baselines.get(f"baselines.embedded:{scorer.__name__}")
    labelled = named(X.tolist(), np.array(["no", "yes"])[y], **options)
    np.testing.assert_array_equal(labelled, scores)
    return scores


@pytest.mark.slow
@pytest.mark.parametrize("linear", [True, False])
def test_the_gates_of_stg_are_scores(linear):
    X, y = linear_problem(0, n=80, d=20)
    X[:, 7] = 1.0
    scores = scores_of(stg_score, X, y, 5, linear=linear, max_epochs=400)
    system = (LinearSTG if linear else STG)(max_epochs=400, random_state=0).fit(X, y)
    np.testing.assert_array_equal(np.clip(scores, 0, 1), system.feature_importances_)
    assert system.gate_means_[7] == -np.inf


SMALL: dict[str, Any] = {"learning_rate": 0.01, "max_epochs": 100}


@pytest.mark.parametrize("hierarchy", [0.3, 1.0, 10.0])
@pytest.mark.parametrize("price", [0.0, 0.5, 3.0])
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
    X, y = linear_problem(0, n=20, d=5)
    for scorer in (stg_score, lassonet_score):
        with pytest.raises(ValueError, match="at least two"):
            scorer(X, 0 * y)
    with pytest.raises(ValueError, match="'lam' parameter of STG must be a float"):
        stg_score(X, y, lam=-1)
    for name, value in (("hierarchy", 0), ("multiplier", 1), ("path_epochs", 0)):
        with pytest.raises(ValueError, match=f"'{name}' parameter"):
            lassonet_score(X, y, **{name: value})
