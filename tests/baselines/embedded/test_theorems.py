"""Statements of the papers on gates, gradients and subsets, against sums and differences."""

# ruff: noqa: E402  (what follows the skip needs jax)

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

jax = pytest.importorskip("jax", reason="the embedded systems need jax: pip install '.[neural]'")

import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

from baselines.embedded import INVASE, LSPIN, STG, RealX, TabNet
from baselines.embedded.invase import log_probability
from baselines.embedded.l2x import relaxed_subset
from baselines.embedded.layers import (
    BatchNorm,
    cross_entropy,
    network,
    open_probability,
    sampled_gate,
)
from baselines.embedded.tabnet import sparsemax
from baselines.embedded.training import double_precision_on_the_cpu

# jax compiles for a quarter of a minute.
pytestmark = pytest.mark.slow
RNG = np.random.default_rng
#: Widths of hidden layers.
NARROW: dict[str, Any] = {"gating_layers": (3,), "hidden_layers": (4,)}
FLAT: dict[str, Any] = {"selector_layers": (), "hidden_layers": ()}


@pytest.fixture(autouse=True)
def _precision():
    """Programs are compiled in half the time; they should not run for long."""
    jax.config.update("jax_disable_most_optimizations", True)
    with double_precision_on_the_cpu():
        yield
    jax.config.update("jax_disable_most_optimizations", False)


def test_the_open_probability_is_that_of_the_sampled_gates():
    mu, sigma = np.array([-0.7, -0.1, 0.0, 0.4, 1.3]), 0.5
    expected = norm.cdf(mu / sigma)
    np.testing.assert_allclose(open_probability(jnp.asarray(mu), sigma), expected, rtol=1e-12)
    z = sampled_gate(jax.random.key(0), jnp.broadcast_to(mu, (40_000, 5)), sigma)
    assert ((z >= 0) & (z <= 1)).all()
    error = 4 * np.sqrt(expected * (1 - expected) / 40_000)
    assert (np.abs((z > 0).mean(axis=0) - expected) <= error).all()


@pytest.mark.parametrize("system", ["global", "local"])
def test_as_sigma_vanishes_the_loss_is_that_of_hard_gates_and_of_their_number(system):
    X, y = RNG(0).normal(size=(12, 5)), np.eye(2)[np.arange(12) % 2]
    model = STG(hidden_layers=(4,)) if system == "global" else LSPIN(**NARROW)
    params = model.initial(RNG(1), 5, 2)
    if system == "global":
        params["mu"] = np.array([-0.5, -0.1, 0.2, 0.7, 1.4])
    loss = model.loss(params, X, y, jax.random.key(0), {"lam": 0.3, "sigma": 1e-9})
    logits, z = model.forward(params, X, BatchNorm(), np)
    count = (z > 0).sum() if system == "global" else (z > 0).mean()
    expected = float(np.mean(cross_entropy(logits, y)) + 0.3 * count)
    assert float(loss) == pytest.approx(expected, abs=1e-7)


def exact(value, scores):
    """E_s[value(s)] over all binary rows s, P(s_d = 1) = sigmoid(scores_d), mean over the rows."""
    masks = jnp.asarray(list(itertools.product([0.0, 1.0], repeat=scores.shape[1])))
    total = jnp.zeros(len(scores))
    for mask in masks:
        s = jnp.broadcast_to(mask, scores.shape)
        total = total + jnp.exp(log_probability(s, scores)) * value(s)
    return total.mean()


ACTOR_CRITIC = INVASE(**FLAT), {"lam": 0.2, "weight_decay": 0.0}
COLD, WARM = ((RealX(**FLAT), {"lam": 0.2, "temperature": t}) for t in (0.1, 1.0))


@pytest.mark.parametrize(("system", "part"), [
    (ACTOR_CRITIC, "selector"), (COLD, "selector"), (WARM, "selector"), (WARM, "predictor"),
])  # fmt: skip
def test_a_network_moves_along_the_gradient_of_its_expected_loss(system, part):
    """REBAR's estimate is unbiased. REAL-x teaches its predictor on random subsets alone."""
    model, weights = system
    rng = RNG(2)
    X, y = rng.normal(size=(3, 2)), np.eye(2)[[0, 1, 1]]
    params = jax.tree.map(lambda a: a + rng.normal(size=a.shape), model.initial(RNG(1), 2, 2))

    def expected(own):
        networks = {**params, part: own}
        scores = network(networks["selector"], X, "none", jnp)

        def value(s):
            return cross_entropy(network(networks["predictor"], X * s, "none", jnp), y)

        if part == "predictor":
            return exact(value, jnp.zeros(X.shape))
        return exact(value, scores) + 0.2 * jax.nn.sigmoid(scores).mean()

    def of_key(key):
        found = jax.grad(lambda p: model.loss(p, X, y, key, weights))(params)
        return ravel_pytree(found[part])[0]

    estimates = jax.jit(jax.vmap(of_key))(jax.random.split(jax.random.key(1), 20_000))
    wanted = ravel_pytree(jax.grad(expected)(params[part]))[0]
    error = estimates.std(axis=0) / np.sqrt(len(estimates))
    assert (np.abs(estimates.mean(axis=0) - wanted) <= 4.5 * error + 1e-12).all()


def test_a_relaxed_subset_is_one_of_k_draws_when_it_is_cold():
    scores = jnp.asarray([[0.0, 1.0, 2.0, -1.0]])
    draws = jax.jit(jax.vmap(lambda key: relaxed_subset(key, scores, 1, 1e-3)[0]))(
        jax.random.split(jax.random.key(0), 20_000)
    )
    assert (draws.max(axis=1) > 0.4).all()  # Two that nearly tie share a draw.
    share = np.bincount(np.argmax(draws, axis=1), minlength=4) / 20_000
    expected = np.exp(scores[0]) / np.exp(scores[0]).sum()
    assert (np.abs(share - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / 20_000)).all()
    three = relaxed_subset(jax.random.key(1), jnp.zeros((50, 6)), 3, 1e-3)
    assert (np.round(three).sum(axis=1) <= 3).all()


def test_sparsemax_is_the_nearest_point_of_the_simplex():
    rng = RNG(0)
    Z = rng.normal(size=(6, 5)) * np.array([0.1, 0.5, 1, 2, 5, 20])[:, None]
    found = sparsemax(Z, np)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    assert (found >= 0).all()
    assert (found[-1] == 0).any()
    np.testing.assert_allclose(sparsemax(jnp.asarray(Z), jnp), found, atol=1e-14)
    # It is the projection: the distance z - p is one number on the support, and no larger outside.
    for z, p in zip(Z, found, strict=True):
        tau = (z - p)[p > 0]
        np.testing.assert_allclose(tau, tau[0], rtol=1e-12)
        assert (z[p == 0] <= tau[0]).all()


def test_the_masks_of_a_sample_and_its_gates_sum_to_one():
    model = TabNet(width=2)
    params, X = model.initial(RNG(0), 6, 2), RNG(1).normal(size=(20, 6))
    _, masks, sizes = model._decision(params, X, BatchNorm(), np)
    np.testing.assert_allclose([mask.sum(axis=1) for mask in masks], np.ones((3, 20)))
    _, gates = model.forward(params, X, BatchNorm(), np)
    np.testing.assert_allclose(gates.sum(axis=1), (np.sum(sizes, axis=0) > 0).astype(float))
    unused = np.all([mask == 0 for mask in masks], axis=0)
    assert unused.any()
    assert (gates[unused] == 0).all()
