"""Evaluators of a ranking: the rows that rank, judging once, all features, paired differences."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.evaluation.data import load_dataset, part
from experiments.evaluation.rows import inner_folds, outer_split, ranking_rows
from experiments.evaluation.svm import evaluators
from tests.experiments.conftest import tasks_of
from tests.experiments.kinds.conftest import svm_search


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
    shares = ["protocol.ranking_shares=[0.2,1.0]", "protocol.tuning=[paper]"]
    tables = on_table("method=[anova,gini]", *shares)
    summary, curves = tables["summary"], tables["curves"]
    assert summary.query("method == 'anova'")["ranking_samples"].to_list() == [7, 36]
    assert set(summary["tuning"]) == {"paper"}
    every = curves[curves["n_features"] == 12]
    assert every["test_mean"].nunique() == every["validation_mean"].nunique() == 1
    below = curves[curves["n_features"] == 2].groupby("method")["test_mean"].nunique()
    assert (below == 2).any()


def test_all_features_are_what_a_grid_search_finds_on_all_of_them(small, on_table):
    config, _, _, (X, y, fingerprint) = small("method=anova")
    summary = on_table("method=anova")["summary"].query("method == 'all_features'")
    assert summary["tuning"].tolist() == ["paper", "icml", "nested"]
    tests, validations = [], []
    for split in range(2):
        train, test = outer_split(y, fingerprint, 0, split, 0.25)
        folds = inner_folds(y, train, fingerprint, 0, split, 4)
        validation, svm = svm_search(config.protocol, X, y, folds)
        tests.append(svm.fit(X[train], y[train]).score(X[test], y[test]))
        validations.append(validation)
    np.testing.assert_allclose(summary["accuracy"], np.mean(tests), rtol=1e-5)
    np.testing.assert_allclose(summary["validation"], np.mean(validations), rtol=1e-5)


def test_equal_rankings_are_evaluated_once(small, monkeypatch):
    """ANOVA, Pearson and Fisher rank two classes alike; all features are a set like any other."""
    calls, fitted = [], evaluators.refit_accuracies

    def counted(X, y, order, sizes, *rows, **grid):
        calls.append(sizes)
        return fitted(X, y, order, sizes, *rows, **grid)

    monkeypatch.setattr(evaluators, "refit_accuracies", counted)
    _, run, setup, _ = small("method=[anova,pearson,fisher,gini]")
    rows = {}
    for method in run.methods:
        (task,) = tasks_of(setup, method, method.candidates()[0], 0, "paper")
        rows[method.name] = task.function()
    assert calls == [[1, 2, 4, 8], [12], [1, 2, 4, 8]]
    for name in ("pearson", "fisher"):
        for column in ("test", "validation", "order"):
            np.testing.assert_array_equal(rows[name][column], rows["anova"][column])
    assert (rows["gini"]["order"] != rows["anova"]["order"]).any()


def test_validation_is_the_mean_over_repeated_folds(small):
    """More repeats change what the one ranking is tuned by, not the ranking or the nested folds."""
    found = {}
    for repeats in (1, 3):
        config, run, setup, (X, y, fingerprint) = small(
            "method=gini", f"protocol.inner_repeats={repeats}"
        )
        (method,) = run.methods
        nested = tasks_of(setup, method, method.candidates()[0], 0, "nested")
        found[repeats] = nested[0].function(), [task.key for task in nested]
    assert found[1][1][0] != found[3][1][0]
    assert found[1][1][1:] == found[3][1][1:]
    once, thrice = found[1][0], found[3][0]
    for name in ("order", "test", "train"):
        np.testing.assert_array_equal(once[name], thrice[name])
    train, _ = outer_split(y, fingerprint, 0, 0, 0.25)
    folds = inner_folds(y, train, fingerprint, 0, 0, 4, 3)
    assert len(folds) == 12
    first = inner_folds(y, train, fingerprint, 0, 0, 4)
    for one, other in zip(first, folds[:4], strict=True):
        np.testing.assert_array_equal(np.concatenate(one), np.concatenate(other))
    assert len({tuple(test) for _, test in folds}) == 12
    validation, _ = svm_search(config.protocol, X[:, once["order"][:4]], y, folds)
    at = setup.evaluator.sizes.index(4)
    assert thrice["validation"][at].max() == pytest.approx(validation)


def test_fitting_the_best_cell_alone_gives_the_same_tables(on_table):
    wanted = ["method=[anova,relieff,manifest_relieff]", "protocol.tuning=[paper,icml]"]
    whole, best = on_table(*wanted), on_table(*wanted, "protocol.refit=best")
    for name in ("summary", "curves", "pairs"):
        assert best[name].to_csv() == whole[name].to_csv()


def test_what_is_dear_may_have_fewer_splits(on_table):
    """The first ones, on which it comes out as it does without the option; all else has all."""
    wanted = ["method=[anova,manifest]", "protocol.n_repetitions=2", "protocol.grid_size=1"]
    few = [f"+protocol.fewer_splits.{few}" for few in ("nested=1", "manifest=1")]
    whole, fewer = on_table(*wanted), on_table(*wanted, *few)
    summary = fewer["summary"].set_index(["tuning", "method"])
    asked = {"paper": (2, 1, 2), "nested": (1, 1, 1)}
    for tuning, counts in asked.items():
        of = summary.loc[tuning]
        assert of["n_failed"].eq(0).all()
        methods = ["anova", "manifest", "all_features"]
        assert tuple(of.loc[methods, "n_splits"]) == counts
    at = ["method", "tuning", "split", "n_features"]
    rows, all_rows = (tables["rows"].set_index(at) for tables in (fewer, whole))
    # A selection is compared with those of the other splits that there are.
    own = rows.columns.difference(["stability", "chosen_stability"])
    pd.testing.assert_frame_equal(rows[own], all_rows.loc[rows.index, own])
    pairs = fewer["pairs"].set_index(["method", "other"])["n_splits"]
    assert set(pairs) == {1}
    assert ("manifest", "anova") in pairs


def test_a_part_of_a_data_set_is_a_data_set_of_its_own(small):
    config, *_ = small("dataset.max_samples=20", "dataset.max_features=5")
    small_one = load_dataset(config)
    config.dataset.max_samples = config.dataset.max_features = None
    whole = load_dataset(config)
    assert small_one.X.shape == (20, 5)
    assert np.bincount(small_one.y).tolist() == [10, 10]
    assert small_one.fingerprint != whole.fingerprint
    assert "20 of 48 samples and 5 of 12 features" in small_one.source
    columns = {tuple(np.sort(column)) for column in whole.X.T}
    assert not any(tuple(np.sort(column)) in columns for column in small_one.X.T)
    assert set(map(float, small_one.X.ravel())) <= set(map(float, whole.X.ravel()))
    assert part(whole, 48, 12, 0) is part(whole, 100, None, 0) is whole
