"""Tables in which a value, a role or a row could change without a word."""

from itertools import product
from typing import Any

import numpy as np
import openpyxl
import pandas as pd

from tests.experiments.datasets.tables import FIVE, SIX, STATUS, A, content, lines

IDS = [f"P{n}" for n in SIX]
NUMBERS = ["0.5", "1.5", "-999", "2.5", "-999", "3.5"]


def test_a_number_that_means_missing_is_missing_in_every_format(files):
    frame = pd.DataFrame({"c": map(float, NUMBERS), "k": [1, 2, -999, 3, 4, 5], "status": STATUS})
    frame.to_csv(files.folder / "a.csv", index=False)
    frame.to_parquet(files.folder / "a.parquet", index=False)
    frame.to_excel(files.folder / "a.xlsx", index=False)
    for name in ("a.csv", "a.parquet", "a.xlsx"):
        data = files.read(name, na=["-999"], missing="median")
        assert np.isnan(data.X).sum(axis=0).tolist() == [2, 1], name
        assert "no cell has" not in data.told
        data = files.read(name)
        assert "WARNING -999 is far from all other values in 'c' (2), 'k' (1)" in data.told
        assert "no cell has '-998'" in files.read(name, na=["-998"]).told
    frame[["c", "status"]].to_csv(files.folder / "c.csv", index=False)  # It has -999.0.
    assert "no cell has" not in files.read("c.csv", na=["-999"], missing="median").told
    near = files.read("b.csv", content(c=["-9", "-8", "-4", "0", "4", "9"]))
    assert "WARNING" not in near.told
    for several in (["-88", "-99"], ["-999", "-998"], ["77", "99"]):
        told = files.read("b.csv", content(c=[*several, "0", "1", "2", "3"])).told
        assert all(f"WARNING {code} is far from" in told for code in several)
    short = frame.astype({"c": np.float32}).replace({"c": -999}, -999.9)
    short.to_parquet(files.folder / "d.parquet")
    data = files.read("d.parquet", na=["-999.9"], missing="median", drop=["k"])
    assert np.isnan(data.X).sum() == 2


def test_a_split_decimal_comma_is_no_table_of_r(files):
    for first in (["1", "2", "1", "3", "2", "1"], ["3", "1", "2", "6", "5", "4"]):
        rows = [f"{a},5,6{n},{s}" for n, (a, s) in enumerate(zip(first, STATUS, strict=True))]
        assert "one value more than the header" in files.refusal("a.csv", ["crp,age,status", *rows])
    rows = [f"{n}.25,5,6{n},{s}" for n, s in enumerate(STATUS)]
    assert "one value more than the header" in files.refusal("a.csv", ["crp,age,status", *rows])
    for head, start, end in (
        ("code, crp, status", "x{}, 1,5{}, ", ""),  # R writes no blank behind a comma.
        (",crp,status", "x{},1,5{},", ""),  # The row names have a column, though without a name.
        ("id,crp,status,", "x{},1,5{},", ","),
    ):
        rows = [f"{start.format(n, n)}{s}{end}" for n, s in enumerate(STATUS)]
        assert "one value more than the header" in files.refusal("a.csv", [head, *rows]), head
    rows = [f"{n or 'NA'},5,6{n},{s}" for n, s in enumerate(STATUS)]  # R names each row.
    assert "one value more than the header" in files.refusal("a.csv", ["crp,age,status", *rows])
    sorted_numbers = [f"{n * n},5{n},6{n},{s}" for n, s in enumerate(STATUS)]
    assert "one value more" in files.refusal("a.csv", ["crp,age,status", *sorted_numbers])
    kept = [f"{n * n},0.5{n},6{n},{s}" for n, s in enumerate(STATUS)]  # Rows of R, chosen.
    assert files.read("a.csv", ["crp,age,status", *kept]).row_names[-2:] == ["16", "25"]
    whole = [f"{n},5{n},6{n},{s}" for n, s in enumerate(STATUS, 1)]
    assert files.read("a.csv", ["crp,age,status", *whole]).row_names == SIX


def test_a_quotation_mark_that_swallows_rows_is_found_whatever_is_between_them(files):
    head, *rows = lines("\t", id=IDS, g=SIX, note=["-"] * 6, status=STATUS)
    for first, second, between in (
        ('"late', 'early"', []),
        ('"late', 'early"', [""]),
        ('"big,\tred', 'early"', []),
        ('"late', 'early"', ["s9\t1\t-\tctrl\t"]),
    ):
        broken = [
            row.replace("\t-", f"\t{first}", 1) if at == 1 else row for at, row in enumerate(rows)
        ]
        broken[4] = broken[4].replace("\t-", f"\t{second}", 1)
        text = [head, *broken[:3], *between, *broken[3:]]
        assert "some are rows by themselves" in files.refusal("a.tsv", text), (first, between)
    whole = [head, *rows[:5], 's6\t6\t"two\nlines, of prose"\tcase']
    data = files.read("a.tsv", whole, drop=["note"])
    assert len(data.labels) == 6
    assert "a row in quotation marks has several lines: lines 7 to 8" in data.told


def test_names_and_groups_that_differ_in_blanks_are_told(files):
    columns = {"g": SIX, "g ": A, "patient": ["a", "a ", "b", "b", "c", "c"]}
    data = files.read("a.csv", lines(**columns, status=STATUS), groups="patient")
    assert "differ in blanks at the ends of their names alone: 'g'" in data.told
    assert "blanks at the ends of 1 values in 'patient' were cut" in data.told
    assert data.groups[:2] == ["a", "a"]


def test_genes_that_became_dates_in_any_spreadsheet_are_told(files):
    for name in ("2-Sep", "Sep-02", "02. Sep", "Sep 02", "01.03.2024", "01. Mrz", "1/3/2024"):
        told = files.read("a.csv", lines(**{name: SIX, "g": A}, status=STATUS)).told
        assert "are called like dates" in told, name


def test_a_wrong_byte_in_utf_8_is_no_other_encoding(files):
    text = "\n".join(
        lines(**{"Größe": range(6), "\u00b5g": SIX, "status": ["gesünd", "krank"] * 3})
    )
    broken = text.encode().replace(b"\n3,", b"\n\xff3,")
    assert "line 5 has the byte 0xff" in files.refusal("a.csv", broken)
    data = files.read("a.csv", text.encode("cp1252"))
    assert data.names == ("\u00b5g",)
    assert "by which a text is 'Größe'" in data.told
    for name, encoding in (("žluť", "cp1250"), ("女性", "shift_jis")):  # No text of Windows-1252.
        raw = "\n".join(lines(**{name: SIX}, status=STATUS)).encode(encoding)
        assert "dataset.encoding names another encoding, such as" in files.refusal("b.csv", raw)
        assert files.read("b.csv", encoding=encoding).names == (name,)
    for encoding, labels in product(("utf-16-le", "utf-16-be"), ("муж жен", "一 二", "é b")):
        raw = "\n".join(lines(**{"年齢": SIX}, status=labels.split() * 3)).encode(encoding)
        assert files.read("c.csv", raw).labels == labels.split() * 3
    for raw in (b"$FL2@(#) SPSS" + bytes(200), b"X\n\x81\x00\x00\x02\x9d" * 9):
        assert "it has zero bytes, and is no text; export" in files.refusal("d.txt", raw)


def test_a_cell_beyond_the_header_does_not_move_the_header(files):
    names, rows = ("sample", "TP53", "status"), [(f"S{n}", n, s) for n, s in enumerate(STATUS)]
    files.book("a.xlsx", [names, *rows[:2], (*rows[2], "", "3"), *rows[3:]])
    said = files.refusal("a.xlsx")
    assert "row 1 has 3 names (sample, TP53, status)" in said
    assert "row 4 has '3' beyond them" in said
    said = files.refusal("a.csv", ["sample,TP53,status", *(f"{a},{b},{c},1,2" for a, b, c in rows)])
    assert "line 1 has 3 names" in said


def test_merged_cells_and_hidden_sheets_of_a_workbook(files):
    visits = [(p, v, n) for n, (p, v) in enumerate((p, v) for p in "abc" for v in (1, 2))]
    frame = pd.DataFrame(visits, columns=["patient", "visit", "x"]).assign(status=STATUS)
    frame.set_index(["patient", "visit"]).to_excel(files.folder / "a.xlsx")
    data = files.read("a.xlsx")
    assert data.row_names == ["a|1", "a|2", "b|1", "b|2", "c|1", "c|2"]
    assert data.names == ("x",)
    assert "3 cells are merged over rows" in data.told
    assert files.read("a.xlsx", skip=[3]).row_names == ["a|1", "b|1", "b|2", "c|1", "c|2"]
    book = openpyxl.Workbook()
    book.active.sheet_state = "hidden"
    shown = book.create_sheet("Data")
    for at, sheet in enumerate((book.worksheets[0], shown)):
        for row in [("x", "y", "status"), *((100 * at + n, 1, s) for n, s in enumerate(STATUS))]:
            sheet.append(row)
    book.save(files.folder / "b.xlsx")
    data = files.read("b.xlsx")
    assert data.column("x") == [100, 101, 102, 103, 104, 105]
    assert "hidden sheets before Data were passed over" in data.told
    assert "the sheet Sheet is hidden" in files.read("b.xlsx", sheet="Sheet").told


def test_a_target_of_numbers_in_any_spelling_is_continuous(files):
    numbers = [f"{1.37 * n:.2f}" for n in range(12)] * 2
    for spelled in ([n.replace(".", ",") for n in numbers], ["<1", *numbers[1:]], numbers):
        text = lines(sep=";", g=range(24), status=spelled)
        assert "dataset.cut=VALUE makes two classes" in files.refusal("a.csv", text)
    said = files.refusal("a.csv", lines(g=range(24), status=["<1", *numbers[1:]]), cut=5)
    assert "dataset.below_limit reads a limit" in said
    assert "single sample" not in said


def test_a_name_means_its_own_column(files):
    text = content(**{"crp": range(6), "crp ": range(6), "gene[1]": range(6)})
    data = files.read("a.csv", text, drop=["crp"])
    assert data.names == ("crp ", "gene[1]", "a")
    assert files.read("a.csv", features="gene[1]").names == ("gene[1]",)
    twice = ["id,id,crp,status", *(f"p{n},{n},{n},{s}" for n, s in enumerate(STATUS))]
    assert "2 columns are called 'id'" in files.refusal("a.csv", twice)
    text = content(id=[f"p{n}" for n in range(6)], e=range(6))
    for options, role in (
        ({"drop": ["e"], "groups": "e"}, "the groups"),
        ({"adjust": ["status"]}, "the labels"),
        ({"drop": ["id"], "index": "id"}, "the row names"),
        ({"index": "status"}, "the row names"),
        ({"order": {"status": ["ctrl", "case"]}}, "the labels"),
        ({"numbers": ["id"]}, "the row names"),
    ):
        assert f"has {role}, and a column has one role" in files.refusal("a.csv", text, **options)
    assert "no column called ''" in files.refusal("a.csv", text, adjust=[""])
    assert "one column was found" in files.refusal("a.csv", lines("^", g=range(6), status=STATUS))


def test_texts_that_are_numbers_in_another_spelling_get_their_own_advice(files):
    for odd in ("(0.5)", "\u20130.5", "3*", "05. Mrz", "∞"):
        said = files.refusal("a.csv", content(x=[odd, "1", "2", "3", "4", "5"]))
        assert "is it missing?" not in said, odd
        assert "write a number by digits" in said, odd
    for pair in (["12 mg", "3mg"], ["1.2/0.3", "2/1"]):
        said = files.refusal("a.tsv", content("\t", x=pair * 3))
        assert "'x' looks like numbers with brackets, marks or units" in said, pair
    marked = ("$%d.50", "%d,5 €", "₹%d", "\u2013%d", "%d\u2030", "%d·5", "%d±0.3", "%d.5°C")
    for form in (*marked, "\uff11%d", "\u0661%d"):
        x = [form % n for n in range(6)]  # The first column is neither row names nor categories.
        for cells, role in ((x, {}), (x[:2] * 3, {"categories": "onehot"})):
            said = files.refusal("a.tsv", content("\t", x=cells), **role)
            assert "write a number by digits" in said, form
        assert "'x' holds numbers, but also" in files.refusal("a.tsv", adjust=["x"]), form
    for form in ("1.2.%d", "12-%d", "1\u2013%d", "µ%d", "%d号"):
        names = [form % n for n in range(6)]
        assert files.read("a.tsv", content("\t", x=names)).row_names == names
    said = files.refusal("a.csv", content(x=["01jan2020", "02feb2020"] * 3, y=["1/2/2020"] * 6))
    assert "'x', 'y' look like dates" in said


def test_classes_that_look_alike_are_told_and_an_order_names_a_value_once(files):
    for alike in (["é", "e\u0301"], ["IL-6", "IL\u20136"], ["a b", "a\u00a0b"]):
        told = files.read("a.csv", lines(g=SIX, status=alike * 3)).told
        assert "differ in signs that look alike" in told
    said = files.refusal(
        "b.csv", content(stage=["low", "mid"] * 3), order={"stage": ["low", "mid", "mid"]}
    )
    assert "names a value twice" in said
    said = files.read("c.csv", content(batch=["A", "a", "A", "a", "-", "-"]), groups="batch").told
    assert "the groups 'A' and 'a' differ in capital letters alone" in said
    assert "WARNING '-' in 'batch' may mean a missing value" in said


def test_a_line_to_skip_is_in_the_file(files):
    assert "names line 99, and the last one is line 7" in files.refusal(
        "a.csv", content(), skip=[2, 99]
    )
    assert "names line 8, and" in files.refusal("a.csv", skip=8)
    files.book("a.xlsx", [line.split(",") for line in content()])
    assert "names row 8, and the last one is row 7" in files.refusal("a.xlsx", skip=[8])


def test_a_covariate_is_read_by_the_signs_of_its_own_table(files):
    leu = ["950", "1.055", "870", "3.255", "4.355", "910"]
    other = files.write("l.csv", lines(";", sample=SIX, status=STATUS, leu=leu))
    files.write("a.csv", lines(sample=SIX, g=[*FIVE, "7"]))
    said = files.refusal("a.csv", labels=other, adjust=["leu"])
    assert "'1.055' may be 1055 (dataset.thousands='.') or 1.055" in said
    assert files.read("a.csv", labels=other, adjust=["leu"], thousands=".").adjust["leu"][1] == 1055
    data = files.read("b.csv", content(age=["<18", *SIX[1:]]), adjust=["age"], below_limit="half")
    assert "'age' has values beyond a limit" in data.told
    said = files.refusal("b.csv", adjust=["age"], below_limit="missing")
    assert "1 row has a limit and no value in 'age'" in said
    nobody = lines(age=SIX, g=SIX, status=[""] * 6)
    said = files.refusal("c.csv", nobody, adjust=["age"], unlabelled="drop")
    assert "'status' has none in all 0 rows" in said


def test_numbers_of_a_file_that_are_infinite_are_refused_in_every_role(files):
    frame = pd.DataFrame({"x": [0.5, np.inf, 1.5, 2, 3, 4], "a": map(float, A), "status": STATUS})
    frame.to_parquet(files.folder / "a.parquet")
    for options in ({}, {"adjust": ["x"]}, {"target": "x", "cut": 2, "drop": ["status"]}):
        assert "inf" in files.refusal("a.parquet", **options), options
    turned = pd.DataFrame(
        {"g": ["x", "a"], **dict(zip("pqrstu", frame[["x", "a"]].to_numpy(), strict=True))}
    )
    turned.astype({"p": str}).to_parquet(files.folder / "b.parquet")
    other = files.write("l.csv", lines(id="pqrstu", status=STATUS))
    assert "infinite values, 'x'" in files.refusal("b.parquet", transpose=True, labels=other)


def test_numbers_of_a_workbook_keep_their_points_in_every_role(files):
    bmi, crp = [21.234, 22, 23.512, 24.125, 25, 28.111], ["2,5", "1,5", "0,5", "3,5", "4,5", "5,5"]
    files.book("a.xlsx", [("crp", "bmi", "status"), *zip(crp, bmi, STATUS, strict=True)])
    assert files.read("a.xlsx", adjust=["bmi"], decimal=",").adjust["bmi"] == bmi
    mixed = ["1.234", *bmi[1:]]
    files.book("b.xlsx", [("bmi", "status"), *zip(mixed, STATUS, strict=True)])
    assert "'1.234' may be 1234 (dataset.thousands='.')" in files.refusal("b.xlsx")
    data = files.read("a.xlsx", target="bmi", cut=23.6, decimal=",", drop=["status"])
    assert data.labels == ["<= 23.6"] * 3 + ["> 23.6"] * 3


def test_numbers_that_a_sheet_shows_as_percents_have_one_unit(files):
    """A part of a column as percents is refused in every role; a whole column is told."""

    def save(x: list, shown: str, style: str = "0.0%", turned: bool = False) -> None:
        columns = [("id", *"pqrstu"), ("x", *x), ("z", *range(6)), ("status", *STATUS)]
        rows = columns if turned else zip(*columns, strict=True)
        book = files.book("a.xlsx", rows)
        for cell in shown.split():
            book.active[cell].number_format = style
        book.save(files.folder / "a.xlsx")

    mixed = [0.4, 40, 0.35, 35, 1, 20]
    roles: tuple[dict[str, Any], ...] = (
        {},
        {"adjust": ["x"]},
        {"target": "x", "cut": 2, "drop": ["status"]},
    )
    for x in (mixed, [0.4, "40", 0.35, "35%", 1, "20"], [0.4, 0.5, 0.35, 0.1, 1, 0.2]):
        save(x, "B2 B4 B6")
        for options in roles:
            said = files.refusal("a.xlsx", **options)
            assert "0.4 may be 0.4 or 40; give the whole column one format" in said
    assert files.read("a.xlsx", drop=["x"]).names == ("z",)
    save([0.4, 0.5, 1, 0, None, "n.d."], "B2 B3 B4 B5 B6 B7")
    data = files.read("a.xlsx", missing="median", na=["n.d."])
    assert data.column("x")[:4] == [0.4, 0.5, 1, 0]
    assert "1 column has numbers that are shown as percents, taken as fractions" in data.told
    save(mixed, "B3 B5 B7", '0"%"')  # This sign is a text: the number is what is shown.
    assert files.read("a.xlsx").column("x") == mixed
    for shown, is_read in (("B2 C2 D2 E2 F2 G2", True), ("B2 C2", False)):
        save([0.4, 0.5, 1, 0, 0.1, 0.2], shown, turned=True)
        if is_read:
            assert files.read("a.xlsx", transpose=True).names == ("x", "z")
        else:
            assert "'x': '0.4' in column 2" in files.refusal("a.xlsx", transpose=True)


def test_a_number_of_dataset_na_is_missing_in_every_role(files):
    found = ["0.0", "1.0", "-999.0"] * 2
    options = {"na": ["-999"], "unlabelled": "drop"}
    assert files.read("a.csv", lines(g=SIX, status=found), **options).labels == ["0.0", "1.0"] * 2
    assert set(files.read("a.csv", cut=0.5, **options).labels) == {"<= 0.5", "> 0.5"}
    for role in ({"groups": "x"}, {"adjust": ["x"]}):
        said = files.refusal("b.csv", content(x=found), na=["-999"], **role)
        assert "2 rows have no value in 'x'" in said
    data = files.read(
        "c.csv", content(x=["m", "f", "-9.0"] * 2), na=["-9"], categories="onehot", missing="median"
    )
    assert data.names == ("x=m", "a")
    told = files.read("d.csv", lines(g=SIX, status=["0", "1", "-9"] * 2)).told
    assert "-9 is far from all other values in 'status'" in told
    told = files.read("d.csv", content(x=["10", "20.5", "-999"] * 2), adjust=["x"]).told
    assert "-999 is far from all other values in 'x'" in told


def test_what_is_noticed_in_the_second_table_is_told(files):
    files.write("a.csv", lines(sample=SIX, a=A))
    text = "\n".join(lines(sample=SIX, status=["gesünd", "krank"] * 3)).encode("cp1252")
    data = files.read("a.csv", labels=files.write("l.csv", text))
    assert "by which a text is 'gesünd'" in data.told
    uneven = files.write("l.csv", [*lines(sample=SIX, status=STATUS), "7,case,odd"])
    assert "leave them out by dataset.labels_skip=[8]" in files.refusal("a.csv", labels=uneven)
    assert files.read("a.csv", labels=uneven, labels_skip=[8]).labels == STATUS
    files.write("a.csv", lines(sample=["", *SIX[1:]], a=A))
    blank = files.write("l.csv", lines(sample=["", *SIX[1:]], status=STATUS))
    assert "1 of 6 samples of a.csv are not in its column" in files.refusal("a.csv", labels=blank)


def test_an_option_without_effect_is_refused(files):
    pd.DataFrame({"g": range(6), "status": STATUS}).to_parquet(files.folder / "a.parquet")
    said = files.refusal("a.parquet", skip=[3], sheet="x")
    assert "dataset.skip, dataset.sheet has no effect on .parquet" in said
    assert "dataset.sheet has no effect on .csv" in files.refusal("a.csv", content(), sheet="x")
    large = pd.DataFrame({"g": [2**53 + n for n in range(6)], "status": STATUS})
    large.to_parquet(files.folder / "a.parquet")
    assert "has more digits than a number can hold" in files.refusal("a.parquet")
    assert files.read("a.parquet", numbers=["g"]).names == ("g",)
    for key in ("index", "sheet"):
        said = files.refusal("a.csv", **{f"labels_{key}": "id"})
        assert f"dataset.labels_{key} is about the table of dataset.labels" in said
        assert f"for the table itself there is dataset.{key}" in said


def test_headers_that_are_missing_or_there_twice(files):
    rows = content(g=SIX)
    data = files.read("a.csv", [*rows[:4], rows[0], *rows[4:]])
    assert (data.labels, data.column("g")) == (STATUS, [1, 2, 3, 4, 5, 6])
    assert "line 5 is the header once more and was left out" in data.told
    plain = [f"{n}.5,{n}.1,{s}" for n, s in zip(SIX, STATUS, strict=True)]
    told = files.read("a.csv", ["9.5,9.1,x", *plain], target="x").told
    assert "WARNING 2 columns are called by numbers (9.5, 9.1)" in told
    ragged = [f"{row}{',' if n % 2 else ''}" for n, row in enumerate(rows[1:])]
    assert files.read("a.csv", [f"{rows[0]},", *ragged]).labels == STATUS
    said = files.refusal("a.csv", ["# g a status", *(r.replace(",", " ") for r in rows[1:])])
    assert "mend the header" in said
    assert "dataset.skip" not in said
    said = files.refusal("a.csv", ["Study,x,y", "Year,2020,z", *rows])
    assert "Line 3 has it: dataset.skip=2 if it names the columns." in said
    assert files.read("a.csv", skip=2).labels == STATUS


def test_a_blank_in_a_name_separates_no_columns(files):
    """Neither do decimal commas between blanks; comments and footers have no separator."""
    for sep in ("\t", ";", ",", "|"):
        head, *rows = lines(sep, id=[f"S {n}" for n in SIX], **{"CRP 0": SIX}, status=STATUS)
        for text in (
            [head, *rows, "", "Source: us"],
            [head, *rows[:3], "# batch 2", *rows[3:]],
            [head, *rows, "(6 rows)"],
        ):
            data = files.read("a.txt", text)
            assert (data.names, data.labels) == (("CRP 0",), STATUS), text
        ended = lines(sep, **{"CRP 0": A}, x=SIX, status=STATUS)
        ended[1:] = [sep.join([str(100 + n), row, ""]) for n, row in enumerate(ended[1:])]
        assert "another length than the header" in files.refusal("b.txt", ended)
        of_r = [row.removesuffix(sep) for row in ended]
        data = files.read("b.txt", [*of_r[:3], of_r[0], *of_r[3:]])
        assert (data.names, data.row_names) == (("CRP 0", "x"), [str(n) for n in range(100, 106)])
    aligned = lines(" ", id=IDS, x=[f"{n},5" for n in SIX], status=STATUS)
    assert files.read("c.txt", aligned).column("x") == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]


def test_a_column_of_numbers_and_many_gaps_is_no_text(files):
    x = ["<LOD", "0.5", "<LOD", "1.5", "<LOD", "2.5"] + ["<LOD"] * 6
    rows = lines(x=x, sex=["m", "f"] * 6, status=["ctrl", "case"] * 6)
    said = files.refusal("a.csv", rows)
    assert "'x' has numbers in fewer than half of the rows: 'dataset.na=[\"<LOD\"]'" in said
    assert "brackets, marks or units" not in said
    data = files.read("a.csv", categories="onehot", na=["<LOD"], missing="median")
    assert data.names == ("x", "sex=m")
    told = files.read("a.csv", categories="onehot").told
    assert "WARNING 'x' has numbers in fewer than half of the rows, and each is a category" in told
    rows = content(sex=["m", "f", "NA"] * 2)
    data = files.read("b.csv", rows, categories="onehot", na=["NA"], missing="median")
    assert data.names == ("sex=m", "a")


def test_running_numbers_beside_the_names_of_features_are_no_sample(files):
    samples = {f"s{n}": [n, n + 0.5, label] for n, label in enumerate(STATUS)}
    frame = pd.DataFrame({"gene": ["g1", "g2", "status"]} | samples)
    for start, options in product((0, 1), ({}, {"index": "gene"})):
        frame.set_axis(range(start, start + 3)).to_csv(files.folder / "a.csv")
        data = files.read("a.csv", transpose=True, **options)
        assert (data.names, data.labels) == (("g1", "g2"), STATUS)
        assert "the first column numbers the features and was left out" in data.told
    values = pd.DataFrame({f"s{n}": [n + 0.5, n + 1.5] for n in range(6)}).astype(object)
    values.iloc[0, 0] = None
    values.to_csv(files.folder / "b.csv")
    other = files.write("l.csv", lines(id=[f"s{n}" for n in range(6)], status=STATUS))
    data = files.read("b.csv", transpose=True, labels=other, missing="median")
    assert (data.names, data.labels) == (("0", "1"), STATUS)
