"""Estimates of what a run takes: exact where nothing varies, honest about what was not drawn."""

import pytest
from omegaconf import OmegaConf

from benchmarks import estimates
from benchmarks.bench_experiments import duration, shares


def record(**seconds):
    stages = {name: {"seconds": value, "cpu": value / 2} for name, value in seconds.items()}
    peaks = {"run": 5, "worker": 7}
    return {"stages": stages, "peak_memory": peaks, "units": {"computed": 3}}


def config(n, **protocol):
    return OmegaConf.create({"protocol": {"n_repetitions": n, **protocol}})


def test_repetitions_grow_and_what_a_run_does_once_does_not():
    found = [(9.0, record(tables=1.0, scores=2.0, SVM=4.0, idle=3.0))] * 2
    row = estimates.from_repetitions(found, config(10))
    assert row["wall"] == pytest.approx(1 + 60 / estimates.WORKERS)
    assert row["cpu"] == pytest.approx(0.5 + 30)
    assert row["stages"] == {"tables": 1, "scores": 20, "SVM": 40}
    assert row["error"] == {"wall": 0, "cpu": 0}
    assert row["memory"] == 7
    judged = estimates.from_repetitions(found, config(10, judged_draws=3))
    assert judged["stages"] == {"tables": 1, "scores": 20, "SVM": 12}


def test_the_error_is_that_of_a_mean_of_repetitions():
    found = [(9.0, record(scores=value)) for value in (1.0, 2.0, 3.0, 6.0)]
    row = estimates.from_repetitions(found, config(10))
    assert row["cpu"] == pytest.approx(10 * 3 / 2)
    # Standard deviation of 0.5, 1, 1.5 and 3, by the root of 4.
    assert row["error"]["cpu"] == pytest.approx(10 * 1.0801234497 / 2)
    assert "error" not in estimates.from_repetitions(found[:1], config(10))


def test_parts_are_weighed_by_how_many_each_method_has():
    drawn = [{"cell": "a", "seconds": 1.0}] * 3 + [{"cell": "b", "seconds": 10.0}] * 2
    total, error, missing = estimates._total({"a": 100, "b": 5}, drawn, "cell")
    assert (total, error, missing) == (pytest.approx(150), 0, [])
    total, _, missing = estimates._total({"a": 100, "c": 5}, drawn, "scores")
    assert (total, missing) == (0, ["a", "c"])


def test_a_method_whose_cells_were_not_drawn_takes_the_mean_and_the_spread_of_all():
    drawn = [{"cell": "a", "seconds": 1.0}, {"cell": "a", "seconds": 3.0}]
    total, error, missing = estimates._total({"a": 1, "b": 10}, drawn, "cell")
    assert total == pytest.approx(2 + 20)
    assert missing == ["b"]
    assert error >= 10 * 2**0.5


def test_shares_add_up_and_methods_are_one_column():
    found = shares({"scores: a": 1.0, "scores: b": 2.0, "classifiers": 1.0, "idle": 4.0})
    assert sum(found.values()) == pytest.approx(1)
    assert (found["scores"], found["waiting"], found["other work"]) == (0.375, 0.5, 0.125)


def test_a_run_that_did_not_end_is_a_lower_bound():
    row = estimates.whole_run(None, 30.0)
    assert row["bound"]
    assert row["wall"] == 30.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.04, "2 s"), (42.2, "42 s"), (720, "12 min"), (14400, "4 h"), (1e6, "11.6 d")],
)
def test_durations_as_a_person_says_them(seconds, text):
    assert duration(seconds) == text
