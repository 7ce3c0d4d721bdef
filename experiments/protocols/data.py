"""The samples of a run, loaded once a process."""

from functools import lru_cache

import numpy as np

from experiments.datasets import Dataset, load


def dataset(*, params: dict, **source) -> Dataset:
    """The data set of a config; the arguments are those of :func:`experiments.datasets.load`."""
    return load(**source, params=params or None)


def samples(**source) -> tuple[np.ndarray, np.ndarray, str]:
    """X as float64, y as 0 and 1, and the fingerprint; cached, and read-only for that."""
    return _samples(
        tuple(sorted((k, v) for k, v in source.items() if k != "params")),
        tuple(sorted(source["params"].items())),
    )


@lru_cache(maxsize=2)
def _samples(source, params):
    data = dataset(**dict(source), params=dict(params))
    X = np.ascontiguousarray(data.X, dtype=np.float64)
    y = np.unique(data.y, return_inverse=True)[1]
    X.flags.writeable = y.flags.writeable = False
    return X, y, data.fingerprint
