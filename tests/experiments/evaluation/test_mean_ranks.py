"""Mean ranks and their tests against the worked example and the tables of Demsar (2006)."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from experiments.evaluation.mean_ranks import (
    ROUNDING,
    critical_difference,
    friedman,
    ranks,
    wilcoxon_against,
)

#: His Table 6: the area under the curve of C4.5 without and with m, cf, and both tuned.
EXAMPLE = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975 - 1e-6],  # he ranks the last two as 2 and 3: digits are cut
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_the_worked_example_of_demsar():
    assert ranks(EXAMPLE).mean(axis=0) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    # He finds F = 3.69 with 3 and 39 degrees of freedom.
    assert stats.f.isf(friedman(EXAMPLE), 3, 39) == pytest.approx(3.69, abs=0.01)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, level=0.9) == pytest.approx(1.12, abs=0.005)


def test_critical_values_are_those_of_his_table():
    table = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 10: 3.164}
    for k, q in table.items():
        expected = q * np.sqrt(k * (k + 1) / (6 * 20))
        # The table ends after three digits.
        assert critical_difference(k, 20) == pytest.approx(expected, rel=1e-3), k


@given(arrays(float, st.tuples(st.integers(2, 8), st.integers(3, 6)), elements=st.floats(0, 1)))
@settings(max_examples=50)
def test_ranks_sum_to_a_constant_and_the_best_is_first(accuracies):
    of_each, k = ranks(accuracies), accuracies.shape[1]
    np.testing.assert_allclose(of_each.sum(axis=1), k * (k + 1) / 2)
    best = np.round(accuracies / ROUNDING).argmax(axis=1)
    assert (of_each.argmin(axis=1) == best).all()
    np.testing.assert_array_equal(ranks(accuracies[:, ::-1]), of_each[:, ::-1])


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(3, 8))
@settings(max_examples=50)
def test_without_ties_it_is_scipys_friedman_test(seed, n, k):
    accuracies = np.random.default_rng(seed).random((n, k))
    chi_squared = stats.friedmanchisquare(*accuracies.T).statistic
    if chi_squared < n * (k - 1) - 1e-6:
        F = (n - 1) * chi_squared / (n * (k - 1) - chi_squared)
        expected = stats.f.sf(F, k - 1, (k - 1) * (n - 1))
        assert friedman(accuracies) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_equal_methods_do_not_differ_and_a_perfect_order_is_no_chance():
    assert friedman(np.ones((5, 3))) == 1
    assert friedman(np.tile([0.9, 0.8, 0.7], (6, 1))) == 0
    assert np.isnan(friedman(np.ones((1, 3))))


def test_a_table_with_gaps_is_refused():
    for values in (np.full((3, 2), np.nan), np.empty((0, 2)), np.ones(3)):
        with pytest.raises(ValueError, match="leave out data sets on which a method has no acc"):
            ranks(values)


def test_wilcoxon_is_demsars_and_holm_adjusts_over_the_others():
    p_values, adjusted = wilcoxon_against(EXAMPLE, 0)
    # He finds z = -2.54 for C4.5 against C4.5+m, which is significant, with T = 12.
    assert p_values[1] == pytest.approx(2 * stats.norm.cdf(-2.54), rel=0.35)
    assert np.isnan(p_values[0])
    assert (adjusted[1:] >= p_values[1:]).all()
    assert adjusted[1:].min() == pytest.approx(min(1, 3 * p_values[1:].min()))
    of_equals, _ = wilcoxon_against(np.repeat(EXAMPLE[:, :1], 3, axis=1), 1)
    np.testing.assert_array_equal(of_equals[[0, 2]], 1)


@pytest.mark.parametrize("differences", [[1, 2, 3, 4, -5, 0, 0, 0], [5, -1, -2, 3, 4, 6, 0, 0]])
def test_equal_data_sets_keep_their_ranks_and_count_half_for_each_side(differences):
    """The p-value is the share of the signs of all others that are as far from balance."""
    d = np.array(differences) / 100
    (_, p_value), _ = wilcoxon_against(np.column_stack([0.5 + d, np.full(len(d), 0.5)]), 0)
    of_size = stats.rankdata(np.abs(differences))
    signs = itertools.product([-1, 1], repeat=int(np.count_nonzero(d)))
    sums = np.array([np.dot(sign, of_size[d != 0]) for sign in signs])
    assert p_value == pytest.approx((np.abs(sums) >= abs(np.sign(d) @ of_size)).mean())
