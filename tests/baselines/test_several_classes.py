"""Filters of several classes against formulas that are written out here, class by class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import f_oneway
from skfeature.function.similarity_based.reliefF import reliefF

from baselines import anova, fisher_score, pearson, relieff, t_test

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=[2, 3, 5])
def y(request):
    """Classes of unequal size."""
    return np.random.default_rng(1).choice(request.param, size=60, p=shares(request.param))


def shares(n_classes):
    weights = np.arange(1, n_classes + 1)
    return weights / weights.sum()


@pytest.fixture
def X(y):
    return np.random.default_rng(0).normal(size=(60, 20)) + np.linspace(0, 1, 20) * y[:, None]


def test_anova_is_scipys_test_of_equal_means(X, y):
    expected = f_oneway(*(X[y == c] for c in np.unique(y))).statistic
    np.testing.assert_allclose(anova(X, y), expected, rtol=1e-10)


def test_fisher_is_the_spread_of_the_means_over_that_of_the_samples(X, y):
    means = np.array([X[y == c].mean(axis=0) for c in y])
    between, within = ((means - X.mean(axis=0)) ** 2).sum(axis=0), ((X - means) ** 2).sum(axis=0)
    np.testing.assert_allclose(fisher_score(X, y), between / within, rtol=1e-10)


def test_pearson_is_the_largest_correlation_with_a_class_against_the_rest(X, y):
    expected = [
        max(abs(np.corrcoef(x, y == c)[0, 1]) for c in np.unique(y)) for x in np.transpose(X)
    ]
    np.testing.assert_allclose(pearson(X, y), expected, rtol=1e-10)


def test_the_t_test_is_the_largest_of_a_class_against_the_rest(X, y):
    def t(inside, outside):
        spread = np.var(inside) / len(inside) + np.var(outside) / len(outside)
        return abs(np.mean(inside) - np.mean(outside)) / np.sqrt(spread)

    expected = [max(t(x[y == c], x[y != c]) for c in np.unique(y)) for x in X.T]
    np.testing.assert_allclose(t_test(X, y), expected, rtol=1e-10)


@pytest.mark.parametrize("scorer", [pearson, t_test])
@given(data=st.data())
@settings(max_examples=50)
def test_it_is_the_maximum_over_the_classes_of_two_class_scores(scorer, data):
    n = data.draw(st.integers(6, 20))
    values = st.integers(-3, 3).map(float) | st.floats(-1e3, 1e3, width=32)
    X = data.draw(arrays(float, (n, 3), elements=values))
    X[:, 0] = np.arange(n)  # Where no feature varied, every score would be 0.
    y = np.array([0, 1, 2, *data.draw(arrays(int, n - 3, elements=st.integers(0, 2)))])
    varying = np.ptp(X, axis=0) > 0
    expected = np.max([scorer(X, y == c) for c in range(3)], axis=0)
    np.testing.assert_allclose(scorer(X, y)[varying], expected[varying], rtol=1e-6, atol=1e-9)


def test_a_feature_that_sets_one_class_apart_is_first_for_both():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 10))
    X[:, 7] += 3 * (y == 1)
    for scorer in (pearson, t_test):
        assert np.argmax(scorer(X, y)) == 7


def test_skfeatures_weights_for_several_classes_are_not_the_textbooks():
    """The trap is there: the weights of the other classes do not add up to 1."""
    y = np.repeat([0, 1, 2], [6, 12, 24])
    X = np.random.default_rng(0).uniform(size=(42, 3))
    X -= X.min(axis=0)
    X /= X.max(axis=0)
    theirs, ours = reliefF(X, y, mode="raw", k=3), relieff(X, y, k=3)
    assert np.abs(theirs - ours).max() > 0.1 * np.abs(ours).max()
