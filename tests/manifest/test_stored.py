"""A stored choice of features: the same columns again, by name, and nothing else."""

import json
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from manifest import load_selector

CONTENT = {"format": "manifest selector 1", "features": ["a", "b", "c"], "selected": ["c", "a"]}
X = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [5.0, np.nan]})


@pytest.fixture
def stored(tmp_path):
    """A function from changes of the content to the selector of such a file."""

    def loaded(**changes):
        path = tmp_path / "selector.json"
        path.write_text(json.dumps(CONTENT | changes))
        return load_selector(path)

    return loaded


def test_columns_are_chosen_by_name_in_a_pipeline_too(stored):
    selector = stored()
    np.testing.assert_array_equal(selector.fit_transform(X), X[["c", "a"]])
    np.testing.assert_array_equal(selector.transform(X), X[["c", "a"]])
    assert selector.get_feature_names_out().tolist() == ["c", "a"]
    others = X[["c", "b", "a"]].assign(d=0)
    kept = selector.set_output(transform="pandas").transform(others)
    pd.testing.assert_frame_equal(kept, X[["c", "a"]])
    whole = X.fillna(0.0)
    pipeline = make_pipeline(selector, KNeighborsClassifier(1)).fit(whole, [0, 1])
    assert pipeline.predict(whole.assign(b=99.0)).tolist() == [0, 1]


def test_columns_of_text_become_the_numbers_of_the_run(stored, tmp_path):
    codes = {
        "sex=m": ["sex", {"f": 0.0, "m": 1.0}],
        "smoker=TRUE": ["smoker", {"FALSE": 0.0, "TRUE": 1.0}],
        "stage": ["stage", {"1": 0.0, "2": 1.0}],
    }
    names = [*codes, "a"]
    selector = stored(features=names, selected=names, codes=codes)
    table = tmp_path / "own.csv"
    table.write_text("a,sex,smoker,stage\n1,m ,TRUE,2\n2,f,FALSE,1\n3,,TRUE,\n")
    frame = pd.read_csv(table)
    expected = [[1, 1, 1, 1], [0, 0, 0, 2], [np.nan, 1, np.nan, 3]]
    for kind in (frame, frame.convert_dtypes()):
        with mock.patch.object(selector, "transform", wraps=selector.transform) as encode:
            found = selector.fit_transform(kind)
        assert encode.call_count == 1  # Although fit checks it, too.
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match=r"'sex' has 'x', expected one of \['f', 'm'\]"):
        selector.transform(frame.assign(sex="x"))
    with pytest.raises(ValueError, match=r"X lacks columns, such as \['sex'\]"):
        selector.transform(frame.drop(columns="sex"))


def test_numbers_are_read_as_the_run_has_read_them(stored, tmp_path):
    own = tmp_path / "own.csv"
    own.write_text("a;b;big;low;code\n2,27;1.5;2.980;<0,5;007\n?;-999;12.345;0,7;8\n")
    table = pd.read_csv(own, sep=";")
    names = ["a", "b", "big", "low", "code"]
    numbers = {"missing": ["?", "-999"], "below_limit": "half", "comma": ["a", "low"]}
    numbers |= {"points": ["big"], "thousands": ["big"]}
    content = {"features": names, "selected": names, "numbers": numbers}
    expected = [[2.27, 1.5, 2980, 0.25, 7], [np.nan, np.nan, 12345, 0.7, 8]]
    texts = pd.read_csv(own, sep=";", dtype=str)
    right = pd.read_csv(own, sep=";", decimal=",", thousands=".", dtype={"b": str})
    for frame in (texts, right, texts.convert_dtypes()):
        found = stored(**content).transform(frame)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected)
    for rule, value in (("value", 0.5), ("missing", np.nan)):
        selector = stored(**content | {"numbers": numbers | {"below_limit": rule}})
        np.testing.assert_equal(selector.transform(texts)[0, 3], value)
    with pytest.raises(ValueError, match="its points were between thousands: read the table"):
        selector.transform(table)
    with pytest.raises(ValueError, match="its points were between thousands: read the table"):
        selector.transform(table.assign(big=[2.0, 3.0], a=1.5, low=1.0))
    with pytest.raises(ValueError, match="'a' has '2,27', expected a number, written as in the"):
        stored(**content | {"numbers": {}}).transform(table)


def test_names_and_categories_are_found_as_a_data_frame_has_them(stored, tmp_path):
    codes = {"stage": ["stage", {"01": 0.0, "02": 1.0}], "dose": ["dose", {"None": 0, "low": 1}]}
    names, numbers = ["g", *codes], {"missing": ["", "none", "nan"]}
    selector = stored(features=names, selected=names, codes=codes, numbers=numbers)
    (tmp_path / "own.csv").write_text("stage, g,dose\n01,1,None\n02,2,low\n")
    found = selector.transform(pd.read_csv(tmp_path / "own.csv", keep_default_na=False))
    np.testing.assert_array_equal(found, [[1, 0, 0], [2, 1, 1]])
    with pytest.raises(ValueError, match=r"has a gap, or one of \['None'\], which are categories"):
        selector.transform(pd.read_csv(tmp_path / "own.csv"))


def test_a_missing_column_is_refused(stored):
    for method in (stored().fit, stored().transform):
        with pytest.raises(ValueError, match=r"X lacks columns, such as \['c'\]"):
            method(X[["a", "b"]])
        with pytest.raises(ValueError, match="must be a data frame with named columns"):
            method(X.to_numpy())
        with pytest.raises(ValueError, match=r"X has columns twice, such as \['a'\]"):
            method(pd.concat([X, X[["a"]]], axis=1))


def test_a_file_that_is_no_selector_is_refused(stored, tmp_path):
    for change, message in (
        ({"format": "other"}, "has the format 'other', expected 'manifest selector 1'"),
        ({"selected": "c"}, "'selected' must be a list of names"),
        ({"features": [1, 2]}, "'features' must be a list of names"),
        ({"selected": ["d"]}, "'selected' must be among 'features'"),
        ({"features": ["a", "a", "c"]}, "among 'features', and names must differ"),
        ({"selected": ["c", "c"]}, "among 'features', and names must differ"),
        ({"codes": ["c"]}, "'codes' must be a column and its numbers for each feature"),
        ({"codes": {"c": ["c", {"x": 10**400}]}}, "'codes' must be a column and its numbers"),
        ({"codes": {"c": ["c", {"x": float("nan")}]}}, "'codes' must be a column and its numbers"),
        ({"codes": {"c": ["c", {"x": "y"}]}}, "'codes' must be a column and its numbers"),
        ({"numbers": {"comma": "c"}}, "'numbers' must have lists of texts, and a limit's rule"),
        ({"numbers": {"below_limit": "x"}}, "'numbers' must have lists of texts"),
    ):
        with pytest.raises(ValueError, match=message):
            stored(**change)
    path, whole = tmp_path / "selector.json", json.dumps(CONTENT).encode()
    twice = whole.replace(b"{", b'{"selected": ["a"], ', 1)
    for content in (b"no JSON", twice, b"[" * 100_000, b"\xff\xfe{\x00", whole[:-5]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not JSON") as caught:
            load_selector(path)
        assert "\n" not in str(caught.value)
    path.write_bytes(b"\xef\xbb\xbf" + whole)
    assert load_selector(path).selected == ["c", "a"]
