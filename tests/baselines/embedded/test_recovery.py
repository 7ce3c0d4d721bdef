"""Relevant features that the systems find in their papers' kinds of synthetic data."""

from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax", reason="the embedded systems need jax: pip install '.[neural]'")

from baselines.embedded import INVASE, L2X, LSPIN, STG, LinearSTG, RealX


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
@pytest.mark.parametrize(("model", "seeds"), [
    (LinearSTG(lam=0.03), [0]),
    pytest.param(LinearSTG(lam=0.03), range(1, 10), marks=pytest.mark.slow),
    pytest.param(STG(), range(2), marks=pytest.mark.slow),
])  # fmt: skip
def test_stg_opens_the_relevant_gates_and_no_others_for_each_seed(model, seeds):
    for seed in seeds:
        X, y = linear_problem(seed)
        model.set_params(random_state=seed, max_epochs=1500).fit(X, y)
        assert np.flatnonzero(model.feature_importances_).tolist() == [0, 1, 2, 3, 4], seed


NARROW: dict[str, Any] = {
    "selector_layers": (50, 50), "hidden_layers": (100, 100), "batch_size": 500, "random_state": 0,
}  # fmt: skip
#: A sample, the number of training samples, and the least accuracy, the least true positive rate
#: and the largest false discovery rate, in percent. The best accuracy is about 63 % for products;
#: the program of LSPIN's authors has 94 to 98 %. The papers train on 10,000 samples (INVASE) and a
#: million (L2X), and report that both features are found for every sample.
TEN, ELEVEN = ((partial(product, d=d), 10_000, (58, 99, 1)) for d in (10, 11))
GROUPS = two_groups, 855, (88, 98, 10)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "sample", "n", "bounds"), [
    (L2X(n_selected=2, max_epochs=5, batch_size=500, random_state=0), *TEN),
    (INVASE(learning_rate=1e-3, max_epochs=60, **NARROW), *ELEVEN),
    (RealX(lam=0.05, max_epochs=12, **NARROW), *ELEVEN),
    (LSPIN(gating_layers=(100, 100), hidden_layers=(200, 200), lam=1.3356, learning_rate=0.03415,
           max_epochs=1000, weight_std=0.1, random_state=0), *GROUPS),
], ids=["L2X", "INVASE", "RealX", "LSPIN"])  # fmt: skip
def test_the_gates_of_a_sample_are_those_of_its_relevant_features(model, sample, n, bounds):
    X, y, support = sample(1_000_000, 2000)
    opened = model.fit(*sample(0, n)[:2]).gates(X) > 0
    hits, n_open = (opened & support).sum(axis=1), opened.sum(axis=1)
    accuracy, least, most = bounds
    assert 100 * model.score(X, y) > accuracy
    assert 100 * (hits / support.sum(axis=1)).mean() >= least
    assert 100 * ((n_open - hits) / np.maximum(n_open, 1)).mean() <= most
