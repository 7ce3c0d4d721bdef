"""From a file of any format to its columns. Nothing is unpickled, nothing is extracted."""

import bz2
import errno
import gzip
import lzma
import os
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.datasets import weka
from experiments.datasets.columns import FORM, Columns, Figure, Share, TableOptions
from experiments.datasets.dataset import Damaged, DataError, unknown
from experiments.datasets.delimited import decoded, parse
from experiments.datasets.layout import Record, rectangle
from experiments.datasets.wording import shown, some

DELIMITED = (".csv", ".tsv", ".txt", ".gct")
#: Suffix of packed text -> what opens it.
OPENED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
PACKED = (*OPENED, ".zip")
#: The formats of text in rows and columns, as they are or packed.
TEXT = (*DELIMITED, *PACKED)
DEFAULT = TableOptions()
#: Option -> the formats that it has an effect on.
USED_BY = dict.fromkeys(FORM, TEXT) | {
    "skip": (*TEXT, ".xlsx"),
    "sheet": (".xlsx",),
    "encoding": (*TEXT, ".arff"),
}
#: Beginning of a file that is no table of text, after marks and blanks -> what it is.
BEGINNINGS = {
    rb"PK\x03\x04": "a workbook (.xlsx) or an archive (.zip)",
    rb"\xd0\xcf\x11\xe0": "a workbook that is old (.xls) or has a password",
    rb"\x1f\x8b": "packed (.gz)",
    rb"BZh91AY&SY": "packed (.bz2)",
    rb"\xfd7zXZ": "packed (.xz)",
    rb"PAR1\x15": "a .parquet file",
    rb"ARROW1\x00": "a .feather file",
    rb"\x89HDF": "HDF5 (.h5)",
    rb"%PDF-": "a document (.pdf)",
    rb"\{\\rtf": "a document (.rtf)",
    rb"(?i)<(!|\?xml|(html|head|body|div|table|workbook)\b)": "a web page or XML",
    rb"[\[{]\s*([\[{\"']|\n)": "JSON",
    rb"(%.*\n\s*)*(\\(documentclass|usepackage|begin|hline|toprule)\b|.*&.*\\\\\s)": "LaTeX",
    rb"(?i)((--|/\*|set |start |select ).*\n\s*)*((create|drop) (table|database|schema)|"
    rb"insert into|begin transaction|pragma \w+=)": "SQL",
}
#: Rows and columns that a sheet hides.
HIDDEN = re.compile(rb'<(?:\w+:)?(row|col)\b([^>]*\bhidden="(?:1|true)"[^>]*)>')
#: Signs that the format of a cell shows as they are.
QUOTED = re.compile(r'"[^"]*"|\\.')
#: A format of numbers with zeros before them.
PADDED = re.compile("0{2,}")
#: A cell that is merged over rows or columns.
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)"')

#: Exceptions of readers on a damaged file; those of pyarrow are kinds of these.
DAMAGE: tuple[type[Exception], ...] = (OSError, EOFError, ValueError, TypeError, LookupError)
DAMAGE += (ArithmeticError, AttributeError, NameError, RuntimeError, SyntaxError)
DAMAGE += (struct.error, lzma.LZMAError, zipfile.BadZipFile, zlib.error)


def read(path: Path, options: TableOptions = DEFAULT, target: str | None = None) -> Columns:
    """Read the columns of a file.

    Parameters
    ----------
    path : Path
        .npz and .mat hold arrays X and y (or Y); all other formats hold named columns.
    options : TableOptions
        Those of text files and workbooks are used.
    target : str, optional
        The array of labels, in a file of arrays.

    Raises
    ------
    DataError
        If the format is unknown, or the file is missing or damaged.
    MemoryError
        If there is too little memory for it.
    """
    kind = suffix(path)
    if kind not in FORMATS:
        raise DataError(
            f"{path}: the format {path.suffix!r} is unknown; save it as .xlsx or .csv (a table of "
            f"text may be renamed to .txt), or use one of {', '.join(FORMATS)}"
        )
    given = [key for key in USED_BY if getattr(options, key)]
    if unused := [f"dataset.{key}" for key in given if kind not in USED_BY[key]]:
        raise DataError(f"{path}: {some(unused)} has no effect on {kind}; leave it out")
    try:
        if kind != ".npz":  # An archive by another name.
            _refuse_other(path)
        return FORMATS[kind][0](path, options, target)
    except DataError:
        raise
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            raise MemoryError from error
        raise DataError(f"{path} cannot be read: {reason(error)}") from error


def _refuse_other(path: Path, opener: Callable[..., Any] = open) -> None:
    """Raise a DataError if the first bytes of a file say that it has another format."""
    with opener(path, "rb") as content:
        start = content.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
    for beginning, what in BEGINNINGS.items():
        if re.match(beginning, start) and path.suffix.lower() not in what:
            advice = "export the table as .csv, or save it as .xlsx in a spreadsheet"
            if any(known in what for known in FORMATS):
                advice = "give it the suffix of its format"
            raise DataError(f"{path} is {what} by its first bytes; {advice}")


def takes(key: str, path: Path) -> bool:
    """True if an option has an effect on this file."""
    return suffix(path) in USED_BY[key]


def suffix(path: Path) -> str:
    """The suffix that tells the format: of table.csv.gz it is .csv, of a mere .gz it is .gz."""
    own = path.suffix.lower()
    inner = Path(path.stem).suffix.lower()
    return inner if own in PACKED and inner in DELIMITED else own


def libraries(path: Path) -> Sequence[str]:
    """The modules that parse a file of this format."""
    return FORMATS.get(suffix(path), FORMATS[".csv"])[1]


def reason(error: BaseException) -> str:
    """Say in our own words why a file cannot be read; a library's words are for its authors."""
    if isinstance(error, Damaged):
        return " ".join(str(error).split()).rstrip(".")
    if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
        return os.strerror(error.errno).lower()
    if isinstance(error, UnicodeDecodeError):
        return "its text is not UTF-8; save it in that encoding"
    return "it is damaged, or of another format than its name says; replace it by a whole copy"


def _npz(path: Path, options: TableOptions, target: str | None) -> Columns:
    with np.load(path, allow_pickle=False) as archive:
        label = target or next((name for name in ("y", "Y") if name in archive.files), "y")
        wanted = ("X", label, "feature_names")
        try:
            arrays = {name: archive[name] for name in wanted if name in archive}
        except ValueError as error:
            if "allow_pickle" not in str(error):
                raise
            raise Damaged(
                "it holds Python objects, which could run code; save numbers and text"
            ) from error
        return _of_arrays(path, archive.files, arrays, label)


def _mat(path: Path, options: TableOptions, target: str | None) -> Columns:
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError

    try:
        names = [name for name, *_ in whosmat(path, appendmat=False)]
        label = target or next((name for name in ("Y", "y") if name in names), "Y")
        with warnings.catch_warnings():  # on the type of sparse arrays, which are refused below
            warnings.simplefilter("ignore", DeprecationWarning)
            arrays = loadmat(path, appendmat=False, variable_names=["X", label])
    except NotImplementedError as error:
        raise Damaged("MATLAB 7.3 files cannot be read; save it with -v7") from error
    except MatReadError as error:
        raise Damaged("it is not a whole MATLAB file of a version before 7.3") from error
    return _of_arrays(path, names, arrays, label)


def _of_arrays(path: Path, names: Sequence[str], arrays: dict, label: str) -> Columns:
    """The columns of X, with the names that the file has for them, and the labels."""
    for name in ("X", label):
        if name not in arrays:
            raise DataError(f"{path}: {unknown('array', name, names)}")
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    arrays |= {n: np.char.decode(a, "utf-8") for n, a in arrays.items() if a.dtype.kind == "S"}
    X, labels = arrays["X"], arrays[label].ravel()
    if X.ndim != 2 or labels.shape != (len(X),):
        raise DataError(
            f"{path}: expected X with a row for each label, got {X.shape} and {arrays[label].shape}"
        )
    if X.dtype.kind not in "buif" or labels.dtype.kind not in "buifU":
        raise DataError(
            f"{path}: expected numbers in X, and numbers or text as labels, got {X.dtype} and "
            f"{labels.dtype}; save labels as numbers, or as an array of characters"
        )
    features = [str(name) for name in np.ravel(arrays.get("feature_names", ())).tolist()]
    if features and len(features) != X.shape[1]:
        raise DataError(f"{path}: X has {X.shape[1]} columns, but {len(features)} feature_names")
    numbered = [f"x{number}" for number in range(1, X.shape[1] + 1)]
    return Columns(
        [*(features or numbered), label],
        [*X.T, labels],
        f"{suffix(path)[1:]}, the arrays X and {label}",
        label=label,
        named=bool(features),
    )


def _text(path: Path, options: TableOptions, target: str | None) -> Columns:
    return parse(*_content(path), options, path)


def _content(path: Path) -> tuple[bytes, str]:
    """The bytes of a text file, unpacked, and its suffix."""
    own = path.suffix.lower()
    if own == ".zip":
        with zipfile.ZipFile(path) as archive:
            tables = [
                name
                for name in archive.namelist()
                if name.lower().endswith(DELIMITED) and not re.search(r"^__MACOSX/|(^|/)\._", name)
            ]
            if len(tables) != 1:
                raise Damaged(
                    f"it holds {len(tables)} files that end in {', '.join(DELIMITED)}, and should "
                    f"hold one; extract the table from {some(archive.namelist())}"
                )
            return archive.read(tables[0]), Path(tables[0]).suffix.lower()
    if own in PACKED:
        _refuse_other(path, OPENED[own])
        with OPENED[own](path, "rb") as stream:
            return stream.read(), suffix(path) if suffix(path) in DELIMITED else ".txt"
    return path.read_bytes(), own


def _values(column: Any, of_pandas: str) -> npt.NDArray:
    """A column of pyarrow as numbers, or as texts with None where there is none.

    Periods of pandas, such as months, are numbers in the file; `of_pandas` is the type there.
    """
    import pyarrow as pa

    if of_pandas.startswith("period["):
        import pandas as pd

        freq = of_pandas.removeprefix("period[").removesuffix("]")
        cells = [None if n is None else pd.Period(ordinal=n, freq=freq) for n in column.to_pylist()]
        return np.array(list(map(_stored_text, cells)), dtype=object)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_null(kind):
        return column.cast(pa.float64()).to_numpy()
    # With gaps, integers would become floats, which hold 53 bits.
    if pa.types.is_floating(kind) or (pa.types.is_integer(kind) and not column.null_count):
        return np.asarray(column.to_numpy())
    if pa.types.is_boolean(kind) and not column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=bool)
    return np.array([_stored_text(cell) for cell in column.to_pylist()], dtype=object)


def _stored_text(cell: Any) -> str | None:
    """The text of a stored value: a number with all its digits, bytes as UTF-8."""
    if isinstance(cell, float):
        text = repr(cell)
        # An id of 20 digits, of which a spreadsheet keeps 15.
        return f"{Decimal(text):f}" if abs(cell) > 2**53 and len(text) > 17 else Figure(text)
    if isinstance(cell, Decimal):
        return Figure(text) if "." in (text := f"{cell:f}") else text
    return cell.decode() if isinstance(cell, bytes) else None if cell is None else str(cell)


def _arrow(path: Path, options: TableOptions, target: str | None) -> Columns:
    """The columns of a Parquet or Feather file, and those that hold the index of pandas."""
    said = suffix(path)[1:]
    if said == "parquet":
        from pyarrow.parquet import ParquetFile

        table = ParquetFile(path).read(use_threads=False)
    else:
        from pyarrow.feather import read_table

        table = read_table(path, use_threads=False, memory_map=False)
    about = table.schema.pandas_metadata or {}
    stored = about.get("index_columns", [])
    index = tuple(name for name in stored if isinstance(name, str) and name in table.column_names)
    kinds = {each["field_name"]: str(each["numpy_type"]) for each in about.get("columns", [])}
    columns = zip(table.column_names, table.columns, strict=True)
    values = [_values(column, kinds.get(name, "")) for name, column in columns]
    return Columns(table.column_names, values, said, index=index)


def _arff(path: Path, options: TableOptions, target: str | None) -> Columns:
    text, _ = decoded(path.read_bytes(), options.encoding, path)
    return weka.parse(text)


def _workbook(path: Path, options: TableOptions, target: str | None) -> Columns:
    """A sheet of a workbook as texts, numbers with all their digits."""
    try:
        import openpyxl
    except ImportError as error:
        raise DataError(
            f"{path}: workbooks need openpyxl, which is not installed: pip install openpyxl, "
            "or save the sheet as .csv"
        ) from error
    with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
        known = book.sheetnames
        seen = [name for name in known if book[name].sheet_state == "visible"]
        name = (seen or known)[0] if options.sheet is None else options.sheet
        if name not in known:
            raise DataError(f"{path}: {unknown('sheet', name, known)}")
        # Cells have formats, and take longer than values.
        has_formats = _has_formats(book)
        text_of = _cell_text if has_formats else lambda value: _stored_text(value) or ""
        records = [
            Record(at, [] if at in options.skipped else list(map(text_of, row)))
            for at, row in enumerate(_sheet_rows(book[name], not has_formats), 1)
        ]
        options.check_skip(path, len(records), "row")
        width = max((len(record.cells) for record in records), default=0)
        notes, merged = _marks(path, book[name], len(records), width)
        if name not in seen:
            notes.append(f"the sheet {name} is hidden")
        elif options.sheet is None and name != known[0]:
            notes.append(f"hidden sheets before {name} were passed over")
        if any("" in record.cells for record in records):
            with closing(openpyxl.load_workbook(path, read_only=True)) as written:
                _refuse_formulas(written[name], book[name], records)
    others = [each for each in known if each != name]
    if not any(any(record.cells) for record in records):
        raise Damaged(f"its sheet {name} is empty; {_elsewhere(others) or 'it has no other one'}")
    full = [Record(r.line, r.cells + [""] * (width - len(r.cells))) for r in records]
    for column, first, last in merged:
        for record in full[first:last]:
            if any(record.cells):  # Not a row that is empty, or left out.
                record.cells[column] = full[first - 1].cells[column]
    if merged:
        notes.append(f"{len(merged)} cells are merged over rows, and count in each of them")
    said = f"xlsx, sheet {name}" + (f" ({_elsewhere(others)})" if others else "")
    return rectangle(full, "row", is_turned=options.transpose).columns(said, "row", notes)


def _elsewhere(others: Sequence[str]) -> str:
    return f"dataset.sheet may name another one: {some(others)}" if others else ""


def _marks(
    path: Path, sheet: Any, n_rows: int, width: int
) -> tuple[list[str], list[tuple[int, int, int]]]:
    """Sentences on hidden rows and columns of a sheet, which are read as all others; merged cells.

    A merged cell is the position of its column, and its first and its last row, from 1.
    """
    from openpyxl.utils import column_index_from_string

    merged: list[tuple[int, int, int]] = []
    n, left = {b"row": 0, b"col": 0}, b""
    most = {b"row": n_rows, b"col": width}
    with zipfile.ZipFile(path) as archive, archive.open(sheet._worksheet_path) as content:
        while part := content.read(1 << 20):
            whole, _, left = (left + part).rpartition(b">")
            for kind, about in HIDDEN.findall(whole + b">"):
                at = [int(number) for number in re.findall(rb'\b(?:r|min|max)="(\d+)"', about)]
                n[kind] += max(0, min(max(at), most[kind]) - min(at) + 1) if at else 1
            for column, first, end, last in MERGED.findall(whole + b">"):
                at = column_index_from_string(column.decode()) - 1
                if column == end and at < width:
                    merged.append((at, int(first), min(int(last), n_rows)))
    counts = (("rows", n[b"row"]), ("columns", n[b"col"]))
    told = [
        f"hidden {what} of the sheet were read, too: {count}" for what, count in counts if count
    ]
    return told, merged


def _has_formats(book: Any) -> bool:
    """True if a format of the cells of a workbook may show percents, or zeros before a number."""
    used = {style.numFmtId for style in book._cell_styles}
    forms = book._number_formats
    return not used.isdisjoint((9, 10)) or any("%" in f or PADDED.fullmatch(f) for f in forms)


def _cell_text(cell: Any) -> str:
    """The text of a cell of a sheet; of a number it says if percents are shown.

    A whole number that is shown with zeros before it, as ids are, is the text that is shown.
    """
    text = _stored_text(cell.value) or ""
    if not (text and cell.data_type == "n" and cell.has_style):
        return text
    if PADDED.fullmatch(cell.number_format) and text.isdigit():
        return text.zfill(len(cell.number_format))
    return Share(text) if "%" in QUOTED.sub("", cell.number_format) else text


def _sheet_rows(sheet: Any, values_only: bool = True):
    """The rows of a sheet, as values or cells, whatever its writer has said about its size."""
    if not hasattr(sheet, "reset_dimensions"):
        raise Damaged(f"its sheet {sheet.title} is a chart; name a sheet by dataset.sheet")
    sheet.reset_dimensions()
    return sheet.iter_rows(values_only=values_only)


def _refuse_formulas(sheet: Any, computed: Any, records: list[Record]) -> None:
    """Raise Damaged if a formula has no value: the program that wrote it has not computed it."""
    found = {}
    for number, (row, record) in enumerate(zip(_sheet_rows(sheet), records, strict=False), 1):
        for at, cell in enumerate(row[: len(record.cells)]):
            cell = getattr(cell, "text", cell)  # of an array formula
            if record.cells[at] == "" and isinstance(cell, str) and cell.startswith("="):
                found[number, at + 1] = cell
    rows = _sheet_rows(computed, values_only=False) if found else ()
    texts = {(cell.row, cell.column) for row in rows for cell in row if cell.data_type == "str"}
    for place, formula in found.items():
        if place not in texts:  # Else it gives an empty text.
            raise Damaged(
                f"row {place[0]}, column {place[1]} has the formula {shown(formula)} and no value; "
                "open it in a spreadsheet and save it again"
            )


#: The reader of each format, and the modules that it needs.
FORMATS: dict[str, tuple[Callable[[Path, TableOptions, str | None], Columns], Sequence[str]]] = {
    **dict.fromkeys(TEXT, (_text, ())),
    ".xlsx": (_workbook, ("openpyxl",)),
    ".parquet": (_arrow, ("pyarrow.parquet",)),
    ".feather": (_arrow, ("pyarrow.feather",)),
    ".npz": (_npz, ()),
    ".mat": (_mat, ("scipy.io",)),
    ".arff": (_arff, ()),
}
#: Formats that a local folder is searched for, in this order.
LOCAL = (".npz", ".mat", ".csv", ".parquet", ".arff")
