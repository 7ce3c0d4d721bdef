"""The base of the benchmarks: turns, medians and written tables."""

from itertools import count

import pandas as pd

from benchmarks import bench_score, common


def test_a_time_is_the_median_of_the_runs(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 11.0, 20.0, 22.0])
    monkeypatch.setattr(common.time, "perf_counter", lambda: next(clock))
    answers = count()
    assert common.timed(lambda: next(answers), 3) == (2.0, 2)


def test_actions_take_turns_and_what_is_prepared_is_new_and_not_timed(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(common.time, "perf_counter", lambda: clock[0])
    called, given = [], []

    def ready():
        clock[0] += 100.0
        return []

    def first(fresh):
        clock[0] += 1.0
        called.append("a")
        given.append(fresh)

    def second():
        # The first turn does not count.
        clock[0] += 50.0 if called.count("b") == 0 else 2.0
        called.append("b")

    seconds = bench_score.alternating({"a": first, "b": second}, {"a": [ready]}, 2)
    assert called == list("ababab")
    assert seconds == {"a": 1.0, "b": 2.0}
    assert len({id(value) for value in given}) == 3


def test_a_table_is_written_for_people_and_for_programs(tmp_path):
    text = common.write(tmp_path, "a", [{"ratio": 2.5, "what": "it"}], "A note.")
    assert text == (tmp_path / "a.md").read_text()
    assert text == "| ratio | what |\n|---|---|\n| 2.5 | it |\n\nA note.\n"
    assert pd.read_csv(tmp_path / "a.csv").to_dict("records") == [{"ratio": 2.5, "what": "it"}]


def test_duplicates_are_in_the_first_class_only():
    X, y = common.samples(20, 4, duplicates=True)
    assert (X[y == 0, 0] == X[y == 0, 1]).all()
    assert (X[y == 1, 0] != X[y == 1, 1]).all()
