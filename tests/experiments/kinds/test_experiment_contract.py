"""The contract of every experiment, method, figure and committed result."""

import json
import re

import matplotlib.image
import pandas as pd
import pytest
import yaml

from experiments.config import PROFILES, plain
from experiments.datasets.registry import REGISTRY
from experiments.evaluation.methods import resolve
from experiments.kinds import validate
from experiments.report import figures
from experiments.report.differences import AS_PUBLISHED, differences
from tests.commands import ROOT, python
from tests.experiments.conftest import CONFIGS, SMALL, composed

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
        validate(config)
        assert (config.name, config.profile.name) == (name, profile)
        assert config.title
        figures.check(plain(config)["figure"])
        methods = resolve(config)
        assert len({method.name for method in methods}) == len(methods) > 0
        if name in ("madelon", "colon_scales", "prostate", "gisette", "gisette_rebuilt"):
            # The largest subset is all features, which have a row.
            known = REGISTRY.get(config.dataset.name)
            d = known.shape[1] if known else config.dataset.params.n_features
            assert min(config.dataset.max_features or d, d) in config.protocol.sizes, profile
        lines = differences(config)
        assert lines
        assert lines == [AS_PUBLISHED] or all(": here " in line for line in lines)
        keys.append({line.partition(": here")[0] for line in lines})
    assert configs[-1].published
    assert keys[2] - {AS_PUBLISHED} <= keys[1] | keys[0]
    smoke, fast, paper = (
        {key: value for part in MAY_CHANGE for key, value in plain(config[part]).items()}
        for config in configs
    )
    assert smoke["n_repetitions"] <= fast["n_repetitions"] <= paper["n_repetitions"]
    assert smoke != paper or name == "operators"  # Its drawing has one size.


def test_every_method_file_is_one_method_of_that_name(compose):
    for path in (CONFIGS / "method").glob("*.yaml"):
        text = path.read_text("utf-8")
        assert list(yaml.safe_load(text)["scorers"]) == [path.stem]
        assert "defaults" not in text
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
        check_result(folder, record)


def check_result(folder, record):
    """Rows, tables, provenance, figures and report of one smoke run."""
    summary = pd.read_csv(folder / "summary.csv")
    rows = pd.read_parquet(folder / "rows.parquet")
    assert len(rows) >= len(summary) > 0
    assert record["experiment"] == record["config"]["name"]
    assert record["profile"] == "smoke"
    has_tasks = record["tasks"]["computed"] + record["tasks"]["reused"] > 0
    assert has_tasks or record["experiment"] == "operators"
    assert record["tasks"]["failed"] == []
    assert {"git", "packages", "blas", "machine", "seed", "data", "seconds"} <= set(record)
    pictures = sorted(folder.glob("*.png"))
    assert bool(pictures) == bool(record["config"]["figure"])
    for picture in pictures:
        assert matplotlib.image.imread(picture)[..., :3].std() > 0.01
        assert picture.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    report = (folder / "report.html").read_text("utf-8")
    assert report.count("<figure") == len(pictures)
    assert not [path for path in folder.iterdir() if path.name.startswith(".tmp")]


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


def test_a_difference_names_the_key_and_both_values(run, compose, table):
    alike = differences(compose("experiment=xor100", "profile=paper"))
    assert not any(line.startswith("protocol.") for line in alike)
    more = differences(compose("experiment=xor100", "profile=paper", "protocol.n_repetitions=400"))
    assert {*more} - {*alike} == {"protocol.n_repetitions: here 400, paper 50"}
    config = compose("experiment=mnist", "profile=paper", "protocol.pairs=[[3,8]]")
    assert "protocol.pairs: here [[3, 8]], paper [[4, 9]]" in differences(config)
    folder, _ = run(*SMALL, f"dataset.path={table}", "method=anova")
    lines = (folder / "differences.txt").read_text().splitlines()
    assert "protocol.test_size: here 0.25, paper 0.1" in lines
    assert "protocol.inner_folds: here 4, paper 10" in lines
    assert not any(line.startswith("dataset.scaling") for line in lines)


def test_words_stand_for_a_setting_that_no_key_decides(compose):
    config = compose("experiment=mnist", "profile=paper")
    config.published = {"folds": {"here": "five", "paper": "ten"}, "data": {"here": 1, "paper": 1}}
    assert differences(config) == ["folds: here five, paper ten"]
    config.published = {"protocol.n_per_class": 1500}
    assert differences(config) == [AS_PUBLISHED]
