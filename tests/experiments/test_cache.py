"""The engine: what is remembered, what is computed again, workers, faults."""

import logging
import os
import signal
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from experiments import cache as engine
from experiments.cache import Cache, Outcome, RunStopped, Task, complete, key_of
from experiments.config import ConfigError
from experiments.files import CannotWrite, as_csv, atomic_write


def draw(number, log=None):
    """Some numbers, a warning, and a line in a file that counts the calls."""
    warnings.warn(f"gradient {number}.5 is large", UserWarning, stacklevel=1)
    if log is not None:
        with open(log, "a") as file:
            file.write(f"{number}\n")
    return {"number": number, "values": np.random.default_rng(number).normal(size=(3, 2))}


def tasks(n, function=draw, **options):
    return [Task(key_of("draw", n=i), partial(function, i, **options)) for i in range(n)]


def completed(wanted, root, workers=1):
    outcome = Outcome()
    complete(wanted, Cache(str(root)), outcome, workers, "draws")
    return outcome


def assert_same(one, other, computed):
    """All rows of one have the bytes that they have in the other, which computed so many."""
    assert (other.computed, other.failures) == (computed, {})
    for key, row in one.rows.items():
        assert row["number"] == other.rows[key]["number"]
        assert row["values"].tobytes() == other.rows[key]["values"].tobytes()


def test_a_task_is_computed_once_and_comes_back_as_it_was(tmp_path):
    log, store = tmp_path / "log", tmp_path / "store"
    first = completed(tasks(3, log=log), store)
    again = completed([*tasks(4, log=log), *tasks(4, log=log)], store)
    assert_same(first, again, computed=1)
    assert (first.reused, again.reused) == (0, 3)
    assert log.read_text() == "0\n1\n2\n3\n"


def test_the_sources_that_may_decide_a_number_are_part_of_every_task(tmp_path, monkeypatch):
    completed(tasks(1), tmp_path / "store")
    monkeypatch.setattr(engine, "ROOT", tmp_path)
    digest = engine.code.__wrapped__
    for name, decides in {
        "manifest/a.py": True, "experiments/b.c": True, "baselines/d.txt": False,
        "experiments/report/c.py": False,
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
        before = digest()
        (tmp_path / name).write_text("2")
        assert (digest() != before) == decides, name
    monkeypatch.setattr(engine, "code", lambda: before)
    assert completed(tasks(1), tmp_path / "store").computed == 1


def test_the_file_of_a_scorer_from_elsewhere_is_part_of_its_tasks(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "scorer_of_a_user.py"
    path.write_text("def score(X, y):\n    return X[0]\n")
    import scorer_of_a_user  # type: ignore[import-not-found]

    own = key_of("scores", [scorer_of_a_user.score])
    path.write_text("def score(X, y):\n    return X[1]\n")
    assert key_of("scores", [scorer_of_a_user.score]) != own
    assert key_of("scores", [engine.compute]) == key_of("scores")


def test_workers_give_the_same_bytes_and_a_warning_is_logged_once(tmp_path, caplog):
    one = completed(tasks(6), tmp_path / "one")
    caplog.clear()
    assert_same(one, completed(tasks(6), tmp_path / "two", workers=2), computed=6)
    assert sum("gradient" in message for message in caplog.messages) == 1


@pytest.mark.slow
def test_dask_workers_give_the_same_bytes(tmp_path):
    distributed = pytest.importorskip("distributed")
    one = completed(tasks(6), tmp_path / "here")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options, host="127.0.0.1") as cluster:
        there = completed(tasks(6), tmp_path / "there", workers=cluster.scheduler_address)
    assert_same(one, there, computed=6)
    with pytest.raises(ConfigError, match="scheduler"):
        completed(tasks(7), tmp_path / "there", workers="tcp://127.0.0.1:1")


def fails(number):
    if number == 1:
        raise ValueError("no score for you")
    if number == 2:
        raise SystemExit("leaving")
    return {"number": number}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_raises_is_a_failure_and_the_others_go_on(tmp_path, workers):
    outcome = completed(tasks(4, fails), tmp_path, workers)
    assert sorted(row["number"] for row in outcome.rows.values()) == [0, 3]
    assert {*outcome.failures.values()} == {"SystemExit: leaving", "ValueError: no score for you"}


def test_a_damaged_row_is_computed_again(tmp_path, caplog):
    completed(tasks(1), tmp_path)
    (path,) = tmp_path.rglob("output.pkl")
    path.write_bytes(path.read_bytes()[:40])
    for _ in range(2):
        (row,) = completed(tasks(1), tmp_path).rows.values()
        assert row["number"] == 0
        assert sum("loading results" in message for message in caplog.messages) == 1


def killed(number, mark):
    """Kill the worker, as the system does for lack of memory, if there is a mark."""
    if number == 1 and mark.exists():
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"number": number}


def test_a_killed_worker_ends_the_run_in_one_sentence_and_the_next_run_resumes(tmp_path):
    (mark := tmp_path / "mark").touch()
    wanted = tasks(5, killed, mark=mark)
    with pytest.raises(RunStopped, match="memory"):
        completed(wanted, tmp_path / "store", workers=2)
    assert len(completed(wanted, tmp_path / "store", workers=2).rows) == 5


def test_a_store_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(CannotWrite, match="file"):
        completed(tasks(1), tmp_path / "file" / "store")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("joblib.numpy_pickle.dump", full)
    with pytest.raises(CannotWrite, match="no space"):
        completed(tasks(1), tmp_path)
    assert not list(tmp_path.rglob("*.thread*"))


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    def half_written(error):
        with atomic_write(tmp_path / "a.txt") as part:
            part.write_text("half")
            raise error

    with pytest.raises(ValueError, match="half"):
        half_written(ValueError("half way"))
    with pytest.raises(CannotWrite, match="space"):
        half_written(OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []
    assert as_csv(pd.DataFrame({"x": [1 / 3]})) == "x\n0.333333\n"


def test_without_a_terminal_an_estimate_and_a_line_a_minute_are_logged(monkeypatch, caplog):
    """Tasks of 40 s on two workers, whose first ones also start the workers."""
    now = iter([0.0, 100.0, 100.0, *range(120, 520, 20)])
    monkeypatch.setattr(engine, "time", SimpleNamespace(monotonic=lambda: next(now)))
    caplog.set_level(logging.INFO, logger="experiments")
    log_progress = engine._progress("evaluating", 20, 2)
    for _ in range(20):
        log_progress()
    told = [record.getMessage() for record in caplog.records]
    assert told[0] == "evaluating: 3 of 20 tasks, about 6 min left"
    assert len(told) == 5
