"""The sum of normalised scores, against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from baselines import anova, gini_index, min_max, sum_of_normalised

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(arrays(float, st.integers(1, 20), elements=FINITE))
def test_min_max_fills_the_unit_interval_and_keeps_the_order(scores):
    normalised = min_max(scores)
    assert normalised.min() == 0
    assert normalised.max() == (scores.max() > scores.min())
    assert (np.diff(normalised[np.argsort(scores)]) >= 0).all()
    assert ((normalised > 0) == (scores > scores.min())).all()


def test_min_max_is_the_formula_for_one_finite_vector():
    np.testing.assert_array_equal(min_max([2, 6, 3, 4]), [0, 1, 0.25, 0.5])
    np.testing.assert_array_equal(min_max([7, 7]), [0, 0])
    for scores in ([], [[1, 2]], 3, [1, np.nan], [1, np.inf]):
        with pytest.raises(ValueError, match="one vector of finite numbers"):
            min_max(scores)


def test_the_sum_is_of_normalised_vectors_of_the_same_features():
    total = sum_of_normalised([[0, 5, 10], [3, 2, 1], [1, 1, 1]])
    np.testing.assert_array_equal(total, [1, 1, 1])
    for scores in ([], [[1, 2], [1, 2, 3]]):
        with pytest.raises(ValueError, match="same features"):
            sum_of_normalised(scores)


def test_a_constant_feature_stays_last_beside_one_that_is_last_in_each_part():
    """Its score is one last digit lower, which would vanish in (s - min) / (max - min)."""
    useless = np.tile([0.0, 0.0, 1.0, 1.0], 6)
    y = np.tile([0, 1], 12)
    data = np.c_[useless, np.full(24, 3.0), 9 * y + useless, y]
    assert anova(data, y)[0] == 0
    scores = sum_of_normalised([anova(data, y), gini_index(data, y)])
    assert scores[1] < scores[0] < scores[2]
