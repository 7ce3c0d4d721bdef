"""Read the file of a registered data set. Nothing is unpickled, nothing is extracted."""

import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.datasets.dataset import LIMITS, DataError, Limits, unknown

#: Usual names of the column of labels, the likeliest first.
TARGETS = ("class", "label", "target", "y")
#: Exceptions of readers on a damaged file; those of pyarrow and pandas are kinds of these.
DAMAGE: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    MemoryError,
    ValueError,
    TypeError,
    LookupError,
)
DAMAGE += (ArithmeticError, AttributeError, NameError, RuntimeError, SyntaxError)
DAMAGE += (struct.error, zipfile.BadZipFile, zlib.error)


class Arrays(NamedTuple):
    """X numeric (n_samples, n_features), labels (n_samples,) as written, names or None."""

    X: npt.NDArray
    labels: npt.NDArray
    feature_names: tuple[str, ...] | None


def read(
    path: Path,
    target: str | None = None,
    ignore: Collection[str | None] = (),
    limits: Limits = LIMITS,
) -> Arrays:
    """Read the arrays of a file.

    Parameters
    ----------
    path : Path
        .npz and .mat hold arrays X and y (or Y); all other formats hold named columns.
    target : str, optional
        The array or the column of labels. Without it: the array y or Y; or the column that is
        called class, label, target or y in whatever case, else the last one.
    ignore : collection of str
        Columns that are neither features nor labels.
    limits : Limits
        Its `max_gib` is that of the file, and of what is packed in it.

    Raises
    ------
    DataError
        If the format is unknown, the file is missing, damaged or too large, the target is not there
        or lacks values, or a feature is text.
    """
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise DataError(
            f"{path}: the format {path.suffix!r} is unknown; use one of {', '.join(FORMATS)}"
        )
    try:
        limits.check(path, path.stat().st_size)
        if kind == ".npz" and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                limits.check(path, sum(each.file_size for each in archive.infolist()))
        content = FORMATS[kind](path, target)
    except DataError:
        raise
    except DAMAGE as error:
        raise DataError(f"{path} cannot be read: {reason(error)}") from error
    return content if isinstance(content, Arrays) else of_columns(path, content, target, ignore)


def reason(error: BaseException) -> str:
    """Say in our own words why a file cannot be read; a library's words are for its authors."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    if isinstance(error, UnicodeDecodeError):
        return "its text is not UTF-8; save it in that encoding"
    if "allow_pickle" in str(error):
        return "it holds Python objects, which could run code; save numbers and text"
    if isinstance(error, NotImplementedError):
        return "MATLAB 7.3 files cannot be read; save it with -v7"
    return "it is damaged, or of another format than its name says; replace it by a whole copy"


def _npz(path: Path, target: str | None) -> Arrays:
    with np.load(path, allow_pickle=False) as archive:
        label = target or next((name for name in ("y", "Y") if name in archive.files), "y")
        wanted = ("X", label, "feature_names")
        arrays = {name: archive[name] for name in wanted if name in archive}
        return _of_arrays(path, archive.files, arrays, label)


def _mat(path: Path, target: str | None) -> Arrays:
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError

    try:
        names = [name for name, *_ in whosmat(path, appendmat=False)]
        label = target or next((name for name in ("Y", "y") if name in names), "Y")
        arrays = loadmat(path, appendmat=False, variable_names=["X", label], spmatrix=False)
    except MatReadError as error:
        raise ValueError(str(error)) from error
    return _of_arrays(path, names, arrays, label)


def _of_arrays(path: Path, names: Sequence[str], arrays: dict, label: str) -> Arrays:
    """X and its labels, with the names that the file has for the features."""
    for name in ("X", label):
        if name not in arrays:
            raise DataError(f"{path}: {unknown('array', name, names)}")
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    arrays |= {n: np.char.decode(a, "utf-8") for n, a in arrays.items() if a.dtype.kind == "S"}
    X, labels = arrays["X"], arrays[label].ravel()
    if X.ndim != 2 or labels.shape != (len(X),):
        raise DataError(
            f"{path}: expected X with a row for each label, got {X.shape} and {arrays[label].shape}"
        )
    if X.dtype.kind not in "buif" or labels.dtype.kind not in "buifU":
        raise DataError(
            f"{path}: expected numbers in X, and numbers or text as labels, got {X.dtype} and "
            f"{labels.dtype}; save labels as numbers, or as an array of characters"
        )
    features = tuple(str(name) for name in np.ravel(arrays.get("feature_names", ())).tolist())
    if features and len(features) != X.shape[1]:
        raise DataError(f"{path}: X has {X.shape[1]} columns, but {len(features)} feature_names")
    return Arrays(X, labels, features or None)


def _csv(path: Path, target: str | None) -> pd.DataFrame:
    # Names that repeat would be numbered; a header of its own leaves them as they are.
    header = pd.read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False)
    frame = pd.read_csv(path, header=0, dtype=object)
    return frame.set_axis(header.iloc[0].tolist(), axis=1)


def _parquet(path: Path, target: str | None) -> pd.DataFrame:
    from pyarrow.parquet import ParquetFile

    table = ParquetFile(path).read(use_threads=False)
    stored = (table.schema.pandas_metadata or {}).get("index_columns", [])
    kept = [at for at, name in enumerate(table.column_names) if name not in stored]
    table = table.select(kept)
    columns = [column.to_pandas() for column in table.columns]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame()
    return frame.set_axis(table.column_names, axis=1)


def _arff(path: Path, target: str | None) -> pd.DataFrame:
    import arff

    try:
        content = arff.loads(path.read_text("utf-8"))
    except arff.ArffException as error:
        raise ValueError(str(error)) from error
    return pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])


def of_columns(
    path: Path, frame: pd.DataFrame, target: str | None, ignore: Collection[str | None] = ()
) -> Arrays:
    """The features and the labels among columns."""
    names = list(map(str, frame.columns))
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"{path}: {names.count(twice[0])} columns are called {twice[0]!r}")
    exact = [name for name in TARGETS if name in names]
    alike = [name for name in names if name.lower() in TARGETS]
    label = target or [*exact, *alike, *names[-1:], TARGETS[0]][0]
    if label not in names:
        raise DataError(f"{path}: {unknown('column', label, names)}")
    labels = _numbers(frame[label])
    if labels.isna().any():
        raise DataError(f"{path}: {int(labels.isna().sum())} rows have no value in {label!r}")
    columns = {name: _numbers(frame[name]) for name in names if name not in (label, *ignore)}
    if texts := [n for n, own in columns.items() if not pd.api.types.is_numeric_dtype(own)]:
        raise DataError(f"{path}: {len(texts)} columns hold no numbers, such as {texts[0]!r}")
    own = np.array(labels.tolist())
    whole = own.dtype.kind == "f" and (own == own.round()).all()
    X = np.stack(list(columns.values()), axis=1) if columns else np.empty((len(own), 0))
    return Arrays(X, own.astype(np.int64) if whole else own, tuple(columns))


def _numbers(column: pd.Series) -> pd.Series:
    """The column as numbers if all its texts are numbers or missing, else as it is."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return column


#: The reader of each format; a local folder is searched in this order.
FORMATS: dict[str, Callable[[Path, str | None], Arrays | pd.DataFrame]] = {
    ".npz": _npz,
    ".mat": _mat,
    ".csv": _csv,
    ".parquet": _parquet,
    ".arff": _arff,
}
LOCAL = tuple(FORMATS)
