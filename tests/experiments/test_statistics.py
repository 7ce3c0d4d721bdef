"""Statistics as pure functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from baselines import min_max
from experiments.statistics import mean_interval, resampled_interval

values = arrays(float, st.integers(2, 30), elements=st.floats(-100, 100))


@given(values)
def test_normalised_spans_the_unit_interval(scores):
    scaled = min_max(scores)
    assert scaled.min() == 0
    assert scaled.max() == (1 if scores.max() > scores.min() else 0)
    assert (np.argsort(scaled, kind="stable") == np.argsort(scores, kind="stable")).all() or (
        len(np.unique(scaled)) < len(np.unique(scores))
    )


def test_mean_interval_is_students():
    sample = np.random.default_rng(0).normal(size=12)
    expected = stats.ttest_1samp(sample, 0).confidence_interval(0.95)
    assert mean_interval(sample) == pytest.approx(tuple(expected))
    assert np.isnan(mean_interval([1.0])).all()


def test_mean_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        low, high = mean_interval(rng.normal(size=10))
        covered += low <= 0 <= high
    assert 0.935 < covered / 2000 < 0.965


@given(values, st.floats(0.01, 1))
def test_overlapping_splits_widen_the_interval(sample, share):
    low, high = mean_interval(sample)
    wide_low, wide_high = resampled_interval(sample, share)
    n = len(sample)
    assert wide_high - wide_low == pytest.approx((high - low) * np.sqrt(1 + n * share))
    assert wide_low + wide_high == pytest.approx(low + high, abs=1e-9)
