"""Filters by name."""

import numpy as np
import pytest

import baselines
from baselines import combine, get, names, registry


def half(X, y, *, part=0.5):
    return np.full(np.shape(X)[1], part)


NOT_A_SCORER = 3


def test_the_names_are_in_the_papers_order():
    expected = ("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff")
    assert names() == tuple(registry) == expected


@pytest.mark.parametrize("name", names())
def test_an_entry_says_what_figures_and_grids_need(name):
    entry = registry[name]
    assert get(name) is entry.scorer
    assert getattr(baselines, entry.scorer.__name__) is entry.scorer
    assert entry.label
    assert entry.source.split()[0] in {"skfeature", "scikit-learn", "pandas"}


def test_only_the_papers_three_filters_are_tuned():
    tuned = {name: entry.parameters for name, entry in registry.items() if entry.parameters}
    assert tuned == {"ig": ("k",), "laplacian": ("percentile",), "relieff": ("k",)}


def test_the_parameters_are_the_scorers_own():
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 2
    for entry in registry.values():
        for parameter in entry.parameters:
            assert not np.array_equal(entry.scorer(X, y, **{parameter: 1}), entry.scorer(X, y))


def test_the_registry_is_not_changed_by_accident():
    with pytest.raises(TypeError):
        registry["mine"] = registry["anova"]  # type: ignore[index]


@pytest.mark.parametrize(("typo", "meant"), [("relief", "relieff"), ("t-test", "ttest")])
def test_a_typo_ends_with_the_closest_and_the_valid_names(typo, meant):
    with pytest.raises(ValueError, match=f"did you mean '{meant}'") as raised:
        get(typo)
    assert ", ".join(names()) in str(raised.value)


def test_a_name_like_no_other_ends_with_the_valid_names():
    with pytest.raises(ValueError, match=r"Unknown filter 'xyz'\? Valid are gini, "):
        get("xyz")


def test_any_function_is_a_scorer_by_its_place(monkeypatch, tmp_path):
    (tmp_path / "someones_scorer.py").write_text("def half(X, y):\n    return X[0] / 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    np.testing.assert_array_equal(get("someones_scorer:half")(np.eye(2), [0, 1]), [0.5, 0])


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("nowhere.at_all:score", "No module 'nowhere.at_all'"),
        ("baselines.nowhere:score", "No module 'baselines.nowhere'"),
        (":score", "No module ''"),
        ("baselines:nothing", "'baselines' has no function 'nothing'"),
        ("baselines.registry:", "has no function ''"),
        ("baselines:__all__", "has no function '__all__'"),
    ],
)
def test_a_place_without_a_scorer_ends_with_a_sentence(place, says):
    with pytest.raises(ValueError, match=says):
        get(place)


def test_a_fault_inside_someones_module_is_shown_as_it_is(monkeypatch, tmp_path):
    (tmp_path / "broken_scorer.py").write_text("import a_package_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_package_that_is_not_there"):
        get("broken_scorer:score")


def test_names_joined_by_a_plus_are_their_combination():
    assert get("anova + relieff") == combine(get("anova"), get("relieff"))
    assert get("baselines:anova+ig").__name__ == "anova+information_gain"
    with pytest.raises(ValueError, match="Unknown filter ''"):
        get("anova+")
