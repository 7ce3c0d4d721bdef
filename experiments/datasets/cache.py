"""Parsed data sets on disk: a file is the SHA-256 of what follows, then an uncompressed .npz.

A table that was read from a local file is kept with the digest of that file, its origin, so that
it does not answer for another file that has taken its place. Files appear whole or not at all,
and are read without unpickling.
"""

import hashlib
import logging
import os
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from experiments.atomic import atomic_write
from experiments.datasets import npz
from experiments.datasets.dataset import Damaged, DataError
from experiments.datasets.formats import DAMAGE, reason
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.registry import DatasetInfo
from experiments.datasets.verify import Verified

try:
    import fcntl
except ImportError:  # On Windows two processes may both fetch a data set, which harms neither
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)
MARK = b"ManiFeSt cache 2"  # another layout gets another number, and old files are made anew
ARRAYS = ("X", "y", "feature_names", "fingerprint", "source", "origin")
DIGEST_SIZE = hashlib.sha256().digest_size
SUFFIX = ".cache"


def folder(given: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder that is given, else MANIFEST_CACHE, else one in the user's caches."""
    named = given or os.environ.get("MANIFEST_CACHE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "manifest-data"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manifest-data"


def path(place: Path, info: DatasetInfo) -> Path:
    """Return where the table of `info` is cached."""
    return place / f"{info.name}{SUFFIX}"


def read(
    place: Path, info: DatasetInfo, *, origin: str | None = None, limits: Limits = LIMITS
) -> Verified | None:
    """Return the table of `info`, or None if it is not there or not usable.

    A damaged file is named in the log and treated as absent, so that it is replaced.

    Parameters
    ----------
    place : Path
        The folder of the cache.
    info : DatasetInfo
    origin : str, optional
        The digest of a local file. Where it is given, a table counts only if it was read from a
        file with this digest.
    limits : Limits
        How much memory the table may take.

    Raises
    ------
    DataError
        If the table is larger than the limit.
    """
    file = path(place, info)
    try:
        with file.open("rb") as content:
            mark, digest = content.read(len(MARK)), content.read(DIGEST_SIZE)
            if mark != MARK and mark[:-1] == MARK[:-1]:
                log.info("the cache file %s has an older layout; it will be made anew", file)
                return None
            if mark != MARK or hashlib.file_digest(content, "sha256").digest() != digest:
                raise Damaged("its checksum is wrong")
            with zipfile.ZipFile(content) as archive:
                X, y, *texts = npz.read_arrays(archive, ARRAYS, limits, str(file))
        names, fingerprint, source, made_from = (text.tolist() for text in texts)
        if X.shape != info.shape or info.fingerprint not in (None, fingerprint):
            raise Damaged(f"it holds other data, with the fingerprint {fingerprint}")
    except FileNotFoundError:
        return None
    except DataError:
        raise
    except DAMAGE as error:
        log.warning("the cache file %s is damaged (%s); it will be made anew", file, reason(error))
        return None
    if origin not in (None, made_from):
        return None
    verified = fingerprint == info.fingerprint
    return Verified(X, y, tuple(names) or None, fingerprint, verified, source)


def write(place: Path, info: DatasetInfo, table: Verified, *, origin: str | None = None) -> None:
    """Put a table into the cache, with the digest of the local file that it was read from.

    Where that fails, the log says so and the run goes on without a cache.
    """
    try:
        with atomic_write(path(place, info)) as part, part.open("w+b") as file:
            file.write(MARK + bytes(DIGEST_SIZE))
            np.savez(
                file,
                X=table.X,
                y=table.y,
                feature_names=np.array(table.feature_names or (), dtype=np.str_),
                fingerprint=np.array(table.fingerprint),
                source=np.array(table.source),
                origin=np.array(origin or "none"),
            )
            file.seek(len(MARK) + DIGEST_SIZE)
            digest = hashlib.file_digest(file, "sha256").digest()
            file.seek(len(MARK))
            file.write(digest)
    except OSError as error:
        log.warning("%s could not be cached in %s: %s", info.name, place, error)


@contextmanager
def alone(place: Path, name: str) -> Iterator[None]:
    """Let one process of this machine at a time fetch `name`, so that the others find it cached.

    The lock ends with the process that holds it. Where there are no locks, two processes may fetch
    the same data set, and both get it.
    """
    try:
        place.mkdir(parents=True, exist_ok=True)
        file = (place / f"{name}.lock").open("ab")
    except OSError:
        yield
        return
    with file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError as error:
                log.info("no lock for %s: %s", name, error)
        yield
