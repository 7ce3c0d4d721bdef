"""The outcome of a number by its interval, of a sentence, and how often either errs."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from experiments.report.claims.noise import MeanNoise, QuantileNoise
from experiments.report.claims.outcome import (
    HIGHER,
    LASTING,
    LOWER,
    MARGINS,
    OPEN,
    OUTCOMES,
    RULES,
    Published,
    Quantity,
    above,
    at_most,
    below,
    number,
    sentence,
    within,
)

finite = st.floats(-50, 50)
widths = st.floats(0, 50)
R, D, U = "reproduced", "different", "inconclusive"
margins = st.sampled_from(list(MARGINS.values()))


def mean(value, published, deviation, n=10, repetitions=None, **known):
    """The estimate of a mean by a noise without limits."""
    noise = MeanNoise("splits", deviation, n, limits=(-np.inf, np.inf), **known)
    return number(value, Published(published, repetitions), "accuracy", noise, "")


@given(finite, st.floats(-2, 2), st.floats(2.1, 50), st.sampled_from([-1, 1]))
def test_the_noise_and_the_margin_decide(value, near, far, side):
    equal = mean(value, value, 1e-6)
    assert equal.outcome == "reproduced"
    assert equal.ci_low < equal.ours < equal.ci_high
    assert mean(value, value + side * far, 1e-6).outcome == "different"
    assert mean(value, value + near, 100).outcome == "inconclusive"


@given(finite, finite, st.floats(0.01, 20))
def test_outcomes_are_symmetric(first, second, deviation):
    """It makes no difference which of two studies with the same noise was published."""
    one, other = mean(first, second, deviation), mean(second, first, deviation)
    mirrored = {LOWER: HIGHER, HIGHER: LOWER}
    assert one.outcome == mirrored.get(other.outcome, other.outcome)
    assert (one.diff_low, one.diff_high) == pytest.approx((-other.diff_high, -other.diff_low))


@given(finite, widths, margins)
def test_a_wider_interval_never_turns_agreement_into_difference(centre, width, margin):
    narrow, wide = (margin.outcome(centre - w, centre + w) for w in (width, 2 * width))
    assert wide in {narrow, *OPEN}


def test_each_outcome_by_its_definition_and_at_its_ends():
    """The ends of a margin of 2 lie inside; an end at 0 does not exclude 0."""
    rules = within(2), above(), below(), at_most()
    for low, high, *outcomes in (
        (-2, 2, R, U, U, R),
        (0.5, 2, R, R, D, R),
        (0, 2, R, U, D, R),
        (-1, 0, R, D, U, R),
        (0, 2.01, U, U, D, U),
        (-2.01, 0, U, D, U, R),
        (-3, 3, U, U, U, U),
        (0.01, 2.01, HIGHER, R, D, D),
        (2, 3, HIGHER, R, D, D),
        (2.01, 3, D, R, D, D),
        (-2.01, -0.01, LOWER, D, R, R),
        (-3, -2, LOWER, D, R, R),
        (-3, -2.01, D, D, R, R),
    ):
        assert [rule.outcome(low, high) for rule in rules] == outcomes, (low, high)
        moved = [make(5).outcome(5 + low, 5 + high) for make in (above, below, at_most)]
        assert moved == outcomes[1:], (low, high)
    assert {margin.outcome(0, 0) for margin in MARGINS.values()} == {R}
    # The margins of docs/results.md.
    assert [MARGINS[kind].margin for kind in ("accuracy", "count")] == ["±2 points", "±0.5"]
    assert {*OPEN, R, D, "not tested"} == set(OUTCOMES)


def exactly(value, half=0.0):
    return Quantity(value, lambda level: (value - half * level, value + half * level))


def test_all_of_several_need_to_hold_and_one_is_enough_to_differ():
    """One differs at the level that allows for all of them: of m parts each has 1 - 0.1 / m."""

    def part(half_at_90):
        # An interval below 0 at 90 % that reaches 0 at a higher level.
        return Quantity(-1, lambda level: (-1 - half_at_90, -1 + half_at_90 * (level / 0.9) ** 9))

    near, sure = part(0.9), part(0.3)
    assert near.interval(0.9)[1] < 0 < near.interval(0.95)[1]
    for parts, outcome in (
        ([exactly(1), exactly(2)], R),
        ([exactly(1), exactly(0)], D),
        ([exactly(1), exactly(0.5, 1)], U),
        ([exactly(-1), exactly(0.5, 1)], D),
        ([near], D),
        ([near, exactly(1)], U),
        ([sure, exactly(1)], D),
    ):
        found = sentence(parts, above(), "draws", "")
        assert found.outcome == outcome, parts
        assert found.diff_low == min(part.interval(0.9)[0] for part in parts)


@pytest.mark.parametrize(("truth", "wrong"), [(1.0, "different"), (2.0, "reproduced")])
def test_numbers_at_the_margin_or_beyond_agree_in_at_most_5_percent(truth, wrong):
    """At the margin, and differ as seldom: two one-sided tests at 5 %."""
    rng = np.random.default_rng(0)
    outcomes = []
    for _ in range(1500):
        ours, theirs = rng.normal(truth, 2, size=20), rng.normal(0, 2, size=20)
        outcomes.append(mean(ours.mean(), theirs.mean(), ours.std(ddof=1), 20).outcome)
    assert outcomes.count(wrong) / 1500 < 0.065
    assert outcomes.count("inconclusive") > 0


@pytest.mark.slow
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


@given(values=st.lists(st.floats(40, 60), min_size=2, max_size=9).map(np.array))
def test_a_mean_of_draws_has_students_interval(values):
    assume(values.std() > 1e-3)
    n, mean = len(values), values.mean()
    found = MeanNoise.of_draws(values, -np.inf, np.inf).interval(mean, n, 0.95)
    expected = stats.t.interval(0.95, n - 1, mean, stats.sem(values))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_share_of_all_is_no_interval_of_one_point():
    noise = MeanNoise("draws", 0.0, 50, limits=(0.0, 2.0))
    found = number(2.0, Published(2.0, 50), "count", noise, "")
    unseen = 1 - stats.binomtest(50, 50).proportion_ci(0.95, method="exact").low
    assert (found.ci_low, found.ci_high) == pytest.approx((2 - 2 * unseen, 2))
    low, high = MeanNoise("draws", 0.0, 50, limits=(0.0, 10.0)).interval(9.0, 50, 0.95)
    assert (low, high) == pytest.approx((9 - 9 * unseen, 9 + unseen))


def test_what_no_run_can_decide_is_said():
    """Ten published splits of a deviation of 8 leave 4 points to their mean."""
    wide, narrow = mean(80, 80, 8.0, 1000, 10), mean(80, 80, 8.0, 1000, 1000)
    assert wide.outcome == "inconclusive"
    assert "no run can reproduce it" in wide.note
    assert "no run" not in narrow.note


@given(finite, st.floats(-8, 8), st.floats(0.01, 30), st.integers(2, 100))
def test_an_outcome_that_any_number_of_our_repetitions_leaves_open_says_so(
    value, gap, deviation, n
):
    """The published number keeps its noise, however often we repeat, and we know it better."""
    now, later = (mean(value, value + gap, deviation, k, 50) for k in (n, 10**6))
    wide = now.outcome in OPEN and later.outcome in OPEN
    assert now.is_undecidable == ("no run can reproduce it" in now.note)
    assert (LASTING in now.note) == now.is_lasting == (wide and not now.is_undecidable)


@given(finite, widths, widths)
def test_a_sentence_stays_open_where_its_floor_does(value, width, more):
    """The same samples leave the floor; without one, only the value is left."""
    floor, interval = (
        lambda level, half=half: (value - half, value + half) for half in (width, width + more)
    )
    for rule in (make() for make in RULES.values()):
        found = sentence([Quantity(value, interval, floor)], rule, "splits", "")
        at_best = sentence([Quantity(value, floor)], rule, "splits", "")
        wide = found.outcome == at_best.outcome == "inconclusive"
        assert (LASTING in found.note) == found.is_lasting == wide
        assert LASTING not in sentence([Quantity(value, interval)], rule, "splits", "").note


@given(st.integers(2, 40), st.sampled_from([0.25, 0.5, 0.75]))
def test_a_quantile_lies_in_its_interval(n, share):
    values = np.random.default_rng(n).integers(0, 10, n).astype(float)
    noise = QuantileNoise(values, share)
    value = float(np.quantile(values, share))
    low, high = noise.interval(value, n, 0.9)
    assert low <= value <= high
