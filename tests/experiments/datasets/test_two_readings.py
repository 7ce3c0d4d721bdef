"""Tables with two readings: both are said, and the key that decides; a right table is read."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tests.experiments.datasets.tables import FIVE, SIX, STATUS, content, lines


def table(x: list[str], z: list[str] = SIX, sep: str = ";") -> list[str]:
    """A table with the columns x, z and status; no number of z shows a decimal sign."""
    return lines(sep, x=x, z=z, status=STATUS)


def test_a_value_never_changes_without_a_word(files):
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
        data = files.read("a.tsv", content("\t", x=cells), **options)
        assert data.column("x") == values, cells
        assert told in data.told, cells
    for cells, message in (
        (["0_1", *FIVE], r"'x': '0_1' in line 2 instead of a number"),
        (["007", *FIVE], r"'007' in line 2.*leading zeros.*dataset\.numbers=\[x\]"),
        (["12345678901234567890", *FIVE], "more digits than a number can hold"),
        (["9007199254740993", "", *FIVE[:4]], "more digits than a number can hold"),
        (["1E3", "2E2", "20E1", "3E3", "4E3", "5E3"], "'1E3' in line 2.* a code such as a well"),
        (["1e999", *FIVE], "infinite values, 'x': '1e999'"),
        (["1e-999", *FIVE], "a computer takes for 0"),
        (["<0.5", *FIVE], r"'x': '<0\.5' in line 2; dataset\.below_limit=half, value or missing"),
        (["12 %", *FIVE], "'12 %' in line 2 instead of a number"),
    ):
        said = files.refusal("a.tsv", content("\t", x=cells), missing="median")
        assert re.search(message, said), said
    both = table(["1,234", *FIVE])
    said = "may be 1234 (dataset.thousands=',') or 1.234 (dataset.decimal=',')"
    assert said in files.refusal("a.csv", both)
    for key, value in (("thousands", 1234), ("decimal", 1.234)):
        assert files.read("a.csv", **{key: ","}).column("x")[0] == value
    assert "'1.234' may be 1234" in files.refusal("a.csv", table(["1.234", *FIVE], ["2,5"] * 6))


def test_points_between_thousands_are_not_taken_for_decimal_points(files):
    german = ["1.200", "950", "2.300", "870", "1.100", "900"]
    said = files.refusal("a.csv", table(german))
    assert "may be 1200 (dataset.thousands='.') or 1.200 (dataset.decimal='.')" in said
    turned = ["gene;a;b;c;d;e;f", f"x;{';'.join(german)}", f"status;{';'.join(STATUS)}"]
    assert "may be 1200" in files.refusal("t.csv", turned, transpose=True)
    read_as: list[tuple[list[str], list[str], dict[str, Any], list[float]]] = [
        (german, SIX, {"thousands": "."}, [1200, 950, 2300, 870, 1100, 900]),
        (german, SIX, {"decimal": ","}, [1200, 950, 2300, 870, 1100, 900]),
        (german, SIX, {"decimal": "."}, [1.2, 950, 2.3, 870, 1.1, 900]),
        (german, ["0.5"] * 6, {}, [1.2, 950, 2.3, 870, 1.1, 900]),
        (["1.234", "0.567", *FIVE[:4]], SIX, {}, [1.234, 0.567, 1, 2, 3, 4]),
        (["1.234", "2.340"] * 3, ["0.5"] * 6, {}, [1.234, 2.34] * 3),
    ]
    for x, z, options, values in read_as:
        assert files.read("a.csv", table(x, z), **options).column("x") == values, (x, options)
    rows = zip([1.234, 950] * 3, ["2,5"] * 6, STATUS, strict=True)
    files.book("a.xlsx", [("x", "y", "status"), *rows])
    for options in ({}, {"decimal": ","}):  # Numbers of a workbook have one reading.
        data = files.read("a.xlsx", **options)
        assert data.column("x") == [1.234, 950] * 3
        assert data.column("y") == [2.5] * 6


def test_a_decimal_sign_that_is_given_holds_for_all_columns(files):
    both = "commas and points as decimal signs"
    percent = "instead of a number; write such numbers without a percent sign"
    refused: list[tuple[list[str], dict[str, Any], list[str]]] = [
        (["1,234", "1,5", "17,25", *FIVE[:3]], {"thousands": ","}, ["'1,5' in line 3", both]),
        (["2.5", *FIVE], {"decimal": ","}, ["'2.5' in line 2", both]),
        (["2.5", "3,5", *FIVE[:4]], {}, [both]),
        (["<0,5", "1.234", *FIVE[:4]], {"below_limit": "half"}, ["'1.234' may be 1234"]),
        (SIX, {"decimal": ",", "thousands": ","}, ["dataset.decimal and dataset.thousands are"]),
        (SIX, {"thousands": "x"}, ["must be null, '.', ',', ' ' or \"'\", got 'x'"]),
        (SIX, {"decimal": "'"}, ["must be null, '.' or ',', got"]),
        (["<-3", *FIVE], {"below_limit": "half"}, ["'<-3' in line 2: half of a negative limit is"]),
        (["40%", "3 %"] * 3, {}, [percent]),
        (["40%", "3 %"] * 3, {"categories": "onehot"}, [percent]),
        # Keys that do not fit the table.
        (SIX, {"numbers": ["nope"]}, ["dataset.numbers: There is no column called 'nope'"]),
        (SIX, {"order": {"nope": ["a"]}}, ["dataset.order: There is no column called 'nope'"]),
        (SIX, {"quote": "''"}, ["dataset.quote must be one character, or none"]),
    ]
    for x, options, parts in refused:
        said = files.refusal("a.csv", table(x), **options)
        assert all(part in said for part in parts), said
    for x, options, value in (
        (["1.234,5", *FIVE], {"decimal": ","}, 1234.5),
        (["1 234,5", *FIVE], {}, 1234.5),
        (["1,234", *FIVE], {"thousands": ","}, 1234),
        (["1,234", *FIVE], {"decimal": ","}, 1.234),
        (["<0,5", *FIVE], {"below_limit": "half"}, 0.25),
        (["<-3", *FIVE], {"below_limit": "value"}, -3),
    ):
        assert files.read("a.csv", table(x), **options).column("x")[0] == value, x


def test_ids_of_many_digits_and_bytes_keep_all_their_signs(files):
    ids = [12345678901234567890 + n for n in range(6)]
    columns = {
        "id": pa.array(map(Decimal, ids), pa.decimal128(38, 0)),
        "x": pa.array([Decimal("1.200"), Decimal("950.000")] * 3, pa.decimal128(10, 3)),
        "status": pa.array([text.encode() for text in STATUS], pa.binary()),
    }
    pa.parquet.write_table(pa.table(columns), files.folder / "a.parquet")
    data = files.read("a.parquet")
    assert data.row_names == list(map(str, ids))
    assert data.column("x") == [1.2, 950] * 3
    assert data.labels == STATUS
    pa.parquet.write_table(pa.table({"x": columns["x"]} | columns), files.folder / "a.parquet")
    assert "looks like an id" in files.refusal("a.parquet", index=None)
    rows = [(1.23456789012345e19 + n * 1e15, n, s) for n, s in enumerate(STATUS, 1)]
    files.book("a.xlsx", [("x", "z", "status"), *rows])
    assert "'12346678901234500000' in row 2" in files.refusal("a.xlsx")
    names = tuple(f"größe {n}" for n in range(6))
    y, raw = (np.array([text.encode() for text in texts]) for texts in (STATUS, names))
    np.savez(files.folder / "a.npz", X=np.eye(6), y=y, feature_names=raw)
    data = files.read("a.npz", target="y")
    assert (data.labels, data.names) == (STATUS, names)


def test_geo_keeps_both_values_of_a_sample(files):
    """A characteristic with two values for a sample has two names, and no bare one."""
    healthy = ["well", "ill"] * 3
    geo = [
        "\t".join([f"!Sample_characteristics_{name}", *(f'"{key}{v}"' if v else '""' for v in of)])
        for name, key, of in (
            ("ch1", "tissue: ", STATUS),
            ("ch2", "tissue: ", healthy),
            ("ch1", "sex: ", ["m", "f", "", "", "m", "f"]),
            ("ch1", "sex: ", ["", "", "f", "m", "", ""]),
            ("ch1", "drug: ", ["a", "b", "c"] * 2),
            ("ch1", "drug: ", ["b", "b", "a"] * 2),
            ("ch1", "", ["old", "young"] * 3),
        )
    ]
    geo += [
        "!series_matrix_table_begin",
        "\t".join(["ID_REF", *(f'"GSM{n}"' for n in range(6))]),
        "\t".join(["g1", *SIX]),
        "!series_matrix_table_end",
    ]
    files.write("g.txt", geo)
    for target, labels in (
        ("tissue (ch1)", STATUS),
        ("tissue (ch2)", healthy),
        ("sex", ["m", "f", "f", "m", "m", "f"]),
        ("drug (ch1, 2)", ["b", "b", "a"] * 2),
        ("characteristics_ch1", ["old", "young"] * 3),
    ):
        assert files.read("g.txt", target=target).labels == labels, target
    for bare in ("tissue", "drug"):
        said = files.refusal("g.txt", target=bare)
        assert f"no row called '{bare}'" in said
        assert f"{bare} (ch1" in said


def test_doubtful_classes_and_categories_are_told(files):
    told = files.read(
        "a.csv", table(["f", "F", "unknown", "-", "f", "f"]), categories="onehot"
    ).told
    doubt = (
        "WARNING '-', 'unknown' in 'x' may mean a missing value, and counts among the categories"
    )
    assert doubt in told
    assert "in 'x' the categories 'F' and 'f' differ in capital letters alone" in told
    assert "WARNING" not in files.read("a.csv", table(["+", "-"] * 3), categories="onehot").told
    labels = lines(x=SIX, status=["ctrl", "n.a."] * 3)
    told = files.read("a.csv", labels).told
    assert "dataset.na=[n.a.] dataset.unlabelled=drop takes it as missing" in told
    pain = table(["None", "mild", "severe"] * 2)
    order = {"x": ["none", "mild", "severe"]}
    assert "lacks 'None'" in files.refusal("a.csv", pain, order=order, missing="median")
    gap = files.read("a.csv", order={"x": ["mild", "severe"]}, missing="median")
    assert np.isnan(gap.column("x")).sum() == 2


def test_what_is_read_beside_the_rows_is_said(files):
    rows = table(SIX)
    told = files.read("a.csv", [*rows[:3], "#p3;1", *rows[3:]]).told
    assert "line 4 has a leading # and too few values and was left out" in told
    told = files.read("a.csv", ["id;z;status", "#1;2;a", "2;3;a", "3;4;b", "4;5;b"]).told
    assert "begin with # and have all values were kept: line 2" in told
    ids = ["11", "7", "15", "9", "4", "30"]
    for name in ("#SampleID", "\ufeffid"):
        assert files.read("a.csv", lines(**{name: ids}, z=SIX, status=STATUS)).names == ("z",)
    told = files.read("a.csv", lines(MRN=ids, z=SIX, status=STATUS)).told
    assert "'MRN', has another whole number in each row" in told
    rows_of_sheet = zip([0.5] * 6, range(6), STATUS, strict=True)
    book = files.book("a.xlsx", [("x", "z", "status"), *rows_of_sheet])
    book.active.row_dimensions[3].hidden = book.active.column_dimensions["B"].hidden = True
    book.active.column_dimensions["Z"].hidden = True
    book.save(files.folder / "a.xlsx")
    told = files.read("a.xlsx").told
    assert "hidden rows of the sheet were read, too: 1" in told
    assert "hidden columns of the sheet were read, too: 1" in told
    names = [f"s{n}" for n in range(6)]
    second = files.write("l.csv", lines(name=names, z=SIX, status=["c", "case"] * 3))
    for own, n in ((["c", "case"] * 3, 0), (["c"] * 6, 3)):
        told = files.read("a.csv", lines(name=names, g=range(6), status=own), labels=second).told
        assert f"'status' is in both tables and differs in {n} of 6 rows" in told
        assert ("WARNING" in told) == bool(n)


def test_a_target_is_cut_at_a_value_of_any_spelling(files):
    def cut(labels: list[str]) -> list[str]:
        return lines(";", g=[f"{n}.5" for n in range(len(labels))], status=labels)

    for labels, options, cut_at in (
        (["40,5", "44,5", "41", "45", "1", "50"], {}, 44),
        (["1,100", "900", "950", "2,000", "1", "3,000"], {"thousands": ","}, 960),
        (["01", "1E3", "2", "500", "5", "600"], {}, 5),
    ):
        numbers = [float(t.replace(",", "." if not options else "")) for t in labels]
        said = [f"{'<=' if number <= cut_at else '>'} {cut_at}" for number in numbers]
        assert files.read("a.csv", cut(labels), cut=cut_at, **options).labels == said
    for label, message in (("1_0", "has '1_0'"), ("n.d.", "has 'n.d.'")):
        assert message in files.refusal("a.csv", cut([label, *FIVE]), cut=3)
    either = ["1,100", *FIVE]  # Points in the table decide, for a target as for a feature.
    assert "may be 1100" in files.refusal("a.csv", lines(";", g=SIX, status=either), cut=3)
    assert "'status' has numbers with signs between" in files.read("a.csv", cut(either), cut=3).told


def test_a_target_with_points_between_thousands_is_cut_and_told(files):
    numbers = ["1.200", "950", "2.300", "800", "3.100", "700"]
    data = files.read("a.csv", lines(g=SIX, status=numbers), cut=1000, thousands=".")
    assert data.labels == ["> 1000", "<= 1000"] * 3
    assert "the target 'status' has numbers with signs between thousands" in data.told
