"""The kind accuracy against scikit-learn's own search, and what must never leak."""

from functools import partial
from pathlib import Path

import joblib
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
from experiments.evaluation import rows as row_plans
from experiments.evaluation.rows import inner_folds, outer_split
from experiments.evaluation.samples import Loaded, Samples
from experiments.evaluation.tuning import choose, choose_by_training
from experiments.kinds import validate
from experiments.kinds.accuracy import KIND
from experiments.kinds.base import tables_of
from tests.experiments.conftest import SMALL, choice_of, tasks_of
from tests.experiments.kinds.conftest import assert_refused, evaluated, svm_search


@pytest.fixture
def three_classes(tmp_path):
    """A table of a user's own: 48 samples of three classes with names, 12 features."""
    rng = np.random.default_rng(0)
    y = np.arange(48) % 3
    X = rng.normal(size=(48, 12)) + np.eye(12)[y] * 1.5
    path = tmp_path / "three.parquet"
    frame = pd.DataFrame(X).add_prefix("x").assign(y=np.array(["stroma", "normal", "tumour"])[y])
    frame.to_parquet(path, index=False)
    return f"dataset.path={path}"


def test_nested_is_a_grid_search_over_the_whole_pipeline(small):
    """Ranking, number of features and SVM are chosen together, each inner fold ranked anew."""
    config, run, setup, (X, y, fingerprint) = small(
        *("method=relieff", "protocol.grid_size=2", "protocol.sizes=[1,2,4,12]"),
        *("protocol.log2_C=[1,4]", "protocol.log2_gamma=[-3,0]"),
    )
    (method,), split = run.methods, 1
    taken = choice_of(setup, method, split, "nested")
    choice = taken.choice

    train, test = outer_split(y, fingerprint, 0, split, 0.25)
    folds = inner_folds(y, train, fingerprint, 0, split, 4)
    pipeline = Pipeline([("rank", SelectKBest(relieff)), ("svc", SVC())])
    axes = {"svc__C": "log2_C", "svc__gamma": "log2_gamma"}
    grid = {name: [2.0**power for power in config.protocol[axis]] for name, axis in axes.items()}
    scorers = [partial(relieff, **p["relieff"]) for p in method.candidates()]
    searches = [
        GridSearchCV(
            pipeline.set_params(rank__score_func=scorer),
            {"rank__k": setup.evaluator.sizes, **grid},
            cv=folds,
            refit=False,
        ).fit(X, y)
        for scorer in scorers
    ]
    best = [search.best_score_ for search in searches]
    assert choice.candidate == int(np.argmax(np.round(best, 9)))
    assert choice.validation[choice.size] == pytest.approx(max(best))
    search = searches[choice.candidate]
    assert setup.evaluator.sizes[choice.size] == search.best_params_["rank__k"]
    pipeline.set_params(rank__score_func=scorers[choice.candidate], **search.best_params_)
    accuracy_on_test = pipeline.fit(X[train], y[train]).score(X[test], y[test])
    assert choice.test[choice.size] == pytest.approx(accuracy_on_test)
    assert taken.candidates[choice.size].parameters == method.candidates()[choice.candidate]


def test_paper_tunes_the_svm_under_one_ranking_of_the_training_part(small, digits, three_classes):
    for n_classes, on, overrides, n_train in (
        *((2, small, (), 18), (3, small, (three_classes,), 12)),
        (10, digits, (), 20),
    ):
        config, run, setup, (X, y, fingerprint) = on("method=anova", *overrides)
        assert len(set(y)) == n_classes
        (method,) = run.methods
        choice = choice_of(setup, method, 0, "paper").choice
        train, test = setup.division(0).train, setup.division(0).test
        assert sorted([*train, *test]) == list(range(len(y)))
        assert np.bincount(y[train]).tolist() == [n_train] * n_classes
        folds = inner_folds(y, train, fingerprint, 0, 0, config.protocol.inner_folds)
        order = np.argsort(-anova(X[train], y[train]), kind="stable")
        for i, size in enumerate(setup.evaluator.sizes):
            columns = X[:, order[:size]]
            validation, svm = svm_search(config.protocol, columns, y, folds)
            assert choice.validation[i] == pytest.approx(validation, rel=1e-12)
            tested = svm.fit(columns[train], y[train]).score(columns[test], y[test])
            assert choice.test[i] == tested


@pytest.mark.parametrize(
    ("on", "tuning", "share", "scaling"),
    [
        *(("small", "paper", 0.5, "standard"), ("small", "icml", 1.0, "none")),
        *(("small", "nested", 1.0, "ternary"), ("digits", "paper", 1.0, "none")),
        *(
            pytest.param("small", *case, marks=pytest.mark.slow)
            for case in (
                *(("paper", 1.0, "none"), ("paper", 1.0, "standard"), ("paper", 0.5, "none")),
                *(("icml", 1.0, "standard"), ("nested", 1.0, "standard")),
            )
        ),
    ],
)
def test_test_rows_and_labels_touch_nothing_but_the_test_accuracy(
    request, on, tuning, share, scaling, monkeypatch
):
    """Replace the test rows by others and shuffle their labels: ranking and tuning stay."""

    prepare, binary = request.getfixturevalue(on), "relieff,manifest," * (on == "small")

    def everything(store):
        overrides = [f"method=[{binary}anova]", f"dataset.scaling={scaling}"]
        _, run, setup, _ = prepare(*overrides, store=store)
        choices = {m.name: choice_of(setup, m, 0, tuning, share) for m in run.methods}
        stored = {
            path.parent.name: joblib.load(path) for path in Path(run.cache.root).rglob("*.pkl")
        }
        scores = {
            key: [each["scores"].tolist() for each in row["rows"]]
            for key, row in stored.items()
            if "rows" in row
        }
        assert scores
        return choices, scores

    _, _, setup, (X, y, _) = prepare("method=anova")
    train, test = setup.division(0).train, setup.division(0).test
    for name in ("outer_split", "rows_per_class"):
        monkeypatch.setattr(row_plans, name, lambda *_: (train, test))
    honest, scores = everything("honest")
    rng = np.random.default_rng(0)
    X, y = X.copy(), y.copy()
    X[test] = 1e3 * rng.normal(size=(len(test), X.shape[1]))
    y[test] = (y[test] + 1) % len(set(y))
    monkeypatch.setattr(Loaded, "samples", lambda _: Samples(X, y))
    disturbed, disturbed_scores = everything("disturbed")

    assert scores == disturbed_scores
    changed = 0.0
    for name, taken in honest.items():
        choice, other = taken.choice, disturbed[name].choice
        ranked, again = (each.candidates[each.choice.size] for each in (taken, disturbed[name]))
        assert ranked.parameters == again.parameters
        np.testing.assert_array_equal(ranked.order, again.order)
        assert (choice.candidate, choice.size) == (other.candidate, other.size)
        np.testing.assert_array_equal(choice.validation, other.validation)
        np.testing.assert_array_equal(choice.cells, other.cells)
        changed = max(changed, np.abs(choice.test - other.test).max())
    assert changed > (0.1 if on == "digits" else 0)


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


@given(accuracies, accuracies, accuracies)
def test_the_rule_of_2023_takes_the_best_training_accuracy_at_each_size(inside, trained, tests):
    choice = choose_by_training(inside, trained, tests)
    for i, (candidate, *cell) in enumerate(zip(choice.candidates, *choice.cells, strict=True)):
        best = [choose(inside[[c]], trained[[c]]).test[i] for c in range(len(inside))]
        assert best[candidate] == max(best) > max(best[:candidate], default=-1)
        assert inside[(candidate, i, *cell)] == choice.validation[i] == inside[candidate, i].max()
        assert choice.test[i] == tests[(candidate, i, *cell)]
    assert choice.validation[choice.size] == choice.validation.max()


def test_the_rule_of_2023_reads_the_units_of_the_paper(small):
    _, run, setup, (X, y, fingerprint) = small("method=relieff")
    (method,) = run.methods
    wanted, same = (
        [task.key for p in method.candidates() for task in tasks_of(setup, method, p, 0, tuning)]
        for tuning in ("paper", "icml")
    )
    assert wanted == same
    taken = choice_of(setup, method, 0, "icml")
    train, _ = outer_split(y, fingerprint, 0, 0, 0.25)
    grid = setup.evaluator
    Cs, gammas = (2.0 ** np.array(each) for each in (grid.log2_C, grid.log2_gamma))
    for i, size in enumerate(setup.evaluator.sizes):
        of_candidates = []
        for parameters in method.candidates():
            k = parameters["relieff"]["k"]
            columns = X[:, np.argsort(-relieff(X[train], y[train], k=k))[:size]]
            (row,) = run.rows(tasks_of(setup, method, parameters, 0, "icml"))
            c, g = choose([row["validation"]]).cells
            svm = SVC(C=Cs[c[i]], gamma=gammas[g[i]]).fit(columns[train], y[train])
            of_candidates.append(svm.score(columns[train], y[train]))
        assert taken.choice.candidates[i] == int(np.argmax(np.round(of_candidates, 9)))


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


def test_all_readings_take_scores_and_sums_of_several_classes(result, three_classes):
    methods = ["method=[manifest_max,manifest_relieff,random]", "method.geometry=regularized"]
    summary = result(*SMALL, three_classes, *methods, "protocol.grid_size=1")["summary"]
    assert summary["accuracy"].between(0, 1).all()
    found = summary[summary["method"] == "manifest_max"]
    assert found["tuning"].tolist() == ["paper", "icml", "nested"]
    assert (found["accuracy"] > 1 / 3).all()


def test_a_classifier_has_the_splits_of_its_reading_and_rows_if_every_ranking_failed(
    compose, table, tmp_path
):
    config = compose(
        *(*SMALL, f"dataset.path={table}", "method=anova", "protocol.tuning=[paper,icml]"),
        "+protocol.classifiers={ours: {call: 'sklearn.linear_model:LogisticRegression'}}",
        *("+protocol.fewer_splits.icml=1", "workers=1"),
    )
    tables, stored, _ = evaluated(config, tmp_path / "store")
    rows = stored["rows"]
    of_classifier = rows[rows["method"] == "ours"]
    assert of_classifier.groupby("tuning")["split"].nunique().to_dict() == {"paper": 2, "icml": 1}
    assert tables["summary"]["n_failed"].eq(0).all()
    own = ["method", "label", "tuning", "split", "test", "validation", "n_features", "parameters"]
    stored = {"rows": of_classifier[[*own, "n_test", "n_train"]]}
    alone = tables_of(KIND, stored, config)["summary"]
    failed = alone.set_index(["method", "tuning"])["n_failed"].to_dict()
    assert failed == {
        **{("anova", "paper"): 2, ("anova", "icml"): 1},
        **{("ours", "paper"): 0, ("ours", "icml"): 0},
    }


def test_what_makes_no_sense_is_refused(compose, result, three_classes):
    refused = {
        "+protocol.fewer_splits.nestd=2": r"protocol\.fewer_splits.*nestd.*nested",
        "+protocol.fewer_splits.paper=0": "at least 1, got 0",
        "protocol.refit=best": r"protocol\.refit=all, got best",
    }
    assert_refused(refused, "experiment=colon")
    for experiment in ("colon_nested", "prostate"):  # Their fewer_splits name other methods.
        validate(compose(f"experiment={experiment}", "method=[gini]"))
    refused = {
        "method=manifest": "two classes only",
        "protocol.inner_folds=13": "inner_folds=13",
        "protocol.sizes=[13]": r"sizes=\[13\]",
    }
    assert_refused(refused, *SMALL, three_classes, run=result)
