"""Words of parts, and the answers that are drawn from them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from experiments.evaluation.statistics import (
    decided,
    holm,
    outside_by_holm,
    paired_interval,
    resampled_interval,
    resampled_ttest,
)
from experiments.kinds.ablation.answers import answers, by_source, common, of_changes, words_of


def part(mean, half, margin=1.0):
    """A part whose interval is of the same width at every level."""
    interval = lambda level: (mean - half, mean + half)  # noqa: E731
    return {"difference": mean, "interval": interval, "margin": margin}


@pytest.mark.parametrize(("mean", "half", "word"), [
    (2, 1, "needed"), (2, 2.5, "open"), (0.8, 0.5, "open"), (0.8, 0.1, "not needed"),
    (0, 0.5, "not needed"), (0, 1.5, "open"), (-0.5, 1, "not needed"), (-2, 1, "harmful"),
    (-2, 2.5, "not needed"), (-2, 3.5, "open"), (2, np.nan, "open"), (0, np.nan, "open"),
])  # fmt: skip
def test_the_word_of_a_part_is_the_first_that_matches(mean, half, word):
    assert words_of([part(mean, half)]) == [word]


def test_words_are_corrected_for_the_parts_of_a_change_and_those_left_by_holm():
    rng = np.random.default_rng(0)
    for _ in range(50):
        samples = rng.normal(rng.uniform(-1, 1, size=8)[:, None], size=(8, 12))
        intervals = [paired_interval(sample, 100) for sample in samples]
        one_sided = [
            stats.ttest_1samp(sample, 0, alternative="greater").pvalue for sample in samples
        ]
        expected = {*np.flatnonzero(holm(np.array(one_sided)) <= 0.05)}
        assert outside_by_holm(intervals, (-np.inf, 0.0)) == expected
        parts = [
            {"difference": x.mean(), "interval": i, "margin": 0.1}
            for x, i in zip(samples, intervals, strict=True)
        ]
        words = words_of(parts)
        assert {i for i, word in enumerate(words) if word == "needed"} == {
            i for i in expected if samples[i].mean() > 0.1
        }


def test_equal_differences_are_judged_by_what_the_draws_may_hide():
    # With probability .95 ** 50 = .077, fifty draws hide a value that one draw in twenty has.
    assert words_of(
        [{"difference": 2, "interval": paired_interval([2.0] * 50, 2), "margin": 0.25}]
    ) == ["needed"]
    low, high = paired_interval([0.0] * 50, 2)(0.9)
    assert np.isclose(high, -low)
    assert np.isclose((1 - high / 2) ** 50, 0.05)
    assert np.isnan(paired_interval([0.0] * 10, 100, 1 / 9)(0.9)).all()
    values = np.arange(10.0)
    assert paired_interval(values, 100, 0.1)(0.9) == resampled_interval(values, 0.1, 0.9)
    assert resampled_ttest([0.0] * 10, 1 / 9)[1] == 1


def test_decided_is_where_the_intervals_lie():
    at = [part(0, 1)["interval"], part(0.5, 1)["interval"]]
    assert decided(at, (-1, 1.5)) == "inside"
    assert decided(at, (-0.9, 1.5)) == "open"
    assert decided(at, (2, 3)) == "outside"
    narrow = [paired_interval(np.arange(10.0), 100)]
    assert (decided(narrow, (7, 20), 1), decided(narrow, (7, 20), 100)) == ("outside", "open")


NEEDED, NOT, HARMFUL, OPEN, DISAGREE = (
    "needed", "not needed", "harmful", "open", "parts disagree",
)  # fmt: skip


@pytest.mark.parametrize(("words", "answer"), [
    ([NEEDED], NEEDED), ([NEEDED, OPEN], NEEDED), ([OPEN, OPEN], OPEN), ([NOT, OPEN, NOT], NOT),
    ([NEEDED, NOT], DISAGREE), ([HARMFUL, NOT], DISAGREE), ([HARMFUL, OPEN], HARMFUL),
])  # fmt: skip
def test_a_source_has_the_common_word_of_its_parts(words, answer):
    for order in itertools.permutations(words):
        assert common(order) == answer
    pairs = pd.DataFrame({"question": "labels", "source": "XOR", "other": "blind", "word": words})
    (of_change, of_question) = answers(pairs).to_dict("records")
    assert (of_change["other"], of_change["answer"]) == ("blind", answer)
    assert [of_change[word] for word in (NEEDED, NOT, HARMFUL, OPEN)] == [
        words.count(word) for word in (NEEDED, NOT, HARMFUL, OPEN)
    ]
    assert (of_question["other"], of_question["answer"]) == ("", answer)
    (cell,) = by_source(answers(pairs))["labels"]
    if answer == DISAGREE:
        assert all(f"{words.count(word)} {word}" in cell for word in words)
    else:
        assert cell == answer


@pytest.mark.parametrize(("words", "answer"), [
    ([NEEDED, NEEDED], NEEDED), ([NEEDED, OPEN], OPEN), ([NEEDED, NOT], NOT), ([NOT, OPEN], NOT),
    ([NOT, HARMFUL], NOT), ([NOT, DISAGREE], NOT), ([HARMFUL, NEEDED], HARMFUL),
    ([OPEN, OPEN], OPEN), ([HARMFUL, OPEN], HARMFUL), ([DISAGREE, NEEDED], DISAGREE),
    ([DISAGREE, OPEN], DISAGREE),
    ([DISAGREE, HARMFUL], DISAGREE), ([HARMFUL, HARMFUL], HARMFUL),
    ([DISAGREE, DISAGREE], DISAGREE),
])  # fmt: skip
def test_a_question_of_two_changes_is_answered_by_both(words, answer):
    assert of_changes(words) == of_changes(words[::-1]) == answer
    pairs = pd.DataFrame(
        {"question": "kernel", "source": "XOR", "other": ["a", "b"], "word": words}
    )
    if DISAGREE not in words:
        assert answers(pairs)["answer"].tolist() == [*words, answer]
