"""Recovery of relevant features: counts, tuning, comparisons and evaluators against definitions."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from baselines import anova
from experiments.cache import Cache
from experiments.evaluation.division import Whole, inner_folds
from experiments.evaluation.methods import Method, Part
from experiments.evaluation.samples import Drawn
from experiments.evaluation.tasks import Problem, rank_and_evaluate
from experiments.evaluation.tuning import KnownFeatures
from experiments.kinds.base import tables_of
from experiments.kinds.recovery import KIND
from experiments.kinds.recovery.selections import svm
from tests.experiments.conftest import composed, words
from tests.experiments.kinds.conftest import evaluated, svm_search

TOY = ["experiment=toy", "profile=smoke", "method=manifest"]
CUBE = words("""
experiment=hypercube profile=smoke protocol.ranking_samples=40 protocol.n_repetitions=3
'dataset.params={n_samples: 120, n_features: 24, n_informative: 4}' protocol.evaluated_draws=2
protocol.log2_C=[-2,1,4] protocol.grid_size=2
""")
PARAMS = {"n_samples": 120, "n_features": 24, "n_informative": 4, "n_clusters_per_class": 2}
SVM: dict[str, Any] = {"n_folds": 3, "log2_C": [-2, 1, 4], "log2_gamma": [-6, -3, 0]}


def problem(draw=1, ranking_samples=None):
    """A draw of the small hypercube."""
    source = Drawn.of("hypercube", PARAMS, draw, 0)
    return Problem(source, Whole(0.25, ranking_samples), None, 0, "none")


def drawn(draw=1):
    """The samples of a draw and its rows."""
    samples = problem(draw).source.samples()
    return samples, problem(draw).division(samples.y)


@pytest.fixture(scope="module")
def cube(tmp_path_factory):
    """Tables, rows and outcome of a small hypercube, four methods, two of which order alike."""
    config = composed(*CUBE, "method=[anova,fisher,relieff,manifest,all_features]", "workers=1")
    tables, stored, outcome = evaluated(config, tmp_path_factory.mktemp("cube"))
    assert not outcome.failures
    return tables, stored["rows"], outcome


def ranked(rows):
    """The rows of methods, without those of the SVM on all features."""
    return rows[rows["method"] != "all_features"].astype({"correct": float})


def test_no_method_selects_more_than_there_is_and_tuning_takes_the_best(cube):
    rows, summary = ranked(cube[1]), cube[0]["summary"].set_index("method")["correct"]
    assert rows["correct"].between(0, 4).all()
    means = rows.groupby(["method", "parameters"])["correct"].mean()
    for method in ("anova", "relieff", "manifest"):
        assert summary[method] == pytest.approx(means[method].max(), rel=1e-5)
    assert (rows[rows["tuned"]].groupby("method")["correct"].count() == 3).all()


def test_an_interval_ends_at_the_number_of_features_that_can_be_found(cube):
    config = composed(*CUBE, "method=[anova,fisher,relieff,manifest,all_features]")
    for n_selected, most in ((None, 4), (3, 3), (9, 4)):
        config.protocol.n_selected, rows = n_selected, ranked(cube[1])
        rows["correct"] = most - (rows["draw"] == 2)
        summary = tables_of(KIND, {"rows": rows}, config)["summary"]
        assert (summary["ci_high"].dropna() == most).all(), n_selected
        assert (summary["ci_low"].dropna() < most).all(), n_selected


def test_counts_are_of_the_scores_that_are_written_down(cube):
    """From scores and draws alone: the best by score, and the relevant ones among them."""
    rows = ranked(cube[1])
    for row in rows[rows["tuned"]].itertuples():
        relevant = drawn(row.draw)[0].relevant
        np.testing.assert_array_equal(row.relevant, relevant)
        best = np.argsort(-np.asarray(row.scores))[:4]
        assert row.correct == np.isin(best, relevant).sum()
    assert rows.loc[~rows["tuned"], "scores"].isna().all()


def test_equal_selections_are_evaluated_once_and_alike(cube):
    """Fisher orders as ANOVA does: one SVM serves both."""
    tables, rows, outcome = cube
    accuracy = rows[rows["tuned"]].pivot(index="draw", columns="method", values="accuracy")
    assert accuracy[:2].stack().between(0, 1).all()
    assert accuracy[2:].isna().all(axis=None)
    assert accuracy["anova"].equals(accuracy["fisher"])
    summary = tables["summary"].set_index("method")
    assert np.isnan(summary.loc["all_features", "correct"])
    n_rankings, n_pictures = 3 * (1 + 1 + 2 + 2), 3
    n_svms = outcome.computed - n_rankings - n_pictures
    assert n_svms <= 2 * 4  # all features, ANOVA and Fisher, ReliefF, ManiFeSt
    assert accuracy["all_features"].mean() == summary.loc["all_features", "accuracy"]


def test_the_svm_is_a_grid_search_on_the_training_rows():
    samples, rows = drawn()
    columns = [1, 5, 8, 20]
    row, X = svm(problem(), columns, **SVM), samples.X[:, columns]
    folds = inner_folds(samples.y, rows.train, problem().source.fingerprint, 0, 0, 3)
    validation, best = svm_search(SVM, X, samples.y, folds)
    assert row["validation"] == pytest.approx(validation)
    assert (2.0 ** row["log2_C"], 2.0 ** row["log2_gamma"]) == (best.C, best.gamma)
    best.fit(X[rows.train], samples.y[rows.train])
    assert row["accuracy"] == best.score(X[rows.test], samples.y[rows.test])


def test_rankings_see_so_many_training_rows_of_each_class_and_no_others(monkeypatch, tmp_path):
    def spy(X, y):
        seen[:] = X, y
        return anova(X, y)

    monkeypatch.setattr("experiments.evaluation.methods.get", lambda name: spy)
    (samples, rows), seen = drawn(), list[np.ndarray]()
    method = Method("anova", "ANOVA", (Part("anova", "anova", {}, {}),))
    for n, n_seen in ((40, 40), (None, len(rows.train))):
        store = Cache(str(tmp_path))
        row = rank_and_evaluate(problem(ranking_samples=n), method, {"anova": {}}, store)
        X, y = seen
        assert len(X) == n_seen
        assert {tuple(x) for x in X} <= {tuple(x) for x in samples.X[rows.train]}
        assert abs(np.mean(y) - np.mean(samples.y)) < 0.03
        np.testing.assert_array_equal(np.sort(row["order"]), np.arange(24))
        assert (np.diff(row["scores"][row["order"]]) <= 0).all()
    assert len(rows.test) == 30
    assert not set(rows.train) & set(rows.test)


def test_pictures_show_the_test_rows_of_the_first_draw(cube):
    tables, rows, _ = cube
    samples, divided = drawn(0)
    for _, points in tables["tsne"].groupby("panel"):
        assert points["class"].tolist() == samples.y[divided.test].tolist()
        assert np.isfinite(points[["x", "y"]].to_numpy()).all()
    panels = tables["panels"].set_index("panel")
    assert panels["n_selected"].to_dict() == {"all_features": 24, "relieff": 4, "manifest": 4}
    first = rows[rows["tuned"] & (rows["draw"] == 0)].set_index("method").loc[panels.index]
    for name in ("correct", "accuracy"):
        known = first[name].astype(float)
        assert panels[name].astype(float).tolist() == pytest.approx(known.tolist(), nan_ok=True)
    means = tables["summary"].set_index("method").loc[panels.index, "accuracy"]
    assert panels["mean_accuracy"].tolist() == pytest.approx(means.tolist())


def test_a_case_is_the_experiment_with_its_parameters(result):
    tables = result(*TOY)
    alone = result(
        *("name=toy", "figure=score_panels", "dataset=toy", "protocol=recovery", "method=manifest"),
        *("dataset.params.constant=4", "protocol.n_repetitions=3", "protocol.n_selected=2"),
        "+parameters={manifest: {scale_factor: 1.0, percentile: null}}",
    )
    each, single = tables["summary"], alone["summary"]
    assert each["case"].tolist() == ["a", "b", "c"]
    assert "case" not in single
    of_b = each.loc[each["case"] == "b", single.columns]
    pd.testing.assert_frame_equal(of_b.reset_index(drop=True), single)
    features = tables["features"].set_index(["case", "feature"])["selected"].unstack()
    assert features.sum(axis=1).tolist() == pytest.approx([2, 2, 2])  # two in each draw
    assert each["correct"].tolist() == pytest.approx(features[1].loc[each["case"]].tolist())
    assert "pairs" not in tables
    # A method without any row of a case has failed there.
    left = {**tables, "rows": tables["rows"].query("case == 'b'")}
    summary = tables_of(KIND, left, composed(*TOY))["summary"]
    assert summary["case"].tolist() == ["a", "b", "c"]
    assert summary["failed"].tolist() == [True, False, True]
    assert np.isnan(summary["correct"][0])


def test_the_first_of_equal_candidates_is_taken():
    candidates: list = [
        [{"order": np.array([*map(int, order)]), "relevant": np.array([0, 1])} for order in draws]
        for draws in (["2301", "0213"], ["0123", "2301"], ["2013", "2103"])
    ]
    for known, expected in (
        (KnownFeatures(), [[0, 1], [2, 0], [1, 1]]),
        (KnownFeatures(n_selected=3), [[1, 2], [2, 1], [2, 2]]),
    ):
        assert [[known.n_correct(row) for row in each] for each in candidates] == expected
    assert KnownFeatures().candidate(candidates) == 1
    assert [KnownFeatures().selected(row).tolist() for row in candidates[1]] == [[0, 1], [2, 3]]
