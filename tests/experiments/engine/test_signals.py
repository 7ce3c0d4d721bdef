"""Signals at moments where ending is delicate: the first ones of a run, and the last of a sweep."""

import os
import signal
import time
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from tests.experiments.engine.conftest import ended, refused, started, until
from tests.forks import python

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")]

SWEEP = ["-m", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "seed=0,1", "workers=0"]
TOY = ["experiment=toy", "profile=smoke", "protocol.n_repetitions=1"]


def swept(folder):
    """A sweep of two jobs."""
    return started(*SWEEP, f"store={folder}/store", f"hydra.sweep.dir={folder}/sweep", *TOY)


def listens(process):
    """True if a process catches SIGTERM, as run.py does from its first line on."""
    told = Path(f"/proc/{process.pid}/status")
    if not told.exists():
        pytest.skip("this system does not tell the signals that a process catches")
    (caught,) = [line for line in told.read_text().splitlines() if line.startswith("SigCgt:")]
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


def test_a_signal_just_after_the_start_is_one_sentence(tmp_path):
    for number, later in product((signal.SIGINT, signal.SIGTERM), (0.0, 0.02, 0.1, 0.3)):
        process = started(f"store={tmp_path}/store", f"hydra.run.dir={tmp_path}/run", *TOY)
        until(partial(listens, process), process)
        time.sleep(later)
        process.send_signal(number)
        line, _ = refused(process, 128 + number)
        assert "run the same command again" in line, later


def test_nothing_slow_is_imported_before_a_run_listens():
    answer = python("-c", "import sys, experiments.engine.interruption; print(*sys.modules)")
    assert not {"numpy", "hydra", "omegaconf", "joblib"} & set(answer.stdout.split())


def test_a_signal_while_a_finished_sweep_shuts_down_is_one_sentence(tmp_path):
    for number in (signal.SIGINT, signal.SIGTERM):
        process = swept(tmp_path)
        for line in process.stdout:
            if line.startswith("sweep   "):
                break
        os.killpg(process.pid, number)
        status, _, err = ended(process)
        assert status in (0, 128 + number)
        assert len(err.splitlines()) <= 1
        assert not list(tmp_path.rglob(".part-*"))


def test_a_killed_sweep_leaves_no_folder_in_shared_memory(tmp_path):
    process = swept(tmp_path)
    until(lambda: list((tmp_path / "sweep").glob("*/progress.json")), process)
    os.killpg(process.pid, signal.SIGKILL)
    ended(process)
    assert not list(Path("/dev/shm").glob(f"joblib_memmapping_folder_{process.pid}_*"))
