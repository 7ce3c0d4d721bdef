"""Composed configs and small runs for the tests of experiments/."""

from pathlib import Path

import numpy as np
import pytest
from hydra import compose as hydra_compose
from hydra import initialize_config_dir

from experiments.config import register
from experiments.runner import run_experiment

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


@pytest.fixture
def compose():
    """A function from overrides to a composed config."""
    register()

    def composed(*overrides):
        with initialize_config_dir(str(CONFIGS), version_base="1.3"):
            return hydra_compose("config", overrides=list(overrides))

    return composed


@pytest.fixture
def run(compose, tmp_path):
    """A function from overrides to the folder of a finished run, and how many units failed."""

    def finished(*overrides, folder="run", store="store", workers=1):
        config = compose(*overrides, f"store={tmp_path / store}", f"workers={workers}")
        return tmp_path / folder, run_experiment(config, tmp_path / folder)

    return finished


@pytest.fixture
def table(tmp_path):
    """A small table of a user's own: 48 samples, 12 features, two of them informative."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(48, 12))
    y = np.repeat([0, 1], 24)
    X[y == 1, 2] += 1.5
    X[:, 7] += np.where(y == 1, 1.2, -1.2) * np.sign(X[:, 8])
    path = tmp_path / "own.npz"
    np.savez(path, X=X, y=y)
    return path
