"""Tables with samples in columns: how to notice, and how to turn them."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError
from experiments.datasets.reading import Columns, Reading


def swapped(columns: Columns, index: str | None, target: str, reading: Reading) -> str | None:
    """What to do where samples and features look swapped, None where they do not."""
    if target in columns.names or reading.labels is not None or not columns.names:
        return None
    first = columns.values[columns.names.index(index if index is not None else columns.names[0])]
    n_rows, n_columns = len(first), len(columns.names)
    if target in (value for value in first.tolist() if isinstance(value, str)):
        return (
            f"there is no column called {target!r}, but a row: samples stand in columns; add "
            "dataset.transpose=true"
        )
    if first.dtype == object and n_rows > 5 * n_columns:
        return (
            f"there is no column called {target!r}, and {n_rows} rows of {n_columns} columns look "
            "as if samples stood in columns; add dataset.transpose=true, with the target as a row, "
            "or dataset.labels=labels.csv with a row a sample"
        )
    return None


def transposed(path, columns: Columns, index, target, reading) -> tuple[Columns, str | None]:
    """The table with samples in rows; the first column, or the index, has the features' names."""
    if target in columns.names and reading.labels is None:
        raise DataError(
            f"{path}: {target!r} is a column, so that samples stand in rows already; leave out "
            "dataset.transpose"
        )
    at = 0 if index is None else columns.names.index(index)
    names = texts_of(columns.values[at])
    samples = [name for i, name in enumerate(columns.names) if i != at]
    others = [values for i, values in enumerate(columns.values) if i != at]
    if others and all(values.dtype.kind in "iufb" for values in others):
        rows: list[npt.NDArray] = list(np.array(others, dtype=np.float64).T)
    else:
        rows = [_numbers(row) for row in zip(*others, strict=True)]
    given = np.array(samples, dtype=object)
    return Columns(["sample", *names], [given, *rows], None, columns.said), "sample"


def _numbers(cells: Sequence) -> npt.NDArray:
    """The cells of a row as numbers if all of them are, else as texts."""
    texts = [
        None if cell is None or (isinstance(cell, float) and np.isnan(cell)) else cell
        for cell in cells
    ]
    try:
        return np.array([np.nan if v is None else _number(v) for v in texts], dtype=np.float64)
    except ValueError:
        return np.array([None if v is None else str(v) for v in texts], dtype=object)


def _number(cell) -> float:
    if isinstance(cell, str) and re.fullmatch(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*", cell):
        cell = cell.replace(",", ".")
    return float(cell)


def texts_of(values: npt.NDArray) -> list[str]:
    """Row names as texts; whole numbers without a fraction."""
    if values.dtype != object:
        values = plain(values)
    return ["" if value is None else str(value) for value in values.tolist()]


def plain(values: npt.NDArray) -> npt.NDArray:
    """Whole numbers as integers, texts of numbers as numbers: labels read alike in all formats."""
    if values.dtype == object:
        try:
            values = np.array([float(value) for value in values])
        except (TypeError, ValueError):
            return np.array([value if value is None else str(value) for value in values])
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == values.round()).all():
        return values.astype(np.int64)
    return values
