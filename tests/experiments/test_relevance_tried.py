"""The forms of the relevance that were tried: the script's are the package's, and its table's."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from manifest.relevance import calibrated_relevance
from scripts import relevance_tried as tried
from scripts.relevance_forms import (
    Form,
    Training,
    accuracies,
    chosen,
    problem,
    relevance,
    sizes,
    unexplained,
)
from tests.commands import ROOT


def test_the_form_without_options_is_that_of_the_package():
    for name, aggregate in (("digits49", "max"), ("wine", "max"), ("wine", "sum")):
        given, form = problem(name, 50, 0), Form(aggregate=aggregate)
        training = Training(given.X, given.y)
        theirs = calibrated_relevance(training.X, given.y, aggregate=aggregate)
        np.testing.assert_allclose(
            relevance(training, form), theirs.relevance, atol=1e-5 * theirs.relevance.max()
        )
        order = np.argsort(theirs.steps, kind="stable")
        np.testing.assert_array_equal(chosen(training, form)[:10], order[:10])


def test_a_problem_of_the_table_is_what_the_script_gives(tmp_path):
    table = pd.read_csv(ROOT / "results" / "relevance" / "tried.csv", index_col=0)
    assert list(table.index) == list(tried.FORMS)
    problems = table[list(tried.TWO_CLASSES)]
    np.testing.assert_allclose(problems.mean(axis=1), table["mean"], atol=1e-4)
    arguments = SimpleNamespace(store=tmp_path, splits=tried.SPLITS, home=None)
    forms = {words: tried.FORMS[words] for words in ("ReliefF (k = 10)", tried.TAKEN)}
    rows = tried.computed(accuracies, ["wine01"], arguments, forms=forms)
    for words in forms:
        # Another processor may order two features of nearly equal scores otherwise.
        assert abs(rows[words].mean() - table.loc[words, "wine01"]) < 2e-3, words


def test_the_closed_form_of_the_null_is_what_permutations_give():
    rng, y = np.random.default_rng(0), np.arange(200) % 2
    training = Training(rng.normal(size=(200, 30)), y)
    training.permuted = [rng.permutation(y) for _ in range(60)]
    for factor in (0.5, 1.0, 2.0):
        null = np.array(
            [training.parts("values", ("permuted", i), factor).mean["max"] for i in range(60)]
        )
        mean, deviation = training.analytic(factor)
        np.testing.assert_allclose(null.mean(), mean.mean(), rtol=0.06)
        np.testing.assert_allclose(null.std(), deviation.mean(), rtol=0.1)


def test_the_stop_rule_takes_the_planted_features_of_many_samples():
    found = sizes("shifts", 200, 0)
    assert found["found"] == found["right"] == 1.0
    assert found["features"] == 10
    # The gains multiply to the determinant.
    A = np.random.default_rng(0).normal(size=(6, 8))
    S = A @ A.T
    S /= np.sqrt(np.outer(np.diag(S), np.diag(S)))
    np.testing.assert_allclose(np.prod(unexplained(S)), np.linalg.det(S))
