"""Roles of columns, labels and values of a user's table; what is refused, in one sentence each."""

import logging
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from experiments.command_line import normalise_overrides
from hydra.core.override_parser.overrides_parser import OverridesParser

from experiments.config import Formatter
from experiments.datasets import DataError, load
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import read_table
from experiments.errors import user_message
from experiments.files import without_formulas, write_csv
from tests.experiments.datasets.tables import lines
from tests.experiments.datasets.test_reading import FRAME, NAMED, NAMES, RNG


def test_row_names_are_recognised(files):
    for name, values, is_index in (
        ("", [4.5, 1, 2, 2], True),
        ("Unnamed: 0", [4.5, 1, 2, 2], True),
        ("id", [4.5, 1, 2, 2], True),
        ("Patient_ID", [7, 7, 8, 9], True),
        ("Sample name", [7, 7, 8, 9], True),
        ("patient_no", [7, 7, 8, 9], True),
        ("USUBJID", [7, 7, 8, 9], True),
        ("participant", [7, 7, 8, 9], True),
        ("lipid", [7, 7, 8, 9], False),
        ("gene1", [0, 1, 2, 3], True),
        ("gene1", [3, 1, 0, 2], True),
        ("gene1", [1, 2, 3, 5], False),
        ("gene1", ["a", "b", "c", "d"], True),
        ("width", [0.5, 1, 2, 3], False),
    ):
        columns = {name: values, "f": [1, 2, 5, 4], "g": [2, 7, 1, 8], "status": [0, 1, 0, 1]}
        data = files.read("a.csv", lines(**columns))
        case = name, values
        assert data.names == (("f", "g") if is_index else (name, "f", "g")), case
        assert ("was taken as row names" in data.told) == is_index, case
        if is_index and not isinstance(values[0], str):
            assert files.read("a.csv", index=None).names == (name, "f", "g"), case
            assert files.read("a.csv", index="g").names == (name, "f"), case


def test_columns_are_left_out_by_name_and_pattern(files):
    columns = dict(zip(("g1", "g2", "age", "batch"), RNG.normal(size=(4, 4)), strict=True))
    data = files.read("a.csv", lines(**columns, status=[0, 1, 0, 1]), drop=["age"], features="g*")
    assert data.names == ("g1", "g2")
    assert data.notes[1:] == (
        "1 column was dropped as asked for",
        "1 columns that do not match 'g*' were left out",
    )
    for reading, message in (
        ({"drop": ["aeg"]}, r"dataset\.drop: .*did you mean 'age'"),
        ({"features": "x*"}, r"no column matches dataset\.features='x\*'"),
        ({"index": "idd"}, "no column called 'idd'"),
        ({"missing": "mean"}, "must be null, median or drop"),
    ):
        assert re.search(message, files.refusal("a.csv", **reading)), message


def test_swapped_samples_and_features_are_suggested(files):
    genes = pd.DataFrame(RNG.normal(size=(50, 4)), index=[f"g{i}" for i in range(50)])
    for frame, options, message in (
        (NAMED.T, {}, r"but a row: .* add dataset\.transpose=true"),
        (genes, {}, r"50 rows of 5 columns look as if .*dataset\.labels=lab"),
        (NAMED, {"transpose": True}, r"are in rows already; leave out dataset\.transpose"),
    ):
        said = files.refusal("a.csv", frame.to_csv(), **options)
        assert re.search(message, said), said


def test_missing_values_are_refused_with_names_and_counts_or_kept(files):
    frame = FRAME.assign(empty=np.nan)
    frame.iloc[:2, 1] = np.nan
    said = files.refusal("a.csv", frame.to_csv(index=False))
    assert re.search(r"2 features .*\('größe \(cm\)': 2, 'empty': 12\) in 12", said), said
    found = {how: files.read("a.csv", missing=how) for how in ("median", "drop")}
    for how, data in found.items():
        assert np.isnan(data.X).sum() == 2
        assert data.names == tuple(NAMES)
        assert data.notes[1] == "1 feature was left out, without any value: 'empty'"
        assert "training rows" in data.notes[2]
        assert how not in data.fingerprint
    assert found["median"].fingerprint != found["drop"].fingerprint
    frame.iloc[:2, :3] = np.nan
    said = files.refusal("a.csv", frame.to_csv(index=False), missing="drop")
    assert "leaves fewer than two; use dataset.missing=median" in said


def test_what_cannot_be_read_is_one_sentence(files):
    for name, content, message in (
        ("a.csv", "a,a,status\n1,2,0\n3,4,1\n", "2 columns are called 'a'; each needs a name"),
        ("a.csv", "", "it is empty"),
        ("a.csv", "a;b;status\n1;2;0\n1;2;3;4\n", "header, which names 3: line 3 has 4 values"),
        ("a.csv", "1,2,0\n3,4,1\n", "should name the columns"),
        ("a.xls", "", "'.xls' is unknown; save it as .xlsx or .csv"),
        ("a.zip", "", "it is damaged"),
        ("a.csv.gz", "plain", "it is damaged"),
        ("a.csv.xz", "plain", "it is damaged"),
        ("a.feather", "plain", "it is damaged"),
        ("a.parquet", "plain", "it is damaged"),
    ):
        assert message in files.refusal(name, content), name


GOOD = pd.DataFrame({"a": [1.5, 2.0, -3.0, 4.0], "b": [1, 2, 3, 4], "c": [True, False, True, True]})
GOOD["label"] = ["no", "yes", "yes", "no"]


@pytest.fixture(params=["csv", "parquet"])
def save(request, tmp_path):
    def write(frame: pd.DataFrame):
        path = tmp_path / f"my.{request.param}"
        frame.to_csv(path, index=False) if request.param == "csv" else frame.to_parquet(path)
        return path

    return write


def test_a_good_table_in_any_order_of_its_rows(save):
    data = read_table(save(GOOD), "label")
    assert data.name == "file"
    assert (data.X.dtype, data.y.dtype) == (np.float64, np.int64)
    assert data.label_names == {0: "no", 1: "yes"}
    assert data.feature_names == ("a", "b", "c")
    assert (data.verified, data.synthetic) == (False, False)
    expected = GOOD.drop(columns="label").to_numpy(dtype=float)
    assert sorted(data.X.tolist()) == sorted(expected.tolist())
    assert data.y[data.X[:, 1] == 2] == [1]
    other = read_table(save(GOOD.iloc[[2, 0, 3, 1]]), "label")
    assert data.fingerprint == other.fingerprint
    assert np.array_equal(data.X, other.X)
    assert np.array_equal(data.y, other.y)


def test_numeric_labels_keep_their_order_and_grades_become_a_feature(save):
    path = save(GOOD.assign(label=[10, 9, 9, 10], grade=[3, 1, 3, 2]))
    data = read_table(path, "label", TableOptions(order={"grade": [1, 2, 3]}))
    assert data.label_names == {0: "9", 1: "10"}
    assert data.X[np.argsort(data.file_rows), 3].tolist() == [2, 0, 2, 1]


def test_a_child_process_reads_the_same_table(save):
    path = save(GOOD.assign(a=[1.5, np.nan, -3.0, 4.0], label=[10, 9, 9, 10]))
    reading: dict[str, Any] = {"missing": "median"}
    read = vars(read_table(path, "label", TableOptions(**reading)))
    # Another limit than the usual one: in a child process.
    loaded = vars(load("file", path=path, target="label", reading=reading, max_gib=2))
    assert read.keys() == loaded.keys()
    for name, value in read.items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(loaded[name], value, equal_nan=name == "X")
            assert loaded[name].dtype == value.dtype
        else:
            assert loaded[name] == value


def test_the_array_of_labels_may_have_any_name(tmp_path):
    np.savez(tmp_path / "my.npz", X=np.eye(4), group=[3, 3, 5, 5])
    assert read_table(tmp_path / "my.npz", "group").label_names == {0: "3", 1: "5"}


def test_bad_tables(save):
    def good(**columns: Any) -> pd.DataFrame:
        return GOOD.assign(**columns)

    months = pd.period_range("2020", periods=4, freq="M")
    typo = r"no column called 'label'; did you mean 'lable'\? .*a, b, c"
    many = "12 different numbers in 12 rows and looks continuous"
    for frame, message in (
        (GOOD.rename(columns={"label": "lable"}), typo),
        (good(b=["x", "y", "z", "w"]), r"1 column holds text and no numbers: b "),
        (good(b=pd.date_range("2020", periods=4)), r"no numbers: b .*'b' looks like dates"),
        (good(b=months), r"no numbers: b \('2020-01', "),
        (good(a=[1, None, 3, None]), r"1 feature has .* \('a': 2\) in 2 of 4 rows"),
        (good(a=[1, np.inf, 3, 4]), r"infinite values, 'a': 'inf' in (line 3|row 2)"),
        (good(a=None), r"missing values \('a': 4\) in 4 of 4 rows"),
        (good(label="yes"), "two classes are needed, but 'label' has 'yes' in all 4 rows"),
        (good(label=["no", None, "yes", "no"]), "1 row has no value in 'label'"),
        (good(label=[1.0, None, 2.0, 1.0]), "1 row has no value in 'label'"),
        (good(label=[0.1, 0.2, 0.3, 0.4]), "4 of 4 classes in 'label' have a single sample"),
        (FRAME[NAMES].assign(label=RNG.normal(size=12).round(3)), many),
        (GOOD.iloc[:0].astype({"label": float}), "has none in all 0 rows"),
        (GOOD[["label"]], "no column is left for the features"),
    ):
        with pytest.raises(DataError, match=message):
            read_table(save(frame), "label")


def test_numbers_that_become_several_classes_are_told(save):
    grades = pd.concat([FRAME[NAMES]] * 3, ignore_index=True).assign(label=np.arange(36) % 6)
    assert any(
        "each of the 6 numbers in" in note for note in read_table(save(grades), "label").notes
    )
    few = grades.assign(label=np.arange(36) % 5)
    assert not any("numbers in 'label'" in note for note in read_table(save(few), "label").notes)


def test_path_and_target_are_needed(tmp_path):
    with pytest.raises(DataError, match=r"dataset=file dataset\.path=my\.csv dataset\.target=lab"):
        load("file", target="label")
    with pytest.raises(DataError, match="there is no file"):
        load("file", path=tmp_path / "absent.csv", target="label")


def test_names_on_the_command_line_are_texts():
    """A name that looks like a number, or like a value of Hydra, stays the text that it is."""
    for argument, _key, expected in (
        ("dataset.target=1e5", "target", "1e5"),
        ("dataset.target=1_0", "target", "1_0"),
        ("dataset.index=007", "index", "007"),
        ("dataset.index=null", "index", None),
        ("dataset.features=true", "features", "true"),
        ("dataset.drop=[1_0,1e5,007]", "drop", ["1_0", "1e5", "007"]),
        ("dataset.drop=[\"a b\",'c, d',größe (cm)]", "drop", ["a b", "c, d", "größe (cm)"]),
        ("dataset.na=[n.d.,-,null]", "na", ["n.d.", "-", "null"]),
        ("dataset.drop=[]", "drop", []),
    ):
        (override,) = OverridesParser.create().parse_overrides(normalise_overrides([argument]))
        value = override.value()
        parts = value if isinstance(value, list) else [value]
        assert all(isinstance(part, str) or part is None for part in parts), argument
        # A text between quotation marks is of another class in Hydra.
        found = [None if part is None else str(part) for part in parts]
        assert found == (expected if isinstance(expected, list) else [expected]), argument


def test_no_control_character_reaches_a_terminal_and_no_formula_a_spreadsheet(tmp_path):
    record = logging.LogRecord("a", logging.INFO, "a", 1, "read %s\nthen", ("\x1b[31m\x9b",), None)
    assert Formatter("%(message)s").format(record) == r"read \x1b[31m\x9b" + "\nthen"
    assert "\x1b" not in str(user_message(DataError("column \x1b[2J")))
    path = tmp_path / "a.csv"
    path.write_text("\x1b[31m,status\nn.d.,a\n1,b\n2,a\n3,b\n")
    with pytest.raises(DataError) as caught:
        read_table(path, "status")
    assert "\x1b" not in str(caught.value)
    frame = pd.DataFrame({"=cmd()": ["=1+1", "@a", "-0.5", "+x", "plain"], "b": range(5)})
    write_csv(tmp_path / "f.csv", frame)
    back = pd.read_csv(tmp_path / "f.csv")
    assert list(back) == ["'=cmd()", "b"]
    assert list(without_formulas(frame.set_index("=cmd()")).index)[:3] == ["'=1+1", "'@a", "-0.5"]
    assert back.iloc[:, 0].tolist() == ["'=1+1", "'@a", "-0.5", "'+x", "plain"]
