"""More than two classes: the accuracy protocol against scikit-learn, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from baselines import anova
from experiments.config import ConfigError
from experiments.evaluation.rows import inner_folds, outer_split
from experiments.runner import run_experiment
from tests.experiments.conftest import SMALL, choice_of, svm_grid


@pytest.fixture
def classes(tmp_path):
    """A table of a user's own: 48 samples of three classes with names, 12 features."""
    rng = np.random.default_rng(0)
    y = np.arange(48) % 3
    X = rng.normal(size=(48, 12)) + np.eye(12)[y] * 1.5
    path = tmp_path / "three.npz"
    np.savez(path, X=X, y=np.array(["stroma", "normal", "tumour"])[y])
    return f"dataset.path={path}"


def test_ranking_and_svm_are_those_of_scikit_learn(small, classes):
    config, run, setup, (X, y, fingerprint) = small("method=anova", classes)
    assert set(y) == {0, 1, 2}
    (method,) = run.methods
    choice = choice_of(setup, method, 0, "paper").choice
    train, test = outer_split(y, fingerprint, 0, 0, 0.25)
    assert np.bincount(y[test]).tolist() == [4, 4, 4]
    folds = inner_folds(y, train, fingerprint, 0, 0, 4)
    order = np.argsort(-anova(X[train], y[train]))
    parameters = {name.removeprefix("svc__"): values for name, values in svm_grid(config).items()}
    for i, size in enumerate(setup.judge.sizes):
        columns = X[:, order[:size]]
        search = GridSearchCV(SVC(), parameters, cv=folds, refit=False).fit(columns, y)
        # The first of tied means, whose last digits depend on how they are added.
        means = search.cv_results_["mean_test_score"].round(9)
        assert choice.validation[i] == pytest.approx(means.max())
        best = search.cv_results_["params"][int(means.argmax())]
        chosen = SVC(**best).fit(columns[train], y[train])
        assert choice.test[i] == pytest.approx(chosen.score(columns[test], y[test]))


def test_all_readings_take_scores_and_sums_of_several_classes(run, classes):
    methods = "method=[manifest_max,manifest_relieff,random]"
    folder, failed = run(
        *SMALL, classes, methods, "method.geometry=regularized", "protocol.grid_size=1"
    )
    assert failed == 0
    summary = pd.read_csv(folder / "summary.csv")
    assert summary["accuracy"].between(0, 1).all()
    found = summary[summary["method"] == "manifest_max"]
    assert found["reading"].tolist() == ["paper", "icml", "nested"]
    assert (found["accuracy"] > 1 / 3).all()


def test_what_a_method_cannot_do_with_several_classes_is_said_before_the_run(
    compose, classes, tmp_path
):
    config = compose(*SMALL, classes, "method=manifest", "workers=0", f"store={tmp_path / 'store'}")
    with pytest.raises(ConfigError, match=r"manifest .*two classes only, y has 3; use geometry="):
        run_experiment(config, tmp_path / "run")


def test_too_few_samples_of_a_class_are_counted(compose, classes, tmp_path):
    config = compose(*SMALL, classes, "method=anova", "protocol.inner_folds=13", "workers=0")
    with pytest.raises(
        ConfigError, match=r"inner_folds=13 .* the smallest class of file leaves 12"
    ):
        run_experiment(config, tmp_path / "run")
