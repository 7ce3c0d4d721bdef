"""The sum of normalised scores."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from baselines import (
    anova,
    combine,
    get,
    gini_index,
    information_gain,
    min_max,
    relieff,
    sum_of_normalised,
)

pytestmark = pytest.mark.filterwarnings("error")

X = np.random.default_rng(0).normal(size=(30, 8))
Y = np.arange(30) % 2
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(arrays(float, st.integers(1, 20), elements=FINITE))
@settings(deadline=None)
def test_min_max_fills_the_unit_interval_and_keeps_the_order(scores):
    normalised = min_max(scores)
    assert normalised.min() == 0
    assert normalised.max() == (scores.max() > scores.min())
    assert (np.diff(normalised[np.argsort(scores)]) >= 0).all()
    assert ((normalised > 0) == (scores > scores.min())).all()


def test_min_max_is_the_formula():
    np.testing.assert_array_equal(min_max([2, 6, 3, 4]), [0, 1, 0.25, 0.5])
    np.testing.assert_array_equal(min_max([7, 7]), [0, 0])


@pytest.mark.parametrize("scores", [[], [[1, 2]], 3, [1, np.nan], [1, np.inf]])
def test_min_max_refuses_what_is_not_one_finite_vector(scores):
    with pytest.raises(ValueError, match="one vector of finite numbers"):
        min_max(scores)


def test_the_sum_is_of_normalised_vectors():
    total = sum_of_normalised([[0, 5, 10], [3, 2, 1], [1, 1, 1]])
    np.testing.assert_array_equal(total, [1, 1, 1])


@pytest.mark.parametrize("scores", [[], [[1, 2], [1, 2, 3]]])
def test_vectors_of_different_features_are_not_summed(scores):
    with pytest.raises(ValueError, match="same features"):
        sum_of_normalised(scores)


def test_a_combination_is_the_sum_of_its_parts():
    expected = min_max(anova(X, Y)) + min_max(relieff(X, Y))
    np.testing.assert_array_equal(combine(anova, relieff)(X, Y), expected)


def test_parameters_go_under_the_name_of_the_part():
    expected = sum_of_normalised(
        [information_gain(X, Y, k=7), relieff(X, Y, k=2, scale=False), gini_index(X, Y)]
    )
    scores = combine(information_gain, relieff, gini_index)(
        X, Y, relieff={"k": 2, "scale": False}, information_gain={"k": 7}
    )
    np.testing.assert_array_equal(scores, expected)


def test_parameters_of_a_part_that_is_not_there_are_refused():
    with pytest.raises(TypeError, match=r"anova\+relieff has no part relief:.*anova and relieff"):
        combine(anova, relieff)(X, Y, relief={"k": 2})


def test_a_combination_may_be_combined():
    inner = combine(anova, relieff)
    outer = combine(inner, gini_index)
    scores = outer(X, Y, **{"anova+relieff": {"relieff": {"k": 3}}})
    expected = sum_of_normalised([inner(X, Y, relieff={"k": 3}), gini_index(X, Y)])
    np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("scorers", [(), (anova,), (anova, anova)])
def test_it_takes_two_or_more_different_scorers(scorers):
    with pytest.raises(ValueError, match="two or more scorers of different names"):
        combine(*scorers)


def test_it_can_be_sent_to_another_process_and_compared():
    combination = pickle.loads(pickle.dumps(combine(anova, relieff)))
    assert combination == combine(anova, relieff) == get("anova + relieff")
    np.testing.assert_array_equal(combination(X, Y), combine(anova, relieff)(X, Y))


def test_a_constant_feature_stays_last_beside_one_that_is_last_in_each_part():
    """Its last-digit distance to them would vanish in the quotient (s - min) / (max - min)."""
    useless = np.tile([0.0, 0.0, 1.0, 1.0], 6)
    y = np.tile([0, 1], 12)
    data = np.c_[useless, np.full(24, 3.0), 9 * y + useless, y]
    assert anova(data, y)[0] == 0
    scores = combine(anova, gini_index)(data, y)
    assert scores[1] < scores[0] < scores[2]
