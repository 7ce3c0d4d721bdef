"""Tables of the user, with a column of labels, checked before an experiment uses them."""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats
from experiments.datasets.dataset import DataError, Dataset
from experiments.datasets.fingerprint import canonical_order, rows
from experiments.datasets.limits import LIMITS, Limits


def load_file(
    path: str | os.PathLike[str] | None, target: str | None, limits: Limits = LIMITS
) -> Dataset:
    """Read a table of the user. Its labels become 0..C-1 in their sorted order.

    Parameters
    ----------
    path : path
        A .csv, .parquet, .npz, .arff or .mat file.
    target : str
        The column of the labels; for .npz and .mat the array, beside the features in X.
    limits : Limits
        How much memory the table may take.

    Returns
    -------
    Dataset
        float64, rows in canonical order, not verified: nobody else knows this table.

    Raises
    ------
    DataError
        If the file or the target is missing, a feature is text, a value is missing or infinite,
        there are fewer than two classes, or a class has a single sample.
    """
    if path is None or target is None:
        raise DataError(
            "the data set 'file' needs a path and a target: "
            "dataset=file dataset.path=my.csv dataset.target=label"
        )
    file = Path(path).expanduser()
    if not file.is_file():
        raise DataError(
            f"there is no file {file}; give dataset.path, absolute or from {Path.cwd()}"
        )
    X, labels, names = formats.read(file, target, limits=limits)
    if X.shape[1] == 0:
        raise DataError(f"{file}: no column is left for the features beside the target {target!r}")
    _refuse_missing(file, X, names)
    y, label_names = _classes(file, target, labels)
    order, fingerprint = canonical_order(X, y)
    return Dataset(
        name="file",
        X=rows(X, order, np.float64),
        y=y[order],
        label_names=label_names,
        feature_names=names,
        fingerprint=fingerprint,
        source=f"A table of the user's, {file.name}, with the labels {target}.",
    )


def _refuse_missing(file: Path, X: npt.NDArray, names: tuple[str, ...] | None) -> None:
    finite = np.isfinite(X)
    bad = np.flatnonzero(~finite.all(axis=0))
    if bad.size:
        called = [names[column] if names else f"number {column}" for column in bad[:5]]
        raise DataError(
            f"{file}: {bad.size} features have missing or infinite values "
            f"({', '.join(called)}{', ...' if bad.size > 5 else ''}) in "
            f"{(~finite.all(axis=1)).sum()} of {len(X)} rows; fill them in or leave them out"
        )


def _classes(
    file: Path, target: str, labels: npt.NDArray
) -> tuple[npt.NDArray[np.int64], Mapping[int, str]]:
    if labels.dtype.kind in "fc" and np.isnan(labels).any():
        raise DataError(f"{file}: {np.isnan(labels).sum()} rows have no value in {target!r}")
    values, y, numbers = np.unique(labels, return_inverse=True, return_counts=True)
    if len(values) < 2:
        raise DataError(
            f"{file}: at least two classes are needed, but {target!r} has "
            f"{', '.join(map(str, values)) or 'none'} in all {len(labels)} rows"
        )
    if numbers.min() < 2:
        single = [str(value) for value in values[numbers == 1]]
        raise DataError(
            f"{file}: {len(single)} of {len(values)} classes in {target!r} have a single sample "
            f"({', '.join(single[:5])}{', ...' if len(single) > 5 else ''}); each needs two, "
            "and a continuous target has no classes"
        )
    return y.astype(np.int64), {code: str(value) for code, value in enumerate(values)}
