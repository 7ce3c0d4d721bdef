"""Tables in CSV and Parquet, read by pyarrow."""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import Damaged, DataError
from experiments.datasets.limits import GIB, Limits
from experiments.datasets.parquet_size import declared_size
from experiments.datasets.table import Table, columns, label_array, refuse_gaps, refuse_text

COLUMN_BYTES = 10_000  # what pyarrow needs for one column of a CSV file, however short it is
GROUP_BYTES = GIB >> 4  # columns of a Parquet file are read in groups of about this size


def read_csv(path: Path, target: str | None, ignore: Collection[str], limits: Limits) -> Table:
    """Read a table with a header, separated by commas; numbers are rounded exactly."""
    import pyarrow.csv

    with path.open(encoding="latin-1") as lines:
        n_columns = next((line for line in lines if line.strip()), "").count(",") + 1
    limits.allow(n_columns * COLUMN_BYTES, f"{path}: reading {n_columns} columns of CSV")
    # One block: types are inferred from the whole file, not from its first megabyte.
    whole = pyarrow.csv.ReadOptions(block_size=max(1 << 20, path.stat().st_size + 1))
    gaps = pyarrow.csv.ConvertOptions(strings_can_be_null=True)
    try:
        table = pyarrow.csv.read_csv(path, read_options=whole, convert_options=gaps)
    except pyarrow.ArrowInvalid as error:
        found = re.search(r"Expected (\d+) columns, got (\d+)", str(error))
        if found is None:
            raise
        names, values = found.groups()
        raise Damaged(f"a row has {values} values where the header names {names}") from error
    if all(re.fullmatch(r"[-+.\deE]+", name) for name in table.column_names):
        raise DataError(
            f"{path}: the first line has numbers only, but should name the columns "
            f"(it starts with {', '.join(table.column_names[:3])})"
        )
    label, features = columns(path, "column", table.column_names, target, ignore)
    X = _empty(path, table.schema, table.num_rows, features, limits)
    for column, name in enumerate(features):
        X[:, column] = _float64(table[name])
    return Table(X, _labels(path, table[label], label, limits), tuple(features))


def read_parquet(path: Path, target: str | None, ignore: Collection[str], limits: Limits) -> Table:
    """Read a Parquet table, without the index that pandas may have stored with it.

    The columns are read in groups, so that there are never two copies of the table.
    """
    import pyarrow.parquet

    # A column of a few bytes can declare any number of equal values, and a page any size.
    n_rows, n_bytes = declared_size(path, limits)
    limits.allow(n_bytes, f"{path}: its columns")
    with pyarrow.parquet.ParquetFile(path) as file:
        schema, metadata = file.schema_arrow, file.metadata
        index = [name for name in schema.names if re.fullmatch(r"__index_level_\d+__", name)]
        label, features = columns(path, "column", schema.names, target, [*ignore, *index])
        X = _empty(path, schema, n_rows, features, limits)
        for column, values in enumerate(_by_groups(file, features, n_rows)):
            X[:, column] = _float64(values)
    # Each distinct text is kept once: one long text in many rows would fill the memory.
    with pyarrow.parquet.ParquetFile(path, metadata=metadata, read_dictionary=[label]) as file:
        labels = file.read(columns=[label])[label]
    return Table(X, _labels(path, labels, label, limits), tuple(features))


def parquet_columns(
    path: Path, limits: Limits, convert: Callable[[Any], npt.NDArray]
) -> tuple[list[str], list[npt.NDArray], str | None]:
    """All columns of a Parquet file, and the one that holds the index of pandas, if any does.

    The columns are read in groups. What `convert` returns must not refer to the column's memory, so
    that there are never two copies of the table.
    """
    import pyarrow.parquet

    n_rows, n_bytes = declared_size(path, limits)
    limits.allow(n_bytes, f"{path}: its columns")
    with pyarrow.parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
        limits.allow_array((n_rows, len(schema.names)), f"{path}: its columns")
        values = [convert(column) for column in _by_groups(file, schema.names, n_rows)]
        return schema.names, values, _index_of(schema)


def _by_groups(file: Any, names: list[str], n_rows: int) -> Iterator[Any]:
    """The named columns of a Parquet file, of which about GROUP_BYTES are read at once."""
    if len(set(names)) < len(names):  # A name that stands twice tells no column.
        yield from file.read().columns
        return
    step = max(1, GROUP_BYTES // (8 * max(1, n_rows)))
    for start in range(0, len(names), step):
        group = names[start : start + step]
        table = file.read(columns=group)
        yield from (table[name] for name in group)


def feather_table(path: Path, limits: Limits) -> tuple[Any, str | None]:
    """All columns of a Feather file, and the one that holds the index of pandas, if any does."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as file:
        n_columns, n_rows, batches = len(file.schema), 0, []
        for number in range(file.num_record_batches):
            batches.append(file.get_batch(number))
            n_rows += batches[-1].num_rows
            limits.allow_array((n_rows, n_columns), f"{path}: its columns")
        return pa.Table.from_batches(batches, file.schema), _index_of(file.schema)


def _index_of(schema: Any) -> str | None:
    stored = (schema.pandas_metadata or {}).get("index_columns", [])
    named = [name for name in stored if isinstance(name, str) and name in schema.names]
    return named[0] if named else None


def _empty(path: Path, schema: Any, n_rows: int, features: list[str], limits: Limits):
    """An array for the features, once they are known to be numbers that fit into the memory."""
    import pyarrow as pa

    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null)
    kinds = {name: schema.field(name).type for name in features}
    refuse_text(path, [n for n, kind in kinds.items() if not any(is_(kind) for is_ in numeric)])
    shape = (n_rows, len(features))
    limits.allow_array(shape, f"{path}: its {n_rows} rows of {len(features)} features")
    return np.empty(shape)


def _float64(column: Any) -> npt.NDArray[np.float64]:
    import pyarrow as pa

    return column.cast(pa.float64()).to_numpy()


def _labels(path: Path, column: Any, label: str, limits: Limits) -> npt.NDArray:
    """The labels of all rows, unpacked from the distinct ones once these are known to fit."""
    import pyarrow as pa

    refuse_gaps(path, column.null_count, label)
    if not len(column):
        return np.empty(0)
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    distinct = label_array(path, column.dictionary.to_pylist(), len(column), limits)
    return distinct[column.indices.to_numpy()]
