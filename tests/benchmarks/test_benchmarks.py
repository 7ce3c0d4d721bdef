"""The benchmarks: turns and medians, what is measured or estimated, their points and reports."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from benchmarks import bench_experiments, bench_growth, bench_score, bench_svm, common
from benchmarks import bench_many_features as bench
from benchmarks.bench_experiments import WORKERS, multiplied, readable, whole
from experiments.evaluation.svm import smo
from tests.commands import ROOT


def test_a_time_is_the_median_of_the_runs(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 11.0, 20.0, 22.0])
    monkeypatch.setattr(common.time, "perf_counter", lambda: next(clock))
    answers = count()
    assert common.timed(lambda: next(answers), 3) == (2.0, 2)


def test_actions_take_turns_and_the_first_turn_does_not_count(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(common.time, "perf_counter", lambda: clock[0])
    called: list[str] = []

    def first():
        clock[0] += 1.0
        called.append("a")

    def second():
        clock[0] += 50.0 if called.count("b") == 0 else 2.0
        called.append("b")

    seconds = bench_score.alternating({"a": first, "b": second}, 2)
    assert called == list("ababab")
    assert seconds == {"a": 1.0, "b": 2.0}


def test_a_table_is_written_for_people_and_for_programs(tmp_path):
    text = common.write(tmp_path, "a", [{"ratio": 2.5, "what": "it"}], "A note.")
    assert text == (tmp_path / "a.md").read_text()
    assert text == "| ratio | what |\n|---|---|\n| 2.5 | it |\n\nA note.\n"
    assert pd.read_csv(tmp_path / "a.csv").to_dict("records") == [{"ratio": 2.5, "what": "it"}]


def test_duplicates_are_in_the_first_class_only():
    X, y = common.samples(20, 4, duplicates=True)
    assert (X[y == 0, 0] == X[y == 0, 1]).all()
    assert (X[y == 1, 0] != X[y == 1, 1]).all()


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


def test_an_exponent_is_that_of_the_upper_part_alone():
    sizes = np.array([10, 20, 50, 100, 200, 500, 1000])
    values = np.where(sizes < 100, 7.0, 3e-9 * sizes**2.5)
    slope, error = bench_growth.fit(sizes, values)
    assert slope == pytest.approx(2.5)
    assert error == pytest.approx(0, abs=1e-6)
    assert np.isnan(bench_growth.fit([1, 500, 1000], [1, 2, 3])[0])


def test_every_point_is_in_the_report_and_the_plot(tmp_path):
    given = SimpleNamespace(features=[10, 20], samples=[20, 30, 40])
    points = list(bench_growth.points(given))
    assert len(points) == 10 * 5
    table = pd.DataFrame([point | {"seconds": 0.1, "MiB": 2.0, "runs": 1} for point in points])
    report = bench_growth.report(table)
    assert "| features | spd | 20 |" in report
    assert "seconds against samples" in report
    bench_growth.draw(table, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_a_point_is_measured_in_this_process():
    row = bench_growth.measured("features", "spd", 10, seconds=0.01)
    assert row["seconds"] > 0
    assert row["runs"] >= 1


def chosen(**given):
    none = {"data": [], "percentiles": [50.0], "recovery": [], "exact": [], "growth": []}
    return SimpleNamespace(**none | given)


def test_every_approximation_comes_after_its_exact_score():
    points = list(bench.points(chosen(data=["prostate_ge"], recovery=[300], growth=[500, 900])))
    assert len(points) == 4 + 6 + 2 * 3
    exact = None
    for point in points:
        exact = point["data"] if point["method"] == "exact" else exact
        if point["method"] == "context" and point["section"] != "growth":
            assert exact == point["data"]


def test_an_approximation_is_compared_with_the_exact_score_and_reported(monkeypatch):
    truth = np.random.default_rng(0).random(600)

    def fresh(measured, point, home, scores):
        np.save(scores, truth)
        row: dict[str, object] = {"seconds": 8.0, "MiB": 100, "recovered": 0.5}
        if point["method"] == "context":
            row |= {"seconds": 2.0, "two halves": [0.9, 0.8], "two sizes": [0.7, 0.6]}
        return 0.0, row

    monkeypatch.setattr(bench, "fresh", fresh)
    table = bench.run(bench.points(chosen(recovery=[600])), None)
    near = table[table["method"] == "context"]
    assert (near["spearman"].round(9) == 1).all()
    assert (near["of 200"] == bench.TOP).all()
    assert (near["time"] == 0.25).all()
    assert "| 0.25 | 1.0000 | 200 | 0.50 | 0.900, 0.800 | 0.700, 0.600 |" in bench.report(table)


def test_exponents_are_slopes():
    sizes = {"features": [100, 200, 400], "seconds": [1.0, 2.0, 4.0], "MiB": [3.0, 3.0, 3.0]}
    (line,) = bench.exponents(pd.DataFrame({"method": ["context"] * 3, **sizes}))
    assert line == "context: seconds ~ features^1.00, MiB ~ features^0.00."


def test_a_point_measures_what_it_says(tmp_path, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 1)
    point = {"data": "expression_like", "params": {"n_features": 150, "n_samples": 40}}
    point |= {"method": "context", "scale": {"scale_factor": 0.4}}
    point |= {"sizes": {"block": 60, "context": 0, "repeats": 2}}
    row = bench.measured(point, None, tmp_path / "scores.npy")
    assert np.load(tmp_path / "scores.npy").shape == (150,)
    assert row["MiB"] > 0
    assert 0 <= row["recovered"] <= 1
    assert len(row["two halves"]) == len(row["two sizes"]) == 2


def test_the_stored_table_of_svms_has_the_columns_that_the_benchmark_writes():
    X = np.random.default_rng(0).normal(size=(40, 5))
    data = X, np.arange(40) % 2, np.arange(5), "any"
    (row,) = bench_svm.compared(data, [2, 5], 2, {"SVC": smo.public}, 1)
    assert list(row) == list(pd.read_csv(ROOT / "results" / "benchmarks" / "svm.csv"))
    assert row["cells that differ"] == 0
