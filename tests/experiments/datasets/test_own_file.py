"""Bring your own table: what is accepted, and the sentence where it is not."""

import numpy as np
import pandas as pd
import pytest

from experiments.datasets import DataError, load
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import read_table

GOOD = pd.DataFrame(
    {
        "a": [1.5, 2.0, -3.0, 4.0],
        "b": [1, 2, 3, 4],
        "c": [True, False, True, True],
        "label": ["no", "yes", "yes", "no"],
    }
)


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
    loaded = vars(load("file", path=path, target="label", reading={"missing": "median"}))
    assert read.keys() == loaded.keys()
    for name, value in read.items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(loaded[name], value, equal_nan=name == "X")
            assert loaded[name].dtype == value.dtype
        else:
            assert loaded[name] == value


def test_npz(tmp_path):
    np.savez(tmp_path / "my.npz", X=np.eye(4), group=[3, 3, 5, 5])
    data = read_table(tmp_path / "my.npz", "group")
    assert data.label_names == {0: "3", 1: "5"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "lable"}, r"no column called 'lable'; did you mean 'label'\? .*a, b, c"),
        ({"b": ["x", "y", "z", "w"]}, r"1 columns hold no numbers \(b\); encode them"),
        ({"b": pd.date_range("2020", periods=4)}, r"hold no numbers \(b\)"),
        ({"a": [1, None, 3, None]}, r"features have missing or infinite values \(a: 2\) in 2 of 4"),
        ({"a": [1, np.inf, 3, 4]}, r"missing or infinite values \(a: 1\) in 1 of 4"),
        ({"a": None}, r"missing or infinite values \(a: 4\) in 4 of 4"),
        ({"label": "yes"}, "at least two classes are needed, but 'label' has yes in all 4 rows"),
        ({"label": ["no", None, "yes", "no"]}, "1 rows have no value in 'label'"),
        ({"label": [1.0, None, 2.0, 1.0]}, "1 rows have no value in 'label'"),
        ({"label": [0.1, 0.2, 0.3, 0.4]}, "4 of 4 classes in 'label' have a single sample"),
    ],
)
def test_bad_tables(save, change, message):
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
    with pytest.raises(
        DataError, match=r"dataset=file dataset\.path=my\.csv dataset\.target=label"
    ):
        load("file")
    with pytest.raises(DataError, match="there is no file"):
        load("file", path=tmp_path / "absent.csv", target="label")
