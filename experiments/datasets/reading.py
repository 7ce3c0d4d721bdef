"""How a user's table is to be read, and its columns as a file of any format gives them."""

import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats
from experiments.datasets.arff_table import read_attributes
from experiments.datasets.arrow_table import feather_table, parquet_columns
from experiments.datasets.dataset import Damaged, DataError
from experiments.datasets.delimited import Dialect, parse
from experiments.datasets.limits import GIB, LIMITS, Limits

#: Row names are looked for in the first column.
AUTO = "auto"
MISSING = ("median", "drop")
DELIMITED = (".csv", ".tsv", ".txt")
PACKED = (".gz", ".xz", ".zip")
ARRAYS = (".npz", ".mat")
FORMATS = (*DELIMITED, *PACKED, ".xlsx", ".parquet", ".feather", *ARRAYS, ".arff")


@dataclass(frozen=True)
class Reading:
    """What a user says about a table; what is None is detected.

    Attributes
    ----------
    index : str or None
        The column of row names; "auto" looks at the first column, None says that there is none.
    drop : sequence of str
        Columns that are neither features nor labels.
    features : str, optional
        A pattern with ``*`` and ``?``: columns whose names do not match it are left out.
    transpose : bool
        Whether features stand in rows and samples in columns.
    labels : str, optional
        Path of a second table, with row names and the target.
    missing : {None, "median", "drop"}
        What becomes of features with missing values: None refuses them.
    separator, decimal, encoding, quote : str, optional
        Of a text file.
    sheet : str, optional
        Of a workbook; the first one where it is None.
    """

    index: str | None = AUTO
    drop: tuple[str, ...] = ()
    features: str | None = None
    transpose: bool = False
    labels: str | None = None
    missing: str | None = None
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    quote: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", tuple(self.drop))
        if self.missing not in (None, *MISSING):
            raise DataError(
                f"dataset.missing must be null, median or drop, got {self.missing!r}; null refuses "
                "missing values"
            )

    def dialect(self) -> Dialect:
        """What is said about a text file."""
        return Dialect(self.separator, self.decimal, self.encoding, self.quote)


@dataclass(frozen=True)
class Columns:
    """The columns of a file, before anything is decided about them.

    Attributes
    ----------
    names : list of str
    values : list of ndarray (n_rows,)
        Numbers, or texts (dtype object) with None where there is none.
    index : str or None
        The column that the file itself says to hold the names of its rows.
    said : str
        What was detected, as a part of a sentence.
    """

    names: list[str]
    values: list[npt.NDArray]
    index: str | None
    said: str


def suffix(path: Path) -> str:
    """The suffix that tells the format: of table.csv.gz it is .csv, of a mere .gz it is .gz."""
    own = path.suffix.lower()
    inner = Path(path.stem).suffix.lower()
    return inner if own in PACKED and inner in DELIMITED else own


def read_columns(path: Path, reading: Reading, limits: Limits = LIMITS) -> Columns:
    """The columns of a table of named columns.

    Raises
    ------
    DataError
        If the format is unknown or has arrays and no columns, or the file cannot be read.
    """
    kind = suffix(path)
    if kind not in FORMATS:
        hint = "; save it as .xlsx or .csv" if kind in (".xls", ".ods") else ""
        raise DataError(
            f"{path}: the format {path.suffix!r} is unknown{hint}; use one of {', '.join(FORMATS)}"
        )
    try:
        limits.allow(path.stat().st_size, f"{path}: the file")
        if kind in DELIMITED or kind in PACKED:
            names, table, said = parse(*_content(path, limits), reading.dialect(), limits, path)
            return Columns(names, _arrow_values(path, table, limits), None, said)
        return READERS[kind](path, reading, limits)
    except DataError:
        raise
    except (*formats.DAMAGE, lzma.LZMAError) as error:
        raise DataError(f"{path} cannot be read: {formats.reason(error)}") from error


def _content(path: Path, limits: Limits) -> tuple[bytes, str]:
    """The bytes of a text file, unpacked, and its suffix."""
    own = path.suffix.lower()
    if own == ".zip":
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            tables = [m for m in members if Path(m.filename).suffix.lower() in DELIMITED]
            if len(tables) != 1:
                raise Damaged(
                    f"it holds {len(tables)} files that end in {', '.join(DELIMITED)}, and should "
                    "hold one"
                )
            with archive.open(tables[0]) as stream:
                kind = Path(tables[0].filename).suffix.lower()
                return _limited(stream, path, limits), kind
    if own in PACKED:
        opened: Callable[..., Any] = gzip.open if own == ".gz" else lzma.open
        with opened(path, "rb") as stream:
            kind = suffix(path)
            return _limited(stream, path, limits), kind if kind in DELIMITED else ".txt"
    return path.read_bytes(), own


def _limited(stream, path, limits) -> bytes:
    """What a stream unpacks to, read no further than the limit."""
    content = stream.read(int(limits.max_gib * GIB) + 1)
    limits.allow(len(content), f"{path}: what it unpacks to")
    return content


def _arrow_values(path, table, limits) -> list[npt.NDArray]:
    limits.allow_array((table.num_rows, table.num_columns), f"{path}: its columns")
    return [_values(table.column(i)) for i in range(table.num_columns)]


def _values(column: Any) -> npt.NDArray:
    """A column of pyarrow as numbers, or as texts with None where there is none."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_null(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64()).to_numpy()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return np.asarray(column.to_numpy())
    if pa.types.is_boolean(kind) and not column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=bool)
    texts = column.to_pylist()
    return np.array([None if v is None else str(v) for v in texts], dtype=object)


def _parquet(path: Path, reading: Reading, limits: Limits) -> Columns:
    columns = parquet_columns(path, limits, lambda column: np.array(_values(column)))
    return Columns(*columns, "parquet")


def _feather(path: Path, reading: Reading, limits: Limits) -> Columns:
    table, index = feather_table(path, limits)
    return Columns(table.column_names, _arrow_values(path, table, limits), index, "feather")


def _arff(path: Path, reading: Reading, limits: Limits) -> Columns:
    return Columns(*read_attributes(path, limits), None, "arff")


def _workbook(path: Path, reading: Reading, limits: Limits) -> Columns:
    """A sheet of a workbook, whose first row names the columns."""
    import pandas as pd

    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
        limits.allow(10 * size, f"{path}: the workbook")  # an object for each cell
    content = io.BytesIO(path.read_bytes())
    try:
        sheets = pd.ExcelFile(content, engine="openpyxl")
    except ImportError as error:
        raise DataError(
            f"{path}: workbooks need openpyxl, which is not installed: pip install openpyxl, "
            "or save the sheet as .csv"
        ) from error
    known = [str(name) for name in sheets.sheet_names]
    name = known[0] if reading.sheet is None else reading.sheet
    if name not in known:
        raise DataError(f"{path}: there is no sheet {name!r}; it has {', '.join(known)}")
    frame = pd.read_excel(sheets, sheet_name=name, header=None, dtype=object)
    cells = frame.to_numpy(dtype=object)
    if not len(cells):
        raise Damaged(f"its sheet {name} is empty")
    names = ["" if pd.isna(cell) else str(cell) for cell in cells[0]]
    values = [_cells(cells[1:, i]) for i in range(len(names))]
    others = f" of {len(known)}" if len(known) > 1 else ""
    return Columns(names, values, None, f"xlsx, sheet {name}{others}")


def _cells(cells: npt.NDArray) -> npt.NDArray:
    """The cells of a column as numbers if all of them are, else as texts."""
    missing = np.array([c is None or c != c for c in cells], dtype=bool)
    if all(isinstance(cell, int | float) for cell in cells[~missing]):
        numbers = np.full(len(cells), np.nan)
        numbers[~missing] = cells[~missing].astype(np.float64)
        return numbers
    return np.array(
        [None if gap else str(c) for c, gap in zip(cells, missing, strict=True)], dtype=object
    )


READERS: dict[str, Callable[[Path, Reading, Limits], Columns]] = {
    ".parquet": _parquet,
    ".feather": _feather,
    ".arff": _arff,
    ".xlsx": _workbook,
}
