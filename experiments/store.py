"""Results on disk: one file a unit of work, written once, whole or not at all."""

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

log = logging.getLogger(__name__)

#: What a unit found: column -> number, text or vector.
Row = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """One piece of work: its key and the function without arguments that does it.

    Attributes
    ----------
    key : str
        Digest of what determines the result; see :func:`key_of`.
    task : callable
        Returns a Row; can be pickled.
    """

    key: str
    task: Callable[[], Row]


def key_of(kind: str, **determinants) -> str:
    """The digest of what determines a unit: its axes and the code that computes it.

    Parameters
    ----------
    kind : str
        "scores", or the protocol that judges; see :func:`code_version`.
    **determinants
        JSON values.
    """
    text = canonical([kind, code_version(kind), determinants])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def canonical(value) -> str:
    """The JSON text of nested values, the same for equal ones."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


#: The modules below experiments/ that scores come from; tests and figures are not among them.
SCORING = ("seeds", "methods", "protocols/data", "protocols/scoring")
#: What each kind of unit rests on besides.
JUDGING = {
    "scores": ("protocols/splits",),
    "classifiers": ("protocols/splits", "protocols/selection", "embedded"),
    "accuracy": ("protocols/splits", "protocols/judging", "ranking", "svm", "_libsvm"),
    "recovery": (
        "protocols/recovery_units",
        "protocols/splits",
        "datasets/generators",
        "ranking",
        "svm",
        "_libsvm",
    ),
}


@cache
def code_version(kind: str = "scores") -> str:
    """A digest of the modules that a kind of unit comes from.

    Tuning, tables, figures and configs are not among them: finished units stay valid.
    """
    root = Path(__file__).parents[1]
    files = [
        *sorted((root / "manifest").glob("*.py")),
        *sorted((root / "baselines").glob("*.py")),
        *(
            root / "experiments" / f"{name}.py"
            for name in (*SCORING, *JUDGING.get(kind, (f"protocols/{kind}",)))
        ),
    ]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with whole(target) as part:
    ...     _ = part.write_text("all of it")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('all of it', 1)
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


class Store:
    """A folder of finished units, safe to share between runs and processes.

    Two processes that finish the same unit write the same bytes; the later replaces the earlier.
    """

    def __init__(self, root: str | os.PathLike):
        self.root = Path(root)

    def path(self, key: str) -> Path:
        """Where the unit of that key is or will be."""
        return self.root / key[:2] / f"{key}.parquet"

    def get(self, key: str) -> Row | None:
        """The unit's row; None where there is none, or where its file is damaged."""
        path = self.path(key)
        try:
            table = pq.read_table(path)
            row = table.to_pylist()[0]
        except FileNotFoundError:
            return None
        except (OSError, pa.ArrowException, IndexError) as error:
            log.warning("damaged unit %s will be computed again (%s)", path, error)
            return None
        return {
            name: np.array(value) if isinstance(value, list) else value
            for name, value in row.items()
        }

    def put(self, key: str, row: Row) -> None:
        """Write a unit's row."""
        columns = {
            name: [value.ravel() if isinstance(value, np.ndarray) else value]
            for name, value in row.items()
        }
        with whole(self.path(key)) as part:
            pq.write_table(pa.table(columns), part, compression="zstd")

    def remember(self, key: str, task: Callable[[], Row]) -> Row:
        """The stored row, or the task's, stored."""
        row = self.get(key)
        if row is None:
            row = task()
            self.put(key, row)
        return row
