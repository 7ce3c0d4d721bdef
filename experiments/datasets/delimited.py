"""Tables as text: separator, decimal sign, encoding and quoting are detected, then pyarrow reads.

The first line names the columns. R writes no name above the row names, so that its first line is
one value shorter than the others; such a column gets an empty name.
"""

import codecs
import csv
import re
from pathlib import Path
from typing import Any

from experiments.datasets.columns import TableOptions
from experiments.datasets.dataset import Damaged, DataError

#: Separators that are tried, the first of equally good ones first; two spaces stand for any blanks.
SEPARATORS = ("\t", ";", ",", "|", " ", "  ")
CALLED = {
    "\t": "tabs",
    ";": "semicolons",
    ",": "commas",
    "|": "bars",
    " ": "blanks",
    "  ": "blanks",
}
#: Names under which a user may give a separator that a command line does not take easily.
SPELLED = {"tab": "\t", r"\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "bar": "|"}
#: Marks at the start of a file, longest first.
MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8 with mark"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
#: Lines that decide on the separator.
SAMPLE = 30
GAPS = ["", "#N/A", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "?", "#NA", "-nan", "-NaN"]


def parse(
    content: bytes, kind: str, options: TableOptions, path: Path
) -> tuple[list[str], Any, str]:
    """The names of the columns, the columns as a table of pyarrow, and what was detected.

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
        If rows differ in length.
    """
    import pyarrow as pa
    import pyarrow.csv

    text, encoding = decoded(content, options.encoding, path)
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\n")
    lines = [line for line in text[: 1 << 24].splitlines() if line.strip()][: SAMPLE + 1]
    if not lines:
        raise Damaged("it is empty")
    quote = options.quote or ("'" if re.match(r"\s*'[^']*'\s*\W", lines[0]) else '"')
    separator = SPELLED.get(options.separator or "", options.separator) or _separator(lines, quote)
    sign = separator
    if separator == "  ":
        text = "\n".join("\t".join(line.split()) for line in text.splitlines())
        lines, sign = ["\t".join(line.split()) for line in lines], "\t"
    if len(sign) != 1:
        raise DataError(f"{path}: dataset.separator must be one character, got {separator!r}")
    counts = [_count(line, sign, quote) for line in lines]
    unnamed = len(counts) > 1 and all(count == counts[0] + 1 for count in counts[1:])
    fields = next(csv.reader([lines[0]], delimiter=sign, quotechar=quote))
    names = [""] * unnamed + [field.strip() for field in fields]
    if names and all(re.fullmatch(r"[-+.,\deE]+", name) for name in names):
        raise DataError(
            f"{path}: the first line has numbers only, but should name the columns "
            f"(it starts with {', '.join(names[:3])})"
        )
    decimal = options.decimal or _decimal(text, sign, quote)
    data = text.encode()
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(data),
            # One block: types are inferred from the whole file, not from its first megabyte.
            read_options=pa.csv.ReadOptions(
                use_threads=False,
                block_size=max(1 << 20, len(data) + 1),
                column_names=[str(i) for i in range(len(names))],
                skip_rows_after_names=1,
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=sign, quote_char=quote, newlines_in_values=quote in text
            ),
            convert_options=pa.csv.ConvertOptions(
                strings_can_be_null=True, decimal_point=decimal, null_values=GAPS
            ),
        )
    except pa.ArrowInvalid as error:
        found = re.search(r"Expected (\d+) columns, got (\d+)", str(error))
        if found is None:
            raise
        raise Damaged(f"a row has {found[2]} values where the header names {found[1]}") from error
    said = [
        "text" if kind == ".txt" else kind[1:],
        f"columns apart by {CALLED.get(separator, repr(separator))}",
        *(["decimal comma"] if decimal == "," else []),
        *([f"quoted by {quote}"] if any(quote in line for line in lines) else []),
        encoding,
    ]
    return names, table, ", ".join(said)


def decoded(content: bytes, encoding: str | None, path: Path) -> tuple[str, str]:
    """The text, and the name of its encoding as a person calls it.

    Without a mark, text with zeros in every other byte is UTF-16; what is not UTF-8 is Latin-1,
    in which every byte is a character.
    """
    for mark, name, called in MARKS:
        if content.startswith(mark) and encoding in (None, name, "utf-16", "utf-8", "utf-8-sig"):
            return _decode(content[len(mark) :], name, path), called
    if encoding is not None:
        return _decode(content, encoding, path), encoding
    start = content[:1000]
    for name, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if zeros and zeros.count(0) > 0.7 * len(zeros):
            return _decode(content, name, path), "UTF-16"
    try:
        return content.decode("utf-8"), "UTF-8"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "Latin-1"


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


def _count(line: str, separator: str, quote: str) -> int:
    if quote in line:
        line = re.sub(f"{quote}[^{quote}]*{quote}", "", line)
    return len(line.split()) - 1 if separator == "  " else line.count(separator)


def _separator(lines: list[str], quote: str) -> str:
    """The most frequent one of the first line that others have as often, or once more."""
    counts = {sign: [_count(line, sign, quote) for line in lines] for sign in SEPARATORS}
    alike = {
        sign: header
        for sign, (header, *others) in counts.items()
        if header and set(others) in ({header}, {header + 1}, set())
    }
    # Names and texts may hold blanks, so that these come last.
    for signs in (SEPARATORS[:4], SEPARATORS[4:5], SEPARATORS[5:]):
        if found := {sign: alike[sign] for sign in signs if sign in alike}:
            return max(found, key=lambda sign: found[sign])
    # Rows of different lengths: the reader will say which.
    return max((",", "\t", ";"), key=lambda sign: counts[sign][0])


def _decimal(text: str, separator: str, quote: str) -> str:
    """The sign in the first number with a fraction."""
    around = rf"(?:^|{re.escape(separator)}) *{quote}?[-+]?\d*({{}})\d+(?:[eE][-+]?\d+)?{quote}? *"
    around += rf"(?={re.escape(separator)}|$)"
    body = text[text.find("\n") + 1 :]
    if separator == ",":  # a comma is then a decimal only between quotes
        if quote not in body:
            return "."
        around = rf"{quote}[-+]?\d*({{}})\d+(?:[eE][-+]?\d+)?{quote}"
    comma = re.search(around.format(","), body, flags=re.MULTILINE)
    if comma is None:
        return "."
    point = re.search(around.format(r"\."), body, flags=re.MULTILINE)
    return "." if point else ","
