"""The parts of an own table's answer: divisions, groups, copies, scores, intervals."""

import io
from collections import defaultdict
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from omegaconf import OmegaConf
from scipy import stats
from scipy.special import expit
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.svm import SVC

from experiments.datasets import DataError, Dataset, load
from experiments.datasets.user_table import UserTable
from experiments.evaluation.methods import Method, Part
from experiments.evaluation.moderated import p_and_q
from experiments.evaluation.sources import Samples
from experiments.kinds.select import _features, judgement, samples
from experiments.kinds.select.answer import warnings_of
from experiments.kinds.select.differ import differences
from experiments.kinds.select.features import duplicates, groups_of, suspicions
from experiments.kinds.select.files import files, wrapped
from experiments.kinds.select.judgement import Judged
from experiments.kinds.select.procedure import (
    Design,
    Settings,
    divided,
    judged,
    permuted,
    ranked,
    without,
)
from experiments.kinds.select.svm import class_scores
from experiments.report.pages import told
from tests.experiments.kinds.conftest import assert_refused

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], [12, 8])
X = RNG.normal(size=(20, 6))
SETTINGS = Settings((1, 2, 6), (1.0, 16.0), (0.25,), 3, 2, 100, None, 0.95)
ANOVA: list = [(Method("anova", "ANOVA", (Part("anova", "anova", {}, {}),)), {"anova": {}})]


def design(table, missing=None, groups=None, **changed):
    """A design of ANOVA on 20 samples; without groups and covariates if they are not given."""
    source = SimpleNamespace(fingerprint="given", samples=lambda: Samples(table, Y))
    groups, none = np.arange(20) if groups is None else groups, np.empty((20, 0))
    own = Design(source, ANOVA, groups, None, none, missing, "standard", 0, SETTINGS)
    return replace(own, **changed)


@pytest.mark.parametrize(
    ("missing", "scaling"), [(None, "standard"), ("median", "standard"), ("drop", "none")]
)
def test_test_rows_choose_nothing(missing, scaling):
    """Whatever stands in them, the choice of a split and the ranking stay to the last bit."""
    table = X.copy()
    if missing is not None:
        table[[0, 5], 2] = np.nan
    how = {"missing": missing, "scaling": scaling, "covariates": RNG.normal(size=(20, 1))}
    one = judged(design(table, **how), None, 0)
    other = table.copy()
    other[one["test"]] = 1e3 * RNG.normal(size=(len(one["test"]), 6))
    again = judged(design(other, **how), None, 0)
    for name in ("test", "validation", "best", "smallest", "n_differing"):
        np.testing.assert_array_equal(one[name], again[name])


def test_every_sample_is_tested_once_a_loop_and_groups_stay_together():
    groups = np.arange(20) // 2
    for split in (0, 3):
        rows = [judged(design(X, groups=groups), None, split + k)["test"] for k in range(3)]
        assert sorted(np.concatenate(rows)) == list(range(20))
        parts = [set(groups[part]) for part in rows]
        assert not parts[0] & parts[1]
        assert not parts[1] & parts[2]
    for train, test in divided(Y, np.arange(20), 4, 0):
        assert np.bincount(Y[test]).tolist() == [3, 2]
        assert not set(train) & set(test)


def test_labels_are_permuted_as_far_as_groups_allow():
    rng, none = np.random.default_rng(0), np.empty((20, 0))
    assert np.bincount(permuted(Y, np.arange(20), rng, none)).tolist() == [12, 8]
    pairs = np.arange(20) // 2  # each pair has one class: pairs exchange theirs
    mixed = np.arange(20) % 4  # all four have both classes: they are shuffled inside
    for covariates in (none, rng.normal(size=(20, 2))):
        new = permuted(Y, pairs, rng, covariates)
        assert (new[::2] == new[1::2]).all()
        assert not np.array_equal(new, Y)
        new = permuted(Y, mixed, rng, covariates)
        for group in range(4):
            assert new[mixed == group].sum() == Y[mixed == group].sum()


def test_shuffled_labels_go_with_a_covariate_as_the_own_ones_do():
    """An association stays, and none is made; pairs of classes exchange by their odds."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    batch = (rng.random(120) < np.array([0.2, 0.5, 0.8])[y]).astype(float)[:, None]
    for given, least, most in ((batch, 0.1, 0.6), (rng.normal(size=(120, 1)), -0.2, 0.2)):
        shuffled = [permuted(y, np.arange(120), rng, given) for _ in range(40)]
        assert all(np.bincount(new).tolist() == [40, 40, 40] for new in shuffled)
        found = [np.corrcoef(new, given[:, 0])[0, 1] for new in shuffled]
        assert least < np.mean(found) < most
        assert np.mean(found) == pytest.approx(np.corrcoef(y, given[:, 0])[0, 1], abs=0.15)
    # Of two labels the exchanged ones are seen as often as their odds say.
    y, given = np.array([0, 1] * 30), np.tile([[0.0], [1.0]], (30, 1))
    given[:12] = given[:12][::-1]
    pairs = np.arange(60) // 2
    new = np.array([permuted(y, pairs, rng, given) for _ in range(100)])
    share = (new[:, 1::2] == 1).mean(axis=0)
    odds = LogisticRegression(C=1e3, max_iter=1000).fit(given, y).coef_[0, 0]
    steps = given[1::2, 0] - given[::2, 0]
    np.testing.assert_allclose(share, expit(odds * steps), atol=0.2)


def test_covariates_leave_nothing_of_what_follows_them():
    covariates, train = RNG.normal(size=(20, 2)), np.arange(15)
    table = np.column_stack([covariates @ [2.0, -1.0] + 5, X[:, 0]])
    left = without(table, covariates, train)
    np.testing.assert_allclose(left[:, 0], 0, atol=1e-12)
    np.testing.assert_allclose(covariates[train].T @ left[train, 1], 0, atol=1e-12)


def test_a_feature_without_spread_inside_the_classes_hides_no_order_of_the_others():
    table = np.column_stack([X, Y])
    by_f = np.argsort(-f_classif(X, Y)[0])
    ranking = ranked(design(table), table, Y, np.arange(20), (0,)).orders[0]
    np.testing.assert_array_equal(ranking, [6, *by_f])


def test_the_scores_are_those_of_weighted_svms():
    """Rows that count twice are rows of twice the cost."""
    y = np.array([0] * 12 + [1] * 3)
    table, train, test = X[:15], np.arange(0, 15), np.arange(5)
    squared = ((table[:, None] - table) ** 2).sum(axis=2)
    for labels, weight in ((y, 4), (np.array([0] * 9 + [1] * 6), 1)):
        (found,) = class_scores(squared, labels, train, test, 2, (2.0,), (0.1,))
        svm = SVC(C=2.0, gamma=0.1, class_weight={0: 1, 1: weight}).fit(table, labels)
        wanted = svm.decision_function(table[test])
        np.testing.assert_array_equal(found.argmax(axis=1), wanted > 0)
        expected = np.sign(wanted) + 2 * wanted / (3 * (np.abs(wanted) + 1))
        np.testing.assert_allclose(found[:, 1] - found[:, 0], expected, atol=2e-3)
    three = np.arange(15) % 3
    (found,) = class_scores(squared, three, train, test, 3, (2.0,), (0.1,))
    np.testing.assert_array_equal(
        found.argmax(axis=1), SVC(C=2.0, gamma=0.1).fit(table, three).predict(table[test])
    )


def test_the_smallest_set_is_the_smallest_within_one_error():
    """It is never better than the best; a number that is asked for is taken."""
    many = Settings((1, 2, 3, 6), (1.0, 16.0), (0.25,), 3, 3, 100, None, 0.95)
    table = X.copy()
    table[:, :3] += 1.5 * Y[:, None]
    row = judged(design(table, settings=many), None, None)
    validation = row["validation"].reshape(3, 4)
    best, smallest = validation[tuple(row["best"])], validation[tuple(row["smallest"])]
    assert smallest <= best == np.nanmax(validation[[0, 2]])
    assert sorted(row["orders"]) == list(range(6))
    two = Settings((1, 2, 6), (1.0,), (0.25,), 3, 3, 100, 2, 0.95)
    fixed = judged(design(table, settings=two), None, None)
    assert fixed["smallest"].tolist() == fixed["best"].tolist() == [0, 1]


def test_a_set_has_no_feature_that_gaps_leave_out():
    """Four of six features have a gap, so that no split ranks all of them."""
    table = X.copy()
    table[[0, 3, 6, 13], [2, 3, 4, 5]] = np.nan
    for split in (None, 0, 1, 2):
        row = judged(design(table, "drop"), None, split)
        train = np.setdiff1d(np.arange(20), row["test"])
        n_kept = np.isfinite(table[train]).all(axis=0).sum()
        for ranking, size in (row["best"], row["smallest"]):
            assert ranking == 2 or SETTINGS.sizes[size] <= n_kept < 6


def test_samples_of_a_named_group_count_once_in_the_splits():
    groups = np.arange(20) // 2
    own = design(X, groups=groups)
    found = ranked(replace(own, named=groups), X, Y, np.arange(20), ("test",))
    means = X.reshape(10, 2, 6).mean(axis=1)
    scale = X.std(axis=0)
    np.testing.assert_allclose(found.p, p_and_q(means / scale, Y[::2])[0], rtol=1e-8)
    constant = replace(own, named=np.arange(20) % 4, covariates=Y[:, None].astype(float))
    assert (ranked(constant, X, Y, np.arange(20), ("test",)).p == 1).all()


def test_few_arrangements_of_the_classes_are_told():
    pairs = np.arange(16) // 2
    four = np.repeat([0, 1], 8)
    assert "in 70 ways alone" in samples.notes_on_arrangements(four, pairs, 19)[0]
    mixed = np.tile([0, 1], 5)
    assert "in 32 ways alone" in samples.notes_on_arrangements(mixed, np.arange(10) // 2, 19)[0]
    assert not samples.notes_on_arrangements(Y, np.arange(20), 19)
    twelve = np.repeat([0, 1], 6)  # 924 ways: too few for 99 shuffles, enough for 19.
    assert not samples.notes_on_arrangements(twelve, np.arange(12), 19)
    assert samples.notes_on_arrangements(twelve, np.arange(12), 99)


def test_accuracies_and_areas_are_those_of_scikit_learn():
    for n_classes in (2, 3):
        truth = RNG.integers(0, n_classes, 40)
        scores = RNG.normal(size=(40, n_classes)) + np.eye(n_classes)[truth]
        predicted = scores.argmax(axis=1)
        one = Judged([truth], [predicted], [scores])
        found = judgement.balanced_accuracy(one, n_classes)
        assert found == pytest.approx(balanced_accuracy_score(truth, predicted)), n_classes
        values = scores.T if n_classes > 2 else [scores[:, 0] - scores[:, 1]]
        areas = [roc_auc_score(truth == label, own) for label, own in enumerate(values)]
        assert judgement.roc_auc(one, n_classes) == pytest.approx(np.mean(areas)), n_classes


def test_intervals_are_wilsons_and_shrink_with_samples():
    low, high = judgement.wilson(0.8, 50)
    known = stats.binomtest(40, 50).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((known.low, known.high))
    one, other = np.array([0.9, 0.7]), np.array([20.0, 30.0])
    low, high = judgement.balanced_interval(one, other)
    closer = judgement.balanced_interval(one, 4 * other)
    assert 0 <= low < closer[0] < 0.8 < closer[1] < high <= 1
    assert judgement.balanced_interval(one, other) == pytest.approx(
        judgement.balanced_interval(one[::-1], other[::-1])
    )
    low, high = judgement.auc_interval(1.0, other)
    assert 0.5 < low < high == 1
    for high, share in ((1.0, 0.8), (0.6, 1.0)):
        assert judgement.with_all_samples(high, share) == pytest.approx(high)
    # An error of c / n with 80 samples is c / 100 with 100.
    for c in (2.0, 10.0, 40.0):
        assert judgement.with_all_samples(1 - c / 80, 0.8) == pytest.approx(1 - c / 100)
    # A single division of half the samples has the error of its test half, and of its training.
    assert judgement.effective_share(1, 50, 50) == pytest.approx(0.25)


def test_p_is_never_below_what_the_shuffles_can_show():
    assert judgement.permutation_p(np.nan, [0.5, 0.4, 0.6]) == 1
    assert judgement.permutation_p(1.0, [0.5] * 19) == pytest.approx(0.05)
    assert judgement.permutation_p(0.5, [0.5, 0.4, 0.6]) == pytest.approx(0.75)


def test_equal_rows_and_groups_stay_together():
    table = X.copy()
    table[3] = table[17]
    names = [f"s{i}" for i in range(20)]
    found, notes = samples.together(table, Y, None, names)
    assert found[3] == found[17]
    assert len(set(found)) == 19
    assert "2 samples are equal" in notes[0]
    assert "s3" in notes[0]
    assert any("check their labels" in note for note in notes) == (Y[3] != Y[17])
    contradict = np.where(np.arange(20) == 3, 1 - Y[17], Y)
    assert "1 sets of equal" in samples.together(table, contradict, None, names)[1][1]
    groups = [str(i // 4) for i in range(20)]
    found, _ = samples.together(table, Y, groups, names)
    assert len(set(found)) == 4  # the equal rows join two groups
    assert found[0] == found[3] == found[17] == found[16]


def test_rows_that_are_equal_by_chance_are_samples_of_their_own():
    """Tables of few values have equal rows; copies of rows are more than chance makes."""
    rng = np.random.default_rng(0)
    names = [f"s{i}" for i in range(200)]
    steps = np.clip(np.round(3 + rng.normal(size=(200, 1)) + 0.7 * rng.normal(size=(200, 8))), 1, 5)
    kinds = [np.eye(5)[rng.integers(0, 5, 200)] for _ in range(4)]
    by_chance = {
        **{f"{d} of yes and no": rng.random((200, d)) > 0.5 for d in (2, 4, 8)},
        "mutations": rng.random((200, 50)) > 0.98,
        "answers that go together": steps,
        "one feature for each category": np.hstack(kinds),
        "a feature twice": np.repeat(rng.random((200, 1)) > 0.5, 2, axis=1),
    }
    for called, table in by_chance.items():
        one = np.zeros(200, dtype=int)
        found, (note,) = samples.together(table.astype(float), one, None, names)
        assert len(set(found)) == 200, called
        assert "each counts as a sample of its own" in note
        y = rng.integers(0, 2, 200)
        assert not np.array_equal(permuted(y, found, rng, table[:, :0]), y)
    yes = rng.random((100, 4)) > 0.5
    copied = {
        "a number": rng.normal(size=(100, 2)),
        "years of age beside yes and no": np.column_stack([yes, rng.integers(20, 80, 100)]),
        "variants": rng.binomial(2, 0.3, (100, 20)),
    }
    for called, table in copied.items():
        twice = np.vstack([table, table]).astype(float)
        found, (note,) = samples.together(twice, np.zeros(200, dtype=int), None, names)
        assert np.array_equal(found[:100], found[100:]), called
        assert "stay on one side" in note


def first_answer(table, y, groups, covariates=None, n_pairs=20):
    names = {int(c): f"c{c}" for c in np.unique(y)}
    given = UserTable("a", table, y, names, "a", "drawn")
    covariates = np.empty((len(y), 0)) if covariates is None else covariates
    return differences(given, groups, covariates, n_pairs, 0)


def test_samples_of_a_group_are_no_evidence_of_their_own():
    """Groups of one class are averaged; groups of two classes are paired samples."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(20), 4)
    table = rng.normal(size=(20, 40))[groups] + 0.5 * rng.normal(size=(80, 40))
    means, age = table.reshape(20, 4, 40).mean(axis=1), rng.normal(size=(20, 1))
    own, single = np.arange(20) % 2, np.arange(20)
    found, facts = first_answer(table, own[groups], groups, age[groups])
    wanted, _ = first_answer(means, own, single, age)
    assert (facts["n_rows"], facts["n_mixed"]) == (20, 0)
    for name in ("effect", "deviations", "p_value", "q_value", "p_rank", "frequency"):
        np.testing.assert_allclose(found[name], wanted[name], err_msg=name)
    by_sample = first_answer(table, own[groups], np.arange(80))[0]["p_value"]
    assert (by_sample < 0.05).mean() > 0.2 > (wanted["p_value"] < 0.05).mean()
    pairs = np.repeat(np.arange(20), 2)
    found, facts = first_answer(table[::2], np.tile([0, 1], 20), pairs)
    assert (facts["n_mixed"], facts["rank_test"]) == (20, "Quade")
    differ = table[2::4] - table[::4]
    np.testing.assert_allclose(found["effect"], differ.mean(axis=0))
    one = first_answer(table[::2, :1], np.tile([0, 1], 20), pairs)[0]["p_value"][0]
    assert one == pytest.approx(stats.ttest_1samp(differ[:, 0], 0).pvalue)
    # Two sites have one division into halves: nothing is stable by it.
    for n_sites, is_judged in ((2, False), (5, False), (8, True)):
        facts = first_answer(table, np.arange(80) // 2 % 2, np.arange(80) * n_sites // 80)[1]
        assert (facts["threshold"] is not None) == is_judged
    with pytest.raises(DataError, match="a class follows from the others or from the covariates"):
        samples.compared(X, Y, np.arange(20) % 10, np.column_stack([Y]).astype(float))
    with pytest.raises(
        DataError, match="are 20 columns of a linear model, and 20 samples leave no"
    ):
        samples.covariates({f"k{i}": list(rng.normal(size=20)) for i in range(18)}, Y)


def test_the_first_question_says_what_groups_do():
    y, rows = np.arange(20) % 2, [f"p{i // 4}" for i in range(20)]
    (told,) = samples.notes_on_groups(y, np.arange(20), None, rows, "patient")
    assert told.startswith("row names repeat (5 in 20 rows); dataset.groups=patient keeps")
    (told,) = samples.notes_on_groups(y, np.arange(20) // 2, "patient", rows, "patient")
    assert "10 of 10 groups have samples of two classes" in told
    (told,) = samples.notes_on_groups(y, np.arange(20) % 4, "patient", rows, "patient")
    assert told == "tests of single features compare the means of the groups (4)"
    given = UserTable("a", X, y, {0: "no", 1: "yes"}, "a", "drawn", groups=tuple("abab" * 5))
    config = OmegaConf.create({"protocol": {"n_features": None}, "dataset": {"groups": "patient"}})
    with pytest.raises(DataError, match=r"class 'no' has 1 group \(patient\); statistics"):
        samples.checked(config, given)


def test_features_that_cannot_be_tested_are_never_stable():
    """Rare mutations without signal: constants and equal p do not pass by their place."""
    rng = np.random.default_rng(1)
    table, y = (rng.random((20, 200)) > 0.995).astype(float), np.arange(20) % 2
    found, facts = first_answer(table, y, np.arange(20))
    is_constant = np.ptp(table, axis=0) == 0
    assert facts["n_tested"] == (~is_constant).sum() < 100
    assert (found["frequency"][is_constant] == 0).all()
    assert not found["is_stable"].any()


def test_values_that_a_user_should_look_at_are_told():
    names = list("abcdef")
    gaps = X.copy()
    gaps[Y == 1, 2] = np.nan
    gaps[::2, 3] = np.nan
    (told,) = samples.notes_on_gaps(gaps, Y, names)
    assert "gaps in c go with the class" in told
    three = np.repeat([0, 1, 2], [7, 7, 6])
    gaps = np.where((three == 2)[:, None] & (np.arange(6) == 4), np.nan, X)
    assert "gaps in e go" in samples.notes_on_gaps(gaps, three, names)[0]
    assert samples.notes_on_gaps(X, Y, names) == []
    counts = np.exp(9 + X).round()
    mixed = np.column_stack([counts[:, :4], X[:, 4:]])  # Two features are no counts.
    assert "all values are whole numbers" in samples.notes_on_values(counts, None, names)[0]
    assert "of 4 features are whole numbers" in samples.notes_on_values(mixed, None, names)[0]
    wide = np.column_stack([np.exp(4 * X[:, 0]), X[:, 1:]])
    (told,) = samples.notes_on_values(wide, None, names)
    assert told.startswith("a spans three decades")
    assert samples.notes_on_values(X, None, names) == []


def test_transforms_are_functions_of_a_sample():
    table = np.abs(X) + 0.5
    names = list("abcdef")
    for how, function in (("log1p", np.log1p), ("log2", np.log2)):
        np.testing.assert_array_equal(samples.transformed(table, how, names), function(table))
    ranks = samples.transformed(table, "rank", names)
    np.testing.assert_array_equal(ranks, samples.transformed(np.exp(table), "rank", names))
    np.testing.assert_array_equal(ranks[:5], samples.transformed(table[:5], "rank", names))


def test_what_the_kind_does_not_do_is_refused():
    wrong = {"near": 1.5, "n_resamples": 1, "inner_folds": 1, "sizes": [3, 2], "first": 5}
    refused = {f"protocol.{key}={value}": rf"protocol\.{key}" for key, value in wrong.items()}
    assert_refused(refused, "experiment=select")


def test_duplicates_name_the_first_and_groups_are_led_by_the_best_of_near_copies():
    table = X[:, [0, 1, 0, 2, 1, 0]]
    assert duplicates(table).tolist() == [-1, -1, 0, -1, 1, 0]
    table = np.column_stack([X[:, 0], -2 * X[:, 0] + 1e-3 * X[:, 1], X[:, 2], np.ones(20)])
    assert groups_of(table, Y, [1, 2, 0, 3], 0.95).tolist() == [1, 1, 2, 3]
    assert groups_of(table, Y, [0, 1, 2, 3], 0.95).tolist() == [0, 0, 2, 3]


def test_markers_that_the_class_alone_correlates_are_no_copies():
    markers = X[:, :2] + 30 * Y[:, None]
    assert np.corrcoef(markers.T)[0, 1] > 0.95
    shifted = markers[:, [0]] + 60 * Y[:, None]  # A copy within the classes that adds the class.
    perfect = np.column_stack([Y, -Y, markers, -markers[:, 0], shifted])
    found = groups_of(perfect, Y, np.arange(6), 0.95).tolist()
    assert found[:5] == [0, 0, 2, 3, 2]
    mirrored = np.column_stack([X, -X[:, 0]])
    (order, *_) = ranked(design(mirrored), mirrored, Y, np.arange(20), ("test",)).orders
    assert {*order[-1:].tolist()} <= {0, 6}


def test_the_best_ranked_of_equal_features_stands_for_them():
    table = np.column_stack([X[:, 0]] * 3 + [X[:, 1]])
    data = Dataset("a", table, Y, {0: "no", 1: "yes"}, "a", "drawn")
    whole = {"orders": np.array([2, 0, 1, 3]), "smallest": [0, 0], "sizes": [1], "names": ["anova"]}
    first = pd.DataFrame({"feature": list("wxyz"), "p_value": [0.1, 0.1, 0.1, 0.5]})
    made = _features(whole, first, data, 0.95)
    assert made["group"].tolist() == ["y", "y", "y", "z"]
    assert made["stands_for"].tolist() == ["", "", "w; x", ""]
    assert made["rank_anova"].tolist() == made["rank"].tolist() == [2, 3, 1, 4]
    assert made["chosen"].tolist() == [False, False, True, False]


def test_features_that_are_too_good_are_suspicious():
    table = np.column_stack([np.where(Y, 5.0, -5.0) + 0.1 * X[:, 0], X[:, 1], np.arange(20.0)])
    told = suspicions(table, Y, np.arange(20))
    assert told[0] == "separates the classes alone"
    assert told[1] == ""
    assert "follows the order of the rows" in told[2]
    both = pd.DataFrame({"feature": list("abc"), "warning": [told[0], told[1], told[0]]})
    (said,) = warnings_of(both, [12, 8])
    assert said.startswith("a, c: separate the classes alone; check that they are not another")


def test_a_line_break_in_a_name_ends_no_sentence():
    differ: dict[str, Any] = {
        "n_tested": 3,
        "untested": [],
        "threshold": 0.6,
        "n_selected": 2,
        "n_pairs": 25,
        "expected_false": 0.2,
    }
    plain, broken = (
        told("differences.txt", {"n_all": 3, "differ": {**differ, "features": of, "stable": of}})
        for of in (["a b", "c"], ["a\n \n\rb", "c\u2028\n"])
    )
    assert broken == plain
    assert len(plain) == 2
    none = {**differ, "features": [], "stable": [], "n_tested": 0, "untested": ["a", "b", "c"]}
    facts = {"n_all": 3, "adjust": [], "differ": {**none, "n_mixed": 0}}
    first, second = told("differences.txt", facts)[:2]
    assert first == "No feature can be tested."
    assert second.startswith("3 features cannot be tested (a, b, c), with")
    assert not any(line.endswith("-") for line in wrapped("HLA-A " * 60).splitlines())


def test_the_classes_of_a_page_are_the_last_column_whatever_features_are_called(tmp_path):
    names = [" class", "  class", "a"]
    frame = pd.DataFrame(X[:, :3], columns=names).assign(status=Y)
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    data = samples.as_table(load("file", path=tmp_path / "a.parquet", target="status"))
    answer: dict[str, Any] = defaultdict(dict, chosen=["a"], target="status", paragraph="")
    answer |= {"sets": {"all": []}, "ranking": {"label": "", "is_all": False}}
    made = files(data, answer, pd.DataFrame({"feature": names}), None)
    values = pd.read_csv(io.BytesIO(made["values.csv"]))
    assert values.columns[:-1].tolist() == names
    np.testing.assert_array_equal(values[names], frame[names])
    assert values.iloc[:, -1].tolist() == Y.tolist()
