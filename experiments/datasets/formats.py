"""Read the file of a registered data set, without unpickling or extracting anything."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.datasets.dataset import DataError, unknown

#: Usual names of the column of labels, the most likely first.
TARGETS = ("class", "label", "target", "y")
#: What the error messages of the readers mean.
DAMAGED = (
    "it is damaged, contains Python objects or features that are not numbers, or its format is not "
    "that of its name; replace it by a whole copy with numbers and text"
)


class Arrays(NamedTuple):
    """Numeric X (n_samples, n_features), labels (n_samples,) as written, and names or None."""

    X: npt.NDArray
    labels: npt.NDArray
    feature_names: tuple[str, ...] | None


def read(path: Path, target: str | None = None, ignore: Collection[str] = ()) -> Arrays:
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

    Raises
    ------
    DataError
        If the format is unknown, the file is missing or damaged, the target is missing, or a
        feature is text.
    """
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise DataError(f"{path}: the format is none of {', '.join(FORMATS)}; use one of these")
    try:
        path.stat()  # A reader may say that a missing file is damaged.
        content = FORMATS[kind](path)
        if isinstance(content, pd.DataFrame):
            return _of_columns(path, content, target, ignore)
        return _of_arrays(path, content)
    except DataError:
        raise
    except Exception as error:  # Readers raise errors of many types for damaged files.
        errno = getattr(error, "errno", None)
        reason = os.strerror(errno).lower() if errno else DAMAGED
        raise DataError(f"{path} cannot be read: {reason}") from error


def _npz(path: Path) -> dict[str, npt.NDArray]:
    with np.load(path, allow_pickle=False) as archive:
        return dict(archive)


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
    if not are_numbers or X.ndim != 2 or (len(labels), len(names or X.T)) != X.shape:
        raise DataError(
            f"{path}: expected X with numbers, a row for each label and a column for each feature "
            f"name, and labels that are numbers or text; got X {X.dtype} {X.shape}, labels "
            f"{labels.dtype} {found.shape} and {len(names or ())} names"
        )
    return Arrays(X, labels, names)


def _csv(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=object)  # the conversion of Python is exact to the last bit


def _arff(path: Path) -> pd.DataFrame:
    import arff

    content = arff.loads(path.read_text("utf-8"))
    return pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])


def _usual_target(names: list[str]) -> str:
    """Return the column that has a usual name of labels, or the last one."""
    for usual in TARGETS:
        for name in names:
            if name.lower() == usual:
                return name
    return names[-1]


def _of_columns(
    path: Path, frame: pd.DataFrame, target: str | None, ignore: Collection[str]
) -> Arrays:
    """Divide columns into features and labels; a missing label becomes a text."""
    names = list(map(str, frame.columns))
    label = target or _usual_target(names)
    if label not in names:
        raise DataError(f"{path}: {unknown('column', label, names)}")
    frame = frame.set_axis(names, axis=1)
    labels = frame.pop(label).astype(str).to_numpy(dtype=str)
    X = frame.drop(columns=[name for name in ignore if name in frame]).astype(np.float64)
    return Arrays(X.to_numpy(), labels, tuple(map(str, X)))


#: The reader of each format; files in a local folder are looked up in this order.
FORMATS: dict[str, Callable[[Path], dict[str, npt.NDArray] | pd.DataFrame]] = {
    ".npz": _npz,
    ".mat": _mat,
    ".csv": _csv,
    ".parquet": pd.read_parquet,
    ".arff": _arff,
}
