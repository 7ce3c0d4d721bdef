"""Exports of other programs: read as they are meant, or one error with what is to be done."""

import bz2
import re
import shlex
from typing import Any

import openpyxl
import pytest
from experiments.command_line import normalise_overrides
from hydra.core.override_parser.overrides_parser import OverridesParser

from experiments.datasets import DataError
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import refuse_with_columns
from tests.experiments.datasets.tables import SIX, STATUS, A, content, lines

IDS = [f"P{n}" for n in SIX]
FLOATS = list(map(float, A))
#: Lines below the names, and the words of a note on them.
ABOUT = "has units or descriptions"


def test_rows_below_the_names_that_describe_columns_are_no_samples(files):
    """Texts above all numbers, and none of the rows' own; else the error says how to skip them."""
    head, *rows = lines(id=IDS, g=SIX, a=A, status=STATUS)
    expected = files.read("a.csv", [head, *rows])
    for about in (
        ["uuid,age at diagnosis,weight,status", "CDE_ID:,CDE_ID:1,CDE_ID:2,CDE_ID:3"],
        ["-,mg/l,years,-"],
        ["string,(mg/l),(years),case or control"],
        ["#types,numeric,numeric,categorical"],
    ):
        data = files.read("a.csv", [head, *about, *rows])
        assert (data.fingerprint, data.row_names) == (expected.fingerprint, IDS)
        assert data.told.count(ABOUT) == len(about)
        unnamed = head.removeprefix("id")  # As pandas writes row names.
        assert files.read("a.csv", [unnamed, *about, *rows]).fingerprint == expected.fingerprint
    for flagged in ("P0,lost,hemolyzed,case", "P0,ND,ND,other"):
        said = files.refusal("a.csv", [head, flagged, *rows])
        assert f"{flagged.split(',')[1]!r} in line 2" in said
        assert "if line 2 describes the columns, dataset.skip=[2]" in said
    said = files.refusal("b.csv", [head, rows[0], "P0,ND,ND,case", *rows[1:]])
    assert "describes" not in said
    assert files.read("a.csv", skip=[2]).fingerprint == expected.fingerprint
    classes = [",".join(["", *STATUS]), ",".join(["g", *SIX]), ",".join(["a", *A])]
    turned = [",".join(["gene", *IDS]), *classes]
    assert files.read("t.csv", turned, target="", transpose=True).labels == STATUS
    assert "Valid: '' (without a name), g, a" in files.refusal("t.csv", transpose=True)


def test_two_rows_of_names_and_a_file_without_names(files):
    names, *rows = lines(**{"": IDS}, TP53=SIX, MYC=A, status=STATUS)
    for above in (",gene,gene,", ",gene,,"):
        assert files.read("a.csv", [above, names, *rows]).names == ("TP53", "MYC")
    book = openpyxl.Workbook()
    for row in (
        ["ID", "Blood", None, "Urine", None, "status"],
        [None, "Na", "K", "Na", "K", None],
        *zip(IDS, FLOATS, FLOATS, FLOATS, FLOATS, STATUS, strict=True),
    ):
        book.active.append(row)
    for cells in ("B1:C1", "D1:E1", "A1:A2", "F1:F2"):
        book.active.merge_cells(cells)
    book.save(files.folder / "a.xlsx")
    assert "row 2 has 'K', 'K' where row 1 has no name" in files.refusal("a.xlsx")
    told = files.read("b.csv", [row.replace("case", "ill") for row in rows], "ctrl").told
    assert "if the file has no header, line 1 is a row" in told


def test_a_long_table_is_refused_with_the_pivot_that_turns_it(files):
    long = [f"{i},O{k},{g},{n}.{k},{s}" for n, (i, s) in enumerate(zip(IDS, STATUS, strict=True))
            for k, g in enumerate(("IL8", "TNF"))]  # fmt: skip
    said = files.refusal("a.csv", ["SampleID,OlinkID,Assay,NPX,status", *long])
    assert "pivot(index='SampleID', columns='OlinkID', values='NPX')" in said
    assert files.read("a.csv", groups="SampleID", drop=["Assay", "OlinkID"]).names == ("NPX",)
    other = files.write("l.csv", lines(SampleID=IDS, status=STATUS))
    bare = [",".join(row.split(",")[at] for at in (0, 2, 3)) for row in long]
    assert "columns='Assay'" in files.refusal("b.csv", ["SampleID,Assay,NPX", *bare], labels=other)


def test_the_second_table_has_the_keys_of_its_form(files):
    files.write("a.csv", lines(sample=SIX, a=A))
    titled = ["made by me,,", *lines(sample=SIX, sex=["m", "f"] * 3, status=STATUS)]
    book = openpyxl.Workbook()
    book.active.append(["a legend"])
    sheet = book.create_sheet("Samples")
    for row in [["sample", "status"], ["text", "text"], *zip(SIX, STATUS, strict=True)]:
        sheet.append(row)
    book.save(files.folder / "l.xlsx")
    latin = "\n".join(lines("^", sample=SIX, status=["é", "a"] * 3)).encode("cp850")
    for second, options, labels in (
        (files.write("l.csv", titled), {"skip": 1}, STATUS),
        (str(files.folder / "l.xlsx"), {"sheet": "Samples", "skip": [2]}, STATUS),
        (files.write("m.csv", latin), {"encoding": "cp850", "separator": "^"}, ["é", "a"] * 3),
    ):
        keys = {f"labels_{key}": value for key, value in options.items()}
        table = files.read("a.csv", labels=second, **keys)
        assert table.labels == labels
        assert not re.search(r"dataset\.(sheet|skip|separator)", " ".join(table.notes))
    said = files.refusal("a.csv", labels=str(files.folder / "l.xlsx"))
    assert "dataset.labels_sheet may name another one: Samples" in said
    assert "dataset.labels_skip must be" in files.refusal("a.csv", labels=second, labels_skip=-1)


def test_a_file_says_which_format_it_has(files):
    text = content(g=SIX)
    files.book("a.xlsx", [line.split(",") for line in text])
    book = (files.folder / "a.xlsx").read_bytes()
    for name, raw, what in (
        ("b.csv", book, "a workbook (.xlsx)"),
        ("b.xlsx", b"\xd0\xcf\x11\xe0" + bytes(600), "old (.xls) or has a password"),
        ("h.csv", "<html><table><tr><td>g</td></tr></table></html>", "a web page"),
        ("h.xlsx", "<!DOCTYPE html><html></html>", "a web page"),
        ("h.csv", "\ufeff\n<DIV><table><tr><td>g</td></tr></table></DIV>", "a web page"),
        ("h.csv.bz2", bz2.compress(b"<table><tr><td>g</td></tr></table>"), "a web page"),
        ("j.txt", '{"g": {"0": 1}, "status": {"0": "a"}}', "JSON"),
        ("j.csv", '["g", "status"]\n[1, "a"]\n', "JSON"),
        ("j.csv", '[ {"g": 1} ]', "JSON"),
        ("r.txt", "{\\rtf1\\ansi\n\\trowd g\\cell status\\cell\\row}", "a document (.rtf)"),
        ("l.txt", "% a table\n\\begin{tabular}{rl}\ng & status \\\\\n1 & a \\\\\n", "LaTeX"),
        ("l.csv", "g & status \\\\ \\hline\n1 & a \\\\\n", "LaTeX"),
        ("s.csv", "-- a dump\n\nSET x = 1;\nDROP TABLE IF EXISTS `t`;\n", "SQL"),
        ("s.txt", "INSERT INTO t VALUES (1, 'a');\nINSERT INTO t VALUES (2, 'b');\n", "SQL"),
        ("p.csv", b"PAR1\x15" + bytes(60), "a .parquet file"),
        ("z.csv", bz2.compress(b"g,status"), "packed (.bz2)"),
        ("m.mat", b"\x89HDF\r\n\x1a\n" + bytes(600), "HDF5"),
    ):
        assert f"{what}" in files.refusal(name, raw), name
        assert "is damaged" not in files.refusal(name), name
    files.write("t.csv.bz2", bz2.compress("\n".join(text).encode()))
    assert files.read("t.csv.bz2").labels == STATUS
    assert "; export the table as .csv" in files.refusal("j.csv")
    assert "; give it the suffix of its format" in files.refusal("p.csv")
    for names in ("<G>", "<A>"), ("PAR1", "BZh"), ("{g}", "[a]"), ("A&B", "create"):
        assert files.read("t.csv", [",".join([*names, "status"]), *text[1:]]).names == names
    whole = [f'"{line}"' for line in text]
    for rows in (whole, [text[0], *whole[1:]]):
        assert 'quotation marks (") enclose them as a whole' in files.refusal("q.csv", rows)
    bars = [f"| {line.replace(',', ' | ')} |" for line in text]
    marks = files.read("m.txt", [bars[0], "|---|:--|---|", *bars[1:]])
    assert (marks.names, marks.labels) == ((" g ", " a "), STATUS)
    assert "line 2 has dashes alone and was left out" in marks.told


def test_columns_of_a_fixed_width_cannot_be_separated(files):
    """Without blanks between them, or with blanks in place of a value alone."""
    whole = ["PATNRAGEM", *(f"00123{n}4{n}{s}" for n, s in zip(SIX, "MF" * 3, strict=True))]
    gaps = ["NR AGE CRP", *(f"0{n} {'  ' if n % 2 else n * 11:2} {n}.5" for n in range(1, 7))]
    for rows in (whole, whole[1:], gaps):
        said = files.refusal("a.txt", rows)
        assert "a fixed width, nothing separates them: export the table as .csv" in said
    files.write("a.txt", whole)
    with pytest.raises(DataError, match=r"needed, .* export the table as"):
        refuse_with_columns(files.folder / "a.txt", None, TableOptions())


def test_a_sheet_without_the_table_names_the_others(files):
    book = files.book("a.xlsx", [["a legend"], ["of this table"]])
    for row in content(g=SIX):
        (book["Data"] if "Data" in book.sheetnames else book.create_sheet("Data")).append(
            row.split(",")
        )
    book.save(files.folder / "a.xlsx")
    for rows in (2, 0):
        said = files.refusal("a.xlsx")
        assert "dataset.sheet may name another one: Data" in said
        assert "dataset.separator" not in said
        book.active.delete_rows(1, rows)
        book.save(files.folder / "a.xlsx")
    assert files.read("a.xlsx", sheet="Data").labels == STATUS
    assert "did you mean 'Data'?" in files.refusal("a.xlsx", sheet="data")


def test_classes_that_stand_in_a_row_are_found(files):
    turned = [",".join(row) for row in (["s", *IDS], ["group", *STATUS], ["g", *A], ["h", *SIX])]
    path = files.folder / "a.csv"
    files.write("a.csv", turned)
    with pytest.raises(DataError, match=r"row 'group'.*dataset\.target=group .*transpose=true"):
        refuse_with_columns(path, None, TableOptions())
    assert files.read("a.csv", target="group", transpose=True).labels == STATUS
    files.write("a.csv", lines(id=IDS, a=A))
    with pytest.raises(DataError, match=r"no column has a few different values; dataset\.labels"):
        refuse_with_columns(path, None, TableOptions())
    repeated = [",".join(["gene", *STATUS]), ",".join(["g", *A])]
    said = files.refusal("b.csv", repeated, transpose=True)
    assert "samples have equal names ('ctrl', 'case')" in said
    said = files.refusal("b.csv", target="gene", transpose=True)
    assert "'gene' begins the first row, so that its classes are taken for names" in said
    assert "write a row of names that differ above it" in said


def test_names_of_rows_that_repeat_or_stand_elsewhere_are_told(files):
    told = files.read("a.csv", lines(id=["p", "q", "r"] * 2, a=A, status=STATUS)).told
    assert "WARNING 3 names in 'id' are in more rows than one ('p', 'q', 'r')" in told
    assert "dataset.groups=id keeps them so" in told
    data = files.read("a.csv", groups="id")
    assert (data.groups, "WARNING" in data.told) == (["p", "q", "r"] * 2, False)
    turned = [",".join(row) for row in (["s", *"pqrpqr"], ["a", *A], ["status", *STATUS])]
    told = files.read("t.csv", turned, transpose=True).told
    assert "'p', 'q', 'r'); if such rows belong together, dataset.groups=sample keeps" in told
    assert files.read("t.csv", transpose=True, groups="sample").groups == ["p", "q", "r"] * 2
    data = files.read("c.csv", lines(**{"id": IDS, "": A}, b=A, status=STATUS))
    assert (data.names, data.row_names) == (("", "b"), IDS)
    assert "WARNING 1 of the features has no name" in data.told
    told = files.read("b.csv", lines(a=A, ID=range(7, 13), b=A, status=STATUS)).told
    assert "WARNING 'ID' is called like row names, but was taken as a feature" in told
    assert files.read("b.csv", index="ID").names == ("a", "b")
    text = lines(**{"a": A, "...2": A}, patient=[1, 1, 2, 2, 3, 3], status=STATUS)
    told = files.read("b.csv", text).told
    assert "WARNING 1 of the features has no name ('...2')" in told
    assert "'patient' is called like row names, but was taken as a feature" in told
    assert "dataset.groups=patient keeps rows of one value together" in told


def test_values_of_other_programs(files):
    text = content(x=["TRUE", "FALSE", "1", "0", "true", "1"])
    assert files.read("a.csv", text).column("x") == [1, 0, 1, 0, 1, 1]
    for code in ("99", "-2147483648"):
        told = files.read("b.csv", content(x=[code, "1", "2", "0", "2", "1"])).told
        assert f"WARNING {code} is far from all other values in 'x'" in told
    told = files.read("c.csv", lines(g=SIX, status=["#REF!", "a"] * 3)).told
    assert "WARNING '#REF!' in 'status' may mean a missing value" in told
    nothing = lines(e=["NA"] * 6, status=STATUS)
    assert "no feature has a value" in files.refusal("d.csv", nothing, missing="median")
    for index in ("Unnamed: 0.1", "...1"):
        again = lines(**{index: range(6)}, a=A, status=STATUS)
        assert files.read("e.csv", again).names == ("a",)
    both = lines(**{"Unnamed: 0": range(6), "Unnamed: 0.1": range(6)}, a=A, status=STATUS)
    assert files.read("e.csv", both).names == ("a",)


def test_advice_can_be_copied_into_a_shell(files):
    odd = ["IL-6, high (pg/ml)", "TNF's [x]", "$HOME"]
    quoted = {f'"{name}"': ["a", "b"] * 3 for name in odd}
    said = files.refusal("a.csv", content(**quoted, **{"pg/ml": ["<LOD", *SIX[1:]]}))
    for key, names in (("drop", odd), ("na", ["<LOD"])):
        words = shlex.shlex(said[said.index(f"'dataset.{key}=[") :], posix=True)
        words.whitespace_split = True
        (made,) = normalise_overrides([str(words.get_token()).rstrip(";")])
        value: Any = OverridesParser.create().parse_override(made).value()
        assert value == names


def test_a_column_is_found_by_a_name_that_looks_the_same(files):
    for own, asked in (
        ("E\u0301tat", "\u00c9tat"),
        ("disease\u00a0status", "disease status"),
        ("\ufeffstatus", "status"),
    ):
        text = lines(**{own: STATUS}, id=IDS, a=A, b=SIX)
        assert files.read("a.csv", text, asked, drop=["b"], index="id").labels == STATUS
        files.write("b.csv", lines(id=IDS, a=A))
        other = files.write("l.csv", lines(id=IDS, **{own: STATUS}))
        assert files.read("b.csv", target=asked, labels=other).labels == STATUS
    twice = lines(**{"status ": STATUS, "status\u00a0": STATUS}, a=A)
    assert "each needs a name of its own" in files.refusal("c.csv", twice)
    blocks = lines(a=A, status=["ctrl", "", "", "case", "", ""])
    assert "fill labels down if one holds for the rows below it" in files.refusal("d.csv", blocks)
    for date in ("Jan-45", "01. Feb"):
        said = files.refusal("e.csv", content(x=[date, *SIX[1:]]))
        assert "write a number by digits" in said
        assert "is it missing?" not in said


def test_a_number_that_a_workbook_shows_with_zeros_is_the_text_that_it_shows(files):
    rows = [[n, n, 1 + n % 2] for n in range(6)]
    book = files.book("ids.xlsx", [["id", "g", "status"], *rows])
    for row in book.active.iter_rows(min_row=2):
        row[0].number_format, row[2].number_format = "000", "00"
    book.save(files.folder / "ids.xlsx")
    data = files.read("ids.xlsx")
    assert data.row_names[:2] == ["000", "001"]
    assert data.labels[:2] == ["01", "02"]
    assert data.column("g") == list(range(6))
