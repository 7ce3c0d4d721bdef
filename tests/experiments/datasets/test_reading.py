"""Reading what people have: one table in many forms, row names, labels elsewhere, and refusals."""

import gzip
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from experiments.datasets import DataError, load
from experiments.datasets.columns import TableOptions
from experiments.datasets.delimited import decoded, parse
from experiments.datasets.user_table import read_table

RNG = np.random.default_rng(0)
NAMES = ["BRCA1", "größe (cm)", "a, b"]
# Workbooks keep 16 digits of a number.
FRAME = pd.DataFrame(RNG.normal(size=(12, 3)).round(9), columns=NAMES).assign(
    status=["ill", "well"] * 6
)
FRAME.iloc[0, 0] = 1e-300
NAMED = FRAME.set_axis([f"sample {i:02d}" for i in range(12)])


def read(path, **options):
    """Read a table as the child process does that `load` starts."""
    return read_table(path, "status", TableOptions(**options))


def as_csv(path, **options):
    NAMED.to_csv(path, **options)


def as_utf16(path):
    as_csv(path, sep=";", decimal=",", encoding="utf-16")


def as_utf16_without_mark(path):
    as_csv(path, sep=";", decimal=",", encoding="utf-16-le")


def as_tsv_gz(path):
    as_csv(path, sep="\t", compression="gzip")


def as_xz(path):
    path.write_bytes(lzma.compress(NAMED.to_csv().encode()))


def as_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner/table.tsv", NAMED.to_csv(sep="\t"))


def as_gz_of_unknown_kind(path):
    path.write_bytes(gzip.compress(NAMED.to_csv(sep="\t").encode()))


def as_r_writes_it(path):
    """Quoted, separated by blanks, and no name above the row names."""
    text = NAMED.to_csv(sep=" ", quoting=2)
    path.write_text(text.removeprefix('"" '), encoding="utf-8")


def as_aligned(path):
    frame = NAMED.set_axis([*"abc", "status"], axis=1).set_axis([f"s{i}" for i in range(12)])
    path.write_text(frame.to_string(), encoding="utf-8")


def as_xlsx(path):
    NAMED.to_excel(path)


def transposed(path):
    NAMED.T.to_csv(path)


FORMS = {
    "plain.csv": as_csv,
    "with mark.csv": lambda path: as_csv(path, encoding="utf-8-sig"),
    "latin.csv": lambda path: as_csv(path, encoding="latin-1"),
    "semicolons.csv": as_utf16,
    "no mark.csv": as_utf16_without_mark,
    "decimal comma.csv": lambda path: as_csv(path, decimal=","),
    "single quotes.csv": lambda path: as_csv(path, quotechar="'", quoting=2, sep=";"),
    "bars.txt": lambda path: as_csv(path, sep="|"),
    "mac.csv": lambda path: as_csv(path, lineterminator="\r"),
    "windows.csv": lambda path: as_csv(path, lineterminator="\r\n"),
    "ünlaut and blanks.tsv.gz": as_tsv_gz,
    "packed.csv.xz": as_xz,
    "archive.zip": as_zip,
    "unknown.gz": as_gz_of_unknown_kind,
    "from R.txt": as_r_writes_it,
    "book.xlsx": as_xlsx,
    "table.parquet": lambda path: NAMED.to_parquet(path),
    "table.feather": lambda path: NAMED.to_feather(path),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_table_to_the_last_bit(tmp_path, form):
    """The same values, names, classes and fingerprint; row names never become a feature."""
    FORMS[form](tmp_path / form)
    data = read(tmp_path / form)
    expected = load_frame(tmp_path)
    assert data.feature_names == tuple(NAMES)
    assert np.array_equal(data.X, expected.X)
    assert data.label_names == {0: "ill", 1: "well"}
    assert data.fingerprint == expected.fingerprint
    assert data.row_names == tuple(f"sample {row:02d}" for row in data.file_rows)
    assert form in data.notes[0]


def load_frame(tmp_path):
    FRAME.to_parquet(tmp_path / "reference.parquet")
    return read(tmp_path / "reference.parquet")


def test_a_transposed_table_is_the_same_table(tmp_path):
    transposed(tmp_path / "t.csv")
    data = read(tmp_path / "t.csv", transpose=True)
    assert data.fingerprint == load_frame(tmp_path).fingerprint
    assert data.feature_names == tuple(NAMES)
    assert data.row_names[0].startswith("sample ")


@pytest.mark.parametrize("is_transposed", [True, False])
def test_labels_may_stand_in_a_second_table(tmp_path, is_transposed):
    features = NAMED[NAMES]
    (features.T if is_transposed else features).to_csv(tmp_path / "t.tsv", sep="\t")
    NAMED[["status"]].sample(frac=1, random_state=0).to_csv(tmp_path / "l.csv", sep=";")
    reading = {"transpose": is_transposed, "labels": str(tmp_path / "l.csv")}
    assert read(tmp_path / "t.tsv", **reading).fingerprint == load_frame(tmp_path).fingerprint
    NAMED[["status"]].iloc[2:].to_csv(tmp_path / "l.csv")
    with pytest.raises(DataError, match=r"2 of 12 samples of t\.tsv are not in it \(sample 00, "):
        read(tmp_path / "t.tsv", **reading)


def test_aligned_text_is_separated_by_any_blanks(tmp_path):
    as_aligned(tmp_path / "a.txt")
    data = read(tmp_path / "a.txt")
    assert data.feature_names == ("a", "b", "c")
    assert data.row_names[0].startswith("s")


def test_what_was_detected_is_said_in_one_line(tmp_path):
    as_utf16(tmp_path / "a.csv")
    (first, second) = read(tmp_path / "a.csv").notes
    assert first == "a.csv: csv, columns apart by semicolons, decimal comma, UTF-16"
    assert second.startswith("the first column, without a name, was taken as row names, since it ")


def test_keys_override_what_is_detected(tmp_path):
    (tmp_path / "a.csv").write_bytes(
        "i;ä;status\n1;2,5;ill\n2;3,5;well\n3;1,5;ill\n4;0,5;well".encode()
    )
    assert read(tmp_path / "a.csv").feature_names == ("i", "ä")
    data = read(tmp_path / "a.csv", encoding="latin-1", index=None)
    assert data.feature_names == ("i", "Ã¤")
    with pytest.raises(DataError, match="look like numbers with a decimal comma"):
        read(tmp_path / "a.csv", decimal=".")
    with pytest.raises(DataError, match="no column called 'status'"):
        read(tmp_path / "a.csv", separator=",")
    with pytest.raises(DataError, match="there is no encoding 'klingon'"):
        read(tmp_path / "a.csv", encoding="klingon")
    with pytest.raises(DataError, match="its text is not ascii"):
        read(tmp_path / "a.csv", encoding="ascii")


def test_thirty_thousand_columns_are_read(tmp_path):
    wide = pd.DataFrame(RNG.normal(size=(6, 30_000))).add_prefix("g").assign(status=[0, 1] * 3)
    wide.to_csv(tmp_path / "a.csv")
    data = read(tmp_path / "a.csv")
    assert data.X.shape == (6, 30_000)
    assert np.array_equal(data.X, wide.iloc[data.file_rows, :-1].to_numpy())


def test_a_workbook_without_its_reader_says_what_to_install(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")

    def missing(*_, **__):
        raise ImportError("Missing optional dependency 'openpyxl'")

    monkeypatch.setattr(pd, "ExcelFile", missing)
    with pytest.raises(DataError, match=r"needs? openpyxl, which is not installed: pip install"):
        read(tmp_path / "a.xlsx")


def test_the_home_folder_is_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    as_csv(tmp_path / "my täble.csv")
    assert load("file", path="~/my täble.csv", target="status").X.shape == (12, 3)


names = st.lists(
    st.from_regex(r"[A-Za-zäß_][\w .-]{0,8}", fullmatch=True),
    min_size=2,
    max_size=5,
    unique_by=str.strip,
)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    names,
    st.data(),
    st.sampled_from("\t;,|"),
    st.sampled_from(".,"),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_any_table_that_pandas_writes_comes_back(names, data, separator, decimal, encoding):
    rows = data.draw(st.lists(st.tuples(*[numbers] * len(names)), min_size=2, max_size=6))
    frame = pd.DataFrame(rows, columns=[name.strip() or "x" for name in names])
    frame["the labels"] = "a"  # longer than any name drawn, so that it replaces no column
    content = frame.to_csv(index=False, sep=separator, decimal=decimal).encode(encoding)
    found, table, _ = parse(content, ".csv", TableOptions(), Path("a.csv"))
    assert found == list(frame.columns)
    for i, name in enumerate(frame.columns[:-1]):
        assert np.array_equal(np.array(table.column(i).to_pylist(), dtype=float), frame[name])


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda t: "\0" not in t))
def test_text_with_a_mark_or_in_utf8_is_decoded(text):
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        if encoding != "utf-8" or not text.startswith("\ufeff"):
            assert decoded(text.encode(encoding), None, Path("a.csv"))[0] == text
