"""The benchmark of many features: its points, that it goes on, and what it reports."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_many_features as bench
from benchmarks.many_features_point import measure


def chosen(**given):
    none = {"data": [], "percentiles": [50.0], "recovery": [], "exact": [], "growth": []}
    return SimpleNamespace(**none | given)


def test_every_approximation_comes_after_its_exact_score():
    points = list(bench.series(chosen(data=["prostate_ge"], recovery=[300], growth=[500, 900])))
    assert len(points) == 4 + 6 + 2 * 3
    exact = None
    for point in points:
        exact = point["data"] if point["method"] == "exact" else exact
        if point["method"] == "context" and point["section"] != "growth":
            assert exact == point["data"]


def test_an_interrupted_run_goes_on_and_is_reported(monkeypatch, tmp_path):
    asked: list[dict] = []
    allowed = [4, 5]
    truth = np.random.default_rng(0).random(600)

    def measured(point, scores, home):
        if len(asked) == allowed[0]:
            raise KeyboardInterrupt
        asked.append(point)
        np.save(scores, truth)
        found: dict[str, object] = {"seconds": 8.0, "MiB": 100, "recovered": 0.5}
        if point["method"] == "context":
            found |= {"seconds": 2.0, "agreement": [0.9, 0.8], "agreement_of_sizes": [0.7, 0.6]}
        return found

    monkeypatch.setattr(bench, "measured", measured)
    points = list(bench.series(chosen(recovery=[600])))[:5]
    with pytest.raises(KeyboardInterrupt):
        bench.run(points, tmp_path, None)
    del allowed[0]
    table = bench.run(points, tmp_path, None)
    assert asked == points
    near = table[table["method"] == "context"]
    assert (near["spearman"].round(9) == 1).all()
    assert (near["of 200"] == bench.TOP).all()
    assert (near["time"] == 0.25).all()
    assert "| 0.25 | 1.0000 | 200 | 0.50 | 0.900, 0.800 | 0.700, 0.600 |" in bench.report(table)


def test_exponents_are_slopes():
    growth = pd.DataFrame(
        {
            "method": ["context"] * 3,
            "features": [100, 200, 400],
            "seconds": [1.0, 2.0, 4.0],
            "MiB": [3.0, 3.0, 3.0],
        }
    )
    (line,) = bench.exponents(growth)
    assert line == "context: seconds ~ features^1.00, MiB ~ features^0.00."


def test_a_point_measures_what_it_says():
    data = {"name": "expression_like", "params": {"n_features": 150, "n_samples": 40}}
    parameters = {"block": 60, "context": 0, "repeats": 2, "n_jobs": 1, "scale_factor": 0.4}
    scores, found = measure({"data": data, "method": "context", "parameters": parameters}, None)
    assert scores.shape == (150,)
    assert found["MiB"] > 0
    assert 0 <= found["recovered"] <= 1
    assert len(found["agreement"]) == len(found["agreement_of_sizes"]) == 2
