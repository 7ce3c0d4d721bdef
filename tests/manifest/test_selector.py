"""ManiFeSt as a citizen of scikit-learn."""

import itertools
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.utils.estimator_checks import check_estimator

import baselines
from manifest import ManiFeSt, ManiFeStSet, manifest_score
from manifest.relevance import calibrated_relevance, permuted_labels


@pytest.mark.filterwarnings("ignore::manifest.AmbiguousScoreWarning")
@pytest.mark.filterwarnings("ignore::manifest.UninformativeScoreWarning")
@pytest.mark.parametrize("estimator", [
    ManiFeSt(0.3, geometry="euclidean"), ManiFeSt(aggregate="sum", multiclass="ovo"),
    ManiFeStSet(n_permutations=1),
])  # fmt: skip
def test_scikit_learn_accepts_the_estimator(estimator):
    checks = check_estimator(estimator, on_skip=None, on_fail=None)
    missed = {each["check_name"] for each in checks if each["status"] != "passed"}
    assert missed <= {"check_array_api_input"}
    assert len(checks) > 40


@pytest.fixture
def data():
    """Two features whose product tells the class, among noise, with names."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 20)) + 0.05 * rng.normal(size=(60, 20))
    y = np.where((X[:, 3] > 0.5) != (X[:, 8] > 0.5), "b", "a")
    return pd.DataFrame(X, columns=[f"gene{i}" for i in range(20)]), y


def test_keeps_as_many_as_asked_and_the_best(data):
    cases = [(1, 1), (7, 7), (20, 20), (0.3, 6), (1e-9, 1), (1.0, 20), (None, 10)]
    for (wanted, kept), of in itertools.product(cases, (ManiFeSt, ManiFeStSet)):
        selector = of(wanted).fit(*data)
        support, scores = selector.get_support(), selector.scores_
        assert support.sum() == selector.n_features_ == kept, wanted
        np.testing.assert_array_equal(selector.support_, support)
        assert scores[support].min() >= scores[~support].max(initial=0), wanted
        np.testing.assert_array_equal(np.sort(selector.ranking_), np.arange(1, 21))
        assert (np.diff(scores[np.argsort(selector.ranking_)]) <= 0).all(), wanted
    with pytest.warns(UserWarning, match="21 is more than the 20 features"):
        assert ManiFeSt(21).fit(*data).support_.all()
    impossible: Any
    for impossible in (0, -1, 0.0, 1.5, True, "all"):
        with pytest.raises(ValueError, match=rf"integer >= 1.*got {impossible!r}$"):
            ManiFeSt(impossible).fit(*data)


def test_a_constant_column_is_last_and_its_score_is_the_papers():
    """At a scale that finds relations the paper's score of a constant column is among the best."""
    y, first = np.arange(60) % 2, 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 50))
        X[:, 1] = X[:, 0] * (2 * y - 1) + 0.1 * rng.normal(size=60)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        X[:, [7, 20]] = 0.0
        papers, other = ManiFeSt(48, scale_factor=0.2), ManiFeStSet(48, n_permutations=1)
        for selector in (papers, other):
            assert {*np.flatnonzero(~selector.fit(X, y).support_)} == {7, 20}
            assert {*selector.ranking_[[7, 20]]} == {49, 50}
        np.testing.assert_array_equal(papers.scores_, manifest_score(X, y, scale_factor=0.2))
        first += not {7, 20}.isdisjoint(np.argsort(-papers.scores_)[:3])
    assert first >= 5


@pytest.mark.parametrize("of", [ManiFeSt, ManiFeStSet])
def test_every_layout_of_the_same_table_gives_the_same_bytes(data, of):
    frame, y = data
    X = np.ascontiguousarray(frame)
    expected = of(3).fit(X, y)
    numbers = ["scores_", "ranking_", *(["relevance_"] if of is ManiFeStSet else [])]
    for same in (frame, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        found = of(3).fit(same, y)
        for name in numbers:
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


def test_scores_are_the_functions_which_is_a_scorer_of_select_k_best(data):
    X, y = data
    given: dict[str, Any] = {"scale_factor": 0.3, "percentile": 60, "n_normalizations": 1}
    selector = ManiFeSt(2, **given).set_output(transform="pandas").fit(X, y)
    assert list(selector.transform(X).columns) == ["gene3", "gene8"]
    np.testing.assert_array_equal(selector.scores_, manifest_score(X, y, **given))
    np.testing.assert_array_equal(selector.classes_, ["a", "b"])
    kept = SelectKBest(manifest_score, k=5).fit(X, y).get_support()
    np.testing.assert_array_equal(kept, ManiFeSt(5).fit(X, y).get_support())


def test_the_set_form_is_the_scorer_of_the_methods(data):
    X, y = data
    X = X.assign(gene0=X["gene0"] + (y == "b"))
    selector = ManiFeStSet(3, n_permutations=3).fit(X, y)
    assert set(selector.get_feature_names_out()) == {"gene0", "gene3", "gene8"}
    np.testing.assert_array_equal(selector.scores_, baselines.manifest_set(X, y))
    expected = calibrated_relevance(X, y)
    np.testing.assert_array_equal(selector.relevance_, expected.relevance)
    np.testing.assert_array_equal(selector.parts_.association, expected.association)
    np.testing.assert_array_equal(np.argsort(selector.ranking_), np.argsort(expected.steps))
    fewer = selector.set_params(n_permutations=2).fit(X, y).relevance_
    assert (fewer != expected.relevance).any()


@mock.patch("manifest.relevance.NULL_VALUES", 200)
@mock.patch("manifest.relevance.LABELLINGS", 50)
def test_auto_gives_the_null_enough_values_but_takes_fewer_permutations_of_more_classes():
    rng, asked = np.random.default_rng(0), []

    def counted(R, codes, n_permutations, random_state):
        asked.append(n_permutations)
        return permuted_labels(R, codes, min(n_permutations, 3), random_state)

    cases: Any = [(2, 2, None), (2, 8, None), (2, 20, 10), (2, 80, None), (3, 8, None)]
    for n_classes, d, block in [*cases, (12, 8, None), (12, 80, None)]:
        y = np.arange(4 * n_classes) % n_classes
        with mock.patch("manifest.relevance.permuted_labels", counted):
            ManiFeStSet(1, block=block).fit(rng.normal(size=(len(y), d)), y)
        for_null, of_classes = 200 / (block or d), 50 / n_classes
        assert asked[-1] <= max(3, of_classes)
        assert max(3, min(for_null, of_classes - 1)) <= asked[-1] < max(3, for_null) + 1


def test_a_random_state_is_a_seed_a_generator_or_none_as_in_scikit_learn():
    X, y = np.random.default_rng(0).normal(size=(20, 40)), np.arange(20) % 2
    for selector in (ManiFeSt(3, block=10), ManiFeStSet(3, block=10, n_permutations=1)):

        def scores(state, selector=selector):
            fitted = selector.set_params(random_state=state).fit(X, y)
            return getattr(fitted, "relevance_", fitted.scores_)

        state = np.random.RandomState(5)
        first, second = scores(state), scores(state)
        assert (first != second).any()
        np.testing.assert_array_equal(first, scores(np.random.RandomState(5)))
        np.testing.assert_array_equal(first, scores(np.random.RandomState(5).randint(2**31 - 1)))
        np.random.seed(5)  # noqa: NPY002
        np.testing.assert_array_equal(first, scores(None))


@pytest.mark.parametrize("of", [ManiFeSt, ManiFeStSet])
def test_weights_of_samples_are_refused(data, of):
    for fit in (of(3).fit, of(3).fit_transform):
        with pytest.raises(TypeError, match="sample_weight"):
            fit(*data, sample_weight=np.ones(60))
