"""`load` takes the name of a data set and returns a verified `Dataset`."""

import hashlib
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets import cache as caching
from experiments.datasets import child, formats, sources
from experiments.datasets.child import LIMITS, Limits
from experiments.datasets.columns import Table, TableOptions
from experiments.datasets.dataset import DataError, Dataset, unknown
from experiments.datasets.fingerprint import canonical_order
from experiments.datasets.generators import GENERATORS, generate
from experiments.datasets.registry import (
    REGISTRY,
    DatasetInfo,
    Mat,
    OpenML,
    ScikitLearn,
    Source,
    Ternary,
)
from experiments.datasets.user_table import load_file
from experiments.datasets.verify import Verified, verify

log = logging.getLogger(__name__)
#: How sources on the network are asked.
NETWORK = sources.Network()
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
        GiB of memory and seconds that reading may take; see `experiments.datasets.child.Limits`.
    reading : mapping, optional
        For "file" only: how to read it; see `experiments.datasets.columns.TableOptions`.

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
        return load_file(path, target, limits, TableOptions(**(reading or {})))
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


def find(home: Path, name: str) -> Path | None:
    """Return the file of `name` in a local folder, or None.

    Raises
    ------
    DataError
        If `home` is not a folder.
    """
    if not home.is_dir():
        raise DataError(
            f"The data folder {home} does not exist; set data.home or MANIFEST_DATA to a folder "
            f"with files such as {name}.npz, or to nothing for a download"
        )
    files = (home / f"{name}{suffix}" for suffix in formats.LOCAL)
    return next((file for file in files if file.is_file()), None)


def local_file(home: Path | None, info: DatasetInfo) -> Path | None:
    """Return the file in `home` with a data set, its own or one that begins with it, or None."""
    if home is None:
        return None
    return find(home, info.name) or (find(home, info.first_of) if info.first_of else None)


def obtain(
    info: DatasetInfo,
    home: Path | None,
    cache: Path,
    *,
    limits: Limits = LIMITS,
    progress: bool = False,
) -> Verified:
    """Return the verified table of a data set from a local file, the cache or a source.

    If there is a local file, the cache answers for it only with a table that was read from these
    very bytes. A file that has been replaced is read and verified again.

    Raises
    ------
    DataError
        If it cannot be had, or a local file is not the data set that its name says.
    """
    file = local_file(home, info)
    if file is not None and info.fingerprint is None:
        # It is not cached: without this file, nothing would vouch for the copy.
        return read_local(info, file, limits)
    origin = None if file is None else _digest(file)
    with caching.alone(cache, info.name):
        table = read_cached(info, cache, origin, limits)
        if table is None and file is not None:
            table = read_local(info, file, limits)
            if _digest(file) != origin:
                raise DataError(f"{file} changed while it was read; run the same command again")
        elif table is None:
            table = _first_verified(info, home, cache, limits, progress)
        else:
            return table
        arrays, about = table.answer()
        caching.write(cache_file(info, cache), (arrays, about | {"origin": origin}))
    return table


def cache_file(info: DatasetInfo, cache: Path) -> Path:
    """Return the file of a data set in the cache."""
    return cache / f"{info.name}{caching.SUFFIX}"


def read_cached(
    info: DatasetInfo, cache: Path, origin: str | None, limits: Limits = LIMITS
) -> Verified | None:
    """Return the table of a data set in the cache, if there is one.

    Parameters
    ----------
    origin : str, optional
        The digest of a local file. If it is given, a table counts only if it was read from a file
        with this digest.

    Raises
    ------
    DataError
        If the table is larger than the limit.
    """
    file = cache_file(info, cache)
    if not file.exists():
        return None
    limits.check_file(file)
    answer = caching.read(file)
    if answer is None:
        return None
    made_from = answer[1].pop("origin", None)
    table = Verified.of(answer)
    if table.X.shape != info.shape or info.fingerprint not in (None, table.fingerprint):
        log.warning("the cache file %s holds other data; it will be made anew", file)
        return None
    if origin not in (None, made_from):
        return None
    return replace(table, verified=table.fingerprint == info.fingerprint)


def read_local(info: DatasetInfo, file: Path, limits: Limits = LIMITS) -> Verified:
    """Read and verify a local file, in a child process."""
    limits.check_file(file)
    needed = formats.libraries(file)
    answer = child.run(_local, info, file, what=str(file), limits=limits, libraries=needed)
    return Verified.of(answer)


def _local(info: DatasetInfo, file: Path) -> caching.Answer:
    return verify(info, formats.read(file).table(file), str(file)).answer()


def _fetched(info: DatasetInfo, *arguments: Any) -> caching.Answer:
    return sources.fetch(info, *arguments).answer()


def _digest(file: Path) -> str:
    """The SHA-256 of a file, which changes whenever the file does; its time and size need not."""
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {formats.reason(error)}") from error


def _first_verified(
    info: DatasetInfo, home: Path | None, cache: Path, limits: Limits, progress: bool
) -> Verified:
    """The table of the first source that can be had and verified."""
    failures = []
    for position, source in enumerate(info.sources):
        where = _place(source)
        try:
            match source:
                case Ternary(of=name):
                    other = obtain(REGISTRY[name], home, cache, limits=limits, progress=progress)
                    table = Table(sources.ternary(other.X), other.y, other.feature_names)
                    return verify(info, table, other.source)
                case ScikitLearn(loader=name):
                    # It is slow to import.
                    from sklearn import datasets

                    X, y = getattr(datasets, name)(return_X_y=True)
                    return verify(info, Table(X, y, None), where)
            answer = child.run(
                _fetched,
                *(info, source, NETWORK, limits, progress),
                what=f"the file of {info.name}",
                limits=limits,
                libraries=sources.LIBRARIES,
                shows=progress,
            )
            return Verified.of(answer)
        except DataError as error:
            failures.append(f"{where} ({error})")
            rest = [_place(other) for other in info.sources[position + 1 :]]
            if rest:
                log.warning(
                    "%s cannot be had from %s; trying %s",
                    info.name,
                    failures[-1],
                    ", then ".join(rest),
                )
    tried = "; ".join(failures) or "it is not offered anywhere in this form"
    raise DataError(
        f"{info.name} cannot be had: {tried}; what remains is a local folder with "
        f"{info.name}{', '.join(formats.LOCAL)}, named by data.home or MANIFEST_DATA"
    )


def _place(source: Source) -> str:
    """Say where a source is."""
    match source:
        case OpenML(id=number):
            return f"OpenML {number}"
        case Mat(url=url):
            return url
        case Ternary(of=name):
            return f"the data set {name}"
        case ScikitLearn(loader=name):
            return f"scikit-learn's {name}"


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
