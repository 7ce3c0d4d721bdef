"""Intervals of shares, quantiles and differences, and tests that are adjusted together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from experiments.evaluation.statistics import (
    difference_interval,
    holm,
    quantile_interval,
    repeat_ratio,
)
from experiments.evaluation.summary import differences

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


def test_the_difference_of_two_means_has_the_usual_interval():
    """With known standard errors the squares of the half widths add."""
    low, high = difference_interval(5.0, (4.0, 6.0), 2.0, (0.0, 4.0))
    assert (low, high) == pytest.approx((3 - np.sqrt(5), 3 + np.sqrt(5)))
    swapped = difference_interval(2.0, (0.0, 4.0), 5.0, (4.0, 6.0))
    assert swapped == pytest.approx((-high, -low))


def cross_validations(rng, n_methods, n_blocks, share):
    """Splits whose means of ten have that share of the variance that independent ones leave."""
    common, own = rng.normal(size=(1, n_blocks, 10)), rng.normal(size=(n_methods, n_blocks, 10))
    splits = np.arange(1, n_methods + 1)[:, None, None] * (common + own)
    means = splits.mean(axis=2, keepdims=True)
    return (splits - (1 - np.sqrt(share)) * means).reshape(n_methods, -1)


def test_the_means_of_repeats_vary_as_all_methods_together_say():
    """Intervals of the mean of the noisiest method cover, from three repeats on."""
    rng = np.random.default_rng(0)
    for n_blocks in (3, 5):
        covered = 0
        for _ in range(1500):
            values = cross_validations(rng, 6, n_blocks, 0.3)
            ratio, freedom = repeat_ratio(values, 10)
            last = values[-1]
            half = stats.t.ppf(0.95, freedom) * last.std(ddof=1) * np.sqrt(ratio / last.size)
            covered += abs(last.mean()) <= half
        assert 0.88 < covered / 1500 < 0.92


def test_one_method_alone_has_the_deviation_of_its_means():
    values = np.random.default_rng(0).normal(size=(1, 50))
    ratio, freedom = repeat_ratio(values, 10)
    means = values.reshape(5, 10).mean(axis=1)
    assert values.var(ddof=1) * ratio / 10 == pytest.approx(means.var(ddof=1))
    assert freedom == 4
    assert repeat_ratio(np.vstack([values, 2 * values, values]), 10) == pytest.approx((ratio, 4))
    assert repeat_ratio(np.ones((2, 20)), 10) == (0, 1)


def test_the_degrees_of_freedom_count_correlated_methods_by_the_square():
    """Two methods with correlation r: ``(n_blocks - 1) 4 / (2 + 2 r^2)``."""
    values = np.random.default_rng(3).normal(size=(2, 60))
    values[1] += 0.5 * values[0]
    r = np.corrcoef(*values).ravel()[1]
    assert 0.2 < r < 0.8
    assert repeat_ratio(values, 10)[1] == pytest.approx(5 * 4 / (2 + 2 * r**2))


def test_the_interval_of_a_quantile_covers_at_least_as_often_as_it_says():
    rng = np.random.default_rng(0)
    for share, n in ((0.5, 50), (0.25, 50), (0.75, 21)):
        truth = stats.norm.ppf(share)
        covered = 0
        for _ in range(1000):
            low, high = quantile_interval(rng.normal(size=n), share, n, 0.9)
            covered += low <= truth <= high
        assert 0.89 < covered / 1000 < 0.98


@given(st.integers(2, 60), st.sampled_from([0.25, 0.5, 0.75]))
def test_the_interval_of_a_quantile_ends_at_values_around_it(n, share):
    values = np.random.default_rng(n).integers(0, 5, n).astype(float)
    low, high = quantile_interval(values, share, n)
    assert {low, high} <= set(values)
    assert low <= np.quantile(values, share, method="lower")
    assert high >= np.quantile(values, share, method="higher")
    wide = quantile_interval(values, share, max(2, n // 3))
    assert wide[0] <= low + 1
    assert wide[0] <= wide[1]


@given(p_values)
def test_holm_lies_between_the_test_alone_and_bonferroni(p):
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1, len(p) * p) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert adjusted.min() == pytest.approx(min(1, len(p) * p.min()))


def test_holm_as_in_its_paper():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.02, np.nan, 0.01]), [0.02, np.nan, 0.02])


def test_equal_differences_are_one_test():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.5, 1, size=(2, 10))
    once = differences({"a": first, "b": second}, 0.1)
    several = {"a": first, "c": first.copy(), "b": second, "d": first.copy()}
    thrice = differences(several, 0.1)
    assert [row["p_holm"] for row in thrice.values()] == [once[i]["p_holm"] for i in "aaba"]
    smaller = min(once.values(), key=lambda row: row["p_value"])
    assert smaller["p_holm"] == pytest.approx(2 * smaller["p_value"])
