"""The filters that the paper takes from libraries give those libraries' numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from skfeature.function.similarity_based.fisher_score import fisher_score as wrapped_fisher
from skfeature.function.statistical_based.t_score import t_score
from sklearn.feature_selection import f_classif, mutual_info_classif

from baselines import anova, fisher_score, information_gain, pearson, t_test
from baselines._common import shifted
from tests.baselines.quick import KINDS
from tests.cases import over

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=KINDS)
def X(request):
    return KINDS[request.param](np.random.default_rng(0), (50, 30))


Y = (np.arange(50) % 7 < 3).astype(int)
SEVERAL = np.arange(50) ** 2 % 7 % 3


@over("y", [Y, SEVERAL])
def test_anova_is_scikit_learns(X, y):
    np.testing.assert_allclose(anova(X, y), f_classif(X, y)[0], rtol=1e-10, atol=1e-10)


def test_pearson_is_pandas(X):
    expected = pd.DataFrame(X).corrwith(pd.Series(Y)).abs()
    np.testing.assert_allclose(pearson(X, Y), expected, rtol=0, atol=1e-12)


def test_t_test_is_skfeatures(X):
    np.testing.assert_allclose(t_test(X, Y), t_score(X, Y, mode="raw"), rtol=1e-10, atol=1e-12)
    in_unit = shifted(X)
    np.testing.assert_array_equal(t_test(X, Y), t_score(in_unit, Y, mode="raw"))


@over("y", [Y, SEVERAL])
def test_fisher_follows_skfeatures_order(X, y):
    """Its rounding decides between features of equal score."""
    along = fisher_score(X, y)[wrapped_fisher(X, y, mode="index")]
    assert np.diff(along).max() <= 1e-12


def test_information_gain_cuts_k_to_each_class(X):
    """The paper's grid ends at k = 100, with 50 samples."""
    largest = np.bincount(Y).max() - 1
    expected = information_gain(X, Y, k=int(largest))
    np.testing.assert_array_equal(information_gain(X, Y, k=100), expected)


def test_information_gain_leaves_single_samples_out():
    X = np.random.default_rng(0).normal(size=(21, 3))
    y = np.r_[np.arange(20) % 2, 2]
    expected = mutual_info_classif(X, y, discrete_features=False, random_state=0)
    np.testing.assert_array_equal(information_gain(X, y, ties="noise"), expected)
    np.testing.assert_allclose(information_gain(X, y), expected, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="No class has two samples"):
        information_gain(X[:3], [0, 1, 2])


ELEMENTS = st.integers(-3, 3).map(float) | st.floats(-1e3, 1e3, width=32)


@given(X=arrays(float, st.tuples(st.integers(3, 12), st.integers(1, 6)), elements=ELEMENTS))
@settings(max_examples=100)
def test_anova_pearson_and_fisher_order_a_binary_problem_alike(X):
    """F = (n - 2) r^2 / (1 - r^2) and Fisher = r^2 / (1 - r^2)."""
    n = len(X)
    y = np.arange(n) % 3 == 1
    X = X[:, np.ptp(X, axis=0) > 0]
    assume(X.shape[1])
    F, r, fisher = anova(X, y), pearson(X, y), fisher_score(X, y)
    share = r**2
    np.testing.assert_allclose(fisher / (1 + fisher), share, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(F / (F + n - 2), share, rtol=1e-6, atol=1e-9)
    order = np.argsort(r)
    apart = np.diff(share[order]) > 1e-9
    assert (np.diff(F[order])[apart] > 0).all()
    assert (np.diff(fisher[order])[apart] > 0).all()


@given(X=arrays(float, st.tuples(st.just(12), st.integers(1, 6)), elements=ELEMENTS))
@settings(max_examples=50)
def test_for_classes_of_equal_size_the_t_test_orders_as_they_do(X):
    """t^2 = n Fisher, as the biased variances add up to the spread within."""
    y = np.arange(12) % 2
    X = X[:, np.ptp(X, axis=0) > 0]
    assume(X.shape[1])
    t2, fisher = t_test(X, y) ** 2 / 12, fisher_score(X, y)
    np.testing.assert_allclose(t2 / (1 + t2), fisher / (1 + fisher), rtol=1e-6, atol=1e-9)
