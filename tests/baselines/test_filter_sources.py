"""Filters of two and more classes against libraries, against formulas, and against each other."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import f_oneway
from skfeature.function.similarity_based.fisher_score import fisher_score as wrapped_fisher
from skfeature.function.statistical_based.t_score import t_score
from sklearn.feature_selection import f_classif

from baselines import anova, fisher_score, information_gain, pearson, relieff, t_test
from baselines.contract import shifted
from tests.baselines.quick import KINDS
from tests.cases import over

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
