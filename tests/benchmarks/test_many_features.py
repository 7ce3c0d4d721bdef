"""The benchmark of many features: its points, its measures and its report."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from benchmarks import bench_many_features as bench


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
    monkeypatch.setattr(bench, "available_cores", lambda: 1)
    point = {"data": "expression_like", "params": {"n_features": 150, "n_samples": 40}}
    point |= {"method": "context", "scale": {"scale_factor": 0.4}}
    point |= {"sizes": {"block": 60, "context": 0, "repeats": 2}}
    row = bench.measured(point, None, tmp_path / "scores.npy")
    assert np.load(tmp_path / "scores.npy").shape == (150,)
    assert row["MiB"] > 0
    assert 0 <= row["recovered"] <= 1
    assert len(row["two halves"]) == len(row["two sizes"]) == 2
