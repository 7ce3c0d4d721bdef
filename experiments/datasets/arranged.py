"""From the columns of a user's file to features, labels and row names; every choice is told."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError, unknown
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.orientation import plain, swapped, texts_of, transposed
from experiments.datasets.reading import AUTO, Columns, Reading, read_columns
from experiments.datasets.table import refuse_gaps

#: Names of columns that hold row names.
INDEX = re.compile(
    r"(unnamed: 0|index|idx|row(_?names?|_?id|_?number|s)?|.*[_ .-]id|id|ids|barcodes?|names?|"
    r"(sample|patient|subject|probe|gene|feature)s?([_ .-]?(ids?|names?))?)",
    re.IGNORECASE,
)
#: Names that an error lists at most.
NAMED = 5


@dataclass
class Arranged:
    """A table as an experiment takes it.

    Attributes
    ----------
    X : ndarray (n_samples, n_features), float64
        NaN where a value is missing.
    labels : ndarray (n_samples,)
        As written: numbers or texts.
    names : list of str
    row_names : list of str, or None
    index : str
        How the column of row names is called.
    notes : list of str
        Sentences on what was detected and left out.
    """

    X: npt.NDArray
    labels: npt.NDArray
    names: list[str]
    row_names: list[str] | None
    index: str
    notes: list[str] = field(default_factory=list)


def arrange(path: Path, target: str, reading: Reading, limits: Limits = LIMITS) -> Arranged:
    """Read a table of named columns and sort out what each column is.

    Raises
    ------
    DataError
        If it cannot be read; if the target, or a column that is named, is not there; if two columns
        have one name; if a feature is text.
    """
    columns = read_columns(path, reading, limits)
    notes = [f"{path.name}: {columns.said}"]
    columns = _without_empty(columns, notes)
    index = _index(path, columns, target, reading, notes)
    advice = None if reading.transpose else swapped(columns, index, target, reading)
    if reading.transpose:
        columns, index = transposed(path, columns, index, target, reading)
        notes.append("features stand in rows, named by the first column; the table was transposed")
    table = dict(_unique(path, columns))
    row_names = None if index is None else texts_of(table.pop(index))
    if reading.labels is not None:
        labels = _joined(path, target, row_names, reading, limits, notes)
        table.pop(target, None)
    elif target in table:
        labels = table.pop(target)
    elif advice:
        raise DataError(f"{path}: {advice}")
    elif reading.transpose:
        raise DataError(
            f"{path}: {unknown('row', target, list(table))} The samples' classes may also stand in "
            "a second table: dataset.labels=labels.csv"
        )
    else:
        raise DataError(f"{path}: {unknown('column', target, list(table))}")
    _left_out(path, table, reading, notes)
    _refuse_text(path, table, reading)
    limits.allow_array((len(labels), len(table)), f"{path}: its {len(table)} features")
    X = np.empty((len(labels), len(table)))
    for column, values in enumerate(table.values()):
        X[:, column] = values
    gaps = [value is None or value != value for value in labels.tolist()]
    refuse_gaps(path, sum(gaps), target)
    called = "row" if not index or index.startswith("__index") else index
    return Arranged(X, plain(labels), list(table), row_names, called, notes)


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
    return Columns(names, values, columns.index, columns.said)


def _unique(path: Path, columns: Columns) -> list[tuple[str, npt.NDArray]]:
    name, times = Counter(columns.names).most_common(1)[0] if columns.names else ("", 0)
    if times > 1:
        called = f"called {name!r}" if name else "without a name"
        raise DataError(f"{path}: {times} columns are {called}; each needs a name of its own")
    return list(zip(columns.names, columns.values, strict=True))


def _index(path, columns: Columns, target, reading: Reading, notes: list[str]) -> str | None:
    """The name of the column of row names, None where there is none."""
    if reading.index != AUTO:
        if reading.index is not None and reading.index not in columns.names:
            raise DataError(f"{path}: {unknown('column', reading.index, columns.names)}")
        return reading.index
    if columns.index is not None and columns.index != target:
        notes.append(
            f"{_called(columns.index)} is the index of the table and was taken as row names"
        )
        return columns.index
    if not columns.names or columns.names[0] == target or columns.names[0] in reading.drop:
        return None
    name, values = columns.names[0], columns.values[0]
    why = _why_index(name, values)
    if why is None:
        return None
    if reading.transpose:
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


def _joined(path, target, row_names, reading, limits, notes) -> npt.NDArray:
    """The labels of all samples, from the second table."""
    other = Path(reading.labels).expanduser()
    if not other.is_file():
        raise DataError(f"there is no file {other}; give dataset.labels, from {Path.cwd()}")
    if row_names is None:
        raise DataError(
            f"{path}: dataset.labels needs row names to match; name their column by dataset.index"
        )
    columns = read_columns(other, Reading(), limits)
    table = dict(_unique(other, columns))
    if target not in table:
        raise DataError(f"{other}: {unknown('column', target, list(table))}")
    keys = [name for name in table if name != target]
    wanted = set(row_names)
    found = {name: wanted & set(texts_of(table[name])) for name in keys}
    key = max(keys, key=lambda name: len(found[name]), default="")
    absent = sorted(wanted - found.get(key, set()))
    if absent:
        raise DataError(
            f"{other}: {len(absent)} of {len(wanted)} samples of {path.name} are not in it "
            f"({_some(absent)}); its row names must be those of the table"
        )
    names = texts_of(table[key])
    if len(set(row_names)) < len(row_names) or len(set(names)) < len(names):
        raise DataError(f"{other}: sample names must be unique in both tables to match them")
    place = {name: row for row, name in enumerate(names)}
    notes.append(f"the classes come from {other.name}, matched by {_called(key)}")
    return table[target][[place[name] for name in row_names]]


def _left_out(path, table: dict, reading: Reading, notes: list[str]) -> None:
    """Remove what dataset.drop and dataset.features leave out."""
    for name in reading.drop:
        if name not in table:
            raise DataError(f"{path}: dataset.drop: {unknown('column', name, list(table))}")
        del table[name]
    if reading.drop:
        n = len(reading.drop)
        notes.append(f"{n} {'column was' if n == 1 else 'columns were'} dropped as asked for")
    if reading.features is not None:
        other = [name for name in table if not fnmatchcase(name, reading.features)]
        if len(other) == len(table):
            raise DataError(
                f"{path}: no column matches dataset.features={reading.features!r}; they are called "
                f"{_some(list(table))}"
            )
        for name in other:
            del table[name]
        notes.append(f"{len(other)} columns that do not match {reading.features!r} were left out")


def _refuse_text(path, table: dict, reading: Reading) -> None:
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
    raise DataError(f"{path}: {len(texts)} columns hold no numbers ({_some(texts)}); {advice}")


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(str, names[:NAMED])) + (", ..." if len(names) > NAMED else "")
