"""Scores in the store: those of a grid computed at once, stored as if each had been alone."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.cache import Cache, key_of
from experiments.evaluation.methods import Method, Part, resolve
from experiments.evaluation.tasks import flagged_scores, rank, stored_scores
from tests.experiments import scorers

HERE = "tests.experiments.scorers"
POWERED = f"{HERE}:powered"
AXES = {"split": 3}


def tuned(call, fixed=None, **grid):
    return Method(call, call, (Part("own", call, fixed or {}, grid),))


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 7)), np.arange(30) % 2


@pytest.fixture
def store(tmp_path):
    scorers.CALLS.clear()
    return Cache(str(tmp_path))


def stored(store, method, parameters):
    together = [method.identity(each) for each in method.grid_siblings(parameters)]
    return store.remembers(key_of("scores", method.scorers(), axes=AXES, method=together))


def score(method, samples, parameters, store):
    X, y = samples
    return stored_scores(method, X, y, parameters, store, AXES)


def check(store, samples, method):
    """Stored scores of every candidate are those of the method."""
    X, y = samples
    for candidate in method.candidates():
        row = score(method, samples, candidate, store)
        np.testing.assert_array_equal(row["scores"], method.scores(X, y, candidate))


def test_one_candidate_brings_all_those_that_are_scored_at_once(store, samples):
    X, y = samples
    method = tuned(POWERED, power=[1, 2, 3], shift=[0, 5])
    parameters = {"own": {"power": 2, "shift": 5}}
    row = score(method, samples, parameters, store)
    np.testing.assert_array_equal(row["scores"], method.scores(X, y, parameters))
    for candidate in method.candidates():
        assert stored(store, method, candidate) == (candidate["own"]["shift"] != 0)
    check(store, samples, method)
    assert scorers.CALLS == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("name", ["relieff", "relieff_scaled", "ig", "ig_ross"])
def test_the_papers_grids_are_scored_at_once_as_if_alone(compose, store, samples, name):
    X, y = samples
    (method,) = resolve(compose("experiment=colon", f"method={name}", "profile=paper"))
    candidates = method.candidates()
    assert method.grid_siblings(candidates[4]) == candidates
    score(method, samples, candidates[4], store)
    for candidate in candidates:
        assert stored(store, method, candidate)
        scores = score(method, samples, candidate, store)["scores"]
        np.testing.assert_array_equal(scores, method.scores(X, y, candidate))


def test_others_are_scored_alone(store, samples):
    for method in (
        tuned(POWERED, {"other": 1}, power=[1, 2]),  # an unknown keyword
        tuned(POWERED, {"power": 2}, shift=[0, 1]),  # another parameter
        tuned("laplacian", percentile=[5, 50]),  # no grid function
        tuned("anova"),
    ):
        for candidate in method.candidates():
            assert method.grid_siblings(candidate) == [candidate]
        check(store, samples, method)
        assert scorers.CALLS == []


def test_the_parts_of_a_sum_are_scored_at_once(store, samples):
    part = Part("own", POWERED, {}, {"power": [1, 2, 3]})
    check(store, samples, Method("sum", "sum", (part, Part("anova", "anova", {}, {}))))
    assert scorers.CALLS == [[1, 2, 3]]


def warns_of_its_own(X, y):
    """A scorer with a warning that is no flag."""
    warnings.warn("these features are strange", RuntimeWarning, stacklevel=1)
    return X.mean(axis=0)


def test_a_warning_is_a_flag_of_its_candidate_or_reaches_the_user(store, samples):
    X, y = samples
    method = tuned(f"{HERE}:ambiguous_at_two", power=[1, 2, 3])
    for candidate in method.candidates():
        row = score(method, samples, candidate, store)
        (flagged,) = flagged_scores(method, X, y, [candidate])
        np.testing.assert_array_equal(row["scores"], flagged["scores"])
        assert row["ambiguous"] == flagged["ambiguous"] == (candidate["own"]["power"] == 2)
    method = tuned(f"{__name__}:warns_of_its_own")
    for scored in (
        lambda: flagged_scores(method, X, y, [{"own": {}}])[0],
        lambda: score(method, samples, {"own": {}}, store),
    ):
        with pytest.warns(RuntimeWarning, match="these features are strange"):
            row = scored()
        assert not row["ambiguous"]
        assert not row["uninformative"]


@given(values=st.lists(st.integers(-9, 9), min_size=1), seed=st.integers(0, 99), data=st.data())
def test_rounding_changes_no_ranking_and_the_seed_draws_the_order_of_ties(values, seed, data):
    scores, n = np.array(values, dtype=float), len(values)
    noise = data.draw(st.lists(st.floats(-1e-12, 1e-12), min_size=n, max_size=n))
    order = rank(scores, np.random.default_rng(seed))
    assert (np.diff(scores[order]) <= 0).all()
    perturbed = scores + np.abs(scores).max() * np.array(noise)
    np.testing.assert_array_equal(rank(perturbed, np.random.default_rng(seed)), order)


def test_all_orders_of_ties_are_as_likely():
    first = [rank([1.0, 1 + 1e-12, 0.5], np.random.default_rng(seed))[0] for seed in range(400)]
    assert abs(np.mean(first) - 0.5) < 0.1
