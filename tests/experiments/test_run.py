"""A run and its folder, and sweeps: the same bytes on any workers; faults."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from experiments.config import entry_of
from experiments.report.figures import curves
from tests.commands import ROOT, python
from tests.experiments.conftest import results, tasks, words

XOR = words("experiment=xor100 profile=smoke method=[gini,anova]")


def slow(X, y):
    """A scorer of a quarter of a second, but for the 24 samples that it is tried on."""
    time.sleep(0.25 if len(X) > 24 else 0)
    return X[0]


def moody(X, y):
    """A scorer that fails on about half of the samples, the same ones each time."""
    if len(X) > 24 and X[0, 0] == 1:
        raise RuntimeError("no score today")
    return X[0]


def test_results_are_the_same_for_any_number_of_workers_and_from_the_cache(run):
    one, _ = run(*XOR, folder="one", store="one", workers=1)
    two, _ = run(*XOR, folder="two", store="two", workers=2)
    again, _ = run(*XOR, folder="again", store="two")
    assert results(one) == results(two) == results(again)
    assert tasks(again) == {"computed": 0, "reused": 6, "failed": []}


def test_what_fails_is_a_row_that_says_so_and_the_rest_is_there(run):
    moody = "+method.scorers.moody.call=tests.experiments.test_run:moody"
    folder, failed = run(*XOR, moody, "protocol.n_repetitions=8")
    assert 0 < failed < 8
    assert len(tasks(folder)["failed"]) == failed
    assert set(pd.read_csv(folder / "summary.csv")["method"]) == {"gini", "anova", "moody"}


def test_the_provenance_identifies_the_run_and_names_no_folder(run, tmp_path):
    folder, _ = run(*XOR)
    text = (folder / "provenance.json").read_text("utf-8")
    assert str(tmp_path) not in text
    record = json.loads(text)
    known = {"overrides", "git", "packages", "blas", "simd", "machine", "seed", "data", "seconds"}
    assert known <= set(record)
    assert record["config"]["method"]["scorers"].keys() == {"gini", "anova"}
    assert set(record["files"]) == {path.name for path in folder.iterdir()}


def is_gone(session):
    """Whether no process of a session is left; it waits a moment for them."""
    time.sleep(0.1)
    try:
        os.killpg(session, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_ended_goes_on_with_the_same_bytes(tmp_path, number):
    slow = "+method.scorers.slow.call=tests.experiments.test_run:slow"
    command = [sys.executable, "run.py", *XOR, slow, "protocol.n_repetitions=6", "workers=2"]

    def started(folder, store):
        places = [f"hydra.run.dir={tmp_path / folder}", f"store={tmp_path / store}", "draw=false"]
        null, line = subprocess.DEVNULL, [*command, *places]
        with (tmp_path / "said").open("w") as said:
            return subprocess.Popen(
                line, cwd=ROOT, stdout=null, stderr=said, start_new_session=True
            )

    ended = started("run", "store")
    while ended.poll() is None and len(list(tmp_path.glob("store/tasks/*/*.pkl"))) < 3:
        time.sleep(0.05)
    ended.send_signal(number)
    assert ended.wait(timeout=60) != 0
    if number != signal.SIGKILL:
        said = (tmp_path / "said").read_text()
        assert (ended.returncode, said.count("\n"), "resume" in said) == (1, 1, True)
        assert any(is_gone(ended.pid) for _ in range(200)), "a worker is left"
    assert not (tmp_path / "run" / "provenance.json").exists()
    for folder, store in (("run", "store"), ("whole", "other")):
        assert started(folder, store).wait(timeout=240) == 0
    assert tasks(tmp_path / "run")["reused"] >= 3
    assert results(tmp_path / "run") == results(tmp_path / "whole")


@pytest.fixture
def sweep(tmp_path):
    """Run a sweep: its answer, and sweep.csv."""

    def run(*given, folder="sweep", draw="false"):
        places = [f"hydra.sweep.dir={tmp_path / folder}", f"store={tmp_path / folder}_store"]
        answer = python("run.py", "-m", *XOR[:2], *given, *places, f"draw={draw}")
        path = tmp_path / folder / "sweep.csv"
        return answer, pd.read_csv(path) if path.exists() else None

    return run


def test_the_table_has_a_row_for_each_job_and_method(sweep, tmp_path):
    given = ["method=[manifest,relieff]", "method.scale_factor=0.1,1", "workers=1"]
    answer, table = sweep(*given, draw="true")
    assert answer.returncode == 0, answer.stderr
    assert len(table) == 4
    assert set(table["status"]) == {"finished"}
    manifest = table[table["method"] == "manifest"].set_index("method.scale_factor")
    assert manifest.loc[1.0, "mean"] == 0
    assert manifest.loc[0.1, "mean"] == 2
    for folder, rows in table.groupby("folder"):
        summary = pd.read_csv(tmp_path / "sweep" / str(folder) / "summary.csv")
        own, theirs = rows[["method", "mean", "ci_low"]], summary[["method", "correct", "ci_low"]]
        assert own.to_numpy().tolist() == theirs.to_numpy().tolist()
    lines = curves.sweep(tmp_path / "sweep", x="method.scale_factor")["sweep"].axes[0].lines
    drawn = {line.get_label(): np.asarray(line.get_ydata()).tolist() for line in lines}
    assert [*drawn] == [entry_of(name)["label"] for name in ("manifest", "relieff")]
    assert drawn[entry_of("manifest")["label"]] == [2, 0]
    assert (tmp_path / "sweep" / "sweep.png").is_file()


def test_a_job_that_fails_stops_no_other(sweep, tmp_path):
    answer, table = sweep("method=anova", "seed=-1,0,1", "workers=1", draw="true")
    assert answer.returncode == 1
    assert list(table["status"]) == ["failed", "finished", "finished"]
    assert "seed" in table["error"].iloc[0]
    assert "Traceback" not in answer.stdout + answer.stderr
    assert "figure  none" in answer.stdout
    of_seeds = pd.read_csv(tmp_path / "sweep" / "sweep_mean.csv")
    assert of_seeds["n_seeds"].tolist() == [2]


def test_a_folder_with_a_table_of_somebody_else_is_refused(sweep, tmp_path):
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "sweep.csv").write_text("of,the\nuser,1\n")
    answer, table = sweep("method=anova", "seed=0,1", "workers=1")
    assert (answer.returncode, "sweep.csv" in answer.stderr) == (1, True)
    assert table.columns.tolist() == ["of", "the"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_sweep_has_the_table_of_its_finished_jobs(tmp_path, number):
    slow = "method.scorers.slow.call=tests.experiments.test_run:slow"
    places = [f"hydra.sweep.dir={tmp_path / 'sweep'}", f"store={tmp_path / 'store'}", "draw=false"]
    given = [*XOR, f"+{slow}", "seed=0,1,2,3", "workers=1", *places]
    null, path = subprocess.DEVNULL, tmp_path / "sweep" / "sweep.csv"
    ended = subprocess.Popen(
        [sys.executable, "run.py", "-m", *given], cwd=ROOT, stdout=null, stderr=null
    )
    while ended.poll() is None and not path.is_file():
        time.sleep(0.05)
    ended.send_signal(number)
    assert ended.wait(timeout=60) == 1
    table = pd.read_csv(path)
    assert 0 < table["job"].nunique() < 4
    assert {*table["status"]} == {"finished"}


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["joblib", "submitit"])
def test_launchers_give_the_same_bytes(sweep, tmp_path, launcher):
    pytest.importorskip(f"hydra_plugins.hydra_{launcher}_launcher")
    options = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    if launcher == "submitit":
        options = ["hydra/launcher=submitit_local", "hydra.launcher.mem_gb=2"]
    _, one = sweep("method=anova", "seed=0,1", "workers=1", folder="one")
    answer, there = sweep("method=anova", "seed=0,1", "workers=1", *options, folder="there")
    assert answer.returncode == 0, answer.stderr
    assert len(there) == len(one) == 2
    for job in map(str, one["folder"]):
        assert results(tmp_path / "there" / job) == results(tmp_path / "one" / job)
