"""Runs of one small experiment, on this machine and on clusters."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from experiments.kinds import register
from experiments.runner import run_experiment

ROOT = Path(__file__).resolve().parents[2]
XOR = ["experiment=xor100", "profile=smoke", "method=manifest", "draw=false"]


@pytest.fixture
def run(tmp_path):
    """A function from overrides to the folder of a run in this process."""
    register()

    def finished(*overrides, folder="local"):
        with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
            store = f"store={tmp_path / folder / 'store'}"
            config = compose("config", overrides=[*XOR, store, *overrides])
        run_experiment(config, tmp_path / folder)
        return tmp_path / folder

    return finished


@pytest.fixture
def sweep(tmp_path):
    """A function from arguments and an environment to a multirun that has been started."""
    processes = []

    def started(*arguments, env=None, program=("run.py",)):
        where = [f"store={tmp_path / 'store'}", f"hydra.sweep.dir={tmp_path / 'sweep'}"]
        process = subprocess.Popen(
            [sys.executable, *program, "-m", *XOR, *where, "workers=0", *arguments],
            cwd=ROOT,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield started
    for process in processes:
        process.kill()
        process.communicate()


def tables(folder: Path) -> dict[str, bytes]:
    """What must not depend on where a run was computed."""
    return {name: (folder / name).read_bytes() for name in ("summary.csv", "features.csv")}


def units(folder: Path) -> dict:
    """How many units were computed and reused, and which failed."""
    return json.loads((folder / "provenance.json").read_text())["units"]
