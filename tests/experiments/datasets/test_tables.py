"""Tables as people have them: read as they are meant, or refused with what is to be done."""

import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from experiments.datasets import DataError, load
from tests.experiments.datasets.tables import FIVE, SIX, STATUS, A, content, lines

FLOATS = list(map(float, A))


def test_row_names_and_labels_stay_the_text_of_the_file(files):
    ids = ["001", "1E3", "12345678901234567890", "2E2", "20E1", "p"]
    ids += [f"q{name}" for name in ids]
    labels = ["01", "1", "10E4", "1E5", "01", "1"] * 2
    data = files.read("a.csv", lines(sample=ids, a=A * 2, status=labels))
    assert (data.row_names, data.labels) == (ids, labels)
    assert "'01' and '1' differ in their spelling alone" in data.told
    assert "'10E4' and '1E5' differ in their spelling alone" in data.told


def test_a_workbook_is_read_as_its_text_file_is(files):
    x = ["12.5", "1", "NA", "3", "4", "5"]  # Numbers stored as text.
    rows = zip(x, FLOATS, STATUS, strict=True)
    files.book("a.xlsx", [["A title"], [], ["x", "a", "status"], *rows])
    in_book = files.read("a.xlsx", missing="median")
    assert in_book.fingerprint == files.read("a.csv", content(x=x), missing="median").fingerprint
    assert "row 1 is before the header" in in_book.told
    for word in ("NA", "None"):
        labels = [word, "b"] * 3
        files.book("l.xlsx", [("a", "status"), *zip(FLOATS, labels, strict=True)])
        files.write("l.csv", lines(a=A, status=labels))
        for name in ("l.xlsx", "l.csv"):
            assert f"3 rows have '{word}' in 'status'" in files.refusal(name)
            assert files.read(name, unlabelled="class").labels == labels
    files.book("f.xlsx", [("b", "status"), *zip(["=A2*2"] * 6, STATUS, strict=True)])
    assert "formula '=A2*2' and no value" in files.refusal("f.xlsx")
    files.book("f.xlsx", [("a", "b", "status"), *zip(FLOATS, ["=A2"] * 6, STATUS, strict=True)])
    with zipfile.ZipFile(files.folder / "f.xlsx") as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(files.folder / "f.xlsx", "w") as book:  # Each gives an empty text.
        for name, part in parts.items():
            book.writestr(name, re.sub(rb"><f>A2</f><v ?/>", b' t="str"><f>A2</f><v></v>', part))
    assert (
        "1 feature was left out, without any value: 'b'"
        in files.read("f.xlsx", missing="median").told
    )


def test_a_column_never_changes_its_role_without_a_word(files):
    visits = content(patient=["p1", "p1", "p2", "p2", "p3", "p3"], visit=["1", "2"] * 3)
    data = files.read("a.csv", visits)
    assert data.names == ("a",)
    assert "'visit', was taken as the second level" in data.told
    assert files.read("a.csv", index="patient").names == ("visit", "a")
    frame = pd.DataFrame({"a": FLOATS, "status": STATUS})
    frame.index = pd.MultiIndex.from_product([["x", "y", "z"], [1, 2]], names=["p", "t"])
    frame.to_parquet(files.folder / "m.parquet")
    frame.rename_axis([None, None]).to_csv(files.folder / "m.csv")
    for name in ("m.parquet", "m.csv"):
        data = files.read(name)
        assert data.names == ("a",), name
        assert data.row_names == ["x|1", "x|2", "y|1", "y|2", "z|1", "z|2"], name
    head, *rows = content(g=SIX)
    ended = [f"{row}," for row in rows]
    shifted = [f"p{n},{row}" for n, row in enumerate(rows)]
    for text in ([head, *shifted], [head, *ended], [f"{head},", *ended]):
        data = files.read("a.csv", text)
        assert (data.names, data.labels) == (("g", "a"), STATUS)
        assert data.column("a") == FLOATS


def test_labels_are_joined_by_names_and_not_by_running_numbers(files):
    files.write("a.csv", lines(sample=SIX, a=A))
    right = dict(zip(SIX, STATUS, strict=True))
    order = ["3", "1", "2", "6", "5", "4"]
    found = [right[name] for name in order]

    def joined(table: list[str], **options):
        return files.read("a.csv", labels=files.write("l.csv", table), **options)

    for number, name in (("", "sample"), ("nr", "sample"), ("nr", "name")):
        assert joined(lines(**{number: SIX, name: order, "status": found})).labels == STATUS
    data = joined(lines(nr=SIX, status=STATUS))
    assert data.labels == STATUS
    assert "running numbers" in data.told
    files.write("x.csv", lines(x=SIX, a=A))
    of_r = files.write("r.csv", lines(X=SIX, sample=order, status=found))
    assert "'sample'" in files.read("x.csv", labels=of_r, index="x").told
    assert files.read("x.csv", labels=of_r, index="x").labels == STATUS
    twice = lines(x=order, y=order, status=found)
    with pytest.raises(DataError, match=r"2 columns match .*which column.*dataset\.labels_index="):
        joined(twice)
    assert joined(twice, labels_index="y").labels == STATUS
    numbered = lines(patient=order, sample=SIX, status=found)  # Each may be the samples' numbers.
    files.write("b.csv", lines(id=SIX, a=A))
    said = files.refusal("b.csv", labels=files.write("l.csv", numbered))
    assert "2 columns match the samples ('patient', 'sample')" in said
    other = lines(sample=[*order[:5], "99"], status=found)
    with pytest.raises(DataError, match=r"1 of 6 samples.*\(4\).*dataset\.unlabelled=drop"):
        joined(other)
    data = joined(other, unlabelled="drop")
    assert data.labels == [*STATUS[:3], *STATUS[4:]]
    assert "not in the table and were left out: 99" in data.told


def test_groups_and_covariates_are_joined_with_the_labels(files):
    files.write("a.csv", lines(sample=SIX, a=A))
    more = {"site": ["s", "t"] * 3, "age": ["40", "51.5", "33", "60", "47", "39"]}
    reverse = {name: cells[::-1] for name, cells in (more | {"sample": SIX}).items()}
    options = {"labels": files.write("l.csv", lines(**reverse, status=STATUS[::-1]))}
    options |= {"groups": "site", "adjust": ["age"]}
    data = files.read("a.csv", **options)
    assert (data.names, data.labels, data.groups) == (("a",), STATUS, more["site"])
    assert data.adjust == {"age": list(map(float, more["age"]))}
    files.write("a.csv", lines(sample=SIX, a=A, site=["u", "v", "w"] * 2))
    data = files.read("a.csv", **options)
    assert data.groups == ["u", "v", "w"] * 2
    assert "'site' is in both tables; the first table's was taken" in data.told
    assert "no column called 'sight'" in files.refusal("a.csv", **options | {"groups": "sight"})


def test_a_covariate_that_happens_to_match_is_not_the_samples_names(files):
    ids = ["31", "34", "37", "32", "35", "36"]
    files.write("a.csv", lines(id=ids, a=A))
    names = [f"x{name}" for name in SIX]
    other = files.write("l.csv", lines(id=names, age=ids, status=STATUS))
    said = files.refusal("a.csv", labels=other)
    assert "the numbers in 'age' match the samples, and 'id' does not" in said
    assert files.read("a.csv", labels=other, labels_index="age").labels == STATUS


def test_a_row_never_vanishes_without_a_word(files):
    said = files.refusal(
        "a.tsv", content("\t", n=["ok", '"5 mm', "ok", '"6 mm', "ok", "ok"]), drop=["n"]
    )
    assert re.search(r"quotation marks .* line 3 .*dataset\.quote=none", said), said
    assert files.read("a.tsv", drop=["n"], quote="none").labels == STATUS
    swallowed = content("\t", n=["ok", '"one', "ok", 'two"', "ok", "ok"])
    assert "quotation mark" in files.refusal("a.tsv", swallowed, drop=["n"])
    primes = content("\t", **{"'": A, "5'": A[::-1]})
    assert files.read("a.tsv", primes).names == ("'", "5'", "a")
    whole = content("\t", n=["ok", '"two\nlines"', *["ok"] * 4])
    assert files.read("a.tsv", whole, drop=["n"]).labels == STATUS
    for sign in ("\u0085", "\u2028", "\x0b", "\x1c", "\x0c"):
        names = [f"x{sign}{n}" for n in range(6)]
        data = files.read("a.csv", content(n=names), index="n")
        assert (data.row_names, data.labels) == (names, STATUS)
    text = "\n".join(content(**{"dose\u2026": SIX}))
    data = files.read("a.csv", text.encode("cp1252"))
    assert data.names == ("dose\u2026", "a")
    assert "Windows-1252" in data.notes[0]
    assert files.read("a.csv", [*content(), "\x1a"]).labels == STATUS
    rows = content(g=SIX)
    for line, n in (("1,2", 2), ("1,2,3,4", 4)):
        said = files.refusal("a.csv", [*rows[:3], line, *rows[3:]])
        assert f"names 3: line 4 has {n} values" in said
        assert "dataset.skip=[4]" in said
        assert files.read("a.csv", skip=[4]).labels == STATUS


def test_what_stands_around_the_table_is_found(files):
    head, *rows = content(sample="pqrstu", b=SIX)
    expected = files.read("a.csv", [head, *rows])
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
        (["#the id,in mg,in kg,the class", "#TEXT,NUMBER,NUMBER,TEXT", "#1,1,1,1"], []),
        ([",Laboratory,,Clinic"], []),
        (["----,---,---,---", "# Table 1"], ["====,===,===,==="]),
        (["Title"], ["", "n = 6,,,"]),
    ):
        data = files.read("a.csv", [*before, head, *rows, *after])
        assert data.fingerprint == expected.fingerprint, before
        assert (data.names, data.row_names) == (expected.names, expected.row_names)
        words = [line for line in [*before, *after] if line.strip(" ,") and "sep" not in line]
        assert any("left out" in note for note in data.notes) or not words, data.notes
    ended = [f"{row}," for row in (",kg,mg/l,", *rows)]  # The header alone does not end so.
    assert files.read("a.csv", [head, *ended]).fingerprint == expected.fingerprint
    data = files.read("a.csv", [head, ",kg,mg/l,", *rows])
    assert data.fingerprint == expected.fingerprint
    assert "line 2 has units or descriptions (kg, mg/l)" in data.told
    grouped = files.refusal("a.csv", [head.replace(",a,", ",,"), ",kg,mg/l,", *rows])
    assert "line 2 has 'mg/l' where line 1 has no name" in grouped
    data = files.read("a.csv", ["x,y,z", "1,2,3", head, *rows], skip=2)
    assert data.fingerprint == expected.fingerprint


def test_geo_and_gct_are_read_with_what_they_say_about_samples(files):
    samples = [f"GSM{n}" for n in range(6)]

    def row(*cells: str) -> str:
        return "\t".join(cells)

    geo = [
        '!Series_title\t"A series"',
        row("!Sample_geo_accession", *samples),
        row("!Sample_characteristics_ch1", *(f'"status: {s}"' for s in STATUS)),
        "!series_matrix_table_begin",
        row('"ID_REF"', *(f'"{s}"' for s in samples)),
        row('"g1"', *A),
        row('"g2"', "null", *FIVE),
        "!series_matrix_table_end",
    ]
    gct = ["#1.2", "2\t6", row("Name", "Description", *samples)]
    gct += [row("g1", "one", *A), row("g2", "two", "", *FIVE)]
    labels = files.write("l.csv", lines(id=samples, status=STATUS))
    for text, options in ((geo, {}), (gct, {"labels": labels})):
        data = files.read("g.txt", text, missing="median", **options)
        assert data.names == ("g1", "g2")
        assert data.column("g1") == FLOATS
        assert np.isnan(data.column("g2")[0])
        assert (data.row_names, data.labels) == (samples, STATUS)
    gct[0], gct[1] = "#1.3", "2\t6\t1\t1"
    gct.insert(3, row("status", "", *STATUS))
    assert files.read("g.txt", gct, missing="median").labels == STATUS
    assert "no row called 'tissue'" in files.refusal("g.txt", target="tissue")
    assert "get a whole copy" in files.refusal("g.txt", gct[:-1])
    assert files.read("g.gct", gct, missing="median").labels == STATUS
    commas = [line.replace("\t", ",") for line in gct]  # As a spreadsheet saves it.
    commas[0] += ",,,"
    assert files.read("g.csv", commas, missing="median").labels == STATUS
    twice = [gct[0], "2\t6\t1\t2", *gct[2:4], *gct[3:]]
    assert "2 rows are called 'status'" in files.refusal("g.gct", twice)
    assert "it has 2 series matrices" in files.refusal("g.txt", [*geo, *geo])
    geo.insert(3, row("!Sample_characteristics_ch1", *(f"age: {n}.5" for n in SIX)))
    other = files.write("l.csv", lines(id=samples, status=STATUS, age=SIX[::-1]))
    data = files.read("g.txt", geo, labels=other, adjust=["age"], missing="median")
    assert data.adjust["age"] == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert "'age' is in both tables" in data.told
    del geo[3]
    geo[4] = row("ID_REF", *samples[::-1])
    assert "bring them into one order" in files.refusal("g.txt", geo)
    geo[2] += "\tstatus: more"
    assert "(!Sample_characteristics_ch1) has 7 values for 6" in files.refusal("g.txt", geo)


def test_annotation_columns_beside_genes_are_left_out(files):
    samples = {f"s{n}": (A[n], SIX[n], STATUS[n]) for n in range(6)}
    table = lines("\t", gene=["g1", "g2", "status"], symbol=["TP53", "MYC", ""], **samples)
    data = files.read("a.tsv", table, transpose=True)
    assert data.names == ("g1", "g2")
    assert "hold text on the features and were left out: 'symbol'" in data.told


def test_weka_dialects(files):
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
        ("integer", ",", ""),
    ):
        text = head.format(kind=kind) + "".join(f"{a}{sep}{s}{end}\n" for a, s in rows)
        for mark in ("", "\ufeff", "% first\n\n"):
            data = files.read("a.arff", mark + text, "s")
            assert data.labels == expected, kind
            assert data.column("a b") == FLOATS
            assert ("is an integer, but has fractions" in data.told) == (kind == "integer")
    sparse = [f"{{0 {a}}}" if s[0] == "'" else f"{{0 {a}, 1 'well done'}}" for a, s in rows]
    text_of_sparse = head.format(kind="numeric") + "\n".join(sparse)
    assert files.read("a.arff", text_of_sparse, "s").labels == expected
    for bad, message in (
        (head.format(kind="relational"), "line 2: the attribute 'a b' has the type 'relational'"),
        (text + "1\n", "line 11 has 1 values, but there are 2 attributes"),
        (text + "1,other\n", "values that it does not declare: 'other'"),
        (
            text_of_sparse + "\n{0 1, 0 2}",
            "line 11: ' 0 2' is no attribute from 0 to 1, or is there",
        ),
        (text + "1,'other\n", "line 11: quotation marks do not match"),
        ("@relation r\n@attribute a numeric\n", "no line @data"),
    ):
        assert message in files.refusal("a.arff", bad, "s")


def test_spellings_of_missing_and_those_that_may_be(files):
    words = ["NA", "na", "NaN", "nan", "N/A", "n/a", "#N/A", "NULL", "Null", "None", "", "<NA>"]
    for word in [*words, "-1.#IND", "1.#QNAN", "?", " "]:
        data = files.read("a.csv", content(x=[word, *FIVE]), missing="median")
        assert np.isnan(data.column("x")[0]), word
    for word in (".", "-", "--", "n.d.", "missing", "NR", "#DIV/0!"):
        said = files.refusal("a.csv", content(x=[word, *FIVE]), missing="median")
        assert f"{word!r} in line 2 instead of a number; is it missing? " in said
        assert "dataset.na=[" in said
        assert np.isnan(files.read("a.csv", missing="median", na=[word]).column("x")[0])


def test_text_columns_become_features_if_asked_for(files):
    text = content(sex=["m", "f"] * 3, stage=["I", "II", "III"] * 2, smoker=["no", "yes"] * 3)
    said = files.refusal("a.csv", text)
    assert "3 columns hold text" in said
    assert "sex ('f', 'm'), stage ('I', 'II', 'III'), smoker ('no', 'yes')" in said
    assert "dataset.drop=[sex,stage,smoker]" in said
    data = files.read("a.csv", categories="onehot")
    assert data.names == ("sex=m", "stage=I", "stage=II", "stage=III", "smoker=yes", "a")
    assert data.column("sex=m") == [1, 0] * 3
    data = files.read("a.csv", categories="onehot", order={"stage": ["I", "II", "III"]})
    assert data.column("stage") == [0, 1, 2] * 2
    assert "lacks 'III'" in files.refusal("a.csv", order={"stage": ["I", "II"]})
    free = lines(a=A * 2, remark=[f"seen {n}" for n in range(12)], status=STATUS * 2)
    said = files.refusal("a.csv", free, categories="onehot")
    assert "'remark' has 12 different texts in 12 rows, no categories; dataset.drop=" in said


def test_labels_with_blanks_cases_gaps_and_small_classes(files):
    text = lines(a=A, status=["x ", "y", "x", "y", "X", "X"])
    data = files.read("a.csv", text)
    assert data.labels == ["x", "y", "x", "y", "X", "X"]
    assert "blanks at the ends of 1 labels were cut" in data.told
    assert "'X' and 'x' differ in capital letters alone" in data.told
    said = files.refusal("a.csv", [*text, "5,"])
    assert "1 row has no value in 'status', the target (line 8)" in said
    data = files.read("a.csv", unlabelled="drop")
    assert len(data.labels) == 6
    assert "1 samples without a label were left out: line 8" in data.told
    said = files.refusal("a.csv", [*text, "5,z"])
    assert "('z' in line 8)" in said
    assert "if a row is no sample, dataset.skip=[8] leaves it out" in said
    assert len(files.read("a.csv", skip=[8]).labels) == 6
    for labels, advice in (
        (["y", "n", "Y", "n", "y", "n"], "'Y' and 'y' differ in capital letters alone"),
        (["1.0", "2", "1", "2", "1", "2"], "'1' and '1.0' differ in their spelling alone"),
        (["n.d.", "y", "n", "y", "n", "y"], "dataset.na=[n.d.] dataset.unlabelled=drop takes it"),
        ([f"{n} mg" for n in SIX], "each needs two; is it the column of the classes?"),
    ):
        assert advice in files.refusal("a.csv", lines(a=A, status=labels))


def test_a_path_alone_lists_the_columns_and_the_command(files):
    path = files.write("a.csv", content(sex=["m", "f", "m", "f", "m", ""]))
    with pytest.raises(DataError) as caught:
        load("file", path=path)
    first, *listed = str(caught.value).splitlines()
    assert "could be 'status', 'sex': python run.py experiment=select dataset.path=" in first
    assert first.endswith("dataset.target=status")
    assert "  'sex': text, 2 different ('f', 'm'), 1 gaps" in listed
    assert "  'a': numbers, 6 different" in listed
    commas = {"a": ["1,5", "2,5", "3,5", "4", "5", "6"], "b": ["<0,5", "1,5", "2", "3", "4", "5"]}
    path = files.write("b.csv", lines(";", **commas, status=STATUS))
    with pytest.raises(DataError, match=r"'a': numbers.*\n  'b': numbers"):
        load("file", path=path)


def test_all_faults_are_told_at_once(files):
    gaps = {"crp": ["<0.5", *FIVE], "x": ["n.d.", *FIVE], "g": ["", *FIVE]}
    *text, last = content(sex=["m", "f"] * 3, **gaps)
    said = files.refusal("a.csv", [*text, last.removesuffix("case")])
    for part in (
        "5 things are to be settled",
        "no value in 'status'",
        "dataset.below_limit",
        "dataset.na=[n.d.]",
        "dataset.categories",
        "missing values ('g': 1)",
    ):
        assert part in said


def test_names_stay_as_they_came_in(files):
    names = ("g1 ", " g2", "line\nbreak", "1e5", "=1+1", "\x1b[31m")
    columns = {f'"{name}"': range(n, 36, 6) for n, name in enumerate(names)}
    data = files.read("a.csv", lines(**columns, **{" status": STATUS}))
    assert data.names == names
    assert list(pd.read_csv(files.folder / "a.csv").columns[:6]) == list(names)
    kept = files.read("a.csv", drop=["g2", "1e5"]).names
    assert kept == ("g1 ", "line\nbreak", "=1+1", "\x1b[31m")


def test_the_type_of_a_covariate_is_told_and_never_guessed_from_a_fault(files):
    def table(sign=".", **columns):
        return lines(";", g=[f"{i}{sign}5" for i in range(12)], **columns, status=["a", "b"] * 6)

    def covariate(text, name, **options):
        data = files.read("a.csv", text, adjust=[name], **options)
        (told,) = [note for note in data.notes if "the covariate" in note]
        return data.adjust[name], told

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
        said = files.refusal("a.csv", table(age=[odd, *range(40, 51)]), adjust=["age"])
        assert f"'age' holds numbers, but also '{odd}'" in said


def test_genes_that_are_dates_and_duplicates_are_named(files):
    for names in (["2-Sep", "1-Mar"], ["Sep-02", "g"], ["2023-09-02 00:00:00", "g"]):
        text = content(**dict.fromkeys(names, SIX))
        assert "called like dates" in files.read("a.csv", text).told
    days = content(seen=["20240131", "20231201", *SIX[2:]])
    assert "look like dates" not in files.read("a.csv", days).told
    days = content(seen=["20240131", "20231201", "", "19990630", "20000229", "20241031"])
    told = files.read("a.csv", days, missing="median").told
    assert "the numbers in 'seen' look like dates; dataset.drop=[seen]" in told
    for forms in (["31012024", "15051999"], ["12312024", "5151999"], ["202401", "199912"]):
        told = files.read("a.csv", content(seen=forms * 3)).told
        assert "the numbers in 'seen' look like dates" in told
    for years in (["1999", "2024"], ["202401", "199913"], ["31012024", "31152024"]):
        assert "look like dates" not in files.read("a.csv", content(seen=years * 3)).told
    told = files.read("a.csv", content(x=["05.30", "12.15", "1"] * 2)).told
    assert "fractions with leading zeros (09.30), which may be codes, dates or times: 'x'" in told
    others = [
        *lines(id=SIX, __no_feature=SIX, a=A, status=STATUS),
        "Mean,2,0,ctrl",
        "Total,6,0,case",
    ]
    told = files.read("a.csv", others).told
    assert "these samples may be none: 'Mean', 'Total'" in told
    assert "these features may be none: '__no_feature'" in told
    rows = ["gene,p,q,r,s", "sample,1,2,3,4", "status,a,b,a,b"]
    data = files.read("a.csv", rows, transpose=True)  # The column of samples has another name.
    assert (data.names, data.row_names) == (("sample",), ["p", "q", "r", "s"])
    rows = ["gene,p,q,r,Std Dev", "MYC,1,2,3,4", "Total,1,2,3,4", "status,a,b,a,b"]
    told = files.read("a.csv", rows, transpose=True).told
    assert "these samples may be none: 'Std Dev'" in told
    assert "these features may be none: 'Total'" in told
    assert "these features" not in files.read("a.csv", content(Total=SIX)).told
    rows = ["gene,p,q,r,s", "1-Mar,1,2,3,4", "1-Mar,2,1,4,3", "status,a,b,a,b"]
    assert "2 rows are called '1-Mar'" in files.refusal("a.csv", rows, transpose=True)
