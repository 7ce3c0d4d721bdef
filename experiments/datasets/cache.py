"""Parsed data sets on disk: a file is the SHA-256 of what follows, then an uncompressed .npz.

Files appear whole or not at all, and are read without unpickling.
"""

import hashlib
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from experiments.atomic import atomic_write
from experiments.datasets.formats import DAMAGE
from experiments.datasets.registry import DatasetInfo
from experiments.datasets.verify import Verified

try:
    import fcntl
except ImportError:  # Windows: two processes may both fetch, neither harms the other
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)
MARK = b"ManiFeSt cache 1"  # another layout gets another number, and old files are made anew
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


def read(place: Path, info: DatasetInfo) -> Verified | None:
    """Return the table of `info`, or None if it is not there or not usable.

    A damaged file is named in the log and treated as absent, so that it is replaced.
    """
    try:
        with path(place, info).open("rb") as file:
            mark, digest = file.read(len(MARK)), file.read(DIGEST_SIZE)
            start = file.tell()
            if mark != MARK or hashlib.file_digest(file, "sha256").digest() != digest:
                raise ValueError("its checksum is wrong")
            file.seek(start)
            with np.load(file, allow_pickle=False) as archive:
                names = archive["feature_names"].tolist()
                fingerprint = str(archive["fingerprint"])
                table = Verified(
                    X=archive["X"],
                    y=archive["y"],
                    feature_names=tuple(names) or None,
                    fingerprint=fingerprint,
                    verified=fingerprint == info.fingerprint,
                    source=str(archive["source"]),
                )
        if table.X.shape != info.shape or info.fingerprint not in (None, fingerprint):
            raise ValueError(f"it holds other data, with the fingerprint {fingerprint}")
    except FileNotFoundError:
        return None
    except DAMAGE as error:
        log.warning(
            "the cache file %s is damaged (%s); it will be made anew", path(place, info), error
        )
        return None
    return table


def write(place: Path, info: DatasetInfo, table: Verified) -> None:
    """Put a table into the cache; where that fails, say so and go without."""
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
            )
            file.seek(len(MARK) + DIGEST_SIZE)
            digest = hashlib.file_digest(file, "sha256").digest()
            file.seek(len(MARK))
            file.write(digest)
    except OSError as error:
        log.warning("%s could not be cached in %s: %s", info.name, place, error)


@contextmanager
def alone(place: Path, name: str) -> Iterator[None]:
    """Hold the only permission on this machine to fetch `name`, so that others find it cached.

    It ends with the process that holds it. Where locks are not to be had everything still works.
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
