"""Calls that differ between systems: fallbacks give the same results, containers are apart."""

import os
import shutil
import signal
import subprocess
import sys

import pandas as pd
import pytest

from experiments import system
from experiments.files import PART, abandoned
from experiments.datasets import load
from tests.experiments.conftest import results
from tests.experiments.engine.conftest import started
from tests.forks import ROOT, python

PLAIN = """
from experiments import system
from experiments.datasets import load
assert not system.MEMORY_IS_LIMITED and not system.MASKS_SIGNALS
assert system.runs(2**22 + 1) is None and system.memory_limit() is None
with system.locked(1, wait=False) as ours:
    assert ours
print(load("file", path="a.csv", target="y").fingerprint)
"""


XOR = ["experiment=xor100", "profile=smoke", "method=[anova,manifest]", "draw=false", "workers=2"]


@pytest.mark.slow
def test_runs_and_data_are_the_same_with_every_fallback(tmp_path):
    frame = pd.DataFrame({"a": range(8), "b": [1, 5, 2, 7, 3, 1, 8, 4], "y": [0, 1] * 4})
    frame.to_csv(tmp_path / "a.csv", index=False)
    plain = {system.PLAIN: "1", "PYTHONPATH": str(ROOT)}
    told = python("-c", PLAIN, at=tmp_path, **plain)
    assert told.returncode == 0, told.stderr
    assert told.stdout.strip() == load("file", path=tmp_path / "a.csv", target="y").fingerprint
    for name, variables in {"usual": {}, "plain": plain}.items():
        folder = tmp_path / name
        places = [f"store={folder}_", f"hydra.run.dir={folder}"]
        done = python("run.py", *XOR, *places, **variables)
        assert done.returncode == 0, done.stderr
    assert results(tmp_path / "usual") == results(tmp_path / "plain")


WRITER = """
import sys
from pathlib import Path
from experiments.files import abandoned, atomic_write
with atomic_write(Path(sys.argv[1], "a.txt")) as part:
    print("there", len(abandoned(part.parent)), flush=True)
    sys.stdin.read()
    part.write_text("whole")
"""


def test_a_file_that_another_container_writes_is_left_alone(tmp_path):
    unshare = shutil.which("unshare")
    apart = [str(unshare), "--pid", "--fork", "--mount-proc"]
    if unshare is None or subprocess.run([*apart, "true"], capture_output=True).returncode:
        pytest.skip("this system makes no PID namespaces for this user")
    program = ("-c", WRITER, str(tmp_path))
    writer = started(before=apart, program=program, stdin=subprocess.PIPE)
    assert writer.stdout.readline() == "there 0\n"
    [part] = tmp_path.glob(f"{PART}*")
    assert abandoned(tmp_path) == []
    os.utime(part, (0, 0))
    assert abandoned(tmp_path) == [part], "after an hour without a sign of life"
    writer.communicate(timeout=60)
    assert (tmp_path / "a.txt").read_text() == "whole"


@pytest.mark.slow
def test_output_that_nobody_reads_ends_a_program_without_a_word():
    for arguments in (["--help"], ["experiment=xor100", "--cfg", "job"]):
        process = started(*arguments)
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=60) in (0, 141)


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of Linux")
def test_what_a_library_does_at_the_end_changes_no_status():
    begin = (
        "import ctypes, sys; libc = ctypes.CDLL(None); libc.__cxa_atexit(libc.abort, None, None)\n"
    )
    ends = {
        "sys.exit(0)": -signal.SIGABRT,
        "from experiments.engine.interruption import end_process; end_process(3)": 3,
    }
    for end, status in ends.items():
        ended = python("-c", f"{begin}print('said'); {end}")
        assert (ended.returncode, ended.stdout) == (status, "said\n"), ended.stderr
