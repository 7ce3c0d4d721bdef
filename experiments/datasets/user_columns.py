"""From the columns of a user's file to features, labels and row names, with notes on choices."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats
from experiments.datasets.columns import AUTO, NAMED, Columns, TableOptions, refuse_gaps, some
from experiments.datasets.dataset import DataError, unknown

#: Names of columns that hold row names.
INDEX = re.compile(
    r"(unnamed: 0|index|idx|row(_?names?|_?id|_?number|s)?|.*[_ .-]id|id|ids|barcodes?|names?|"
    r"(sample|patient|subject|probe|gene|feature)s?([_ .-]?(ids?|names?))?)",
    re.IGNORECASE,
)


@dataclass
class SortedColumns:
    """A table as an experiment takes it.

    Attributes
    ----------
    X : ndarray (n_samples, n_features), float64
        NaN where a value is missing.
    labels : ndarray (n_samples,)
        As written: numbers or texts.
    names : list of str
    named : bool
        False if the file names no features, so that they were numbered.
    row_names : list of str, or None
    index : str
        How the column of row names is called.
    notes : list of str
        Sentences on what was detected and left out.
    """

    X: npt.NDArray
    labels: npt.NDArray
    names: list[str]
    named: bool
    row_names: list[str] | None
    index: str
    notes: list[str] = field(default_factory=list)


def sort_out_columns(path: Path, target: str, options: TableOptions) -> SortedColumns:
    """Read a table of named columns and sort out what each column is.

    Raises
    ------
    DataError
        If it cannot be read; if the target, or a column that is named, is not there; if two columns
        have one name; if a feature is text.
    """
    columns = formats.read(path, options, target)
    if columns.label and (options.transpose or options.labels):
        raise DataError(
            f"{path}: the arrays hold samples in rows, and their labels; leave out "
            "dataset.transpose and dataset.labels"
        )
    notes = [f"{path.name}: {columns.said}"]
    columns = _without_empty(columns, notes)
    index = _index(path, columns, target, options, notes)
    advice = None if options.transpose else _swap_advice(columns, index, target, options)
    if options.transpose:
        columns, index = _transpose(path, columns, index, target, options)
        notes.append("features stand in rows, named by the first column; the table was transposed")
    table = columns.by_name(path)
    row_names = None if index is None else _texts(table.pop(index))
    if options.labels is not None:
        labels = _joined(path, target, row_names, options, notes)
        table.pop(target, None)
    elif target in table:
        labels = table.pop(target)
    elif advice:
        raise DataError(f"{path}: {advice}")
    elif options.transpose:
        raise DataError(
            f"{path}: {unknown('row', target, list(table))} The samples' classes may also stand in "
            "a second table: dataset.labels=labels.csv"
        )
    else:
        raise DataError(f"{path}: {unknown('column', target, list(table))}")
    _left_out(path, table, options, notes)
    _refuse_text(path, table, options)
    X = np.empty((len(labels), len(table)))
    for column, values in enumerate(table.values()):
        X[:, column] = values
    refuse_gaps(path, labels, target)
    called = "row" if not index or index.startswith("__index") else index
    named = columns.named
    return SortedColumns(X, _plain(labels), list(table), named, row_names, called, notes)


def _without_empty(columns: Columns, notes: list[str]) -> Columns:
    """Without the columns that have neither a name nor values, as trailing separators make them."""
    empty = [
        not name and values.dtype.kind == "f" and np.isnan(values).all()
        for name, values in zip(columns.names, columns.values, strict=True)
    ]
    if len(empty) and empty[0] and len(columns.values[0]):
        empty[0] = sum(empty) == len(empty)
    if not any(empty):
        return columns
    notes.append(f"{sum(empty)} empty columns without a name were left out")
    kept = [i for i, gone in enumerate(empty) if not gone]
    names, values = [columns.names[i] for i in kept], [columns.values[i] for i in kept]
    return replace(columns, names=names, values=values)


def _index(path, columns: Columns, target, options: TableOptions, notes: list[str]) -> str | None:
    """The name of the column of row names, None where there is none."""
    if options.index != AUTO:
        if options.index is not None and options.index not in columns.names:
            raise DataError(f"{path}: {unknown('column', options.index, columns.names)}")
        return options.index
    if columns.index is not None and columns.index != target:
        notes.append(
            f"{_called(columns.index)} is the index of the table and was taken as row names"
        )
        return columns.index
    if not columns.names or columns.names[0] in (target, *options.drop) or columns.label:
        return None
    name, values = columns.names[0], columns.values[0]
    why = _why_index(name, values)
    if why is None:
        return None
    if options.transpose:
        return name
    notes.append(
        f"the first column, {_called(name)}, was taken as row names, since {why} "
        "(dataset.index=null makes it a feature)"
    )
    return name


def _called(name: str) -> str:
    return repr(name) if name and not name.startswith("__index") else "without a name"


def _why_index(name: str, values: npt.NDArray) -> str | None:
    """Why a first column holds row names, None where it does not."""
    if not name:
        return "it has no name"
    if INDEX.fullmatch(name):
        return "it is called like one"
    if values.dtype == object:
        present = [value for value in values if value is not None]
        different = len(set(present)) == len(present) == len(values) > 1
        return "all its values are different text" if different else None
    n = len(values)
    if n > 1 and values.dtype.kind in "iuf" and np.array_equal(np.sort(values), np.arange(n)):
        return f"its values are 0 to {n - 1}"
    return None


def _joined(path, target, row_names, options, notes) -> npt.NDArray:
    """The labels of all samples, from the second table."""
    other = Path(options.labels).expanduser()
    if not other.is_file():
        raise DataError(f"there is no file {other}; give dataset.labels, from {Path.cwd()}")
    if row_names is None:
        raise DataError(
            f"{path}: dataset.labels needs row names to match; name their column by dataset.index"
        )
    columns = formats.read(other)
    table = columns.by_name(other)
    if target not in table:
        raise DataError(f"{other}: {unknown('column', target, list(table))}")
    keys = [name for name in table if name != target]
    wanted = set(row_names)
    found = {name: wanted & set(_texts(table[name])) for name in keys}
    key = max(keys, key=lambda name: len(found[name]), default="")
    absent = sorted(wanted - found.get(key, set()))
    if absent:
        raise DataError(
            f"{other}: {len(absent)} of {len(wanted)} samples of {path.name} are not in it "
            f"({some(absent)}); its row names must be those of the table"
        )
    names = _texts(table[key])
    if len(set(row_names)) < len(row_names) or len(set(names)) < len(names):
        raise DataError(f"{other}: sample names must be unique in both tables to match them")
    place = {name: row for row, name in enumerate(names)}
    notes.append(f"the classes come from {other.name}, matched by {_called(key)}")
    return table[target][[place[name] for name in row_names]]


def _left_out(path, table: dict, options: TableOptions, notes: list[str]) -> None:
    """Remove what dataset.drop and dataset.features leave out."""
    for name in options.drop:
        if name not in table:
            raise DataError(f"{path}: dataset.drop: {unknown('column', name, list(table))}")
        del table[name]
    if options.drop:
        n = len(options.drop)
        notes.append(f"{n} {'column was' if n == 1 else 'columns were'} dropped as asked for")
    if options.features is not None:
        other = [name for name in table if not fnmatchcase(name, options.features)]
        if len(other) == len(table):
            raise DataError(
                f"{path}: no column matches dataset.features={options.features!r}; they are called "
                f"{some(list(table))}"
            )
        for name in other:
            del table[name]
        notes.append(f"{len(other)} columns that do not match {options.features!r} were left out")


def _refuse_text(path, table: dict, options: TableOptions) -> None:
    texts = [name for name, values in table.items() if values.dtype == object]
    if not texts:
        return
    cells = [str(v) for name in texts[:NAMED] for v in table[name] if v is not None]
    commas = sum(bool(re.fullmatch(r"[-+]?\d*,\d+", cell)) for cell in cells)
    if commas > len(cells) / 2:
        advice = "they look like numbers with a decimal comma: add dataset.decimal=','"
    else:
        advice = (
            f"encode them outside (one-hot), leave them out by dataset.drop=[{','.join(texts[:2])}"
            f"{',...' if len(texts) > 2 else ''}], or take one as row names by "
            f"dataset.index={texts[0]}"
        )
    raise DataError(f"{path}: {len(texts)} columns hold no numbers ({some(texts)}); {advice}")


def _swap_advice(
    columns: Columns, index: str | None, target: str, options: TableOptions
) -> str | None:
    """Advice if samples and features look swapped; None if they do not."""
    if target in columns.names or options.labels is not None or not columns.names:
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


def _transpose(path, columns: Columns, index, target, options) -> tuple[Columns, str | None]:
    """The table with samples in rows; the first column, or the index, has the features' names."""
    if target in columns.names and options.labels is None:
        raise DataError(
            f"{path}: {target!r} is a column, so that samples stand in rows already; leave out "
            "dataset.transpose"
        )
    at = 0 if index is None else columns.names.index(index)
    names = _texts(columns.values[at])
    samples = [name for i, name in enumerate(columns.names) if i != at]
    others = [values for i, values in enumerate(columns.values) if i != at]
    if others and all(values.dtype.kind in "iufb" for values in others):
        rows: list[npt.NDArray] = list(np.array(others, dtype=np.float64).T)
    else:
        rows = [_numbers(row) for row in zip(*others, strict=True)]
    given = np.array(samples, dtype=object)
    return Columns(["sample", *names], [given, *rows], columns.said), "sample"


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


def _texts(values: npt.NDArray) -> list[str]:
    """Row names as texts; whole numbers without a fraction."""
    if values.dtype != object:
        values = _plain(values)
    return ["" if value is None else str(value) for value in values.tolist()]


def _plain(values: npt.NDArray) -> npt.NDArray:
    """Whole numbers as integers, texts of numbers as numbers: labels read alike in all formats."""
    if values.dtype == object:
        try:
            values = np.array([float(value) for value in values])
        except (TypeError, ValueError):
            return np.array([value if value is None else str(value) for value in values])
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == values.round()).all():
        return values.astype(np.int64)
    return values
