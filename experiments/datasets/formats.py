"""From a file of any format to a table. Nothing is unpickled, nothing is extracted."""

import errno
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from experiments.datasets import matlab, npz
from experiments.datasets.arff_table import read_arff
from experiments.datasets.arrow_table import read_csv, read_parquet
from experiments.datasets.dataset import Damaged, DataError
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.table import Table, chosen


def read(
    path: Path,
    target: str | None = None,
    *,
    ignore: Collection[str] = (),
    limits: Limits = LIMITS,
) -> Table:
    """Read a table from a file.

    Parameters
    ----------
    path : Path
        .npz and .mat hold arrays X and y (or Y); .csv, .parquet and .arff named columns.
    target : str, optional
        The array or column of the labels. Without it: y or Y; the column that is called class,
        label, target or y in whatever case, else the last one.
    ignore : collection of str
        Columns that are neither features nor labels.
    limits : Limits
        How much memory the table may take.

    Returns
    -------
    Table
        X has two dimensions and no text; it may hold NaN where a value is missing.

    Raises
    ------
    DataError
        If the format is unknown, the file is missing or damaged, it declares more than the limit,
        the target is not there or has missing values, or a feature is not numeric.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(
            f"{path}: the format {path.suffix!r} is unknown; use one of {', '.join(READERS)}"
        )
    try:
        limits.allow(path.stat().st_size, f"{path}: the file")
        table = reader(path, target, ignore, limits)
    except DataError:
        raise
    except DAMAGE as error:
        raise DataError(f"{path} cannot be read: {reason(error)}") from error
    if table.X.ndim != 2 or table.labels.shape != (len(table.X),):
        raise DataError(
            f"{path}: expected X (n_samples, n_features) and as many labels as rows, "
            f"got {table.X.shape} and {table.labels.shape}"
        )
    if table.X.dtype.kind not in "buif":
        raise DataError(f"{path}: expected numbers in X, got {table.X.dtype}")
    if table.labels.dtype.kind == "V":
        raise DataError(f"{path}: expected numbers or text as labels, got {table.labels.dtype}")
    return table


#: What readers raise on a damaged file; those of pyarrow are kinds of these.
DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    MemoryError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def reason(error: BaseException) -> str:
    """Say in our own words why a file cannot be read; a library's words are for its authors."""
    if isinstance(error, Damaged):
        return " ".join(str(error).split()).rstrip(".")
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        return os.strerror(error.errno).lower()
    if isinstance(error, MemoryError):
        return "there is not enough memory for it"
    if isinstance(error, UnicodeDecodeError):
        return "its text is not UTF-8; save it in that encoding"
    return "it is damaged, or of another format than its name says; replace it by a whole copy"


def read_npz(path: Path, target: str | None, ignore: Collection[str], limits: Limits) -> Table:
    """Read X, the labels and, where present, feature_names, without extracting or unpickling."""
    with zipfile.ZipFile(path) as archive:
        present = npz.names(archive)
        label = chosen(path, "array", present, target, ("y", "Y"))
        wanted = [chosen(path, "array", present, None, ("X",)), label]
        wanted += [name for name in ("feature_names",) if name in present]
        X, labels, *names = npz.read_arrays(archive, wanted, limits, str(path))
    return Table(X, labels.ravel(), _texts(names[0]) if names else None)


def _texts(names: np.ndarray) -> tuple[str, ...]:
    return tuple(map(str, names.ravel().tolist()))


def read_mat(path: Path, target: str | None, ignore: Collection[str], limits: Limits) -> Table:
    """Read X and the labels of a MATLAB file, versions 5 to 7."""
    arrays = matlab.read_arrays(path.read_bytes(), limits, str(path))
    label = chosen(path, "array", list(arrays), target, ("Y", "y"))
    X = arrays[chosen(path, "array", list(arrays), None, ("X",))]
    return Table(X, arrays[label].ravel(), None)


READERS: dict[str, Callable[[Path, str | None, Collection[str], Limits], Table]] = {
    ".npz": read_npz,
    ".mat": read_mat,
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".arff": read_arff,
}
