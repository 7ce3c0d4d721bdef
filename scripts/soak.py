"""Disturb runs by random signals, and see whether anything is lost, doubled or left behind.

    python scripts/soak.py --signals 200                  as many signals as that, or
    python scripts/soak.py --minutes 10                   as many as fit into the time
    python scripts/soak.py --seed 7 --experiments toy     the same moments again, for one experiment

Each signal (SIGINT, SIGTERM or SIGKILL) meets a run, one of its workers or its whole process group
at a random moment, one time in three within 0.3 s of the start. Then the same command is started
again. A run that comes to its end is compared, byte by byte, with a run in a store of its own that
nothing happened to. The last lines tell:

    tried       signals that were sent
    survived    signals after which the run ended, or went on, as it should
    lost        units that were stored and are no longer, or that a run counted and did not store
    doubled     units that were computed again although they were stored
    orphans     runs that left a process behind
    left        temporary files that are still there at the end
    differing   files that are not those of the undisturbed run

The exit status is 1 if a signal was not survived, or if any of the last five numbers is not 0.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.atomic import PART
from experiments.engine.interruption import GO_ON
from experiments.engine.progress import load

ROOT = Path(__file__).resolve().parents[1]
#: Experiments that draw their own samples, so that no data set is needed.
EXPERIMENTS = {
    "xor100": ["protocol.n_repetitions=12", "method=[anova,fisher,manifest]"],
    "toy": ["protocol.n_repetitions=6"],
    "hypercube": ["method=[anova,manifest]"],
    "operators": [],
}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
#: Seconds in which a run that nothing stops must have ended, and those left to its workers.
LONGEST, WORKERS_END = 300.0, 20.0
#: How Python names the place where run.py has not begun yet.
BEFORE_THE_FIRST_LINE = f'File "{ROOT / "run.py"}", line 0, in <module>'
#: Seconds between two looks at a store.
GLANCE = 0.02


class Disturbed:
    """One experiment in a store of its own: its runs, what its store held, what went wrong.

    Parameters
    ----------
    name : str
    folder : Path
        For the store, the run's results and temporary files; made here.
    found : Counter
        Where lost, doubled and other units are counted.
    """

    def __init__(self, name: str, folder: Path, found: Counter):
        self.name, self.folder, self.found = name, folder, found
        self.store, self.run = folder / "store", folder / "run"
        self.known: dict[Path, tuple[int, int]] = {}
        self.slowest = 0.0
        (folder / "tmp").mkdir(parents=True)

    @contextmanager
    def _started(self) -> Iterator[subprocess.Popen]:
        """A run, which does not outlive the block."""
        places = [f"store={self.store}", f"hydra.run.dir={self.run}"]
        chosen = [f"experiment={self.name}", "profile=smoke", "workers=2"]
        process = subprocess.Popen(
            [sys.executable, "run.py", *chosen, *EXPERIMENTS[self.name], *places],
            cwd=ROOT,
            env=os.environ | {"TMPDIR": str(self.folder / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)

    def disturbed(self, number: int, target: str, moment: float) -> bool:
        """Whether the run ended well; it is met by a signal, unless it has ended before."""
        with self._started() as process:
            return self._met(process, number, target, moment)

    def undisturbed(self) -> None:
        """Let a run come to its end."""
        with self._started() as process:
            self._watch(process, LONGEST)
            self._ended(process, 0, "run")

    def _met(self, process, number, target, moment):
        self._watch(process, moment)
        if process.poll() is not None:
            return self._ended(process, 0, "run")
        self.found["tried"] += 1
        workers = workers_of(process.pid)
        over, sent = self.finished(process), time.monotonic()
        if target == "worker" and workers:
            os.kill(random.choice(workers), number)
        elif target == "group" and number != signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            target = "run"
            process.send_signal(number)
        self._watch(process, LONGEST)
        if target != "worker" and number != signal.SIGKILL:
            self.slowest = max(self.slowest, time.monotonic() - sent)
        well = self._ended(process, number, target, over)
        self.found["survived"] += well
        return well

    def _watch(self, process, seconds):
        """Look at the store until the process ends, or for so many seconds."""
        end = time.monotonic() + seconds
        while process.poll() is None and (left := end - time.monotonic()) > 0:
            self._look()
            time.sleep(min(GLANCE, left))

    def _look(self):
        present = {}
        for path in self.store.glob("??/*.parquet"):
            about = path.stat()
            present[path] = (about.st_ino, about.st_mtime_ns)
        for path, before in self.known.items():
            if path not in present:
                self._tell("lost", f"{path} is gone")
            elif present[path] != before:
                self._tell("doubled", f"{path} was written again")
        self.known = present

    def _ended(self, process, number, target, over=False) -> bool:
        """Whether a run has ended as it should, be it after a signal, and over before that."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            self._tell("stuck", f"the run went on for {LONGEST:.0f} s")
        try:
            _, errors = process.communicate(timeout=WORKERS_END)
        except subprocess.TimeoutExpired:  # a worker holds the run's outputs open
            os.killpg(process.pid, signal.SIGKILL)
            self._tell("orphans", f"a worker goes on after {signal_name(number)} to the {target}")
            _, errors = process.communicate()
        self._look()
        record = self.record(process)
        if len(self.known) < record.get("computed", 0) + record.get("reused", 0):
            self._tell("lost", f"{record} counts more units than {self.store} has")
        told = explained(process.returncode, errors, number, target, bool(record) and not over)
        if told:
            self._tell("astray", f"{signal_name(number)} to the {target}: {told}")
        return not told

    def record(self, process: subprocess.Popen | None = None) -> dict:
        """What the last run tells of itself; nothing if it is not the run of the process."""
        record = load(self.run) or {}
        return record if process is None or record.get("pid") == process.pid else {}

    def finished(self, process: subprocess.Popen | None = None) -> bool:
        """Whether the last run, or the run of the process, has come to its end."""
        return self.record(process).get("state") == "finished"

    def compare(self, other: "Disturbed") -> None:
        """Count the files that are not those of the other, which nothing has disturbed."""
        for below in ("run", "store"):
            mine, others = contents(self.folder / below), contents(other.folder / below)
            for name in sorted(mine.keys() | others.keys()):
                if mine.get(name) != others.get(name):
                    self._tell("differing", f"{self.folder / below / name}")

    def _tell(self, what, text):
        self.found[what] += 1
        print(f"{what}: {self.name}: {text}", flush=True)


def explained(status: int, errors: str, number: int, target: str, at_work: bool) -> str:
    """What is wrong with how a run ended; empty if it ended as it should."""
    if number == 0 or target == "worker":
        good = status == 0 and not errors
    elif number == signal.SIGKILL:
        good = status == -number
    elif status == 128 + number:
        good = errors.count("\n") == 1 and GO_ON.partition(" to ")[0] in errors
    else:
        # Until the first line of run.py, and after its last, the signal belongs to Python. It calls
        # what comes before the first line of a file the line 0.
        good = not at_work and str(ROOT) not in errors.replace(BEFORE_THE_FIRST_LINE, "")
    return "" if good else f"status {status}, and it said: {errors.strip() or 'nothing'}"


def workers_of(pid: int) -> list[int]:
    """The workers of a run, where the system tells the children of a process."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        pids = listed.read_text(encoding="ascii").split()
        return [int(p) for p in pids if b"popen_loky" in Path(f"/proc/{p}/cmdline").read_bytes()]
    except OSError:
        return []


def signal_name(number: int) -> str:
    return signal.Signals(number).name if number else "no signal"


def contents(folder: Path) -> dict[str, bytes]:
    """The tables, rows and units below a folder."""
    found = (path for end in ("*.csv", "*.parquet") for path in folder.rglob(end))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def left_in(folder: Path) -> list[Path]:
    """Temporary files below a folder, whatever made them."""
    return sorted({*folder.rglob(f"{PART}*"), *folder.glob("*/tmp/*")})


def soak(given: argparse.Namespace, folder: Path) -> int:
    end = time.monotonic() + 60 * given.minutes
    found: Counter = Counter()
    undisturbed: dict[str, tuple[Disturbed, float]] = {}
    at_work: dict[str, Disturbed] = {}
    slowest, number = 0.0, 0
    while found["tried"] < given.signals and time.monotonic() < end:
        name = given.experiments[number % len(given.experiments)]
        number += 1
        if name not in undisturbed:
            start = time.monotonic()
            reference = Disturbed(name, folder / f"{name}-undisturbed", found)
            reference.undisturbed()
            undisturbed[name] = reference, time.monotonic() - start
        reference, seconds = undisturbed[name]
        if name not in at_work:
            at_work[name] = Disturbed(name, folder / f"{name}-{number}", found)
        here = at_work[name]
        moment = random.uniform(0, 0.3 if random.random() < 1 / 3 else seconds)
        here.disturbed(random.choice(SIGNALS), random.choice(["run", "worker", "group"]), moment)
        slowest = max(slowest, here.slowest)
        if here.finished():
            here.compare(reference)
            del at_work[name]
    for name, here in at_work.items():
        here.undisturbed()
        here.compare(undisturbed[name][0])
    found["left"] = len(left := left_in(folder))
    for path in left:
        print(f"left: {path}")
    numbers = ("tried", "survived", "lost", "doubled", "orphans", "left", "differing")
    print(", ".join(f"{name} {found[name]}" for name in numbers))
    print(f"the slowest end after a signal to a run took {slowest:.1f} s")
    wrong = sum(found[name] for name in (*numbers[2:], "astray", "stuck"))
    return int(wrong > 0 or found["survived"] < found["tried"])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--signals", type=int, default=10, help="%(default)s")
    parser.add_argument("--minutes", type=float, default=60.0, help="no more; %(default)s")
    parser.add_argument("--seed", type=int, help="of the random moments; another each time")
    names = sorted(EXPERIMENTS)
    parser.add_argument("--experiments", nargs="+", choices=names, default=names, metavar="NAME")
    given = parser.parse_args(arguments)
    seed = random.randrange(2**31) if given.seed is None else given.seed
    random.seed(seed)
    # A shell ignores Ctrl-C for what it starts in the background, and so would the runs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f"seed {seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    status = soak(given, folder)
    if status:
        print(f"what is wrong lies in {folder}")
    else:
        shutil.rmtree(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
