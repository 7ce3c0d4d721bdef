"""Greedy selection: against a loop that takes one feature at a time, and on copies of features."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import min_max
from baselines.combined.greedy import greedy_order, manifest_greedy
from manifest import manifest_score, operators
from manifest.ranking import levels
from tests.cases import over


def one_after_the_other(relevance, redundancy, weight, how):
    """The features in the order in which they are taken; there must be no ties."""
    taken = [int(np.argmax(relevance))]
    while len(taken) < relevance.size:
        left = [i for i in range(relevance.size) if i not in taken]
        penalty = getattr(np, how)(redundancy[np.ix_(left, taken)], axis=1)
        taken.append(left[int(np.argmax(relevance[left] - weight * penalty))])
    return taken


@given(
    d=st.integers(2, 12),
    weight=st.sampled_from([0, 0.1, 0.5, 1, 3]),
    how=st.sampled_from(["mean", "max"]),
    seed=st.integers(0, 99),
)
def test_features_are_taken_by_relevance_less_penalty(d, weight, how, seed):
    rng = np.random.default_rng(seed)
    relevance = rng.random(d)
    B = rng.normal(size=(d, d))
    redundancy = np.asarray(np.corrcoef(B))
    steps = greedy_order(relevance, redundancy, weight, d, how)
    assert np.argsort(steps).tolist() == one_after_the_other(relevance, redundancy, weight, how)


def test_those_that_tie_are_taken_together_and_the_rest_follows_by_relevance():
    relevance = np.array([0.2, 1.0, 1.0 + 1e-12, 0.5, 0.4, 0.2])
    steps = greedy_order(relevance, np.eye(6), 0.5, 3)
    np.testing.assert_array_equal(steps, [3, 0, 0, 1, 2, 3])


def sample():
    """Two features that follow the classes, each with three near copies; the rest is noise."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 20))
    X[:, :2] += y[:, None] * np.array([2.5, 2.0])
    X[:, 2:8] = np.tile(X[:, :2], 3) + 0.05 * rng.normal(size=(60, 6))
    return X, y


def test_a_weight_of_zero_is_the_plain_ranking():
    X, y = sample()
    expected = levels(manifest_score(X, y, percentile=70))
    for n_selected in (3, 200):
        scores = manifest_greedy(X, y, weight=0, percentile=70, n_selected=n_selected)
        np.testing.assert_array_equal(levels(scores), expected)


def test_the_penalty_is_that_of_the_mean_kernel_with_unit_diagonal():
    X, y = sample()
    M = operators(X, y, percentile=70).mean
    M = M / np.sqrt(np.outer(np.diag(M), np.diag(M)))
    relevance = min_max(manifest_score(X, y, percentile=70))
    for how in ("mean", "max"):
        scores = manifest_greedy(X, y, weight=0.4, percentile=70, redundancy=how)
        assert np.argsort(-scores).tolist() == one_after_the_other(relevance, M, 0.4, how)
        np.testing.assert_array_equal(np.sort(scores), np.arange(20))


@over(
    ("given", "error", "says"),
    [
        ({"weight": np.inf}, ValueError, r"weight must be a number from 0 to .*, got inf"),
        ({"redundancy": "sum"}, ValueError, 'redundancy must be "mean" or "max"'),
        ({"n_selected": 0}, ValueError, "n_selected must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(given, error, says):
    with pytest.raises(error, match=says):
        manifest_greedy(*sample(), **given)
