"""The arithmetic of the growth benchmark, its points and its report."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_growth


def test_an_exponent_is_that_of_the_upper_part_alone():
    sizes = np.array([10, 20, 50, 100, 200, 500, 1000])
    values = np.where(sizes < 100, 7.0, 3e-9 * sizes**2.5)
    slope, error = bench_growth.fit(sizes, values)
    assert slope == pytest.approx(2.5)
    assert error == pytest.approx(0, abs=1e-6)
    assert np.isnan(bench_growth.fit([1, 500, 1000], [1, 2, 3])[0])


def test_every_point_is_in_the_report_and_the_plot(tmp_path):
    given = SimpleNamespace(features=[10, 20], samples=[20, 30, 40], methods=3)
    points = list(bench_growth.points(given))
    assert len(points) == 10 * 5 + 3
    table = pd.DataFrame([point | {"seconds": 0.1, "MiB": 2.0, "runs": 1} for point in points])
    report = bench_growth.report(table)
    assert "| features | spd | 20 |" in report
    assert "seconds against methods" in report
    bench_growth.draw(table, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_a_point_is_measured_in_this_process():
    row = bench_growth.measured("features", "spd", 10, seconds=0.01)
    assert row["seconds"] > 0
    assert row["runs"] >= 1
