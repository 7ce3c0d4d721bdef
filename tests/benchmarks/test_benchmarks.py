"""The benchmarks: what is measured, exponents, the columns of the stored table."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_growth, bench_svm
from experiments.evaluation.svm import smo
from tests.commands import ROOT


def test_exponents_are_slopes():
    sizes = {"features": [100, 200, 400], "seconds": [1.0, 2.0, 4.0], "MiB": [3.0, 12.0, 48.0]}
    one = {"way": "blocks", "features": 100, "seconds": 1.0, "MiB": 1.0}
    table = pd.concat([pd.DataFrame({"way": ["exact"] * 3, **sizes}), pd.DataFrame([one])])
    (line,) = bench_growth.exponents(table)
    assert line == "exact: seconds ~ features^1.00, MiB ~ features^2.00."


@pytest.mark.parametrize("way", bench_growth.WAYS)
def test_a_point_of_the_growth_is_measured_in_this_process(way, monkeypatch):
    for name in ("BLOCK", "SET_BLOCK"):
        monkeypatch.setattr(bench_growth, name, 30)
    assert bench_growth.measured(way, 80).keys() >= {"seconds", "MiB"}


def test_the_stored_table_of_svms_has_the_columns_that_the_benchmark_writes():
    X = np.random.default_rng(0).normal(size=(40, 5))
    data = X, np.arange(40) % 2, np.arange(5), "any"
    (row,) = bench_svm.compared(data, [2, 5], 2, {"SVC": smo.public}, 1)
    assert list(row) == list(pd.read_csv(ROOT / "results" / "benchmarks" / "svm.csv"))
    assert row["cells that differ"] == 0
