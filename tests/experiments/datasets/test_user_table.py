"""Roles of columns, labels and values of a user's table; what is refused, in one sentence each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments.datasets import DataError, load
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import read_table
from tests.experiments.datasets.test_reading import FRAME, NAMED, NAMES, RNG, as_csv, read


def test_row_names_are_recognised(tmp_path):
    for name, values, is_index in (
        ("", [4.5, 1, 2, 2], True),
        ("Unnamed: 0", [4.5, 1, 2, 2], True),
        ("id", [4.5, 1, 2, 2], True),
        ("Patient_ID", [7, 7, 8, 9], True),
        ("Sample name", [7, 7, 8, 9], True),
        ("gene1", [0, 1, 2, 3], True),
        ("gene1", [3, 1, 0, 2], True),
        ("gene1", [1, 2, 3, 5], False),
        ("gene1", ["a", "b", "c", "d"], True),
        ("width", [0.5, 1, 2, 3], False),
    ):
        frame = pd.DataFrame({name: values, "f": [1, 2, 5, 4], "g": [2, 7, 1, 8]})
        frame.assign(status=[0, 1, 0, 1]).to_csv(tmp_path / "a.csv", index=False)
        data = read(tmp_path / "a.csv")
        case = name, values
        assert data.feature_names == (("f", "g") if is_index else (name, "f", "g")), case
        assert any("was taken as row names" in note for note in data.notes) == is_index, case
        if is_index and not isinstance(values[0], str):
            assert read(tmp_path / "a.csv", index=None).feature_names == (name, "f", "g"), case
            assert read(tmp_path / "a.csv", index="g").feature_names == (name, "f"), case


def test_columns_are_left_out_by_name_and_pattern(tmp_path):
    frame = pd.DataFrame(RNG.normal(size=(4, 4)), columns=["g1", "g2", "age", "batch"])
    frame.assign(status=[0, 1, 0, 1]).to_csv(tmp_path / "a.csv", index=False)
    data = read(tmp_path / "a.csv", drop=["age"], features="g*")
    assert data.feature_names == ("g1", "g2")
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
        with pytest.raises(DataError, match=message):
            read(tmp_path / "a.csv", **reading)


def test_swapped_samples_and_features_are_suggested(tmp_path):
    NAMED.T.to_csv(tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"but a row: .* add dataset\.transpose=true"):
        read(tmp_path / "a.csv")
    genes = pd.DataFrame(RNG.normal(size=(50, 4)), index=[f"g{i}" for i in range(50)])
    genes.to_csv(tmp_path / "b.csv")
    with pytest.raises(DataError, match=r"50 rows of 5 columns look as if .*dataset\.labels=lab"):
        read(tmp_path / "b.csv")
    as_csv(tmp_path / "c.csv")
    with pytest.raises(DataError, match=r"are in rows already; leave out dataset\.transpose"):
        read(tmp_path / "c.csv", transpose=True)


def test_text_columns_are_named_with_what_to_do(tmp_path):
    frame = FRAME.assign(sex=["m", "f"] * 6, site=["x"] * 12)
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(
        DataError,
        match=r"2 columns hold text.*: sex \('f', 'm'\), site .*onehot.*\.drop=\[sex,site\]",
    ):
        read(tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", drop=["sex", "site"]).feature_names == tuple(NAMES)


def test_missing_values_are_refused_with_names_and_counts_or_kept(tmp_path):
    frame = FRAME.assign(empty=np.nan)
    frame.iloc[:2, 1] = np.nan
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match=r"2 features .*\('größe \(cm\)': 2, 'empty': 12\) in 12"):
        read(tmp_path / "a.csv")
    found = {how: read(tmp_path / "a.csv", missing=how) for how in ("median", "drop")}
    for how, data in found.items():
        assert np.isnan(data.X).sum() == 2
        assert data.feature_names == tuple(NAMES)
        assert data.notes[1] == "1 features without any value were left out: 'empty'"
        assert "training rows" in data.notes[2]
        assert how not in data.fingerprint
    assert found["median"].fingerprint != found["drop"].fingerprint
    frame.iloc[:2, :3] = np.nan
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match=r"leaves fewer than two; use dataset\.missing=median"):
        read(tmp_path / "a.csv", missing="drop")


def test_a_continuous_target_is_told_apart_from_classes(tmp_path):
    frame = FRAME.assign(status=RNG.normal(size=12).round(3))
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match="12 different numbers in 12 rows and looks continuous"):
        read(tmp_path / "a.csv")


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    for name, content, message in (
        ("a.csv", "a,a,status\n1,2,0\n3,4,1\n", "2 columns are called 'a'; each needs a name"),
        ("a.csv", "", "it is empty"),
        ("a.csv", "a;b;status\n1;2;0\n1;2;3;4\n", "header, which names 3: line 3 has 4 values"),
        ("a.xls", "", r"'\.xls' is unknown; save it as \.xlsx or \.csv"),
        ("a.zip", "", "it is damaged"),
        ("a.csv.gz", "plain", "it is damaged"),
        ("a.csv.xz", "plain", "it is damaged"),
        ("a.feather", "plain", "it is damaged"),
        ("a.parquet", "plain", "it is damaged"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(DataError, match=message) as caught:
            read(tmp_path / name)
        assert "\n" not in str(caught.value), name


def test_other_data_sets_take_no_key_of_a_table():
    with pytest.raises(DataError, match=r"dataset\.drop belongs to the data set 'file'"):
        load("xor", reading={"drop": ["a"]})


GOOD = pd.DataFrame({"a": [1.5, 2.0, -3.0, 4.0], "b": [1, 2, 3, 4], "c": [True, False, True, True]})
GOOD["label"] = ["no", "yes", "yes", "no"]


@pytest.fixture(params=["csv", "parquet"])
def save(request, tmp_path):
    def write(frame: pd.DataFrame):
        path = tmp_path / f"my.{request.param}"
        frame.to_csv(path, index=False) if request.param == "csv" else frame.to_parquet(path)
        return path

    return write


def test_a_good_table(save):
    data = read_table(save(GOOD), "label")
    assert data.name == "file"
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.int64
    assert data.label_names == {0: "no", 1: "yes"}
    assert data.feature_names == ("a", "b", "c")
    assert not data.verified
    assert not data.synthetic
    expected = GOOD.drop(columns="label").to_numpy(dtype=float)
    assert sorted(data.X.tolist()) == sorted(expected.tolist())
    assert data.y[data.X[:, 1] == 2] == [1]


def test_the_order_of_the_rows_does_not_matter(save):
    one = read_table(save(GOOD), "label")
    other = read_table(save(GOOD.iloc[[2, 0, 3, 1]]), "label")
    assert one.fingerprint == other.fingerprint
    assert np.array_equal(one.X, other.X)
    assert np.array_equal(one.y, other.y)


def test_numeric_labels_keep_their_order(save):
    data = read_table(save(GOOD.assign(label=[10, 9, 9, 10])), "label")
    assert data.label_names == {0: "9", 1: "10"}


def test_a_child_process_reads_the_same_table(save):
    path = save(GOOD.assign(a=[1.5, np.nan, -3.0, 4.0], label=[10, 9, 9, 10]))
    read = vars(read_table(path, "label", TableOptions(missing="median")))
    reading = {"missing": "median"}  # Another limit than the usual one: in a child process.
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
    cases: list[tuple[dict[str, Any], str]] = [
        ({"target": "lable"}, r"no column called 'lable'; did you mean 'label'\? .*a, b, c"),
        ({"b": ["x", "y", "z", "w"]}, r"1 column holds text and no numbers: b "),
        ({"b": pd.date_range("2020", periods=4)}, r"no numbers: b .*'b' looks like dates"),
        ({"a": [1, None, 3, None]}, r"1 features have missing values \('a': 2\) in 2 of 4 rows"),
        ({"a": [1, np.inf, 3, 4]}, r"infinite values, 'a': 'inf' in (line 3|row 2)"),
        ({"a": None}, r"missing values \('a': 4\) in 4 of 4 rows"),
        ({"label": "yes"}, "at least two classes are needed, but 'label' has 'yes' in all 4 rows"),
        ({"label": ["no", None, "yes", "no"]}, "1 rows have no value in 'label'"),
        ({"label": [1.0, None, 2.0, 1.0]}, "1 rows have no value in 'label'"),
        ({"label": [0.1, 0.2, 0.3, 0.4]}, "4 of 4 classes in 'label' have a single sample"),
    ]
    for change, message in cases:
        columns = {name: values for name, values in change.items() if name != "target"}
        path = save(GOOD.assign(**columns))
        with pytest.raises(DataError, match=message):
            read_table(path, change.get("target", "label"))


def test_no_rows_and_no_features(save):
    with pytest.raises(DataError, match="has none in all 0 rows"):
        read_table(save(GOOD.iloc[:0].astype({"label": float})), "label")
    with pytest.raises(DataError, match="no column is left for the features"):
        read_table(save(GOOD[["label"]]), "label")


def test_a_csv_without_a_header(tmp_path):
    (tmp_path / "my.csv").write_text("1,2,0\n3,4,1\n")
    with pytest.raises(DataError, match="should name the columns"):
        load("file", path=tmp_path / "my.csv", target="label")


def test_path_and_target_are_needed(tmp_path):
    with pytest.raises(DataError, match=r"dataset=file dataset\.path=my\.csv dataset\.target=lab"):
        load("file", target="label")
    with pytest.raises(DataError, match="there is no file"):
        load("file", path=tmp_path / "absent.csv", target="label")
