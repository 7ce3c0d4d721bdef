"""Sweeps: a row for each job and method, jobs that fail, launchers."""

import pandas as pd
import pytest

from tests.commands import python
from tests.experiments.conftest import results, words

XOR = words("experiment=xor100 profile=smoke")


@pytest.fixture
def sweep(tmp_path):
    """Run a sweep: its answer, and sweep.csv."""

    def run(*given, folder="sweep"):
        places = [f"hydra.sweep.dir={tmp_path / folder}", f"store={tmp_path / folder}_store"]
        answer = python("run.py", "-m", *XOR, *given, *places, "draw=false")
        path = tmp_path / folder / "sweep.csv"
        return answer, pd.read_csv(path) if path.exists() else None

    return run


def test_the_table_has_a_row_for_each_job_and_method(sweep, tmp_path):
    answer, table = sweep("method=[manifest,relieff]", "method.scale_factor=0.1,1", "workers=1")
    assert answer.returncode == 0, answer.stderr
    assert len(table) == 4
    assert set(table["status"]) == {"finished"}
    manifest = table[table["method"] == "manifest"].set_index("method.scale_factor")
    assert manifest.loc[1.0, "mean"] == 0
    assert manifest.loc[0.1, "mean"] == 2
    for _, row in table.iterrows():
        summary = pd.read_csv(tmp_path / "sweep" / row["folder"] / "summary.csv")
        of_method = summary.set_index("method").loc[row["method"]]
        assert tuple(row[["mean", "ci_low"]]) == tuple(of_method[["correct", "ci_low"]])


def test_a_job_that_fails_stops_no_other(sweep):
    answer, table = sweep("method=anova", "seed=-1,0", "workers=1")
    assert answer.returncode == 1
    assert list(table["status"]) == ["failed", "finished"]
    assert "seed" in table["error"].iloc[0]
    assert "Traceback" not in answer.stdout + answer.stderr


@pytest.mark.slow
def test_jobs_that_share_a_folder_are_an_error(sweep):
    answer, table = sweep("method=anova", "seed=0,1", "hydra.sweep.subdir=same", "workers=1")
    assert answer.returncode == 1
    assert list(table["status"]) == ["finished", "failed"]
    assert "folder" in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["joblib", "submitit_local"])
def test_launchers_give_the_same_bytes(sweep, tmp_path, launcher):
    if launcher != "joblib":
        pytest.importorskip("hydra_plugins.hydra_submitit_launcher")
    options = {
        "joblib": ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"],
        "submitit_local": ["hydra/launcher=submitit_local", "hydra.launcher.mem_gb=2"],
    }[launcher]
    _, one = sweep("method=anova", "seed=0,1", "workers=1", folder="one")
    answer, there = sweep("method=anova", "seed=0,1", "workers=1", *options, folder="there")
    assert answer.returncode == 0, answer.stderr
    assert len(there) == len(one) == 2
    for job in one["folder"]:
        assert results(tmp_path / "there" / job) == results(tmp_path / "one" / job)
