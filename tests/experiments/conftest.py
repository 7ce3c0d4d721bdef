"""Composed configs and small runs for the tests of experiments/."""

import copy
import functools
import re
import shlex
import sys

import numpy as np
import pandas as pd
import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.override_parser.overrides_parser import OverridesParser

from experiments.cache import Cache, Run
from experiments.config import CONFIGS, PROFILES
from experiments.evaluation import plan
from experiments.evaluation.plan import Entry
from experiments.evaluation.tasks import task_of
from experiments.evaluation.tuning import TUNINGS
from experiments.kinds import composed as hydra_composed
from experiments.kinds.accuracy.setup import setup_of
from experiments.report.stored import provenance_of
from experiments.run import run_experiment

#: An override that chooses a file of a group, or is Hydra's own.
CHOICE = re.compile(rf"[+~]*(hydra\b|({'|'.join(p.name for p in CONFIGS.iterdir())})[/@=])")

PROFILE = re.compile(rf"^profile=({'|'.join(PROFILES)})$")

#: Arguments from a line, as a shell reads it.
words = shlex.split
#: Accuracy on the small table, in a few seconds.
SMALL = words("""
experiment=colon dataset=table dataset.scaling=none dataset.target=y
protocol.sizes=[1,2,4,8,12] protocol.inner_folds=4
protocol.test_size=0.25 protocol.log2_C=[-2,1,4] protocol.log2_gamma=[-6,-3,0]
protocol.n_repetitions=2 protocol.grid_size=2
""")


def composed(*overrides):
    """A composed config, the caller's own to change.

    What the choices of files compose is kept. Hydra sets the values after it, as it does here. The
    file of a profile has its name alone, which is set as a value.
    """
    overrides = tuple(PROFILE.sub(r"profile.name=\1", override) for override in overrides)
    config = copy.deepcopy(chosen(*filter(CHOICE.match, overrides)))
    values = [override for override in overrides if not CHOICE.match(override)]
    parsed = OverridesParser.create().parse_overrides(values)
    ConfigLoaderImpl._apply_overrides_to_config(parsed, config)
    return config


@pytest.fixture(scope="session", autouse=True)
def _quiet_environment(tmp_path_factory):
    """Caches out of the user's home, and no proxy before a server on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANIFEST_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield


#: The config that Hydra composes of choices of files.
chosen = functools.cache(hydra_composed)


@pytest.fixture
def compose():
    """A function from overrides to a composed config."""
    return composed


@pytest.fixture
def run(compose, tmp_path, monkeypatch):
    """A function from overrides to the folder of a finished run, and how many tasks failed.

    It draws the figures where it is asked to: they take longer than all else in a small run. So
    does the page, which draw=true asks for alone.
    """

    def finished(*overrides, folder="run", store="store", workers=1, figures=False):
        config = compose(*overrides)
        config.store, config.workers = str(tmp_path / store), workers
        config.draw = config.draw and (figures or "draw=true" in overrides)
        with monkeypatch.context() as patch:
            if not figures:
                patch.setattr("experiments.report.figures.draw", lambda *_: [])
            return tmp_path / folder, run_experiment(config, tmp_path / folder)

    return finished


@pytest.fixture
def table(tmp_path):
    """A small table of a user's own: 48 samples, 12 features, two of them informative."""
    X, y = np.random.default_rng(0).normal(size=(48, 12)), np.repeat([0, 1], 24)
    X[y == 1, 2] += 1.5
    X[:, 7] += np.where(y == 1, 1.2, -1.2) * np.sign(X[:, 8])
    path = tmp_path / "own.parquet"
    pd.DataFrame(X).add_prefix("x").assign(y=y).to_parquet(path, index=False)
    return path


@pytest.fixture
def small(compose, table, tmp_path):
    """A config on the small table, its Run, Setup and samples."""

    def made(*overrides, store="store"):
        config = compose(*SMALL, f"dataset.path={table}", *overrides, "workers=1")
        return prepared(config, tmp_path / store)

    return made


def prepared(config, store):
    """A config, its Run, its Setup of the kind accuracy, and its samples."""
    run = Run(config, Cache(str(store)))
    setup = setup_of(run)
    X, y, _ = setup.source.samples()
    return config, run, setup, (X, y, setup.source.fingerprint)


def tasks_of(setup, method, parameters, split, tuning):
    """The tasks that a tuning needs of a candidate; that of the whole training part first."""
    (group,) = TUNINGS[tuning].groups([setup.problem(split)])
    return [task_of(each, method, parameters, setup.run.cache) for each in group]


def choice_of(setup, method, split, tuning, share=1.0):
    """The choice of a split, after its tasks were computed."""
    (group,) = TUNINGS[tuning].groups([setup.problem(split, share)])
    entry = Entry(method, group, TUNINGS[tuning])
    plan.complete(setup.run, [entry])
    return plan.choices(setup.run, entry)[split]


def results(folder):
    """The bytes of a run's tables and rows by name, wherever and however often it was begun."""
    paths = [folder / "rows.parquet", *folder.glob("*.csv")]
    return {path.name: path.read_bytes() for path in paths}


def tasks(folder):
    """The numbers of tasks that a run has computed and reused, and the errors of failed ones."""
    return provenance_of(folder)["tasks"]


@pytest.fixture
def without_jax(monkeypatch):
    """jax is not there, as in an environment without the extra `neural`."""
    monkeypatch.setitem(sys.modules, "jax", None)
    for module in [name for name in sys.modules if name.startswith("baselines.embedded.")]:
        monkeypatch.delitem(sys.modules, module)
