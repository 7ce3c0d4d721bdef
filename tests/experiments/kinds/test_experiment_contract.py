"""The contract of every experiment, method, figure and committed result."""

import json
import re

import matplotlib.image
import pandas as pd
import pytest

from experiments.config import PROFILES, plain, published
from experiments.evaluation.methods import resolve
from experiments.report import figures
from experiments.report.differences import AS_PUBLISHED, NOT_PUBLISHED, differences
from experiments.run import room_of
from tests.commands import ROOT, python
from tests.experiments.conftest import CONFIGS, composed

EXPERIMENTS = sorted(path.stem for path in (CONFIGS / "experiment").glob("*.yaml"))
METHODS = sorted(path.stem for path in (CONFIGS / "method").glob("*.yaml"))
#: Parts of a config that a profile may change.
MAY_CHANGE = ("protocol", "dataset", "parameters")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_valid_in_each_profile_and_says_what_the_paper_has(name):
    """Profiles grow; the paper's has no difference from the paper that no smaller one has."""
    configs = [composed(f"experiment={name}", f"profile={profile}") for profile in PROFILES]
    keys = []
    for profile, config in zip(PROFILES, configs, strict=True):
        room_of(config).validate(config)
        assert (config.name, config.profile.name) == (name, profile)
        figures.check(plain(config)["figure"])
        assert resolve(config)
        keys.append({line.partition(": here")[0] for line in differences(config)})
    assert bool(published(name)) == (keys[2] != {NOT_PUBLISHED})
    assert keys[2] - {AS_PUBLISHED} <= keys[1] | keys[0]
    counts = [config.protocol.n_repetitions for config in configs]
    assert counts == sorted(counts)
    smoke, _, paper = ([plain(config[part]) for part in MAY_CHANGE] for config in configs)
    assert smoke != paper or name == "operators"  # Its drawing has one size.


def test_every_method_file_is_one_method_of_that_name(compose):
    methods = resolve(compose("experiment=xor100", f"method=[{','.join(METHODS)}]"))
    assert [method.name for method in methods] == METHODS
    assert all(method.candidates() for method in methods)


@pytest.mark.slow
def test_every_experiment_runs_as_one_sweep(tmp_path, mirror):
    """In the profile smoke each writes all of a result; an own table has its own tests."""
    folders = [f"data.home={mirror}", f"store={tmp_path / 'store'}", f"hydra.sweep.dir={tmp_path}"]
    sweep = ["-m", "experiment=glob(*, exclude=select)", "profile=smoke", "workers=1"]
    done = python("run.py", *sweep, *folders)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    found = {}
    for path in tmp_path.rglob("provenance.json"):
        record = json.loads(path.read_text())
        found[record["experiment"]] = (path.parent, record)
    assert sorted([*found, "select"]) == EXPERIMENTS
    for folder, record in found.values():
        summary = pd.read_csv(folder / "summary.csv")
        assert len(pd.read_parquet(folder / "rows.parquet")) >= len(summary) > 0
        has_tasks = record["tasks"]["computed"] + record["tasks"]["reused"] > 0
        assert has_tasks or record["experiment"] == "operators"
        assert record["tasks"]["failed"] == []
        pictures = sorted(folder.glob("*.png"))
        assert bool(pictures) == bool(record["config"]["figure"])
        for picture in pictures:
            assert matplotlib.image.imread(picture)[..., :3].std() > 0.01
            assert picture.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
        assert (folder / "report.html").read_text("utf-8").count("<figure") == len(pictures)


RESULTS = [path.parent for path in (ROOT / "results").glob("*/provenance.json")]


@pytest.mark.parametrize("folder", RESULTS, ids=lambda folder: folder.name)
def test_a_result_is_the_full_run_of_its_experiment_and_says_where_the_paper_has_other_keys(folder):
    record = json.loads((folder / "provenance.json").read_text("utf-8"))
    config = composed(*record["overrides"])
    assert record["profile"] == "paper"
    assert record["experiment"] == config.name == folder.name
    assert re.fullmatch("[0-9a-f]{40}", record["git"])
    assert record["config"]["protocol"]["n_repetitions"] == config.protocol.n_repetitions
    said = (folder / "differences.txt").read_text(encoding="utf-8").splitlines()
    assert said == differences(config)


def test_a_difference_names_the_key_and_both_values(compose, monkeypatch):
    """Words stand for a setting that no key decides; a key must be one of the config."""
    alike = differences(compose("experiment=xor100", "profile=paper"))
    assert not any(line.startswith("protocol.") for line in alike)
    more = differences(compose("experiment=xor100", "profile=paper", "protocol.n_repetitions=400"))
    assert {*more} - {*alike} == {"protocol.n_repetitions: here 400, paper 50"}
    config = compose("experiment=mnist", "profile=paper", "protocol.pairs=[[3,8]]")
    assert "protocol.pairs: here [[3, 8]], paper [[4, 9]]" in differences(config)
    for methods, n in (("[gini]", 0), ("[gini,manifest_regularized]", 1)):
        said = differences(compose("experiment=prostate", f"method={methods}"))
        assert sum(line.startswith("protocol.fewer_splits") for line in said) == n
    words = {"folds": {"here": "five", "paper": "ten"}, "data": {"here": 1, "paper": 1}}
    for settings, expected in (
        (words, "folds: here five, paper ten"),
        ({"protocol.n_per_class": 1500}, AS_PUBLISHED),
        ({}, NOT_PUBLISHED),
    ):
        monkeypatch.setattr("experiments.report.differences.published", lambda _, s=settings: s)
        assert differences(config) == [expected]
