"""`load` takes the name of a data set and returns a verified `Dataset`."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets import cache as caching
from experiments.datasets import folder, formats, own
from experiments.datasets.dataset import DataError, Dataset, unknown
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.generators import GENERATORS, generate
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.reading import Reading
from experiments.datasets.registry import REGISTRY, DatasetInfo
from experiments.datasets.sources import first_right
from experiments.datasets.verify import Verified, verify

log = logging.getLogger(__name__)
PathLike = str | os.PathLike[str]


def names() -> tuple[str, ...]:
    """Return every name that `load` takes."""
    return (*REGISTRY, *GENERATORS, "file")


def load(
    name: str,
    *,
    home: PathLike | None = None,
    cache: PathLike | None = None,
    path: PathLike | None = None,
    target: str | None = None,
    params: Mapping[str, Any] | None = None,
    seed: int = 0,
    max_gib: float = LIMITS.max_gib,
    timeout: float = LIMITS.timeout,
    reading: Mapping[str, Any] | None = None,
) -> Dataset:
    """Return the data set called `name`, verified where its fingerprint is known.

    A data set of the registry comes from a local folder, else from the cache, else from the first
    of its sources that is right. The arrays are the same in each case, since their rows are put
    into canonical order. A table that was verified or downloaded is written to the cache.

    Parameters
    ----------
    name : str
        One of `names()`.
    home : path, optional
        Folder with local files NAME.npz, .mat, .csv, .parquet or .arff; else MANIFEST_DATA.
    cache : path, optional
        Folder of parsed data; else MANIFEST_CACHE, else manifest-data among the user's caches.
    path, target : path and str
        For "file" only: a table and the name of its labels.
    params, seed : mapping and int
        For generators only: parameters of the generator, and the seed of this one draw.
    max_gib, timeout : float
        GiB of memory that a table may take when it is unpacked, and seconds that a download may
        take; see `Limits`.
    reading : mapping, optional
        For "file" only: how to read it; see `experiments.datasets.reading.Reading`.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        If there is no such name, the data cannot be had within the limits, or they are not what
        they should be.
    """
    if name != "file" and (path is not None or target is not None):
        raise DataError(f"path and target belong to the data set 'file', not to {name!r}")
    if name != "file" and reading:
        raise DataError(
            f"{', '.join(f'dataset.{key}' for key in reading)} belongs to the data set 'file', not "
            f"to {name!r}"
        )
    if name not in GENERATORS and params:
        raise DataError(
            f"{name!r} takes no parameters, got {', '.join(params)}; "
            f"only generators do: {', '.join(GENERATORS)}"
        )
    limits = Limits(max_gib, timeout)
    if name == "file":
        return own.load_file(path, target, limits, Reading(**(reading or {})))
    if name in GENERATORS:
        return _generated(name, dict(params or {}), seed)
    if name not in REGISTRY:
        raise DataError(unknown("data set", name, names()))
    info = REGISTRY[name]
    table = obtain(info, home_folder(home), caching.folder(cache), limits=limits)
    if not table.verified:
        log.warning(
            "%s is unverified: shape, classes and range are right%s, but no fingerprint is known; "
            "the one seen is %s",
            name,
            f", so are classes {info.known_part[0]}" if info.known_part else "",
            table.fingerprint,
        )
    return _dataset(info, table)


def home_folder(given: PathLike | None = None) -> Path | None:
    """Return the local folder that is given, else MANIFEST_DATA, else None."""
    named = given or os.environ.get("MANIFEST_DATA")
    return Path(named).expanduser() if named else None


def obtain(
    info: DatasetInfo,
    home: Path | None,
    cache: Path,
    *,
    limits: Limits = LIMITS,
    progress: bool = False,
) -> Verified:
    """Return the verified table of a data set from folder, cache or sources.

    Where there is a local file, the cache answers for it only with a table that was read from
    these very bytes. A file that has been replaced is read and verified again.

    Raises
    ------
    DataError
        If it cannot be had, or a local file is not the data set that its name says.
    """
    file = folder.of(home, info)
    if file is not None and info.fingerprint is None:
        # It is not cached: without this file, nothing would vouch for the copy.
        return verify(info, formats.read(file, limits=limits), str(file))
    origin = folder.digest(file) if file is not None else None
    table = caching.read(cache, info, origin=origin, limits=limits)
    if table is not None:
        return table
    with caching.alone(cache, info.name):
        # Another process may have been faster.
        table = caching.read(cache, info, origin=origin, limits=limits)
        if table is not None:
            return table
        if file is None:
            table = first_right(
                info,
                lambda other: obtain(other, home, cache, limits=limits, progress=progress),
                limits=limits,
                progress=progress,
            )
        else:
            table = verify(info, formats.read(file, limits=limits), str(file))
            if folder.digest(file) != origin:
                raise DataError(f"{file} changed while it was read; run the same command again")
        caching.write(cache, info, table, origin=origin)
    return table


def _dataset(info: DatasetInfo, table: Verified) -> Dataset:
    X = table.X if info.as_stored else np.ascontiguousarray(table.X, dtype=np.float64)
    return Dataset(
        name=info.name,
        X=X,
        y=table.y,
        label_names=dict(info.label_names),
        feature_names=table.feature_names,
        fingerprint=table.fingerprint,
        verified=table.verified,
        source=f"{info.description}; read from {table.source}.",
        citation=info.citation,
        licence=info.licence,
    )


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
