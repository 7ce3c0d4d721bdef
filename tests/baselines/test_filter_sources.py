"""Filters of two and more classes against libraries, against formulas, and against each other."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from scipy.stats import f_oneway
from skfeature.function.similarity_based.fisher_score import fisher_score as wrapped_fisher
from skfeature.function.similarity_based.lap_score import lap_score
from skfeature.function.similarity_based.reliefF import reliefF
from skfeature.function.statistical_based.gini_index import gini_index as wrapped_gini
from skfeature.function.statistical_based.t_score import t_score
from skfeature.utility.construct_W import construct_W
from sklearn.feature_selection import f_classif, mutual_info_classif

from baselines import (
    anova,
    fisher_score,
    gini_index,
    information_gain,
    laplacian_score,
    pearson,
    relieff,
    t_test,
)
from baselines._common import shifted
from tests.baselines.quick import KINDS
from tests.cases import over, tables

Y = (np.arange(50) % 7 < 3).astype(int)
SEVERAL = np.arange(50) ** 2 % 7 % 3


@over("kind", KINDS)
def test_what_the_paper_takes_from_libraries_has_their_numbers(kind):
    X = KINDS[kind](np.random.default_rng(0), (50, 30))
    for y in (Y, SEVERAL):
        assert_allclose(anova(X, y), f_classif(X, y)[0], rtol=1e-10, atol=1e-10)
        # The rounding of skfeature decides between features of equal score.
        along = fisher_score(X, y)[wrapped_fisher(X, y, mode="index")]
        assert np.diff(along).max() <= 1e-12
    expected = pd.DataFrame(X).corrwith(pd.Series(Y)).abs()
    assert_allclose(pearson(X, Y), expected, rtol=0, atol=1e-12)
    assert_allclose(t_test(X, Y), t_score(X, Y, mode="raw"), rtol=1e-10, atol=1e-12)
    assert_array_equal(t_test(X, Y), t_score(shifted(X), Y, mode="raw"))
    # The paper's grid ends at k = 100, with 50 samples: k is cut to each class.
    largest = int(np.bincount(Y).max())
    for scorer, k in ((information_gain, largest - 1), (relieff, largest)):
        assert_array_equal(scorer(X, Y, k=100), scorer(X, Y, k=k))


def test_information_gain_leaves_single_samples_out():
    X = np.random.default_rng(0).normal(size=(21, 3))
    y = np.r_[np.arange(20) % 2, 2]
    expected = mutual_info_classif(X, y, discrete_features=False, random_state=0)
    assert_array_equal(information_gain(X, y, ties="noise"), expected)
    assert_allclose(information_gain(X, y), expected, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="No class has two samples"):
        information_gain(X[:3], [0, 1, 2])


@over("n_classes", [2, 3, 5])
def test_several_classes_of_unequal_size_have_the_formulas(n_classes):
    """Pearson's r and t are the largest of a class against the rest."""
    shares = np.arange(1, n_classes + 1) / np.arange(1, n_classes + 1).sum()
    y = np.random.default_rng(1).choice(n_classes, size=60, p=shares)
    X = np.random.default_rng(0).normal(size=(60, 20)) + np.linspace(0, 1, 20) * y[:, None]
    parts = [(X[y == c], X[y != c]) for c in range(n_classes)]
    expected = f_oneway(*(inside for inside, _ in parts)).statistic
    assert_allclose(anova(X, y), expected, rtol=1e-10)
    means = np.array([X[y == c].mean(axis=0) for c in y])
    between, within = ((means - X.mean(axis=0)) ** 2).sum(axis=0), ((X - means) ** 2).sum(axis=0)
    assert_allclose(fisher_score(X, y), between / within, rtol=1e-10)
    r = [np.corrcoef(X, y == c, rowvar=False)[-1, :-1] for c in range(n_classes)]
    assert_allclose(pearson(X, y), np.abs(r).max(axis=0), rtol=1e-10)
    t = [
        (a.mean(axis=0) - b.mean(axis=0)) / np.sqrt(a.var(axis=0) / len(a) + b.var(axis=0) / len(b))
        for a, b in parts
    ]
    assert_allclose(t_test(X, y), np.abs(t).max(axis=0), rtol=1e-10)


ELEMENTS = st.integers(-3, 3).map(float) | st.floats(-1e3, 1e3, width=32)


@pytest.mark.parametrize("scorer", [pearson, t_test])
@given(data=st.data())
@settings(max_examples=50)
def test_it_is_the_maximum_over_the_classes_of_two_class_scores(scorer, data):
    X = data.draw(tables(st.integers(6, 20), 3, ELEMENTS))
    n = len(X)
    X[:, 0] = np.arange(n)  # Where no feature varied, every score would be 0.
    y = np.array([0, 1, 2, *data.draw(st.lists(st.integers(0, 2), min_size=n - 3, max_size=n - 3))])
    varying = np.ptp(X, axis=0) > 0
    expected = np.max([scorer(X, y == c) for c in range(3)], axis=0)
    assert_allclose(scorer(X, y)[varying], expected[varying], rtol=1e-6, atol=1e-9)


@given(X=tables(st.integers(3, 12), st.integers(1, 6), ELEMENTS))
@settings(max_examples=100)
def test_anova_pearson_fisher_and_t_test_order_a_binary_problem_alike(X):
    """F = (n - 2) r^2 / (1 - r^2) and Fisher = r^2 / (1 - r^2).

    For classes of equal size t^2 = n Fisher, as the biased variances add up to the spread within.
    """
    n = len(X)
    y = np.arange(n) % 3 == 1
    X = X[:, np.ptp(X, axis=0) > 0]
    assume(X.shape[1])
    F, r, fisher = anova(X, y), pearson(X, y), fisher_score(X, y)
    share = r**2
    assert_allclose(fisher / (1 + fisher), share, rtol=1e-6, atol=1e-9)
    assert_allclose(F / (F + n - 2), share, rtol=1e-6, atol=1e-9)
    order = np.argsort(r)
    apart = np.diff(share[order]) > 1e-9
    assert (np.diff(F[order])[apart] > 0).all()
    assert (np.diff(fisher[order])[apart] > 0).all()
    if n % 2 == 0:
        y = np.arange(n) % 2
        t2, fisher = t_test(X, y) ** 2 / n, fisher_score(X, y)
        assert_allclose(t2 / (1 + t2), fisher / (1 + fisher), rtol=1e-6, atol=1e-9)


def test_skfeatures_weights_for_several_classes_are_not_the_textbooks():
    """The trap is there: the weights of the other classes do not add up to 1."""
    y = np.repeat([0, 1, 2], [6, 12, 24])
    X = np.random.default_rng(0).uniform(size=(42, 3))
    X -= X.min(axis=0)
    X /= X.max(axis=0)
    theirs, ours = reliefF(X, y, mode="raw", k=3), relieff(X, y, k=3)
    assert np.abs(theirs - ours).max() > 0.1 * np.abs(ours).max()


@pytest.fixture(scope="module")
def colon(mirror):
    """Ternary genes, many of them tied."""
    with np.load(mirror / "colon.npz", allow_pickle=False) as stored:
        return stored["X"].astype(float), stored["y"]


def test_on_real_genes_own_forms_rank_as_the_wrapped_ones(colon):
    X, y = colon
    order = np.argsort(-gini_index(X, y))
    assert_array_equal(order, wrapped_gini(X, y, mode="index"))
    order = wrapped_fisher(shifted(X), y, mode="index")
    assert np.diff(fisher_score(X, y)[order]).max() <= 1e-12
    graph = {"metric": "euclidean", "neighbor_mode": "knn", "weight_mode": "heat_kernel"}
    W = construct_W(X, k=len(X) - 1, t=np.median(pdist(X)), **graph)
    order = lap_score(shifted(X), W=W, mode="index")
    assert np.diff(laplacian_score(X, neighbors=None)[order]).max() <= 1e-12
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)  # No distances are equal.
    for k in (1, 5, 20):
        wrapped = relieff(X, y, k=k, scale=False, engine="skfeature")
        assert_allclose(relieff(X, y, k=k, scale=False), wrapped, rtol=0, atol=1e-10)


def test_noise_decides_which_genes_are_best_by_scikit_learns_information_gain(colon):
    """Why counting the ties is the default: permuting the columns changes half of the best 50."""
    X, y = colon
    order = np.random.default_rng(0).permutation(X.shape[1])

    def kept(ties):
        best, again = (
            np.argsort(-information_gain(columns, y, ties=ties), kind="stable")[:50]
            for columns in (X, X[:, order])
        )
        return np.intersect1d(best, order[again]).size

    assert kept("noise") < 25
    scores = information_gain(X, y)
    assert_allclose(information_gain(X[:, order], y), scores[order], atol=1e-12)
