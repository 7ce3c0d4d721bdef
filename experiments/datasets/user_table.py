"""A table of the user: its columns sorted out, its labels and values checked, its choices noted."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import child, formats
from experiments.datasets.child import LIMITS, Limits
from experiments.datasets.columns import AUTO, NAMED, Columns, TableOptions, refuse_gaps, some
from experiments.datasets.dataset import DataError, Dataset, unknown
from experiments.datasets.fingerprint import canonical_order

#: Names of columns that hold row names.
INDEX = re.compile(
    r"(unnamed: 0|index|idx|row(_?names?|_?id|_?number|s)?|.*[_ .-]id|id|ids|barcodes?|names?|"
    r"(sample|patient|subject|probe|gene|feature)s?([_ .-]?(ids?|names?))?)",
    re.IGNORECASE,
)
#: So many classes or fewer are never taken for a continuous target.
FEW_CLASSES = 10


@dataclass(frozen=True, eq=False)
class UserTable(Dataset):
    """A data set that was read from a table of the user's.

    X may hold NaN if the user has said what becomes of missing values.

    Attributes
    ----------
    file_rows : ndarray (n_samples,)
        The row of the file that each sample stood in, from 0.
    row_names : tuple of str (n_samples,), or None
    index : str
        The name of the column of row names.
    notes : tuple of str
        Sentences on what was detected in the file, and what was left out.
    groups : tuple of str (n_samples,), or None
        The group of each sample, as `dataset.groups` names its column.
    adjust : mapping of str to list (n_samples,)
        Covariate -> its numbers, or its texts, as `dataset.adjust` names the columns.
    """

    file_rows: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    row_names: tuple[str, ...] | None = None
    index: str = "row"
    notes: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    adjust: Mapping[str, list] = field(default_factory=dict)


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
    return UserTable.of(
        child.run(
            read_table, file, target, options, what=str(file), limits=limits, libraries=packages
        )
    )


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
        If it cannot be read; if the target, or a column that is named, is not there; if two columns
        have one name; if a feature is text; if a value is missing or infinite; if there are fewer
        than two classes, or a class has a single sample.
    """
    columns = formats.read(file, options, target)
    if columns.label and (options.transpose or options.labels):
        raise DataError(
            f"{file}: the arrays hold samples in rows, and their labels; leave out "
            "dataset.transpose and dataset.labels"
        )
    notes = [f"{file.name}: {columns.said}"]
    columns = _without_empty(columns, notes)
    index = _index(file, columns, target, options, notes)
    advice = None if options.transpose else _swap_advice(columns, index, target, options)
    if options.transpose:
        columns, index = _transpose(file, columns, index, target, options)
        notes.append("features stand in rows, named by the first column; the table was transposed")
    table = columns.by_name(file)
    row_names = None if index is None else _texts(table.pop(index))
    if options.labels is not None:
        labels = _joined(file, target, row_names, options, notes)
        table.pop(target, None)
    elif target in table:
        labels = table.pop(target)
    elif options.transpose:
        raise DataError(
            f"{file}: {unknown('row', target, list(table))} The samples' classes may also stand in "
            "a second table: dataset.labels=labels.csv"
        )
    else:
        raise DataError(f"{file}: {advice or unknown('column', target, list(table))}")
    groups, adjust = _apart(file, table, options)
    _leave_out(file, table, options, notes)
    _refuse_text(file, table)
    refuse_gaps(file, labels, target)
    if not table:
        raise DataError(f"{file}: no column is left for the features beside the target {target!r}")
    y, label_names = _classes(file, target, _plain(labels))
    X, names = _features(file, table, options.missing, notes)
    order, fingerprint = canonical_order(X, y)
    if np.isnan(X).any():
        fingerprint = hashlib.sha256(f"{fingerprint}, {options.missing}".encode()).hexdigest()
    return UserTable(
        name="file",
        X=np.ascontiguousarray(X[order]),
        y=y[order],
        label_names=label_names,
        feature_names=tuple(names) if columns.named else None,
        fingerprint=fingerprint,
        source=f"A table of the user's, {file.name}, with the labels {target}.",
        file_rows=order,
        row_names=None if row_names is None else tuple(row_names[row] for row in order),
        index="row" if not index or index.startswith("__index") else index,
        notes=tuple(notes),
        groups=None if groups is None else tuple(groups[row] for row in order),
        adjust={name: [values[row] for row in order] for name, values in adjust.items()},
    )


def _without_empty(columns: Columns, notes: list[str]) -> Columns:
    """The columns but those with neither a name nor values, as trailing separators make them."""
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


def _index(file, columns: Columns, target, options: TableOptions, notes: list[str]) -> str | None:
    """The name of the column of row names; None if there is none."""
    if options.index != AUTO:
        if options.index is not None and options.index not in columns.names:
            raise DataError(f"{file}: {unknown('column', options.index, columns.names)}")
        return options.index
    if columns.index is not None and columns.index != target:
        notes.append(
            f"{_called(columns.index)} is the index of the table and was taken as row names"
        )
        return columns.index
    if not columns.names or columns.names[0] in (target, *options.drop) or columns.label:
        return None
    name = columns.names[0]
    reason = _why_index(name, columns.values[0])
    if reason is None or options.transpose:
        return name if reason else None
    notes.append(
        f"the first column, {_called(name)}, was taken as row names, since {reason} "
        "(dataset.index=null makes it a feature)"
    )
    return name


def _called(name: str) -> str:
    return repr(name) if name and not name.startswith("__index") else "without a name"


def _why_index(name: str, values: npt.NDArray) -> str | None:
    """The reason why a first column holds row names; None if it does not."""
    if not name:
        return "it has no name"
    if INDEX.fullmatch(name):
        return "it is called like one"
    n = len(values)
    if values.dtype == object:
        different = n > 1 and len(set(values) - {None}) == n
        return "all its values are different text" if different else None
    if n > 1 and values.dtype.kind in "iuf" and np.array_equal(np.sort(values), np.arange(n)):
        return f"its values are 0 to {n - 1}"
    return None


def _swap_advice(
    columns: Columns, index: str | None, target: str, options: TableOptions
) -> str | None:
    """Advice if samples and features look swapped; None if they do not."""
    if target in columns.names or options.labels is not None or not columns.names:
        return None
    first = columns.values[0 if index is None else columns.names.index(index)]
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


def _transpose(file, columns: Columns, index, target, options) -> tuple[Columns, str]:
    """The table with samples in rows; the first column, or the index, has the features' names."""
    if target in columns.names and options.labels is None:
        raise DataError(
            f"{file}: {target!r} is a column, so that samples stand in rows already; leave out "
            "dataset.transpose"
        )
    at = 0 if index is None else columns.names.index(index)
    names = _texts(columns.values[at])
    samples = np.array(columns.names[:at] + columns.names[at + 1 :], dtype=object)
    others = columns.values[:at] + columns.values[at + 1 :]
    if others and all(values.dtype.kind in "iufb" for values in others):
        rows: list[npt.NDArray] = list(np.array(others, dtype=np.float64).T)
    else:
        rows = [_numbers(row) for row in zip(*others, strict=True)]
    return Columns(["sample", *names], [samples, *rows], columns.said), "sample"


def _numbers(cells: Sequence) -> npt.NDArray:
    """The cells of a row as numbers if all of them are, else as texts."""
    present = [None if cell is None or cell != cell else cell for cell in cells]
    try:
        return np.array([np.nan if v is None else _number(v) for v in present], dtype=np.float64)
    except ValueError:
        return np.array([None if v is None else str(v) for v in present], dtype=object)


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


def _joined(file, target, row_names, options, notes) -> npt.NDArray:
    """The labels of all samples, from the second table."""
    other = Path(options.labels).expanduser()
    if not other.is_file():
        raise DataError(f"there is no file {other}; give dataset.labels, from {Path.cwd()}")
    if row_names is None:
        raise DataError(
            f"{file}: dataset.labels needs row names to match; name their column by dataset.index"
        )
    table = formats.read(other).by_name(other)
    if target not in table:
        raise DataError(f"{other}: {unknown('column', target, list(table))}")
    wanted = set(row_names)
    keys = {name: _texts(values) for name, values in table.items() if name != target}
    key = max(keys, key=lambda name: len(wanted & set(keys[name])), default="")
    names = keys.get(key, [])
    absent = sorted(wanted - set(names))
    if absent:
        raise DataError(
            f"{other}: {len(absent)} of {len(wanted)} samples of {file.name} are not in it "
            f"({some(absent)}); its row names must be those of the table"
        )
    if len(wanted) < len(row_names) or len(set(names)) < len(names):
        raise DataError(f"{other}: sample names must be unique in both tables to match them")
    place = {name: row for row, name in enumerate(names)}
    notes.append(f"the classes come from {other.name}, matched by {_called(key)}")
    return table[target][[place[name] for name in row_names]]


def _apart(file, table: dict, options: TableOptions) -> tuple[list[str] | None, dict[str, list]]:
    """The groups and the covariates, which are no longer among the columns."""
    taken = {}
    for name in dict.fromkeys([*([options.groups] if options.groups else []), *options.adjust]):
        if name not in table:
            raise DataError(f"{file}: {unknown('column', name, list(table))}")
        refuse_gaps(file, table[name], name)
        taken[name] = table.pop(name)
    groups = None if options.groups is None else _texts(taken[options.groups])
    return groups, {name: taken[name].tolist() for name in options.adjust}


def _leave_out(file, table: dict, options: TableOptions, notes: list[str]) -> None:
    """Remove the columns that dataset.drop and dataset.features leave out."""
    for name in options.drop:
        if name not in table:
            raise DataError(f"{file}: dataset.drop: {unknown('column', name, list(table))}")
        del table[name]
    if options.drop:
        n = len(options.drop)
        notes.append(f"{n} {'column was' if n == 1 else 'columns were'} dropped as asked for")
    if options.features is not None:
        other = [name for name in table if not fnmatchcase(name, options.features)]
        if len(other) == len(table):
            raise DataError(
                f"{file}: no column matches dataset.features={options.features!r}; they are called "
                f"{some(list(table))}"
            )
        for name in other:
            del table[name]
        notes.append(f"{len(other)} columns that do not match {options.features!r} were left out")


def _refuse_text(file, table: dict) -> None:
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
    raise DataError(f"{file}: {len(texts)} columns hold no numbers ({some(texts)}); {advice}")


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
            f"({some(single)}); each needs two, and a continuous target has no classes"
        )
    return y.astype(np.int64), {code: str(value) for code, value in enumerate(values)}


def _features(
    file: Path, table: dict, missing: str | None, notes: list[str]
) -> tuple[npt.NDArray[np.float64], list[str]]:
    """The features and their names; infinite values are refused, and gaps unless asked for."""
    names = list(table)
    X = np.empty((len(table[names[0]]), len(names)))
    for column, values in enumerate(table.values()):
        X[:, column] = values
    gaps, advice = np.isnan(X), "fill them in or leave them out"
    _refuse(file, np.isinf(X), names, advice)
    if missing is None:
        advice += "; experiment=select does it with dataset.missing=median or dataset.missing=drop"
        _refuse(file, gaps, names, advice)
    if not gaps.any():
        return X, names
    empty = gaps.all(axis=0)
    if empty.any():
        notes.append(f"{empty.sum()} features without any value were left out")
        names = [names[column] for column in np.flatnonzero(~empty)]
        X, gaps = X[:, ~empty], gaps[:, ~empty]
    X[gaps] = np.nan  # one of many bit patterns
    n = int(gaps.any(axis=0).sum())
    if missing == "drop" and n > gaps.shape[1] - 2:
        raise DataError(
            f"{file}: {n} of {gaps.shape[1]} features have missing values, and "
            "dataset.missing=drop leaves fewer than two; use dataset.missing=median"
        )
    notes.append(
        f"{gaps.sum()} missing values of {n} features become the median of the training rows"
        if missing == "median"
        else f"of {n} features with missing values, those with gaps in training rows are left out"
    )
    return X, names


def _refuse(file: Path, bad: npt.NDArray[np.bool_], names: list[str], advice: str) -> None:
    if not bad.any():
        return
    numbers = bad.sum(axis=0)
    columns = np.flatnonzero(numbers)
    raise DataError(
        f"{file}: {columns.size} features have missing or infinite values "
        f"({some([f'{names[column]}: {numbers[column]}' for column in columns])}) in "
        f"{bad.any(axis=1).sum()} of {len(bad)} rows; {advice}"
    )
