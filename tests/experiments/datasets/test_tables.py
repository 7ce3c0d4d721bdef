"""Tables as people have them: read as they are meant, or refused with what is to be done."""

import re
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from experiments.datasets import DataError, load
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import UserTable, read_table

A = ["-0.79", "0.24", "-1.9", "1.4", "0.64", "-0.29"]
STATUS = ["ctrl", "case"] * 3


def content(sep=",", head=True, **columns) -> str:
    """A table with the columns, a and status."""
    columns = {**columns, "a": A, "status": STATUS}
    lines = [sep.join(columns)] * head
    lines += [sep.join(cells) for cells in zip(*columns.values(), strict=True)]
    return "\n".join(lines) + "\n"


def read(path: Path, text: str | bytes | None, target="status", **options) -> UserTable:
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path, target, TableOptions(**options))


def in_file_order(data: UserTable) -> tuple[np.ndarray, list[str]]:
    rows = np.argsort(data.file_rows)
    return data.X[rows], [data.label_names[int(value)] for value in data.y[rows]]


def column(data: UserTable, name: str) -> list[float]:
    X, _ = in_file_order(data)
    assert data.feature_names is not None
    return X[:, data.feature_names.index(name)].tolist()


def refusal(path: Path, text: str | bytes | None, target="status", **options) -> str:
    with pytest.raises(DataError) as caught:
        read(path, text, target, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


FIVE = ["1", "2", "3", "4", "5"]


def test_row_names_and_labels_stay_the_text_of_the_file(tmp_path):
    ids = ["001", "1E3", "12345678901234567890", "2E2", "20E1", "p"]
    labels = ["01", "1", "10E4", "1E5", "01", "1"]
    text = content(sample=ids).replace("status", "other")
    lines = text.splitlines()
    rows = [
        f"{line.rpartition(',')[0]},{label}"
        for line, label in zip(lines[1:], labels * 1, strict=True)
    ]
    twice = [*rows, *(f"q{row}" for row in rows)]
    data = read(tmp_path / "a.csv", "\n".join(["sample,a,status", *twice]))
    assert in_file_order(data)[1] == labels * 2
    assert data.row_names is not None
    assert [data.row_names[i] for i in np.argsort(data.file_rows)][:6] == ids
    told = " ".join(data.notes)
    assert "'01' and '1' differ in their spelling alone" in told
    assert "'10E4' and '1E5' differ in their spelling alone" in told


def test_a_workbook_is_read_as_its_text_file_is(tmp_path):
    columns = {"x": ["12.5", "1", "NA", "3", "4", "5"], "a": A, "status": STATUS}
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["A title"])
    sheet.append([])
    sheet.append(list(columns))
    for row in zip(*columns.values(), strict=True):
        sheet.append([row[0], float(row[1]), row[2]])  # x: numbers stored as text
    book.save(tmp_path / "a.xlsx")
    in_book = read(tmp_path / "a.xlsx", None, missing="median")
    in_text = read(tmp_path / "a.csv", content(x=columns["x"]), missing="median")
    assert in_book.fingerprint == in_text.fingerprint
    assert "row 1 is before the header" in " ".join(in_book.notes)
    for word in ("NA", "None"):
        labels = [word, "b"] * 3
        sheet = openpyxl.Workbook()
        for row in [("a", "status"), *zip(map(float, A), labels, strict=True)]:
            sheet.active.append(row)
        sheet.save(tmp_path / "l.xlsx")
        rows = ["a,status", *map(",".join, zip(A, labels, strict=True))]
        (tmp_path / "l.csv").write_text("\n".join(rows))
        for name in ("l.xlsx", "l.csv"):
            assert f"3 rows have '{word}' in 'status'" in refusal(tmp_path / name, None)
            data = read(tmp_path / name, None, unlabelled="class")
            assert in_file_order(data)[1] == labels
    book = openpyxl.Workbook()
    for row in [("a", "b", "status"), *zip(map(float, A), ["=A2*2"] * 6, STATUS, strict=True)]:
        book.active.append(row)
    book.save(tmp_path / "f.xlsx")
    assert "formula '=A2*2' and no value" in refusal(tmp_path / "f.xlsx", None)


def test_a_column_never_changes_its_role_without_a_word(tmp_path):
    said = refusal(tmp_path / "a.csv", content(crp=["0.3", "2.0", "<0.5", "5.4", "7.1", "8.8"]))
    assert "'crp': '<0.5' in line 4" in said
    visits = content(patient=["p1", "p1", "p2", "p2", "p3", "p3"], visit=["1", "2"] * 3)
    data = read(tmp_path / "a.csv", visits)
    assert data.feature_names == ("a",)
    assert "'visit', was taken as the second level" in " ".join(data.notes)
    assert read(tmp_path / "a.csv", visits, index="patient").feature_names == ("visit", "a")
    frame = pd.DataFrame({"a": map(float, A), "status": STATUS})
    frame.index = pd.MultiIndex.from_product([["x", "y", "z"], [1, 2]], names=["p", "t"])
    for name, write in (
        ("m.parquet", frame.to_parquet),
        ("m.csv", frame.rename_axis([None, None]).to_csv),
    ):
        write(tmp_path / name)
        assert read(tmp_path / name, None).feature_names == ("a",), name
    shifted = content(g=[*FIVE, "6"]).splitlines()
    shifted = [shifted[0], *(f"p{n},{line}" for n, line in enumerate(shifted[1:]))]
    ended = [shifted[0], *(f"{line}," for line in content(g=[*FIVE, "6"]).splitlines()[1:])]
    for lines in (shifted, ended, [f"{line}," for line in content(g=[*FIVE, "6"]).splitlines()]):
        data = read(tmp_path / "a.csv", "\n".join(lines))
        assert data.feature_names == ("g", "a")
        assert in_file_order(data)[1] == STATUS
        assert column(data, "a") == list(map(float, A))


def test_labels_are_joined_by_names_and_not_by_running_numbers(tmp_path):
    numbers = ["1", "2", "3", "4", "5", "6"]
    table = "sample,a\n" + "".join(f"{n},{a}\n" for n, a in zip(numbers, A, strict=True))
    right = dict(zip(numbers, STATUS, strict=True))
    order = ["3", "1", "2", "6", "5", "4"]

    def joined(head: str, rows: list[str], **options):
        (tmp_path / "l.csv").write_text("\n".join([head, *rows]))
        return in_file_order(
            read(tmp_path / "a.csv", table, labels=str(tmp_path / "l.csv"), **options)
        )[1]

    for head in (",sample,status", "nr,sample,status", "nr,name,status"):
        rows = [f"{n},{s},{right[s]}" for n, s in enumerate(order, 1)]
        assert joined(head, rows) == STATUS, head
    rows = [f"{n},{right[n]}" for n in numbers]
    assert joined("nr,status", rows) == STATUS
    notes = read(tmp_path / "a.csv", None, labels=str(tmp_path / "l.csv")).notes
    assert any("running numbers" in note for note in notes)
    rows = [f"{s},{s},{right[s]}" for s in order]
    with pytest.raises(DataError, match=r"2 columns match .*which column.*dataset\.labels_index="):
        joined("x,y,status", rows)
    assert joined("x,y,status", rows, labels_index="y") == STATUS
    rows = [f"{s},{right[s]}" for s in [*order[:5]]] + ["99,ctrl"]
    with pytest.raises(DataError, match=r"1 of 6 samples.*\(4\).*dataset\.unlabelled=drop"):
        joined("sample,status", rows)
    assert joined("sample,status", rows, unlabelled="drop") == [*STATUS[:3], *STATUS[4:]]
    notes = read(tmp_path / "a.csv", None, labels=str(tmp_path / "l.csv"), unlabelled="drop").notes
    assert any("not in the table and were left out: 99" in note for note in notes)


def test_a_row_never_vanishes_without_a_word(tmp_path):
    notes = ["ok", '"5 mm', "ok", '"6 mm', "ok", "ok"]
    said = refusal(tmp_path / "a.tsv", content("\t", n=notes), drop=["n"])
    assert re.search(r"quotation marks .* line 3 .*dataset\.quote=none", said), said
    data = read(tmp_path / "a.tsv", None, drop=["n"], quote="none")
    assert in_file_order(data)[1] == STATUS
    swallowed = ["ok", '"one', "ok", 'two"', "ok", "ok"]
    said = refusal(tmp_path / "a.tsv", content("\t", n=swallowed), drop=["n"])
    assert "quotation mark" in said
    whole = content("\t", n=["ok", '"two\nlines"', *["ok"] * 4])
    assert in_file_order(read(tmp_path / "a.tsv", whole, drop=["n"]))[1] == STATUS
    for sign in ("\u0085", "\u2028", "\x0b", "\x1c", "\x0c"):
        text = content(n=[f"x{sign}{n}" for n in range(6)])
        data = read(tmp_path / "a.csv", text, index="n")
        assert in_file_order(data)[1] == STATUS
        assert data.row_names is not None
        assert all(sign in name for name in data.row_names)
    text = content(**{"dose\u2026": [*FIVE, "6"]})
    data = read(tmp_path / "a.csv", text.encode("cp1252"))
    assert data.feature_names == ("dose\u2026", "a")
    assert "Windows-1252" in data.notes[0]
    assert in_file_order(read(tmp_path / "a.csv", content() + "\x1a"))[1] == STATUS
    lines = content(g=[*FIVE, "6"]).splitlines()
    for line, n in (("1,2", 2), ("1,2,3,4", 4)):
        bad = [*lines[:3], line, *lines[3:]]
        said = refusal(tmp_path / "a.csv", "\n".join(bad))
        assert f"names 3: line 4 has {n} values" in said
        assert "dataset.skip=[4]" in said
        data = read(tmp_path / "a.csv", None, skip=[4])
        assert in_file_order(data)[1] == STATUS


def test_what_stands_around_the_table_is_found(tmp_path):
    table = content(sample=list("pqrstu"), b=[*FIVE, "6"])
    head, *rows = table.splitlines()
    expected = read(tmp_path / "a.csv", table)
    for before, after in (
        (["# made by a tool", "# with, commas"], []),
        (["Table 1. Patients"], []),
        (["Table 1, patients", ""], []),
        (["", "", "   "], []),
        (["My title,,,", ",,,"], []),
        ([], ["", "Source: a registry"]),
        ([], ["# end"]),
        (["sep=,"], []),
        (["# a, comment, with, four"], []),
        (["Title"], ["", "n = 6,,,"]),
    ):
        data = read(tmp_path / "a.csv", "\n".join([*before, head, *rows, *after]))
        assert data.fingerprint == expected.fingerprint, before
        assert data.feature_names == expected.feature_names
        assert data.row_names == expected.row_names
        words = [line for line in [*before, *after] if line.strip(" ,") and "sep" not in line]
        assert any("left out" in note for note in data.notes) or not words, data.notes
    units = [head, ",,kg,mg/l,".replace(",,", ",", 1), *rows]
    data = read(tmp_path / "a.csv", "\n".join(units))
    assert data.fingerprint == expected.fingerprint
    assert "line 2 has units (kg, mg/l)" in " ".join(data.notes)
    data = read(tmp_path / "a.csv", "\n".join(["x,y,z", "1,2,3", head, *rows]), skip=2)
    assert data.fingerprint == expected.fingerprint


def test_geo_and_gct_are_read_with_what_they_say_about_samples(tmp_path):
    samples = [f"GSM{n}" for n in range(6)]
    geo = [
        '!Series_title\t"A series"',
        "!Sample_geo_accession\t" + "\t".join(samples),
        "!Sample_characteristics_ch1\t" + "\t".join(f'"status: {s}"' for s in STATUS),
        "!series_matrix_table_begin",
        '"ID_REF"\t' + "\t".join(f'"{s}"' for s in samples),
        '"g1"\t' + "\t".join(A),
        '"g2"\t' + "\t".join(["null", *FIVE]),
        "!series_matrix_table_end",
    ]
    gct = [
        "#1.2",
        "2\t6",
        "Name\tDescription\t" + "\t".join(samples),
        "g1\tone\t" + "\t".join(A),
        "g2\ttwo\t" + "\t".join(["", *FIVE]),
    ]
    cls = "id,status\n" + "".join(f"{s},{c}\n" for s, c in zip(samples, STATUS, strict=True))
    (tmp_path / "l.csv").write_text(cls)
    found = [
        read(tmp_path / "g.txt", "\n".join(geo), missing="median"),
        read(
            tmp_path / "g.gct.txt", "\n".join(gct), missing="median", labels=str(tmp_path / "l.csv")
        ),
    ]
    for data in found:
        assert data.feature_names == ("g1", "g2")
        assert column(data, "g1") == list(map(float, A))
        assert np.isnan(column(data, "g2")[0])
        assert in_file_order(data)[1] == STATUS
        assert data.row_names is not None
        assert sorted(data.row_names) == samples
    gct[0], gct[1] = "#1.3", "2\t6\t1\t1"
    gct.insert(3, "status\t\t" + "\t".join(STATUS))
    assert in_file_order(read(tmp_path / "g.txt", "\n".join(gct), missing="median"))[1] == STATUS
    assert "no row called 'tissue'" in refusal(tmp_path / "g.txt", None, "tissue")
    assert "get a whole copy" in refusal(tmp_path / "g.txt", "\n".join(gct[:-1]))


def test_annotation_columns_beside_genes_are_left_out(tmp_path):
    lines = [
        "gene\tsymbol\t" + "\t".join(f"s{n}" for n in range(6)),
        "g1\tTP53\t" + "\t".join(A),
        "g2\tMYC\t" + "\t".join([*FIVE, "6"]),
        "status\t\t" + "\t".join(STATUS),
    ]
    data = read(tmp_path / "a.tsv", "\n".join(lines), transpose=True)
    assert data.feature_names == ("g1", "g2")
    assert "hold text on the features and were left out: 'symbol'" in " ".join(data.notes)


def test_weka_dialects(tmp_path):
    head = (
        "@relation r\n@attribute 'a b' {kind}\n@attribute s {{'poor \\'one\\'',well done}}\n@data\n"
    )
    rows = list(zip(A, ["'poor \\'one\\''", "well done"] * 3, strict=True))
    expected = ["poor 'one'", "well done"] * 3
    for kind, sep, end in (
        ("numeric", ",", ""),
        ("REAL [-9,9]", ",", ""),
        ("numeric % a unit", "\t", ""),
        ("real", ",", ","),
        ("numeric", ", ", ",  {2}"),
    ):
        text = head.format(kind=kind) + "".join(f"{a}{sep}{s}{end}\n" for a, s in rows)
        for mark in ("", "\ufeff", "% first\n\n"):
            data = read(tmp_path / "a.arff", mark + text, "s")
            assert in_file_order(data)[1] == expected, kind
            assert column(data, "a b") == list(map(float, A))
    integer = head.format(kind="integer") + "".join(f"{a},{s}\n" for a, s in rows)
    data = read(tmp_path / "a.arff", integer, "s")
    assert column(data, "a b") == list(map(float, A))
    assert "is an integer, but has fractions" in " ".join(data.notes)
    sparse = head.format(kind="numeric") + "".join(
        f"{{0 {a}}}\n" if s.startswith("'") else f"{{0 {a}, 1 'well done'}}\n" for a, s in rows
    )
    assert in_file_order(read(tmp_path / "a.arff", sparse, "s"))[1] == expected
    for text, message in (
        (head.format(kind="relational"), "line 2: the attribute 'a b' has the type 'relational'"),
        (integer + "1\n", "line 11 has 1 values, but there are 2 attributes"),
        (integer + "1,other\n", "values that it does not declare: 'other'"),
        ("@relation r\n@attribute a numeric\n", "no line @data"),
    ):
        assert message in refusal(tmp_path / "a.arff", text, "s")


def test_spellings_of_missing_and_those_that_may_be(tmp_path):
    for word in (
        "NA",
        "na",
        "NaN",
        "nan",
        "N/A",
        "n/a",
        "#N/A",
        "NULL",
        "Null",
        "None",
        "",
        "<NA>",
        "-1.#IND",
        "1.#QNAN",
        "?",
        " ",
    ):
        data = read(tmp_path / "a.csv", content(x=[word, *FIVE]), missing="median")
        assert np.isnan(column(data, "x")[0]), word
    for word in (".", "-", "--", "n.d.", "missing", "-", "NR", "#DIV/0!"):
        text = content(x=[word, *FIVE])
        said = refusal(tmp_path / "a.csv", text, missing="median")
        assert f"{word!r} in line 2 instead of a number; is it missing? dataset.na=[" in said
        assert np.isnan(column(read(tmp_path / "a.csv", text, missing="median", na=[word]), "x")[0])


def test_text_columns_become_features_if_asked_for(tmp_path):
    text = content(sex=["m", "f"] * 3, stage=["I", "II", "III"] * 2, smoker=["no", "yes"] * 3)
    said = refusal(tmp_path / "a.csv", text)
    assert "sex ('f', 'm'), stage ('I', 'II', 'III'), smoker ('no', 'yes')" in said
    data = read(tmp_path / "a.csv", text, categories="onehot")
    assert data.feature_names == (
        "sex=m",
        "stage=I",
        "stage=II",
        "stage=III",
        "smoker=yes",
        "a",
    )
    assert column(data, "sex=m") == [1, 0] * 3
    data = read(tmp_path / "a.csv", text, categories="onehot", order={"stage": ["I", "II", "III"]})
    assert column(data, "stage") == [0, 1, 2] * 2
    assert "lacks 'III'" in refusal(tmp_path / "a.csv", text, order={"stage": ["I", "II"]})


def test_labels_with_blanks_cases_gaps_and_small_classes(tmp_path):
    rows = [f"{a},{s}" for a, s in zip(A, ["x ", "y", "x", "y", "X", "X"], strict=True)]
    data = read(tmp_path / "a.csv", "\n".join(["a,status", *rows]))
    assert in_file_order(data)[1] == ["x", "y", "x", "y", "X", "X"]
    told = " ".join(data.notes)
    assert "blanks at the ends of 1 labels were cut" in told
    assert "'X' and 'x' differ in capital letters alone" in told
    text = "\n".join(["a,status", *rows, "5,"])
    said = refusal(tmp_path / "a.csv", text)
    assert "1 rows have no value in 'status', the target (line 8)" in said
    data = read(tmp_path / "a.csv", text, unlabelled="drop")
    assert len(data.y) == 6
    assert "1 samples without a label were left out: line 8" in " ".join(data.notes)
    assert "('z')" in refusal(tmp_path / "a.csv", "\n".join(["a,status", *rows, "5,z"]))


def test_a_path_alone_lists_the_columns_and_the_command(tmp_path):
    (tmp_path / "a.csv").write_text(content(sex=["m", "f", "m", "f", "m", ""]))
    with pytest.raises(DataError) as caught:
        load("file", path=tmp_path / "a.csv")
    first, *lines = str(caught.value).splitlines()
    assert "could be 'status', 'sex': dataset.path=" in first
    assert first.endswith("dataset.target=status")
    assert "  'sex': text, 2 different ('f', 'm'), 1 gaps" in lines
    assert "  'a': numbers, 6 different" in lines


def test_all_faults_are_told_at_once(tmp_path):
    text = content(sex=["m", "f"] * 3, crp=["<0.5", *FIVE], x=["n.d.", *FIVE], g=["", *FIVE])
    said = refusal(tmp_path / "a.csv", text.replace("-0.29,case", "-0.29,"))
    for part in (
        "5 things are to be settled",
        "no value in 'status'",
        "dataset.below_limit",
        "dataset.na=[n.d.]",
        "dataset.categories",
        "missing values ('g': 1)",
    ):
        assert part in said


def test_names_stay_as_they_came_in(tmp_path):
    names = ("g1 ", " g2", "line\nbreak", "1e5", "=1+1", "\x1b[31m")
    quoted = [f'"{name}"' for name in names]
    rows = [
        ",".join([*map(str, row), label])
        for row, label in zip(np.arange(36.0).reshape(6, 6), STATUS, strict=True)
    ]
    data = read(tmp_path / "a.csv", "\n".join([",".join([*quoted, " status"]), *rows]))
    assert data.feature_names == names
    assert list(pd.read_csv(tmp_path / "a.csv").columns[:6]) == list(names)
    assert read(tmp_path / "a.csv", None, drop=["g2", "1e5"]).feature_names == (
        "g1 ",
        "line\nbreak",
        "=1+1",
        "\x1b[31m",
    )


def test_groups_and_covariates_are_no_features(tmp_path):
    text = content(
        patient_no=["01", "01", "2", "2", "3", "3"], age=[*FIVE, "6"], sex=["m", "f"] * 3
    )
    data = read(tmp_path / "a.csv", text, groups="patient_no", adjust=["age", "sex"])
    assert data.feature_names == ("a",)
    order = np.argsort(data.file_rows)
    assert data.groups is not None
    assert [data.groups[i] for i in order] == ["01", "01", "2", "2", "3", "3"]
    assert [data.adjust["age"][i] for i in order] == [1, 2, 3, 4, 5, 6]
    assert [data.adjust["sex"][i] for i in order] == ["m", "f"] * 3


def test_the_type_of_a_covariate_is_told_and_never_guessed_from_a_fault(tmp_path):
    path, status = tmp_path / "a.csv", ["a", "b"] * 6

    def table(sign=".", **columns):
        own = {"g": [f"{i}{sign}5" for i in range(12)], **columns}
        rows = zip(*own.values(), status, strict=True)
        lines = [";".join(map(str, row)) for row in [[*own, "status"], *rows]]
        return "\n".join(lines) + "\n"

    def covariate(text, name, **options):
        data = read(path, text, adjust=[name], **options)
        (told,) = [note for note in data.notes if "the covariate" in note]
        return [data.adjust[name][i] for i in np.argsort(data.file_rows)], told

    batch = table(batch=[1, 2, 3] * 4)
    values, told = covariate(batch, "batch")
    assert values == ["1", "2", "3"] * 4
    assert "has 3 categories ('1', '2', '3'); dataset.numbers=[batch] makes it a number" in told
    values, told = covariate(batch, "batch", numbers=["batch"])
    assert values == [1, 2, 3] * 4
    assert told.endswith("is a number")
    assert covariate(table(age=range(40, 52)), "age")[0] == list(range(40, 52))
    assert covariate(table(lot=["01", "02", "03"] * 4), "lot")[0] == ["01", "02", "03"] * 4
    weights = [f"{20 + i},{512 + i}" for i in range(12)]
    values, _ = covariate(table(",", weight=weights), "weight")
    assert values == [float(text.replace(",", ".")) for text in weights]
    for odd in ("90+", "<18"):
        said = refusal(path, table(age=[odd, *range(40, 51)]), adjust=["age"])
        assert f"'age' holds numbers, but also '{odd}'" in said


def test_genes_that_are_dates_and_duplicates_are_named(tmp_path):
    for names in (["2-Sep", "1-Mar"], ["Sep-02", "g"], ["2023-09-02 00:00:00", "g"]):
        text = content(**{key: [*FIVE, "6"] for key in names})
        assert "called like dates" in " ".join(read(tmp_path / "a.csv", text).notes)
    rows = ["gene,p,q,r,s", "1-Mar,1,2,3,4", "1-Mar,2,1,4,3", "status,a,b,a,b"]
    said = refusal(tmp_path / "a.csv", "\n".join(rows), transpose=True)
    assert "2 rows are called '1-Mar'" in said
