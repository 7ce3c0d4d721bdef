"""Classifiers that select features themselves: their config and splits, and what must not leak."""

import json
import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from experiments.cache import Cache
from experiments.config import ConfigError, plain
from experiments.evaluation.data import load_dataset
from experiments.evaluation.rows import inner_folds, outer_split
from experiments.evaluation.samples import Loaded, Samples
from experiments.evaluation.statistics import resampled_interval
from experiments.kinds import accuracy, classifiers
from experiments.kinds.base import tables_of
from experiments.kinds.classifiers import Classifier, evaluate_classifier, n_used, resolve, task_of

pytestmark = pytest.mark.slow

EXPERIMENT = "experiment=colon_embedded"
SMOKE = (EXPERIMENT, "profile=smoke")
MEASURED = ["lasso", "svc", "random_forest", "xgboost", "mlp"]
NEURAL = ["linear_stg", "nonlinear_stg", "lspin", "llspin", "lspin_tuned", "llspin_tuned"]
NEURAL += ["l2x", "invase", "real_x", "tabnet"]
AXES = ("fingerprint", "seed", "split", "test_size", "inner_folds", "scaling")
#: Each classifier at a size that a test can afford.
SMALL: dict[str, dict[str, dict]] = {
    "lasso": {"grid": {"C": [0.1, 1, 10]}},
    "svc": {"grid": {"kernel": ["linear", "rbf"], "C": [0.1, 10]}},
    "random_forest": {"params": {"n_estimators": 20}},
    "xgboost": {"params": {"n_estimators": 15}},
    "mlp": {"params": {"tol": 0.1}, "grid": {"hidden_layer_sizes": [[5], [10]]}},
}


@pytest.fixture
def small(compose, table, tmp_path):
    """Classifiers, source and axes on the small table."""
    config = compose(
        EXPERIMENT,
        "dataset=table",
        f"dataset.path={table}",
        "dataset.target=y",
        "dataset.scaling=none",
    )
    entries = plain(config.protocol.classifiers)
    entries = {name: entry for name, entry in entries.items() if name in SMALL}
    for name, changes in SMALL.items():
        for key, values in changes.items():
            entries[name][key].update(values)
    config.protocol.classifiers = entries
    source = Loaded.of(load_dataset(config), Cache(str(tmp_path / "samples")))
    axes = {"fingerprint": source.fingerprint, "seed": 0, "test_size": 0.25, "inner_folds": 3}
    axes["scaling"] = "none"
    return resolve(config), source, axes


@pytest.mark.usefixtures("without_jax")
@pytest.mark.parametrize("profile", ["smoke", "paper"])
def test_measured_classifiers_and_their_thinned_grids(compose, profile):
    config = compose(EXPERIMENT, f"profile={profile}")
    measured = resolve(config)
    assert [*measured] == MEASURED
    for name, classifier in measured.items():
        for key, values in classifier.grid.items():
            whole = plain(config.protocol.classifiers[name].grid[key])
            assert len(values) == min(len(whole), config.protocol.grid_size or len(whole))
            assert [value for value in whole if value in values] == values


class Ignores(ClassifierMixin, BaseEstimator):
    """A classifier that warns of a parameter which it does not use."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, X, y):
        warnings.warn("power is not used", stacklevel=1)


LASSO = {"call": "sklearn.linear_model:LogisticRegression"}
FAULTS = [
    ({"cal": "sklearn.svm:SVC"}, "valid keys: label, call"),
    ({"label": "nothing"}, "needs either call"),
    ({**LASSO, "quoted": [80, 5]}, "needs either call"),
    ({"quoted": [80, 5]}, "_quoted"),
    ({**LASSO, "inner_folds": 1}, "inner_folds"),
    ({"call": "sklearn.svm:SCV"}, "MODULE:CLASS"),
    ({"call": "sklearn.svm"}, "MODULE:CLASS"),
    ({"call": ":SVC"}, "MODULE:CLASS"),
    ({"call": "builtins:len"}, "scikit-learn's interface"),
    ({"call": "no_such_package.models:Net"}, "cannot be imported"),
    ({**LASSO, "grid": {"solvers": [1]}}, "did you mean 'solver'"),
    ({**LASSO, "grid": {"C": 1}}, "grid.C"),
    ({**LASSO, "grid": {"C": [1, -1]}}, "The 'C' parameter"),
    ({**LASSO, "params": {"solver": "liblinea"}}, "The 'solver' parameter"),
    ({"call": f"{__name__}:Ignores", "grid": {"power": [2]}}, "power is not used"),
]


@pytest.mark.parametrize(("entry", "sentence"), FAULTS)
def test_what_cannot_be_run_is_refused(compose, entry, sentence):
    config = compose(EXPERIMENT, "profile=paper")
    config.protocol.classifiers = {"mine": entry}
    with pytest.raises(ConfigError, match=rf"^classifier mine.*{sentence}"):
        resolve(config)


@pytest.mark.parametrize("split", [0, 1, 2])
@pytest.mark.parametrize("name", ["lasso", "svc"])
def test_a_classifier_is_a_grid_search_inside_the_training_rows(small, name, split):
    found, source, axes = small
    classifier = found[name]
    row = evaluate_classifier(classifier, source, {**axes, "split": split})
    (X, y, _), fingerprint = source.samples(), source.fingerprint
    train, test = outer_split(y, fingerprint, 0, split, 0.25)
    folds = inner_folds(y, train, fingerprint, 0, split, 3)
    bare = {
        "lasso": LogisticRegression(solver="liblinear", l1_ratio=1, random_state=0),
        "svc": SVC(),
    }[name]
    pipeline = make_pipeline(StandardScaler(), bare)
    prefix = pipeline.steps[-1][0]
    grid = {f"{prefix}__{key}": values for key, values in classifier.grid.items()}
    search = GridSearchCV(pipeline, grid, cv=folds, refit=False).fit(X, y)
    assert row["validation"] == pytest.approx(search.best_score_)
    taken = {f"{prefix}__{key}": value for key, value in json.loads(row["parameters"]).items()}
    at = search.cv_results_["params"].index(taken)
    means = search.cv_results_["mean_test_score"]
    assert means[at] == pytest.approx(search.best_score_)
    assert (means[:at] < search.best_score_ - 1e-10).all()
    fitted = pipeline.set_params(**taken).fit(X[train], y[train])
    assert row["test"] == pytest.approx(fitted.score(X[test], y[test]))


def test_test_rows_and_labels_touch_nothing_but_the_test_accuracy(small, monkeypatch):
    measured, source, axes = small
    axes = {**axes, "split": 1, "scaling": "standard"}
    honest = [evaluate_classifier(c, source, axes) for c in measured.values()]
    (X, y, _), fingerprint = source.samples(), source.fingerprint
    train, test = outer_split(y, fingerprint, 0, 1, axes["test_size"])
    folds = inner_folds(y, train, fingerprint, 0, 1, axes["inner_folds"])
    X, y = X.copy(), y.copy()
    X[test] = 1e3 * np.random.default_rng(0).normal(size=X[test].shape)
    y[test] = 1 - y[test]
    monkeypatch.setattr(classifiers, "outer_split", lambda *_: (train, test))
    monkeypatch.setattr(classifiers, "inner_folds", lambda *_: folds)
    monkeypatch.setattr(Loaded, "samples", lambda _: Samples(X, y))
    disturbed = [evaluate_classifier(c, source, axes) for c in measured.values()]
    assert any(a["test"] != b["test"] for a, b in zip(honest, disturbed, strict=True))
    for a, b in zip(honest, disturbed, strict=True):
        assert {**a, "test": 0} == {**b, "test": 0}


def test_keys_hold_what_determines_a_row_and_nothing_else():
    base = Classifier("A", "sklearn.svm:SVC", {"n": 1}, {"C": [1, 2]})

    def key(classifier=base, **other):
        return task_of(classifier, Loaded("", ""), {**dict.fromkeys(AXES, 1), **other}).key

    assert key() == key(replace(base, label="B"))
    others = [key(**{name: 2}) for name in AXES]
    changes: tuple[dict[str, Any], ...] = (
        *({"call": "sklearn.svm:LinearSVC"}, {"params": {"n": 2}}),
        *({"grid": {"C": [1]}}, {"scale": True}),
    )
    others += [key(replace(base, **change)) for change in changes]
    assert len({key(), *others}) == 1 + len(others)


def row(method, split, test, n_features=5, parameters="{}"):
    about = {"method": method, "label": method.upper(), "tuning": "paper", "split": split}
    evaluated = {
        "test": test,
        "validation": 0.5,
        "n_features": n_features,
        "parameters": parameters,
    }
    return {**about, **evaluated, "n_test": 13, "n_train": 49}


@pytest.mark.usefixtures("without_jax")
def test_tables_hold_what_was_measured_and_only_what_was_published(compose):
    config = compose(EXPERIMENT, "method=anova", "protocol.tuning=[paper]")
    config.protocol.n_repetitions = 4
    config.protocol.classifiers = {
        "a": {"label": "A", "call": "sklearn.svm:SVC"},
        "b": {"label": "B", "call": "sklearn.svm:SVC"},
        "c_quoted": {"label": "C", "quoted": [80, 10]},
    }
    tests = [0.7, 0.9, 0.8]
    rows = [row("a", s, t, 3 + s, f'{{"C": {s // 2}}}') for s, t in enumerate(tests)]
    columns = ("log2_C", "columns", "ranking_share", "combination", "ranking_samples", "stability")
    table = pd.DataFrame(rows).assign(**dict.fromkeys(columns, np.nan))
    summary = tables_of(accuracy.KIND, {"rows": table}, config)["summary"].set_index("method")
    assert list(summary.index) == ["anova", "a", "b", "c_quoted"]
    a = summary.loc["a"]
    assert a["accuracy"] == pytest.approx(0.8)
    assert a["std"] == pytest.approx(np.std(tests, ddof=1))
    low, high = resampled_interval(tests, 13 / 49)
    assert (a["ci_low"], a["ci_high"]) == (max(low, 0), min(high, 1))
    assert (a["n_features"], a["parameters"], a["n_splits"], a["n_failed"]) == (4, '{"C": 0}', 3, 1)
    assert summary["n_failed"]["b"] == 4
    assert np.isnan(summary["accuracy"]["b"])
    quoted = summary.loc["c_quoted"].dropna()
    assert set(quoted.index) == {
        *("label", "combination", "tuning", "ranking_share", "accuracy", "std", "quoted")
    }
    assert (quoted["accuracy"], quoted["std"]) == (0.8, 0.1)
    assert summary["quoted"].tolist()[1:] == [False, False, True]


@pytest.mark.usefixtures("without_jax")
def test_without_its_extra_a_classifier_is_left_out_and_the_log_says_what_to_install(
    compose, caplog, monkeypatch
):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    config = compose(*SMOKE)
    found = set(resolve(config))
    assert found == {*MEASURED} - {"xgboost"}
    quoted = {name for name in config.protocol.classifiers if name.endswith("_quoted")}
    assert len(quoted) > 5
    assert not quoted & found  # They are published, and never computed.
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1 + len(NEURAL)
    assert sum("pip install '.[neural]'" in line for line in said) == len(NEURAL)
    assert sum("pip install '.[embedded]'" in line for line in said) == 1


def test_with_jax_the_neural_systems_are_tuned_in_folds_of_their_own(compose, small):
    pytest.importorskip("jax", reason="the neural systems need jax: pip install '.[neural]'")
    found = resolve(compose(*SMOKE))
    assert set(NEURAL) <= found.keys()
    _, source, axes = small
    axes |= {"split": 0, "inner_folds": 10}
    for name, n_folds in (("lasso", 10), ("linear_stg", 3)):
        task = task_of(found[name], source, axes)
        assert task.function.args[2]["inner_folds"] == n_folds  # type: ignore[attr-defined]
    row = task.function()
    assert row == task.function()
    assert 0 <= row["test"] <= 1
    assert 0 <= row["n_features"] <= 12


def test_features_used_are_those_that_can_change_the_decision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = (X[:, 3] > 0).astype(int)
    X[:, 5] = 0
    stump = RandomForestClassifier(1, max_depth=1, max_features=None, bootstrap=False)
    lasso = LogisticRegression(solver="liblinear", l1_ratio=1, C=1, random_state=0)
    assert n_used(stump.fit(X, y), 8) == 1
    assert n_used(SVC(kernel="rbf").fit(X, y), 8) == 8
    assert n_used(SVC(kernel="linear").fit(X, y), 8) == 7
    network = MLPClassifier([3], solver="lbfgs", max_iter=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert n_used(make_pipeline(StandardScaler(), network).fit(X, y), 8) == 8
    fitted = make_pipeline(StandardScaler(), lasso).fit(X, y)
    used = n_used(fitted, 8)
    assert used == np.count_nonzero(fitted[-1].coef_) < 8
    strict = make_pipeline(StandardScaler(), lasso.set_params(C=1e-6)).fit(X, y)
    assert n_used(strict, 8) == 0
