"""A file can take no more than the limits, and says in one sentence which one it met."""

import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.datasets import DataError, child
from experiments.datasets.child import Limits
from tests.commands import ROOT


def sleep(seconds: float, folder: Path) -> child.Answer:
    """Keep a child process busy, once it has said which one it is."""
    (folder / "pid").write_text(str(os.getpid()))
    time.sleep(seconds)
    return {}, {}


def fail() -> child.Answer:
    raise AssertionError("a fault of ours")


def end(status: int) -> child.Answer:
    os.kill(os.getpid(), status)
    return {}, {}


def linger() -> child.Answer:
    """Leave a thread behind that would hold an interpreter up at its end."""
    import threading

    threading.Thread(target=time.sleep, args=(60,)).start()
    return {"a": np.arange(3)}, {"b": ["ä", None]}


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_a_reader_that_does_not_end_is_stopped(tmp_path):
    with pytest.raises(DataError, match=r"the file was not complete after data\.timeout=5 seconds"):
        child.run(sleep, 60.0, tmp_path, what="the file", limits=Limits(timeout=5))
    assert gone(int((tmp_path / "pid").read_text()))


def test_a_crash_is_a_sentence_and_a_fault_of_ours_is_none():
    with pytest.raises(DataError, match=r"a\.csv cannot be read: it ended the process .* -11\)"):
        child.run(end, signal.SIGSEGV, what="a.csv")
    with pytest.raises(RuntimeError, match="AssertionError: a fault of ours"):
        child.run(fail, what="a.csv")


def test_the_child_is_judged_by_what_it_leaves():
    started = time.monotonic()
    arrays, about = child.run(linger, what="a file")
    assert time.monotonic() - started < 30
    assert arrays["a"].tolist() == [0, 1, 2]
    assert about == {"b": ["ä", None]}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_child_ends_with_its_parent(tmp_path, number):
    script = (
        "import sys; from pathlib import Path; from experiments.datasets import child; "
        "from tests.experiments.datasets.test_limits import sleep; "
        "child.run(sleep, 60.0, Path(sys.argv[1]), what='a file')"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    end_of_wait = time.monotonic() + 60
    try:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            assert parent.poll() is None
            assert time.monotonic() < end_of_wait
            time.sleep(0.05)
        parent.send_signal(number)
        parent.wait(timeout=20)
    finally:
        parent.kill()
        parent.wait()
    while not gone(int((tmp_path / "pid").read_text())):
        assert time.monotonic() < end_of_wait
        time.sleep(0.05)


def test_where_memory_cannot_be_limited_a_line_says_so(tmp_path, monkeypatch, caplog):
    """The limit on time stays, and so does the one on the size of a file."""
    monkeypatch.setattr(child, "MEMORY_IS_LIMITED", False)
    with caplog.at_level("INFO"), pytest.raises(DataError, match=r"data\.timeout=1 seconds"):
        child.run(sleep, 60.0, tmp_path, what="the file", limits=Limits(timeout=1))
    assert "this platform limits no memory" in caplog.text


def test_a_limit_is_a_number_above_0():
    values: tuple[Any, ...] = (0, -1, float("nan"), float("inf"), "4", True, False)
    for name, value in product(("max_gib", "timeout"), values):
        with pytest.raises(DataError, match=rf"data\.{name} must be a number above 0, got"):
            Limits(**{name: value})
