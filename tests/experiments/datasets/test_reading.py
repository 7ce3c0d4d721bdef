"""Reading what people have: one table in many forms, row names, labels elsewhere, and refusals."""

import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.datasets import load
from experiments.datasets.delimited import decoded

RNG = np.random.default_rng(0)
NAMES = ["BRCA1", "größe (cm)", "a, b"]
# Workbooks keep 16 digits of a number.
FRAME = pd.DataFrame(RNG.normal(size=(12, 3)).round(9), columns=NAMES).assign(
    status=["ill", "well"] * 6
)
FRAME.iloc[0, 0] = 1e-300
NAMED = FRAME.set_axis([f"sample {i:02d}" for i in range(12)])


def as_csv(path, **options):
    NAMED.to_csv(path, **options)


def as_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner/table.tsv", NAMED.to_csv(sep="\t"))


def as_r_writes_it(path):
    """Quoted, separated by blanks, and no name above the row names."""
    path.write_text(NAMED.to_csv(sep=" ", quoting=2).removeprefix('"" '), encoding="utf-8")


UTF16: dict[str, Any] = {"sep": ";", "decimal": ",", "encoding": "utf-16"}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain.csv": {},
    "with mark.csv": {"encoding": "utf-8-sig"},
    "latin.csv": {"encoding": "latin-1"},
    "semicolons.csv": UTF16,
    "no mark.csv": UTF16 | {"encoding": "utf-16-le"},
    "decimal comma.csv": {"decimal": ","},
    "single quotes.csv": {"quotechar": "'", "quoting": 2, "sep": ";"},
    "bars.txt": {"sep": "|"},
    "mac.csv": {"lineterminator": "\r"},
    "windows.csv": {"lineterminator": "\r\n"},
    "ünlaut and blanks.tsv.gz": {"sep": "\t", "compression": "gzip"},
    "unknown.gz": {"sep": "\t", "compression": "gzip"},
    "packed.csv.xz": {"compression": "xz"},
}
FORMS: dict[str, Callable[..., Any]] = {
    **{form: partial(as_csv, **options) for form, options in OPTIONS.items()},
    "archive.zip": as_zip,
    "from R.txt": as_r_writes_it,
    "book.xlsx": NAMED.to_excel,
    "table.parquet": NAMED.to_parquet,
    "table.feather": NAMED.to_feather,
}


@pytest.fixture
def expected(files) -> str:
    """The fingerprint of the table."""
    FRAME.to_parquet(files.folder / "reference.parquet")
    return files.read("reference.parquet").fingerprint


def test_every_form_gives_the_same_table_to_the_last_bit(files, expected):
    """The same values, names, classes and fingerprint; row names never become a feature."""
    for form, write in FORMS.items():
        write(files.folder / form)
        data = files.read(form)
        assert data.names == tuple(NAMES), form
        assert np.array_equal(data.X, FRAME[NAMES]), form
        assert data.labels == FRAME["status"].tolist(), form
        assert data.data.label_names == {0: "ill", 1: "well"}, form
        assert data.fingerprint == expected, form
        assert data.row_names == list(NAMED.index), form
        assert form in data.notes[0]


def test_a_transposed_table_is_the_same_table(files, expected):
    NAMED.T.to_csv(files.folder / "t.csv")
    data = files.read("t.csv", transpose=True)
    assert data.fingerprint == expected
    assert (data.names, data.row_names) == (tuple(NAMES), list(NAMED.index))


def test_aligned_text_is_separated_by_any_blanks(files):
    names = [f"s{i}" for i in range(12)]
    frame = NAMED.set_axis([*"abc", "status"], axis=1).set_axis(names)
    data = files.read("a.txt", frame.to_string())
    assert (data.names, data.row_names) == (("a", "b", "c"), names)


def test_what_was_detected_is_said_in_one_line(files):
    as_csv(files.folder / "a.csv", **UTF16)
    (first, second, third) = files.read("a.csv").notes
    assert first == "a.csv: csv, columns apart by semicolons, UTF-16"
    assert second.startswith("the first column, without a name, was taken as row names, since it ")
    assert third.startswith("3 columns have numbers with a decimal comma: 'BRCA1', ")


def test_keys_override_what_is_detected(files):
    text = ["i;ä;status", "1;2,5;ill", "2;3,5;well", "3;1,5;ill", "4;0,5;well"]
    assert files.read("a.csv", text).names == ("i", "ä")
    assert files.read("a.csv", encoding="latin-1", index=None).names == ("i", "Ã¤")
    for options, message in (
        ({"decimal": "."}, "has commas and points as decimal signs: dataset.decimal"),
        ({"separator": ","}, "no column called 'status'"),
        ({"separator": ";;"}, "dataset.separator must be one character, got ';;'"),
        ({"encoding": "klingon"}, "there is no encoding 'klingon'"),
        ({"encoding": "ascii"}, "its text is not ascii"),
    ):
        assert message in files.refusal("a.csv", **options)


def test_thirty_thousand_columns_are_read(files):
    wide = pd.DataFrame(RNG.normal(size=(6, 30_000))).add_prefix("g").assign(status=[0, 1] * 3)
    wide.to_csv(files.folder / "a.csv")
    assert np.array_equal(files.read("a.csv").X, wide.iloc[:, :-1])


def test_a_workbook_without_its_reader_says_what_to_install(files, monkeypatch):
    with zipfile.ZipFile(files.folder / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert "need openpyxl, which is not installed: pip install" in files.refusal("a.xlsx")


def test_the_home_folder_is_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    as_csv(tmp_path / "my täble.csv")
    assert load("file", path="~/my täble.csv", target="status").X.shape == (12, 3)


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda t: "\0" not in t))
def test_text_with_a_mark_or_in_utf8_is_decoded(text):
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        if encoding != "utf-8" or not text.startswith("\ufeff"):
            assert decoded(text.encode(encoding), None, Path("a.csv"))[0] == text
