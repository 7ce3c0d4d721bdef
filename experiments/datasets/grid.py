"""The cells of a user's file as texts: one header, one row below the other, each with its line."""

import csv
import gzip
import importlib
import io
import math
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.config import TableConfig
from experiments.datasets.dataset import DataError, Limits, shown, some

#: Signs between the columns of a text file -> what an option calls them.
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
#: Endings of files of text, and the first bytes of files that are none.
TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", "")
OWN = {".xlsx": b"PK\x03\x04", ".parquet": b"PAR1", ".feather": b"ARROW1", ".gz": b"\x1f\x8b"}
#: First bytes of a file under another name -> what it is, and what to do.
BEGINNINGS = {
    b"PK\x03\x04": "a workbook or an archive; give a workbook the ending .xlsx, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old or locked workbook; save it as .xlsx without a password",
    b"\x1f\x8b": "packed by gzip; give it the ending .csv.gz",
    b"BZh": "packed by bzip2; unpack it and use what is in it",
    b"\xfd7zXZ": "packed by xz; unpack it and use what is in it",
    b"PAR1": "a Parquet file; give it the ending .parquet",
    b"ARROW1": "a Feather file; give it the ending .feather",
    b"\x89HDF": "an HDF5 file; export the table as .csv",
    b"MATLAB": "a file of MATLAB; save the table by writetable(T, 'my.csv') there",
    b"%PDF-": "a document; export the table as .csv",
    b"{\\rtf": "a document; save the table as .csv",
    b"<": "a web page or XML; save the table in it as .csv",
    b'{"': "JSON; write the table as .csv by pandas",
    b"[{": "JSON; write the table as .csv by pandas",
    b"version https://git-lfs": "a pointer of Git LFS; put the file itself there by git lfs pull",
}
#: Formats of numbers that show what a cell holds, but for the number of digits.
AS_STORED = re.compile(r"General|@|[#,?]*[#0?](?:\.[0#?]+)?(?:E[+-]0+)?", re.IGNORECASE)
#: A number whose points may stand between thousands.
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
#: In the header of ARFF: the type of numbers at the end of a line, a line without escapes in its
#: name, and a quoted text.
KINDS = re.compile(r"\s(?:numeric|real|integer)$", re.IGNORECASE)
NAMED = re.compile(r"""@attribute\s+(?:'[^'"\\]*'|"[^'"\\]*"|[^\s'"\\]+)\s.*""", re.IGNORECASE)
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
#: Cells that a sheet may reach to; one that was formatted far out makes it huge.
MOST_CELLS = 20_000_000
#: Lines of a refusal before its command, and names that an option has in it at most.
MOST_LINES, MOST_NAMES = 9, 30


class Faults:
    """The faults of a file, each a sentence with its place, and the options that settle them.

    Parameters
    ----------
    path : str
    command : callable
        From options to the command to copy.
    """

    def __init__(self, path: str, command: Callable[[dict[str, Any]], str]) -> None:
        self.path, self.command = path, command
        self.told: list[str] = []
        self.settings: dict[str, Any] = {}

    def add(self, sentence: str, **settings: Any) -> None:
        """Add a fault, and options that settle it; lists grow, of other values the first stays."""
        self.told.append(" ".join(sentence.split()))
        for key, value in settings.items():
            known = self.settings.setdefault(key, value)
            if isinstance(value, list):
                self.settings[key] = list(dict.fromkeys([*known, *value]))

    def refuse(self, sentence: str = "", **settings: Any) -> NoReturn:
        """Raise a DataError with all faults, in ten lines at most; the last is a whole command."""
        if sentence:
            self.add(sentence, **settings)
        lines = self.told
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} faults more"]
        known = self.settings.items()
        short = {k: v for k, v in known if not isinstance(v, list) or len(v) <= MOST_NAMES}
        raise DataError("\n".join([f"{self.path}: {lines[0]}", *lines[1:], self.command(short)]))


@dataclass
class Grid:
    """The texts of a table.

    Attributes
    ----------
    names : list of str
        The header, verbatim.
    cells : ndarray of object (n_rows, n_columns)
        Texts, "" where there is none.
    lines : list of int (n_rows,)
        The number of each row in the file.
    word : str
        What a row is called in the file: line or row.
    is_loose : bool
        True if a point may stand between thousands, as in a file of semicolons.
    """

    names: list[str]
    cells: npt.NDArray
    lines: list[int]
    word: str = "line"
    is_loose: bool = False


def read_grid(path: Path, options: TableConfig, faults: Faults, limits: Limits) -> Grid:
    """Read a file into texts.

    Parameters
    ----------
    path : Path
    options : TableConfig
        `sep`, `encoding`, `decimal` and `sheet` are used.
    faults : Faults
        What the file shows otherwise than it is, is added to them.
    limits : Limits
        Its `max_gib` is that of the file, on disk and unpacked.

    Raises
    ------
    DataError
        If the file is not there, too large, damaged, of another format, or no rectangle.
    """
    if not path.is_file():
        raise DataError(f"there is no file {path}; give its path, absolute or from {Path.cwd()}")
    try:
        limits.check(path, path.stat().st_size)
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"the file {path} cannot be read ({error.strerror}); give it to you"
        ) from error
    ending = path.suffix.lower()
    own = OWN.get(ending)
    start = raw[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if ending in (".npz", ".mat"):
        faults.refuse("the file holds arrays; write them as .csv by pandas, with names of columns")
    for beginning, what in BEGINNINGS.items():
        if start.startswith(beginning) and beginning != own:
            faults.refuse(f"the file is {what}")
    if own is not None and not raw.startswith(own):
        faults.refuse(
            f"the file is no {ending} by its first bytes; give it the ending of its format"
        )
    if ending == ".gz":
        raw, ending = _unpacked(path, limits, faults), Path(path.stem).suffix.lower()
    if ending in TEXT:
        grid = _text(_decoded(raw, options, faults), options, faults)
    elif ending == ".arff":
        grid = _arff(_decoded(raw, options, faults), options, faults)
    elif ending == ".xlsx":
        grid = _workbook(path, options, faults, limits)
    elif ending in (".parquet", ".feather"):
        grid = _arrow(path, options, faults)
    else:
        faults.refuse(
            f"the ending {ending!r} of the file is none that is read; save it as .csv, .xlsx, "
            ".parquet, .feather or .arff, and give a table of text the ending .txt"
        )
    return _trimmed(grid, faults)


def _unpacked(path: Path, limits: Limits, faults: Faults) -> bytes:
    try:
        with gzip.open(path) as content:
            raw = content.read(limits.n_bytes + 1)
    except (OSError, EOFError, ValueError):
        faults.refuse("the file is damaged; put a whole copy in its place")
    limits.check(path, len(raw))
    return raw


def _trimmed(grid: Grid, faults: Faults) -> Grid:
    """The grid without empty rows and columns at its end."""
    (n, d), names, cells = grid.cells.shape, grid.names, grid.cells
    while n and not any(cells[n - 1]):
        n -= 1
    while d and not names[d - 1] and not any(cells[:n, d - 1]):
        d -= 1
    if not any(names):
        faults.refuse(f"{grid.word} 1, the header, is empty; delete all that is before the table")
    if not n:
        faults.refuse(f"{grid.word} 1 is the only one; put a sample in each row below it")
    return Grid(names[:d], cells[:n, :d], grid.lines[:n], grid.word, grid.is_loose)


def _decoded(raw: bytes, options: TableConfig, faults: Faults) -> str:
    """The text of a file: by its mark, else by the option, else as UTF-8."""
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
        line = raw.count(b"\n", 0, error.start) + 1
        part = raw[max(0, error.start - 20) : error.start + 20].decode("cp1252", "replace")
        part = part.replace("\n", " ")
        faults.refuse(
            f"line {line} is no {encoding}; dataset.encoding=cp1252 reads it as {shown(part)}; if "
            "that is wrong, name another encoding, or save the file in UTF-8",
            encoding="cp1252",
        )
    if "\0" in text:
        faults.refuse(
            f"line {text.count(chr(10), 0, text.index(chr(0))) + 1} has a zero byte; "
            "dataset.encoding=utf-16-le reads UTF-16 without a mark, else put a whole copy there",
            **({"encoding": "utf-16-le"} if text[1::2].count("\0") > len(text) / 4 else {}),
        )
    return text


def _text(text: str, options: TableConfig, faults: Faults) -> Grid:
    """A table of text: pandas reads it, once one separator makes all rows equally long."""
    lines = re.split(r"\r\n|\r|\n", text)
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    if not lines:
        faults.refuse("the file is empty; put a whole copy in its place")
    sep = _separator(lines, options.sep, faults)
    header = next(csv.reader(lines[:1], delimiter=sep))
    frame = pd.read_csv(
        io.StringIO("\n".join(lines)),
        sep=sep,
        header=None,
        dtype=object,
        na_filter=False,
        skip_blank_lines=False,
    )
    cells = frame.to_numpy(dtype=object)
    if cells.shape != (len(lines), len(header)) or cells[0].tolist() != header:
        faults.refuse("line 1 has other cells for a second reader; remove its quotes and odd signs")
    return Grid(header, cells[1:], list(range(2, len(lines) + 1)), is_loose=sep == ";")


def _separator(lines: list[str], given: str | None, faults: Faults) -> str:
    """The sign that makes all rows equally long; the option decides if two do."""
    csv.field_size_limit(sys.maxsize)
    named = {name: sign for sign, name in SEPARATORS.items()} | {"\\t": "\t"}
    tried = list(SEPARATORS) if given is None else [named.get(given, given)]
    if any(len(sign) != 1 for sign in tried):
        faults.refuse(f"dataset.sep={given} is no sign of a file; give comma, semicolon or tab")
    counted = {sign: _lengths(lines, sign) for sign in tried}
    fit = [s for s, (n, bad) in counted.items() if not bad and n[0] > 1 and len(set(n)) == 1]
    if len(fit) > 1:
        names = [SEPARATORS[sign] for sign in fit]
        told = " or ".join(f"dataset.sep={name}" for name in names)
        faults.refuse(f"line 1: more than one sign keeps cells apart; {told} decides", sep=names[0])
    if fit:
        return fit[0]
    modes = {s: Counter(n).most_common(1)[0] for s, (n, _) in counted.items() if n}
    sign = max(tried, key=lambda s: modes[s][::-1] if modes.get(s, (0, 0))[0] > 1 else (0, 0))
    lengths, bad = counted[sign]
    if bad:
        faults.refuse(
            f"line {bad[0]}: a quotation mark opens a cell that goes on to line {bad[1]}"
            "; remove the mark, or write the cell on one line"
        )
    if max(lengths) < 2:
        faults.refuse(
            "line 1 has no comma, semicolon or tab; save the table with one of them between cells"
        )
    usual = Counter(lengths[1:] or lengths).most_common(1)[0][0]
    odd = [number for number, length in enumerate(lengths, 1) if length != usual]
    cure = "remove lines that are no rows (titles, comments, footers), and give all rows all cells"
    if odd == [1] and lengths[0] == usual - 1:
        cure = "name the first column too (R leaves it out), or remove a separator that ends rows"
    faults.refuse(
        f"line{'s' * (len(odd) > 1)} {some(odd)}: not the {usual} cells of other rows, but "
        f"{lengths[odd[0] - 1]}: {shown(lines[odd[0] - 1])}; {cure}"
    )


def _lengths(lines: list[str], sign: str) -> tuple[list[int], tuple[int, int] | None]:
    """The number of cells of each line, and where a quoted cell goes wrong."""
    lengths: list[int] = []
    reader = csv.reader(lines, delimiter=sign, strict=True)
    try:
        for row in reader:
            if reader.line_num != len(lengths) + 1:
                return lengths, (len(lengths) + 1, reader.line_num)
            lengths.append(len(row))
    except csv.Error:
        return lengths, (len(lengths) + 1, reader.line_num)
    return lengths, None


def _text_of(value: Any, decimal: str | None) -> str:
    """The text of a stored value; of a number with all digits and the table's decimal sign."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        is_whole = math.isfinite(value) and value.is_integer() and abs(value) < 2**53
        return str(int(value)) if is_whole else repr(value).replace(".", decimal or ".")
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _of_values(names: list[str], rows: list, options: TableConfig, first: int = 1) -> Grid:
    """The grid of stored values, whose first row has this number."""
    cells = np.empty((len(rows), len(names)), dtype=object)
    for i, row in enumerate(rows):
        cells[i] = [_text_of(value, options.decimal) for value in row]
    return Grid(names, cells, list(range(first, len(rows) + first)), "row")


def _imported(name: str, package: str, faults: Faults) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        faults.refuse(f"the file needs {package} (pip install {package}); else save it as .csv")


def _arrow(path: Path, options: TableConfig, faults: Faults) -> Grid:
    """A Parquet or Feather file; the index that pandas has stored comes first."""
    module = _imported(f"pyarrow.{path.suffix.lower()[1:]}", "pyarrow", faults)
    try:
        table = module.read_table(path)
        columns = [column.to_pylist() for column in table.columns]
        stored = (table.schema.pandas_metadata or {}).get("index_columns", [])
    except (OSError, ValueError, TypeError, LookupError, NotImplementedError):
        faults.refuse("the file is damaged; put a whole copy in its place, or save it as .csv")
    names = table.column_names
    order = sorted(range(len(columns)), key=lambda j: names[j] not in stored)
    names = [re.sub(r"^__index_level_\d+__$", "", names[j]) for j in order]
    rows = list(zip(*(columns[j] for j in order), strict=True))
    return _of_values(names, rows, options)


def _arff(text: str, options: TableConfig, faults: Faults) -> Grid:
    """A file of Weka's in the dialect of liac-arff, which is given texts where it reads numbers."""
    arff = _imported("arff", "liac-arff", faults)
    lines = re.split(r"\r\n|\r|\n", text)
    for at, line in enumerate(map(str.strip, lines)):
        if line.lower().startswith("@data"):
            break
        if not line.lower().startswith("@attribute"):
            continue
        lines[at] = KINDS.sub(" string", line)
        if not NAMED.fullmatch(line):  # liac-arff would leave backslashes in the name.
            faults.refuse(
                f"line {at + 1}: {shown(line)} has an odd name; remove its marks and signs"
            )
        # On other lists of values the pattern of liac-arff takes exponential time.
        values = QUOTED.sub("q", line.partition("{")[2])
        if values and (values[-1] != "}" or re.search(r"[^,\s]\s+[^,\s}]", values)):
            faults.refuse(
                f"line {at + 1}: {shown(line)} is no list of values in braces; put quotation marks "
                "about values with blanks, and remove what follows the brace"
            )
    try:
        content = arff.loads("\n".join(lines))
    except (arff.ArffException, ValueError, LookupError, StopIteration, csv.Error) as error:
        number = getattr(error, "line", 0)
        line = f"line {number}" if number > 0 else "the file"
        faults.refuse(
            f"{line} is no ARFF with commas between values, without ranges, weights and "
            "comments in a line; remove these, or save the table as .csv"
        )
    return _of_values([name for name, _ in content["attributes"]], content["data"], options)


def _workbook(path: Path, options: TableConfig, faults: Faults, limits: Limits) -> Grid:
    """A sheet of a workbook that shows what it holds."""
    openpyxl = _imported("openpyxl", "openpyxl", faults)
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check(path, sum(each.file_size for each in archive.infolist()))
        book = openpyxl.load_workbook(path, data_only=True)
    except DataError:
        raise
    except Exception:  # openpyxl raises whatever a damaged part leads to.
        faults.refuse("the file is damaged; put a whole copy in its place, or save it as .csv")
    names = [sheet.title for sheet in book.worksheets]
    if options.sheet not in names and (options.sheet is not None or len(names) != 1):
        hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
        size = {
            s.title: s.max_row * s.max_column * (s.title not in hidden) for s in book.worksheets
        }
        told = f" ({some(map(shown, hidden))} hidden)" if hidden else ""
        faults.refuse(
            f"the file has the sheets {some(map(shown, names))}{told}; dataset.sheet=NAME names "
            "the one with the table",
            sheet=max(size, key=size.__getitem__, default=None),
        )
    sheet = book[options.sheet or names[0]]
    if sheet.max_row * sheet.max_column > MOST_CELLS:
        faults.refuse(f"the sheet reaches to row {sheet.max_row}; delete rows beyond the table")
    rows = list(sheet.iter_rows())
    _check_sheet(sheet, rows, faults)
    values = [[cell.value for cell in row] for row in rows]
    if any(None in row for row in values):
        written = openpyxl.load_workbook(path, read_only=True)[sheet.title]
        for row, own in zip(written.iter_rows(), values, strict=False):
            for cell, value in zip(row, own, strict=False):
                if value is None and cell.data_type == "f":
                    faults.refuse(
                        f"cell {cell.coordinate} has a formula without a value; open the file in a "
                        "spreadsheet and save it again"
                    )
    header = [_text_of(value, options.decimal) for value in (values or [[]])[0]]
    return _of_values(header, values[1:], options, first=2)


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
            otherwise.setdefault(f"by the format {cell.number_format!r}", []).append(
                cell.coordinate
            )
        if cell.data_type == "s" and THOUSANDS.fullmatch(cell.value):
            otherwise.setdefault("as text", []).append(cell.coordinate)
    for how, cells in otherwise.items():
        faults.add(
            f"cells {some(cells)} show numbers {how}, so that it is open what they mean; give them "
            "the format General, and write plain numbers"
        )
