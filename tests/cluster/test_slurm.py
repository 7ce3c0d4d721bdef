"""A sweep on a Slurm that is really there, cancelled in the middle; a search by optuna."""

import os
import re
import subprocess
import tomllib
from contextlib import ExitStack
from importlib.util import find_spec

import pandas as pd
import pytest
import yaml
from hydra.errors import MissingConfigException

from experiments.engine.interruption import GO_ON
from experiments.errors import sentence
from tests.cluster import slurm
from tests.experiments.conftest import results, units
from tests.experiments.engine.conftest import Folder, until
from tests.experiments.scorers import HOLD
from tests.forks import ROOT

HELD = "+method.scorers.held.call=tests.experiments.scorers:held"
#: run.py, with submitit waiting for a second, not fifteen, for the results of a cancelled job.
IMPATIENT = """
import runpy, submitit
submitit.Job._results_timeout_s = 1
runpy.run_path("run.py", run_name="__main__")
"""
LAUNCHER = ["hydra/launcher=slurm", "hydra.launcher.cpus_per_task=1", "hydra.launcher.mem_gb=1"]


needs_submitit = pytest.mark.skipif(
    find_spec("submitit") is None, reason="no submitit: pip install '.[cluster]'"
)


@pytest.fixture
def cluster():
    """The environment in which Slurm's commands speak to a node of our own; a skip without one."""
    with ExitStack() as stack:
        try:
            environment = stack.enter_context(slurm.one_node())
        except slurm.CannotStart as error:
            pytest.skip(str(error))
        yield environment


@needs_submitit
def test_a_cancelled_sweep_goes_on_and_equals_the_local_one(cluster, run, sweep, tmp_path):
    hold = tmp_path / "hold"
    environment = {**cluster, HOLD: str(hold)}
    command = [*LAUNCHER, HELD, "seed=0,1"]

    hold.touch()
    first = sweep(*command, env=environment, program=("-c", IMPATIENT))
    store = Folder(tmp_path)
    until(lambda: len(store.finished()) >= 2, first)
    before = store.finished()
    subprocess.run(["scancel", "--user=root"], env=environment, check=True)
    local = [run(HELD, f"seed={seed}", "workers=0", folder=f"seed{seed}") for seed in (0, 1)]
    _, told = first.communicate(timeout=300)
    assert first.returncode == 1
    (line,) = told.strip().splitlines()
    assert line.startswith("run.py: Job 1_")
    assert line.endswith(f"(state: CANCELLED); {GO_ON}")
    hold.unlink()

    second = sweep(*command, env=environment)
    _, told = second.communicate(timeout=300)
    assert second.returncode == 0, told
    assert before.items() <= store.finished().items()
    for seed, here in enumerate(local):
        (there,) = (tmp_path / "sweep").glob(f"*seed={seed}")
        assert results(there) == results(here)
        assert units(there)["reused"] == 1
        assert units(there)["computed"] == units(here)["computed"] - 1


@needs_submitit
def test_what_slurm_refuses_ends_with_one_sentence(cluster, sweep):
    process = sweep(*LAUNCHER, "hydra.launcher.partition=nowhere", env=cluster)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 1
    *_, line = told.splitlines()
    assert line.startswith("run.py: Slurm refuses the jobs: ")
    assert "nowhere" in line
    assert "Traceback" not in told


@needs_submitit
def test_without_slurm_one_sentence_says_so(sweep):
    process = sweep(*LAUNCHER, env={**os.environ, "PATH": ""})
    _, told = process.communicate(timeout=300)
    assert process.returncode == 1
    assert told == (
        "run.py: hydra/launcher=slurm needs Slurm, and there is no srun on this machine\n"
    )


@pytest.mark.parametrize("name", ["hydra/launcher/submitit_slurm", "hydra/sweeper/optuna"])
def test_without_its_plugin_the_extra_is_named(name):
    group, _, plugin = name.rpartition("/")
    told = sentence(MissingConfigException(f"Could not load '{name}'", missing_cfg_file=name))
    assert told.startswith(f"{group} needs a plugin that is not installed: pip install")
    (extra,) = re.findall(r"\[(\w+)\]", told)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = f"hydra-{plugin.removesuffix('_slurm')}"
    assert any(line.startswith(wanted) for line in project["optional-dependencies"][extra])


def test_a_search_maximises_the_headline_within_the_interval(sweep, tmp_path):
    if find_spec("optuna") is None:
        pytest.skip("no optuna: pip install '.[search]'")
    sweeper = ["hydra/sweeper=search", "hydra.sweeper.n_trials=4"]
    process = sweep(*sweeper, "method.percentile=interval(20,80)", "method.scale_factor=0.3")
    _, told = process.communicate(timeout=300)
    assert process.returncode == 0, told
    tried = pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    percentiles = tried["job"].str.extract(r"percentile=([0-9.]+)")[0].astype(float)
    assert len(tried) == percentiles.nunique() == 4
    assert percentiles.between(20, 80).all()
    found = yaml.safe_load((tmp_path / "sweep" / "optimization_results.yaml").read_text())
    assert found["best_value"] == tried["value"].max()
    best = percentiles[tried["value"] == tried["value"].max()]
    assert any(best.sub(found["best_params"]["method.percentile"]).abs() < 1e-9)
