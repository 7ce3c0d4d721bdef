"""Read a user's file of any format into texts: a header, and rows with their places."""

import csv
import gzip
import io
import re
import zipfile
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.config import TableConfig
from experiments.datasets.dataset import DataError, shown, some
from experiments.datasets.own.faults import Faults
from experiments.datasets.own.numerals import GROUPED

#: Names of the signs between the columns of a text file, for dataset.sep.
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
#: First bytes of other files: old or locked workbooks, bzip2, xz, HDF5, MATLAB, PDF, pages, JSON.
OTHERS = (b"\xd0\xcf\x11\xe0", b"BZh", b"\xfd7zXZ", b"\x89HDF", b"MATLAB", b"%PDF-", b"<", b"{",
          b"[{", b"version https://git-lfs")  # fmt: skip
#: Byte-order marks of text files, and their encodings.
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
#: Number formats that show the value of a cell, apart from the number of digits.
AS_STORED = re.compile(r"General|@|[#,?]*[#0?](?:\.[0#?]+)?(?:E[+-]0+)?", re.IGNORECASE)
#: The beginning of a column in ARFF; liac-arff would leave backslashes in its name.
ATTRIBUTE = re.compile(
    r"""^([ \t]*@attribute[ \t]+(?:'[^'"\\\n]*'|"[^'"\\\n]*"|[^\s'"\\{}]+))[ \t](.*)""", re.I | re.M
)
#: Cells that a sheet may reach to; one that was formatted far out makes it huge.
MOST_CELLS = 20_000_000


def read_texts(path: str, options: TableConfig, faults: Faults, max_gib: float) -> pd.DataFrame:
    """Read a file into texts, "" for empty cells; names are unchanged and may be repeated.

    The first bytes of the file show its format, except for ARFF, which is recognised by its ending.
    The index has the place of each row, such as "line 2". The attribute "is_loose" is true if a
    point may separate thousands, as in files with semicolons. Cells of a sheet that show something
    else than their value are added to the faults. `max_gib` is the largest size of the file in GiB,
    on disk and unpacked.

    Raises
    ------
    DataError
        If the file is missing, too large, damaged, of another format, or has rows of unequal size.
    """
    most = int(np.nan_to_num(max_gib, posinf=2**20) * 2**30)
    try:
        with open(path, "rb") as content:
            raw = content.read(most + 1)
    except OSError as error:
        told = f"the file cannot be read: {error.strerror}; give its path from {Path.cwd()}"
        faults.refuse(told)
    try:
        if raw.startswith(b"\x1f\x8b") and len(raw) <= most:
            raw = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(most + 1)
        size, is_book = len(raw), raw.startswith(b"PK\x03\x04")
        if is_book and size <= most:
            size = sum(each.file_size for each in zipfile.ZipFile(io.BytesIO(raw)).infolist())
        if raw.startswith(b"PAR1") and size <= most:
            size = _unpacked(raw)
        if size > most:
            told = f"the file has more than data.max_gib={max_gib:g} GiB"
            faults.refuse(f"{told}; set it higher if you trust the file")
        if raw[:99].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(OTHERS):
            faults.refuse(f"the file is not a table: it begins with {raw[:12]!r}; save it as .csv")
        if is_book:
            frame = _of_workbook(raw, options, faults)
        elif raw.startswith((b"PAR1", b"ARROW1")):
            frame = _of_arrow(raw, options)
        else:
            read = _of_arff if ".arff" in Path(path).name.lower() else _of_lines
            frame = read(_lines(raw, options, faults), options, faults)
    except DataError:
        raise
    except Exception:  # Readers raise errors of many types for damaged files.
        faults.refuse("the file is damaged or of another format; save its table as .csv")
    rows, columns = np.nonzero(frame.to_numpy() != "")
    if not len(rows):
        faults.refuse("the only row is the header, row 1; put one sample in each row below it")
    names = np.flatnonzero(frame.columns != "")
    return frame.iloc[: rows.max() + 1, : max(columns.max(), *names, 0) + 1]


def _lines(raw: bytes, options: TableConfig, faults: Faults) -> list[str]:
    """Decode the lines of a text file: by its byte-order mark, the option, or as UTF-8."""
    encoding, other = _encoding(raw, options), "utf-16-le"
    try:
        text = raw.decode(encoding)
        at = text.find("\0")
    except (LookupError, UnicodeDecodeError) as error:
        other = "cp1252"
        text, at = raw.decode(other, "replace"), getattr(error, "start", 0)
    if at >= 0:
        number = text.count("\n", 0, at) + 1
        near = " ".join(text[max(0, at - 20) : at + 20].split())
        faults.refuse(
            f"line {number} is not {encoding}: {shown(near)}; try dataset.encoding={other}, or "
            "save the file in UTF-8",
            **({"encoding": other} if _is_text(raw, other) else {}),
        )
    return re.split(r"\r\n|\r|\n", text.rstrip("\r\n"))


def _encoding(raw: bytes, options: TableConfig) -> str:
    """Return the encoding of a byte-order mark, or else the one that the file should have."""
    for mark, encoding in MARKS.items():
        if raw.startswith(mark):
            return encoding
    return options.encoding or "utf-8"


def _is_text(raw: bytes, encoding: str) -> bool:
    """Return whether a file can be decoded, and has no NUL then."""
    try:
        return "\0" not in raw.decode(encoding)
    except UnicodeDecodeError:
        return False


def _of_lines(lines: list[str], options: TableConfig, faults: Faults) -> pd.DataFrame:
    """A table of text, by the one separator that makes all rows equally long."""
    signs = {name: SEPARATORS[name] for name in SEPARATORS if options.sep in (None, name)}
    parsed = {name: [_cells(line, sign) for line in lines] for name, sign in signs.items()}
    lengths = {name: [len(row) for row in rows] for name, rows in parsed.items()}
    fit = [name for name, own in lengths.items() if len({*own}) == 1 and own[0] > 1]
    if len(fit) > 1:
        told = " or ".join(f"dataset.sep={name}" for name in fit)
        faults.refuse(f"line 1: more than one sign may separate cells; set {told}", sep=fit[0])
    if not fit:
        own = max(lengths.values(), key=max)
        usual = max(2, Counter(own).most_common(1)[0][0])
        odd = [number for number, n in enumerate(own, 1) if n != usual]
        if odd == [1] and own[0] == usual - 1:
            faults.refuse(
                "line 1, the header, has one cell less than the others, as R writes it: put a name "
                "for the first column before it (in R: write.table(..., col.names=NA))"
            )
        faults.refuse(
            f"line {some(odd)}: not {usual} cells separated by commas, semicolons or tabs, or an "
            f"open quotation mark: {shown(lines[odd[0] - 1])}; remove titles, comments and "
            "footers, name each column, and give all rows the same number of cells"
        )
    frame = _framed(parsed[fit[0]], "line")
    frame.attrs["is_loose"] = fit[0] == "semicolon"
    return frame


def _cells(line: str, sign: str) -> list[str]:
    """Return the cells of a line, or none if a quotation mark is not closed in it."""
    csv.field_size_limit(2**31 - 1)
    try:
        return next(csv.reader([line], delimiter=sign, strict=True), [])
    except csv.Error:
        return []


def _framed(rows: list, word: str, first: int = 2) -> pd.DataFrame:
    """The frame of a header and rows of texts, the first of which has this number."""
    places = [f"{word} {first + i}" for i in range(len(rows) - 1)]
    return pd.DataFrame(rows[1:], places, pd.Index(rows[0], dtype=object), dtype=object)


def _text_of(value: Any, options: TableConfig) -> str:
    """Return a stored value as text; numbers have all digits and the table's decimal sign."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        is_whole = value.is_integer() and abs(value) < 2**53
        return str(int(value)) if is_whole else repr(value).replace(".", options.decimal or ".")
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _unpacked(raw: bytes) -> int:
    """Return the size of a Parquet file by its metadata, with at least eight bytes for a cell."""
    from pyarrow import BufferReader, parquet

    about = parquet.read_metadata(BufferReader(raw))
    parts = [about.row_group(i).total_byte_size for i in range(about.num_row_groups)]
    return max(sum(parts), 8 * about.num_rows * about.num_columns)


def _of_arrow(raw: bytes, options: TableConfig) -> pd.DataFrame:
    """Read a Parquet or Feather file; an index stored by pandas comes first."""
    from pyarrow import BufferReader, feather, parquet  # Importing each takes a while.

    table = (parquet if raw.startswith(b"PAR1") else feather).read_table(BufferReader(raw))
    stored = (table.schema.pandas_metadata or {}).get("index_columns", [])
    order = sorted(range(table.num_columns), key=lambda j: table.column_names[j] not in stored)
    names = [re.sub(r"^__index_level_\d+__$", "", table.column_names[j]) for j in order]
    columns = [[_text_of(v, options) for v in table.column(j).to_pylist()] for j in order]
    return _framed([names, *zip(*columns, strict=True)], "row", 1)


def _of_arff(lines: list[str], options: TableConfig, faults: Faults) -> pd.DataFrame:
    """Read an ARFF file of Weka by liac-arff, with all columns as text."""
    import arff

    # Sparse rows keep the type of lists: a value that is left out is the first of its list.
    kept = "{" if any(line.lstrip().startswith("{") for line in lines) else "no list"
    text, n_columns = ATTRIBUTE.subn(
        lambda found: found[0] if found[2].lstrip().startswith(kept) else f"{found[1]} string",
        "\n".join(lines),
    )
    try:
        content = arff.loads(text)
    except arff.ArffException as error:
        faults.refuse(f"line {error.line} is no ARFF with commas; correct it, or save a .csv")
    if n_columns < len(content["attributes"]):
        faults.refuse("the header has names with other signs; rename them, or save a .csv")
    rows = [[_text_of(value, options) for value in row] for row in content["data"]]
    return _framed([[name for name, _ in content["attributes"]], *rows], "row", 1)


def _of_workbook(raw: bytes, options: TableConfig, faults: Faults) -> pd.DataFrame:
    """Read a sheet of a workbook; report cells that show something else than their value."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(raw), data_only=True)
    sheet = _sheet(book.worksheets, options, faults)
    rows = list(sheet.iter_rows())
    filled = [cell for cell in chain.from_iterable(rows) if cell.value is not None]
    no_value: list[str] = []
    if len(filled) < _size(sheet):
        has_value = {cell.coordinate for cell in filled}
        no_value = sorted(_formulas(raw, sheet.title) - has_value)
    merged = [str(cells) for cells in sheet.merged_cells.sorted()]
    hidden = _hidden(sheet, rows)
    otherwise = [f"{c.coordinate} ({c.number_format})" for c in filled if _shows_otherwise(c)]
    for places, told in (
        (no_value, "have formulas without values; open the file in a spreadsheet and save it"),
        (merged, "are merged; unmerge them and fill each cell"),
        (hidden, "are hidden; show or delete them"),
        (otherwise, "have formatted numbers or numbers as text; use the format General"),
    ):
        if places:
            faults.add(f"cells {some(places)} {told}")
    return _framed([[_text_of(cell.value, options) for cell in row] for row in rows], "row")


def _size(sheet: Any) -> int:
    """Return the number of cells that a sheet reaches to."""
    return sheet.max_row * sheet.max_column


def _sheet(worksheets: list, options: TableConfig, faults: Faults) -> Any:
    """Return the sheet of the option, or the only one; refuse one that reaches too far."""
    sheets = {each.title: each for each in worksheets}
    if options.sheet not in sheets and (options.sheet is not None or len(sheets) != 1):
        told = some(f"{shown(each.title)} ({each.sheet_state})" for each in worksheets)
        likely = max(worksheets, key=lambda each: (each.sheet_state == "visible", _size(each)))
        faults.refuse(
            f"the file has the sheets {told}; dataset.sheet=NAME names the one with the table",
            sheet=likely.title,
        )
    sheet = sheets[options.sheet or next(iter(sheets))]
    if _size(sheet) > MOST_CELLS:
        faults.refuse(f"the sheet reaches to row {sheet.max_row}; delete rows beyond the table")
    return sheet


def _formulas(raw: bytes, title: str) -> set[str]:
    """Return the cells of a sheet that have formulas, in which `data_only` shows values."""
    import openpyxl

    written = openpyxl.load_workbook(io.BytesIO(raw), read_only=True)[title]
    cells = chain.from_iterable(written.iter_rows())
    return {cell.coordinate for cell in cells if cell.data_type == "f"}


def _hidden(sheet: Any, rows: list) -> list[str]:
    """Return the hidden rows of a sheet, and its hidden columns up to the last of the table."""
    hidden = [f"of row {name}" for name, row in sheet.row_dimensions.items() if row.hidden]
    for name, column in sheet.column_dimensions.items():
        if column.hidden and column.min <= len(rows[0]):
            hidden.append(f"of column {name}")
    return hidden


def _shows_otherwise(cell: Any) -> bool:
    """Return whether a cell shows a number in another way than it stores it, or as text."""
    if cell.data_type == "n":
        return not AS_STORED.fullmatch(cell.number_format)
    return cell.data_type == "s" and bool(GROUPED.fullmatch(cell.value))
