"""mRMR, JMI and CFS: each step against a formula written out here."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import mutual_info_score as information

from baselines import get
from baselines.filters._sequential import binned

NAMES = ("mrmr", "jmi", "cfs")
VALUES, BINS = st.integers(-3, 3).map(float) | st.floats(-1e3, 1e3), st.integers(2, 8)


@pytest.fixture
def X(y):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 8)) + y[:, None] * np.linspace(0, 1, 8)
    X[:, 6] = X[:, 7] + 0.2 * rng.normal(size=40)  # Redundant.
    X[:, 5] = np.round(X[:, 5])
    return X


def together(*variables):
    """One number for each combination of values."""
    return np.unique(np.transpose(variables), axis=0, return_inverse=True)[1].ravel()


def uncertainty(a, b):
    """2 I / (H + H), as H(a) = I(a; a)."""
    return 2 * information(a, b) / (information(a, a) + information(b, b))


def criterion(name, f, y, taken):
    """The criterion of the next feature f, of bins."""
    if name == "cfs":
        pairs = itertools.combinations([*taken, f], 2)
        total = sum(uncertainty(a, b) for a, b in pairs)
        gained = sum(uncertainty(a, y) for a in [*taken, f])
        return gained / np.sqrt(len(taken) + 1 + 2 * total)
    if name == "jmi" and taken:
        return sum(information(together(f, s), y) for s in taken)
    redundancy = np.mean([information(f, s) for s in taken]) if taken else 0
    return information(f, y) - redundancy


@pytest.mark.parametrize("bins", [2, 3, 5])
@pytest.mark.parametrize("name", NAMES)
def test_each_whole_step_takes_the_feature_of_the_largest_criterion(name, X, y, bins):
    features = list(binned(X, bins))
    scores = get(name)(X, y, bins=bins)
    np.testing.assert_array_equal(np.sort(scores), np.arange(8))
    order = np.argsort(-scores)
    for step, best in enumerate(order):
        taken = [features[j] for j in order[:step]]
        values = {j: criterion(name, features[j], y, taken) for j in order[step:]}
        assert values[best] >= max(values.values()) - 1e-8


@pytest.mark.parametrize("name", NAMES)
def test_after_the_last_selected_the_rest_follows_by_relevance(name, X, y):
    scores = get(name)(X, y, n_selected=3)
    order = np.argsort(-scores)
    np.testing.assert_array_equal(order[:3], np.argsort(-get(name)(X, y))[:3])
    measure = uncertainty if name == "cfs" else information
    relevance = [measure(f, y) for f in binned(X, 5)]
    assert np.diff(np.take(relevance, order[3:])).max() <= 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_equal_features_count_as_one_and_share_a_score(name, X, y):
    scores = get(name)(X, y)
    np.testing.assert_array_equal(get(name)(np.c_[X[:, 3], X, X[:, 3]], y)[1:-1], scores)
    np.testing.assert_array_equal(get(name)(np.c_[X[:, 3], X], y)[0], scores[3])


@given(X=arrays(float, st.tuples(st.integers(2, 24), st.just(3)), elements=VALUES), bins=BINS)
@example(X=np.repeat([[0.0], [0.0], [0.0], [1.0], [2.0]], 3, axis=1), bins=3)
@settings(max_examples=100)
def test_bins_are_of_equal_frequency_but_part_no_equal_values(X, bins):
    """Few values are bins; else a value's bin is that of the middle of its place in the order."""
    for x, codes in zip(X.T, binned(X, bins), strict=True):
        values, place = np.unique(x, return_inverse=True)
        below, equal = np.sum(x < x[:, None], axis=1), np.sum(x == x[:, None], axis=1)
        middle = (2 * below + equal) * bins // (2 * len(x))
        np.testing.assert_array_equal(codes, place if values.size <= bins else middle)
        assert np.ptp(codes) > 0 or values.size == 1


def test_the_values_inside_the_bins_break_ties():
    y = np.arange(20) % 2
    x = np.repeat(np.arange(10), 2) + 0.0
    weak, strong = x + 0.1 * (np.arange(20) // 4 % 2), x + 0.4 * y
    for name in NAMES:
        scores = get(name)(np.c_[weak, strong], y, bins=2)
        assert scores[1] > scores[0]
