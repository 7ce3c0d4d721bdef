"""Runs of one small experiment, on this machine and on clusters."""

import pytest

from experiments.runner import run_experiment
from tests.experiments.conftest import composed
from tests.experiments.engine.conftest import started

XOR = ["experiment=xor100", "profile=smoke", "method=manifest", "draw=false"]


@pytest.fixture
def run(tmp_path):
    """A function from overrides to the folder of a run in this process."""

    def finished(*overrides, folder="local"):
        config = composed(*XOR, f"store={tmp_path / folder / 'store'}", *overrides)
        run_experiment(config, tmp_path / folder)
        return tmp_path / folder

    return finished


@pytest.fixture
def sweep(tmp_path):
    """A function from arguments and an environment to a multirun that has been started."""
    processes = []

    def launched(*arguments, **options):
        where = [f"store={tmp_path / 'store'}", f"hydra.sweep.dir={tmp_path / 'sweep'}"]
        processes.append(started("-m", *XOR, *where, "workers=0", *arguments, **options))
        return processes[-1]

    yield launched
    for process in processes:
        process.kill()
        process.communicate()
