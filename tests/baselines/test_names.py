"""Scorers by name or by place, and the sum of normalised scores by its definition."""

import inspect
import sys

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import baselines
from baselines import FILTERS, SETS, get, min_max, sum_of_normalised
from tests.commands import ROOT


def test_yaml_files_say_what_grids_and_figures_need_and_no_two_labels_are_equal():
    entries = {
        path.stem: yaml.safe_load(path.read_text())["scorers"][path.stem]
        for path in (ROOT / "configs" / "method").glob("*.yaml")
    }
    for name in (*FILTERS, *SETS):
        assert entries[name]["call"] == name
        grid = entries[name].get("grid", {})
        assert grid.keys() <= inspect.signature(get(name)).parameters.keys()
    labels = [entry["label"] for entry in entries.values()]
    assert len(set(labels)) == len(labels) > len(FILTERS)
    assert not [label for label in labels if "," in label]


def test_the_package_offers_every_filter_and_names_the_one_that_may_be_meant():
    for name in (*FILTERS, *SETS):
        scorer = get(name)
        assert getattr(baselines, name) is getattr(baselines, scorer.__name__) is scorer
    with pytest.raises(AttributeError, match="'relieff'"):
        baselines.releiff  # noqa: B018
    assert not hasattr(baselines, "_private")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skfeature.function.similarity_based.reliefF", None)
    with pytest.raises(ImportError, match=r"skfeature.*\[baselines\]"):
        baselines.relieff(np.eye(8), np.arange(8) % 2, engine="skfeature")


def test_any_function_is_a_scorer_by_its_place(monkeypatch, tmp_path):
    (tmp_path / "someones_scorer.py").write_text("def half(X, y):\n    return X[0] / 2\n")
    (tmp_path / "broken_scorer.py").write_text("import a_package_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    np.testing.assert_array_equal(get("someones_scorer:half")(np.eye(2), [0, 1]), [0.5, 0])
    with pytest.raises(ModuleNotFoundError, match="a_package_that_is_not_there"):
        get("broken_scorer:score")


@pytest.mark.parametrize(("place", "says"), [
    ("releif", "relief.*spec.*ttest"), ("", "relief"), ("anova.anova", "relief"),
    ("nowhere.at_all:score", "nowhere.at_all"), ("baselines.nowhere:score", "baselines.nowhere"),
    (":score", "No module"), ("baselines:__all__", "no function"),
])  # fmt: skip
def test_a_name_or_a_place_without_a_scorer_is_refused(place, says):
    with pytest.raises(ValueError, match=says):
        get(place)


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(arrays(float, st.integers(1, 20), elements=FINITE))
def test_min_max_fills_the_unit_interval_and_keeps_the_order(scores):
    """What is above the least stays above 0: a constant feature stays last in a sum of parts."""
    normalised = min_max(scores)
    assert normalised.min() == 0
    assert normalised.max() == (scores.max() > scores.min())
    assert (np.diff(normalised[np.argsort(scores)]) >= 0).all()
    assert ((normalised > 0) == (scores > scores.min())).all()


def test_the_sum_is_of_finite_vectors_of_the_same_features_normalised_by_the_formula():
    np.testing.assert_array_equal(min_max([2, 6, 3, 4]), [0, 1, 0.25, 0.5])
    total = sum_of_normalised([[0, 5, 10], [3, 2, 1], [1, 1, 1]])
    np.testing.assert_array_equal(total, [1, 1, 1])
    for scores in ([], [[1, 2], [1, 2, 3]]):
        with pytest.raises(ValueError, match="same features"):
            sum_of_normalised(scores)
    for vector in ([], [[1, 2]], 3, [1, np.nan], [1, np.inf]):
        with pytest.raises(ValueError, match="one vector of finite numbers"):
            sum_of_normalised([vector])
