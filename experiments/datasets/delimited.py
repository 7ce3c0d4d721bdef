"""Tables as text: encoding, separator and quotes are detected, and every cell stays a text.

The reader of the standard library, `csv`, splits lines strictly. What stands around the table is
found in `layout`, and what the texts mean in `values`.
"""

import codecs
import csv
import io
import re
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

from experiments.datasets.columns import Columns, TableOptions
from experiments.datasets.dataset import Damaged, DataError
from experiments.datasets.layout import Record, rectangle
from experiments.datasets.matrices import gct, geo
from experiments.datasets.wording import shown, some

#: Separators that are tried, the first of equally good ones first; two spaces stand for any blanks.
CALLED = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars"}
CALLED |= dict.fromkeys((" ", "  "), "blanks")
#: Names under which a user may give a separator that a command line does not take easily.
SPELLED = {"tab": "\t", r"\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "bar": "|"}
#: Marks at the start of a file, longest first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with mark"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
#: Lines that decide on the separator.
SAMPLE = 60


def parse(content: bytes, kind: str, options: TableOptions, path: Path) -> Columns:
    """The columns of a text, which are texts.

    Parameters
    ----------
    content : bytes
    kind : str
        The suffix: what the file claims to be.
    options : TableOptions
        What overrides the detection.
    path : Path
        For errors.

    Raises
    ------
    DataError
        If the text cannot be decoded as asked for, or the first line holds numbers.
    Damaged
        If rows differ in length, or quotation marks do not match.
    """
    text, encoding = decoded(content, options.encoding, path)
    notes = []
    if "\0" in text:
        raise Damaged(
            "it has zero bytes, and is no text; export the table as .csv, or if it is UTF-16, add "
            "dataset.encoding=utf-16-le"
        )
    if text.rstrip("\r\n").endswith("\x1a"):  # The end of a file of DOS.
        text = text.rstrip("\r\n").rstrip("\x1a")
        notes.append("a Ctrl-Z at the end of the file was left out")
    lines = list(io.StringIO(text, newline=""))
    options.check_skip(path, len(lines), "line")
    if skipped := options.skipped:
        lines = ["\n" if at in skipped else line for at, line in enumerate(lines, 1)]
        notes.append(f"{len(skipped)} lines were left out as asked for by dataset.skip")
    given = re.fullmatch(r'"?sep=(.)"?[;,\t|]*\s*', next(iter(lines), ""), re.IGNORECASE)
    if given:
        lines[0] = "\n"
    sample = [line for line in lines if line.strip()][:SAMPLE]
    if not sample:
        raise Damaged("it is empty")
    quote = options.quote or ("'" if re.match(r"\s*'[^',;\t|]*'\s*\W", sample[0]) else '"')
    separator = SPELLED.get(options.separator or "", options.separator)
    separator = sign = separator or (given[1] if given else _separator(sample, quote))
    guessed = encoding in ("Windows-1252", "Latin-1") and options.encoding is None
    if guessed and (signs := re.search(r"\w*[^\0-\x7f]\w*", text)):
        notes.append(
            f"no mark names the encoding; it was taken as {encoding}, by which a text is "
            f"{shown(signs[0])} (dataset.encoding names another one)"
        )
    if separator == "  ":
        lines, sign = ["\t".join(_tokens(line)) + "\n" for line in lines], "\t"
    elif len(separator) != 1:
        raise DataError(f"{path}: dataset.separator must be one character, got {separator!r}")
    said = [
        "text" if kind == ".txt" else kind[1:],
        f"columns apart by {CALLED.get(separator, repr(separator))}",
        *([f"quoted by {quote}"] if any(quote in line for line in lines[:SAMPLE]) else []),
        encoding,
    ]
    for form in (geo, gct):
        if columns := form(lines, lambda part, first: records(part, sign, quote, first)):
            return columns
    rows = records(lines, sign, quote, notes=notes)
    enclosed = [r for r in rows if len(r.cells) == 1 and re.search(r"[,;\t|]", r.cells[0])]
    if 2 * len(enclosed) > len(rows) and any(quote in line for line in sample):
        raise Damaged(
            f"line {enclosed[0].line} and {len(enclosed) - 1} more are a single cell, since "
            f"quotation marks ({quote}) enclose them as a whole; remove these marks"
        )
    found = rectangle(rows, "line", separator=separator, is_turned=options.transpose)
    names = found.names
    if names[0] and all(re.fullmatch(r"[-+.,\deE]+", name.strip()) for name in names):
        raise DataError(
            f"{path}: the first line with a value for each column has numbers only, but should "
            f"name the columns (it starts with {', '.join(names[:3])})"
        )
    columns = found.columns(", ".join(said), "line", notes)
    return replace(columns, semicolons=separator == ";")


def records(
    lines: list[str], sign: str, quote: str, first: int = 1, notes: list[str] | None = None
) -> list[Record]:
    """The records of lines, each with the number of the line where it begins.

    A sentence on cells of several lines is added to the notes.

    Raises
    ------
    Damaged
        If a quotation mark has no partner, or swallows lines that are rows by themselves.
    """
    csv.field_size_limit(sys.maxsize)
    plain = quote == "none"
    padded = not plain and any(f"{sign} {quote}" in line for line in lines[:SAMPLE])
    quoting: dict[str, Any] = (
        {"quoting": csv.QUOTE_NONE} if plain else {"quotechar": quote, "skipinitialspace": padded}
    )
    reader = csv.reader(lines, delimiter=sign, strict=True, **quoting)
    advice = (
        "if quotation marks are a part of the text, add dataset.quote=none; if they enclose "
        f"cells, write those within a cell twice ({quote}{quote})"
    )
    found: list[Record] = []
    spans, before = [], 0
    try:
        for cells in reader:
            found.append(Record(first + before, cells))
            if reader.line_num > before + 1:
                spans.append((before, reader.line_num))
            before = reader.line_num
    except csv.Error as error:
        raise Damaged(
            f"quotation marks ({quote}) do not match in the row that begins in line "
            f"{first + before} ({shown(lines[before].strip())}); {advice}"
        ) from error
    width = Counter(len(record.cells) for record in found).most_common(1)[0][0] if found else 0
    for start, end in spans:
        counts = [line.rstrip(f"\r\n{sign}").count(sign) for line in lines[start:end]]
        filled = [n for n, line in zip(counts, lines[start:end], strict=True) if line.strip()]
        # A row may have lost empty cells at its end; a line of prose has few signs by chance.
        are_rows = width > 1 and all(n == width - 1 for n in filled)
        if are_rows or (width > 2 and any(n == width - 1 for n in counts[1:-1])):
            raise Damaged(
                f"a quotation mark encloses lines {first + start} to {first + end - 1}, but some "
                f"are rows by themselves; {advice}"
            )
    if spans and notes is not None:
        told = [f"{first + start} to {first + end - 1}" for start, end in spans]
        notes.append(f"a row in quotation marks has several lines: lines {some(told)}")
    return found


def decoded(content: bytes, encoding: str | None, path: Path) -> tuple[str, str]:
    """The text, and the name of its encoding as a person calls it.

    Without a mark, text with zeros among every other byte alone is UTF-16. What is not UTF-8 is
    Windows-1252 if it has bytes that are no characters of Latin-1, else Latin-1.

    Raises
    ------
    DataError
        If it is none of them, or not in the encoding that is given.
    """
    for mark, name, called in MARKS:
        if content.startswith(mark) and encoding in (None, name, name[:6], "utf-8", "utf-8-sig"):
            return _decode(content[len(mark) :], name, path), called
    if encoding is not None:
        return _decode(content, encoding, path), encoding
    sides = content[1:1000:2], content[:1000:2]
    for name, zeros, others in (("utf-16-le", *sides), ("utf-16-be", *sides[::-1])):
        # Blanks, digits and separators have a zero on one side.
        if 10 * zeros.count(0) > len(zeros) and zeros.count(0) > 4 * others.count(0):
            with suppress(UnicodeDecodeError):
                return content.decode(name), "UTF-16"
    try:
        return content.decode("utf-8"), "UTF-8"
    except UnicodeDecodeError as error:
        _refuse_damage(content, error, path)
    text = content.decode("latin-1")
    if "\0" in text or not re.search("[\x80-\x9f]", text):
        return text, "Latin-1"
    try:
        return content.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: its text is neither UTF-8 nor Windows-1252; dataset.encoding names another "
            "encoding, such as cp1250, shift_jis or mac_roman"
        ) from error


def _refuse_damage(content: bytes, error: UnicodeDecodeError, path: Path) -> None:
    """Raise a DataError if a few bytes are wrong in UTF-8, which other text seldom looks like."""
    mixed = content.decode("utf-8", "surrogateescape")
    wrong = sum("\udc80" <= sign <= "\udcff" for sign in mixed)
    if sum(sign > "\x7f" for sign in mixed) > 2 * wrong:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}: the text is UTF-8, but line {line} has the byte 0x{content[error.start]:02x},"
            " which is not; mend it, or name another encoding by dataset.encoding"
        ) from error


def _decode(content: bytes, encoding: str, path: Path) -> str:
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise DataError(
            f"{path}: there is no encoding {encoding!r}; dataset.encoding may be utf-8, utf-16, "
            "latin-1 or another one that Python knows"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: its text is not {encoding}; leave dataset.encoding out to have it detected"
        ) from error


def _tokens(line: str) -> list[str]:
    """The cells of a line that any blanks keep apart."""
    return re.findall(r'"(?:[^"]|"")*"|[^ \t\r\n]+', line)


def _count(line: str, separator: str, quote: str) -> int:
    if quote in line:
        line = re.sub(f"{quote}[^{quote}]*{quote}", "_", line)
    return len(_tokens(line)) - 1 if separator == "  " else line.rstrip("\r\n").count(separator)


def _separator(lines: list[str], quote: str) -> str:
    """The separator that the first line has, and all rows equally often.

    Blanks must be in the first line as often as in the rows, or once less or more. If none is so
    regular, the best one of those between lines before the header; and then the most regular one,
    so that whoever reads on can say which rows differ.
    """
    counts = {sign: [_count(line, sign, quote) for line in lines] for sign in CALLED}
    usual: dict[str, int] = {}
    share: dict[str, float] = {}
    for sign, found in counts.items():
        times = Counter(n for n in found if n)
        usual[sign] = max(times, key=lambda n: (times[n], n), default=0)
        share[sign] = sum(n == usual[sign] for n in found) / len(found)
    # Names and texts may hold blanks, so that these come last.
    groups = [list(CALLED)[:4], [" "], ["  "]]
    if any(re.search(r"[^ ]  +[^ ]", line) for line in lines):  # Aligned text.
        groups[1:] = groups[:0:-1]
    groups = [[sign for sign in group if usual[sign]] for group in groups]

    # Comments have no sign of the first group, and the header may be there again.
    each = zip(lines, *(counts[sign] for sign in groups[0]), strict=True)
    is_row = [any(found) and line.strip() != lines[0].strip() for line, *found in each]

    def is_near(sign: str) -> bool:
        return abs(counts[sign][0] - usual[sign]) <= 1

    def is_regular(sign: str) -> bool:
        first, *others = counts[sign]
        if sign in groups[0]:
            others = list(compress(others, is_row[1:]))
        elif not is_near(sign):
            return False
        return first > 0 and share[sign] >= 0.5 and all(n == usual[sign] for n in others)

    for group in groups:
        if regular := list(filter(is_regular, group)):
            return max(regular, key=lambda sign: (is_near(sign), usual[sign]))
    for least in (0.5, 0.0):
        for group in groups:
            if good := [sign for sign in group if share[sign] > least]:
                return max(good, key=lambda sign: (share[sign], usual[sign]))
    return ","
