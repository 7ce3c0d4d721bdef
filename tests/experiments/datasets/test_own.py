"""A user's table: what is written comes back, or is refused with a place, a cure, a command."""

import csv
import gzip
import io
import re
import shlex
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from experiments.config import TableConfig
from experiments.datasets import DataError
from experiments.datasets.own.faults import copied
from experiments.datasets.own.numerals import ABSENT, numbers
from experiments.datasets.own.table import Table, read_table

GERMAN: dict[str, Any] = {"decimal": ",", "thousands": "."}
#: Numbers in which a point may separate thousands.
POINTS = ["1.234", "2.345", *"1357"]
A = ["-0.79", "0.24", "-1.9", "1.4", "0.64", "-0.29"]
B = ["5", "2", "9", "7", "1", "12"]
STATUS = ["ctrl", "case"] * 3
#: The last line of a refusal: a command that cures, or that may be given once the file is edited.
COMMAND = re.compile(r"then(, with the .* corrected)?: python run\.py experiment=select ")


def lines(sep: str = ",", /, **columns: Any) -> str:
    """The text of a table of these columns, beside `a`, `b` and `status`."""
    whole = {"id": [f"p{i}" for i in range(6)], "a": A, "b": B, "status": STATUS} | columns
    whole = {name: own for name, own in whole.items() if own is not None}
    rows = [whole, *zip(*whole.values(), strict=True)]
    return "\n".join(sep.join(map(str, row)) for row in rows)


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(name: str, content: str | bytes | None = None, **options: Any) -> Table:
    """The table of a file, which is written first if it has a content here."""
    if content is not None:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(TableConfig(**{"target": "status", "path": name} | options))


def refusal(name: str, content: str | bytes | None = None, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        read(name, content, **options)
    told = str(caught.value)
    assert len(told.splitlines()) <= 10
    assert COMMAND.match(told.splitlines()[-1])
    return told


def in_file(data: Table) -> tuple[np.ndarray, list[str], list[str]]:
    """Values, labels and row names, which are in the order of the file."""
    return data.X, [data.label_names[int(code)] for code in data.y], list(data.row_names or ())


def followed(told: str) -> dict[str, Any]:
    """The options of the command that a refusal ends with, as a shell and Hydra read them."""
    words = shlex.split(told.splitlines()[-1].partition("experiment=select")[2])
    found: dict[str, Any] = {}
    for override in OverridesParser.create().parse_overrides(words):
        value, key = override.value(), str(override.key_or_group).removeprefix("dataset.")
        is_kept = value is None or isinstance(value, bool)
        found[key] = value if is_kept else str(value)
        if isinstance(value, list):
            found[key] = [str(each) for each in value]
    return found


def cured(told: str) -> Table:
    return read_table(TableConfig(**followed(told)))


def led(name: str, **options: Any) -> tuple[Table | None, str]:
    """Where the commands of refusals lead: to a table, or to an edit; with the last refusal.

    No command is one that was refused before.
    """
    tried: list[dict[str, Any]] = []
    options, told = {"target": "status", "path": name} | options, ""
    while options not in tried:
        tried.append(options)
        try:
            return read_table(TableConfig(**options)), told
        except DataError as error:
            told = str(error)
        if not told.splitlines()[-1].startswith("then: "):
            return None, told
        options = followed(told)
    raise AssertionError(f"proposed again: {told}")


def test_every_format_gives_the_same_table():
    """Each encoding and separator of a text is among the random tables below."""
    first = read("a.csv", text := lines())
    names = pd.Index([f"p{i}" for i in range(6)], name="id")
    frame = pd.DataFrame({"a": map(float, A), "b": map(float, B), "status": STATUS}, names)
    assert first.X.tolist() == frame[["a", "b"]].to_numpy().tolist()
    assert in_file(first)[1:] == (STATUS, list(names))
    Path("a.dat").write_text(text, newline="\r")
    frame.to_excel("a.xlsx")
    frame.to_parquet("a.parquet")
    frame.reset_index().to_feather("a.feather")
    head = "@relation r\n@attribute id string\n@attribute a real\n@attribute b INTEGER\n"
    rows = text.partition("\n")[2]
    Path("a.arff").write_text(f"{head}@attribute status {{ctrl,case}}\n@data\n{rows}\n")
    frame.T.to_csv("turned.csv")
    for path in map(str, sorted(Path().iterdir())):
        data = read(path, transpose=path == "turned.csv")
        assert data.fingerprint == first.fingerprint, path
        assert (data.feature_names, data.row_names) == (("a", "b"), first.row_names), path


def test_a_number_is_what_it_is_in_one_grammar():
    values = {"-.5": -0.5, "5.": 5.0, "+1e-3": 0.001, "0": 0.0, "1E5": 1e5, " 2\t": 2.0}
    assert numbers(values, TableConfig()).tolist() == [*values.values()]
    none = ["1e999", "2e150", "1e-400", "007", "1_0", "1,5", "inf", "0x1", "١٢", "1 2", "--1", ".",
            "e5", "12345678901234567890", "1.5.5", "-"]  # fmt: skip
    assert np.isinf(numbers(none, TableConfig())).all()
    german = TableConfig(**GERMAN)
    assert numbers(["1.234.567,5"], german) == 1234567.5
    assert np.isinf(numbers(["1.23", "0.123", "12345.678", "1,5,5"], german)).all()
    assert np.isnan(numbers(["", " NA ", "-9"], TableConfig(na=["-9"]))).all()


def test_cells_of_a_million_characters_are_refused_like_others():
    """In time that is linear in their length; squared, it would be days."""
    n = 500_000
    cells = ["1" * n + "!", "a" * n + " é", "1." * n, " " * n + "x", "A_" * n, "1,000" * n]
    table = lines("\t", a=cells, **{"x" * n: B}).encode("cp1252")
    assert "line 3" in refusal("a.csv", table)
    assert "column 'a'" in refusal("a.csv", table, encoding="cp1252", thousands=",")


@pytest.mark.parametrize("reader", ["csv", "xlsx"])
def test_what_pandas_knows_is_missing_and_so_is_what_the_options_name(reader):
    known = pd.read_csv(io.StringIO("a\n" + "\n".join(f'"{text}"' for text in sorted(ABSENT))))
    assert known["a"].isna().all()
    text = lines(a=["NA", "#N/A", "", "None", "-9", "1.5"])
    Path("a.csv").write_text(text)
    frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    frame.to_excel("a.xlsx", index=False)
    data = read(f"a.{reader}", missing="median", na=["-9"])
    assert np.isnan(data.X[:5, 0]).all()
    assert data.X[5, 0] == 1.5
    assert followed(refusal(f"a.{reader}"))["missing"] == "median"


#: Table -> words of its refusal, and options that its command adds.
REFUSED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a row is longer": (lines() + ",7", "line 7", {}),
    "R leaves the first name out": (lines().replace("id,", "", 1), "line 1", {}),
    "two header rows": (lines().replace("\n", "\nx,u,v,w\n", 1), "line 2", {}),
    "a title": ("my table\n" + lines(), "line 1", {}),
    "names repeat": (lines(**{"c": A}).replace("c\n", "a\n", 1), "column 5", {}),
    "no name": (lines(**{"": A}), "column 5", {}),
    "a word": (lines(a=[*A[:5], "n.d."]), "line 7, column 'a': 'n.d.'", {"na": ["n.d."]}),
    "a limit": (lines(a=["<0.5", *A[1:]]), "line 2, column 'a'", {}),
    "decimal commas": (lines(";", a=["1,5", "0,25", *A[2:]]), "line 2, column 'a'", {}),
    "commas and words": (lines(";", a=["1,2", "1,3", *"uvwx"], b=None), "'a'", {}),
    "only commas": (lines(";", a=["1,5", "0,25", "2", "3", "4", "8"]), "'a'", {"decimal": ","}),
    "thousands": (lines(";", a=POINTS), "'1.234'", {}),
    "or thousands": (lines("\t", a=["1,234", "2,345", *"1357"]), "dataset.thousands", {}),
    "points and commas": (lines(";", a=POINTS, b=["44,3", *B[1:]]), "'1.234'", GERMAN),
    "points alone": (lines(";", a=POINTS, b=["44.3", *B[1:]]), "'1.234'", {"decimal": "."}),
    "Swiss": (lines(a=["1'399.20", *A[1:]]), "1'399.20", {"thousands": "'"}),
    "blanks": (lines(a=["1 399", "12 000 000", *A[2:]]), "'1 399'", {"thousands": " "}),
    "dates": (lines(a=[f"2024-01-0{i}" for i in range(1, 7)]), "date", {"drop": ["a"]}),
    "amounts": (lines(a=[f"${b}" for b in B]), "'$5'", {"drop": ["a"]}),
    "shares": (lines(a=[f"{b} %" for b in B]), "'5 %'", {"drop": ["a"]}),
    "numbers of days": (lines(visit=range(44250, 44262, 2)), "date", {"drop": ["visit"]}),
    "digits first": (lines(id=None, b=[f"{i}-ctrl" for i in range(6)]), "'0-ctrl'", {"index": "b"}),
    "ids that a spreadsheet has shortened": (
        "key" + lines(id=["2.01380E+11", "2.01380E+11", *["2.01381E+11"] * 4])[2:],
        "'2.01380E+11'",
        {"drop": ["key"]},
    ),
    "a measurement": (
        lines(id=[f"p{i}" for i in range(24)], a=range(24), b=[*A * 4], status=[*range(12)] * 2),
        "'status'",
        {"drop": ["a"]},
    ),
    "days": (lines(a=[f"2024013{i % 2}" for i in range(6)]), "date", {"drop": ["a"]}),
    "counts": (lines(b=range(11, 17)), "'b'", {"drop": ["b"]}),
    "ids": (lines(id=None, b=range(6)), "'b'", {"index": "b"}),
    "units": (lines(a=[f"{a} kg" for a in A]), "line 2, column 'a': '-0.79 kg'", {"drop": ["a"]}),
    "words": (lines(a=list("uvwxyz")), "'a'", {"drop": ["a"]}),
    "patients": (lines(patient=list("uuvvww")), "dataset.groups", {"groups": "patient"}),
    "batches": (lines(batch=list("uuuvvv")), "dataset.adjust", {"adjust": ["batch"]}),
    "batches by number": (lines(batch=[*"111222"]), "dataset.adjust", {"adjust": ["batch"]}),
    "a batch a class": (lines(batch=[*"xyxyxy"]), "dataset.adjust", {"groups": "batch"}),
    "one batch": (lines(batch=["x"] * 6), "'batch'", {"drop": ["batch"]}),
    "categories": (lines(stage=list("uuuuuv")), "dataset.onehot", {"onehot": ["stage"]}),
    "repeated ids": (lines(sample_id=[*"112233"]), "dataset.groups", {"groups": "sample_id"}),
    "row names repeat": (lines(id=list("uuvvww")), "line", {"groups": "id"}),
    "a statistic": (lines(id=["Mean", *"bcdef"]), "line 2: 'Mean'", {}),
    "two spellings": (lines(status=["1", "0", "1.0"] * 2), "line 2, line 4", {}),
    "a comment": (lines(id=["#p", *"bcdef"]), "line 2: '#p'", {}),
    "a class is missing": (lines(status=["", *STATUS[1:]]), "line 2", {"unlabelled": "drop"}),
    "a class or no class": (lines(status=["NA", "EU"] * 3), "line 2, line 3", {}),
    "one sample": (lines(status=[*STATUS[:5], "cas"]), "line 7: 'cas'", {}),
    "one class": (lines(status=["x"] * 6), "'status'", {}),
    "no target": (lines().replace("status", "state"), "did you mean 'state'", {}),
    "gaps": (lines(a=["", *A[1:]]), "line 2", {"missing": "median"}),
    "an empty column": (lines(a=[""] * 6), "'a'", {"drop": ["a"]}),
    "a quoted cell over lines": (lines(a=['"1', *A[1:5], '2"']), "line 2", {}),
    "two separators": ("id;a,status;b\n" + "1;2,x;3\n" * 2 + "4;5,y;6\n" * 2, "dataset.sep", {}),
    "no separator": (lines(" "), "line 1", {}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_ambiguous_is_refused_with_its_place(case):
    content, place, added = REFUSED[case]
    told = refusal("a.csv", content)
    assert place in told.splitlines()[0]
    options = followed(told)
    assert added.items() <= options.items(), options
    assert added or "decimal" not in options, options
    assert (options["target"], options["path"]) == ("status", "a.csv")
    data, told = led("a.csv")
    assert (data is not None) == bool(added) or "corrected" in told


@pytest.mark.parametrize("name", [
    "subject", "patient", "donor", "animal", "mouse", "rat", "participant", "individual", "family",
    "cage", "litter", "site", "centre", "batch", "plate", "run", "PatientNo", "subject_id",
    "mouse.nr", "donorCode", "Animal_number", "study_site", "PlateId", "family_no", "cage-code",
    "batchNumber", "Patient No.", "Subject ID", "SUBJID", "PatID",
])  # fmt: skip
def test_who_and_where_a_sample_is_from_is_no_feature_in_digits_or_words(name):
    ids = [*"aabbccddeeff"]
    table = {"a": range(3, 39, 3), "b": A * 2, "status": [*"uv" * 6]}
    for texts, at in product((ids, [ord(i) for i in ids]), (0, 3)):
        columns = [*table.items()]
        columns.insert(at, (name, texts))
        rows = [[key for key, _ in columns], *zip(*(own for _, own in columns), strict=True)]
        told = refusal("a.csv", "\n".join(",".join(map(str, row)) for row in rows))
        data, _ = led("a.csv")
        assert data is not None, told
        assert data.feature_names == ("a", "b")
        assert data.groups or data.adjust, told


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"index": "a", "drop": ["a"]}, "dataset.drop=a"),
        ({"transpose": True, "drop": ["id"]}, "dataset.drop=id"),
        ({"target": "none", "unlabelled": "drop"}, "no sample has a class"),
        ({"labels": "second.csv", "unlabelled": "drop"}, "no sample has a class"),
    ],
)
def test_options_that_leave_no_names_or_no_samples_are_refused(options, place):
    Path("second.csv").write_text("id,status\nq1,u\nq2,v\n", "utf-8")
    assert place in refusal("x.csv", lines(none=[""] * 6), **options)


def test_names_that_only_contain_a_word_or_differ_by_case_or_a_blank_are_features():
    names = ["runtime", "family_history", "CAGE1", "number of runs", "sitemap", "plateau"]
    for name in [*names, "B", "b "]:
        data = read("a.csv", lines(**{name: list("112233")}))
        assert data.feature_names == ("a", "b", name)


def test_a_table_without_a_header_is_refused():
    rng = np.random.default_rng(0)
    X = [[f"{v:.2f}" for v in row] for row in rng.normal(size=(20, 5))]
    rows = [[f"S{i}", *row, "MF"[i % 2]] for i, row in enumerate(X)]
    whole = "\n".join(map(",".join, rows))
    told = refusal("a.csv", whole, target="M")
    assert "line 1 looks like a sample" in told
    assert led("a.csv", target="M")[0] is None
    assert "line 1 looks" in refusal("a.csv", whole, target="status")
    assert read("a.csv", whole, target="M", header=True, index="S0").X.shape == (19, 5)
    turned = "\n".join(
        ",".join([f"g{j}", *column]) for j, column in enumerate(zip(*X, strict=True))
    )
    turned += "\n" + ",".join(["status", *"MF" * 10])
    assert "line 1 looks like a feature" in refusal("a.csv", turned, transpose=True)
    for names in (["7157", "672", "1956", "207", "1", "status"], [*"01234", "status"],
                  ["450.5", "460.1", "470.9", "480.2", "490.4", "status"]):  # fmt: skip
        text = "\n".join(map(",".join, [["id", *names], *rows]))
        assert read("a.csv", text).feature_names == tuple(names[:-1])


def test_all_faults_are_told_at_once_and_the_command_settles_them():
    table = lines(
        a=[*A[:5], "n.d."], note=list("uvwxyz"), patient=list("uuvvww"), sex=list("mmfffm"),
        c=["1", *[""] * 5],
    )  # fmt: skip
    told = refusal("my table.csv", table)
    assert len(told.splitlines()) == 6
    data = cured(told)
    assert data.feature_names == ("a", "b", "c")
    assert np.isnan(data.X[5, 0])
    assert data.groups == tuple("uuvvww")


def test_columns_of_text_become_features_groups_and_covariates():
    table = lines(
        sex=list("mfmfmf"), stage=["I", "II", "III"] * 2, age=["30.5", *B[1:]], batch=list("121212")
    )
    data = read("a.csv", table, onehot=["sex", "stage"], adjust=["age", "batch"], groups="id")
    assert data.feature_names == ("a", "b", "sex=m", "stage=I", "stage=II", "stage=III")
    X, _, names = in_file(data)
    assert X[:, 2:].tolist()[:3] == [[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]]
    assert data.adjust == {"age": [30.5, 2, 9, 7, 1, 12], "batch": list("121212")}
    assert list(data.groups or ()) == names
    assert "adjust" in refusal("a.csv", onehot=["sex"], drop=["stage"], adjust=["agee"])
    gaps = table.replace(",II,", ",,", 1)
    assert "line 3" in refusal("a.csv", gaps, onehot=["sex"], groups="stage", drop=["batch"])
    assert "status" in refusal("a.csv", table, onehot=["sex", "status"], drop=["stage"])
    with pytest.raises(DataError, match="sex"):
        read("a.csv", drop=["sex"], onehot=["sex"])


def test_a_transform_is_of_each_sample_or_refused_with_a_place():
    table = lines(a=B, b=["1", "2", "4", "8", "16", "32"])
    for how, function in (("log2", np.log2), ("log1p", np.log1p)):
        data = read("a.csv", table, transform=how)
        assert in_file(data)[0][:, 1].tolist() == function([1, 2, 4, 8, 16, 32]).tolist()
    assert in_file(read("a.csv", transform="rank"))[0][0].tolist() == [2, 1]
    zero = lines(a=["0", *B[1:]])
    assert "line 2, column 'a'" in (told := refusal("a.csv", zero, transform="log2"))
    assert "dataset.na=[0]" in told
    assert np.isnan(read("a.csv", na=["0"], missing="median", transform="log2").X).sum() == 1


def joined(labels: str, reads: Any = read, **options: Any) -> Any:
    """What is read of x.csv and a second file with this text."""
    Path("labels.csv").write_text(labels)
    return reads("x.csv", labels="labels.csv", **options)


def test_a_second_table_is_joined_by_names_exactly():
    Path("x.csv").write_text(lines(status=None))
    rows = [f"p{5 - i},{STATUS[5 - i]}" for i in range(6)]
    numbered = [f"{i},{row}" for i, row in enumerate(rows)]
    data = joined("\n".join([",id,status", *numbered, "9,p9,case"]))
    assert in_file(data)[1] == STATUS
    assert any("p9" in note for note in data.notes)
    good = "\n".join(["sample,status", *rows])
    assert in_file(joined(good))[1] == STATUS
    wrong = ((good.replace("p1", "p0"), "'p0'"), (good.replace("p0", "P0"), "'P0'"))
    for content, place in (*wrong, ("\n".join(["status", *STATUS]), "line 1")):
        assert place in joined(content, refusal).splitlines()[0]
    Path("x.csv").write_text(lines())
    assert in_file(joined(good))[1] == STATUS
    assert "line 2" in joined(good.replace(f"p0,{STATUS[0]}", f"p0,{STATUS[5]}"), refusal)


def test_the_names_of_two_files_are_paired_and_no_labelled_sample_is_dropped():
    labels = "Tube,status\n" + "\n".join(f"{i}-t,{'uv'[i % 2]}" for i in range(6))
    Path("x.csv").write_text(lines(status=None, Tube=[f"{5 - i}-t" for i in range(6)]))
    data, told = joined(labels, led)
    assert "dataset.index=Tube" in told
    assert in_file(data)[1:] == ([*"vuvuvu"], [f"{5 - i}-t" for i in range(6)])
    columns = {"g": ["IL6", "TNF"], "Length": [900, 800]}
    turned = pd.DataFrame(columns | {f"{i}-t": [i + 0.5, 2.0 * i] for i in range(6)})

    def led_by(frame: pd.DataFrame) -> Any:
        frame.to_csv("x.csv", index=False)
        return joined(labels, led, transpose=True)

    data, told = led_by(turned)
    assert (data.X.shape, followed(told)["drop"]) == ((6, 2), ["Length"])
    data, told = led_by(turned.rename(columns={"3-t": "3_T "}))
    assert data is None
    assert "'3_T ' and '3-t'" in told
    assert "3_T" not in told.splitlines()[-1]
    more = pd.DataFrame({f"peptides {i}": [i, 3.5] for i in range(9)})
    data, told = led_by(turned.join(more))
    assert (data.X.shape, followed(told)["unlabelled"]) == ((6, 2), "drop")
    assert any("10 samples" in note for note in data.notes)


def test_columns_of_a_labels_file_that_nobody_uses_do_not_matter():
    Path("x.csv").write_text(lines(status=None))
    rows = [f"p{i},,1,2,{status}{4 * f',{i // 2}'}" for i, status in enumerate(STATUS)]
    labels = "\n".join(["id,,REF,REF,status,patient,donor,cage,pair", *rows])
    data = joined(labels)
    assert in_file(data)[1] == STATUS
    groups = re.findall("dataset.groups=([a-z]+)", " ".join(data.notes))
    assert groups == ["patient", "donor", "cage", "pair"], "not in the order of the file"
    assert "REF" in joined(labels, refusal, adjust=["REF"])


def test_what_a_sparse_row_leaves_out_is_the_first_class_of_its_list():
    head = (
        "@relation r\n@attribute a real\n@attribute status {ctrl,case}\n@attribute b real\n@data\n"
    )
    data = read("s.arff", head + "{0 1.5,2 3}\n{1 case}\n{0 2.5}\n{1 case,2 5.25}")
    assert in_file(data)[0].tolist() == [[1.5, 3], [0, 0], [2.5, 0], [0, 5.25]]
    assert in_file(data)[1] == ["ctrl", "case"] * 2


def test_samples_in_columns_have_a_name_each():
    table = "gene,p0,p1,p2,p3,note\nIL6,1,2.5,3,4,x\nTNF,5,6,7,9.5,y\nstatus,u,v,u,v,w"
    told = refusal("t.csv", table, transpose=True)
    assert "column 'note'" in told.splitlines()[0]
    data = cured(told)
    assert in_file(data)[0].tolist() == [[1, 5], [2.5, 6], [3, 7], [4, 9.5]]
    assert in_file(data)[1:] == (list("uvuv"), ["p0", "p1", "p2", "p3"])
    word = refusal("t.csv", table.replace("2.5", "ND"), transpose=True, drop=["note"])
    assert "column 'p1', row 'IL6': 'ND'" in word
    assert followed(word)["na"] == ["ND"]
    assert followed(refusal("t.csv", table, drop=["note"]))["transpose"] is True
    twice = refusal("t.csv", table.replace("TNF", "IL6"), transpose=True, drop=["note"])
    assert "row 2 ('IL6'), row 3 ('IL6')" in twice
    same = refusal("t.csv", table.replace("p1", "p0"), transpose=True, drop=["note"])
    assert cured(same).X.tolist() == data.X.tolist()
    for names in (",,", "2.0138E+11,2.0138E+11,2.0138E+11", "u,,"):
        told = refusal("t.csv", f"gene,{names}\nIL6,1.5,2,3\nTNF,4,5,6.5\n", transpose=True)
        assert "names of the samples" in told
        assert "corrected" in told.splitlines()[-1]


def test_a_long_table_is_no_table_of_samples():
    at = product(range(6), range(4))
    rows = [f"s{i},g{j},{i + j / 7},{i * j + 0.5},{'uv'[i % 2]}" for i, j in at]
    told = refusal("long.csv", "\n".join(["Sample,Target,CT,Quantity,status", *rows]))
    assert ".pivot(index='Sample', columns='Target'" in told.splitlines()[0]
    refusal("long.csv", drop=["Sample", "Target"])


def test_a_sheet_that_shows_something_else_is_refused_with_its_cells():
    def book(change) -> str:
        made = openpyxl.Workbook()
        for row in csv.reader(io.StringIO(lines())):
            made.active.append([float(c) if re.fullmatch(r"-?[\d.]+", c) else c for c in row])
        change(made)
        made.save("a.xlsx")
        return refusal("a.xlsx")

    changes: dict[str, Any] = {
        "merged": lambda made: made.active.merge_cells("B2:B3"),
        "row 3": lambda made: made.active.row_dimensions.__getitem__(3).__setattr__("hidden", True),
        "B2": lambda made: setattr(made.active["B2"], "number_format", "0%"),
        "C3": lambda made: setattr(made.active["C3"], "value", "=1+1"),
        "B4": lambda made: setattr(made.active["B4"], "value", pd.Timestamp("2024-05-04")),
        "as text": lambda made: setattr(made.active["B4"], "value", "1.234"),
        "'Sheet'": lambda made: made.create_sheet("other"),
    }
    for place, change in changes.items():
        told = book(change)
        assert place in told or place == "B4", told
    assert followed(book(changes["'Sheet'"]))["sheet"] == "Sheet"
    assert read("a.xlsx", sheet="Sheet").X.shape == (6, 2)


def test_a_file_is_what_its_first_bytes_say():
    good = lines().encode()
    first = read("a.csv", good)
    for name in ("a.csv.gz", "a.xlsx", "a.parquet", "a"):
        assert read(name, good).fingerprint == first.fingerprint
    assert read("a.csv", gzip.compress(good)).fingerprint == first.fingerprint
    for name, content in (
        ("a.csv", b"PK\x03\x04" + good), ("a.csv", b"<html>" + good), ("a.csv", b"%PDF-" + good),
        ("a.csv", b""), ("a.csv", good.replace(b"p1", b"p\0")), ("a.csv", b"\n\n"),
        ("a.csv.gz", gzip.compress(good)[:40]), ("a.csv", b"id,a"), ("a.arff", good),
        ("a.parquet", b"PAR1" + good), ("a.feather", b"ARROW1" + good),
    ):  # fmt: skip
        assert re.search(r"file|line 1|line 3|header", refusal(name, content)), name
    latin = lines(id=[f"José {i}" for i in range(6)]).encode("cp1252")
    assert (cured(refusal("a.csv", latin)).row_names or ("",))[0].startswith("José")
    for key, value in (("sep", "ab"), ("decimal", "x"), ("thousands", "."), ("transform", "exp"),
                       ("encoding", "hex"), ("encoding", "no")):  # fmt: skip
        with pytest.raises(DataError, match=key):
            read("a.csv", good, **{key: value})
    with pytest.raises(DataError, match="file"):
        read("absent.csv")
    many = pd.DataFrame({f"x{i}": np.zeros(3000) for i in range(9)}).assign(y="a")
    many.to_parquet("a.parquet", compression="zstd")
    packed = Path("a.parquet").read_bytes()
    for name, raw in (
        ("a.csv", good * 80), ("a.csv.gz", gzip.compress(good * 4000)), ("a.parquet", packed),
    ):  # fmt: skip
        Path(name).write_bytes(raw)
        most = 5e-6 if name != "a.parquet" else 2 * len(packed) / 2**30
        with pytest.raises(DataError, match=r"data\.max_gib"):
            read_table(TableConfig(path=name), max_gib=most)


def test_the_command_gives_back_every_text():
    for text in ["a b", "é", "it's", "a\\", "a\\'b", "007", "1e5", "null", "true", "[x]", "a,b",
                 "${x}", "=x", "~"]:  # fmt: skip
        options = TableConfig(path=text, target=text)
        told = copied("python run.py experiment=select", options, {"na": [text, "b"]})
        assert followed(told) == {"path": text, "target": text, "na": [text, "b"]}


USUAL, ODD = "abcXYZ019äß_ .-", "\t\r\"'\\#%=<>/|,;:{}?()[]@+*\x0b\x85\xa0\u0301\u2028\ufeff١漢😀"
CELLS = ["007", "1,234", "<0.5", "0_1", "1E3", "12345678901234567890", "a", "NA", "", "TRUE", "1.5"]
CELLS += ["2,5", "3", "1.234", "-", "1e400", "inf", "0x10", "١٢", "2024-01-31", "20240131"]
IDS = ["007", "1E3", "1e3", "TRUE", "12345678901234567890", "NA", "s1", "S1", "s 1"]
EXTREME = [0.0, -0.0, 5e-324, -2.2e-308, 9.87654321e149, 1 / 3, 1e16, 2.0**53 + 2]


def drawn(r: Random) -> tuple[dict[str, list[str]], list[str]]:
    """The columns of a random table, and its labels."""
    n, kinds = r.randint(4, 8), r.choice([[number_of], [number_of], [number_of, cell_of]])
    names: list[str] = []
    while len(names) < r.randint(2, 5):
        signs = USUAL if r.random() < 0.8 else USUAL + ODD
        names.append(r.choice("gxZß") + "".join(r.choices(signs, k=r.randint(0, 6))))
    columns = {name: [kind(r) for _ in range(n)] for name in names for kind in [r.choice(kinds)]}
    return columns, (r.sample(["01", "1", "1E5", "NA", "a ", "A", "b"], 2) * n)[:n]


def number_of(r: Random) -> str:
    drawn = [r.choice(EXTREME), r.gauss(0, 10.0 ** r.randint(-5, 9)), round(r.uniform(-9, 9), 3)]
    return r.choice([*map(repr, drawn), str(r.randint(0, 2000)), repr(r.random())])


def cell_of(r: Random) -> str:
    return r.choice([*CELLS, "", number_of(r)])


def written(rows: list[list[str]], form: str, r: Random, folder: Path) -> Path:
    """The file of a table; numbers are stored as such in half of the formats that know them."""
    is_typed, path = r.random() < 0.5, folder / f"a.{form}"

    def stored(text: str) -> Any:
        plain = re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", text) and text == repr(float(text))
        return None if text == "" else float(text) if is_typed and plain else text

    if form == "xlsx":
        book = openpyxl.Workbook()
        for i, row in enumerate(rows, 1):
            for j, text in enumerate(row, 1):
                value = stored(text) if i > 1 else text
                book.active.cell(i, j, value).data_type = "s" if isinstance(value, str) else "n"
        book.save(path)
    elif form in ("parquet", "feather"):
        texts = list(zip(*rows[1:], strict=True))
        columns = [[stored(text) for text in column] for column in texts]
        for own, column in zip(columns, texts, strict=True):
            if str in map(type, own):  # Its cells have one type.
                own[:] = [text or None for text in column]
        table = pa.table(columns, names=rows[0])
        {"parquet": pa.parquet.write_table, "feather": pa.feather.write_feather}[form](table, path)
    elif form == "arff":

        def quoted(text: str) -> str:
            return "'" + re.sub(r"(['\\%])", r"\\\1", text) + "'" if text else "?"

        head = [f"@attribute {quoted(name)} string" for name in rows[0]]
        body = [",".join(map(quoted, row)) for row in rows[1:]]
        path.write_bytes("\n".join(["@relation r", *head, "@data", *body]).encode())
    else:
        buffer = io.StringIO(newline="")
        how: Any = {"delimiter": r.choice("\t;,"), "lineterminator": r.choice(["\n", "\r\n"])}
        how["quoting"] = r.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
        csv.writer(buffer, **how).writerows(rows)
        raw = buffer.getvalue().encode(r.choice(["utf-8", "utf-8-sig", "utf-16"]))
        path.write_bytes(gzip.compress(raw) if form.endswith("gz") else raw)
    return path


def test_any_table_comes_back_as_it_was_written_or_is_refused(tmp_path):
    read = refused = 0
    for seed in range(300):
        r = Random(seed)
        columns, labels = drawn(r)
        form = r.choice(["csv", "tsv", "txt.gz", "xlsx", "parquet", "feather", "arff", "turned"])
        ids = r.sample(IDS, len(labels))
        whole = {"id": ids, **columns, "the class": labels}
        rows = [list(whole), *map(list, zip(*whole.values(), strict=True))]
        is_turned = form == "turned"
        rows = [list(row) for row in zip(*rows, strict=True)] if is_turned else rows
        if is_turned or (form == "xlsx" and ILLEGAL_CHARACTERS_RE.search("".join(columns))):
            form = "csv"
        path, missing = written(rows, form, r, tmp_path), r.choice([None, "median"])
        options: Any = {"path": str(path), "target": "the class", "missing": missing}
        try:
            data = read_table(TableConfig(**options, transpose=is_turned))
        except DataError:
            refused += 1
            continue
        read += 1
        X, own, names = in_file(data)
        assert (own, names) == (labels, ids), seed
        assert data.feature_names == tuple(columns), seed
        for j, cells in enumerate(columns.values()):
            for text, value in zip(cells, X[:, j].tolist(), strict=True):
                expected = np.nan if text in ABSENT else float(text)
                assert value == pytest.approx(expected, rel=1e-15, abs=0, nan_ok=True), (seed, text)
    assert read > 60
    assert refused > 60
