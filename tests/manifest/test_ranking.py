"""Scores that rounding alone tells apart are equal, whatever the rounding was."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from manifest import ManiFeSt, manifest_score
from manifest.ranking import TIES, best_first, levels

# Many ties and near ties: multiples of steps below and above the tolerance, and any numbers.
SCORES = st.integers(1, 30).flatmap(
    lambda d: (
        arrays(float, d, elements=st.integers(-4, 4).map(float))
        | arrays(float, d, elements=st.integers(-4, 4).map(lambda i: 1 + i * 3e-10))
        | arrays(float, d, elements=st.floats(-1e300, 1e300))
    )
)


@given(scores=SCORES, data=st.data())
def test_perturbed_by_rounding_the_levels_are_the_same(scores, data):
    largest = np.abs(scores).max()
    steps = np.abs(np.diff(np.sort(scores / (largest or 1)))) / TIES
    assume(not ((steps > 0.99) & (steps < 1.01)).any())
    noise = data.draw(arrays(float, scores.size, elements=st.floats(-1e-12, 1e-12)))
    np.testing.assert_array_equal(levels(scores + noise * largest), levels(scores))


@given(scores=SCORES, data=st.data())
def test_levels_are_permuted_with_the_scores(scores, data):
    order = np.array(data.draw(st.permutations(range(scores.size))))
    np.testing.assert_array_equal(levels(scores[order]), levels(scores)[order])


@given(scores=SCORES)
def test_a_higher_level_is_a_lower_score_by_more_than_the_tolerance(scores):
    found, tolerance = levels(scores), TIES * np.abs(scores).max()
    assert set(found) == set(range(found.max() + 1))
    for upper in range(found.max()):
        least, next_one = scores[found == upper].min(), scores[found == upper + 1].max()
        assert least - next_one > tolerance
    for level in range(found.max() + 1):
        within = np.sort(scores[found == level])
        assert (np.diff(within) <= tolerance).all()


def test_nothing_zeros_the_least_number_and_chains_of_small_steps_have_levels():
    chain = [*(1 - 0.9 * TIES * np.arange(10)), 0.5]
    for scores, expected in (
        ([], []),
        ([0.0, 0.0], [0, 0]),
        ([0.0, -5e-324, 0.0], [0, 1, 0]),
        (chain, [0] * 10 + [1]),
    ):
        np.testing.assert_array_equal(levels(scores), expected)
    # Ties are in the order of the columns.
    np.testing.assert_array_equal(best_first([1, 3, 1 + 1e-12, 3 - 1e-12]), [1, 3, 0, 2])


@pytest.mark.filterwarnings("error")
def test_two_features_that_associate_with_each_other_alone_tie():
    """Their block of D is [[0, a], [a, 0]], up to what a far feature adds."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    first = rng.integers(0, 2, 40)
    X = np.c_[first, first ^ y, np.full((40, 4), 50.0) * rng.integers(0, 2, (40, 4))].astype(float)
    for one, other in ((0, 1), (1, 0)):
        columns = [one, other, 2, 3, 4, 5]
        scores = manifest_score(X[:, columns], y, scale_factor=0.1)
        assert levels(scores)[0] == levels(scores)[1]
        fitted = ManiFeSt(1.0, scale_factor=0.1).fit(X[:, columns], y)
        assert fitted.ranking_[1] == fitted.ranking_[0] + 1
