"""A local folder as a source: the first of NAME.npz, .mat, .csv, .parquet, .arff in it."""

import hashlib
from pathlib import Path

from experiments.datasets import formats
from experiments.datasets.dataset import DataError
from experiments.datasets.registry import DatasetInfo


def find(home: Path, name: str) -> Path | None:
    """Return the file of `name` in `home`, or None.

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
    files = (home / f"{name}{suffix}" for suffix in formats.READERS)
    return next((file for file in files if file.is_file()), None)


def of(home: Path | None, info: DatasetInfo) -> Path | None:
    """Return the file in `home` that a data set is read from, its own or one that begins with it.

    Raises
    ------
    DataError
        If `home` is not a folder.
    """
    if home is None:
        return None
    return find(home, info.name) or (find(home, info.first_of) if info.first_of else None)


def digest(file: Path) -> str:
    """Return the SHA-256 of the file's bytes, which changes whenever the file does.

    Its time of modification and its size need not: a clock can be wrong.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {formats.reason(error)}") from error
