"""A stored choice of features: the same columns again, by name or by place, and nothing else."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from manifest import StoredSelector, load_selector

CONTENT = {"format": "manifest selector 1", "features": ["a", "b", "c"], "selected": ["c", "a"]}
X = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [5.0, np.nan]})


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "selector.json"
    path.write_text(json.dumps(CONTENT))
    return load_selector(path)


def test_columns_are_chosen_by_name_or_by_place(stored):
    assert list(stored.transform(X).columns) == ["c", "a"]
    assert list(stored.transform(X[["c", "b", "a"]].assign(d=0)).columns) == ["c", "a"]
    np.testing.assert_array_equal(stored.transform(X.to_numpy()), X[["c", "a"]])
    assert stored.get_support().tolist() == [True, False, True]
    assert stored.get_support(indices=True).tolist() == [2, 0]
    assert stored.get_feature_names_out().tolist() == ["c", "a"]


def test_it_is_a_step_of_a_pipeline(stored):
    whole = X.fillna(0.0)
    pipeline = make_pipeline(clone(stored), KNeighborsClassifier(1)).fit(whole, [0, 1])
    assert pipeline.predict(whole.assign(b=99.0)).tolist() == [0, 1]


def test_other_columns_are_refused(stored):
    with pytest.raises(ValueError, match=r"1 of the 2 selected features are not among .* X: c"):
        stored.fit(X[["a", "b"]])
    with pytest.raises(ValueError, match="X has 2 columns, the choice was made among 3"):
        stored.fit(X[["a", "b"]].to_numpy())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "has the format 'other', expected 'manifest selector 1'"),
        ({"selected": "c"}, "'selected' must be a list of names"),
        ({"features": [1, 2]}, "'features' must be a list of names"),
        ({"selected": ["d"]}, "'selected' must be among 'features'"),
        ({"features": ["a", "a", "c"]}, "'selected' must be among 'features', which differ"),
    ],
)
def test_a_file_that_is_no_selector_is_refused(tmp_path, change, message):
    path = tmp_path / "selector.json"
    path.write_text(json.dumps(CONTENT | change))
    with pytest.raises(ValueError, match=message):
        load_selector(path)
    path.write_text("no JSON")
    with pytest.raises(ValueError, match="is not JSON"):
        load_selector(path)


def test_nothing_is_learned():
    one = StoredSelector(["a", "b"], ["b"])
    before = vars(one).copy()
    assert vars(one.fit(np.eye(2))) == before
