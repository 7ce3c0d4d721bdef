"""The kind accuracy against scikit-learn's own search, what must never leak, what is shared."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from baselines import anova, relieff
from experiments.evaluation.data import load_dataset, part
from experiments.evaluation.division import inner_folds, outer_split, ranking_rows
from experiments.evaluation.svm import evaluators
from experiments.evaluation.tuning import choose
from tests.experiments.conftest import choice_of, tasks_of, words
from tests.experiments.kinds.conftest import svm_search


def test_nested_is_a_grid_search_over_the_whole_pipeline(small):
    """Ranking, number of features and SVM are chosen together, each inner fold ranked anew."""
    config, _, setup, (X, y, fingerprint) = small(
        *("method=relieff", "protocol.grid_size=2", "protocol.sizes=[1,2,4,12]"),
        *("protocol.log2_C=[1,4]", "protocol.log2_gamma=[-3,0]"),
    )
    (method,), split = setup.methods, 1
    taken = choice_of(setup, method, split, "nested")
    choice = taken.choice

    train, test = outer_split(y, fingerprint, 0, split, 0.25)
    folds = inner_folds(y, train, fingerprint, 0, split, 4)
    pipeline = Pipeline([("rank", SelectKBest(relieff)), ("svc", SVC())])
    axes = {"svc__C": "log2_C", "svc__gamma": "log2_gamma"}
    grid = {name: [2.0**power for power in config.protocol[axis]] for name, axis in axes.items()}
    scorers = [partial(relieff, **p["relieff"]) for p in method.candidates()]
    grid["rank__k"] = setup.evaluator.sizes
    searches = []
    for scorer in scorers:
        search = GridSearchCV(pipeline.set_params(rank__score_func=scorer), grid, cv=folds)
        searches.append(search.set_params(refit=False).fit(X, y))
    best = [search.best_score_ for search in searches]
    assert choice.candidate == int(np.argmax(np.round(best, 9)))
    assert choice.validation[choice.size] == pytest.approx(max(best))
    search = searches[choice.candidate]
    assert setup.evaluator.sizes[choice.size] == search.best_params_["rank__k"]
    pipeline.set_params(rank__score_func=scorers[choice.candidate], **search.best_params_)
    tested = pipeline.fit(X[train], y[train]).score(X[test], y[test])
    assert choice.test[choice.size] == pytest.approx(tested)
    assert taken.ranked[choice.size][0] == method.candidates()[choice.candidate]


def test_paper_tunes_the_svm_under_one_ranking_of_the_training_part(small, digits, three_classes):
    for n_classes, on, overrides, n_train in (
        *((2, small, (), 18), (3, small, (three_classes,), 12)),
        (10, digits, (), 20),
    ):
        config, _, setup, (X, y, fingerprint) = on("method=anova", *overrides)
        assert len(set(y)) == n_classes
        (method,) = setup.methods
        choice = choice_of(setup, method, 0, "paper").choice
        train, test = setup.division(0).train, setup.division(0).test
        assert sorted([*train, *test]) == list(range(len(y)))
        assert np.bincount(y[train]).tolist() == [n_train] * n_classes
        assert {*train} != {*setup.division(1).train}
        folds = inner_folds(y, train, fingerprint, 0, 0, config.protocol.inner_folds)
        order = np.argsort(-anova(X[train], y[train]), kind="stable")
        for i, size in enumerate(setup.evaluator.sizes):
            columns = X[:, order[:size]]
            validation, svm = svm_search(config.protocol, columns, y, folds)
            assert choice.validation[i] == pytest.approx(validation, rel=1e-12)
            tested = svm.fit(columns[train], y[train]).score(columns[test], y[test])
            assert choice.test[i] == tested


accuracies = arrays(float, (3, 4, 2, 3), elements=st.sampled_from([0.5, 0.6, 0.7, 0.8]))


@given(accuracies, accuracies)
def test_choice_is_the_best_validation_and_blind_to_tests(validations, tests):
    choice = choose(validations, tests)
    assert choice.validation[choice.size] == validations.max()
    for earlier in validations[: choice.candidate]:
        assert earlier.max() < validations.max()
    assert (choice.validation[: choice.size] < validations.max()).all()
    blind = choose(validations)
    assert (blind.candidate, blind.size) == (choice.candidate, choice.size)
    np.testing.assert_array_equal(blind.cells, choice.cells)
    for i, test in enumerate(choice.test):
        cell = (choice.candidate, i, choice.cells[0][i], choice.cells[1][i])
        assert validations[cell] == choice.validation[i] == validations[cell[:2]].max()
        assert test == tests[cell]


@given(accuracies, accuracies)
def test_all_features_are_taken_only_if_they_are_better_than_the_choice(validations, tests):
    validations[:, -1], tests[:, -1] = validations[:1, -1], tests[:1, -1]
    choice = choose(validations, tests, or_all=True)
    other = choose(validations[:, :-1], tests[:, :-1])
    assert (choice.candidate, choice.subset) == (other.candidate, other.size)
    is_better = validations[0, -1].max() > other.validation[other.size]
    assert choice.size == (validations.shape[1] - 1 if is_better else choice.subset)


@given(accuracies, accuracies, accuracies)
def test_the_rule_of_2023_takes_the_best_training_accuracy_at_each_size(inside, trained, tests):
    choice = choose(inside, tests, trained)
    for i, (candidate, *cell) in enumerate(zip(choice.candidates, *choice.cells, strict=True)):
        best = [choose(inside[[c]], trained[[c]]).test[i] for c in range(len(inside))]
        assert best[candidate] == max(best) > max(best[:candidate], default=-1)
        assert inside[(candidate, i, *cell)] == choice.validation[i] == inside[candidate, i].max()
        assert choice.test[i] == tests[(candidate, i, *cell)]
    assert choice.validation[choice.size] == choice.validation.max()


@pytest.mark.parametrize("test_size", [0.25, 0.21])
def test_splits_are_stratified_and_differ_by_their_number_alone(test_size):
    """As many as folds test every sample once, if the share is that of a fold."""
    y, tests = np.repeat([0, 1], 24), []
    for split in range(8):
        train, test = outer_split(y, "fp", 0, split, test_size)
        assert sorted([*train, *test]) == list(range(len(y)))
        assert np.ptp(np.bincount(y[test])) <= 1
        assert abs(len(test) - test_size * len(y)) <= 1
        again, _ = outer_split(y, "fp", 0, split, test_size)
        np.testing.assert_array_equal(train, again)
        tests.append(tuple(sorted(test)))
        folds = inner_folds(y, train, "fp", 0, split, 4)
        assert sorted(np.concatenate([held_out for _, held_out in folds])) == sorted(train)
        for fold_train, held_out in folds:
            assert not set(fold_train) & set(held_out)
            assert not (set(fold_train) | set(held_out)) & set(test)
    assert len(set(tests)) == 8
    for four in (tests[:4], tests[4:]):
        assert (np.bincount(np.concatenate(four)).max() == 1) == (test_size == 0.25)


@given(
    share=st.floats(0.01, 1),
    smaller=st.floats(0.01, 1),
    counts=st.tuples(*[st.integers(4, 40)] * 2),
)
def test_ranking_rows_are_a_stratified_share_and_grow_with_it(share, smaller, counts):
    y = np.repeat([0, 1], counts)
    train = np.flatnonzero(np.arange(len(y)) % 4 != 0)
    rows = ranking_rows(y, train, "fp", 0, 3, share)
    assert set(rows) <= set(train)
    assert len(rows) == len(set(rows)) == max(4, round(share * len(train)))
    for label in (0, 1):
        of_class = np.count_nonzero(y[rows] == label)
        assert of_class >= 2
        if len(rows) > 12:
            assert abs(of_class - len(rows) * np.mean(y[train] == label)) <= 2
    assert set(ranking_rows(y, train, "fp", 0, 3, min(share, smaller))) <= set(rows)


def test_fewer_ranking_rows_change_the_ranking_and_not_what_evaluates_it(on_table):
    """All features are a subset like any other."""
    tables = on_table("method=[anova,gini,all_features]", "protocol.ranking_shares=[0.2,1.0]")
    summary, curves = tables["summary"], tables["curves"].set_index(["tuning", "n_features"])
    assert summary.query("method == 'anova'")["ranking_samples"].unique().tolist() == [7, 36]
    below = curves.loc[("paper", 2)].groupby("method")["test_mean"].nunique()
    assert (below == 2).any()
    alone = summary.query("method == 'all_features'").set_index("tuning")
    assert alone.index.tolist() == ["paper", "icml", "nested"]
    for name, column in {"accuracy": "test_mean", "validation": "validation_mean"}.items():
        for tuning, values in curves.xs(12, level=1)[column].groupby("tuning"):
            np.testing.assert_allclose(values, alone.loc[tuning, name], rtol=1e-5)


def test_equal_rankings_are_evaluated_once(small, monkeypatch):
    """ANOVA, Pearson and Fisher rank two classes alike; the rule of 2023 reads the same tasks."""
    calls, fitted = [], evaluators.refit_accuracies

    def counted(X, y, order, sizes, *rows, **grid):
        calls.append(sizes)
        return fitted(X, y, order, sizes, *rows, **grid)

    monkeypatch.setattr(evaluators, "refit_accuracies", counted)
    _, _, setup, _ = small("method=[anova,pearson,fisher,gini]")
    tasks = [tasks_of(setup, m, m.candidates()[0], 0, "paper") for m in setup.methods]
    for method, of_paper in zip(setup.methods, tasks, strict=True):
        of_2023 = tasks_of(setup, method, method.candidates()[0], 0, "icml")
        assert [task.key for task in of_2023] == [task.key for task in of_paper]
    first, *alike, other = [task.function() for (task,) in tasks]
    assert calls == [[1, 2, 4, 8], [12], [1, 2, 4, 8]]
    for row, name in itertools.product(alike, ("test", "validation", "order")):
        np.testing.assert_array_equal(row[name], first[name])
    assert (other["order"] != first["order"]).any()


def test_validation_is_the_mean_over_repeated_folds(small):
    """More repeats change what the one ranking is tuned by, not the ranking or the nested folds."""
    found = []
    for repeats in (1, 3):
        given = "method=gini", f"protocol.inner_repeats={repeats}"
        config, _, setup, (X, y, fingerprint) = small(*given)
        (method,) = setup.methods
        nested = tasks_of(setup, method, method.candidates()[0], 0, "nested")
        found.append((nested[0].function(), nested[1].function()["test"]))
    (once, inner), (thrice, same) = found
    np.testing.assert_array_equal(inner, same)
    assert (once["validation"] != thrice["validation"]).any()
    for name in ("order", "test", "train"):
        np.testing.assert_array_equal(once[name], thrice[name])
    train, _ = outer_split(y, fingerprint, 0, 0, 0.25)
    folds = inner_folds(y, train, fingerprint, 0, 0, 4, 3)
    assert len({tuple(test) for _, test in folds}) == len(folds) == 12
    validation, _ = svm_search(config.protocol, X[:, once["order"][:4]], y, folds)
    at = setup.evaluator.sizes.index(4)
    assert thrice["validation"][at].max() == pytest.approx(validation)


def test_what_is_dear_may_have_fewer_splits(on_table):
    """The first ones, on which it comes out as it does without the option; all else has all."""
    wanted = ["method=[anova,manifest,all_features]", "protocol.n_repetitions=2"]
    wanted += ["protocol.grid_size=1"]
    few = [f"+protocol.fewer_splits.{few}" for few in ("nested=1", "manifest=1")]
    whole, fewer = on_table(*wanted), on_table(*wanted, *few)
    summary = fewer["summary"].set_index(["tuning", "method"])
    assert summary["n_failed"].eq(0).all()
    for tuning, counts in {"paper": (2, 1, 2), "nested": (1, 1, 1)}.items():
        methods = ["anova", "manifest", "all_features"]
        assert tuple(summary.loc[tuning].loc[methods, "n_splits"]) == counts
    at, of_others = ["method", "tuning", "split", "n_features"], ["stability", "chosen_stability"]
    # A selection is compared with those of the other splits that there are.
    rows, all_rows = (t["rows"].set_index(at).drop(columns=of_others) for t in (fewer, whole))
    pd.testing.assert_frame_equal(rows, all_rows.loc[rows.index])
    assert fewer["pairs"].query("other == 'anova'")["n_splits"].unique().tolist() == [1]


def test_one_parameter_for_all_splits_is_the_best_of_those_that_are_fixed(on_table):
    methods = words("method=[relieff,manifest_relieff] method.percentile=50 dataset.max_features=8")
    together = on_table(*methods, "method.k=[1,3]", "protocol.tuning=[once,oracle]")
    summary, fixed = together["summary"].set_index(["tuning", "method"]), {}
    for k in (1, 3):
        rows = on_table(*methods, f"method.k={k}", "protocol.tuning=[paper]")["rows"]
        fixed[k] = rows[rows["method"] == "relieff"]

    def best_mean(rows, column):
        return rows.groupby("n_features")[column].mean().max()

    for tuning, column in (("once", "validation"), ("oracle", "test")):
        k = max(fixed, key=lambda k: best_mean(fixed[k], column))
        relieff, total = summary.loc[tuning, "relieff"], summary.loc[tuning, "manifest_relieff"]
        assert relieff["parameters"].startswith(f"k={k}")
        assert f"relieff.k={k}" in total["parameters"]
        assert np.isclose(relieff["accuracy"], best_mean(fixed[k], "test"), atol=1e-6)
    assert tuple(fixed[1]["test"]) != tuple(fixed[3]["test"])
    assert summary["accuracy"]["oracle", "relieff"] >= summary["accuracy"]["once", "relieff"]


def test_a_part_of_a_data_set_is_a_data_set_of_its_own(small):
    config, *_ = small("dataset.max_samples=20", "dataset.max_features=5")
    small_one = load_dataset(config)
    config.dataset.max_samples = config.dataset.max_features = None
    whole = load_dataset(config)
    assert (small_one.X.shape, sum(small_one.y)) == ((20, 5), 10)
    assert small_one.fingerprint != whole.fingerprint
    assert "20 of 48 samples and 5 of 12 features" in small_one.source
    assert np.isin(small_one.X, whole.X).all()
    assert part(whole, 48, 12, 0) is part(whole, 100, None, 0) is whole
