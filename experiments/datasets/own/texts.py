"""Read a user's file of any format into texts: a header, and rows with their places."""

import csv
import gzip
import io
import re
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.config import TableConfig
from experiments.datasets.dataset import DataError, shown, some
from experiments.datasets.own.faults import Faults

#: Names of the signs between the columns of a text file, for dataset.sep.
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
#: First bytes of other files: old or locked workbooks, bzip2, xz, HDF5, MATLAB, PDF, pages, JSON.
OTHERS = (b"\xd0\xcf\x11\xe0", b"BZh", b"\xfd7zXZ", b"\x89HDF", b"MATLAB", b"%PDF-", b"<", b"{",
          b"[{", b"version https://git-lfs")  # fmt: skip
#: Number formats that show the value of a cell, apart from the number of digits.
AS_STORED = re.compile(r"General|@|[#,?]*[#0?](?:\.[0#?]+)?(?:E[+-]0+)?", re.IGNORECASE)
#: A number with commas or points that may be thousands separators.
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
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
    marks = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
    found = [name for mark, name in marks.items() if raw.startswith(mark)]
    encoding, other, found = [*found, options.encoding or "utf-8"][0], "utf-16-le", []
    try:
        text = raw.decode(encoding)
        at = text.find("\0")
    except (LookupError, UnicodeDecodeError) as error:
        text, at, other = raw.decode("cp1252", "replace"), getattr(error, "start", 0), "cp1252"
    if at >= 0:
        with suppress(UnicodeDecodeError):
            found = [] if "\0" in raw.decode(other) else [other]
        faults.refuse(
            f"line {text.count(chr(10), 0, at) + 1} is not {encoding}: "
            f"{shown(' '.join(text[max(0, at - 20) : at + 20].split()))}; try "
            f"dataset.encoding={other}, or save the file in UTF-8",
            **({"encoding": other} if found else {}),
        )
    return re.split(r"\r\n|\r|\n", text.rstrip("\r\n"))


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
    sheets = {each.title: each for each in book.worksheets}
    size = {name: each.max_row * each.max_column for name, each in sheets.items()}
    if options.sheet not in sheets and (options.sheet is not None or len(sheets) != 1):
        states = {name: each.sheet_state for name, each in sheets.items()}
        told = some(f"{shown(name)} ({state})" for name, state in states.items())
        faults.refuse(
            f"the file has the sheets {told}; dataset.sheet=NAME names the one with the table",
            sheet=max(sheets, key=lambda name: (states[name] == "visible", size[name])),
        )
    sheet = sheets[options.sheet or next(iter(sheets))]
    if size[sheet.title] > MOST_CELLS:
        faults.refuse(f"the sheet reaches to row {sheet.max_row}; delete rows beyond the table")
    rows, hidden = list(sheet.iter_rows()), sheet.column_dimensions.items()
    cells = [cell for row in rows for cell in row if cell.value is not None]
    formulas = set()
    if len(cells) < size[sheet.title]:
        written = openpyxl.load_workbook(io.BytesIO(raw), read_only=True)[sheet.title]
        formulas = {c.coordinate for row in written.iter_rows() for c in row if c.data_type == "f"}
    no_value = sorted(formulas - {cell.coordinate for cell in cells})
    unseen = [f"of row {name}" for name, each in sheet.row_dimensions.items() if each.hidden]
    unseen += [f"of column {n}" for n, each in hidden if each.hidden and each.min <= len(rows[0])]
    otherwise = [
        f"{cell.coordinate} ({cell.number_format})"
        for cell in cells
        if (cell.data_type == "n" and not AS_STORED.fullmatch(cell.number_format))
        or (cell.data_type == "s" and GROUPED.fullmatch(cell.value))
    ]
    for places, told in (
        (no_value, "have formulas without values; open the file in a spreadsheet and save it"),
        (list(map(str, sheet.merged_cells.ranges)), "are merged; unmerge them and fill each cell"),
        (unseen, "are hidden; show or delete them"),
        (otherwise, "have formatted numbers or numbers as text; use the format General"),
    ):
        if places:
            faults.add(f"cells {some(places)} {told}")
    return _framed([[_text_of(cell.value, options) for cell in row] for row in rows], "row")
