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
from experiments.datasets.faults import copied
from experiments.datasets.table import ABSENT, Table, numbers, read_table

A = ["-0.79", "0.24", "-1.9", "1.4", "0.64", "-0.29"]
B = ["5", "2", "9", "7", "1", "12"]
STATUS = ["ctrl", "case"] * 3


def lines(sep: str = ",", /, **columns: Any) -> str:
    """The text of a table of these columns, beside `a`, `b` and `status`."""
    whole = {"id": [f"p{i}" for i in range(6)], "a": A, "b": B, "status": STATUS} | columns
    whole = {name: own for name, own in whole.items() if own is not None}
    rows = [whole, *zip(*whole.values(), strict=True)]
    return "\n".join(sep.join(map(str, row)) for row in rows)


class Files:
    """Tables in a folder, which are read or refused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str, content: str | bytes | None = None, **options: Any) -> Table:
        if content is not None:
            raw = content if isinstance(content, bytes) else content.encode()
            (self.folder / name).write_bytes(raw)
        options = {"target": "status", "path": str(self.folder / name)} | options
        return read_table(TableConfig(**options))

    def refusal(self, name: str, content: str | bytes | None = None, **options: Any) -> str:
        with pytest.raises(DataError) as caught:
            self.read(name, content, **options)
        told = str(caught.value)
        assert len(told.splitlines()) <= 10
        assert "then: python run.py experiment=select " in told.splitlines()[-1]
        return told


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


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


FRAME = pd.DataFrame({"a": map(float, A), "b": map(float, B), "status": STATUS})


def test_every_format_gives_the_same_table(files):
    """Each encoding and separator of a text is among the random tables below."""
    folder, frame = files.folder, FRAME.set_axis([f"p{i}" for i in range(6)]).rename_axis("id")
    frame.to_csv(folder / "a.csv")
    frame.to_csv(folder / "a.dat", lineterminator="\r")
    frame.to_excel(folder / "a.xlsx")
    frame.to_parquet(folder / "a.parquet")
    frame.reset_index().to_feather(folder / "a.feather")
    rows = "\n".join(",".join(map(str, row)) for row in frame.reset_index().itertuples(index=False))
    head = "@relation r\n@attribute id string\n@attribute a real\n@attribute b INTEGER\n"
    (folder / "a.arff").write_text(f"{head}@attribute status {{ctrl,case}}\n@data\n{rows}\n")
    frame.T.to_csv(folder / "turned.csv")
    first = files.read("a.csv")
    assert first.X.tolist() == FRAME[["a", "b"]].to_numpy().tolist()
    assert in_file(first)[1:] == (STATUS, list(frame.index))
    for path in sorted(folder.iterdir()):
        data = files.read(path.name, transpose=path.name == "turned.csv")
        assert data.fingerprint == first.fingerprint, path.name
        assert data.feature_names == ("a", "b"), path.name
        assert data.row_names == first.row_names, path.name


def test_texts_are_those_of_the_file(files):
    ids, classes = ["007", "1E3", "TRUE", "12345678901234567890", "NA", "1e3"], ["01", "1E5"] * 3
    data = files.read("a.csv", lines(id=ids, status=classes, **{"b ": ["0"] * 6, "B": A}))
    assert in_file(data)[1:] == (classes, ids)
    assert data.feature_names == ("a", "b", "b ", "B")


def test_a_number_is_what_it_is_in_one_grammar():
    values = {"-.5": -0.5, "5.": 5.0, "+1e-3": 0.001, "0": 0.0, "1E5": 1e5, " 2\t": 2.0}
    assert numbers(values, TableConfig()).tolist() == [*values.values()]
    none = ["1e999", "2e150", "1e-400", "007", "1_0", "1,5", "inf", "0x1", "١٢", "1 2", "--1", ".",
            "e5", "12345678901234567890", "1.5.5", "-"]  # fmt: skip
    assert np.isinf(numbers(none, TableConfig())).all()
    german = TableConfig(decimal=",", thousands=".")
    assert numbers(["1.234.567,5"], german) == 1234567.5
    assert np.isinf(numbers(["1.23", "0.123", "12345.678", "1,5,5"], german)).all()
    assert np.isnan(numbers(["", " NA ", "-9"], TableConfig(na=["-9"]))).all()


def test_cells_of_a_million_characters_are_refused_like_others(files):
    """In time that is linear in their length; squared, it would be days."""
    n = 500_000
    cells = ["1" * n + "!", "a" * n + " é", "1." * n, " " * n + "x", "A_" * n, "1,000" * n]
    table = lines("\t", a=cells, **{"x" * n: B}).encode("cp1252")
    assert "line 3" in files.refusal("a.csv", table)
    assert "column 'a'" in files.refusal("a.csv", table, encoding="cp1252", thousands=",")


@pytest.mark.parametrize("reader", ["csv", "xlsx"])
def test_what_pandas_knows_is_missing_and_so_is_what_the_options_name(files, reader):
    known = pd.read_csv(io.StringIO("a\n" + "\n".join(f'"{text}"' for text in sorted(ABSENT))))
    assert known["a"].isna().all()
    text = lines(a=["NA", "#N/A", "", "None", "-9", "1.5"])
    (files.folder / "a.csv").write_text(text)
    frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    frame.to_excel(files.folder / "a.xlsx", index=False)
    data = files.read(f"a.{reader}", missing="median", na=["-9"])
    assert np.isnan(data.X[:5, 0]).all()
    assert data.X[5, 0] == 1.5
    assert followed(files.refusal(f"a.{reader}"))["missing"] == "median"


#: Table -> words of its refusal, and options that its command adds.
REFUSED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a row is longer": (lines() + ",7", "line 7", {}),
    "R leaves the first name out": (lines().replace("id,", "", 1), "line 1", {}),
    "two header rows": (lines().replace("\n", "\nx,u,v,w\n", 1), "line 2", {}),
    "a title": ("my table\n" + lines(), "line 1", {}),
    "names repeat": (lines(**{"c": A}).replace("c\n", "a\n", 1), "column 5", {}),
    "no name": (lines(**{"": A}), "column 5", {}),
    "a word": (lines(a=[*A[:5], "n.d."]), "line 7, column 'a': 'n.d.'", {"na": ["n.d."]}),
    "a limit": (lines(a=["<0.5", *A[1:]]), "line 2, column 'a'", {"na": ["<0.5"]}),
    "decimal commas": (lines(";", a=["1,5", "0,25", *A[2:]]), "line 2, column 'a'", {}),
    "only commas": (lines(";", a=["1,5", "0,25", "2", "3", "4", "8"]), "'a'", {"decimal": ","}),
    "thousands": (lines(";", a=["1.234", "2.345", *"1357"]), "'1.234'", {}),
    "or thousands": (lines("\t", a=["1,234", "2,345", *"1357"]), "dataset.thousands", {}),
    "dates": (lines(a=[f"2024-01-0{i}" for i in range(1, 7)]), "date", {}),
    "days": (lines(a=[f"2024013{i % 2}" for i in range(6)]), "date", {"drop": ["a"]}),
    "counts": (lines(b=range(11, 17)), "'b'", {"drop": ["b"]}),
    "ids": (lines(id=None, b=range(6)), "'b'", {"index": "b"}),
    "units": (lines(a=[f"{a} kg" for a in A]), "line 2, column 'a': '-0.79 kg'", {}),
    "words": (lines(a=list("uvwxyz")), "'a'", {"drop": ["a"]}),
    "patients": (lines(patient=list("uuvvww")), "dataset.groups", {"groups": "patient"}),
    "batches": (lines(batch=list("uuuuuv")), "dataset.adjust", {"adjust": ["batch"]}),
    "row names repeat": (lines(id=list("uuvvww")), "line", {"groups": "id"}),
    "a statistic": (lines(id=["Mean", *"bcdef"]), "line 2: 'Mean'", {}),
    "two spellings": (lines(status=["1", "0", "1.0"] * 2), "line 2, line 4", {}),
    "a comment": (lines(id=["#p", *"bcdef"]), "line 2: '#p'", {}),
    "a class is missing": (lines(status=["", *STATUS[1:]]), "line 2", {}),
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
def test_what_is_ambiguous_is_refused_with_its_place(files, case):
    content, place, added = REFUSED[case]
    told = files.refusal("a.csv", content)
    assert place in told.splitlines()[0]
    options = followed(told)
    assert added.items() <= options.items(), options
    assert (options["target"], options["path"]) == ("status", str(files.folder / "a.csv"))


def test_all_faults_are_told_at_once_and_the_command_settles_them(files):
    table = lines(
        a=[*A[:5], "n.d."], note=list("uvwxyz"), patient=list("uuvvww"), sex=list("mfmfmf"),
        c=["1", *[""] * 5],
    )  # fmt: skip
    told = files.refusal("my table.csv", table)
    assert len(told.splitlines()) == 6
    data = read_table(TableConfig(**followed(told)))
    assert data.feature_names == ("a", "b", "c")
    assert np.isnan(data.X[5, 0])
    assert data.groups == tuple("uuvvww")


def test_columns_of_text_become_features_groups_and_covariates(files):
    table = lines(
        sex=list("mfmfmf"), stage=["I", "II", "III"] * 2, age=["30.5", *B[1:]], batch=list("121212")
    )
    data = files.read("a.csv", table, onehot=["sex", "stage"], adjust=["age", "batch"], groups="id")
    assert data.feature_names == ("a", "b", "sex=m", "stage=I", "stage=II", "stage=III")
    X, _, names = in_file(data)
    assert X[:, 2:].tolist()[:3] == [[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1]]
    assert data.adjust == {"age": [30.5, 2, 9, 7, 1, 12], "batch": list("121212")}
    assert list(data.groups or ()) == names
    assert "adjust" in files.refusal("a.csv", onehot=["sex"], drop=["stage"], adjust=["agee"])
    gaps = table.replace(",II,", ",,", 1)
    assert "line 3" in files.refusal("a.csv", gaps, onehot=["sex"], groups="stage", drop=["batch"])
    assert "status" in files.refusal("a.csv", table, onehot=["sex", "status"], drop=["stage"])
    with pytest.raises(DataError, match="sex"):
        files.read("a.csv", drop=["sex"], onehot=["sex"])


def test_a_transform_is_of_each_sample_or_refused_with_a_place(files):
    table = lines(a=B, b=["1", "2", "4", "8", "16", "32"])
    for how, function in (("log2", np.log2), ("log1p", np.log1p)):
        data = files.read("a.csv", table, transform=how)
        assert in_file(data)[0][:, 1].tolist() == function([1, 2, 4, 8, 16, 32]).tolist()
    assert in_file(files.read("a.csv", transform="rank"))[0][0].tolist() == [2, 1]
    zero = lines(a=["0", *B[1:]])
    assert "line 2, column 'a'" in (told := files.refusal("a.csv", zero, transform="log2"))
    assert "dataset.na=[0]" in told
    assert np.isnan(files.read("a.csv", na=["0"], missing="median", transform="log2").X).sum() == 1


def test_a_second_table_is_joined_by_names_exactly(files):
    (files.folder / "x.csv").write_text(lines(status=None))
    rows = [f"{i},p{5 - i},{STATUS[5 - i]}" for i in range(6)]
    second = files.folder / "labels.csv"
    second.write_text("\n".join([",id,status", *rows, "9,p9,case"]))
    data = files.read("x.csv", labels=str(second))
    assert in_file(data)[1] == STATUS
    assert any("p9" in note for note in data.notes)
    good = "\n".join(["sample,status", *(row.partition(",")[2] for row in rows)])
    second.write_text(good)
    assert in_file(files.read("x.csv", labels=str(second)))[1] == STATUS
    wrong = ((good.replace("p1", "p0"), "'p0'"), (good.replace("p0", "P0"), "'P0'"))
    for content, place in (*wrong, ("\n".join(["status", *STATUS]), "line 1")):
        second.write_text(content)
        assert place in files.refusal("x.csv", labels=str(second)).splitlines()[0]
    (files.folder / "x.csv").write_text(lines())
    second.write_text(good)
    assert in_file(files.read("x.csv", labels=str(second)))[1] == STATUS
    second.write_text(good.replace(f"p0,{STATUS[0]}", f"p0,{STATUS[5]}"))
    assert "line 2" in files.refusal("x.csv", labels=str(second))


def test_samples_in_columns(files):
    table = "gene,p0,p1,p2,p3,note\nIL6,1,2.5,3,4,x\nTNF,5,6,7,9.5,y\nstatus,u,v,u,v,w"
    told = files.refusal("t.csv", table, transpose=True)
    assert "column 'note'" in told.splitlines()[0]
    data = read_table(TableConfig(**followed(told)))
    assert in_file(data)[0].tolist() == [[1, 5], [2.5, 6], [3, 7], [4, 9.5]]
    assert in_file(data)[1:] == (list("uvuv"), ["p0", "p1", "p2", "p3"])
    word = files.refusal("t.csv", table.replace("2.5", "ND"), transpose=True, drop=["note"])
    assert "column 'p1', row 'IL6': 'ND'" in word
    assert followed(word)["na"] == ["ND"]
    assert followed(files.refusal("t.csv", table, drop=["note"]))["transpose"] is True
    twice = files.refusal("t.csv", table.replace("TNF", "IL6"), transpose=True, drop=["note"])
    assert "row 2 ('IL6'), row 3 ('IL6')" in twice
    same = files.refusal("t.csv", table.replace("p1", "p0"), transpose=True, drop=["note"])
    assert read_table(TableConfig(**followed(same))).X.tolist() == data.X.tolist()


def test_a_long_table_is_no_table_of_samples(files):
    at = product(range(6), range(4))
    rows = [f"s{i},g{j},{i + j / 7},{i * j + 0.5},{'uv'[i % 2]}" for i, j in at]
    told = files.refusal("long.csv", "\n".join(["Sample,Target,CT,Quantity,status", *rows]))
    assert ".pivot(index='Sample', columns='Target'" in told.splitlines()[0]
    files.refusal("long.csv", drop=["Sample", "Target"])


def test_a_sheet_that_shows_something_else_is_refused_with_its_cells(files):
    def book(change) -> str:
        made = openpyxl.Workbook()
        for row in csv.reader(io.StringIO(lines())):
            made.active.append([float(c) if re.fullmatch(r"-?[\d.]+", c) else c for c in row])
        change(made)
        made.save(files.folder / "a.xlsx")
        return files.refusal("a.xlsx")

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
    assert files.read("a.xlsx", sheet="Sheet").X.shape == (6, 2)


def test_a_file_is_what_its_first_bytes_say(files):
    good = lines().encode()
    first = files.read("a.csv", good)
    for name in ("a.csv.gz", "a.xlsx", "a.parquet", "a"):
        assert files.read(name, good).fingerprint == first.fingerprint
    assert files.read("a.csv", gzip.compress(good)).fingerprint == first.fingerprint
    for name, content in (
        ("a.csv", b"PK\x03\x04" + good), ("a.csv", b"<html>" + good), ("a.csv", b"%PDF-" + good),
        ("a.csv", b""), ("a.csv", good.replace(b"p1", b"p\0")), ("a.csv", b"\n\n"),
        ("a.csv.gz", gzip.compress(good)[:40]), ("a.csv", b"id,a"), ("a.arff", good),
        ("a.parquet", b"PAR1" + good), ("a.feather", b"ARROW1" + good),
    ):  # fmt: skip
        assert re.search(r"file|line 1|line 3|header", files.refusal(name, content)), name
    latin = lines(id=[f"José {i}" for i in range(6)]).encode("cp1252")
    options = followed(files.refusal("a.csv", latin))
    assert (read_table(TableConfig(**options)).row_names or ("",))[0].startswith("José")
    for key, value in (("sep", "ab"), ("decimal", "x"), ("thousands", "."), ("transform", "exp"),
                       ("encoding", "hex"), ("encoding", "no")):  # fmt: skip
        with pytest.raises(DataError, match=key):
            files.read("a.csv", good, **{key: value})
    with pytest.raises(DataError, match="file"):
        files.read("absent.csv")
    many = pd.DataFrame({f"x{i}": np.zeros(3000) for i in range(9)}).assign(y="a")
    many.to_parquet(files.folder / "a.parquet", compression="zstd")
    packed = (files.folder / "a.parquet").read_bytes()
    for name, raw in (
        ("a.csv", good * 80), ("a.csv.gz", gzip.compress(good * 4000)), ("a.parquet", packed),
    ):  # fmt: skip
        (files.folder / name).write_bytes(raw)
        most = 5e-6 if name != "a.parquet" else 2 * len(packed) / 2**30
        with pytest.raises(DataError, match=r"data\.max_gib"):
            read_table(TableConfig(path=str(files.folder / name)), max_gib=most)


def test_the_command_gives_back_every_text():
    for text in ["a b", "é", "it's", "a\\", "a\\'b", "007", "1e5", "null", "true", "[x]", "a,b",
                 "${x}", "=x", "~"]:  # fmt: skip
        options = TableConfig(path=text, target=text)
        told = copied("python run.py experiment=select", options, {"na": [text, "b"]})
        assert followed(told) == {"path": text, "target": text, "na": [text, "b"]}


USUAL, ODD = "abcXYZ019äß_ .-", "\t\r\"'\\#%=<>/|,;:{}?()[]@+*\x0b\x85\xa0\u0301\u2028\ufeff١漢😀"
CELLS = ["007", "1,234", "<0.5", "0_1", "1E3", "12345678901234567890", "a", "NA", "", "TRUE", "1.5"]
CELLS += ["2,5", "3", "1.234", "-", "1e400", "inf", "0x10", "١٢", "2024-01-31", "20240131"]
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
        ids = [f"s{i}" for i in range(len(labels))]
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
