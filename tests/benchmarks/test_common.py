"""What the benchmarks share: turns, medians, kept results and written tables."""

from functools import partial
from itertools import count

import pandas as pd
import pytest

from benchmarks import common


@pytest.fixture
def outputs(monkeypatch, tmp_path):
    monkeypatch.setattr(common, "OUTPUTS", tmp_path / "outputs")
    return tmp_path / "outputs"


def test_actions_take_turns_and_the_first_turn_does_not_count(monkeypatch):
    clock = count()
    monkeypatch.setattr(common.time, "perf_counter", lambda: float(next(clock)))
    called = []

    def action(name):
        called.append(name)
        return name

    seconds, results = common.alternating({name: partial(action, name) for name in "ab"}, 3)
    assert called == list("abababab")
    assert results == {"a": "a", "b": "b"}
    assert seconds == {"a": 1.0, "b": 1.0}


def test_what_is_prepared_is_new_in_each_turn_and_not_timed(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(common.time, "perf_counter", lambda: clock[0])
    given = []

    def ready():
        clock[0] += 100.0
        return []

    def action(fresh):
        clock[0] += 1.0
        given.append(fresh)

    seconds, _ = common.alternating({"a": action}, 2, prepare={"a": ready}, warm=False)
    assert seconds == {"a": 1.0}
    assert given[0] is not given[1]


def test_a_kept_value_is_measured_once_until_its_table_is_written(outputs, tmp_path):
    measured = []

    def measure():
        measured.append(1)
        return {"seconds": len(measured)}

    assert [common.kept("a", ["x"], measure)["seconds"] for _ in range(2)] == [1, 1]
    assert common.kept("a", ["y"], measure)["seconds"] == 2
    common.write(tmp_path, "a", [{"seconds": 1}], "A note.")
    assert common.kept("a", ["x"], measure)["seconds"] == 3


def test_a_value_of_other_code_is_not_kept(outputs, monkeypatch):
    assert common.kept("a", ["x"], lambda: 1) == 1
    monkeypatch.setattr(common, "sources", lambda: "other")
    assert common.kept("a", ["x"], lambda: 2) == 2


def test_a_table_is_written_for_people_and_for_programs(outputs, tmp_path):
    text = common.write(tmp_path, "a", [{"ratio": 2.5, "what": "it"}], "A note.")
    assert text == (tmp_path / "a.md").read_text()
    assert text == "| ratio | what |\n|---|---|\n| 2.5 | it |\n\nA note.\n"
    assert pd.read_csv(tmp_path / "a.csv").to_dict("records") == [{"ratio": 2.5, "what": "it"}]


def test_duplicates_are_in_the_first_class_only():
    X, y = common.samples(20, 4, duplicates=True)
    assert (X[y == 0, 0] == X[y == 0, 1]).all()
    assert (X[y == 1, 0] != X[y == 1, 1]).all()
