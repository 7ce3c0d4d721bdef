"""The engine: what is remembered, what is computed again, workers, faults."""

import logging
import os
import signal
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from omegaconf import OmegaConf

from experiments import cache as engine
from experiments import code
from experiments.cache import Cache, Run, RunStopped, Task, key_of
from experiments.config import ConfigError
from experiments.evaluation.samples import Loaded
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
    config = OmegaConf.create({"scheduler": None, "workers": workers})
    run = Run(config, Cache(str(root)))
    run.complete(wanted, "draws")
    return run.outcome


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
    monkeypatch.setattr(code, "ROOT", tmp_path)
    digest = code.code.__wrapped__
    for name, decides in {
        "manifest/a.py": True, "experiments/b.c": True, "baselines/d.txt": False,
        "experiments/report/c.py": False,
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
        before = digest()
        (tmp_path / name).write_text("2")
        assert (digest() != before) == decides, name
    with monkeypatch.context() as patch:
        for module in (code, engine):
            patch.setattr(module, "code", lambda: before)
        assert completed(tasks(1), tmp_path / "store").computed == 1
    assert completed(tasks(1), tmp_path / "store").reused == 1, "another checkout emptied the store"


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


class Odd(BaseException):
    """No Exception."""


def fails(number):
    if number == 1:
        raise ValueError("no score for you")
    if number == 2:
        raise SystemExit("leaving")
    if number == 4:
        raise Odd
    return {"number": number}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_raises_is_a_failure_and_the_others_go_on(tmp_path, workers):
    outcome = completed(tasks(5, fails), tmp_path, workers)
    assert sorted(row["number"] for row in outcome.rows.values()) == [0, 3]
    told = {"SystemExit: leaving", "ValueError: no score for you", "Odd"}
    assert {*outcome.failures.values()} == told


def test_a_flipped_bit_is_never_a_number(tmp_path):
    """600 random bits of stored rows: each row comes back as it was, or not at all."""
    first, store = completed(tasks(6), tmp_path), Cache(str(tmp_path))
    rng, rows = np.random.default_rng(0), first.rows
    for key in rng.choice([*rows], 600):
        content = bytearray((path := store.path(key)).read_bytes())
        content[rng.integers(len(content))] ^= 1 << rng.integers(8)
        path.write_bytes(content)
        assert store.load(key) is None
        path.write_bytes((content[:40], b"", content[::-1])[rng.integers(3)])
        assert store.load(key) is None
        store.row(key, partial(rows.get, key))
    assert_same(first, completed(tasks(6), tmp_path), computed=0)


def test_rows_under_the_names_of_others_are_computed_again(tmp_path, caplog):
    first = completed(tasks(3), tmp_path / "store")
    one, two, three = sorted((tmp_path / "store").glob("tasks/*/*.pkl"))
    one.rename(kept := tmp_path / "kept")
    two.rename(one)
    kept.rename(two)
    three.unlink()
    three.mkdir()
    with pytest.raises(CannotWrite, match="directory"):
        completed(tasks(3), tmp_path / "store")
    three.rmdir()
    again = completed(tasks(3), tmp_path / "store", workers=2)
    assert_same(first, again, computed=again.computed)
    assert (again.computed + again.reused, again.failures) == (3, {})
    assert "damaged" in caplog.text


def fails_again(number, mark):
    """Fail where there is a mark."""
    if mark.exists():
        raise RuntimeError("not today")
    return {"number": number}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_damaged_row_is_a_task_as_any_other(tmp_path, workers):
    wanted = tasks(3, fails_again, mark=(mark := tmp_path / "mark"))
    completed(wanted, tmp_path / "store")
    for path in (tmp_path / "store").glob("tasks/*/*.pkl"):
        path.write_bytes(path.read_bytes()[:-1])
    mark.touch()
    outcome = completed(wanted, tmp_path / "store", workers)
    assert (len(outcome.failures), outcome.computed, outcome.reused) == (3, 0, 0)
    mark.unlink()
    assert completed(wanted, tmp_path / "store", workers).computed == 3


def test_damaged_samples_are_written_again(tmp_path):
    data: Any = SimpleNamespace(X=np.eye(6)[:, :4], y=np.arange(6) % 2, fingerprint="print")
    path = Path(Loaded.of(data, Cache(str(tmp_path))).path)
    whole = path.read_bytes()
    for content in (whole[:90], b"", bytes([*whole[:-200], whole[-200] ^ 1, *whole[-199:]])):
        path.write_bytes(content)
        source = Loaded.of(data, Cache(str(tmp_path)))
        assert path.read_bytes() == whole
        np.testing.assert_array_equal(source.samples().X, data.X)


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
    for workers in (1, 2):
        with pytest.raises(CannotWrite, match="file"):
            completed(tasks(2), tmp_path / "file" / "store", workers)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(CannotWrite, match="no space"):
        completed(tasks(1), tmp_path / "store")
    assert not list((tmp_path / "store").glob("tasks/*/.*"))


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


def test_no_cell_of_a_table_is_a_formula_and_no_number_changes():
    names = ["=cmd|' /C calc'!A0", "@SUM(1)", "+1+cmd", "-2+3", " =1", "\t=1"]
    plain = ["-1", "+2.5", "-1e-5", "a=b", "-2.", "x", "1-2"]
    table = pd.DataFrame({"=name": [*names, *plain], "number": np.arange(-3.0, 10)})
    head, *rows = as_csv(table).splitlines()
    assert head == "'=name,number"
    assert all(row.lstrip('"').startswith("'") for row in rows[: len(names)])
    assert [row.rpartition(",")[0] for row in rows[len(names) :]] == plain
    assert [float(row.rpartition(",")[2]) for row in rows] == table["number"].tolist()


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
