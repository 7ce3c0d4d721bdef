"""The verdict on a number: what agrees, what differs, what is too wide, and how often it errs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from experiments.report.claims.noise import DeviationNoise, MeanNoise, QuantileNoise, SizeNoise
from experiments.report.claims.verdict import (
    LASTING,
    MARGINS,
    Margin,
    Missing,
    Published,
    Quantity,
    above,
    at_most,
    every,
    not_more,
    number,
    sentence,
    within,
)

finite = st.floats(-50, 50)
widths = st.floats(0, 50)
margins = st.sampled_from(list(MARGINS.values()))


def mean(value, published, deviation, n=10, repetitions=None, **known):
    """The estimate of a mean by a noise without limits."""
    noise = MeanNoise("splits", deviation, n, limits=(-np.inf, np.inf), **known)
    return number(value, Published(published, repetitions), "accuracy", noise, "")


@given(finite, st.floats(-2, 2), st.floats(2.1, 50), st.sampled_from([-1, 1]))
def test_the_noise_and_the_margin_decide(value, near, far, side):
    equal = mean(value, value, 1e-6)
    assert equal.verdict == "agrees"
    assert equal.ci_low < equal.ours < equal.ci_high
    assert mean(value, value + side * far, 1e-6).verdict == "differs"
    assert mean(value, value + near, 100).verdict == "too wide to say"


@given(finite, finite, st.floats(0.01, 20))
def test_verdicts_are_symmetric(first, second, deviation):
    """It makes no difference which of two studies with the same noise was published."""
    one, other = mean(first, second, deviation), mean(second, first, deviation)
    assert one.verdict == other.verdict
    assert (one.diff_low, one.diff_high) == pytest.approx((-other.diff_high, -other.diff_low))


@given(finite, widths, margins)
def test_a_wider_interval_never_turns_agreement_into_difference(centre, width, margin):
    centre = np.exp(centre / 25) if margin.is_factor else centre
    ends = [
        (centre / (1 + w), centre * (1 + w)) if margin.is_factor else (centre - w, centre + w)
        for w in (width, 2 * width)
    ]
    narrow, wide = (within(*pair, margin) for pair in ends)
    assert wide in {narrow, "too wide to say"}


@given(st.floats(0.01, 100), st.floats(1, 10))
def test_factors_are_judged_alike_in_both_directions(ratio, width):
    margin = Margin(1.5, is_factor=True)
    assert within(ratio / width, ratio * width, margin) == within(
        1 / (ratio * width), width / ratio, margin
    )


@given(finite, widths)
def test_sentences_come_out_in_all_three_ways(centre, width):
    low, high = centre - width, centre + width
    verdict = above(low, high, 0)
    assert verdict == ("agrees" if low > 0 else "differs" if high <= 0 else "too wide to say")
    assert at_most(low, high, 2) == (
        "agrees" if high <= 2 else "differs" if low > 0 else "too wide to say"
    )


def exactly(value, half=0.0):
    return Quantity(value, lambda level: (value - half * level, value + half * level))


def test_all_of_several_need_to_hold_and_one_is_enough_to_differ():
    for parts, verdict in (
        ([exactly(1), exactly(2)], "agrees"),
        ([exactly(1), exactly(0)], "differs"),
        ([exactly(1), exactly(0.5, 1)], "too wide to say"),
        ([exactly(-1), exactly(0.5, 1)], "differs"),
    ):
        found = every(dict(zip("ab", parts, strict=True)), "draws", "part {}")
        assert found.verdict == verdict, parts
        assert found.diff_low == min(part.interval(0.9)[0] for part in parts)


def test_one_of_several_differs_only_at_the_level_that_allows_for_all_of_them():
    """At 90 % one part in ten differs by chance; of m parts each has the level 1 - 0.1 / m."""

    def part(half_at_90):
        # An interval below 0 at 90 % that reaches 0 at a higher level.
        return Quantity(-1, lambda level: (-1 - half_at_90, -1 + half_at_90 * (level / 0.9) ** 9))

    near, sure = part(0.9), part(0.3)
    assert near.interval(0.9)[1] < 0 < near.interval(0.95)[1]
    assert every({"a": near}, "draws", "part {}").verdict == "differs"
    assert every({"a": near, "b": exactly(1)}, "draws", "part {}").verdict == "too wide to say"
    assert every({"a": sure, "b": exactly(1)}, "draws", "part {}").verdict == "differs"


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        ("accuracy", 2, 2.01),
        ("deviation", 1.5, 1.51),
        ("number of features", 2, 2.01),
        ("count", 0.5, 0.51),
    ],
)
def test_margins_are_where_docs_say_and_their_ends_agree(kind, inside, outside):
    """2 points, a factor of 1.5 and of 2, half a feature, in both directions: docs/results.md."""
    margin = MARGINS[kind]
    for size, verdict in ((inside, "agrees"), (outside, "differs")):
        for end in (size, 1 / size if margin.is_factor else -size):
            assert within(end, end, margin) == verdict, end


def test_a_value_of_zero_has_no_ratio():
    noise = DeviationNoise(10)
    for ours, theirs in ((0.0, 2.0), (2.0, 0.0), (0.0, 0.0)):
        with pytest.raises(Missing, match="have no ratio"):
            number(ours, Published(theirs, 10), "deviation", noise, "")


@pytest.mark.parametrize(("truth", "wrong"), [(1.0, "differs"), (2.0, "agrees")])
def test_numbers_at_the_margin_or_beyond_agree_in_at_most_5_percent(truth, wrong):
    """At the margin, and differ as seldom: two one-sided tests at 5 %."""
    rng = np.random.default_rng(0)
    verdicts = []
    for _ in range(1500):
        ours, theirs = rng.normal(truth, 2, size=20), rng.normal(0, 2, size=20)
        verdicts.append(mean(ours.mean(), theirs.mean(), ours.std(ddof=1), 20).verdict)
    assert verdicts.count(wrong) / 1500 < 0.065
    assert verdicts.count("too wide to say") > 0


def test_the_interval_of_a_difference_covers_as_often_as_it_says():
    """Means of repeats, of which either study has another number; 2.5 points a repeat."""
    rng = np.random.default_rng(0)
    for n_ours, n_theirs in ((50, 50), (50, 10), (30, 30)):
        covered = 0
        for _ in range(1500):
            repeats = rng.normal(87, 2.5, size=n_ours // 10)
            theirs = rng.normal(87, 2.5, size=n_theirs // 10).mean()
            known = {"block": 10, "freedom": len(repeats) - 1}
            deviation = repeats.std(ddof=1)
            found = mean(repeats.mean(), theirs, deviation, n_ours, n_theirs, **known)
            covered += found.diff_low <= 0 <= found.diff_high
        assert 0.88 < covered / 1500 < 0.92


def test_the_interval_of_a_ratio_of_deviations_covers_nearly_as_often_as_it_says():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(1500):
        ours, theirs = rng.normal(size=50).std(ddof=1), rng.normal(size=10).std(ddof=1)
        found = number(ours, Published(theirs, 10), "deviation", DeviationNoise(50), "")
        covered += found.diff_low <= 1 <= found.diff_high
    assert 0.87 < covered / 1500 < 0.93


def test_a_share_of_all_is_no_interval_of_one_point():
    noise = MeanNoise("draws", 0.0, 50, limits=(0.0, 2.0))
    found = number(2.0, Published(2.0, 50), "count", noise, "")
    unseen = 1 - stats.binomtest(50, 50).proportion_ci(0.95, method="exact").low
    assert (found.ci_low, found.ci_high) == pytest.approx((2 - 2 * unseen, 2))
    low, high = MeanNoise("draws", 0.0, 50, limits=(0.0, 10.0)).interval(9.0, 50, 0.95)
    assert (low, high) == pytest.approx((9 - 9 * unseen, 9 + unseen))


def test_what_no_run_can_decide_is_said():
    """Ten published splits leave a factor of 1.6 to their deviation."""
    found = number(8.0, Published(8.0, 10), "deviation", DeviationNoise(10**6), "")
    assert found.verdict == "too wide to say"
    assert "no run can agree" in found.note
    assert "no run" not in number(8, Published(8.0, 50), "deviation", DeviationNoise(50), "").note


@given(finite, st.floats(-8, 8), st.floats(0.01, 30), st.integers(2, 100))
def test_a_verdict_that_any_number_of_our_repetitions_leaves_too_wide_says_so(
    value, gap, deviation, n
):
    """The published number keeps its noise, however often we repeat, and we know it better."""
    now, later = (mean(value, value + gap, deviation, k, 50) for k in (n, 10**6))
    wide = now.verdict == later.verdict == "too wide to say"
    assert now.is_undecidable == ("no run can agree" in now.note)
    assert (LASTING in now.note) == now.is_lasting == (wide and not now.is_undecidable)


@given(finite, widths, widths)
def test_a_sentence_stays_too_wide_where_its_floor_does(value, width, more):
    """The same samples leave the floor; without one, only the value is left."""
    floor, interval = (
        lambda level, half=half: (value - half, value + half) for half in (width, width + more)
    )
    for verdict_on in (sentence, lambda one, *texts: every({"a": one}, *texts), not_more):
        found = verdict_on(Quantity(value, interval, floor), "splits", "")
        at_best = verdict_on(Quantity(value, floor), "splits", "")
        wide = found.verdict == at_best.verdict == "too wide to say"
        assert (LASTING in found.note) == found.is_lasting == wide
        assert LASTING not in verdict_on(Quantity(value, interval), "splits", "").note


def test_a_number_of_features_has_the_noise_of_the_splits():
    sizes = np.array([10.0, 40.0, 200.0])
    clear = np.tile([0.8, 0.9, 0.7], (20, 1)) + 0.01 * np.random.default_rng(0).normal(size=(20, 3))
    noise = SizeNoise(clear, sizes)
    assert noise.interval(40.0, 20, 0.9) == (40, 40)
    flat = SizeNoise(0.1 * np.random.default_rng(1).normal(size=(20, 3)), sizes)
    own = sizes[flat.accuracies.mean(axis=0).argmax()]
    low, high = flat.interval(own, 20, 0.9)
    assert {low, high} <= set(sizes)
    few = flat.interval(own, 5, 0.9)
    assert few[0] <= low < high <= few[1]


@given(st.integers(2, 40), st.sampled_from([0.25, 0.5, 0.75]))
def test_a_quantile_lies_in_its_interval(n, share):
    values = np.random.default_rng(n).integers(0, 10, n).astype(float)
    noise = QuantileNoise(values, share)
    value = float(np.quantile(values, share))
    low, high = noise.interval(value, n, 0.9)
    assert low <= value <= high
