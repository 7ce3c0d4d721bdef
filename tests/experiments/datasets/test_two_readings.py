"""Tables with two readings: both are said, and the key that decides; a right table is read."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet

from tests.experiments.datasets.test_tables import (
    FIVE,
    STATUS,
    column,
    content,
    in_file_order,
    read,
    refusal,
)


def table(x: list[str], z: list[str] | None = None, sep: str = ";") -> str:
    """A table with the columns x, z and status; no number of z shows a decimal sign."""
    rows = zip(x, z or [*FIVE, "6"], STATUS, strict=True)
    return "\n".join(map(sep.join, [("x", "z", "status"), *rows]))


def test_a_value_never_changes_without_a_word(tmp_path):
    """One reading is read; two readings are refused with the key that decides."""
    read_as: list[tuple[list[str], dict[str, Any], list[float], str]] = [
        (["1,234", "567", "8", "9", "1,000,000", "2"], {}, [1234, 567, 8, 9, 1e6, 2], "thousands"),
        (["1,234", "567", "8", "9", "10", "2"], {}, [1234, 567, 8, 9, 10, 2], "thousands"),
        (["1 234", "5'678", "8", "9", "1", "2"], {}, [1234, 5678, 8, 9, 1, 2], "thousands"),
        (["1.234", *FIVE], {}, [1.234, 1, 2, 3, 4, 5], ""),
        (["1.234,5", "2,25", *FIVE[:4]], {}, [1234.5, 2.25, 1, 2, 3, 4], "decimal comma"),
        (["007", *FIVE], {"numbers": ["x"]}, [7, 1, 2, 3, 4, 5], ""),
        (["1E3", "2.5", *FIVE[:4]], {}, [1000, 2.5, 1, 2, 3, 4], ""),
        (["\u22121.5", *FIVE], {}, [-1.5, 1, 2, 3, 4, 5], ""),
        (["TRUE", "false"] * 3, {}, [1, 0] * 3, ""),
        (["<0.5", *FIVE], {"below_limit": "half"}, [0.25, 1, 2, 3, 4, 5], "limit"),
        (["< 0.5", *FIVE], {"below_limit": "value"}, [0.5, 1, 2, 3, 4, 5], "limit"),
        (["> 90", *FIVE], {"below_limit": "half"}, [90, 1, 2, 3, 4, 5], "limit"),
    ]
    for cells, options, values, told in read_as:
        data = read(tmp_path / "a.tsv", content("\t", x=cells), **options)
        assert column(data, "x") == values, cells
        assert told in " ".join(data.notes), cells
    refused: list[tuple[list[str], str]] = [
        (["0_1", *FIVE], r"'x': '0_1' in line 2 instead of a number"),
        (["007", *FIVE], r"'007' in line 2.*leading zeros.*dataset\.numbers=\[x\]"),
        (["12345678901234567890", *FIVE], "more digits than a number can hold"),
        (["9007199254740993", "", *FIVE[:4]], "more digits than a number can hold"),
        (["1E3", "2E2", "20E1", "3E3", "4E3", "5E3"], "'1E3' in line 2.* a code such as a well"),
        (["1e999", *FIVE], "infinite values, 'x': '1e999'"),
        (["1e-999", *FIVE], "a computer takes for 0"),
        (["<0.5", *FIVE], r"'x': '<0\.5' in line 2; dataset\.below_limit=half, value or missing"),
        (["12 %", *FIVE], "'12 %' in line 2 instead of a number"),
    ]
    for cells, message in refused:
        said = refusal(tmp_path / "a.tsv", content("\t", x=cells), missing="median")
        assert re.search(message, said), said
    both = content("\t", x=["1,234", *FIVE]).replace(".", "").replace("\t0", "\t")
    both = both.replace("\t-0", "\t")
    assert "may be 1234 (dataset.thousands=',') or 1.234 (dataset.decimal=',')" in refusal(
        tmp_path / "a.tsv", both
    )
    for key, value in (("thousands", 1234), ("decimal", 1.234)):
        assert column(read(tmp_path / "a.tsv", both, **{key: ","}), "x")[0] == value
    text = content(";", x=["1.234", *FIVE], z=["2,5"] * 6)
    assert "'1.234' may be 1234" in refusal(tmp_path / "a.csv", text.replace("0.", "0,"))


def test_a_header_one_name_short_is_of_r_or_refused(tmp_path):
    """If a comma or a blank within numbers may be the cause, no value moves to another column."""
    short = "sample,age,value,status"
    rows = [f"p{n},3{n},0,{n}5,{s}" for n, s in enumerate(STATUS)]
    said = refusal(tmp_path / "a.csv", "\n".join([short, *rows]))
    assert "one value more than the header has names, and the first name is 'sample'" in said
    blanks = [f"p{n} 3{n} 1 23{n} {s}" for n, s in enumerate(STATUS)]
    assert "or a blank within" in refusal(
        tmp_path / "a.txt", "\n".join([short.replace(",", " "), *blanks])
    )
    for text in (
        "\n".join(["age,value,status", *(f"p{n},3{n},0.5,{s}" for n, s in enumerate(STATUS))]),
        "\n".join(["id age status", *(f"{n} x{n} 3{n} {s}" for n, s in enumerate(STATUS))]),
    ):
        data = read(tmp_path / "a.txt", text, drop=["id"] if text.startswith("id") else [])
        assert column(data, "age") == [30, 31, 32, 33, 34, 35]
        assert "as R writes tables" in " ".join(data.notes)


def test_points_between_thousands_are_not_taken_for_decimal_points(tmp_path):
    german = ["1.200", "950", "2.300", "870", "1.100", "900"]
    said = refusal(tmp_path / "a.csv", table(german))
    assert "may be 1200 (dataset.thousands='.') or 1.200 (dataset.decimal='.')" in said
    turned = ["gene;a;b;c;d;e;f", f"x;{';'.join(german)}", f"status;{';'.join(STATUS)}"]
    assert "may be 1200" in refusal(tmp_path / "t.csv", "\n".join(turned), transpose=True)
    read_as: list[tuple[list[str], list[str] | None, dict[str, Any], list[float]]] = [
        (german, None, {"thousands": "."}, [1200, 950, 2300, 870, 1100, 900]),
        (german, None, {"decimal": ","}, [1200, 950, 2300, 870, 1100, 900]),
        (german, None, {"decimal": "."}, [1.2, 950, 2.3, 870, 1.1, 900]),
        (german, ["0.5"] * 6, {}, [1.2, 950, 2.3, 870, 1.1, 900]),
        (["1.234", "0.567", *FIVE[:4]], None, {}, [1.234, 0.567, 1, 2, 3, 4]),
        (["1.234", "2.340"] * 3, None, {}, [1.234, 2.34] * 3),
    ]
    for x, z, options, values in read_as:
        assert column(read(tmp_path / "a.csv", table(x, z), **options), "x") == values, (x, options)
    book = openpyxl.Workbook()
    for row in [("x", "y", "status"), *zip([1.234, 950] * 3, ["2,5"] * 6, STATUS, strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    for options in ({}, {"decimal": ","}):  # Numbers of a workbook have one reading.
        data = read(tmp_path / "a.xlsx", None, **options)
        assert column(data, "x") == [1.234, 950] * 3
        assert column(data, "y") == [2.5] * 6


def test_a_decimal_sign_that_is_given_holds_for_all_columns(tmp_path):
    both = "commas and points as decimal signs"
    for x, options, message in (
        (["1,234", "1,5", "17,25", *FIVE[:3]], {"thousands": ","}, f"'1,5' in line 3.*{both}"),
        (["2.5", *FIVE], {"decimal": ","}, f"'2.5' in line 2.*{both}"),
        (["2.5", "3,5", *FIVE[:4]], {}, both),
        (["<0,5", "1.234", *FIVE[:4]], {"below_limit": "half"}, "'1.234' may be 1234"),
        (FIVE, {"decimal": ",", "thousands": ","}, "dataset.decimal and dataset.thousands are"),
        (FIVE, {"thousands": "x"}, "must be null, '.', ',', ' ' or \"'\", got 'x'"),
        (FIVE, {"decimal": "'"}, "must be null, '.' or ',', got"),
    ):
        said = refusal(tmp_path / "a.csv", table([*x, "6"][:6]), **options)
        assert all(part in said for part in message.split(".*")), said
    for x, options, value in (
        (["1.234,5", *FIVE], {"decimal": ","}, 1234.5),
        (["1 234,5", *FIVE], {}, 1234.5),
        (["1,234", *FIVE], {"thousands": ","}, 1234),
        (["1,234", *FIVE], {"decimal": ","}, 1.234),
        (["<0,5", *FIVE], {"below_limit": "half"}, 0.25),
        (["<-3", *FIVE], {"below_limit": "value"}, -3),
    ):
        assert column(read(tmp_path / "a.csv", table(x), **options), "x")[0] == value, x
    said = refusal(tmp_path / "a.csv", table(["<-3", *FIVE]), below_limit="half")
    assert "'<-3' in line 2: half of a negative limit is above it" in said
    for options in ({}, {"categories": "onehot"}):
        said = refusal(tmp_path / "a.csv", table(["40%", "3 %"] * 3), **options)
        assert "instead of a number; write such numbers without a percent sign" in said


def test_ids_of_many_digits_and_bytes_keep_all_their_signs(tmp_path):
    ids = [12345678901234567890 + n for n in range(6)]
    columns = {
        "id": pa.array(map(Decimal, ids), pa.decimal128(38, 0)),
        "x": pa.array([Decimal("1.200"), Decimal("950.000")] * 3, pa.decimal128(10, 3)),
        "status": pa.array([text.encode() for text in STATUS], pa.binary()),
    }
    pa.parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    data = read(tmp_path / "a.parquet", None)
    assert sorted(data.row_names or ()) == list(map(str, ids))
    assert column(data, "x") == [1.2, 950] * 3
    assert in_file_order(data)[1] == STATUS
    pa.parquet.write_table(pa.table({"x": columns["x"]} | columns), tmp_path / "a.parquet")
    assert "looks like an id" in refusal(tmp_path / "a.parquet", None, index=None)
    book = openpyxl.Workbook()
    for n, status in enumerate(["status", *STATUS]):
        book.active.append(["x", "z", status] if n == 0 else [1.23456789012345e19 + n * 1e15, n])
        book.active.cell(n + 1, 3, status)
    book.save(tmp_path / "a.xlsx")
    assert "'12346678901234500000' in row 2" in refusal(tmp_path / "a.xlsx", None)
    np.savez(
        tmp_path / "a.npz",
        X=np.eye(6),
        y=np.array([text.encode() for text in STATUS]),
        feature_names=np.array([f"größe {n}".encode() for n in range(6)]),
    )
    data = read(tmp_path / "a.npz", None, target="y")
    assert in_file_order(data)[1] == STATUS
    assert data.feature_names == tuple(f"größe {n}" for n in range(6))


def test_geo_keeps_both_values_of_a_sample(tmp_path):
    """A characteristic with two values for a sample has two names, and no bare one."""
    samples = [f'"GSM{n}"' for n in range(6)]

    def line(name: str, key: str, values: list[str]) -> str:
        return "\t".join([f"!Sample_{name}", *(f'"{key}: {v}"' if v else '""' for v in values)])

    healthy = ["well", "ill"] * 3
    geo = [
        line("characteristics_ch1", "tissue", STATUS),
        line("characteristics_ch2", "tissue", healthy),
        line("characteristics_ch1", "sex", ["m", "f", "", "", "m", "f"]),
        line("characteristics_ch1", "sex", ["", "", "f", "m", "", ""]),
        line("characteristics_ch1", "drug", ["a", "b", "c"] * 2),
        line("characteristics_ch1", "drug", ["b", "b", "a"] * 2),
        "!series_matrix_table_begin",
        "\t".join(["ID_REF", *samples]),
        "\t".join(["g1", *FIVE, "6"]),
        "!series_matrix_table_end",
    ]
    for target, labels in (
        ("tissue (ch1)", STATUS),
        ("tissue (ch2)", healthy),
        ("sex", ["m", "f", "f", "m", "m", "f"]),
        ("drug (ch1, 2)", ["b", "b", "a"] * 2),
    ):
        data = read(tmp_path / "g.txt", "\n".join(geo), target)
        assert in_file_order(data)[1] == labels, target
    for bare in ("tissue", "drug"):
        said = refusal(tmp_path / "g.txt", None, bare)
        assert f"no row called '{bare}'" in said
        assert f"{bare} (ch1" in said


def test_doubtful_classes_and_categories_are_told(tmp_path):
    cells = ["f", "F", "unknown", "-", "f", "f"]
    told = " ".join(read(tmp_path / "a.csv", table(cells), categories="onehot").notes)
    assert (
        "WARNING '-', 'unknown' in 'x' may mean a missing value, and counts among the cat" in told
    )
    assert "in 'x' the categories 'F' and 'f' differ in capital letters alone" in told
    notes = read(tmp_path / "a.csv", table(["+", "-"] * 3), categories="onehot").notes
    assert not any("WARNING" in note for note in notes)
    labels = table([*FIVE, "6"]).replace("case", "n.a.")
    told = " ".join(read(tmp_path / "a.csv", labels).notes)
    assert "dataset.na=[n.a.] dataset.unlabelled=drop takes it as missing" in told
    pain = table(["None", "mild", "severe"] * 2)
    order = {"x": ["none", "mild", "severe"]}
    assert "lacks 'None'" in refusal(tmp_path / "a.csv", pain, order=order, missing="median")
    gap = read(tmp_path / "a.csv", pain, order={"x": ["mild", "severe"]}, missing="median")
    assert np.isnan(column(gap, "x")).sum() == 2


def test_what_is_read_beside_the_rows_is_said(tmp_path):
    lines = table([*FIVE, "6"]).splitlines()
    data = read(tmp_path / "a.csv", "\n".join([*lines[:3], "#p3;1", *lines[3:]]))
    assert "line 4 has a leading # and too few values and was left out" in " ".join(data.notes)
    data = read(tmp_path / "a.csv", "\n".join(["id;z;status", "#1;2;a", "2;3;a", "3;4;b", "4;5;b"]))
    assert "begin with # and have all values were kept: line 2" in " ".join(data.notes)
    ids = ["11", "7", "15", "9", "4", "30"]
    for name in ("#SampleID", "\ufeffid"):
        assert read(tmp_path / "a.csv", table(ids).replace("x", name, 1)).feature_names == ("z",)
    notes = read(tmp_path / "a.csv", table(ids).replace("x", "MRN", 1)).notes
    assert any("'MRN', has another whole number in each row" in note for note in notes)
    book = openpyxl.Workbook()
    for row in [("x", "z", "status"), *zip([0.5] * 6, range(6), STATUS, strict=True)]:
        book.active.append(row)
    book.active.row_dimensions[3].hidden = book.active.column_dimensions["B"].hidden = True
    book.active.column_dimensions["Z"].hidden = True
    book.save(tmp_path / "a.xlsx")
    told = " ".join(read(tmp_path / "a.xlsx", None).notes)
    assert "hidden rows of the sheet were read, too: 1" in told
    assert "hidden columns of the sheet were read, too: 1" in told
    names = [f"s{n}" for n in range(6)]
    (tmp_path / "l.csv").write_text(table(names, sep=",").replace("x", "name").replace("ctrl", "c"))
    for changed, n in ((["c", "case"] * 3, 0), (["c"] * 6, 3)):
        rows = [f"{name},{k},{s}" for k, (name, s) in enumerate(zip(names, changed, strict=True))]
        text = "\n".join(["name,g,status", *rows])
        told = " ".join(read(tmp_path / "a.csv", text, labels=str(tmp_path / "l.csv")).notes)
        assert f"'status' is in both tables and differs in {n} of 6 rows" in told
        assert ("WARNING" in told) == bool(n)


def test_keys_that_do_not_fit_the_table_are_refused(tmp_path):
    for options, message in (
        ({"numbers": ["nope"]}, "dataset.numbers: There is no column called 'nope'"),
        ({"order": {"nope": ["a"]}}, "dataset.order: There is no column called 'nope'"),
        ({"quote": "''"}, "dataset.quote must be one character, or none"),
    ):
        assert message in refusal(tmp_path / "a.csv", table([*FIVE, "6"]), **options)


def test_a_target_is_cut_at_a_value_of_any_spelling(tmp_path):
    def cut(labels: list[str], **options) -> str:
        rows = [f"{n}.5;{label}" for n, label in enumerate(labels)]
        return "\n".join(["g;status", *rows])

    for labels, options, cut_at in (
        (["40,5", "44,5", "41", "45", "1", "50"], {}, 44),
        (["1,100", "900", "950", "2,000", "1", "3,000"], {"thousands": ","}, 960),
        (["01", "1E3", "2", "500", "5", "600"], {}, 5),
    ):
        data = read(tmp_path / "a.csv", cut(labels), cut=cut_at, **options)
        numbers = [float(t.replace(",", "." if not options else "")) for t in labels]
        said = [f"{'<=' if number <= cut_at else '>'} {cut_at}" for number in numbers]
        assert in_file_order(data)[1] == said
    for label, message in (("1_0", "has '1_0'"), ("n.d.", "has 'n.d.'"), ("1,100", "may be 1100")):
        assert message in refusal(tmp_path / "a.csv", cut([label, *FIVE]), cut=3)
