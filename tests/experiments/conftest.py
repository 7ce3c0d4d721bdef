"""Composed configs and small runs for the tests of experiments/."""

import copy
import functools
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from hydra import compose as hydra_compose
from hydra import initialize_config_dir

from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.evaluation.plan import Entry
from experiments.evaluation.readings import READINGS
from experiments.kinds import register
from experiments.kinds.accuracy import setup_of
from experiments.kinds.base import Run
from experiments.runner import run_experiment

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


#: Accuracy on the small table, in a few seconds.
SMALL = [
    "experiment=colon",
    "dataset=file",
    "dataset.target=y",
    "protocol.sizes=[1,2,4,8,12]",
    "protocol.inner_folds=4",
    "protocol.test_size=0.25",
    "protocol.log2_C=[-2,1,4]",
    "protocol.log2_gamma=[-6,-3,0]",
    "protocol.n_repetitions=2",
    "protocol.grid_size=2",
]


def composed(*overrides):
    """A composed config, the caller's own to change."""
    return copy.deepcopy(_composed(*overrides))


@functools.cache
def _composed(*overrides):
    register()
    with initialize_config_dir(str(CONFIGS), version_base="1.3"):
        return hydra_compose("config", overrides=list(overrides))


@pytest.fixture
def compose():
    """A function from overrides to a composed config."""
    return composed


@pytest.fixture
def run(compose, tmp_path, monkeypatch):
    """A function from overrides to the folder of a finished run, and how many units failed.

    It draws the figures where it is asked to: they take longer than all else in a small run.
    """

    def finished(*overrides, folder="run", store="store", workers=0, figures=False):
        config = compose(*overrides)
        config.store, config.workers = str(tmp_path / store), workers
        with monkeypatch.context() as patch:
            if not figures:
                patch.setattr("experiments.report.figures.draw", lambda name, folder: [])
            return tmp_path / folder, run_experiment(config, tmp_path / folder)

    return finished


def small_table(folder):
    """A small table of a user's own: 48 samples, 12 features, two of them informative."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(48, 12))
    y = np.repeat([0, 1], 24)
    X[y == 1, 2] += 1.5
    X[:, 7] += np.where(y == 1, 1.2, -1.2) * np.sign(X[:, 8])
    path = folder / "own.npz"
    np.savez(path, X=X, y=y)
    return path


@pytest.fixture
def table(tmp_path):
    """The path of the small table."""
    return small_table(tmp_path)


@pytest.fixture
def small(compose, table, tmp_path):
    """A config on the small table, its Run, Setup and samples."""

    def prepared(*overrides, store="store"):
        config = compose(*SMALL, f"dataset.path={table}", *overrides, "workers=0")
        run = Run(config, resolve(config), Store(tmp_path / store), Outcome())
        setup = setup_of(run)
        X, y, _ = setup.source.samples()
        return config, run, setup, (X, y, setup.source.fingerprint)

    return prepared


def units_of(setup, method, parameters, split, reading, share=1.0, columns=None):
    """The units that a reading needs of a candidate; that of the whole training part first."""
    problem = setup.problem(split, share, columns)
    folds = problem.folds if READINGS[reading].ranks_folds else []
    return [setup.plan.unit(each, method, parameters) for each in [problem, *folds]]


def choice_of(setup, method, split, reading, share=1.0):
    """The choice of a split, after its units were computed."""
    needed = [
        u for p in method.candidates() for u in units_of(setup, method, p, split, reading, share)
    ]
    setup.run.complete(needed, "")
    entry = Entry(method, setup.problem(split, share), READINGS[reading])
    return setup.plan.choice(entry)


def project_copy(folder):
    """A copy of all that a run needs, to be edited by a test."""
    for name in ("manifest", "baselines", "experiments", "configs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CONFIGS.parent / name, folder / name, ignore=ignored)
    shutil.copy(CONFIGS.parent / "run.py", folder)
    return folder


def svm_grid(config):
    """The grid of a config's SVM, for scikit-learn's search over a pipeline."""
    return {
        "svc__C": [2.0**p for p in config.protocol.log2_C],
        "svc__gamma": [2.0**p for p in config.protocol.log2_gamma],
    }


@pytest.fixture
def without_jax(monkeypatch):
    """jax is not there, as in an environment without the extra `neural`."""
    monkeypatch.setitem(sys.modules, "jax", None)
    for module in [name for name in sys.modules if name.startswith("baselines.embedded.")]:
        monkeypatch.delitem(sys.modules, module)
