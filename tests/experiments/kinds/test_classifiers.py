"""Classifiers that select features themselves: their config and splits, and what must not leak."""

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from experiments.config import ConfigError
from experiments.evaluation.division import KFold, inner_folds, outer_split
from experiments.evaluation.samples import Loaded
from experiments.evaluation.statistics import resampled_interval
from experiments.evaluation.tasks import Problem
from experiments.kinds import accuracy
from experiments.kinds.accuracy.classifiers import (
    Classifier,
    evaluate_classifier,
    n_used,
    problem_of,
    resolve,
    task_of,
)
from experiments.kinds.base import tables_of
from tests.experiments.conftest import prepared

pytestmark = pytest.mark.slow

EXPERIMENT = "experiment=colon_embedded"
MEASURED = ["lasso", "svc", "random_forest", "xgboost", "mlp"]
#: What is changed so that a test can afford it.
SMALL = """
lasso.grid.C=[0.1,1,10] svc.grid.kernel=[linear,rbf] svc.grid.C=[0.1,10]
random_forest.params.n_estimators=20 xgboost.params.n_estimators=15 mlp.params.tol=0.1
mlp.grid.hidden_layer_sizes=[[5],[10]]
"""


@pytest.fixture
def small(compose, without_jax, table, tmp_path):
    """Classifiers and the Setup on the small table."""
    own = [f"dataset.path={table}", "dataset=table", "dataset.target=y", "dataset.scaling=none"]
    own += ["protocol.test_size=0.25", "protocol.inner_folds=3", "method=anova"]
    config = compose(EXPERIMENT, *own, *(f"++protocol.classifiers.{one}" for one in SMALL.split()))
    _, _, setup, _ = prepared(config, tmp_path / "store")
    return resolve(config), setup


@pytest.mark.usefixtures("without_jax")
def test_what_is_missing_is_left_out_and_is_named_with_its_extra(compose, monkeypatch, caplog):
    found = resolve(compose(EXPERIMENT, "profile=smoke"))
    assert [*found] == MEASURED
    assert all(len(values) == 1 for each in found.values() for values in each.grid.values())
    assert len(caplog.messages) == 10
    assert all("pip install '.[neural]'" in line for line in caplog.messages)
    monkeypatch.setitem(sys.modules, "xgboost", None)
    found = resolve(compose(EXPERIMENT, "profile=smoke"))
    assert [*found] == [name for name in MEASURED if name != "xgboost"]
    assert sum("pip install '.[embedded]'" in line for line in caplog.messages) == 1


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"label": "nothing"}, "needs call"), ({"call": "sklearn.svm:SCV"}, "no function 'SCV'"),
    ({"call": "builtins:len"}, "MODULE:CLASS"),
    ({"call": "no_such_package.models:Net"}, "No module"),
]  # fmt: skip


def test_what_cannot_be_run_is_refused(compose):
    config = compose(EXPERIMENT, "profile=paper")
    for entry, says in FAULTS:
        config.protocol.classifiers = {"mine": Classifier(**entry)}
        with pytest.raises(ConfigError, match=rf"^classifier mine.*{says}"):
            resolve(config)


@pytest.mark.parametrize("split", [0, 1, 2])
@pytest.mark.parametrize(("name", "bare"), [
    ("lasso", LogisticRegression(solver="liblinear", l1_ratio=1, random_state=0)), ("svc", SVC()),
])  # fmt: skip
def test_a_classifier_is_a_grid_search_inside_the_training_rows(small, name, bare, split):
    found, setup = small
    row = evaluate_classifier(found[name], problem_of(found[name], setup, split))
    (X, y, _), fingerprint = setup.source.samples(), setup.source.fingerprint
    train, test = outer_split(y, fingerprint, 0, split, 0.25)
    folds = inner_folds(y, train, fingerprint, 0, split, 3)
    pipeline = make_pipeline(StandardScaler(), bare)
    prefix = pipeline.steps[-1][0]
    grid = {f"{prefix}__{key}": values for key, values in found[name].grid.items()}
    search = GridSearchCV(pipeline, grid, cv=folds, refit=False).fit(X, y).cv_results_
    means = search["mean_test_score"].round(9)
    assert row["validation"] == pytest.approx(means.max())
    best = search["params"][int(means.argmax())]
    assert {f"{prefix}__{key}": v for key, v in json.loads(row["parameters"]).items()} == best
    fitted = pipeline.set_params(**best).fit(X[train], y[train])
    assert row["test"] == pytest.approx(fitted.score(X[test], y[test]))


def test_a_classifier_may_be_tuned_in_folds_of_its_own(small):
    found, setup = small
    for own, expected in ((None, 3), (5, 5)):
        problem = problem_of(replace(found["svc"], inner_folds=own), setup, 0)
        assert problem.divider == KFold(0.25, expected)


def test_keys_hold_what_determines_a_row_and_nothing_else():
    base = Classifier("A", "sklearn.svm:SVC", {"n": 1}, {"C": [1, 2]})
    problem = Problem(Loaded("", ""), KFold(0.25, 3), None, 0, number=0)

    def key(of=problem, **changes):
        return task_of(replace(base, **changes), of).key

    assert key() == key(label="B")
    others = {key(call="sklearn.svm:LinearSVC"), key(params={"n": 2}), key(grid={"C": [1]})}
    others |= {key(scale=True)}
    changes: list[dict[str, Any]] = [
        {"source": Loaded("other", "")}, {"divider": KFold(0.5, 3)}, {"divider": KFold(0.25, 4)},
        {"seed": 1}, {"scaling": "standard"}, {"number": 1},
    ]  # fmt: skip
    others |= {key(replace(problem, **change)) for change in changes}
    assert len(others - {key()}) == 4 + len(changes)


@pytest.mark.usefixtures("without_jax")
def test_the_summary_has_the_means_and_the_failures_of_classifiers(compose):
    fewer = "+protocol.fewer_splits.icml=1", "protocol.n_repetitions=4"
    config = compose(EXPERIMENT, "method=anova", "protocol.tuning=[paper,icml]", *fewer)
    config.protocol.classifiers = {name: Classifier(name, "sklearn.svm:SVC") for name in "ab"}
    tests, chosen = [0.7, 0.9, 0.8], ['{"C": 0}', '{"C": 0}', '{"C": 1}']
    rows = pd.DataFrame({"split": range(3), "test": tests, "n_features": [3, 4, 5]}).assign(
        method="a", label="a", tuning="paper", parameters=chosen, n_test=13, n_train=49,
        validation=0.5,
    )  # fmt: skip
    summaries = tables_of(accuracy.KIND, {"rows": rows}, config)["summary"].set_index("method")
    summary = summaries[summaries["tuning"] == "icml"]
    assert summary["n_failed"].dropna().to_dict() == {"anova": 1, "a": 1, "b": 1}
    summary = summaries[summaries["tuning"] == "paper"]
    assert summary["n_failed"].dropna().to_dict() == {"anova": 4, "a": 1, "b": 4}
    a = summary.loc["a"]
    low, high = resampled_interval(tests, 13 / 49)
    assert (a["accuracy"], a["std"]) == pytest.approx((0.8, np.std(tests, ddof=1)))
    assert (a["ci_low"], a["ci_high"]) == (max(low, 0), min(high, 1))
    assert (a["n_features"], a["parameters"], a["n_splits"]) == (4, '{"C": 0}', 3)


def test_features_used_are_those_that_can_change_the_decision():
    X = np.random.default_rng(0).normal(size=(60, 8))
    y = (X[:, 3] > 0).astype(int)
    X[:, 5] = 0
    network = MLPClassifier([3], solver="lbfgs", max_iter=2000, random_state=0)
    lasso = LogisticRegression(solver="liblinear", l1_ratio=1, C=1, random_state=0).fit(X, y)
    for estimator, expected in (
        (RandomForestClassifier(1, max_depth=1, max_features=None, bootstrap=False), 1),
        (SVC(kernel="rbf"), 8),
        (SVC(kernel="linear"), 7),
        (make_pipeline(StandardScaler(), network), 8),
        (clone(lasso).set_params(C=1e-6), 0),
        (clone(lasso), np.count_nonzero(lasso.coef_)),
    ):
        assert n_used(estimator.fit(X, y), 8) == expected
    assert np.count_nonzero(lasso.coef_) < 8
