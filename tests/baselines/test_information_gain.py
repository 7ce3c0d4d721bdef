"""Information gain and the Gini index against libraries, and against estimates written out."""

import itertools
from functools import partial

import numpy as np
import pytest
from scipy.special import digamma
from skfeature.function.statistical_based.gini_index import gini_index as wrapped
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score

from baselines import gini_index, information_gain
from baselines.filters.ig import information_gain_grid
from tests.baselines.conftest import KINDS

sklearns = partial(mutual_info_classif, discrete_features=False, random_state=0)


WHOLE = KINDS | {
    "skewed": lambda rng, shape: np.exp(3 * rng.normal(size=shape)),
    "rounded": lambda rng, shape: np.round(rng.normal(size=shape), 1),
}
#: Features with both repeated and single values, made of positive numbers.
PARTLY_DISCRETE = {
    "pixels": lambda X: np.where(X < 1, 0, np.round(40 * X)),
    "half repeated": lambda X: np.where(X < 1.5, 0, X),
    "counts": lambda X: np.round(6 * X) / 3,
}


def data(kind, n, n_classes):
    rng = np.random.default_rng(n)
    y = np.arange(n) % n_classes
    if kind in WHOLE:
        X = WHOLE[kind](rng, (n, 6))
        X[:, :4] += y[:, None]
        return X, y
    X = PARTLY_DISCRETE[kind](rng.gamma(1, size=(n, 6)) + y[:, None] * np.linspace(0, 2, 6))
    assert all(np.sqrt(n) < np.unique(x).size < n for x in X.T)
    return X, y


@pytest.mark.parametrize("kind", WHOLE)
def test_the_scores_are_scikit_learns(kind):
    for n_classes, n in itertools.product((2, 3), (24, 56, 200, 801)):
        X, y = data(kind, n, n_classes)
        for k in (1, 3, n // n_classes // 2 - 1) if n < 801 else (3,):
            theirs = sklearns(X, y, n_neighbors=k)
            (ours,) = information_gain_grid(X, y, [k], ties="noise")
            np.testing.assert_array_equal(ours, theirs, err_msg=str((n_classes, n, k)))
    theirs = mutual_info_classif(X, y, discrete_features=False, random_state=5)
    np.testing.assert_array_equal(information_gain(X, y, k=3, ties="noise", seed=5), theirs)


def counted(X, y, k):
    """The rule: shares where values are few; else distances, and ties counted on both sides."""
    kept = np.array([(y == label).sum() > 1 for label in y])
    X, y = X[kept], y[kept]
    n, scores = len(y), []
    for x in X.T:
        if len(set(x)) <= np.sqrt(n):
            scores.append(mutual_info_score(x, y))
            continue
        terms = []
        for i in range(n):
            others = np.arange(n) != i
            distance = np.round(np.abs(x - x[i]) / np.ptp(x), 12)
            same = np.sort(distance[others & (y == y[i])])
            rho = same[min(k, len(same)) - 1]
            k_i, m_i = (same <= rho).sum(), (distance[others] <= rho).sum()
            terms.append(digamma(k_i) - digamma(len(same) + 1) - digamma(m_i))
        scores.append(digamma(n) + np.mean(terms))
    return np.maximum(scores, 0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["continuous", "binary", "ternary", *PARTLY_DISCRETE])
def test_is_the_formula_for_any_number_of_neighbours(kind, n_classes):
    X, y = data(kind, 25 if kind in WHOLE else 50, n_classes)
    y[3] = 7
    for k in (1, 5, 11, 12, 13, 30, 100) if kind in WHOLE else (1, 3, 30):
        close = partial(np.testing.assert_allclose, atol=1e-12, err_msg=f"k = {k}")
        scores = information_gain(X, y, k=k)
        close(scores, counted(X, y, k))
        if kind == "continuous":  # The noise has no effect, and this is Ross's formula (2014).
            close(information_gain(X, y, k=k, ties="noise"), scores)


def by_definition(x, y):
    """The smallest impurity over all thresholds, one share at a time."""

    def impurity(labels):
        return 1 - sum(np.mean(labels == c) ** 2 for c in set(labels)) if labels.size else 0

    sides = ((y[x <= v], y[x > v]) for v in x)
    return min(sum(side.size * impurity(side) for side in two) / y.size for two in sides)


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_gini_index_is_what_the_definition_says_and_has_skfeatures_order(kind, n_classes):
    rng = np.random.default_rng(0)
    X, y = WHOLE[kind](rng, (30, 40)), rng.integers(n_classes, size=30)
    scores, expected = gini_index(X, y), [-by_definition(x, y) for x in X.T]
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(gini_index(np.cbrt(X), y), scores)  # The order alone counts.
    if n_classes == 2:  # A score that differed in its last bit would change the order of ties.
        np.testing.assert_array_equal(np.argsort(-scores), wrapped(X, y, mode="index"))
