"""Sums, mean ranks, robust rank aggregation, pooled scales: against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binom, rankdata, spearmanr

from baselines import (
    anova,
    gini_index,
    grid_of,
    information_gain,
    min_max,
    relieff,
    sum_of_normalised,
)
from baselines.combined.greedy import manifest_greedy
from baselines.combined.pooled import manifest_pooled
from baselines.combined.ranks import (
    aggregated,
    order_statistics,
    rank_average,
    ranks,
    robust_rank_aggregation,
)
from baselines.combined.weighted import manifest_anova_weighted, manifest_relieff_weighted
from manifest import UninformativeScoreWarning, manifest_score
from tests.cases import over


def sample(n=40):
    y = np.arange(n) % 2
    return np.random.default_rng(0).normal(size=(n, 30)) + 0.8 * y[:, None] * (np.arange(30) < 3), y


PARTS = {
    manifest_relieff_weighted: lambda X, y: relieff(X, y, k=10),
    manifest_anova_weighted: anova,
}


@over("scorer", PARTS)
def test_a_weighted_sum_leads_from_the_filter_to_manifest(scorer):
    X, y = sample()
    first, second = min_max(manifest_score(X, y, percentile=30)), min_max(PARTS[scorer](X, y))
    np.testing.assert_array_equal(scorer(X, y, weight=1, percentile=30), first)
    np.testing.assert_array_equal(scorer(X, y, weight=0, percentile=30), second)
    half = scorer(X, y, weight=0.5, percentile=30)
    np.testing.assert_allclose(half, (first + second) / 2, rtol=1e-15)


@over("scorer", [*PARTS, manifest_greedy])
def test_a_row_of_the_grid_is_the_scorer_for_its_weight_to_the_last_bit(scorer):
    X, y = sample()
    name, grid = grid_of(scorer) or ("", None)
    assert grid is not None
    assert name == "weight"
    weights = [0, 0.3, 1, 0.25]
    for weight, row in zip(weights, grid(X, y, weights, percentile=70), strict=True):
        np.testing.assert_array_equal(row, scorer(X, y, percentile=70, weight=weight))
    with pytest.raises(ValueError, match="at least one weight"):
        grid(X, y, [])
    for wrong in (-0.1, "1", True, *([] if scorer is manifest_greedy else [1.1])):
        with pytest.raises(ValueError, match=r"weight must be a number from 0 to 1.*, got"):
            scorer(X, y, weight=wrong)


@settings(max_examples=40)
@given(lists=st.lists(st.lists(st.integers(1, 7), min_size=5, max_size=5), min_size=1, max_size=5))
def test_order_statistics_are_those_of_counting_how_many_lie_below(lists):
    """P(U_(k) <= share) of m uniform numbers is that of k or more among m below the share."""
    shares, m = np.array(lists) / 7, len(lists)
    ordered = enumerate(np.sort(shares, axis=0))
    expected = np.min([binom.sf(k, m, share) for k, share in ordered], axis=0)
    np.testing.assert_allclose(order_statistics(shares), expected, rtol=1e-9, atol=1e-15)


def test_one_list_is_kept_and_a_feature_that_is_first_in_all_is_first():
    scores = np.array([3.0, 1.0, 2.0, 0.0])
    np.testing.assert_allclose(aggregated([scores]), -np.log10([1 / 4, 3 / 4, 2 / 4, 1]))
    assert aggregated([scores] * 3).argmax() == 0
    assert aggregated([scores] * 3)[0] == pytest.approx(-3 * math.log10(1 / 4))
    # Good in two of three lists is better than mediocre in all of them.
    lists = [[9, 5, 1, 2, 3, 4, 6, 7, 8], [9, 5, 1, 2, 3, 4, 6, 7, 8], [0, 5, 9, 8, 7, 6, 4, 3, 2]]
    found = aggregated(lists)
    assert found[0] > found[1]


def test_both_rank_methods_read_nothing_but_the_ranks_of_their_lists():
    """Scores that are equal but for rounding share their ranks."""
    np.testing.assert_array_equal(ranks([2.0, 1.0, 1.0 + 1e-12, 0.0]), [1, 2.5, 2.5, 4])
    X, y = sample()
    lists = [manifest_score(X, y), relieff(X, y, k=10), anova(X, y)]
    places = np.array([rankdata(-scores) for scores in lists])
    np.testing.assert_allclose(rank_average(X, y), (30 - places.mean(axis=0)) / 29)
    expected = aggregated([*lists, information_gain(X, y)])
    np.testing.assert_array_equal(robust_rank_aggregation(X, y), expected)


def test_pooled_scales_are_the_mean_of_their_scores():
    X, y = sample()
    alone = [min_max(manifest_score(X, y, percentile=p)) for p in (5, 50)]
    np.testing.assert_allclose(manifest_pooled(X, y, percentiles=[5, 50]), np.mean(alone, axis=0))
    assert spearmanr(manifest_pooled(X, y, percentiles=[50]), alone[1])[0] == pytest.approx(1)
    with pytest.raises(ValueError, match="at least one percentile"):
        manifest_pooled(X, y, percentiles=[])


def test_scales_whose_score_is_rounding_are_left_out_where_there_are_others():
    X, y = sample(n=60)
    X[:, 0] *= 1000  # Distances to this feature are the largest ones.
    with pytest.warns(UninformativeScoreWarning):
        nothing = manifest_pooled(X, y, percentiles=[5], scale_factor=0.05)
    assert np.isfinite(nothing).all()
    alone = manifest_pooled(X, y, percentiles=[99], scale_factor=0.05)
    pooled = manifest_pooled(X, y, percentiles=[5, 99], scale_factor=0.05)
    np.testing.assert_array_equal(pooled, alone)


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
