"""Readers of tables: one function a format, each (path, target) -> Table. Nothing is unpickled."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError


class Table(NamedTuple):
    """X (n_samples, n_features), labels (n_samples,) as they are written, names or None."""

    X: npt.NDArray
    labels: npt.NDArray
    feature_names: tuple[str, ...] | None


def read(path: Path, target: str | None = None) -> Table:
    """Read a table; `target` is the name of the label's column or array.

    Without a target the label is `y` of an .npz, `Y` or `y` of a .mat, and otherwise the column
    called class, label, target or y, or else the last one.

    Raises
    ------
    DataError
        If the format is unknown, the file is damaged, or the target is missing.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(
            f"{path}: the format {path.suffix!r} is unknown; use one of {', '.join(READERS)}"
        )
    try:
        return reader(path, target)
    except DataError:
        raise
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} cannot be read: {error}") from error


def read_npz(path: Path, target: str | None) -> Table:
    """Read X, y and, where present, feature_names; members are read in place, never extracted."""
    with np.load(path, allow_pickle=False) as archive:
        label = target or "y"
        for member in ("X", label):
            if member not in archive.files:
                raise DataError(f"{path}: no array {member!r}; it has {', '.join(archive.files)}")
        names = archive["feature_names"].tolist() if "feature_names" in archive.files else None
        return Table(archive["X"], archive[label], None if names is None else tuple(names))


READERS: dict[str, Callable[[Path, str | None], Table]] = {".npz": read_npz}
