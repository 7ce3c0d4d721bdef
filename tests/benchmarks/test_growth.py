"""The arithmetic of the growth benchmark, and that it goes on where it was interrupted."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import bench_growth, common


def test_an_exponent_is_that_of_the_upper_part_alone():
    sizes = np.array([10, 20, 50, 100, 200, 500, 1000])
    values = np.where(sizes < 100, 7.0, 3e-9 * sizes**2.5)
    slope, error = bench_growth.fit(sizes, values)
    assert slope == pytest.approx(2.5)
    assert error == pytest.approx(0, abs=1e-6)
    assert np.isnan(bench_growth.fit([1, 500, 1000], [1, 2, 3])[0])


def test_a_point_is_left_out_where_time_would_pass_the_limit():
    cubic = [(100, 1.0), (200, 8.0)]
    assert not bench_growth.too_long(cubic, 400, limit=65)
    assert bench_growth.too_long(cubic, 400, limit=63)
    assert not bench_growth.too_long([(100, 60.0)], 200, limit=63)


def test_an_interrupted_run_goes_on(monkeypatch, tmp_path):
    asked: list[tuple] = []

    def alone(point, seconds):
        if len(asked) == 30:
            raise KeyboardInterrupt
        asked.append(tuple(point.values()))
        return {"seconds": 0.1, "MiB": 2.0, "arrays": 1.0, "runs": 1}

    monkeypatch.setattr(common, "OUTPUTS", tmp_path)
    monkeypatch.setattr(bench_growth, "alone", alone)
    given = SimpleNamespace(
        features=[10, 20], samples=[20, 30, 40], methods=3, limit=1.0, seconds=0.1
    )
    with pytest.raises(KeyboardInterrupt):
        bench_growth.run(given)
    asked.append(())
    table, left_out = bench_growth.run(given)
    assert len(asked) == len(set(asked))
    assert len(table) == len(asked) - 1 == 10 * 5 + 3
    assert left_out == []
    report = bench_growth.report(table)
    assert "| features | spd | 10 | 20 |" in report
    bench_growth.draw(table, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_a_point_is_measured_in_this_process():
    point = {"axis": "features", "method": "spd", "n": 20, "d": 10, "methods": 1}
    found = bench_growth.point(**point, seconds=0.01)
    assert found["seconds"] > 0
    assert found["runs"] >= 1
