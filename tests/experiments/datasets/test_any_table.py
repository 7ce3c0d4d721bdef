"""Any table that is written comes back as it was, or is refused; never as something else.

MANIFEST_EXAMPLES=20000 tries more tables than every run of the tests does.
"""

import csv
import io
import os
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import openpyxl
import pandas as pd
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from experiments.datasets import DataError
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import read_table
from experiments.datasets.values import MISSING

EXAMPLES = int(os.environ.get("MANIFEST_EXAMPLES", "300"))
signs = st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\0")
plain = st.from_regex(r"[A-Za-zäß_][\w .-]{0,8}", fullmatch=True)
name = plain | st.text(signs, min_size=1, max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60)
small = st.floats(-1e4, 1e4).map(lambda value: round(value, 3)) | st.integers(0, 2000)
codes = ["007", "1,234", "567", "<0.5", "0_1", "1E3", "12345678901234567890", "a", "NA", "", "TRUE"]
codes += ["1.5", "2,5", "3", "1.234", "-", "1e400", "inf", "12", "0x10", "١٢"]
label = plain | st.sampled_from(["01", "1", "1E5", "10E4", "NA", "None", "a ", "A", "a"])


class Written(NamedTuple):
    """Names and texts of a table, its labels, and the form of its file."""

    names: list[str]
    columns: list[list[str]]
    labels: list[str]
    form: str
    separator: str
    quoting: Literal[0, 1]
    encoding: str
    ending: str


cells = [
    numbers.map(repr),
    small.map(repr),
    st.just("") | small.map(repr),
    st.sampled_from(codes),
]


@st.composite
def tables(draw) -> Written:
    n = draw(st.integers(4, 7))
    n_columns = draw(st.integers(2, 5))
    columns = st.sampled_from(cells).flatmap(lambda cell: st.lists(cell, min_size=n, max_size=n))
    classes = draw(st.lists(label, min_size=2, max_size=2, unique=True))
    return Written(
        draw(st.lists(name, min_size=n_columns, max_size=n_columns, unique_by=str.strip)),
        draw(st.lists(columns, min_size=n_columns, max_size=n_columns)),
        [classes[row % 2] for row in range(n)],
        draw(st.sampled_from(["csv", "csv", "xlsx", "parquet", "arff", "turned"])),
        draw(st.sampled_from("\t;,|")),
        draw(st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))),
        draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])),
        draw(st.sampled_from(["\n", "\r\n"])),
    )


def write(table: Written, folder: Path) -> Path:
    """The file of a table, whose last column is called `the labels`."""
    rows = [
        [*table.names, "the labels"],
        *map(list, zip(*table.columns, table.labels, strict=True)),
    ]
    in_a_sheet = not any("\r" in name or ILLEGAL_CHARACTERS_RE.search(name) for name in table.names)
    if table.form == "xlsx" and in_a_sheet:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append([cell or None for cell in row])
            for cell in book.active[book.active.max_row]:
                cell.data_type = "n" if cell.value is None else "s"
        book.save(folder / "a.xlsx")
        return folder / "a.xlsx"
    if table.form == "parquet":
        frame = pd.DataFrame(rows[1:], columns=rows[0])
        frame.to_parquet(folder / "a.parquet", index=False)
        return folder / "a.parquet"
    if table.form == "arff":

        def quoted(text):
            return "'" + "".join(f"\\{sign}" if sign in "\\'" else sign for sign in text) + "'"

        head = [f"@attribute {quoted(name)} string" for name in rows[0]]
        lines = [",".join(quoted(cell) if cell else "?" for cell in row) for row in rows[1:]]
        text = "\n".join(["@relation r", *head, "@data", *lines])
        (folder / "a.arff").write_bytes(text.encode())
        return folder / "a.arff"
    if table.form == "turned":
        head = ["gene", *(f"s{n}" for n in range(len(table.labels)))]
        rows = [head, *map(list, zip(*rows, strict=True))]
    buffer = io.StringIO(newline="")
    # Before Python 3.13 the writer leaves a carriage return without the quotation marks it needs.
    quoting = csv.QUOTE_ALL if any("\r" in name for name in table.names) else table.quoting
    writer = csv.writer(
        buffer, delimiter=table.separator, quoting=quoting, lineterminator=table.ending
    )
    writer.writerows(rows)
    (folder / "a.csv").write_bytes(buffer.getvalue().encode(table.encoding))
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


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.generate],
)
@given(tables())
def test_any_table_comes_back_or_is_refused(table):
    with tempfile.TemporaryDirectory() as name:
        file = write(table, Path(name))
        options = TableOptions(missing="median", transpose=table.form == "turned")
        try:
            data = read_table(file, "the labels", options)
        except DataError:
            event("refused")
            return
    event(f"read {table.form}")
    rows, features = np.argsort(data.file_rows), list(data.feature_names or ())
    assert data.file_rows[rows].tolist() == list(range(len(table.labels)))
    told = " ".join(data.notes)
    labels = [data.label_names[int(value)] for value in data.y[rows]]
    assert labels == [text.strip() for text in table.labels]
    expected = dict(zip(table.names, table.columns, strict=True))
    if data.row_names is not None and table.form != "turned":
        assert "row names" in told
        kept = [data.row_names[row] for row in rows]
        at = [n for n, cells in expected.items() if "|".join(kept).startswith(cells[0])]
        assert table.names[0] in at
    gone = [n for n in expected if n not in features]
    assert not gone or "left out" in told or "row names" in told
    assert [n for n in table.names if n in features] == features
    for j, feature in enumerate(features):
        for text, value in zip(expected[feature], data.X[rows, j], strict=True):
            possible = list(readings(text))
            assert np.isclose(possible, value, 0, 0, equal_nan=True).any(), (feature, text, value)
