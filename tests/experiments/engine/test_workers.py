"""Workers that are killed, or that a scorer ends: the run goes on, and names what it gave up."""

import os
import signal
from pathlib import Path

import pytest

from tests.experiments.engine.conftest import N_UNITS, ended, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals and locks of POSIX"),
]


def children(process):
    """The processes that a process has started, trackers of resources left out."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not listed.exists():
        pytest.skip("this system does not tell the children of a process")
    pids = listed.read_text().split()
    return [pid for pid in pids if b"popen_loky" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_run_goes_on_when_its_workers_are_killed(folder, undisturbed):
    process = folder.start("workers=2")
    for n_units in (3, 12):
        until(lambda n=n_units: len(folder.finished()) >= n, process)
        for pid in children(process)[:1]:
            os.kill(int(pid), signal.SIGKILL)
    status, out, err = ended(process)
    assert status == 0, err
    assert "a worker was killed; the units at hand run again, one by one" in out
    assert folder.units()["computed"] + folder.units()["reused"] == N_UNITS
    assert folder.results() == undisturbed.results()


def test_where_workers_die_whatever_they_run_the_run_ends_with_a_sentence(filled):
    dying = "+method.scorers.dying.call=tests.experiments.scorers:dying"
    known = filled.finished()
    status, _, err = ended(filled.start("workers=1", dying))
    assert status == 1
    (line,) = err.splitlines()
    assert "workers are killed whatever they run, perhaps for lack of memory; run the same" in line
    assert filled.finished() == known


GIVEN_UP = "its worker was killed 2 times while it ran alone, perhaps for lack of memory"


def test_a_unit_that_kills_its_worker_is_given_up_and_the_others_finish(filled):
    deadly = "+method.scorers.deadly.call=tests.experiments.scorers:deadly"
    status, _, err = ended(filled.start("workers=2", deadly))
    assert status == 1
    assert err.splitlines() == ["1 units failed; see the table and the log above"]
    assert filled.units()["computed"] == 11
    assert filled.units()["failed"] == [GIVEN_UP]


def test_a_scorer_that_leaves_python_fails_its_units_alone(filled):
    leaving = "+method.scorers.leaving.call=tests.experiments.scorers:leaving"
    status, _, err = ended(filled.start("workers=1", leaving))
    assert status == 1
    units = filled.units()
    assert units["computed"] + len(units["failed"]) == 12
    assert {told.partition(":")[0] for told in units["failed"]} <= {"SystemExit", GIVEN_UP}
    assert err.splitlines()[-1].endswith("units failed; see the table and the log above")
