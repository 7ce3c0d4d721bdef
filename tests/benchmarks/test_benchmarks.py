"""The benchmarks: medians, what is measured, and the stored tables."""

from itertools import count

import numpy as np
import pandas as pd

from benchmarks import bench_growth, bench_score, bench_svm, common
from experiments.evaluation.svm import smo
from tests.cases import over
from tests.commands import ROOT


def test_a_time_is_the_median_of_the_runs(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 11.0, 20.0, 22.0])
    monkeypatch.setattr(common.time, "perf_counter", lambda: next(clock))
    answers = count()
    assert common.timed(lambda: next(answers), 3) == (2.0, 2)


def test_a_table_is_written_for_people_and_for_programs(tmp_path):
    text = common.write(tmp_path, "a", [{"ratio": 2.5, "what": "it"}], "A note;")
    assert text == (tmp_path / "a.md").read_text()
    assert text.startswith("| ratio | what |\n|---|---|\n| 2.5 | it |\n\nA note; ")
    assert pd.read_csv(tmp_path / "a.csv").to_dict("records") == [{"ratio": 2.5, "what": "it"}]


def test_duplicates_are_in_the_first_class_only():
    X, y = common.samples(20, 4, duplicates=True)
    assert (X[y == 0, 0] == X[y == 0, 1]).all()
    assert (X[y == 1, 0] != X[y == 1, 1]).all()


@over("way", bench_growth.WAYS)
def test_a_point_of_the_growth_is_measured_in_this_process(way, monkeypatch):
    for name in ("BLOCK", "SET_BLOCK"):
        monkeypatch.setattr(bench_growth, name, 30)
    assert bench_growth.measured(way, 80).keys() >= {"seconds", "MiB"}


@over("geometry", bench_score.LITERAL)
def test_the_stored_table_of_scores_has_the_columns_that_the_benchmark_writes(geometry):
    row = bench_score.compared(geometry, 30, 1)
    assert list(row) == list(pd.read_csv(ROOT / "results" / "benchmarks" / "score.csv"))


def test_the_stored_table_of_svms_has_the_columns_that_the_benchmark_writes():
    X = np.random.default_rng(0).normal(size=(40, 5))
    data = X, np.arange(40) % 2, np.arange(5), "any"
    (row,) = bench_svm.compared(data, [2, 5], 2, {"SVC": smo.public}, 1)
    assert list(row) == list(pd.read_csv(ROOT / "results" / "benchmarks" / "svm.csv"))
    assert row["cells that differ"] == 0
