"""Verified data sets on disk, and the files in which a child process leaves its answer.

An answer is arrays and what JSON can say about them, in an uncompressed .npz. A file of the cache
is the SHA-256 of what follows, then an answer. A table that was read from a local file is kept with
the digest of that file, its origin, so that a replaced file is read again. Files appear whole or
not at all, and are read without unpickling.
"""

import hashlib
import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import atomic_write

log = logging.getLogger(__name__)
#: Arrays by name, and what JSON can say about them.
Answer = tuple[dict[str, Any], dict[str, Any]]
MARK = b"ManiFeSt cache 4"  # another layout gets another number, and old files are made anew
DIGEST_SIZE = hashlib.sha256().digest_size
SUFFIX = ".cache"


def write_answer(file: Any, answer: Answer) -> None:
    """Write an answer to an open file."""
    arrays, about = answer
    np.savez(file, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **arrays)


def read_answer(file: Any) -> Answer:
    """Read an answer from a path or an open file, without unpickling."""
    with np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return arrays, json.loads(arrays.pop("about").tobytes())


def folder(given: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder that is given, else MANIFEST_CACHE, else one in the user's caches."""
    named = given or os.environ.get("MANIFEST_CACHE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "manifest-data"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manifest-data"


def read(file: Path) -> Answer | None:
    """Return the answer in a file of the cache, or None if it is not there or not usable.

    A damaged file is named in the log and treated as absent, so that it is replaced.
    """
    try:
        with file.open("rb") as content:
            mark, digest = content.read(len(MARK)), content.read(DIGEST_SIZE)
            if mark != MARK and mark[:-1] == MARK[:-1]:
                log.info("the cache file %s has an older layout; it will be made anew", file)
                return None
            if mark == MARK and hashlib.file_digest(content, "sha256").digest() == digest:
                content.seek(len(MARK) + DIGEST_SIZE)
                return read_answer(content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError) as error:
        log.debug("%s", error)
    log.warning("the cache file %s is damaged; it will be made anew", file)
    return None


def write(file: Path, answer: Answer) -> None:
    """Put an answer into the cache.

    If that fails, the log says so and the run goes on without a cache.
    """
    try:
        with atomic_write(file) as part, part.open("w+b") as content:
            content.write(MARK + bytes(DIGEST_SIZE))
            write_answer(content, answer)
            content.seek(len(MARK) + DIGEST_SIZE)
            digest = hashlib.file_digest(content, "sha256").digest()
            content.seek(len(MARK))
            content.write(digest)
    except OSError as error:
        log.warning("%s could not be cached in %s: %s", file.stem, file.parent, error)
