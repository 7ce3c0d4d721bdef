"""Read the file of a registered data set, without unpickling or extracting anything."""

import os
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.datasets.dataset import LIMITS, DataError, Limits, unknown

#: Usual names of the column of labels, the most likely first.
TARGETS = ("class", "label", "target", "y")
#: Error messages of the readers, and what they mean.
DAMAGED = (
    "it is damaged, contains Python objects, or its format is not that of its name; replace it "
    "by a whole copy with numbers and text"
)


class Arrays(NamedTuple):
    """Numeric X (n_samples, n_features), labels (n_samples,) as written, and names or None."""

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
        .npz and .mat contain arrays X and y (or Y); all other formats contain named columns.
    target : str, optional
        The column of labels. By default the column called class, label, target or y, in upper or
        lower case, else the last one.
    ignore : collection of str
        Columns that are neither features nor labels.
    limits : Limits
        `max_gib` limits the size of the file, packed and unpacked.

    Raises
    ------
    DataError
        If the format is unknown, if the file is missing, damaged or too large, if the target is
        missing or has missing values, or if a feature is text.
    """
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise DataError(
            f"{path}: the format {path.suffix!r} is unknown; use one of {', '.join(FORMATS)}"
        )
    try:
        limits.check(path, path.stat().st_size)
        if kind == ".npz":
            with zipfile.ZipFile(path) as archive:
                limits.check(path, sum(each.file_size for each in archive.infolist()))
        content = FORMATS[kind](path)
        if isinstance(content, pd.DataFrame):
            return of_columns(path, content, target, ignore)
        return _of_arrays(path, content)
    except DataError:
        raise
    except Exception as error:  # Readers raise errors of many types for damaged files.
        errno = getattr(error, "errno", None)
        reason = os.strerror(errno).lower() if errno else DAMAGED
        raise DataError(f"{path} cannot be read: {reason}") from error


def _npz(path: Path) -> dict[str, npt.NDArray]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in ("X", "y", "Y", "feature_names") if name in archive}


def _mat(path: Path) -> dict[str, npt.NDArray]:
    from scipy.io import loadmat

    found = loadmat(path, appendmat=False, variable_names=["X", "y", "Y"])
    return {name: np.asarray(array) for name, array in found.items() if name in ("X", "y", "Y")}


def _of_arrays(path: Path, arrays: dict[str, npt.NDArray]) -> Arrays:
    """Return X and its labels, with the feature names of the file."""
    X, found = arrays.get("X"), arrays.get("y", arrays.get("Y"))
    if X is None or found is None:
        raise DataError(f"{path}: expected the arrays X and y, got {', '.join(arrays) or 'none'}")
    labels = found.ravel()
    names = tuple(map(str, arrays.get("feature_names", np.empty(0)).tolist())) or None
    are_numbers = X.dtype.kind in "buif" and labels.dtype.kind in "buifU"
    n_names = len(names or X.T)
    if not are_numbers or X.ndim != 2 or (len(labels), n_names) != X.shape:
        raise DataError(
            f"{path}: expected X with numbers, a row for each label and a column for each feature "
            f"name, and labels that are numbers or text; got X {X.dtype} {X.shape}, labels "
            f"{labels.dtype} {found.shape} and {n_names} names"
        )
    return Arrays(X, labels, names)


def _csv(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=object)  # the conversion of Python is exact to the last bit


def _arff(path: Path) -> pd.DataFrame:
    import arff

    content = arff.loads(path.read_text("utf-8"))
    return pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])


def of_columns(
    path: Path, frame: pd.DataFrame, target: str | None, ignore: Collection[str | None] = ()
) -> Arrays:
    """Divide columns into features and labels.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    frame : DataFrame of shape (n_samples, n_columns)
        Numbers may be texts.
    target, ignore
        As in `read`.

    Raises
    ------
    DataError
        If the target is missing or has missing values, or if a feature is text.
    """
    names = list(map(str, frame.columns))
    frame = frame.set_axis(names, axis=1)
    usual = [name for known in TARGETS for name in names if name.lower() == known]
    label = target or [*usual, *names[-1:], TARGETS[0]][0]
    if label not in names:
        raise DataError(f"{path}: {unknown('column', label, names)}")
    columns = {name: _numbers(frame[name]) for name in names if name not in ignore}
    labels = columns.pop(label)
    if labels.isna().any():
        raise DataError(f"{path}: {int(labels.isna().sum())} rows have no value in {label!r}")
    if texts := [n for n, own in columns.items() if not pd.api.types.is_numeric_dtype(own)]:
        raise DataError(f"{path}: {len(texts)} columns are not numbers, such as {texts[0]!r}")
    X = np.stack(list(columns.values()), axis=1) if columns else np.empty((len(labels), 0))
    return Arrays(X, np.array(labels.tolist()), tuple(columns))


def _numbers(column: pd.Series) -> pd.Series:
    """Return the column as numbers if all its texts are numbers or missing, else unchanged."""
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return column


#: The reader of each format; files in a local folder are looked up in this order.
FORMATS: dict[str, Callable[[Path], dict[str, npt.NDArray] | pd.DataFrame]] = {
    ".npz": _npz,
    ".mat": _mat,
    ".csv": _csv,
    ".parquet": pd.read_parquet,
    ".arff": _arff,
}
