"""Read the file of a registered data set. Nothing is unpickled, nothing is extracted."""

import os
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.datasets.dataset import LIMITS, DataError, Limits, unknown

#: Usual names of the column of labels, the likeliest first.
TARGETS = ("class", "label", "target", "y")
#: What a reader's own words mean.
DAMAGED = (
    "it is damaged, holds Python objects, or is of another format than its name says; replace it "
    "by a whole copy with numbers and text"
)


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
        The column of labels. Without it the one that is called class, label, target or y in
        whatever case, else the last one.
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
        if kind == ".npz":
            with zipfile.ZipFile(path) as archive:
                limits.check(path, sum(each.file_size for each in archive.infolist()))
        content = FORMATS[kind](path)
        if isinstance(content, pd.DataFrame):
            return of_columns(path, content, target, ignore)
        return _of_arrays(path, content)
    except DataError:
        raise
    except Exception as error:  # Readers answer damage with whatever they stumble over.
        errno = getattr(error, "errno", None)
        told = os.strerror(errno).lower() if errno else DAMAGED
        raise DataError(f"{path} cannot be read: {told}") from error


def _npz(path: Path) -> dict[str, npt.NDArray]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in ("X", "y", "Y", "feature_names") if name in archive}


def _mat(path: Path) -> dict[str, npt.NDArray]:
    from scipy.io import loadmat

    found = loadmat(path, appendmat=False, variable_names=["X", "y", "Y"])
    return {name: np.asarray(array) for name, array in found.items() if name in ("X", "y", "Y")}


def _of_arrays(path: Path, arrays: dict[str, npt.NDArray]) -> Arrays:
    """X and its labels, with the names that the file has for the features."""
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
    return pd.read_csv(path, dtype=object)  # Python's own conversion keeps the last bit


def _arff(path: Path) -> pd.DataFrame:
    import arff

    content = arff.loads(path.read_text("utf-8"))
    return pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])


def of_columns(
    path: Path, frame: pd.DataFrame, target: str | None, ignore: Collection[str | None] = ()
) -> Arrays:
    """The features and the labels among columns.

    Parameters
    ----------
    path : Path
        Named in errors.
    frame : DataFrame of shape (n_samples, n_columns)
        Numbers may be texts.
    target, ignore
        See `read`.

    Raises
    ------
    DataError
        If the target is not there or lacks values, or a feature is text.
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
        raise DataError(f"{path}: {len(texts)} columns hold no numbers, such as {texts[0]!r}")
    X = np.stack(list(columns.values()), axis=1) if columns else np.empty((len(labels), 0))
    return Arrays(X, np.array(labels.tolist()), tuple(columns))


def _numbers(column: pd.Series) -> pd.Series:
    """The column as numbers if all its texts are numbers or missing, else as it is."""
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        return column


#: The reader of each format; a local folder is searched in this order.
FORMATS: dict[str, Callable[[Path], dict[str, npt.NDArray] | pd.DataFrame]] = {
    ".npz": _npz,
    ".mat": _mat,
    ".csv": _csv,
    ".parquet": pd.read_parquet,
    ".arff": _arff,
}
