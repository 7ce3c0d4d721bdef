"""Results on disk: one file a unit of work, written once, whole or not at all."""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from experiments.atomic import atomic_write
from experiments.engine import unit_file
from experiments.engine.timing import WAITING, stage

try:
    import fcntl
except ImportError:  # Windows: two runs may both compute a unit, neither harms the other
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)

#: What a unit found: column -> number, text or array.
Row = dict[str, Any]


class Key(str):
    """The digest that names a unit, 32 hexadecimal digits, and the text that it comes from."""

    text: str = ""

    @property
    def kind(self) -> str:
        """What :func:`key_of` was given first; empty for a key that it did not make."""
        return self.text[2 : self.text.find('"', 2)]


@dataclass(frozen=True)
class Unit:
    """One piece of work: its key and the function without arguments that does it.

    Attributes
    ----------
    key : Key
        See :func:`key_of`.
    task : callable
        Returns a Row; can be pickled.
    """

    key: Key
    task: Callable[[], Row]


def key_of(kind: str, **determinants) -> Key:
    """The digest of what determines a unit: its axes and the code that computes it.

    Parameters
    ----------
    kind : str
        "scores", or the protocol that judges; see :func:`code_version`.
    **determinants
        JSON values.
    """
    text = canonical_json([kind, code_version(kind), determinants])
    key = Key(digest(text))
    key.text = text
    return key


def digest(text: str) -> str:
    """32 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def canonical_json(value) -> str:
    """The JSON text of nested values, the same for equal ones."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


#: The modules below experiments/ that scores come from; tests and figures are not among them.
SCORING = (
    "engine/seeds",
    "evaluation/methods",
    "evaluation/samples",
    "evaluation/scoring",
    "evaluation/splits",
)
SVM = ("evaluation/svm/grid", "evaluation/svm/libsvm", "evaluation/svm/smo")
#: What each kind of unit rests on besides.
JUDGING = {
    "scores": (),
    "classifiers": ("evaluation/selection", "evaluation/classifiers"),
    "accuracy": ("protocols/accuracy/units", *SVM),
    "recovery": ("protocols/recovery/units", "datasets/generators", *SVM),
}


@cache
def code_version(kind: str = "scores") -> str:
    """A digest of the modules that a kind of unit comes from.

    Tuning, tables, figures and configs are not among them: finished units stay valid.
    """
    root = Path(__file__).parents[2]
    files = [
        *sorted((root / "manifest").glob("*.py")),
        *sorted((root / "baselines").glob("*.py")),
        *(
            root / "experiments" / f"{name}.py"
            for name in (*SCORING, *JUDGING.get(kind, (f"protocols/{kind}/run",)))
        ),
    ]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _claims(root: Path) -> int | None:
    """The file whose bytes stand for units that a process computes at present, opened once."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        return os.open(root / ".claims", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        return None  # read-only: what is stored can still be read


def _locked(file: int, byte: int, wait: bool) -> bool:
    """Lock a byte; false where another process has it and is not to be waited for."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except BlockingIOError:
        if not wait:
            return False
        with stage(WAITING):
            fcntl.lockf(file, fcntl.LOCK_EX, 1, byte)
    return True


class Store:
    """A folder of finished units, safe to share between runs, processes and machines.

    Parameters
    ----------
    root : path
        Made where missing.
    refresh : bool
        Take only units that are written from now on; others are computed again and replaced.
    note : dict of str to str
        What to remember of the run beside each unit, without any effect on its key.
    """

    def __init__(
        self,
        root: str | os.PathLike,
        refresh: bool = False,
        note: dict[str, str] | None = None,
    ):
        self.root = Path(root).absolute()
        self.note = canonical_json(note or {})
        self.since = self._now() if refresh else None

    def _now(self) -> float:
        """The time by the clock of the disk, which may be another machine's."""
        path = self.root / ".now"
        with atomic_write(path) as part:
            part.touch()
        return path.stat().st_mtime

    def path(self, key: str) -> Path:
        """Where the unit of that key is or will be."""
        return Path(self._place(key))

    def _place(self, key):
        # A hundred thousand of these are looked up at once; a Path each would take seconds.
        return f"{self.root}/{key[:2]}/{key}.parquet"

    @stage("store")
    def get(self, key: Key) -> Row | None:
        """The unit's row; None where there is none, or where its file is damaged."""
        path = self._place(key)
        try:
            if self.since is not None and os.stat(path).st_mtime < self.since:
                return None
            with open(path, "rb", buffering=0) as file:
                stored = unit_file.decode(file.read())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except unit_file.DAMAGE as error:
            log.warning("damaged unit %s will be computed again (%s)", path, error)
            return None
        if stored.text != key.text:
            log.warning("unit %s is another unit's and will be computed again", path)
            return None
        return stored.row

    @stage("store")
    def put(self, key: Key, row: Row) -> Row:
        """Write a unit's row, and return it as :meth:`get` will.

        Raises
        ------
        CannotWrite
            On a full disk or in a read-only folder.
        """
        table = unit_file.encode(row, key.text, self.note)
        with atomic_write(self.path(key)) as part:
            unit_file.write(table, part)
        return unit_file.row_of(table)

    def get_or_compute(self, key: Key, task: Callable[[], Row]) -> Row:
        """The stored row, or the task's, stored.

        Of several processes that ask for it at once one does the work.
        """
        row = self.get(key)
        if row is None:
            with self.claim(key):
                row = self.get(key)
                if row is None:
                    row = self.put(key, task())
        return row

    @contextmanager
    def claim(self, key: Key, wait: bool = True) -> Iterator[bool]:
        """Keep other processes from computing the same unit; true inside if it is ours.

        A lock on one byte of a file, which the system lets go of when its owner dies. Where the
        file system has no locks nothing is claimed: units may then be computed twice, and their
        rows are equal.

        Parameters
        ----------
        key : Key
        wait : bool
            For another process to finish with it; else false inside if there is one.
        """
        file = _claims(self.root) if fcntl else None
        byte = int(key[:15], 16)
        ours = True
        try:
            if file is not None:
                ours = _locked(file, byte, wait)
        except OSError:
            file = None
        try:
            yield ours
        finally:
            if file is not None and ours:
                fcntl.lockf(file, fcntl.LOCK_UN, 1, byte)
