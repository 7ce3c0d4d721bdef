"""Sweeps: what one job does to the others, the table at the end, cores shared out, who looks on."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf

from experiments.engine import parallel, progress
from experiments.cache import Outcome
from experiments.sweep import Table, parallel_jobs, summary
from scripts import status
from tests.experiments.conftest import results
from tests.experiments.engine.conftest import ended, started, until
from tests.experiments.test_command import XOR, arguments_in
from tests.forks import forked

SCALES = ["method=manifest", "method.scale_factor=0.05,0.1"]


@pytest.fixture
def command(tmp_path):
    """Run run.py in the repository with its outputs in a temporary folder."""

    return lambda *given: forked("run.py", *arguments_in(tmp_path, *given))


def jobs(folder):
    return pd.read_csv(folder / "sweep.csv").set_index("job")


@pytest.mark.slow
def test_a_table_over_all_jobs_ends_a_sweep(command, tmp_path):
    answer = command("-m", *XOR, *SCALES)
    assert answer.returncode == 0, answer.stderr
    table = jobs(tmp_path / "sweep")
    assert list(table.index) == ["000_method.scale_factor=0.05", "001_method.scale_factor=0.1"]
    assert set(table["state"]) == {"finished"}
    assert (table["computed"] == 3).all()
    for job, row in table.iterrows():
        (summary,) = pd.read_csv(tmp_path / "sweep" / str(job) / "summary.csv").to_dict("records")
        assert row["best"] == "ManiFeSt correct"
        assert row["value"] == pytest.approx(summary["correct"])
    *_, first, second, _, place = answer.stdout.splitlines()
    assert [first.split()[0], second.split()[0]] == list(table.index)
    assert str(tmp_path / "sweep") in place
    assert "Traceback" not in answer.stdout + answer.stderr


@pytest.mark.slow
def test_a_job_that_fails_stops_no_other_and_is_told(command, tmp_path):
    """One cannot be run at all, one has units that fail; composing finds typos before any runs."""
    answer = command("-m", *XOR, "method=anova", "seed=-1,0,1", "figure=score_panels")
    assert answer.returncode == 1
    table = jobs(tmp_path / "sweep")
    assert list(table["state"]) == ["failed", "finished", "finished"]
    assert "seed must be at least 0, got -1" in table["error"].iloc[0]
    assert "000_seed=-1 failed: seed must be at least 0, got -1" in answer.stdout
    assert answer.stderr.strip() == "1 of 3 jobs failed, wholly or in part; see above"
    answer = command("-m", *XOR, "method=anova", "seed=0,one")
    assert answer.returncode == 1
    assert "'one'" in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_units_that_fail_make_a_sweep_fail(command, tmp_path):
    moody = "+method.scorers.moody.call=tests.experiments.scorers:moody"
    answer = command("-m", *XOR, "protocol.n_repetitions=8", "method=anova", moody, "seed=0")
    assert answer.returncode == 1
    table = jobs(tmp_path / "sweep")
    assert list(table["state"]) == ["finished"]
    assert 0 < table["failed"].iloc[0] < 8


@pytest.mark.slow
def test_jobs_side_by_side_give_the_same_bytes(command, tmp_path):
    side_by_side = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    answer = command("-m", *XOR, *SCALES, *side_by_side, f"hydra.sweep.dir={tmp_path / 'both'}")
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    answer = command("-m", *XOR, *SCALES, "refresh=true")
    assert answer.returncode == 0, answer.stderr
    both, one = jobs(tmp_path / "both"), jobs(tmp_path / "sweep")
    assert list(both.index) == list(one.index)
    assert list(one["computed"]) == list(both["computed"]) == [3, 3]
    for job in both.index:
        assert results(tmp_path / "both" / job) == results(tmp_path / "sweep" / job)


JOBLIB = "hydra_plugins.hydra_joblib_launcher.joblib_launcher.JoblibLauncher"
LAUNCHERS: dict[str, dict] = {
    "basic": {"_target_": "hydra._internal.core_plugins.basic_launcher.BasicLauncher"},
    "joblib": {"_target_": JOBLIB, "n_jobs": -1},
}


def test_jobs_share_the_cores(monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    for launcher, arguments, n_jobs in (
        ("basic", ["seed=0,1,2"], 1),
        ("joblib", ["experiment=xor100", "seed=0,1,2"], 3),
        ("joblib", ["seed=range(10)", "method=ig,gini"], 8),
        ("joblib", ["seed=0"], 1),
    ):
        overrides = OverridesParser.create().parse_overrides(arguments)
        config = OmegaConf.create(LAUNCHERS[launcher])
        assert parallel_jobs(config, overrides) == n_jobs, arguments
        monkeypatch.setenv(progress.PARALLEL, str(n_jobs))
        assert n_jobs * parallel.own_cores() <= 8 < n_jobs * (parallel.own_cores() + 1)
    monkeypatch.setenv(progress.PARALLEL, "16")
    assert parallel.own_cores() == 1


def test_no_job_at_a_time_is_refused_in_a_sentence():
    for place in ("launcher", "sweeper"):
        config = OmegaConf.create({"hydra": {"launcher": {}, "sweeper": {}}})
        config.hydra[place].n_jobs = 0
        with pytest.raises(SystemExit, match=rf"hydra\.{place}\.n_jobs=0 runs no job; give"):
            Table().on_multirun_start(config)


def test_jobs_of_a_former_sweep_in_the_folder_are_counted_and_not_listed(tmp_path):
    for n, job in enumerate(("000_seed=0", "001_seed=1", "000_seed=7")):
        (tmp_path / job).mkdir()
        about = {"state": "finished", "started": 100.0 * n, "alive": 100.0 * n + 1}
        progress.save(tmp_path / job, about)
    table, n_former = summary(tmp_path, since=150.0)
    assert (list(table["job"]), n_former) == (["000_seed=7"], 2)


def test_progress_tells_how_far_a_run_is(tmp_path):
    outcome = Outcome(computed=2, reused=1, total=9, failures={"key": "no score"})
    with progress.Progress(tmp_path, outcome, experiment="xor100"):
        record = progress.load(tmp_path)
        assert record is not None
        assert progress.state_of(record) == "running"
        assert [record[key] for key in ("computed", "reused", "failed", "total")] == [2, 1, 1, 9]
    assert progress.state_of(progress.load(tmp_path) or {}) == "finished"
    for error, state in ((ValueError("no"), "failed"), (KeyboardInterrupt(), "interrupted")):
        with pytest.raises(type(error)), progress.Progress(tmp_path, outcome):
            raise error
        assert progress.state_of(progress.load(tmp_path) or {}) == state


def test_a_heart_beats_while_units_take_their_time(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "HEARTBEAT", 0.01)
    with progress.Progress(tmp_path, Outcome(), experiment="xor100"):
        first = progress.load(tmp_path)
        end = time.monotonic() + 60
        while progress.load(tmp_path) == first:
            assert time.monotonic() < end
            time.sleep(0.01)


def test_a_terminal_shows_a_bar_with_the_time_left(monkeypatch, caplog):
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "QUIET", -1.0)
    items = progress.watched(range(3), 3, "splits")
    assert [next(items), next(items)] == [0, 1]
    shown = terminal.getvalue()
    assert "splits:" in shown
    assert "/3 [" in shown
    assert not [record for record in caplog.records if record.levelname == "INFO"]


def test_elsewhere_a_line_tells_from_time_to_time(monkeypatch, caplog, capsys):
    caplog.set_level("INFO")
    assert list(progress.watched(range(3), 3, "splits")) == [0, 1, 2]
    assert not caplog.records
    monkeypatch.setattr(progress, "QUIET", -1.0)
    assert list(progress.watched(range(3), 3, "splits")) == [0, 1, 2]
    assert [m.partition(", about")[0] for m in caplog.messages] == [
        f"splits: {done} of 3 units" for done in (1, 2, 3)
    ]
    assert capsys.readouterr().err == ""


def test_status_tells_the_living_from_the_dead(tmp_path, capsys):
    """By the process on this machine, by the time of its last sign of life on another."""
    now = time.time()
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    here = progress.place()
    for name, host, pid, alive in (
        ("here", here, os.getpid(), now - 900),
        ("gone", here, dead.pid, now),
        ("there", "elsewhere", 1, now - 5),
        ("silent", "elsewhere", 1, now - 900),
    ):
        with progress.Progress(tmp_path / name, Outcome(total=4, computed=1), experiment="xor100"):
            pass
        path = tmp_path / name / progress.FILE
        record = json.loads(path.read_text())
        record |= {"state": "running", "host": host, "pid": pid, "alive": alive}
        path.write_text(json.dumps(record))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / progress.FILE).write_text("{")
    assert status.main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    states = {line.split()[0]: line.split()[2] for line in out.splitlines()[1:5]}
    assert states == {"here": "running", "gone": "dead", "there": "running", "silent": "dead"}
    assert "1 of 4" in out
    assert "4 runs: 2 dead, 2 running" in out.splitlines()[-1]
    assert status.main([str(tmp_path / "broken")]) == 1
    assert "no runs" in capsys.readouterr().out


def test_durations_are_told_as_people_do():
    told = [progress.duration(seconds) for seconds in (0.4, 99, 100, 7200)]
    assert told == ["0 s", "99 s", "2 min", "2.0 h"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killing_a_sweep_kills_its_jobs_and_their_workers(tmp_path):
    """The last of them holds the output open."""
    slow = "+method.scorers.slow.call=tests.experiments.scorers:slow"
    places = [f"store={tmp_path / 'store'}", f"hydra.sweep.dir={tmp_path / 'sweep'}"]
    side_by_side = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "workers=2"]
    many = ["protocol.n_repetitions=1000", "method=[]", slow, "seed=0,1"]
    process = started("-m", *XOR, *many, *side_by_side, *places)
    until(lambda: list(tmp_path.glob("store/??/*.parquet")), process)
    process.send_signal(signal.SIGKILL)
    ended(process)
