"""Every filter avoids the traps in the wrapped code and in floating point, a test for each trap."""

import itertools

import numpy as np
import pytest

import baselines
from baselines import fisher_score, laplacian_score
from manifest import ranking
from tests.baselines.quick import get
from tests.cases import over

#: A random choice looks at no feature: what holds of filters does not hold of it.
FILTERS = tuple(name for name in baselines.names() if name != "random")
#: Scores of these follow the labels in no way, and depend on the units of the features.
UNSUPERVISED = ("gated_laplacian", "laplacian", "spec")
SUPERVISED = [name for name in FILTERS if name not in UNSUPERVISED]


def problem(seed=0, d=9):
    y = (np.arange(40) % 5 < 2).astype(int)
    return np.random.default_rng(seed).normal(size=(40, d)) + y[:, None] * np.linspace(0, 1, d), y


#: Values that a parameter of these filters does not take; numbers below are refused by their range.
INTEGERS = {
    "k": (["relieff", "ig"], 1),
    "seed": (["ig", "random", "boruta", "gated_laplacian"], 0),
    "neighbors": (["laplacian"], 1),
    "bins": (["mrmr", "jmi", "cfs"], 2),
    "n_selected": (["mrmr", "jmi", "cfs", "trace_ratio", "generalized_fisher"], 1),
}
NUMBERS: tuple[tuple[str, str, tuple], ...] = (
    ("laplacian", "percentile", (-1, 101)),
    ("generalized_fisher", "gamma", (0, -1, np.inf)),
    ("hsic", "width", (0, -1, np.inf, 1e3)),
    ("gated_laplacian", "factor", (0,)),
)


def test_a_parameter_without_a_meaning_is_refused():
    X, y = problem()
    for parameter, (names, least) in INTEGERS.items():
        for name, value in itertools.product(names, (least - 1, 2.5, True, "1")):
            error = ValueError if value == least - 1 and value is not True else TypeError
            with pytest.raises(error, match=f"{parameter} must be"):
                get(name)(X, y, **{parameter: value})
    for name, parameter, beyond in NUMBERS:
        for value in (*beyond, np.nan, "much", None, True):
            with pytest.raises(ValueError, match=f"{parameter} must be a number"):
                get(name)(X, y, **{parameter: value})
    for name, parameter, value in (("ig", "ties", "first"), ("relieff", "engine", "cython")):
        with pytest.raises(ValueError, match=value):
            get(name)(X, y, **{parameter: value})
    with pytest.raises(ValueError, match="two samples"):
        get("ig")(X[:3], [0, 1, 2])


@over("name", FILTERS)
def test_a_constant_feature_changes_no_other_score(name):
    X, y = problem()
    scores = get(name)(np.insert(X, 4, 1e3, axis=1), y)
    np.testing.assert_array_equal(np.delete(scores, 4), get(name)(X, y))
    others = np.delete(scores, 4)
    # Below all others by more than a ranking takes for a tie, and by as little as that.
    gap = (others.min() - scores[4]) / np.abs(others).max()
    assert 1.5 * ranking.TIES < gap < 3 * ranking.TIES


def test_constant_features_alone_have_score_zero_and_one_feature_or_two_samples_are_enough():
    X, y = np.tile([0.0, 1e9, -0.1], (10, 1)), np.arange(10) % 2
    for name in FILTERS:
        np.testing.assert_array_equal(get(name)(X, y), np.zeros(3), err_msg=name)
        assert np.isfinite(get(name)(*problem(d=1))).all(), name
        if name != "ig":
            scores = get(name)([[0.0, 3.0, 7.0], [1.0, 3.0, 4.0]], ["a", "b"])
            assert np.isfinite(scores).all(), name
            assert scores[1] < min(scores[0], scores[2]), name


@over("name", SUPERVISED)
def test_a_feature_without_spread_inside_the_classes_is_first_and_finite(name):
    """Its F, t and Fisher score are infinite; rounding can make them negative or NaN."""
    for seed in range(5):
        X, y = problem(seed)
        low, high = np.random.default_rng(seed).normal(size=2)
        X[:, 2] = np.where(y, high, low)
        scores = get(name)(X, y)
        assert np.isfinite(scores).all(), seed
        assert np.argmax(scores) == 2, seed
    # Beside a feature of equal class means scikit-learn warns of a constant one: the perfect one.
    y = np.arange(12) % 2
    X = np.c_[y, np.arange(12) // 2 % 2, np.arange(12) % 3]
    assert np.argmax(get(name)(X, y)) == 0


def test_an_offset_costs_no_digits():
    """For integers the differences are exact; sums of squares about 0 would lose the feature."""
    X, y = problem()
    X = np.round(100 * X)
    offset = np.where(np.arange(9) % 2, 2.0**40, -(2.0**45))
    for name in sorted(set(FILTERS) - {"ig"}):
        expected = get(name)(X - X.min(axis=0), y)
        np.testing.assert_array_equal(get(name)(X + offset, y), expected, err_msg=name)


def test_a_feature_of_tiny_variance_is_not_taken_for_a_constant():
    """skfeature replaces each denominator below 1e-12 by 10000, and has this feature last."""
    X, y = problem()
    tiny = X * 2.0 ** np.where(np.arange(9) == 8, -30, 0)
    assert np.argmax(fisher_score(X, y)) == 8
    np.testing.assert_array_equal(fisher_score(tiny, y), fisher_score(X, y))
    follower = X[:, 0] + y
    # The small copy changes no distance by a digit that counts, and has the same score.
    scores = laplacian_score(np.c_[X, follower, follower * 2.0**-30], y)
    np.testing.assert_allclose(scores[10], scores[9], rtol=1e-9)
