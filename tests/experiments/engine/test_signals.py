"""Signals at moments where ending is delicate: the first ones of a run, and the last of a sweep."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.experiments.engine.conftest import ROOT, ended, until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

SWEEP = ["-m", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "seed=0,1", "workers=0"]
TOY = ["experiment=toy", "profile=smoke", "protocol.n_repetitions=1"]


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "run.py", *arguments, *TOY],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def listens(process):
    """Whether a process catches SIGTERM: so it does from the first line of run.py on."""
    told = Path(f"/proc/{process.pid}/status")
    if not told.exists():
        pytest.skip("this system does not tell the signals that a process catches")
    (caught,) = [line for line in told.read_text().splitlines() if line.startswith("SigCgt:")]
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("later", [0.0, 0.02, 0.1, 0.3])
def test_a_signal_just_after_the_start_is_one_sentence(tmp_path, number, later):
    process = start(f"store={tmp_path}/store", f"hydra.run.dir={tmp_path}/run")
    until(lambda: listens(process), process)
    time.sleep(later)
    process.send_signal(number)
    status, out, err = ended(process)
    assert status == 128 + number
    (line,) = err.splitlines()
    assert "run the same command again" in line
    assert "Traceback" not in out


def test_nothing_slow_is_imported_before_a_run_listens():
    """A stack of the packages' own imports is what Ctrl-C would print otherwise."""
    text = "import sys, experiments.engine.interruption; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True)
    assert not {"numpy", "hydra", "omegaconf", "joblib"} & set(answer.stdout.split())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_finished_sweep_shuts_down_is_one_sentence(tmp_path, number):
    process = start(*SWEEP, f"store={tmp_path}/store", f"hydra.sweep.dir={tmp_path}/sweep")
    assert process.stdout is not None
    until(lambda: process.stdout.readline().startswith("sweep   "), process)
    os.killpg(process.pid, number)
    status, _, err = ended(process)
    assert status in (0, 128 + number)
    assert len(err.splitlines()) <= 1
    assert not list(tmp_path.rglob(".part-*"))


def test_a_killed_sweep_leaves_no_folder_in_shared_memory(tmp_path):
    process = start(*SWEEP, f"store={tmp_path}/store", f"hydra.sweep.dir={tmp_path}/sweep")
    until(lambda: list((tmp_path / "sweep").glob("*/progress.json")), process)
    os.killpg(process.pid, signal.SIGKILL)
    ended(process)
    assert not list(Path("/dev/shm").glob(f"joblib_memmapping_folder_{process.pid}_*"))
