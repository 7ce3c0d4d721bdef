"""The two questions of an own table, without a run: what differs, and what can be predicted."""

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.pipeline import Pipeline

from experiments.datasets import DataError, Sample
from experiments.datasets.own.table import Table
from experiments.evaluation.methods import Method, Part
from experiments.table import predict
from experiments.table.differ import copies_of, differ, groups_of, separating
from experiments.table.predict import Design, evaluated, learned
from experiments.table.warned import like_groups, warnings_of

ANOVA = Method("anova", "ANOVA", (Part("anova", "anova", {}, {}),))


def samples(X, y, groups=None):
    """A table without a file."""
    names, rows = ([f"{a}{i}" for i in range(n)] for a, n in zip("xs", X.T.shape, strict=True))
    groups = None if groups is None else tuple(map(str, groups))
    about = {"feature_names": tuple(names), "row_names": tuple(rows), "groups": groups}
    return Table("t", X, np.array(y), dict(enumerate("abc"[: max(y) + 1])), "f", "own", **about)


def gaussian(*counts, d=6):
    """Standard normal values of so many samples of each class, and the classes."""
    X = np.random.default_rng(0).normal(size=(sum(counts), d))
    return X, np.repeat(np.arange(len(counts)), counts)


def first_answer(given):
    """The answer to the first question."""
    return differ(given, groups_of(given), within=given.groups is not None)


def is_warned(given, beginning):
    """Whether a warning of this table begins with these words."""
    told = warnings_of(given, first_answer(given), copies_of(given.X))
    return any(one.startswith(beginning) for one in told)


def assert_same_tests(one, other):
    """Effects and p are equal; the deviations of groups are those of all their samples."""
    own = [name for name in one if not name.startswith(("deviations", "by_chance"))]
    pd.testing.assert_frame_equal(one[own], other[own])


# The first question


def test_groups_of_one_class_count_by_their_means():
    X, y = gaussian(30, 30)
    found = first_answer(samples(X, y, np.arange(60) // 3 + 10))
    means = X.reshape(20, 3, 6).mean(axis=1)
    np.testing.assert_allclose(found.table["mean_a"], means[:10].mean(axis=0))
    assert_same_tests(found.table, first_answer(samples(means, y[::3])).table)


def test_groups_of_one_class_tell_nothing_within_groups():
    X, y, groups = gaussian(29)[0], [*[0, 1] * 13, 0, 1, 1], [*np.arange(26) // 2 + 10, 30, 31, 32]
    found, pairs = first_answer(samples(X, y, groups)), samples(X[:26], y[:26], groups[:26])
    assert_same_tests(found.table, first_answer(pairs).table)
    assert found.within == 13


def test_copies_count_once_and_equal_answers_in_words_are_no_copies():
    X, y = gaussian(10, 10)
    given = samples(np.vstack([X, X[:5]]), [*y, *y[:5]])
    found = first_answer(given)
    pd.testing.assert_frame_equal(found.table, first_answer(samples(X, y)).table)
    assert found.n_rows.sum() == 20
    assert is_warned(given, "10 samples are equal")
    assert_same_tests(first_answer(samples(given.X, given.y, np.arange(25))).table, found.table)
    assert len(np.unique(copies_of((gaussian(60, d=3)[0] > 0).astype(float)))) == 60
    gaps = np.vstack([X, X[:1]])
    gaps[[0, 20], 2] = np.nan
    assert copies_of(gaps)[0] == copies_of(gaps)[20]
    groups = groups_of(samples(gaps, [0] * 21, np.arange(21) // 7))
    np.testing.assert_array_equal(groups, np.repeat([0, 1, 0], 7))


def test_fewer_than_three_values_of_a_class_are_not_tested():
    """Nor is a separation warned of that chance makes of so few values."""
    X, y = gaussian(10, 38, d=8)
    X[1:10, 0], X[24:, 0] = np.nan, np.nan
    X[0, 0] = 9.0
    given = samples(X, y)
    table = first_answer(given).table
    assert table.loc[0, ["p_value", "q_value"]].isna().all()
    assert table["by_chance"][0] == pytest.approx(2 / 15)
    assert (table["n_a"][0], table["n_b"][0]) == (1, 14)
    assert not is_warned(given, "x0")
    X[:, 1] = y + X[:, 1] / 100
    assert is_warned(given, "x1: separates the classes alone")
    X[np.r_[2:10, 12:48]] = np.nan
    with pytest.raises(DataError, match="no feature can be tested"):
        first_answer(given)


@pytest.mark.parametrize("n", [5, 9, 15])
def test_rank_tests_are_those_of_scipy_feature_by_feature(n):
    """Exact ones, too, which a tie or a gap in another feature must not change."""
    X, pairs = gaussian(n, n, n, d=8)[0], np.repeat([0, 1], n)
    X[:, 1], X[:2, 2], X[-2:, 3], X[:, 4] = X[:, 1].round(), np.nan, np.nan, X[:, 4].round(1)
    for y, test in ((pairs, stats.mannwhitneyu), (np.arange(3 * n) % 3, stats.kruskal)):
        table = first_answer(samples(X[: len(y)], y)).table
        for j in range(8):
            values = X[: len(y), j]
            parts = [values[(y == c) & np.isfinite(values)] for c in np.unique(y)]
            assert table["p_rank"][j] == pytest.approx(test(*parts).pvalue, rel=1e-12)
    table = first_answer(samples(X[: 2 * n], pairs, np.arange(2 * n) % n)).table
    for j in range(8):
        apart = X[:n, j] - X[n : 2 * n, j]
        expected = stats.wilcoxon(apart[np.isfinite(apart)]).pvalue
        assert table["p_rank"][j] == pytest.approx(expected, rel=1e-12)


def test_deviations_are_those_of_samples_within_classes():
    """With clusters, pairs and covariates, too."""
    X, y = gaussian(30, 30)
    X, pairs = X + 5 * gaussian(30, d=6)[0][np.arange(60) % 30], np.arange(60) % 30
    expected = np.sqrt((X[:30].var(axis=0, ddof=1) + X[30:].var(axis=0, ddof=1)) / 2)
    for groups in (None, pairs, np.arange(60) // 3):
        table = first_answer(samples(X, y, groups)).table
        np.testing.assert_allclose(table["effect"] / table["deviations"], expected)
    X[:, 0] = y
    assert np.isnan(first_answer(samples(X, y)).table["deviations"][0])


def test_whole_numbers_of_one_class_each_and_a_copy_of_the_class_are_warned_of():
    """A feature that numbers twelve subjects, but no counts; the copy, also with few groups."""
    X, y = gaussian(30, 30)
    X[:, 1], X[:, 2], X[:, 3] = np.arange(60) // 5 + 40, np.arange(60) % 7, 3 * y
    assert like_groups(samples(X, y)) == ["x1"]
    assert is_warned(samples(X, y), "x1: whole numbers")
    in_groups = samples(X, y, np.arange(60) // 5)
    assert not is_warned(in_groups, "x1: whole numbers")
    assert is_warned(in_groups, "x1, x3: separates the classes alone")


def test_the_chance_to_separate_the_classes():
    """The share of random orders in which the ranges of the classes do not overlap."""
    for counts in ((2, 3), (2, 2, 2)):
        X, y = gaussian(*counts, d=20_000)
        chance = separating([X[y == c] for c in range(len(counts))])
        found = np.isfinite(chance)
        assert found.mean() == pytest.approx(chance[found][0], abs=0.015)


# The second question


def design(X, y, groups=None, **changed):
    """A design of ANOVA without a file."""
    source: Any = SimpleNamespace(fingerprint="given", samples=lambda: Sample(X, y))
    groups = np.arange(len(y)) if groups is None else groups
    settings = {"candidates": [(ANOVA, {"anova": {}})], "sizes": [1, 2, 4], "Cs": [1.0, 16.0]}
    settings |= {"first": 4, "scaling": "standard", "outer_folds": 3, "inner_folds": 2, "seed": 0}
    settings |= {"choosing_samples": 500}
    return Design(source, groups, **{**settings, **changed})


def test_gaps_have_the_medians_of_the_training_rows():
    X, y = gaussian(14, 10, d=8)
    X[[0, 5, 20], 2] = np.nan
    fit, _ = learned(design(X, y), X[:18], y[:18], np.arange(18), 5)
    assert isinstance(fit, Pipeline)
    np.testing.assert_array_equal(fit["gaps"].statistics_, np.nanmedian(X[:18], axis=0))


def test_every_sample_is_tested_once_a_loop_and_groups_stay_together():
    (X, y), groups = gaussian(12, 12), np.arange(24) // 2
    for first in (0, 3):
        tests = [evaluated(design(X, y, groups), None, first + k)["test"] for k in range(3)]
        assert sorted(np.concatenate(tests)) == list(range(24))
        assert sum(len(set(groups[test])) for test in tests) == 12
    for train, test in predict.divided(y, np.arange(24), 4, 0):
        assert np.bincount(y[test]).tolist() == [3, 3]
        assert not set(train) & set(test)


def test_labels_are_shuffled_as_far_as_groups_allow():
    y, rng = np.repeat([0, 1], [12, 8]), np.random.default_rng(0)
    mixed = np.arange(20) % 4
    alone, of_pairs, within = (
        predict.shuffled(y, groups, rng) for groups in (np.arange(20), np.arange(20) // 2, mixed)
    )
    for new in (alone, of_pairs, within):
        assert new.sum() == 8
        assert not np.array_equal(new, y)
    assert (of_pairs[::2] == of_pairs[1::2]).all()
    assert np.bincount(mixed, within).tolist() == np.bincount(mixed, y).tolist()


def test_a_shuffle_has_other_labels_and_the_areas_under_the_curve_are_those_of_splits():
    X, y = gaussian(12, 12)
    X += 2.0 * y[:, None]
    own, other = ([evaluated(design(X, y), n, k) for k in range(3)] for n in (None, 0))
    assert predict.recalls_of(own, 2).mean() > 0.85 > predict.recalls_of(other, 2).mean()
    assert predict.roc_auc(own, 2) > 0.9
    assert np.concatenate([row["truth"] for row in other]).sum() == 12
    rows = [{"truth": np.array([0, 1]), "scores": np.array([-9.0, 9, -8, 8])} for _ in range(2)]
    assert predict.roc_auc(rows, 2) == 0


def test_a_feature_without_spread_inside_the_classes_hides_no_order_of_the_others():
    X, y = gaussian(12, 8)
    score = partial(predict.places, method=ANOVA, parameters={"anova": {}}, state=0)
    alone = np.argsort(-score(X, y))
    np.testing.assert_array_equal(np.argsort(-score(np.column_stack([X, y]), y)), [6, *alone])


def test_of_many_samples_a_part_chooses_and_all_train_the_machine():
    X, y = gaussian(300, 100)
    groups = np.arange(400) // 2
    given = design(X, y, groups, choosing_samples=100)
    part = predict.part_of(given, y, 0)
    assert np.bincount(y[part]).tolist() == [75, 25]
    fit, _ = learned(given, X, y, groups, 0)
    np.testing.assert_allclose(fit["scale"].mean_, X[part].mean(axis=0))
    assert fit["svm"].shape_fit_[0] == 400
    rare = np.r_[0, 0, 0, 0, np.ones(396, int)]
    assert np.bincount(rare[predict.part_of(given, rare, 0)])[0] == 4


def test_a_rare_class_is_predicted_at_least_as_often_as_it_occurs():
    X, y = gaussian(80, 20)
    fit, _ = learned(design(X, y, sizes=[2], Cs=[0.1]), X, y, np.arange(100), 0)
    assert fit.predict(X).mean() >= 0.2


def test_a_method_that_refuses_the_samples_leaves_the_choice_to_others():
    def refuse(*_):
        raise ValueError("too few")

    X, y = gaussian(12, 12)
    both: list = [(SimpleNamespace(scores=refuse), {}), (ANOVA, {"anova": {}})]
    assert learned(design(X, y, candidates=both), X, y, np.arange(24), 0)[1] == 1


def test_the_interval_widens_with_fewer_samples_and_holds_the_accuracy():
    recalls = np.array([0.9, 0.7])
    ends = [predict.interval_of(recalls, np.array([n, n]), 5) for n in (10, 40, 1000)]
    assert all(low < 0.8 < high for low, high in ends)
    widths = [high - low for low, high in ends]
    assert widths == sorted(widths, reverse=True)
    assert predict.interval_of(np.ones(2), np.array([10, 10]), 5)[1] == 1
