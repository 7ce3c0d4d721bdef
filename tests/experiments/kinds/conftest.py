"""Runs of a kind without the files of a run, and what scikit-learn's search says of an SVM."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from experiments.cache import Cache, Outcome, Run
from experiments.kinds import load, validate
from experiments.kinds.base import tables_of
from tests.experiments.conftest import SMALL, composed, prepared, words

#: Few samples on digits, in a few seconds.
DIGITS = words("""
experiment=mnist_multiclass profile=smoke workers=1 protocol.log2_C=[1,4]
protocol.log2_gamma=[-11,-8]
""")


def evaluated(config, store):
    """The tables of a config, its rows, name by name, and the outcome of its tasks."""
    validate(config)
    kind, outcome = load(config.protocol.kind), Outcome()
    results = kind.run(Run(config, Cache(str(store)), outcome))
    return tables_of(kind, results.rows, config), results.rows, outcome


@pytest.fixture
def result(tmp_path):
    """A function from overrides to the tables of a run, and its rows; no task fails.

    The tables are remade from rows that were written and read again.
    """

    def made(*overrides):
        config = composed(*overrides, "workers=1")
        _, stored, outcome = evaluated(config, tmp_path / "store")
        assert not outcome.failures
        for name, rows in stored.items():
            rows.to_parquet(tmp_path / f"{name}.parquet", index=False)
            stored[name] = pd.read_parquet(tmp_path / f"{name}.parquet")
        return {**stored, **tables_of(load(config.protocol.kind), stored, config)}

    return made


@pytest.fixture
def digits(tmp_path):
    """A config on digits, its Run, Setup and samples."""

    def made(*overrides, store="store"):
        return prepared(composed(*DIGITS, *overrides), tmp_path / store)

    return made


@pytest.fixture
def on_table(result, table):
    """The same on the small table."""
    return lambda *overrides: result(*SMALL, f"dataset.path={table}", *overrides)


@pytest.fixture
def three_classes(tmp_path):
    """A table of a user's own: 48 samples of three classes with names, 12 features."""
    y, path = np.arange(48) % 3, tmp_path / "three.parquet"
    X = np.random.default_rng(0).normal(size=(48, 12)) + np.eye(12)[y] * 1.5
    frame = pd.DataFrame(X).add_prefix("x").assign(y=np.array(["stroma", "normal", "tumour"])[y])
    frame.to_parquet(path, index=False)
    return f"dataset.path={path}"


def svm_search(protocol, X, y, folds):
    """The best mean accuracy over folds of an SVM, and the first SVM that has it, unfitted."""
    grid = {axis: np.exp2(protocol[f"log2_{axis}"]) for axis in ("C", "gamma")}
    search = GridSearchCV(SVC(), grid, cv=folds, refit=False).fit(X, y)
    # The last digits of tied means depend on how they are added.
    means = search.cv_results_["mean_test_score"].round(9)
    return search.best_score_, SVC(**search.cv_results_["params"][int(means.argmax())])
