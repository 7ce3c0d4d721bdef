"""The benchmarks: what is measured, and the columns of the stored tables."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_growth, bench_score, bench_svm
from experiments.evaluation.svm import smo
from tests.commands import ROOT


@pytest.mark.parametrize("way", bench_growth.WAYS)
def test_a_point_of_the_growth_is_measured_in_this_process(way):
    assert bench_growth.measured(way, 80).keys() >= {"seconds", "MiB"}


@pytest.mark.parametrize("geometry", bench_score.LITERAL)
def test_the_stored_table_of_scores_has_the_columns_that_the_benchmark_writes(geometry):
    row = bench_score.compared(geometry, 30, 1)
    assert list(row) == list(pd.read_csv(ROOT / "results" / "benchmarks" / "score.csv"))


def test_the_stored_table_of_svms_has_the_columns_that_the_benchmark_writes():
    X = np.random.default_rng(0).normal(size=(40, 5))
    data = "any", X, np.arange(40) % 2, np.arange(5), [2, 5]
    (row,) = bench_svm.compared(data, 2, {"SVC": smo.public}, 1)
    assert list(row) == list(pd.read_csv(ROOT / "results" / "benchmarks" / "svm.csv"))
    assert row["cells that differ"] == 0
