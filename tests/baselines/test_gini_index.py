"""The sorted form of the Gini index against its definition and against skfeature's loops."""

import numpy as np
import pytest
from skfeature.function.statistical_based.gini_index import gini_index as wrapped

from baselines import gini_index
from baselines.filters import gini
from tests.baselines.quick import KINDS as BASE
from tests.cases import over

KINDS = BASE | {"rounded": lambda rng, shape: np.round(rng.normal(size=shape), 1)}


@pytest.fixture(params=KINDS)
def X(request):
    return KINDS[request.param](np.random.default_rng(0), (30, 40))


def by_definition(x, y):
    """The smallest impurity over all thresholds, one share at a time."""

    def impurity(labels):
        return 1 - sum(np.mean(labels == c) ** 2 for c in set(labels)) if labels.size else 0

    sides = ((y[x <= v], y[x > v]) for v in x)
    return min(sum(side.size * impurity(side) for side in two) / y.size for two in sides)


@over("n_classes", [2, 3, 5])
def test_it_is_what_the_definition_says(X, n_classes):
    y = np.random.default_rng(1).integers(n_classes, size=30)
    expected = [-by_definition(x, y) for x in X.T]
    np.testing.assert_allclose(gini_index(X, y), expected, rtol=0, atol=1e-14)


def test_it_ranks_exactly_as_skfeature_ties_included(X):
    """A score that differed in its last bit would change the order of ties."""
    for seed in range(5):
        y = np.random.default_rng(seed).integers(2, size=30)
        order, theirs = np.argsort(-gini_index(X, y)), wrapped(X, y, mode="index")
        np.testing.assert_array_equal(order, theirs, err_msg=f"seed {seed}")


def test_neither_values_of_the_same_order_nor_chunks_of_features_move_a_score(X, monkeypatch):
    y = np.arange(30) % 2
    expected = gini_index(X, y)
    np.testing.assert_array_equal(gini_index(np.exp(X), y), expected)
    monkeypatch.setattr(gini, "_CHUNK", 100)
    np.testing.assert_array_equal(gini_index(X, y), expected)
