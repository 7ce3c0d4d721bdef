"""Relevant features that the systems find in their papers' kinds of synthetic data."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="the embedded systems need jax: pip install '.[neural]'")

from baselines.embedded import INVASE, L2X, LSPIN, STG, LinearSTG, RealX, TabNet, stg_score


def linear_problem(seed, n=200, d=50, relevant=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    signs = np.where(np.arange(relevant) % 2, -2.0, 2.0)
    return X, (X[:, :relevant] @ signs + 0.5 * rng.normal(size=n) > 0).astype(int)


def test_linear_stg_opens_the_relevant_gates_and_no_others_in_ten_of_ten_seeds():
    for seed in range(10):
        X, y = linear_problem(seed)
        model = LinearSTG(random_state=seed, max_epochs=1500).fit(X, y)
        assert np.flatnonzero(model.feature_importances_).tolist() == [0, 1, 2, 3, 4], seed


def test_stg_opens_the_relevant_gates_and_no_others():
    for seed in range(3):
        X, y = linear_problem(seed)
        model = STG(random_state=seed, max_epochs=1500).fit(X, y)
        assert np.flatnonzero(model.feature_importances_).tolist() == [0, 1, 2, 3, 4], seed
