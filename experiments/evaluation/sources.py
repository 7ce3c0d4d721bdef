"""Sources of samples: a unit of work carries one, and a process reads its samples once."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from experiments.atomic import atomic_write
from experiments.engine.code import Refused

#: Data sets that a process keeps in memory.
KEPT = 2


class Samples(NamedTuple):
    """X (n_samples, n_features) as float64, labels y (n_samples,), and the relevant features.

    `relevant` holds the columns that matter; it is None unless the samples were generated.
    """

    X: np.ndarray
    y: np.ndarray
    relevant: np.ndarray | None = None


class Source(Protocol):
    """Samples that a worker can get, and the names that stand for them in random numbers.

    The fingerprint stands for the samples in keys and in the axes of random rows, `axes` for the
    samples when ties of scores are broken.
    """

    @property
    def fingerprint(self) -> str: ...
    @property
    def axes(self) -> Sequence: ...
    def samples(self) -> Samples: ...


class DataChanged(Refused):
    """The file with a run's samples is no longer as the run has written it."""


#: Digest -> the samples that this process has read or was given, the oldest first.
_kept: OrderedDict[str, Samples] = OrderedDict()


@dataclass(frozen=True)
class Loaded:
    """The samples of a data set, in a file that all workers can read; `digest` verifies it."""

    fingerprint: str
    path: str = field(repr=False)
    digest: str

    @classmethod
    def of(cls, data, store) -> "Loaded":
        """The source of a Dataset, whose samples are written into the folder of a Store."""
        X = np.ascontiguousarray(data.X)
        y = np.unique(data.y, return_inverse=True)[1].astype(np.int64)
        path = Path(store.root).resolve() / "samples" / f"{data.fingerprint[:32]}.npz"
        source = cls(data.fingerprint, str(path), _digest(X, y))
        if source._read() is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as part, part.open("wb") as file:
                np.savez(file, X=X, y=y)
        _keep(source.digest, X, y)
        return source

    @property
    def axes(self) -> Sequence:
        return (self.fingerprint,)

    def samples(self) -> Samples:
        """The samples, read-only, since a process keeps and shares them.

        Raises
        ------
        DataChanged
            If the file was lost or changed while the run was under way.
        """
        if self.digest not in _kept:
            if (arrays := self._read()) is None:
                raise DataChanged(
                    f"{self.path} with the samples of this run was removed or changed while it was "
                    "under way; start it again, and nothing finished is lost"
                )
            _keep(self.digest, *arrays)
        return _kept[self.digest]

    def _read(self):
        """X and y; None if the file is lost or holds others."""
        try:
            with np.load(self.path) as file:
                arrays = file["X"], file["y"]
        except (OSError, ValueError, KeyError, EOFError):
            return None
        return arrays if _digest(*arrays) == self.digest else None


def _digest(X, y) -> str:
    digest = hashlib.sha256(f"{X.shape} {X.dtype.str}".encode())
    digest.update(X.data)
    digest.update(y.data)
    return digest.hexdigest()


def _keep(digest, X, y):
    X = np.array(X, dtype=np.float64, order="C")
    X.flags.writeable = y.flags.writeable = False
    _kept[digest] = Samples(X, y)
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
