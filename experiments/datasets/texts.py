"""The texts of a user's file, whatever its format: a header, and rows with their places."""

import csv
import gzip
import io
import math
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.config import TableConfig
from experiments.datasets.dataset import DataError, Limits, shown, some
from experiments.datasets.faults import Faults

#: What an option calls the signs between the columns of a text file.
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t"}
#: Endings of files of text, and the first bytes of other files that are read.
TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", "")
OWN = {".xlsx": b"PK\x03\x04", ".parquet": b"PAR1", ".feather": b"ARROW1", ".gz": b"\x1f\x8b"}
#: First bytes of a file -> what it is.
BEGINNINGS = {
    b"PK\x03\x04": "a workbook (.xlsx) or an archive",
    b"\xd0\xcf\x11\xe0": "an old or locked workbook",
    b"\x1f\x8b": "packed by gzip (.csv.gz)",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ": "packed by xz",
    b"PAR1": "a Parquet file (.parquet)",
    b"ARROW1": "a Feather file (.feather)",
    b"\x89HDF": "an HDF5 file",
    b"MATLAB": "a file of MATLAB",
    b"%PDF-": "a document",
    b"<": "a web page or XML",
    b"{": "JSON or a document",
    b"[{": "JSON",
    b"version https://git-lfs": "a pointer of Git LFS in place of the table",
}
#: Formats of numbers that show what a cell holds, but for the number of digits.
AS_STORED = re.compile(r"General|@|[#,?]*[#0?](?:\.[0#?]+)?(?:E[+-]0+)?", re.IGNORECASE)
#: A number whose points may stand between thousands.
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
#: The beginning of a column in ARFF; liac-arff would leave backslashes in its name.
ATTRIBUTE = re.compile(r"""(@attribute\s+(?:'[^'"\\]*'|"[^'"\\]*"|[^\s'"\\{}]+))\s.*""", re.I)
#: Cells that a sheet may reach to; one that was formatted far out makes it huge.
MOST_CELLS = 20_000_000


def read_texts(path: str, options: TableConfig, faults: Faults, limits: Limits) -> pd.DataFrame:
    """Read a file into texts, "" where there is none; names are verbatim, and may repeat.

    The index has the place of each row, such as "line 2"; the attribute "is_loose" is true if a
    point may stand between thousands, as in a file of semicolons. What the file shows otherwise
    than it is, is added to the faults. `limits.max_gib` is that of the file, on disk and unpacked.

    Raises
    ------
    DataError
        If the file is not there, too large, damaged, of another format, or no rectangle.
    """
    file = Path(path)
    if path.startswith("~/") and not file.exists():
        file = Path.home() / path[2:]
    if not file.is_file():
        raise DataError(f"there is no file {file}; give its path, absolute or from {Path.cwd()}")
    limits.check(file, file.stat().st_size)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise DataError(f"the file {file} cannot be read; give yourself the right to") from error
    ending, start = file.suffix.lower(), raw[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    found = next((each for each in BEGINNINGS if start.startswith(each)), b"")
    if found != OWN.get(ending, b""):
        what = BEGINNINGS.get(found, f"no {ending}")
        faults.refuse(
            f"the file is {what} by its first bytes; give it the ending of its format, or save the "
            "table in it as .csv"
        )
    try:
        if ending == ".gz":
            with gzip.open(io.BytesIO(raw)) as content:
                raw, ending = content.read(limits.n_bytes + 1), Path(file.stem).suffix.lower()
            limits.check(file, len(raw))
        if ending == ".xlsx":
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                limits.check(file, sum(each.file_size for each in archive.infolist()))
            frame = _of_workbook(raw, options, faults)
        elif ending in (".parquet", ".feather"):
            frame = _of_arrow(raw, ending, options)
        elif ending == ".arff":
            frame = _of_arff(_lines(raw, options, faults), options, faults)
        elif ending in TEXT:
            frame = _of_lines(_lines(raw, options, faults), options, faults)
        else:
            faults.refuse(
                f"the ending {ending!r} of the file is none that is read; save it as .csv, .xlsx, "
                ".parquet, .feather or .arff, and give a table of text the ending .txt"
            )
    except DataError:
        raise
    except Exception:  # Readers raise whatever a damaged part leads to.
        faults.refuse("the file is damaged; put a whole copy in its place, or save it as .csv")
    return _trimmed(frame, faults)


def _trimmed(frame: pd.DataFrame, faults: Faults) -> pd.DataFrame:
    """The frame without empty rows and columns at the end."""
    is_filled, in_header = frame.to_numpy() != "", frame.columns.to_numpy(dtype=object) != ""
    if not in_header.any():
        faults.refuse("the header, in row 1, is empty; delete all that is before the table")
    if not is_filled.any():
        faults.refuse("the header, in row 1, is the only row; put a sample in each row below it")
    n = int(np.flatnonzero(is_filled.any(axis=1))[-1]) + 1
    d = int(np.flatnonzero(in_header | is_filled.any(axis=0))[-1]) + 1
    return frame.iloc[:n, :d]


def _lines(raw: bytes, options: TableConfig, faults: Faults) -> list[str]:
    """The lines of a text file: by its mark, else by the option, else in UTF-8."""
    encoding = options.encoding or "utf-8"
    if raw.startswith(b"\xef\xbb\xbf"):
        encoding = "utf-8-sig"
    elif raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    try:
        text = raw.decode(encoding)
    except LookupError:
        faults.refuse(f"there is no encoding {encoding!r} of a file; choose another")
    except UnicodeDecodeError as error:
        part = raw[max(0, error.start - 20) : error.start + 20].decode("cp1252", "replace")
        faults.refuse(
            f"line {raw.count(10, 0, error.start) + 1} is no {encoding}; dataset.encoding=cp1252 "
            f"reads it as {shown(' '.join(part.split()))}; is that wrong, save the file in UTF-8",
            encoding="cp1252",
        )
    lines = re.split(r"\r\n|\r|\n", text)
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            faults.refuse(
                f"line {number} has a zero byte; dataset.encoding=utf-16-le reads UTF-16 without a "
                "mark, else put a whole copy there"
            )
    return lines


def _of_lines(lines: list[str], options: TableConfig, faults: Faults) -> pd.DataFrame:
    """A table of text, by the one separator that makes all rows equally long."""
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    if not lines:
        faults.refuse("the file is empty; put a whole copy in its place")
    given = options.sep
    tried = SEPARATORS if given is None else {given: SEPARATORS.get(given, given)}
    if any(len(sign) != 1 or sign in '"\r\n' for sign in tried.values()):
        faults.refuse(f"dataset.sep={given} is no sign of a file; give comma, semicolon or tab")
    parsed = {name: _parsed(lines, sign) for name, sign in tried.items()}
    fit = [
        name
        for name, (rows, bad) in parsed.items()
        if not bad and len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
    ]
    if len(fit) > 1:
        told = " or ".join(f"dataset.sep={name}" for name in fit)
        faults.refuse(f"line 1: more than one sign keeps cells apart; {told} decides", sep=fit[0])
    if not fit:
        _refuse_lengths(lines, list(parsed.values()), faults)
    rows = parsed[fit[0]][0]
    frame = _framed(rows[0], rows[1:], "line", 2)
    frame.attrs["is_loose"] = tried[fit[0]] == ";"
    return frame


def _parsed(lines: list[str], sign: str) -> tuple[list[list[str]], int]:
    """The cells of the lines, up to a quoted cell that goes wrong, and where that is seen, or 0."""
    csv.field_size_limit(2**31 - 1)
    rows: list[list[str]] = []
    reader = csv.reader(lines, delimiter=sign, strict=True)
    try:
        for row in reader:
            if reader.line_num != len(rows) + 1:
                return rows, reader.line_num
            rows.append(row)
    except csv.Error:
        return rows, reader.line_num
    return rows, 0


def _refuse_lengths(lines: list[str], parsed: list, faults: Faults) -> None:
    """Refuse rows of different lengths, by the separator that makes most of them equally long."""

    def fitness(each: tuple[list[list[str]], int]) -> int:
        return Counter(len(row) for row in each[0] if len(row) > 1).most_common(1)[0][1]

    of_some = [each for each in parsed if any(len(row) > 1 for row in each[0])]
    if not of_some and not any(bad for _, bad in parsed):
        faults.refuse(
            "line 1 has no comma, semicolon or tab; save the table with one of them between cells"
        )
    rows, bad = max(of_some, key=fitness) if of_some else parsed[0]
    if bad:
        faults.refuse(
            f"line {len(rows) + 1}: a quotation mark opens a cell that goes on to line {bad}; "
            "remove the mark, or write the cell on one line"
        )
    usual = Counter(map(len, rows[1:] or rows)).most_common(1)[0][0]
    odd = [number for number, row in enumerate(rows, 1) if len(row) != usual]
    cure = "remove lines that are no rows (titles, comments, footers), and give all rows all cells"
    if odd == [1] and len(rows[0]) == usual - 1:
        cure = "name the first column too (R leaves it out), or remove a separator that ends rows"
    faults.refuse(
        f"line{'s' * (len(odd) > 1)} {some(odd)}: not the {usual} cells of other rows, but "
        f"{len(rows[odd[0] - 1])}: {shown(lines[odd[0] - 1])}; {cure}"
    )


def _framed(names: list[str], rows: list, word: str, first: int) -> pd.DataFrame:
    """The frame of rows of texts, whose first row has this number."""
    cells = np.empty((len(rows), len(names)), dtype=object)
    for i, row in enumerate(rows):
        cells[i] = row
    places = [f"{word} {first + i}" for i in range(len(rows))]
    return pd.DataFrame(cells, index=places, columns=pd.Index(names, dtype=object))


def _text_of(value: Any, options: TableConfig) -> str:
    """The text of a stored value; of a number with all digits and the table's decimal sign."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        is_whole = math.isfinite(value) and value.is_integer() and abs(value) < 2**53
        return str(int(value)) if is_whole else repr(value).replace(".", options.decimal or ".")
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _of_arrow(raw: bytes, ending: str, options: TableConfig) -> pd.DataFrame:
    """A Parquet or Feather file; the index that pandas has stored comes first."""
    from pyarrow import BufferReader, feather, parquet  # Each takes a while to import.

    table = (parquet if ending == ".parquet" else feather).read_table(BufferReader(raw))
    stored = (table.schema.pandas_metadata or {}).get("index_columns", [])
    order = sorted(range(table.num_columns), key=lambda j: table.column_names[j] not in stored)
    names = [re.sub(r"^__index_level_\d+__$", "", table.column_names[j]) for j in order]
    columns = [[_text_of(v, options) for v in table.column(j).to_pylist()] for j in order]
    return _framed(names, list(zip(*columns, strict=True)), "row", 1)


def _of_arff(lines: list[str], options: TableConfig, faults: Faults) -> pd.DataFrame:
    """A file of Weka's by liac-arff, which takes all columns as text."""
    import arff

    for at, line in enumerate(map(str.strip, lines)):
        if line.lower().startswith("@data"):
            break
        if line.lower().startswith("@attribute"):
            if (named := ATTRIBUTE.fullmatch(line)) is None:
                faults.refuse(f"line {at + 1}: {shown(line)} has an odd name; remove its signs")
            lines[at] = f"{named[1]} string"
    try:
        content = arff.loads("\n".join(lines))
    except Exception as error:
        faults.refuse(
            f"line {getattr(error, 'line', '?')} of the file is no ARFF with commas between values "
            "and without weights; remove these, or save the table as .csv"
        )
    rows = [[_text_of(value, options) for value in row] for row in content["data"]]
    return _framed([name for name, _ in content["attributes"]], rows, "row", 1)


def _of_workbook(raw: bytes, options: TableConfig, faults: Faults) -> pd.DataFrame:
    """A sheet of a workbook that shows what it holds."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(raw), data_only=True)
    size = {sheet.title: sheet.max_row * sheet.max_column for sheet in book.worksheets}
    if options.sheet not in size and (options.sheet is not None or len(size) != 1):
        hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
        told = f" ({some(map(shown, hidden))} hidden)" if hidden else ""
        faults.refuse(
            f"the file has the sheets {some(map(shown, size))}{told}; dataset.sheet=NAME names "
            "the one with the table",
            sheet=max(size, key=lambda name: size[name] * (name not in hidden), default=None),
        )
    sheet = book[options.sheet or next(iter(size))]
    if size[sheet.title] > MOST_CELLS:
        faults.refuse(f"the sheet reaches to row {sheet.max_row}; delete rows beyond the table")
    rows = list(sheet.iter_rows())
    if any(cell.value is None for row in rows for cell in row):
        written = openpyxl.load_workbook(io.BytesIO(raw), read_only=True)[sheet.title]
        formulas = {c.coordinate for row in written.iter_rows() for c in row if c.data_type == "f"}
        empty = [c.coordinate for row in rows for c in row if c.value is None]
        if without := [cell for cell in empty if cell in formulas]:
            faults.refuse(
                f"cells {some(without)} have a formula without a value; open the file in a "
                "spreadsheet and save it again"
            )
    _check_sheet(sheet, rows, faults)
    texts = [[_text_of(cell.value, options) for cell in row] for row in rows]
    return _framed(texts[0], texts[1:], "row", 2)


def _check_sheet(sheet: Any, rows: list, faults: Faults) -> None:
    """Add what a sheet shows otherwise than it is: merged, hidden and formatted cells."""
    if merged := [str(each) for each in sheet.merged_cells.ranges]:
        faults.add(f"cells {some(merged)} are merged; unmerge them, and fill each cell")
    hidden = [f"row {n}" for n, each in sheet.row_dimensions.items() if each.hidden]
    columns = sheet.column_dimensions.items()
    hidden += [f"column {n}" for n, each in columns if each.hidden and each.min <= len(rows[0])]
    if hidden:
        faults.add(f"{some(hidden)}: hidden cells; show them, or delete them")
    otherwise: dict[str, list[str]] = {}
    for cell in (cell for row in rows for cell in row if cell.value is not None):
        if cell.data_type == "n" and not AS_STORED.fullmatch(cell.number_format):
            otherwise.setdefault(repr(cell.number_format), []).append(cell.coordinate)
        if cell.data_type == "s" and THOUSANDS.fullmatch(cell.value):
            otherwise.setdefault("as text", []).append(cell.coordinate)
    for how, cells in otherwise.items():
        faults.add(f"cells {some(cells)} show numbers {how}; give them the format General")
