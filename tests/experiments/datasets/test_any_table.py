"""Any table that is written comes back as it was, or is refused; never as something else.

MANIFEST_EXAMPLES=20000 tries more tables than every run of the tests does.
"""

import csv
import io
import math
import os
import struct
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from experiments.datasets import DataError
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import read_table
from experiments.datasets.values import MISSING
from tests.cases import over

EXAMPLES = int(os.environ.get("MANIFEST_EXAMPLES", "400"))
USUAL = "abcdXYZ0123456789äß_ .-"
ODD = "\t\n\r\"'\\#%=<>/|,;:{}?()[]@+*\x01\x0b\x1a\x1c\x85\xa0\u0301\u200b\u2028\ufeff١漢😀"
CODES = ["007", "1,234", "567", "<0.5", "0_1", "1E3", "12345678901234567890", "a", "NA", "", "TRUE"]
CODES += ["1.5", "2,5", "3", "1.234", "-", "1e400", "inf", "12", "0x10", "١٢"]
LABELS = ["01", "1", "1E5", "10E4", "NA", "None", "a ", "A", "a"]
EXTREME = [0.0, -0.0, 5e-324, -2.2e-308, 1.7976931348623157e308, 1 / 3, 1e16, 2.0**53 + 2]


def plain(r: Random) -> str:
    return r.choice("aBxZß_") + "".join(r.choices(USUAL, k=r.randint(0, 8)))


def name(r: Random) -> str:
    """A usual name, or one of any signs but zero bytes and halves of a sign."""
    if r.random() < 0.5:
        return plain(r)
    anything = [chr(r.choice([r.randint(1, 0xD7FF), r.randint(0xE000, 0x10FFFF)])) for _ in "ab"]
    drawn = "".join(r.choices([*ODD, *USUAL, *anything], k=r.randint(1, 6)))
    return drawn.lstrip("\ufeff") or "a"  # At the start of a file it is a mark of the encoding.


def number(r: Random) -> str:
    drawn = [struct.unpack("<d", r.randbytes(8))[0], r.choice(EXTREME), r.randint(-(2**53), 2**53)]
    value = r.choice(drawn)
    return repr(value if math.isfinite(value) else 1e300)


def small(r: Random) -> str:
    return repr(r.choice([round(r.uniform(-1e4, 1e4), 3), r.randint(0, 2000)]))


CELLS = [
    number,
    small,
    lambda r: r.choice(["", small(r)]),
    lambda r: r.choice(CODES),
]


def table_of(r: Random) -> tuple[dict[str, list[str]], list[str]]:
    """The columns of a table, and its labels."""
    n, n_columns = r.randint(4, 7), r.randint(2, 5)
    names: dict[str, str] = {}
    while len(names) < n_columns:
        new = name(r)
        names.setdefault(new.strip(), new)
    cells = r.choice([CELLS, CELLS[:-1]])
    kinds = {own: r.choice(cells) for own in names.values()}
    classes = r.sample(list(dict.fromkeys([*LABELS, plain(r)])), 2)
    return {own: [cell(r) for _ in range(n)] for own, cell in kinds.items()}, (classes * n)[:n]


def stored(cells: list[str], r: Random) -> list:
    """The cells as a file with types may hold them: as numbers if all of them are plain ones."""
    are_plain = any(cells) and all(not cell or _is_plain(cell) for cell in cells)
    if are_plain and r.random() < 0.5:
        return [float(cell) if cell else None for cell in cells]
    return [cell or None for cell in cells]


def _is_plain(cell: str) -> bool:
    return _is_number(cell) and cell in (repr(float(cell)), repr(int(float(cell))))


def write(columns: dict[str, list[str]], form: str, r: Random, folder: Path) -> Path:
    """The file of a table."""
    rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
    names = "".join(columns)
    of_types = {own: stored(cells, r) for own, cells in columns.items()}
    if form == "xlsx" and "\r" not in names and not ILLEGAL_CHARACTERS_RE.search(names):
        book = openpyxl.Workbook()
        for typed in [list(of_types), *zip(*of_types.values(), strict=True)]:
            book.active.append(list(typed))
            for cell, value in zip(book.active[book.active.max_row], typed, strict=True):
                cell.data_type = "s" if isinstance(value, str) else "n"
        book.save(folder / "a.xlsx")
        return folder / "a.xlsx"
    if form in ("parquet", "feather"):
        module = {"parquet": pa.parquet.write_table, "feather": pa.feather.write_feather}[form]
        module(pa.table(of_types), str(folder / f"a.{form}"))
        return folder / f"a.{form}"
    if form == "arff":

        def quoted(text):
            return "'" + "".join(f"\\{sign}" if sign in "\\'" else sign for sign in text) + "'"

        head = [f"@attribute {quoted(own)} string" for own in columns]
        lines = [",".join(quoted(cell) if cell else "?" for cell in row) for row in rows[1:]]
        (folder / "a.arff").write_bytes("\n".join(["@relation r", *head, "@data", *lines]).encode())
        return folder / "a.arff"
    if form == "turned":
        head = ["gene", *(f"s{n}" for n in range(len(rows) - 1))]
        rows = [head, *map(list, zip(*rows, strict=True))]
    buffer = io.StringIO(newline="")
    # Before Python 3.13 the writer leaves a carriage return without the quotation marks it needs.
    all_quoted = "\r" in names or r.random() < 0.5
    writer = csv.writer(
        buffer,
        delimiter=r.choice("\t;,|"),
        quoting=csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL,
        lineterminator=r.choice(["\n", "\r\n"]),
    )
    writer.writerows(rows)
    encoding = r.choice(["utf-8", "utf-8-sig", "utf-16"])
    (folder / "a.csv").write_bytes(buffer.getvalue().encode(encoding))
    return folder / "a.csv"


def readings(text: str) -> set[float]:
    """The numbers that a text may be."""
    text = text.strip()
    if text.lower() in MISSING:
        return {np.nan}
    if text.lower() in ("true", "false"):
        return {float(text.lower() == "true")}
    texts = {text} if text.isascii() and "_" not in text else set()
    texts |= {text.replace(*pair) for pair in ((",", ""), (",", "."), (".", "")) if pair[0] in text}
    found = {float(each) for each in texts if _is_number(each)}
    return {value for value in found if not text.isdigit() or int(value) == int(text)}


def _is_number(text: str) -> bool:
    try:
        return np.isfinite(float(text))
    except ValueError:
        return False


@over("seed", range(EXAMPLES))
def comes_back_or_is_refused(seed, folder, read):
    """A table of that seed; one that comes back is appended to those that were read."""
    r = Random(seed)
    columns, labels = table_of(r)
    form = r.choice(["csv", "csv", "xlsx", "parquet", "feather", "arff", "turned"])
    file = write({**columns, "the labels": labels}, form, r, folder)
    try:
        options = TableOptions(missing="median", transpose=form == "turned")
        data = read_table(file, "the labels", options)
    except DataError:
        return
    rows, features = np.argsort(data.file_rows), list(data.feature_names or ())
    digits_of = (0.0, 1e-15)  # openpyxl writes 16 digits.
    assert data.file_rows[rows].tolist() == list(range(len(labels)))
    told = " ".join(data.notes)
    assert [data.label_names[int(v)] for v in data.y[rows]] == [text.strip() for text in labels]
    if data.row_names is not None and form != "turned":
        assert "row names" in told
        first = data.row_names[rows[0]]
        own = next(iter(columns.values()))[0]
        pairs = product(readings(first), readings(own))
        assert first == own or any(np.isclose(a, b, 1e-15, 0) for a, b in pairs)
    gone = [own for own in columns if own not in features]
    assert not gone or "left out" in told or "row names" in told
    assert [own for own in columns if own in features] == features
    for j, feature in enumerate(features):
        for text, value in zip(columns[feature], data.X[rows, j], strict=True):
            possible = list(readings(text))
            rounding = digits_of[form == "xlsx"]
            is_one = np.isclose(possible, value, rounding, 0, equal_nan=True).any()
            assert is_one, (feature, text, value)
    read.append(seed)


def test_any_table_comes_back_or_is_refused(tmp_path):
    read: list[int] = []
    comes_back_or_is_refused(folder=tmp_path, read=read)
    assert len(read) > EXAMPLES / 4
