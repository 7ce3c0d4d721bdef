"""Runs of the command, driven and disturbed as a user would: a store, a folder, a process."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from tests.experiments.conftest import units, words
from tests.forks import ROOT, Forked

RUN = words("""
experiment=xor100 profile=smoke protocol.n_repetitions=12 method=[anova,fisher] draw=false
+method.scorers.slow.call=tests.experiments.scorers:slow
""")
N_UNITS = 36
GENEROUS = 120.0


def started(*arguments, before=(), program=("run.py",), **options):
    """A run of its own process group, whose outputs are kept."""
    command = [*before, sys.executable, *program, *arguments]
    outputs: dict = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True, **outputs, **options)


class Folder:
    """A store and a run's folder; starts runs, waits for them, reads what they left."""

    def __init__(self, path):
        self.path, self.store, self.run = path, path / "store", path / "run"

    def start(self, *arguments, run="run", before=(), **options):
        places = [f"store={self.store}", f"hydra.run.dir={self.path / run}"]
        environment = os.environ | {"BEGUN": str(self.path / "begun")}
        given = {argument.partition("=")[0] for argument in arguments}
        kept = [argument for argument in RUN if argument.partition("=")[0] not in given]
        command = [*kept, *places, *arguments]
        if before or options:
            return started(*command, before=before, env=environment, **options)
        return Forked("run.py", *command, environment=environment)

    def finished(self):
        """The time at which the file of each finished unit was written."""
        files = self.store.glob("??/[!.]*.parquet")
        return {path: path.stat().st_mtime_ns for path in files}


def ended(process):
    """Exit status and outputs, once the process and all of its workers are gone.

    They hold its outputs open: the end of these is the end of the last of them.
    """
    try:
        out, err = process.communicate(timeout=GENEROUS)
    except (subprocess.TimeoutExpired, TimeoutError):
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("a process goes on")
    return process.returncode, out, err


def succeeds(process):
    """Wait for a run that ends well."""
    status, _, err = ended(process)
    assert status == 0, err


def refused(process, status=1):
    """The one sentence that a run ends with, and its other output, in which no traceback is."""
    found, out, err = ended(process)
    assert found == status, err
    assert "Traceback" not in out
    (line,) = err.splitlines()
    return line, out


def until(condition, process):
    """Wait for something that a run does."""
    end = time.monotonic() + GENEROUS
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """A run that nothing happens to."""
    folder = Folder(tmp_path_factory.mktemp("undisturbed"))
    succeeds(folder.start("workers=0"))
    assert units(folder.run) == {"computed": N_UNITS, "reused": 0, "failed": []}
    return folder


@pytest.fixture
def filled(folder, undisturbed):
    """A copy of its store."""
    shutil.copytree(undisturbed.store, folder.store)
    return folder
