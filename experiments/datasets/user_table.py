"""Tables of the user, with a column of labels, checked before an experiment uses them."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import child, formats
from experiments.datasets.cache import Answer
from experiments.datasets.child import LIMITS, Limits
from experiments.datasets.columns import TableOptions
from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.fingerprint import canonical_order, rows
from experiments.datasets.user_columns import SortedColumns, sort_out_columns


@dataclass(frozen=True, eq=False)
class UserTable(Dataset):
    """A data set that was read from a table of the user's.

    X may hold NaN where the user has said what becomes of missing values.

    Attributes
    ----------
    file_rows : ndarray (n_samples,)
        The row of the file that each sample stood in, from 0.
    row_names : tuple of str (n_samples,), or None
    index : str
        How the column of row names is called.
    notes : tuple of str
        What was detected in the file, and what was left out.
    """

    file_rows: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    row_names: tuple[str, ...] | None = None
    index: str = "row"
    notes: tuple[str, ...] = ()


#: So many classes or fewer are never taken for a continuous target.
FEW_CLASSES = 10


def load_file(
    path: str | os.PathLike[str] | None,
    target: str | None,
    limits: Limits = LIMITS,
    options: TableOptions = formats.DEFAULT,
) -> UserTable:
    """Read a table of the user in a child process, within limits.

    Parameters
    ----------
    path : path
        A file in one of :data:`experiments.datasets.formats.FORMATS`.
    target : str
        The column of the labels; for .npz and .mat the array, beside the features in X.
    limits : Limits
    options : TableOptions

    Returns
    -------
    UserTable

    Raises
    ------
    DataError
        See :func:`read_table`; or if reading meets a limit.
    """
    if path is None or target is None:
        needed = "a path and a target" if path is None else f"the target of {path}, a column"
        raise DataError(
            f"the data set 'file' needs {needed}: "
            "dataset=file dataset.path=my.csv dataset.target=label"
        )
    file = Path(path).expanduser()
    if not file.is_file():
        raise DataError(
            f"there is no file {file}; give dataset.path, absolute or from {Path.cwd()}"
        )
    limits.check_file(file)
    packages = {*formats.libraries(file), *formats.libraries(Path(options.labels or file))}
    arrays, about = child.run(
        _work, file, target, options, what=str(file), limits=limits, libraries=packages
    )
    about |= {name: tuple(value) for name, value in about.items() if isinstance(value, list)}
    about["label_names"] = dict(enumerate(about["label_names"]))
    return UserTable(**arrays, **about)


def _work(file: Path, target: str, options: TableOptions) -> Answer:
    fields = vars(read_table(file, target, options))
    arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    about = {name: value for name, value in fields.items() if name not in arrays}
    return arrays, about | {"label_names": list(about["label_names"].values())}


def read_table(file: Path, target: str, options: TableOptions = formats.DEFAULT) -> UserTable:
    """Read a table of the user. Its labels become 0..C-1 in their sorted order.

    Returns
    -------
    UserTable
        float64, rows in canonical order, not verified: nobody else knows this table. Values are
        missing only if the options say what becomes of them.

    Raises
    ------
    DataError
        If the target is missing, a feature is text, a value is missing or infinite, there are fewer
        than two classes, or a class has a single sample.
    """
    table = sort_out_columns(file, target, options)
    if not table.names:
        raise DataError(f"{file}: no column is left for the features beside the target {target!r}")
    y, label_names = _classes(file, target, table.labels)
    _refuse_infinite(file, table.X, table.names)
    if options.missing is None:
        _refuse_missing(file, table.X, table.names)
    else:
        _with_gaps(file, table, options.missing)
    order, fingerprint = canonical_order(table.X, y)
    if np.isnan(table.X).any():
        fingerprint = hashlib.sha256(f"{fingerprint}, {options.missing}".encode()).hexdigest()
    row_names = table.row_names
    return UserTable(
        name="file",
        X=rows(table.X, order, np.float64),
        y=y[order],
        label_names=label_names,
        feature_names=tuple(table.names) if table.named else None,
        fingerprint=fingerprint,
        source=f"A table of the user's, {file.name}, with the labels {target}.",
        file_rows=order,
        row_names=None if row_names is None else tuple(row_names[row] for row in order),
        index=table.index,
        notes=tuple(table.notes),
    )


def _refuse_infinite(file: Path, X: npt.NDArray, names: list[str]) -> None:
    infinite = np.isinf(X)
    if infinite.any():
        _refuse(file, infinite, names, "fill them in or leave them out")


def _refuse_missing(file: Path, X: npt.NDArray, names: list[str]) -> None:
    missing = np.isnan(X)
    if missing.any():
        _refuse(
            file,
            missing,
            names,
            "fill them in or leave them out; experiment=select does it with dataset.missing=median "
            "or dataset.missing=drop",
        )


def _refuse(file, bad: npt.NDArray, names, advice):
    numbers = bad.sum(axis=0)
    columns = np.flatnonzero(numbers)
    called = [f"{names[column]}: {numbers[column]}" for column in columns[:5]]
    raise DataError(
        f"{file}: {columns.size} features have missing or infinite values "
        f"({', '.join(called)}{', ...' if columns.size > 5 else ''}) in "
        f"{bad.any(axis=1).sum()} of {len(bad)} rows; {advice}"
    )


def _with_gaps(file: Path, table: SortedColumns, missing: str) -> None:
    """Leave out what has no value at all, and say what becomes of other gaps."""
    gaps = np.isnan(table.X)
    if not gaps.any():
        return
    empty = gaps.all(axis=0)
    if empty.any():
        table.notes.append(f"{empty.sum()} features without any value were left out")
        table.names[:] = [name for name, gone in zip(table.names, empty, strict=True) if not gone]
        table.X, gaps = table.X[:, ~empty], gaps[:, ~empty]
    table.X[gaps] = np.nan  # one of many bit patterns
    n = int(gaps.any(axis=0).sum())
    if missing == "drop" and n > gaps.shape[1] - 2:
        raise DataError(
            f"{file}: {n} of {gaps.shape[1]} features have missing values, and "
            "dataset.missing=drop leaves fewer than two; use dataset.missing=median"
        )
    table.notes.append(
        f"{gaps.sum()} missing values of {n} features become the median of the training rows"
        if missing == "median"
        else f"of {n} features with missing values, those with gaps in training rows are left out"
    )


def _classes(
    file: Path, target: str, labels: npt.NDArray
) -> tuple[npt.NDArray[np.int64], Mapping[int, str]]:
    values, y, numbers = np.unique(labels, return_inverse=True, return_counts=True)
    if len(values) < 2:
        raise DataError(
            f"{file}: at least two classes are needed, but {target!r} has "
            f"{', '.join(map(str, values)) or 'none'} in all {len(labels)} rows"
        )
    if labels.dtype.kind in "iuf" and len(values) > max(FEW_CLASSES, len(labels) / 3):
        raise DataError(
            f"{file}: {target!r} has {len(values)} different numbers in {len(labels)} rows and "
            "looks continuous; classes are needed, such as above and below a value"
        )
    if numbers.min() < 2:
        single = [str(value) for value in values[numbers == 1]]
        raise DataError(
            f"{file}: {len(single)} of {len(values)} classes in {target!r} have a single sample "
            f"({', '.join(single[:5])}{', ...' if len(single) > 5 else ''}); each needs two, "
            "and a continuous target has no classes"
        )
    return y.astype(np.int64), {code: str(value) for code, value in enumerate(values)}
