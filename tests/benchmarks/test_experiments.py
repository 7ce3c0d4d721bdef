"""Rows of the table of experiments: what is measured, what is estimated and what is a bound."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from benchmarks import bench_experiments
from benchmarks.bench_experiments import WORKERS, multiplied, readable, whole


def run(wall=9.0, units=8.0, cpu=10.0):
    """The wall seconds and the provenance of a run."""
    return wall, {
        "seconds": {"wall": wall, "units": units, "cpu": cpu},
        "peak_memory": {"run": 5, "worker": 7},
        "units": {"computed": 3},
    }


def test_units_grow_with_the_repetitions_and_the_rest_of_a_run_does_not():
    row = multiplied(run(wall=9.0, units=8.0, cpu=10.0), 10)
    assert row["wall"] == pytest.approx((9 - 8 / WORKERS) + 10 * 8 / WORKERS)
    assert row["cpu"] == pytest.approx((10 - 8) + 10 * 8)
    assert (row["memory"], row["units"]) == (7, "about 30")


@given(st.floats(0.1, 1e4), st.floats(0, 1), st.integers(2, 50))
def test_one_repetition_is_itself_and_more_take_longer(wall, share, n):
    found = run(wall, units=WORKERS * share * wall, cpu=WORKERS * wall)
    one = multiplied(found, 1)
    assert one["wall"] == pytest.approx(wall)
    assert one["cpu"] == pytest.approx(WORKERS * wall)
    assert multiplied(found, n)["wall"] >= one["wall"] * (1 - 1e-9)


def test_one_repetition_stands_for_a_run_that_does_not_fit(monkeypatch, tmp_path):
    for profile, n, seconds, ends, asked, how in (
        ("smoke", 3, 10.0, True, ["all"], "measured"),
        ("fast", 1, 10.0, True, ["all"], "measured"),
        ("fast", 2, 1000.0, True, ["one", "all"], "measured"),
        ("paper", 50, 100.0, True, ["one"], "estimated"),
        ("paper", 50, 100.0, False, ["one"], "lower bound"),
    ):
        calls: list[str] = []

        def timed_run(*overrides, timeout, calls=calls, ends=ends):
            calls.append("one" if "protocol.n_repetitions=1" in overrides else "all")
            return run() if ends else None

        monkeypatch.setattr(bench_experiments, "timed_run", timed_run)
        config = OmegaConf.create(
            {"name": "any", "profile": {"name": profile}, "protocol": {"n_repetitions": n}}
        )
        row = bench_experiments.measured(config, tmp_path, seconds)
        assert calls == asked, profile
        assert row["how"].startswith(how), profile


def test_a_run_that_did_not_end_is_a_lower_bound():
    rows = [
        {"experiment": "a", "profile": "fast"} | row
        for row in (whole(None, 30.0, "it"), whole(run(), 90.0, "it"))
    ]
    told = readable(pd.DataFrame(rows))
    assert told["wall"].tolist() == ["> 30 s", "9 s"]
    assert told["cpu"].tolist() == ["", "10 s"]
