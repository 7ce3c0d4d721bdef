"""A run and its folder: the same bytes on any workers, one run a folder, what identifies it."""

import json
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from experiments.config import ConfigError
from tests.commands import ROOT
from tests.experiments.conftest import results, tasks, words

XOR = words("experiment=xor100 profile=smoke method=[gini,anova]")


def test_results_are_the_same_for_any_number_of_workers_and_from_the_cache(run):
    one, _ = run(*XOR, folder="one", store="one", workers=1)
    two, _ = run(*XOR, folder="two", store="two", workers=2)
    again, _ = run(*XOR, folder="again", store="two")
    assert results(one) == results(two) == results(again)
    assert tasks(again) == {"computed": 0, "reused": 6, "failed": []}


def test_a_folder_holds_one_run_alone(run):
    folder, _ = run(*XOR)
    first = results(folder)
    run(*XOR)
    assert results(folder) == first
    for other in (["seed=1"], ["method=anova"], ["experiment=toy", "~method.scorers.gini"]):
        with pytest.raises(ConfigError, match="another run"):
            run(*XOR, *other)
    assert results(folder) == first
    run("experiment=hypercube", "profile=smoke", "method=anova", "overwrite=true")
    fresh, _ = run("experiment=hypercube", "profile=smoke", "method=anova", folder="fresh")
    assert results(folder) == results(fresh)


def test_a_folder_whose_data_are_others_is_refused(run, table):
    own = words(f"experiment=colon dataset=table dataset.target=y dataset.path={table} ")
    own += words("protocol.sizes=[1,2] protocol.inner_folds=2 protocol.n_repetitions=1")
    own += words("protocol.log2_C=[1] protocol.log2_gamma=[-3] method=anova")
    folder, _ = run(*own)
    first = results(folder)
    frame = pd.read_parquet(table)
    frame.assign(x0=frame["x0"] + 1.0).to_parquet(table)
    with pytest.raises(ConfigError, match="another run, which differs in data"):
        run(*own)
    assert results(folder) == first


def test_what_fails_is_a_row_that_says_so_and_the_rest_is_there(run):
    moody = "+method.scorers.moody.call=tests.experiments.scorers:moody"
    folder, failed = run(*XOR, moody, "protocol.n_repetitions=8")
    assert 0 < failed < 8
    assert len(tasks(folder)["failed"]) == failed
    summary = pd.read_csv(folder / "summary.csv").set_index("method")
    assert set(summary.index) == {"gini", "anova", "moody"}


def test_the_provenance_identifies_the_run_and_names_no_folder(run, tmp_path):
    folder, _ = run(*XOR)
    text = (folder / "provenance.json").read_text("utf-8")
    record = json.loads(text)
    assert str(tmp_path) not in text
    known = {"config", "overrides", "git", "packages", "blas", "machine", "data", "seconds"}
    assert known <= set(record)
    assert record["config"]["method"]["scorers"].keys() == {"gini", "anova"}
    assert set(record["files"]) == {path.name for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_ended_goes_on_with_the_same_bytes(tmp_path, number):
    slow = "+method.scorers.slow.call=tests.experiments.scorers:slow"
    command = [sys.executable, "run.py", *XOR, slow, "protocol.n_repetitions=6", "workers=2"]

    def started(folder, store):
        places = [f"hydra.run.dir={tmp_path / folder}", f"store={tmp_path / store}"]
        return subprocess.Popen(
            [*command, *places, "draw=false"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    ended, deadline = started("run", "store"), time.monotonic() + 120
    while len(list(tmp_path.glob("store/**/output.pkl"))) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    ended.send_signal(number)
    assert ended.wait(timeout=60) != 0
    assert not (tmp_path / "run" / "provenance.json").exists()
    for folder, store in (("run", "store"), ("whole", "other")):
        assert started(folder, store).wait(timeout=240) == 0
    assert tasks(tmp_path / "run")["reused"] >= 3
    assert results(tmp_path / "run") == results(tmp_path / "whole")
