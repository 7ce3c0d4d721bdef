"""The committed results: their configs and revisions, and how a run differs from the paper."""

import json
import re
from pathlib import Path

import pytest

from experiments.config import ConfigError
from experiments.report.differences import AS_PUBLISHED, differences
from tests.experiments.conftest import SMALL, composed

RESULTS = Path(__file__).resolve().parents[3] / "results"
COMPUTED = sorted(path.parent.name for path in RESULTS.glob("*/provenance.json"))


@pytest.fixture(scope="module")
def records():
    """Folder -> its provenance and the config that this revision has for its run."""
    read = {name: (RESULTS / name / "provenance.json").read_text("utf-8") for name in COMPUTED}
    loaded = {name: json.loads(text) for name, text in read.items()}
    return {name: (record, composed(*record["overrides"])) for name, record in loaded.items()}


def test_a_result_is_the_full_run_of_an_experiment_and_names_its_revision(records):
    for name, (record, config) in records.items():
        assert record["profile"] == "paper", name
        assert record["experiment"] == config.name == name
        assert re.fullmatch("[0-9a-f]{40}", record["git"]), name
        stored = record["config"]["protocol"]["n_repetitions"]
        assert stored == config.protocol.n_repetitions, name


def test_a_result_says_what_its_config_has_otherwise_than_the_paper(records):
    for name, (_, config) in records.items():
        told = (RESULTS / name / "differences.txt").read_text(encoding="utf-8").splitlines()
        assert told == differences(config), name


def test_a_difference_names_the_key_and_both_values(compose):
    told = differences(compose("experiment=xor100", "profile=paper"))
    assert not any(line.startswith("protocol.") for line in told)
    more = differences(compose("experiment=xor100", "profile=paper", "protocol.n_repetitions=400"))
    assert set(more) - set(told) == {"protocol.n_repetitions: here 400, paper 50"}
    config = compose("experiment=mnist", "profile=paper", "protocol.pairs=[[3,8]]")
    assert "protocol.pairs: here [[3, 8]], paper [[4, 9]]" in differences(config)


def test_words_stand_for_a_setting_that_no_key_decides_and_a_key_must_be_one_of_the_config(compose):
    config = compose("experiment=mnist", "profile=paper")
    config.published = {"folds": {"here": "five", "paper": "ten"}, "data": {"here": 1, "paper": 1}}
    assert differences(config) == ["folds: here five, paper ten"]
    config.published = {"protocol.n_per_class": 1500}
    assert differences(config) == [AS_PUBLISHED]

    config = compose("experiment=xor100", "+published={protocol.n_repetition:50}")
    with pytest.raises(ConfigError, match=r"names 'protocol\.n_repetition'"):
        differences(config)


def test_the_results_folder_holds_the_differences(run, table):
    folder, _ = run(*SMALL, f"dataset.path={table}", "method=anova")
    lines = (folder / "differences.txt").read_text().splitlines()
    assert "protocol.test_size: here 0.25, paper 0.1" in lines
    assert "protocol.inner_folds: here 4, paper 10" in lines
    assert not any(line.startswith("dataset.scaling") for line in lines)
