"""The arithmetic of the growth benchmark, and that it goes on where it was interrupted."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import bench_growth


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

    def measured(point, seconds):
        if len(asked) == 30:
            raise KeyboardInterrupt
        asked.append(tuple(point.values()))
        return {"seconds": 0.1, "MiB": 2.0, "arrays": 1.0, "runs": 1}

    monkeypatch.setattr(bench_growth, "measured", measured)
    chosen = SimpleNamespace(
        features=[10, 20], samples=[20, 30, 40], methods=3, limit=1.0, seconds=0.1
    )
    waiting = tmp_path / "growth" / "points.jsonl"
    with pytest.raises(KeyboardInterrupt):
        bench_growth.run(chosen, waiting)
    asked.append(())
    table, left_out = bench_growth.run(chosen, waiting)
    assert len(asked) == len(set(asked))
    assert len(table) == len(asked) - 1 == 10 * 5 + 3
    assert left_out == []
    report = bench_growth.report(table, ["spd at 9000 features"])
    assert "| features | spd | 10 | 20 |" in report
    assert "Not measured" in report
