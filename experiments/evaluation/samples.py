"""Sources of samples, a data set or a draw. A task has a source, and a process reads it once.

The fingerprint of a source identifies the samples in keys and in the axes of random rows. Its
`axes` identify them when ties of scores are broken.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from experiments import seeds
from experiments.cache import Cache
from experiments.datasets.dataset import Dataset
from experiments.datasets.generators import Sample, generate
from experiments.files import atomic_write


@dataclass(frozen=True)
class Loaded:
    """The samples of a data set, in a file that all workers can read."""

    fingerprint: str
    path: str = field(repr=False)

    @classmethod
    def of(cls, data: Dataset, cache: Cache) -> "Loaded":
        """Return the source of a Dataset, after writing its samples into the cache folder."""
        X = np.ascontiguousarray(data.X)
        y = np.unique(data.y, return_inverse=True)[1].astype(np.int64)
        path = Path(cache.root) / "samples" / f"{joblib.hash((X, y))}.npz"
        if not _is_whole(path):
            with atomic_write(path) as part:
                np.savez(part, X=X, y=y)
        return cls(data.fingerprint, str(path))

    @property
    def axes(self) -> tuple:
        return (self.fingerprint,)

    def samples(self) -> Sample:
        """Return the samples, read-only because a process keeps and shares them."""
        return _read(self.path)


def _is_whole(path: Path) -> bool:
    """Whether a file has the samples of its name; a damaged one does not."""
    try:
        with path.open("rb") as content:
            file = np.load(content)
            return joblib.hash((file["X"], file["y"])) == path.stem
    except Exception:  # NumPy raises many for a damaged file.
        return False


@lru_cache(maxsize=2)
def _read(path: str) -> Sample:
    with np.load(path) as file:
        X, y = np.array(file["X"], dtype=np.float64, order="C"), file["y"]
    X.flags.writeable = y.flags.writeable = False
    return Sample(X, y)


@dataclass(frozen=True)
class Drawn:
    """A draw of a generator, by its number; `params` are its arguments as canonical JSON."""

    dataset: str
    params: str
    draw: int
    seed: int

    @classmethod
    def of(cls, dataset: str, params: Mapping[str, Any], draw: int, seed: int) -> "Drawn":
        """Return the draw of a generator with these arguments."""
        return cls(dataset, seeds.canonical_json(dict(params)), draw, seed)

    @cached_property
    def fingerprint(self) -> str:
        return seeds.canonical_json(self.axes)

    @property
    def axes(self) -> tuple:
        return (self.dataset, self.params, self.draw)

    def samples(self) -> Sample:
        """Return the samples, read-only because tasks with the same draw share its memory."""
        return _drawn(self)


@lru_cache(maxsize=2)
def _drawn(source: Drawn) -> Sample:
    rng = seeds.generator(source.seed, "sample", *source.axes)
    sample = generate(source.dataset, rng, **json.loads(source.params))
    sample.X.flags.writeable = False
    return sample


Source = Loaded | Drawn
