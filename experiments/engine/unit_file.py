"""A unit's row as a Parquet file: arrays keep type and shape, damage is recognised.

Any Parquet reader can read the file, which has one row. Arrays are lists, and those of several
dimensions are flattened. The file's metadata has the text that determines the unit ("unit"), what
is known about the run that computed it ("note"), the version of this format and a checksum over
all.
"""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from experiments.engine.keys import Row

#: The version of this format. A file of another version is never read as if it were of this one.
FORMAT = "2"


class Damaged(ValueError):
    """A file is not as it was written."""


#: What reading a damaged file can raise.
DAMAGE = (Damaged, OSError, pa.ArrowException, ValueError, LookupError, TypeError, MemoryError)


@dataclass(frozen=True)
class Stored:
    """A unit on disk: the text of its key, a JSON object about its run, and its row."""

    text: str
    note: str
    row: Row


def encode(row: Row, text: str, note: str) -> pa.Table:
    """The table that stands for a row of numbers, texts and arrays."""
    arrays = {name: value for name, value in row.items() if isinstance(value, np.ndarray)}
    shapes = {name: value.shape for name, value in arrays.items() if value.ndim != 1}
    flat = row | {name: value.ravel() for name, value in arrays.items()}
    columns = {name: pa.array([value]) for name, value in flat.items()}
    shape_text = json.dumps(shapes) if shapes else ""
    about = {"format": FORMAT, "unit": text, "note": note, "shapes": shape_text}
    table = pa.table(columns).replace_schema_metadata(about)
    checksum = str(_checksum(row_of(table), about))
    return table.replace_schema_metadata({**about, "checksum": checksum})


def write(table: pa.Table, path: Path) -> None:
    """Write a table in the way in which small files are read fastest."""
    pq.write_table(table, path, compression="lz4", use_dictionary=False, write_statistics=False)


def decode(content: bytes) -> Stored:
    """The unit in the bytes of a file; raises one of DAMAGE if these are not as written."""
    table = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False).read(use_threads=False)
    about, row = _about(table.schema), row_of(table)
    if about.pop("checksum") != str(_checksum(row, about)):
        raise Damaged("its checksum differs")
    return Stored(about["unit"], about["note"], row)


def describe(path: Path) -> Stored:
    """The unit of a file without its row; raises one of DAMAGE if the file has none."""
    about = _about(pq.read_schema(path))
    return Stored(about["unit"], about["note"], {})


def row_of(table: pa.Table) -> Row:
    """The row that a table of one row stands for."""
    shapes = (table.schema.metadata or {}).get(b"shapes")
    shapes = json.loads(shapes) if shapes else {}
    row = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        cells = column.chunk(0)
        if isinstance(cells, pa.ListArray):
            values = cells.values.to_numpy(zero_copy_only=False)
            row[name] = values.reshape(shapes[name]) if name in shapes else values
        else:
            row[name] = cells[0].as_py()
    return row


def _about(schema):
    """The metadata of a file that are ours."""
    metadata, keys = schema.metadata or {}, ("format", "unit", "note", "shapes", "checksum")
    known = metadata.get(b"format", b"").decode(errors="replace")
    if known and known != FORMAT:
        raise Damaged(
            f"it has format {known}, and this version of the project reads format {FORMAT}"
        )
    if missing := [key for key in keys if key.encode() not in metadata]:
        raise Damaged(f"it has no {missing[0]}")
    return {key: metadata[key.encode()].decode() for key in keys}


def _checksum(row, about):
    """CRC-32 of everything that a file tells."""
    texts = list(about.values())
    arrays = []
    for name, value in row.items():
        if not isinstance(value, np.ndarray):
            texts.append(f"{name} {value!r}")
        elif value.dtype == object:
            texts.append(f"{name} {value.tolist()!r}")
        else:
            texts.append(f"{name} {value.dtype.str}")
            arrays.append(value)
    total = zlib.crc32("\n".join(texts).encode())
    for value in arrays:
        total = zlib.crc32(value.ravel().view(np.uint8).data, total)
    return total
