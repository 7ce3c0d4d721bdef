"""ManiFeSt as a citizen of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from manifest import ManiFeSt, manifest_score
from manifest.relevance import calibrated_relevance
from tests.cases import over


@pytest.mark.filterwarnings("ignore::manifest.AmbiguousScoreWarning")
@pytest.mark.filterwarnings("ignore::manifest.UninformativeScoreWarning")
@over(
    "estimator",
    [
        ManiFeSt(),
        ManiFeSt(0.3, geometry="auto"),
        ManiFeSt(aggregate="sum", multiclass="ovo"),
        ManiFeSt(criterion="set", n_permutations=1),
    ],
)
def test_scikit_learn_accepts_the_estimator(estimator):
    checks = check_estimator(estimator, on_skip=None, on_fail=None)
    assert [each for each in checks if each["status"] not in ("passed", "skipped")] == []
    assert {each["check_name"] for each in checks if each["status"] == "skipped"} <= {
        "check_array_api_input"
    }
    assert len(checks) > 40


@pytest.fixture
def data():
    """Two features whose product tells the class, among noise, with names."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 20)) + 0.05 * rng.normal(size=(60, 20))
    y = np.where((X[:, 3] > 0.5) != (X[:, 8] > 0.5), "b", "a")
    return pd.DataFrame(X, columns=[f"gene{i}" for i in range(20)]), y


def test_keeps_as_many_as_asked_and_the_best(data):
    cases = [(1, 1), (7, 7), (20, 20), (0.3, 6), (1e-9, 1), (1.0, 20), ("all", 20)]
    for wanted, kept in cases:
        selector = ManiFeSt(wanted).fit(*data)
        support, scores = selector.get_support(), selector.scores_
        assert support.sum() == kept, wanted
        assert scores[support].min() >= scores[~support].max(initial=0), wanted
        np.testing.assert_array_equal(np.sort(selector.ranking_), np.arange(1, 21))
        assert (np.diff(scores[np.argsort(selector.ranking_)]) <= 0).all(), wanted


def test_an_impossible_number_ends_with_a_sentence(data):
    for wanted in (0, 21, -1, 0.0, 1.5, True, "some", None):
        with pytest.raises(ValueError, match=rf"integer in 1\.\.20.*got {wanted!r}$"):
            ManiFeSt(wanted).fit(*data)


def test_scores_are_the_functions_which_is_a_scorer_of_select_k_best(data):
    X, y = data
    kept = SelectKBest(manifest_score, k=5).fit(X, y).get_support()
    np.testing.assert_array_equal(kept, ManiFeSt(5).fit(X, y).get_support())
    selector = ManiFeSt(2, scale_factor=0.5, percentile=30, n_normalizations=1).fit(X, y)
    expected = manifest_score(X, y, scale_factor=0.5, percentile=30, n_normalizations=1)
    np.testing.assert_array_equal(selector.scores_, expected)
    np.testing.assert_array_equal(selector.classes_, ["a", "b"])


def test_finds_the_interacting_features_and_their_names(data):
    X, y = data
    selector = ManiFeSt(2, scale_factor=0.3).set_output(transform="pandas").fit(X, y)
    assert list(selector.get_feature_names_out()) == ["gene3", "gene8"]
    assert list(selector.transform(X).columns) == ["gene3", "gene8"]


def test_a_criterion_without_a_scale_is_a_choice_like_any_other(data):
    X, y = data
    X = X.assign(gene0=X["gene0"] + (y == "b"))
    of_set = ManiFeSt(3, criterion="set").fit(X, y)
    assert set(of_set.get_feature_names_out()) == {"gene0", "gene3", "gene8"}
    expected = calibrated_relevance(X, y)
    np.testing.assert_array_equal(of_set.scores_, expected.relevance)
    np.testing.assert_array_equal(np.argsort(of_set.ranking_), np.argsort(expected.steps))
    np.testing.assert_array_equal(of_set.parts_.association, expected.association)
    # Another criterion leaves nothing of the one before.
    assert not hasattr(of_set.set_params(criterion="score").fit(X, y), "parts_")
    pipeline = make_pipeline(ManiFeSt(3), SVC(C=10))
    grid = {"manifest__criterion": ["score", "relevance", "set"]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@over(
    ("given", "says"),
    [
        ({"criterion": "best"}, "criterion must be one of score, relevance, set, got 'best'"),
        (
            {"criterion": "set", "percentile": 5, "n_normalizations": 1},
            "no use for percentile and n_normalizations",
        ),
        ({"criterion": "set", "geometry": "spsd"}, "geometry must be 'regularized' or 'spd'"),
        ({"criterion": "relevance", "n_permutations": 0}, "n_permutations must be an integer >= 1"),
    ],
)
def test_what_a_criterion_cannot_use_is_refused(data, given, says):
    with pytest.raises(ValueError, match=says):
        ManiFeSt(2, **given).fit(*data)
