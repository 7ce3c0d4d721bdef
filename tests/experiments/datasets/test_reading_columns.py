"""Which columns are row names, features and target; what is refused, in one sentence each."""

import numpy as np
import pandas as pd
import pytest

from experiments.datasets import DataError, load
from tests.experiments.datasets.test_reading import (
    FRAME,
    NAMES,
    RNG,
    as_csv,
    read,
    transposed,
)


@pytest.mark.parametrize(
    ("name", "values", "is_index"),
    [
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
    ],
)
def test_row_names_are_recognised(tmp_path, name, values, is_index):
    frame = pd.DataFrame({name: values, "f": [1, 2, 5, 4], "g": [2, 7, 1, 8]})
    frame.assign(status=[0, 1, 0, 1]).to_csv(tmp_path / "a.csv", index=False)
    data = read(tmp_path / "a.csv")
    assert data.feature_names == (("f", "g") if is_index else (name, "f", "g"))
    assert any("was taken as row names" in note for note in data.notes) == is_index
    if is_index and not isinstance(values[0], str):
        assert read(tmp_path / "a.csv", index=None).feature_names == (name, "f", "g")
        assert read(tmp_path / "a.csv", index="g").feature_names == (name, "f")


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
    transposed(tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"but a row: .* add dataset\.transpose=true"):
        read(tmp_path / "a.csv")
    genes = pd.DataFrame(RNG.normal(size=(50, 4)), index=[f"g{i}" for i in range(50)])
    genes.to_csv(tmp_path / "b.csv")
    with pytest.raises(DataError, match=r"50 rows of 5 columns look as if .*dataset\.labels=lab"):
        read(tmp_path / "b.csv")
    as_csv(tmp_path / "c.csv")
    with pytest.raises(DataError, match=r"stand in rows already; leave out dataset\.transpose"):
        read(tmp_path / "c.csv", transpose=True)


def test_text_columns_are_named_with_what_to_do(tmp_path):
    frame = FRAME.assign(sex=["m", "f"] * 6, site=["x"] * 12)
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(
        DataError, match=r"2 columns hold no numbers \(sex, site\); .*one-hot.*dataset\.drop=\[sex,"
    ):
        read(tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", drop=["sex", "site"]).feature_names == tuple(NAMES)


def test_missing_values_are_refused_with_names_and_counts_or_kept(tmp_path):
    frame = FRAME.assign(empty=np.nan)
    frame.iloc[:2, 1] = np.nan
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match=r"2 features .*\(größe \(cm\): 2, empty: 12\) in 12 of 12"):
        read(tmp_path / "a.csv")
    found = {how: read(tmp_path / "a.csv", missing=how) for how in ("median", "drop")}
    for how, data in found.items():
        assert np.isnan(data.X).sum() == 2
        assert data.feature_names == tuple(NAMES)
        assert data.notes[1] == "1 features without any value were left out"
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


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "a,a,status\n1,2,0\n3,4,1\n", "2 columns are called 'a'; each needs a name"),
        ("a.csv", "", "it is empty"),
        ("a.csv", "a;b;status\n1;2;0\n1;2;3;4\n", "a row has 4 values where the header names 3"),
        ("a.xls", "", r"'\.xls' is unknown; save it as \.xlsx or \.csv"),
        ("a.zip", "", "it is damaged"),
        ("a.csv.gz", "plain", "it is damaged"),
        ("a.csv.xz", "plain", "it is damaged"),
        ("a.feather", "plain", "it is damaged"),
        ("a.parquet", "plain", "it is damaged"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_other_data_sets_take_no_key_of_a_table():
    with pytest.raises(DataError, match=r"dataset\.drop belongs to the data set 'file'"):
        load("xor", reading={"drop": ["a"]})
