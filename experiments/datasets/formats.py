"""Readers of tables: one function a format. Nothing is unpickled, nothing is extracted."""

import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError, unknown
from experiments.datasets.matlab import read_arrays

TARGET_NAMES = ("class", "label", "target", "y")
BLOCK_ROWS = 1024


class Table(NamedTuple):
    """X numeric (n_samples, n_features), labels (n_samples,) as written, names or None."""

    X: npt.NDArray
    labels: npt.NDArray
    feature_names: tuple[str, ...] | None


def read(path: Path, target: str | None = None, *, ignore: Collection[str] = ()) -> Table:
    """Read a table from a file.

    Parameters
    ----------
    path : Path
        .npz and .mat hold arrays X and y (or Y); .csv, .parquet and .arff named columns.
    target : str, optional
        The array or column of the labels. Without it: y or Y; the column that is called class,
        label, target or y in whatever case, else the last one.
    ignore : collection of str
        Columns that are neither features nor labels.

    Returns
    -------
    Table
        X has two dimensions and no text; it may hold NaN where a value is missing.

    Raises
    ------
    DataError
        If the format is unknown, the file is missing or damaged, the target is not there or has
        missing values, or a feature is not numeric.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(
            f"{path}: the format {path.suffix!r} is unknown; use one of {', '.join(READERS)}"
        )
    try:
        table = reader(path, target, ignore)
    except DataError:
        raise
    except DAMAGE as error:
        raise DataError(f"{path} cannot be read: {error or type(error).__name__}") from error
    if table.X.ndim != 2 or table.labels.shape != (len(table.X),):
        raise DataError(
            f"{path}: expected X (n_samples, n_features) and as many labels as rows, "
            f"got {table.X.shape} and {table.labels.shape}"
        )
    if table.X.dtype.kind not in "buif":
        raise DataError(f"{path}: expected numbers in X, got {table.X.dtype}")
    return table


#: What readers raise on a damaged file; those of pyarrow are kinds of these.
DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    KeyError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_npz(path: Path, target: str | None, ignore: Collection[str]) -> Table:
    """Read X, the labels and, where present, feature_names, without extracting or unpickling."""
    with np.load(path, allow_pickle=False) as archive:
        label = _chosen(path, "array", archive.files, target, ("y", "Y"))
        X = archive[_chosen(path, "array", archive.files, None, ("X",))]
        names = archive["feature_names"].tolist() if "feature_names" in archive.files else None
        return Table(X, archive[label].ravel(), None if names is None else tuple(map(str, names)))


def read_mat(path: Path, target: str | None, ignore: Collection[str]) -> Table:
    """Read X and the labels of a MATLAB file, versions 5 to 7."""
    arrays = read_arrays(path.read_bytes())
    label = _chosen(path, "array", list(arrays), target, ("Y", "y"))
    return Table(
        arrays[_chosen(path, "array", list(arrays), None, ("X",))], arrays[label].ravel(), None
    )


def read_csv(path: Path, target: str | None, ignore: Collection[str]) -> Table:
    """Read a table with a header, separated by commas; numbers are rounded exactly."""
    import pyarrow.csv

    # One block: types are inferred from the whole file, not from its first megabyte.
    whole = pyarrow.csv.ReadOptions(block_size=max(1 << 20, path.stat().st_size + 1))
    gaps = pyarrow.csv.ConvertOptions(strings_can_be_null=True)
    table = pyarrow.csv.read_csv(path, read_options=whole, convert_options=gaps)
    if all(re.fullmatch(r"[-+.\deE]+", name) for name in table.column_names):
        raise DataError(
            f"{path}: the first line has numbers only, but should name the columns "
            f"(it starts with {', '.join(table.column_names[:3])})"
        )
    return _arrow(path, table, target, ignore)


def read_parquet(path: Path, target: str | None, ignore: Collection[str]) -> Table:
    """Read a Parquet table, without the index that pandas may have stored with it."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    index = [name for name in table.column_names if re.fullmatch(r"__index_level_\d+__", name)]
    return _arrow(path, table, target, [*ignore, *index])


def _arrow(path: Path, table: Any, target: str | None, ignore: Collection[str]) -> Table:
    import pyarrow as pa

    names = [name for name in table.column_names if name not in ignore]
    label = _chosen(path, "column", names, target, TARGET_NAMES, names[-1:])
    features = [name for name in names if name != label]
    kinds = {name: table.schema.field(name).type for name in dict.fromkeys(features)}
    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null)
    _refuse_text(path, [n for n, kind in kinds.items() if not any(is_(kind) for is_ in numeric)])
    X = np.empty((table.num_rows, len(features)))
    for column, name in enumerate(features):
        X[:, column] = table[name].cast(pa.float64()).to_numpy()
    labels = table[label]
    if labels.null_count:
        raise DataError(f"{path}: {labels.null_count} rows have no value in {label!r}, the target")
    return Table(X, np.array(labels.to_pylist()), tuple(features))


def read_arff(path: Path, target: str | None, ignore: Collection[str]) -> Table:
    """Read dense or sparse ARFF, a block of rows at a time.

    What a sparse row leaves out is zero, and for a nominal attribute the first of its values.
    """
    import arff

    with path.open(encoding="utf-8") as lines:
        sparse = _is_sparse(lines)
        lines.seek(0)
        try:
            content = arff.load(lines, return_type=arff.LOD_GEN if sparse else arff.DENSE_GEN)
            types = dict(content["attributes"])
            names = [name for name in types if name not in ignore]
            label = _chosen(path, "attribute", names, target, TARGET_NAMES, names[-1:])
            features = [name for name in names if name != label]
            _refuse_text(path, [name for name in features if not _numeric(types[name])])
            default = [types[n][0] if isinstance(types[n], list) else 0 for n in types]
            place = {name: column for column, name in enumerate(types)}
            order = [place[name] for name in (*features, label)]
            blocks, labels = _blocks(content["data"], order, default if sparse else None)
        except arff.ArffException as error:
            raise DataError(f"{path} cannot be read: {error}") from error
    missing = sum(value is None for value in labels)
    if missing:
        raise DataError(f"{path}: {missing} rows have no value in {label!r}, the target")
    X = np.concatenate(blocks) if blocks else np.empty((0, len(features)))
    return Table(X, np.array(labels), tuple(features))


def _blocks(rows, order: Sequence[int], default: list | None) -> tuple[list[npt.NDArray], list]:
    *columns, target = order
    blocks, labels, block = [], [], []
    for row in rows:
        if default is not None:
            values = default.copy()
            for column, value in row.items():
                values[column] = value
            row = values
        labels.append(row[target])
        block.append([row[column] for column in columns])
        if len(block) == BLOCK_ROWS:
            blocks.append(np.array(block, dtype=np.float64))
            block = []
    if block:
        blocks.append(np.array(block, dtype=np.float64))  # None, a missing value, becomes NaN
    return blocks, labels


def _is_sparse(lines) -> bool:
    """Whether the first row of data stands in braces."""
    for line in lines:
        if line.strip().lower() == "@data":
            break
    rows = (line.strip() for line in lines)
    return next((row.startswith("{") for row in rows if row and not row.startswith("%")), False)


def _numeric(kind: str | list[str]) -> bool:
    """Whether an ARFF attribute holds numbers; nominal ones do where all their values are."""
    if isinstance(kind, str):
        return kind.upper() in ("NUMERIC", "REAL", "INTEGER")
    return all(re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", value) for value in kind)


def _refuse_text(path: Path, columns: list[str]) -> None:
    if columns:
        raise DataError(
            f"{path}: {len(columns)} columns hold no numbers ({', '.join(columns[:5])}"
            f"{', ...' if len(columns) > 5 else ''}); encode them as numbers or leave them out"
        )


def _chosen(
    path: Path,
    kind: str,
    present: Sequence[str],
    wanted: str | None,
    usual: Sequence[str],
    otherwise: Sequence[str] = (),
) -> str:
    """The name that is wanted, or else the first usual one that is there."""
    if wanted is None:
        exact = [name for name in usual if name in present]
        alike = [name for name in present if name.lower() in usual] if otherwise else []
        for name in (*exact, *alike, *otherwise):
            return name
        wanted = usual[0]
    if wanted not in present:
        raise DataError(f"{path}: {unknown(kind, wanted, present)}")
    return wanted


READERS: dict[str, Callable[[Path, str | None, Collection[str]], Table]] = {
    ".npz": read_npz,
    ".mat": read_mat,
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".arff": read_arff,
}
