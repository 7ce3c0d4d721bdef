"""Statistics as pure functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from experiments.evaluation.statistics import (
    deviation_interval,
    resampled_floor,
    resampled_interval,
    resampled_ttest,
    split_stability,
)

values = arrays(float, st.integers(2, 30), elements=st.floats(-100, 100))


def test_the_interval_of_independent_values_is_students():
    sample = np.random.default_rng(0).normal(size=12)
    expected = stats.ttest_1samp(sample, 0).confidence_interval(0.95)
    assert resampled_interval(sample) == pytest.approx(tuple(expected))
    assert np.isnan(resampled_interval([1.0])).all()


def test_the_interval_of_independent_values_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        low, high = resampled_interval(rng.normal(size=10))
        covered += low <= 0 <= high
    assert 0.935 < covered / 2000 < 0.965


@given(values, st.floats(0.01, 1))
def test_overlapping_splits_widen_the_interval(sample, share):
    low, high = resampled_interval(sample)
    wide_low, wide_high = resampled_interval(sample, share)
    n = len(sample)
    assert wide_high - wide_low == pytest.approx((high - low) * np.sqrt(1 + n * share))
    assert wide_low + wide_high == pytest.approx(low + high, abs=1e-9)


@given(values, st.floats(0.01, 1), st.floats(0.5, 0.99))
def test_splitting_the_same_samples_ever_more_often_ends_at_the_floor(sample, share, level):
    # The deviation of few values has another denominator when they are repeated.
    scale = np.sqrt((len(sample) - 1) / len(sample))
    often = np.array(resampled_interval(np.tile(sample, 20000), share, level)) - sample.mean()
    floor = np.array(resampled_floor(sample, share, level)) - sample.mean()
    assert often == pytest.approx(scale * floor, rel=0.01, abs=1e-9)
    assert np.isnan(resampled_floor([1.0], share)).all()


def test_deviation_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        low, high = deviation_interval(rng.normal(scale=3, size=10).std(ddof=1), 10)
        covered += low <= 3 <= high
    assert 0.935 < covered / 2000 < 0.965
    assert np.isnan(deviation_interval(1.0, 1)).all()


@given(values)
def test_resampled_ttest_without_overlap_is_students(differences):
    if np.ptp(differences) < 1e-3:
        return
    expected = stats.ttest_1samp(differences, 0)
    t, p = resampled_ttest(differences, 0)
    assert t == pytest.approx(expected.statistic)
    assert p == pytest.approx(expected.pvalue)


@given(values, st.floats(0.01, 1))
def test_resampled_ttest_and_interval_agree(differences, share):
    low, high = resampled_interval(differences, share)
    _, p = resampled_ttest(differences, share)
    if min(abs(low), abs(high)) > 1e-9:
        assert (p < 0.05) == (low > 0 or high < 0)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0.0, 0.0, 0.0], (0, 1)),
        ([0.1, 0.1, 0.1], (np.inf, 0)),
        ([-0.1, -0.1], (-np.inf, 0)),
        ([0.9 - 0.8, 0.8 - 0.7], (np.inf, 0)),
        ([0.0, 0.0, 1e-200], resampled_ttest([0.0, 0.0, 1.0], 0.1)),
        ([0.1], (np.nan, np.nan)),
    ],
)
def test_resampled_ttest_of_equal_differences(differences, expected):
    assert resampled_ttest(differences, 0.1) == pytest.approx(expected, nan_ok=True)


def test_resampled_ttest_rejects_as_often_as_it_says():
    """Means whose correlation is the one that the correction assumes: n_test / n of all samples."""
    rng = np.random.default_rng(0)
    correlation = 0.1
    rejected = 0
    for _ in range(2000):
        shared = rng.normal() * np.sqrt(correlation)
        differences = shared + rng.normal(size=10) * np.sqrt(1 - correlation)
        rejected += resampled_ttest(differences, correlation / (1 - correlation))[1] < 0.05
    assert 0.035 < rejected / 2000 < 0.065


def stability(subsets):
    return split_stability(subsets).mean()


subsets = st.tuples(st.integers(2, 8), st.integers(2, 12)).flatmap(
    lambda shape: arrays(bool, shape)
)


@given(subsets)
def test_stability_is_one_for_equal_subsets_and_never_more(chosen):
    equal = np.tile(chosen[0], (len(chosen), 1))
    if equal.all() or not equal.any():
        assert np.isnan(stability(equal))
    else:
        assert stability(equal) == pytest.approx(1)
    if not chosen.all() and chosen.any():
        assert -1 / (len(chosen) - 1) - 1e-12 <= stability(chosen) <= 1 + 1e-12


@given(subsets, st.randoms(use_true_random=False))
def test_stability_ignores_order_and_counts_absence_as_presence(chosen, random):
    if chosen.all() or not chosen.any():
        return
    rows, columns = list(range(chosen.shape[0])), list(range(chosen.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    for other in (chosen[rows][:, columns], ~chosen):
        assert stability(other) == pytest.approx(stability(chosen))


def test_stability_by_hand():
    """Each selects two of four features, one in common: variances 0, 1/2, 1/2, 0 against 1/4."""
    chosen = np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool)
    assert stability(chosen) == pytest.approx(0)
    assert stability(np.array([[1, 0], [0, 1]], dtype=bool)) == pytest.approx(-1)
    assert np.isnan(stability(chosen[:1]))
    with pytest.raises(ValueError, match="expected booleans"):
        stability([[0, 2, 3], [0, 1, 5]])


def test_stability_of_equal_sizes_is_kunchevas_index():
    """Kuncheva's index (2007) is the mean over pairs of (overlap - k^2 / d) / (k - k^2 / d)."""
    rng = np.random.default_rng(0)
    n, d, k = 6, 20, 7
    chosen = np.array([rng.permutation(d) < k for _ in range(n)])
    overlap = (chosen.astype(int) @ chosen.T)[np.triu_indices(n, 1)]
    assert stability(chosen) == pytest.approx(((overlap - k**2 / d) / (k - k**2 / d)).mean())


@pytest.mark.parametrize("sizes", [[8, 8, 8], [2, 5, 10, 20, 30]])
def test_stability_of_random_subsets_in_expectation(sizes):
    """It is -var(k / d) / ((M - 1) m (1 - m)), which is 0 where all sizes are equal."""
    rng = np.random.default_rng(0)
    shares = np.array(sizes) / 40
    mean = shares.mean()
    expected = -shares.var() / ((len(sizes) - 1) * mean * (1 - mean))
    drawn = np.array(
        [stability(np.array([rng.permutation(40) < size for size in sizes])) for _ in range(2000)]
    )
    assert abs(drawn.mean() - expected) < 4 * drawn.std() / np.sqrt(len(drawn))
