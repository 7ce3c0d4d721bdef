"""Few samples of each class rank and train, all others test, on digits."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from baselines import random_choice
from experiments.evaluation.rows import rows_per_class
from experiments.evaluation.svm.evaluators import held_out_accuracy
from tests.experiments.kinds.conftest import DIGITS, assert_refused


@given(counts=st.lists(st.integers(4, 30), min_size=2, max_size=5), split=st.integers(0, 9))
def test_a_draw_has_as_many_of_each_class_and_tests_on_all_others(counts, split):
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    train, test = rows_per_class(y, "fp", 0, split, 3)
    assert np.bincount(y[train]).tolist() == [3] * len(counts)
    assert sorted([*train, *test]) == list(range(len(y)))
    np.testing.assert_array_equal(rows_per_class(y, "fp", 0, split, 3)[0], train)
    many = np.arange(1000) % 10
    other = rows_per_class(many, "fp", 0, split + 1, 20)[0]
    assert not np.array_equal(rows_per_class(many, "fp", 0, split, 20)[0], other)


def test_the_accuracy_of_chunks_is_that_of_an_svm(monkeypatch):
    monkeypatch.setattr("experiments.evaluation.svm.evaluators.ROWS", 37)
    rng, train, test = np.random.default_rng(0), np.arange(150), np.arange(150, 300)
    for n_classes, C, gamma in itertools.product((2, 10), (0.1, 8.0), (0.05, 1.0)):
        y = rng.integers(n_classes, size=300)
        X = rng.normal(size=(300, 5)) + y[:, None] * rng.normal(size=5) / 2
        expected = SVC(C=C, gamma=gamma).fit(X[train], y[train]).score(X[test], y[test])
        assert held_out_accuracy(X, y, train, test, C=C, gamma=gamma) == expected


def test_a_seed_gives_another_random_choice_and_nothing_prefers_a_feature():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(30, 400)), np.arange(30) % 2
    scores = np.array([random_choice(X, y, seed=seed) for seed in range(50)])
    assert (scores >= 0).all()
    assert (scores < 1).all()
    # Binary features with as many ones each are told apart.
    assert len(np.unique(scores[0])) > 390
    # Means of 50 uniform numbers have the deviation 0.041.
    assert np.abs(scores.mean(axis=0) - 0.5).max() < 0.2
    assert abs(scores.mean() - 0.5) < 0.01
    assert np.abs(np.corrcoef(scores)[np.triu_indices(50, 1)]).max() < 0.3


def test_accuracies_are_means_over_draws_paired_with_the_first_method(result):
    tables = result(*DIGITS, "method=[manifest_max,anova]")
    table, rows = tables["accuracies"].set_index(["method", "n_features"]), tables["rows"]
    tests = rows.pivot(index="split", columns=["method", "n_features"], values="test")
    assert len(table) == 6
    assert table["accuracy"].to_dict() == pytest.approx(tests.mean().to_dict(), rel=1e-5)
    assert table["accuracy"].between(table["ci_low"], table["ci_high"]).all()
    means = tests.mean().unstack("method")
    differences = (means["manifest_max"] - means["anova"]).to_dict()
    told = table["difference"].unstack("method")["anova"].to_dict()
    assert told == pytest.approx(differences, rel=1e-4, abs=1e-6)


def test_what_makes_no_sense_is_refused(result):
    refused = {
        "protocol.n_per_class=1": "n_per_class must be at least 2",
        "protocol.test_size=0.1": "test_size must stay None .* the protocol accuracy",
        "protocol.tuning=[nested]": "tuning must stay",
    }
    assert_refused(refused, *DIGITS)
    refused = {"protocol.n_per_class=174": "class 8 of digits has 174"}
    assert_refused(refused, *DIGITS, "method=manifest_max", run=result)
