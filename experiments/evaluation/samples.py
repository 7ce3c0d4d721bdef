"""The samples of a run: a process loads them once, and knows them by their fingerprint."""

import json
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from experiments.config import TableConfig, plain
from experiments.datasets import DataError, Dataset, load
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.datasets.folder import find
from experiments.datasets.loading import home_folder
from experiments.datasets.own import UserTable
from experiments.datasets.reading import Reading
from experiments.engine import seeds
from experiments.engine.code import Refused
from experiments.engine.keys import canonical_json


def source_of(config) -> dict:
    """The arguments of :func:`dataset` that a config asks for."""
    wanted = plain(config.dataset)
    return {
        "name": available(wanted["name"], wanted["alternative"], config.data.home),
        **plain(config.data),
        "path": wanted["path"],
        "target": wanted["target"],
        "params": {name: value for name, value in wanted["params"].items() if value is not None},
        "seed": config.seed,
        "max_samples": wanted["max_samples"],
        "max_features": wanted["max_features"],
        "reading": {
            one.name: wanted[one.name]
            for one in fields(Reading)
            if one.name in wanted and wanted[one.name] != getattr(TableConfig(), one.name)
        },
    }


def available(name: str, alternative: str | None, home: str | None) -> str:
    """The data set, or its alternative where only that one lies in the local folder."""
    folder = home_folder(home)
    if alternative and folder and not find(folder, name) and find(folder, alternative):
        return alternative
    return name


def dataset(
    *,
    params: dict,
    max_samples: int | None = None,
    max_features: int | None = None,
    gaps: bool = False,
    **source,
) -> Dataset:
    """The data set of a config, or a part of it; see :func:`experiments.datasets.load`.

    Raises
    ------
    DataError
        Where values are missing and `gaps` does not allow it.
    """
    data = load(**source, params=params or None)
    if source["name"] == "file" and not gaps and np.isnan(data.X).any():
        raise DataError("dataset.missing needs experiment=select, which fills gaps in each split")
    return part(data, max_samples, max_features, source["seed"])


def part(data: Dataset, max_samples: int | None, max_features: int | None, seed: int) -> Dataset:
    """At most so many samples and features of a data set, at random, in their order.

    Classes keep their shares. The part has its own fingerprint, and its source says what it is.
    """
    n, d = data.X.shape
    rows, columns = np.arange(n), np.arange(d)
    if max_samples is not None and max_samples < n:
        state = seeds.integer(seed, "part", data.fingerprint, "samples", max_samples)
        split = StratifiedShuffleSplit(1, train_size=max_samples, random_state=state)
        rows = np.sort(next(split.split(np.zeros((n, 1)), data.y))[0])
    if max_features is not None and max_features < d:
        rng = seeds.generator(seed, "part", data.fingerprint, "features", max_features)
        columns = np.sort(rng.choice(d, max_features, replace=False))
    if (len(rows), len(columns)) == (n, d):
        return data
    X, y = data.X[np.ix_(rows, columns)], data.y[rows]
    order, fingerprint = canonical_rows(X, y)
    names = data.feature_names
    told: dict[str, Any] = {}
    if isinstance(data, UserTable):
        told = {"file_rows": data.file_rows[rows][order]}
        if data.row_names is not None:
            told["row_names"] = tuple(data.row_names[row] for row in rows[order])
    return replace(
        data,
        name=f"{data.name}, a part",
        X=X[order],
        y=y[order],
        feature_names=None if names is None else tuple(names[j] for j in columns),
        fingerprint=fingerprint,
        **told,
        source=f"{len(rows)} of {n} samples and {len(columns)} of {d} features, at random, of: "
        + data.source,
    )


@dataclass(frozen=True)
class Source:
    """Where workers get the samples of a run from, and the fingerprint that they must find.

    Attributes
    ----------
    arguments : str
        Those of :func:`dataset`, as JSON.
    fingerprint : str
        As the run has loaded them: the keys of its units hold it.
    """

    arguments: str
    fingerprint: str

    @classmethod
    def of(cls, arguments: dict, data: Dataset) -> "Source":
        """The source of a data set that was loaded with those arguments."""
        return cls(canonical_json(arguments), data.fingerprint)

    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """X as float64 and y as 0, 1, ...; read-only, since a process keeps and shares them.

        Raises
        ------
        DataChanged
            Where the samples are no longer those that the run has loaded.
        """
        return _samples(self)


class DataChanged(Refused):
    """The samples were replaced while a run was under way."""


@lru_cache(maxsize=2)
def _samples(source: Source):
    data = dataset(**json.loads(source.arguments))
    if data.fingerprint != source.fingerprint:
        raise DataChanged(
            f"the samples of {data.name} were changed while this run was under way: it began with "
            f"the fingerprint {source.fingerprint[:12]}..., a worker now finds "
            f"{data.fingerprint[:12]}...; start it again, and nothing finished is lost"
        )
    X = np.array(data.X, dtype=np.float64, order="C")
    y = np.unique(data.y, return_inverse=True)[1]
    X.flags.writeable = y.flags.writeable = False
    return X, y


def described(data: Dataset) -> dict:
    """What the provenance of a run says of its data."""
    return {
        "name": data.name,
        "shape": list(data.X.shape),
        "fingerprint": data.fingerprint,
        "verified": data.verified,
        "synthetic": data.synthetic,
        "source": data.source,
    }
