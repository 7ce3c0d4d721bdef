"""Statistics: intervals, tests, adjustments, stability, mean ranks; and the tables made by them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from experiments.evaluation.accuracies import best_size
from experiments.evaluation.statistics import (
    deviation_interval,
    difference_interval,
    holm,
    repeat_ratio,
    resampled_interval,
    resampled_ttest,
    split_stability,
)
from experiments.evaluation.summary import differences, pairs, table
from experiments.kinds.arena.mean_ranks import ROUNDING, critical_difference, ranks

values = arrays(float, st.integers(2, 30), elements=st.floats(-100, 100))
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


def test_the_interval_of_a_deviation_covers_as_often_as_it_says():
    deviations = np.random.default_rng(0).normal(scale=3, size=(2000, 10)).std(axis=1, ddof=1)
    ends = np.array([deviation_interval(deviation, 10) for deviation in deviations])
    assert 0.935 < ((ends[:, 0] <= 3) & (ends[:, 1] >= 3)).mean() < 0.965


@given(values.filter(lambda sample: np.ptp(sample) >= 1e-3), st.floats(0.01, 1))
def test_interval_and_ttest_are_students_without_overlap_which_widens_them(sample, share):
    student, n = stats.ttest_1samp(sample, 0), len(sample)
    low, high = resampled_interval(sample)
    assert (low, high) == pytest.approx(tuple(student.confidence_interval(0.95)))
    assert resampled_ttest(sample, 0) == pytest.approx((student.statistic, student.pvalue))
    wide_low, wide_high = resampled_interval(sample, share)
    assert wide_high - wide_low == pytest.approx((high - low) * np.sqrt(1 + n * share))
    assert wide_low + wide_high == pytest.approx(low + high, abs=1e-9)
    t, p = resampled_ttest(sample, share)
    assert t == pytest.approx(student.statistic / np.sqrt(1 + n * share))
    assert p == pytest.approx(2 * stats.t.sf(abs(t), n - 1))


def test_equal_differences_and_single_ones_have_a_statistic_or_none():
    assert np.isnan([*resampled_interval([1.0]), *deviation_interval(1.0, 1)]).all()
    for sample, expected in (
        ([0.0, 0.0, 0.0], (0, 1)),
        ([0.1, 0.1, 0.1], (np.inf, np.nan)),
        ([0.9 - 0.8, 0.8 - 0.7], (np.inf, np.nan)),
        ([0.0, 0.0, 1e-200], resampled_ttest([0.0, 0.0, 1.0], 0.1)),
        ([0.1], (np.nan, np.nan)),
    ):
        computed = resampled_ttest(sample, 0.1)
        assert computed == pytest.approx(expected, nan_ok=True), sample
    # Independent ones have the p of the sign test.
    for sample in ([2.0, 2.0, 2.0], [-0.1, -0.1], [0.5] * 50):
        sign = stats.binomtest(sum(x > 0 for x in sample), len(sample)).pvalue
        assert resampled_ttest(sample, 0) == (np.copysign(np.inf, sample[0]), pytest.approx(sign))


def test_the_difference_of_two_means_has_the_usual_interval():
    """With known standard errors the squares of the half widths add."""
    ends = difference_interval(5.0, (4.0, 6.0), 2.0, (0.0, 4.0))
    assert ends == pytest.approx((3 - np.sqrt(5), 3 + np.sqrt(5)))
    low, high = difference_interval(5.0, (4.0, 9.0), 2.0, (1.0, 4.0))
    assert (low, high) == pytest.approx((3 - np.sqrt(5), 3 + np.sqrt(17)))


def test_one_method_has_the_deviation_of_its_means_and_of_two_the_correlation_counts():
    """Two methods with correlation r have ``(n_blocks - 1) 4 / (2 + 2 r^2)`` degrees of freedom."""
    splits = np.random.default_rng(0).normal(size=(1, 50))
    ratio, freedom = repeat_ratio(splits, 10)
    means = splits.reshape(5, 10).mean(axis=1)
    assert splits.var(ddof=1) * ratio / 10 == pytest.approx(means.var(ddof=1))
    assert freedom == 4
    assert repeat_ratio(np.vstack([splits, 2 * splits, splits]), 10) == pytest.approx((ratio, 4))
    assert repeat_ratio(np.ones((2, 20)), 10) == (0, 1)
    splits = np.random.default_rng(3).normal(size=(2, 60))
    splits[1] += 0.5 * splits[0]
    r = np.corrcoef(*splits).ravel()[1]
    assert 0.2 < r < 0.8
    assert repeat_ratio(splits, 10)[1] == pytest.approx(5 * 4 / (2 + 2 * r**2))


@given(p_values)
def test_holm_lies_between_the_test_alone_and_bonferroni(p):
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1, len(p) * p) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert adjusted.min() == pytest.approx(min(1, len(p) * p.min()))


def test_holm_as_in_its_paper_and_equal_differences_are_one_test():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.02, np.nan, 0.01]), [0.02, np.nan, 0.02])
    first, second = np.random.default_rng(0).normal(0.5, 1, size=(2, 10))
    found = differences({"a": first, "c": first.copy(), "b": second, "d": first.copy()}, 0.1)
    p_values, adjusted = ([row[key] for row in found.values()] for key in ("p_value", "p_holm"))
    assert adjusted == pytest.approx(holm([p_values[0], p_values[2]])[[0, 0, 1, 0]].tolist())


def stability(subsets):
    return split_stability(subsets).mean()


subsets = st.tuples(st.integers(2, 8), st.integers(2, 12)).flatmap(lambda at: arrays(bool, at))


@given(subsets)
def test_stability_is_one_for_equal_subsets_and_counts_absence(chosen):
    equal = np.tile(chosen[0], (len(chosen), 1))
    is_proper = equal.any() and not equal.all()
    assert stability(equal) == pytest.approx(1 if is_proper else np.nan, nan_ok=True)
    assert np.isnan(stability(chosen[:1]))
    if chosen.any() and not chosen.all():
        assert -1 / (len(chosen) - 1) - 1e-12 <= stability(chosen) <= 1 + 1e-12
        assert stability(~chosen) == pytest.approx(stability(chosen))


def test_stability_of_equal_sizes_is_kunchevas_index():
    """Kuncheva's index (2007) is the mean over pairs of (overlap - k^2 / d) / (k - k^2 / d)."""
    rng = np.random.default_rng(0)
    n, d, k = 6, 20, 7
    chosen = np.array([rng.permutation(d) < k for _ in range(n)])
    overlap = (chosen.astype(int) @ chosen.T)[np.triu_indices(n, 1)]
    assert stability(chosen) == pytest.approx(((overlap - k**2 / d) / (k - k**2 / d)).mean())


#: Table 6 of Demsar (2006): the area under the curve of C4.5 without and with m, cf, both tuned.
EXAMPLE = np.array(
    [[0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
     [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
     [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
     [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
     [0.972, 0.981, 0.975, 0.975 - 1e-6],  # he ranks the last two as 2 and 3: digits are cut
     [0.957, 0.978, 0.946, 0.970]]
)  # fmt: skip


def test_the_worked_example_of_demsar():
    assert ranks(EXAMPLE).mean(axis=0) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert critical_difference(4, 14, level=0.9) == pytest.approx(1.12, abs=0.005)
    # His table of critical values, which ends after three digits.
    for k, q in {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 10: 3.164}.items():
        expected = q * np.sqrt(k * (k + 1) / (6 * 14))
        assert critical_difference(k, 14) == pytest.approx(expected, rel=1e-3), k


@given(arrays(float, st.tuples(st.integers(2, 8), st.integers(3, 6)), elements=st.floats(0, 1)))
@settings(max_examples=50)
def test_ranks_sum_to_a_constant_and_the_best_is_first(accuracies):
    of_each, k = ranks(accuracies), accuracies.shape[1]
    np.testing.assert_allclose(of_each.sum(axis=1), k * (k + 1) / 2)
    best = np.round(accuracies / ROUNDING).argmax(axis=1)
    assert (of_each.argmin(axis=1) == best).all()
    with pytest.raises(ValueError, match="NaN"):
        ranks(np.where(accuracies == accuracies.max(), np.nan, accuracies))


#: Test accuracies of three splits at 1, 2 and 4 features. The mean is best at 2, the median at 1,
#: and the validation accuracy at 4.
TEST = np.array([[0.80, 0.90, 0.60], [0.80, 0.76, 0.60], [0.50, 0.75, 0.60]])


def rows(tuning):
    frame = pd.DataFrame({"split": np.repeat(range(3), 3), "n_features": [1, 2, 4] * 3})
    frame = frame.assign(test=TEST.ravel(), validation=[0.5, 0.6, 0.9] * 3, tuning=tuning)
    chosen = np.isin(range(9), [0, 5, 8])
    return frame.assign(chosen=chosen, method="a", ranking_share=1.0)


def test_a_reading_reports_the_best_mean_test_accuracy_and_nested_what_each_split_chose():
    for tuning in ("paper", "icml"):
        reported = best_size(rows(tuning))
        assert list(reported["n_features"]) == [2, 2, 2], tuning
        np.testing.assert_array_equal(reported["test"], TEST[:, 1])
    reported = best_size(rows("nested"))
    assert list(reported["n_features"]) == [1, 4, 4]
    np.testing.assert_array_equal(reported["test"], [0.8, 0.6, 0.6])


def test_flags_are_counted_and_rare_ones_only_if_there_are_any():
    for uninformative in (False, True):
        rows = pd.DataFrame({"method": [*"aabb"], "split": [0, 1, 0, 1], "test": 0.5})
        flags = [False, False, True, True], [False, False, False, uninformative]
        rows["ambiguous"], rows["uninformative"] = flags
        counts = table(rows, [], "test")
        assert counts["n_ambiguous"].tolist() == [0, 2]
        assert ("n_uninformative" in counts) == uninformative
    assert counts["n_uninformative"][1] == 1


def test_scores_that_are_rounding_are_said_in_the_table(run):
    """Far below the scale of the distances every kernel is the identity."""
    tiny = ["method=manifest", "method.scale_factor=1e-3", "method.geometry=regularized"]
    tiny += ["protocol.evaluated_draws=0", "protocol.embedded=[]"]
    folder, _ = run("experiment=hypercube", "profile=smoke", *tiny)
    summary = pd.read_csv(folder / "summary.csv")
    assert summary["n_uninformative"].tolist() == summary["n_draws"].tolist()


def test_pairs_are_differences_on_the_repetitions_that_both_have():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"split": np.tile(range(6), 3), "method": np.repeat([*"abc"], 6)})
    rows = rows.assign(test=rng.random(18), case="only")[:-1]  # The last split of c is missing.
    found = pairs(rows, ["case"], "a", "test", overlap=0.25).set_index("other")
    wide = rows.pivot(index="split", columns="method", values="test")
    for other, n in (("b", 6), ("c", 5)):
        apart = (wide["a"] - wide[other]).dropna()
        assert found["n_splits"][other] == len(apart) == n
        assert found["difference"][other] == pytest.approx(apart.mean())
        ends = resampled_interval(apart, 0.25)
        assert tuple(found.loc[other, ["ci_low", "ci_high"]]) == pytest.approx(ends)
        assert found["p_value"][other] == pytest.approx(resampled_ttest(apart, 0.25)[1])
    assert pairs(rows, ["case"], "d", "test").empty
