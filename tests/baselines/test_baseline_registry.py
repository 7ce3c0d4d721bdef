"""Filters by name: a module and a YAML file each, and nothing else."""

import inspect
import sys

import numpy as np
import pytest
import yaml

import baselines
from baselines import filters, get, names
from tests.cases import over
from tests.commands import ROOT, python

MINE = '''"""A filter that is added to a copy of the repository."""

__all__ = ["mean_gap", "twice_the_gap"]


def mean_gap(X, y):
    return abs(X[y == y.max()].mean(axis=0) - X[y == y.min()].mean(axis=0))


def twice_the_gap(X, y):
    return 2 * mean_gap(X, y)
'''


def test_the_papers_eight_filters_those_of_the_arena_and_a_random_choice_are_there():
    eight = {"anova", "fisher", "gini", "ig", "laplacian", "pearson", "relieff", "ttest"}
    at_once = {"generalized_fisher", "hsic", "relief", "spec", "trace_ratio"}
    arena = at_once | {"boruta", "cfs", "gated_laplacian", "jmi", "mrmr"}
    assert set(names()) == {*eight, *arena, "random"}


def test_yaml_files_say_what_grids_and_figures_need_and_no_two_labels_are_equal():
    entries = {
        path.stem: yaml.safe_load(path.read_text())["scorers"][path.stem]
        for path in (ROOT / "configs" / "method").glob("*.yaml")
    }
    for name in names():
        assert entries[name]["call"] == name
        grid = entries[name].get("grid", {})
        assert grid.keys() <= inspect.signature(get(name)).parameters.keys()
    labels = [entry["label"] for entry in entries.values()]
    assert len(set(labels)) == len(labels) > len(names())
    assert not [label for label in labels if "," in label]


@over("name", names())
def test_the_package_offers_what_the_module_of_a_filter_names(name):
    scorer = get(name)
    assert scorer.__module__ == f"baselines.filters.{name}"
    for function in sys.modules[scorer.__module__].__all__:
        assert getattr(baselines, function) is getattr(sys.modules[scorer.__module__], function)
        assert function in dir(baselines)


def test_a_name_that_no_module_offers_is_no_attribute():
    with pytest.raises(AttributeError, match="'baselines' has no attribute 'chi_square'"):
        baselines.chi_square  # noqa: B018
    assert not hasattr(baselines, "_t")


def test_a_filter_is_imported_when_it_is_asked_for_and_skfeature_when_it_is_used():
    steps: tuple[tuple[str, list[str]], ...] = (
        ("import baselines; baselines.names()", []),
        ("baselines.get('relieff')", ["relieff"]),
        ("import baselines.filters.anova; from baselines import anova; anova.__code__", ["anova"]),
    )
    code = "import sys\nwatched = 'baselines.filters.', 'skfeature'\n" + "".join(
        f"{step}\nprint(*(m for m in sys.modules if m.startswith(watched)))\n" for step, _ in steps
    )
    done = python("-c", code)
    expected: set[str] = set()
    for line, (_, added) in zip(done.stdout.splitlines(), steps, strict=True):
        expected |= {f"baselines.filters.{name}" for name in added}
        assert set(line.split()) == expected


@pytest.fixture
def added(monkeypatch, tmp_path):
    """A function that adds a filter of a name, another one in each test, with a source."""
    monkeypatch.setattr(filters, "__path__", [*filters.__path__, str(tmp_path)])
    yield lambda name, source: (tmp_path / f"{name}.py").write_text(source)
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(f"baselines.filters.{path.stem}", None)
        vars(filters).pop(path.stem, None)


def test_the_scorer_is_the_first_function_that_a_module_names(added):
    added("gap", MINE)
    assert "gap" in names()
    assert get("gap").__name__ == "mean_gap"
    assert {"mean_gap", "twice_the_gap"} <= set(dir(baselines))
    from baselines import twice_the_gap

    X, y = np.array([[1, 2], [5, 2]]), np.array([0, 1])
    np.testing.assert_array_equal(twice_the_gap(X, y), 2 * get("gap")(X, y))


def test_a_module_that_names_no_scorer_ends_with_a_sentence(added):
    added("nameless", "def gap(X, y):\n    return X[0]\n")
    with pytest.raises(ValueError, match=r"filters\.nameless' does not say which function"):
        get("nameless")


@over("name", ["xyz", "releif", "", "_private", "anova.anova", "anova+relieff"])
def test_a_name_that_is_no_filters_ends_with_the_valid_names(name):
    with pytest.raises(ValueError, match=r"there is no filter .* anova, boruta, cfs, ") as raised:
        get(name)
    assert ", ".join(names()) in str(raised.value)


def test_any_function_is_a_scorer_by_its_place(monkeypatch, tmp_path):
    (tmp_path / "someones_scorer.py").write_text("def half(X, y):\n    return X[0] / 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    np.testing.assert_array_equal(get("someones_scorer:half")(np.eye(2), [0, 1]), [0.5, 0])
    assert get("baselines:t_test") is get("ttest")


@over(
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
