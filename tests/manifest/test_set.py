"""The order of features: scores that tie, greedy choice of a set, copies."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from manifest import ManiFeSt, manifest_score
from manifest.ranking import TIES, best_first, levels
from manifest.relevance import set_choice
from manifest.set import set_order


def brute_force(quality, S):
    """The order in which each step makes the determinant of the chosen ones largest."""
    L = S * np.outer(quality, quality)
    order: list[int] = []
    while len(order) < quality.size:
        left = [i for i in range(quality.size) if i not in order]
        det = [np.linalg.det(L[[*order, i]][:, [*order, i]]) for i in left]
        order.append(left[int(np.argmax(det))])
    return order


@given(d=st.integers(1, 7), chosen=st.integers(1, 7), seed=st.integers(0, 999))
def test_each_step_makes_the_determinant_largest_however_many_are_asked_for(d, chosen, seed):
    rng = np.random.default_rng(seed)
    quality, S = rng.uniform(0.3, 1, d), np.atleast_2d(np.corrcoef(rng.normal(size=(d, d + 2))))
    everything, some = set_order(quality, S), set_order(quality, S, chosen)
    assert np.argsort(everything).tolist() == brute_force(quality, S)
    np.testing.assert_array_equal(some[everything < chosen], everything[everything < chosen])
    np.testing.assert_array_equal(np.sort(some), np.arange(d))


def test_those_that_tie_are_taken_in_one_step_and_of_copies_one():
    quality = np.array([1.0, 1.0 - 1e-12, 0.5, 1.0, 0.0])
    S = np.eye(5)
    S[0, 3] = S[3, 0] = 1.0
    np.testing.assert_array_equal(set_order(quality, S), [0, 0, 1, 2, 3])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_copy_comes_after_all_others_of_positive_quality(n_classes):
    rng = np.random.default_rng(n_classes)
    y = np.arange(45) % n_classes
    X = rng.normal(size=(45, 12))
    X[:, :3] += 2 * y[:, None]
    X = np.column_stack([X, X[:, [0, 1, 0]], np.zeros(45)])
    scores = np.array([*np.linspace(1, 0.1, 12), 0.9, 0.9, 0.8, 2])
    steps = set_choice(X, y, scores)
    copies, constant = [12, 13, 14], 15
    assert steps[:11].max() < min(steps[copies])  # the last of the twelve has quality 0
    assert steps[constant] > np.delete(steps, constant).max()


def test_what_cannot_be_chosen_from_is_refused():
    X, y = np.random.default_rng(0).normal(size=(20, 4)), np.arange(20) % 2
    for scores in (np.ones(3), [1, 2, 3, np.nan]):
        with pytest.raises(ValueError, match=r"scores must be .*4 finite numbers"):
            set_choice(X, y, scores)
    with pytest.raises(ValueError, match="1 of the 4 features of X vary"):
        set_choice(X * [1, 0, 0, 0], y, np.ones(4))
    with pytest.raises(ValueError, match="quality must be a finite number >= 0"):
        set_order(np.array([1.0, -0.5]), np.eye(2))


def test_scores_that_tie_at_the_last_candidate_share_a_step(monkeypatch):
    monkeypatch.setattr("manifest.relevance.CANDIDATES", 8)
    rng = np.random.default_rng(0)
    X, y, order = rng.normal(size=(20, 30)), np.arange(20) % 2, rng.permutation(30)
    for n_above in (0, 5):
        scores = np.r_[np.arange(n_above, 0, -1.0), np.zeros(30 - n_above)]
        steps = set_choice(X, y, scores)
        assert len(set(steps[n_above:])) == 1
        assert (steps[:n_above] < steps[n_above:].max()).all()
        np.testing.assert_array_equal(set_choice(X[:, order], y, scores[order]), steps[order])


# Many ties and near ties: multiples of steps below and above the tolerance, and any numbers.
SCORES = st.integers(1, 30).flatmap(
    lambda d: (
        arrays(float, d, elements=st.integers(-4, 4).map(float))
        | arrays(float, d, elements=st.integers(-4, 4).map(lambda i: 1 + i * 3e-10))
        | arrays(float, d, elements=st.floats(-1e300, 1e300))
    )
)


@given(scores=SCORES, data=st.data())
def test_a_higher_level_is_a_lower_score_by_more_than_the_tolerance(scores, data):
    """Neither the order of the scores nor rounding changes a level."""
    found, largest = levels(scores), np.abs(scores).max()
    assert set(found) == set(range(found.max() + 1))
    for level in range(found.max() + 1):
        within = np.sort(scores[found == level])
        assert (np.diff(within) <= TIES * largest).all()
        assert within[0] - scores[found > level].max(initial=-np.inf) > TIES * largest
    order = np.array(data.draw(st.permutations(range(scores.size))))
    np.testing.assert_array_equal(levels(scores[order]), found[order])
    steps = np.abs(np.diff(np.sort(scores / (largest or 1)))) / TIES
    assume(not ((steps > 0.99) & (steps < 1.01)).any())
    noise = data.draw(arrays(float, scores.size, elements=st.floats(-1e-12, 1e-12)))
    np.testing.assert_array_equal(levels(scores + noise * largest), found)


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
