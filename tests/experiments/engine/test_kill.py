"""Runs that are killed, starved of disk or run twice at once, driven as a user drives them.

After a restart the results equal those of an undisturbed run byte for byte, and no finished unit
was lost or computed again: its file is the one that was there.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest

from experiments.atomic import PART
from experiments.engine import unit_file
from experiments.engine.progress import load, state_of
from tests.experiments.conftest import results, units
from tests.experiments.engine.conftest import N_UNITS, ended, refused, succeeds, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals and locks of POSIX"),
]


def faults(store):
    """The damaged files of a store."""
    damaged = []
    for path in Path(store).glob("??/[!.]*.parquet"):
        try:
            unit_file.decode(path.read_bytes())
        except unit_file.DAMAGE:
            damaged.append(path)
    return damaged


def test_killed_at_any_moment_a_run_goes_on(folder, undisturbed):
    """The same run again and again, ended in three ways when about so many units are finished."""
    known: dict[Path, int] = {}
    for number, n_units in ((signal.SIGKILL, 2), (signal.SIGTERM, 8), (signal.SIGINT, 16)):
        # A unit more than before, or the signal would come before the run listens to any.
        enough = max(n_units, len(folder.finished()) + 1)
        process = folder.start("workers=2")
        until(lambda n=enough: len(folder.finished()) >= n, process)
        time.sleep(random.uniform(0, 0.1))
        if number == signal.SIGINT:  # from a terminal it reaches the workers too
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        sent = time.monotonic()
        if number == signal.SIGKILL:
            assert ended(process)[0] == -number
            assert state_of(load(folder.run) or {}) == "dead"
        else:
            line, _ = refused(process, 128 + number)
            assert time.monotonic() - sent < 30
            assert line.endswith("run the same command again to go on from the finished units")
            assert state_of(load(folder.run) or {}) in ("interrupted", "dead")
        assert not (folder.run / "summary.csv").exists()
        finished = folder.finished()
        assert known.items() <= finished.items()
        known = finished
    assert len(known) < N_UNITS
    succeeds(folder.start("workers=2"))
    new = {"computed": N_UNITS - len(known), "reused": len(known), "failed": []}
    assert units(folder.run) == new
    assert known.items() <= folder.finished().items()
    assert results(folder.run) == results(undisturbed.run)
    assert not faults(folder.store)
    assert not list(folder.path.rglob(f"{PART}*"))


def test_a_signal_ends_a_run_that_compiled_code_holds_up(folder):
    endless = "+method.scorers.endless.call=tests.experiments.scorers:endless"
    process = folder.start("workers=0", "method=[]", endless)
    until((folder.path / "begun").exists, process)
    process.send_signal(signal.SIGTERM)
    line, _ = refused(process, 143)
    assert line.startswith("terminated; run the same command again")


def test_two_runs_at_once_share_the_work(folder, undisturbed):
    both = [folder.start("workers=0", run=name) for name in ("one", "two")]
    for process in both:
        succeeds(process)
    found = [units(folder.path / name) for name in ("one", "two")]
    assert sum(each["computed"] for each in found) == N_UNITS
    assert all(each["computed"] + each["reused"] == N_UNITS for each in found)
    one, two = (results(folder.path / name) for name in ("one", "two"))
    assert one == two == results(undisturbed.run)


def test_a_unit_that_fails_is_told_and_stops_nothing_else(filled):
    moody = "+method.scorers.moody.call=tests.experiments.scorers:moody"
    told, out = refused(filled.start("workers=0", moody))
    failed = units(filled.run)["failed"]
    assert 0 < len(failed) < 12
    assert set(failed) == {"RuntimeError: no score today"}
    assert len(failed) + units(filled.run)["computed"] == 12
    assert told == f"{len(failed)} units failed; see the table and the log above"
    (line,) = [line for line in out.splitlines() if line.split()[:1] == ["moody"]]
    assert line.split()[-1] == "yes"
    summary = pd.read_csv(filled.run / "summary.csv").set_index("method")
    assert list(summary.loc[["anova", "moody"], "failed"]) == [False, True]
    assert summary.loc["anova", "n_draws"] == 12
    assert "no score today" in out
    assert 'raise RuntimeError("no score today")' in (filled.run / "run.log").read_text()


def limited():
    """No file above 12 kB: the scores of 4000 features do not fit, a config does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))


@pytest.mark.parametrize("disk", ["no file above a size", "a full file system"])
def test_a_full_disk_is_one_sentence(folder, disk):
    options: dict = {"preexec_fn": limited}
    if disk == "a full file system":
        mount = 'mkdir -p "$0" && mount -t tmpfs -o size=64k none "$0" && exec "$@"'
        before = ["unshare", "--mount", "sh", "-c", mount, str(folder.store)]
        if not shutil.which("unshare") or subprocess.run([*before, "true"], check=False).returncode:
            pytest.skip("only root can mount a file system")
        options = {"before": before}
    workers = f"workers={2 if options.get('before') else 1}"
    line, _ = refused(folder.start(workers, "dataset.params.n_features=4000", **options))
    assert line.startswith(f"run.py: cannot write {folder.store}/")
    assert "free some space or choose another folder (store=PATH" in line
    assert not list(folder.store.rglob(".part-*"))
    assert not faults(folder.store)
    assert not (folder.run / "summary.csv").exists()


def heeding_permissions():
    """The program that makes root heed permissions if it starts others; none for other users."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root writes into read-only folders, and there is no setpriv to prevent it")
    return ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]


def test_a_read_only_store_can_be_read_and_is_one_sentence_where_it_must_be_written(
    filled, undisturbed
):
    before = heeding_permissions()
    folders = [filled.store, *(path for path in filled.store.iterdir() if path.is_dir())]
    missing = sorted(filled.finished())[0]
    for told in (succeeds, refused):
        for path in folders:
            path.chmod(0o555)
        try:
            line = told(filled.start("workers=0", before=before))
        finally:
            for path in folders:
                path.chmod(0o755)
        if told is succeeds:
            assert results(filled.run) == results(undisturbed.run)
            missing.unlink()
    assert line[0].startswith(f"run.py: cannot write {missing}: permission denied; ")


def test_what_is_damaged_is_computed_again_and_nothing_else(filled, undisturbed):
    known = filled.finished()
    broken = random.sample(sorted(known), 3)
    broken[0].write_bytes(b"")
    broken[1].write_bytes(broken[1].read_bytes()[:-7])
    broken[2].write_bytes(broken[2].read_bytes().replace(b'"seed":', b'"weed":'))
    assert set(faults(filled.store)) == set(broken)
    succeeds(filled.start("workers=0"))
    assert units(filled.run)["computed"] == 3
    assert results(filled.run) == results(undisturbed.run)
    finished = filled.finished()
    assert {path for path in known if finished[path] == known[path]} == set(known) - set(broken)
    assert not faults(filled.store)


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
    assert units(folder.run)["computed"] + units(folder.run)["reused"] == N_UNITS
    assert results(folder.run) == results(undisturbed.run)


def test_where_workers_die_whatever_they_run_the_run_ends_with_a_sentence(filled):
    dying = "+method.scorers.dying.call=tests.experiments.scorers:dying"
    known = filled.finished()
    line, _ = refused(filled.start("workers=1", dying))
    assert "workers are killed whatever they run, perhaps for lack of memory; run the same" in line
    assert filled.finished() == known


GIVEN_UP = "its worker was killed 2 times while it ran alone, perhaps for lack of memory"


def test_a_unit_that_kills_its_worker_is_given_up_and_the_others_finish(filled):
    deadly = "+method.scorers.deadly.call=tests.experiments.scorers:deadly"
    line, _ = refused(filled.start("workers=2", deadly))
    assert line == "1 units failed; see the table and the log above"
    assert units(filled.run)["computed"] == 11
    assert units(filled.run)["failed"] == [GIVEN_UP]


def test_a_scorer_that_leaves_python_fails_its_units_alone(filled):
    leaving = "+method.scorers.leaving.call=tests.experiments.scorers:leaving"
    status, _, err = ended(filled.start("workers=1", leaving))
    assert status == 1
    failed = units(filled.run)["failed"]
    assert units(filled.run)["computed"] + len(failed) == 12
    assert {told.partition(":")[0] for told in failed} <= {"SystemExit", GIVEN_UP}
    assert err.splitlines()[-1].endswith("units failed; see the table and the log above")
