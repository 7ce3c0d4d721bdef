"""Load a data set by its name, as a verified `Dataset`."""

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets import formats, sources
from experiments.datasets.dataset import DataError, Dataset, ternary, unknown
from experiments.datasets.fingerprint import canonical_order, verify
from experiments.datasets.formats import Arrays
from experiments.datasets.generators import GENERATORS, generate
from experiments.datasets.registry import REGISTRY, DatasetInfo
from experiments.files import atomic_write

log = logging.getLogger(__name__)
PathLike = str | os.PathLike[str]


def load(
    name: str,
    *,
    home: PathLike | None = None,
    cache: PathLike | None = None,
    params: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Dataset:
    """Return the data set called `name`, verified if its fingerprint is known.

    A data set of the registry is read from a local folder, else from the cache, else from its first
    source that passes verification. The arrays are the same in each case, because their rows are
    put into canonical order. Data from a source are written to the cache.

    Parameters
    ----------
    name : str
        A name of REGISTRY or GENERATORS.
    home : path, optional
        Folder with local files NAME.npz, .mat, .csv, .parquet or .arff; default: MANIFEST_DATA.
    cache : path, optional
        Folder of parsed data; default: MANIFEST_CACHE, else manifest-data in the user's cache.
    params, seed : mapping and int
        For generators only: parameters of the generator, and the seed of this one draw.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        If the name is unknown, or the data are not available or not as expected.
    """
    if name in GENERATORS:
        return _generated(name, params or {}, seed)
    if params:
        told = f"{name!r} takes no parameters, got {', '.join(params)}"
        raise DataError(f"{told}; only generators take them: {', '.join(GENERATORS)}")
    if name not in REGISTRY:
        raise DataError(unknown("data set", name, (*REGISTRY, *GENERATORS)))
    info = REGISTRY[name]
    data = Store(home, cache).obtain(info)
    if not data.verified:
        known = "%s is unverified, because no fingerprint is known; its fingerprint is %s"
        log.warning(known, name, data.fingerprint)
    return replace(
        data,
        X=data.X if info.dtype == "uint8" else np.ascontiguousarray(data.X, dtype=np.float64),
        source=f"{info.description}; read from {data.source}.",
    )


class Store:
    """The folders of `load`: a local one, which has precedence, and a cache of fetched data."""

    def __init__(self, home: PathLike | None, cache: PathLike | None):
        home = home or os.environ.get("MANIFEST_DATA")
        self.home = Path(home).expanduser() if home else None
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        cache = cache or os.environ.get("MANIFEST_CACHE") or Path(caches) / "manifest-data"
        self.cache = Path(cache).expanduser()

    def local_file(self, info: DatasetInfo) -> Path | None:
        """Return the local file of a data set, or of one that begins with its rows, or None.

        Raises
        ------
        DataError
            If the local folder is not a folder.
        """
        if self.home is None:
            return None
        if not self.home.is_dir():
            raise DataError(
                f"The data folder {self.home} does not exist; set data.home or MANIFEST_DATA to a "
                f"folder with files such as {info.name}.npz, or leave it empty to download"
            )
        for stem in filter(None, (info.name, info.first_of)):
            for suffix in formats.FORMATS:
                file = self.home / f"{stem}{suffix}"
                if file.is_file():
                    return file
        return None

    def obtain(self, info: DatasetInfo) -> Dataset:
        """Return a verified data set, with X as stored, from a file, the cache or a source.

        Raises
        ------
        DataError
            If it is not available, or a local file is not the data set of its name.
        """
        if (file := self.local_file(info)) is not None:
            return verify(info, formats.read(file), str(file))
        file = self.cache / f"{info.name}.npz"
        if file.exists():
            try:
                return verify(info, formats.read(file), str(file))
            except DataError as error:
                log.warning("%s; fetching it again", error)
        data = self._fetched(info)
        try:
            with atomic_write(file) as part, part.open("wb") as content:
                names = np.array(data.feature_names or (), dtype=str)
                np.savez(content, X=data.X, y=data.y, feature_names=names)
        except OSError as error:
            log.warning("%s could not be cached in %s: %s", info.name, self.cache, error)
        return data

    def _fetched(self, info: DatasetInfo) -> Dataset:
        """Return the data set of the first source that passes verification."""
        failures: list[str] = []
        for kind, what in info.sources:
            if failures:
                log.warning("%s: not available from %s; trying others", info.name, failures[-1])
            try:
                if kind == "ternary":
                    of = self.obtain(REGISTRY[what])
                    table = Arrays(ternary(of.X), of.y, of.feature_names)
                else:
                    table = sources.attempted(partial(sources.SOURCES[kind], what))
                return verify(info, table, f"{kind} {what}")
            except DataError as error:
                failures.append(f"{kind} {what} ({error})")
        raise DataError(
            f"{info.name} is not available: {'; '.join(failures) or info.by_hand}; use a "
            f"local folder with {info.name}{', '.join(formats.FORMATS)}, set by data.home or "
            "MANIFEST_DATA"
        )


def _generated(name: str, params: Mapping[str, Any], seed: int) -> Dataset:
    sample = generate(name, np.random.default_rng(seed), **params)
    order, fingerprint = canonical_order(sample.X, sample.y)
    return Dataset(
        name=name,
        X=sample.X[order],
        y=sample.y[order],
        label_names={0: "0", 1: "1"},
        fingerprint=fingerprint,
        source=f"SYNTHETIC: drawn by the generator {name} with seed {seed}.",
        synthetic=True,
    )
