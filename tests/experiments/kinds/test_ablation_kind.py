"""An ablation: its parts, pairs at the best size, words of parts, and answers drawn from them."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from experiments import kinds
from experiments.cache import Cache, Run
from experiments.evaluation.statistics import (
    holm,
    outside_by_holm,
    paired_interval,
    resampled_interval,
    resampled_ttest,
)
from experiments.kinds import ablation
from experiments.kinds.ablation import changed_parts, composed_part, every_part
from experiments.kinds.ablation.answers import (
    answers,
    by_question,
    by_source,
    common,
    of_changes,
    words_of,
)
from experiments.kinds.base import Results, tables_of

TEN = np.random.default_rng(0).normal(size=10)


def test_pairs_are_at_the_best_number_of_features_of_each_method(compose):
    config = compose("experiment=ablation", "profile=paper")
    rows = pd.DataFrame({"split": [*range(10)] * 3, "result": [*TEN, *(TEN + 2), *TEN[::-1]]})
    rows["method"] = np.repeat(["manifest", "manifest_blind"], [20, 10])
    rows["n_features"] = np.repeat([5, 10, 5], 10)
    rows["at_edge"] = np.repeat([False, True, False], 10)
    rows = rows.assign(part="madelon_best", overlap=1 / 9, ambiguous=False)
    found = tables_of(kinds.load("ablation"), {"rows": rows}, config)
    (pair,) = found["pairs"].to_dict("records")
    values = TEN + 2 - TEN[::-1]
    low, high = resampled_interval(values, 1 / 9, level=0.9)
    assert np.allclose((pair["difference"], pair["ci_low"], pair["ci_high"]), (2, low, high))
    assert pair["ci_low"] < pair["split_low"] < 2 < pair["split_high"] < pair["ci_high"]
    assert (pair["method"], pair["other"]) == ("manifest", "manifest_blind")
    assert (pair["question"], pair["source"]) == ("labels", "Madelon")
    summary = found["summary"].set_index("method")
    assert np.isclose(summary["result"]["manifest"], TEN.mean() + 2)
    assert summary["at_edge"].to_dict() == {"manifest": 1, "manifest_blind": 0}
    assert "edge" in pair["part_label"]
    inside = tables_of(kinds.load("ablation"), {"rows": rows.assign(at_edge=False)}, config)
    assert not inside["pairs"]["part_label"].str.contains("edge").any()
    assert found["answers"]["answer"].tolist() == [pair["word"]] * 2
    changed = rows[rows["method"] == "manifest_blind"]  # All tasks of the score failed.
    alone = tables_of(kinds.load("ablation"), {"rows": changed}, config)
    assert alone["summary"]["method"].tolist() == ["manifest_blind"]


def test_a_part_without_results_does_not_end_the_run(compose, monkeypatch, tmp_path):
    config = compose("experiment=ablation", "profile=smoke")
    config.protocol.parts = {"toy_a": config.protocol.parts.toy_a}
    empty = Results({"rows": pd.DataFrame()}, {"name": "toy"})
    failing = replace(kinds.load("recovery"), run=lambda run: empty)
    monkeypatch.setattr(kinds, "load", lambda name: failing)
    results = ablation.run(Run(config, Cache(str(tmp_path))))
    assert results.rows["rows"].empty


def test_each_scale_is_a_part_and_the_best_of_them_is_one(compose):
    config = compose("experiment=ablation", "profile=paper")
    parts = every_part(config.protocol)
    scales = [name for name in parts if name.startswith("xor_")]
    assert scales == [f"xor_{v}" for v in ("0.05", "0.1", "0.2", "0.3", "0.5", "1", "2", "best")]
    one, best = (composed_part(config, parts[name]) for name in ("xor_0.3", "xor_best"))
    assert one["parameters"]["manifest"] == {"percentile": None, "scale_factor": 0.3}
    assert best["parameters"]["manifest"]["scale_factor"][-1] == 2
    assert one["parameters"]["correlation_difference"] == {}
    assert [*one["method"]["scorers"]] == parts["xor_0.3"]["methods"]


def test_a_stored_part_says_which_of_its_settings_have_changed(compose):
    names = compose("experiment=ablation").protocol.parts
    others = [f"~protocol.parts.{name}" for name in names if name not in ("colon", "toy_a")]
    stored, today = (compose("experiment=ablation", *others) for _ in range(2))
    parts = every_part(stored.protocol)
    stored.protocol.composed = {name: composed_part(stored, of) for name, of in parts.items()}
    assert changed_parts(stored, today) == []
    stored.protocol.composed.colon.protocol.inner_repeats = 7
    today.method.scorers.manifest.grid.percentile = [50]
    lines = changed_parts(stored, today)
    assert any("colon:" in line and "protocol" in line for line in lines)
    assert any("toy_a:" in line and "method" in line for line in lines)


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
        (counted,) = by_question(answers(pairs)).to_dict("records")
        assert (counted[answer], counted["not shown"]) == (1, int(answer != NEEDED))
