"""`load` takes the name of a data set and returns a verified `Dataset`."""

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats, sources
from experiments.datasets.dataset import LIMITS, DataError, Dataset, Limits, unknown
from experiments.datasets.fingerprint import canonical_order, verify
from experiments.datasets.formats import Arrays
from experiments.datasets.generators import GENERATORS, generate
from experiments.datasets.registry import REGISTRY, DatasetInfo
from experiments.files import atomic_write

log = logging.getLogger(__name__)
#: How sources on the network are asked.
NETWORK = sources.Network()
PathLike = str | os.PathLike[str]


def names() -> tuple[str, ...]:
    """Return every name that `load` takes."""
    return (*REGISTRY, *GENERATORS)


def load(
    name: str,
    *,
    home: PathLike | None = None,
    cache: PathLike | None = None,
    params: Mapping[str, Any] | None = None,
    seed: int = 0,
    max_gib: float = LIMITS.max_gib,
    timeout: float = LIMITS.timeout,
) -> Dataset:
    """Return the data set called `name`, verified where its fingerprint is known.

    A data set of the registry comes from a local folder, else from the cache, else from the first
    of its sources that is right. The arrays are the same in each case, since their rows are put
    into canonical order. What comes from a source is written to the cache.

    Parameters
    ----------
    name : str
        One of `names()`.
    home : path, optional
        Folder with local files NAME.npz, .mat, .csv, .parquet or .arff; else MANIFEST_DATA.
    cache : path, optional
        Folder of parsed data; else MANIFEST_CACHE, else manifest-data among the user's caches.
    params, seed : mapping and int
        For generators only: parameters of the generator, and the seed of this one draw.
    max_gib, timeout : float
        GiB of a file, and seconds of a download; see `experiments.datasets.dataset.Limits`.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        If there is no such name, the data cannot be had within the limits, or they are not what
        they should be.
    """
    store = Store(home, cache, Limits(max_gib, timeout))
    if name in GENERATORS:
        return _generated(name, dict(params or {}), seed)
    if params:
        raise DataError(
            f"{name!r} takes no parameters, got {', '.join(params)}; "
            f"only generators do: {', '.join(GENERATORS)}"
        )
    if name not in REGISTRY:
        raise DataError(unknown("data set", name, names()))
    info = REGISTRY[name]
    data = store.obtain(info)
    if not data.verified:
        log.warning(
            "%s is unverified: shape, classes and range are right, but no fingerprint is known; "
            "the one seen is %s",
            name,
            data.fingerprint,
        )
    return replace(
        data,
        X=data.X if info.dtype == "uint8" else np.ascontiguousarray(data.X, dtype=np.float64),
        source=f"{info.description}; read from {data.source}.",
    )


class Store:
    """The folders of data: a local one whose files come first, and a cache of what was fetched.

    Parameters
    ----------
    home, cache, limits
        See `load`.
    """

    def __init__(
        self, home: PathLike | None = None, cache: PathLike | None = None, limits: Limits = LIMITS
    ):
        home = home or os.environ.get("MANIFEST_DATA")
        self.home = Path(home).expanduser() if home else None
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        cache = cache or os.environ.get("MANIFEST_CACHE") or Path(caches) / "manifest-data"
        self.cache = Path(cache).expanduser()
        self.limits = limits

    def local_file(self, info: DatasetInfo) -> Path | None:
        """Return the local file with a data set, its own or one that begins with it, or None.

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
                f"folder with files such as {info.name}.npz, or to nothing for a download"
            )
        stems = filter(None, (info.name, info.first_of))
        files = (self.home / f"{stem}{suffix}" for stem in stems for suffix in formats.FORMATS)
        return next((file for file in files if file.is_file()), None)

    def cache_file(self, info: DatasetInfo) -> Path:
        """Return the place of a data set in the cache."""
        return self.cache / f"{info.name}.npz"

    def obtain(self, info: DatasetInfo) -> Dataset:
        """Return a verified data set, with X as stored, from a file, the cache or a source.

        Raises
        ------
        DataError
            If it cannot be had, or a local file is not the data set that its name says.
        """
        if (file := self.local_file(info)) is not None:
            return verify(info, formats.read(file, limits=self.limits), str(file))
        if self.cache_file(info).exists():
            try:
                return self.cached(info)
            except DataError as error:
                log.warning("%s; it is fetched again", error)
        data = self._fetched(info)
        try:
            with atomic_write(self.cache_file(info)) as part, part.open("wb") as content:
                names = np.array(data.feature_names or (), dtype=str)
                np.savez(content, X=data.X, y=data.y, feature_names=names, source=data.source)
        except OSError as error:
            log.warning("%s could not be cached in %s: %s", info.name, self.cache, error)
        return data

    def cached(self, info: DatasetInfo) -> Dataset:
        """Return a data set of the cache, verified as every other one is.

        Raises
        ------
        DataError
            If its file cannot be read, or is not the data set that its name says.
        """
        file = self.cache_file(info)
        table = formats.read(file, limits=self.limits)
        with np.load(file, allow_pickle=False) as archive:
            source = str(archive["source"]) if "source" in archive else str(file)
        return verify(info, table, source)

    def _fetched(self, info: DatasetInfo) -> Dataset:
        """The data set of the first source that is right."""
        failures: list[str] = []
        for source in info.sources:
            if failures:
                log.warning("%s cannot be had from %s; trying %s", info.name, failures[-1], source)
            try:
                if source.kind != "ternary":
                    return sources.fetch(info, source, NETWORK, self.limits)
                of = self.obtain(REGISTRY[source.of])
                return verify(info, Arrays(_ternary(of.X), of.y, of.feature_names), of.source)
            except DataError as error:
                failures.append(f"{source} ({error})")
        raise DataError(
            f"{info.name} cannot be had: {'; '.join(failures) or info.by_hand}; what remains is a "
            f"local folder with {info.name}{', '.join(formats.FORMATS)}, named by data.home or "
            "MANIFEST_DATA"
        )


def _ternary(X: npt.NDArray) -> npt.NDArray[np.int8]:
    """Discretise each feature: 2 above mean + sd/2, -2 below mean - sd/2, else 0."""
    mean, half = X.mean(axis=0), X.std(axis=0, ddof=1) / 2
    above, below = X - (mean + half) > 0, X - (mean - half) < 0
    return 2 * above.astype(np.int8) - 2 * below.astype(np.int8)


def _generated(name: str, params: dict[str, Any], seed: int) -> Dataset:
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
