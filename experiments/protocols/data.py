"""The samples of a run, loaded once a process."""

import json
from functools import lru_cache

import numpy as np

from experiments.datasets import Dataset, load
from experiments.store import canonical


def dataset(*, params: dict, **source) -> Dataset:
    """The data set of a config; the arguments are those of :func:`experiments.datasets.load`."""
    return load(**source, params=params or None)


def samples(**source) -> tuple[np.ndarray, np.ndarray, str]:
    """X as float64, y as 0 and 1, and the fingerprint; cached, and read-only for that."""
    return _samples(canonical(source))


@lru_cache(maxsize=2)
def _samples(source: str):
    data = dataset(**json.loads(source))
    X = np.array(data.X, dtype=np.float64, order="C")
    y = np.unique(data.y, return_inverse=True)[1]
    X.flags.writeable = y.flags.writeable = False
    return X, y, data.fingerprint
