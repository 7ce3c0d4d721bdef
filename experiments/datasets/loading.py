"""`load`: a name in, a verified `Dataset` out."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets import folder
from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.fingerprint import canonical
from experiments.datasets.generators import GENERATORS, generate, unknown
from experiments.datasets.registry import REGISTRY, Entry
from experiments.datasets.verify import Verified, verify


def names() -> tuple[str, ...]:
    """Return every name that `load` takes."""
    return (*REGISTRY, *GENERATORS, "file")


def load(
    name: str,
    *,
    home: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    path: str | os.PathLike[str] | None = None,
    target: str | None = None,
    params: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Dataset:
    """Return the data set called `name`, rows in canonical order, verified where possible."""
    if name in GENERATORS:
        return _generated(name, dict(params or {}), seed)
    if name not in REGISTRY:
        raise DataError(unknown("data set", name, names()))
    entry = REGISTRY[name]
    given = home or os.environ.get("MANIFEST_DATA")
    file = folder.find(Path(given), name) if given else None
    if file is None:
        raise DataError(f"{name}: no file {name}.npz in {given}")
    return _dataset(entry, verify(entry, folder.read(file)))


def _dataset(entry: Entry, table: Verified) -> Dataset:
    X = table.X if entry.as_stored else np.ascontiguousarray(table.X, dtype=np.float64)
    return Dataset(
        name=entry.name,
        X=X,
        y=table.y,
        label_names=dict(entry.label_names),
        feature_names=table.feature_names,
        fingerprint=table.fingerprint,
        verified=table.verified,
        synthetic=False,
        source=f"Read from {table.source}.",
        citation=entry.citation,
        licence=entry.licence,
    )


def _generated(name: str, params: dict[str, Any], seed: int) -> Dataset:
    sample = generate(name, np.random.default_rng(seed), **params)
    order, fingerprint = canonical(sample.X, sample.y)
    return Dataset(
        name=name,
        X=sample.X[order],
        y=sample.y[order],
        label_names={0: "0", 1: "1"},
        feature_names=None,
        fingerprint=fingerprint,
        verified=False,
        synthetic=True,
        source=f"SYNTHETIC: drawn by the generator {name} with seed {seed}.",
        citation="",
        licence="",
    )
