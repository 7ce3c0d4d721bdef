"""What a results folder says about its own departures from the paper's protocol."""

import pytest

from experiments.config import ConfigError
from experiments.provenance import AS_PUBLISHED, differences
from tests.experiments.conftest import SMALL


def test_a_difference_names_the_key_and_both_values(compose):
    config = compose("experiment=xor100", "profile=paper")
    assert differences(config) == [AS_PUBLISHED]
    config = compose("experiment=xor100", "profile=paper", "protocol.n_repetitions=400")
    assert differences(config) == ["protocol.n_repetitions: here 400, paper 50"]
    config = compose("experiment=mnist", "profile=paper", "protocol.pairs=[[3,8]]")
    assert "protocol.pairs: here [[3, 8]], paper [[4, 9]]" in differences(config)


def test_a_published_key_must_be_one_of_the_config(compose):
    config = compose("experiment=xor100", "+published={protocol.n_repetition:50}")
    with pytest.raises(ConfigError, match=r"names 'protocol\.n_repetition'"):
        differences(config)


def test_the_results_folder_holds_the_differences(run, table):
    folder, _ = run(*SMALL, f"dataset.path={table}", "method=anova")
    lines = (folder / "differences.txt").read_text().splitlines()
    assert "protocol.test_size: here 0.25, paper 0.1" in lines
    assert "protocol.inner_folds: here 4, paper 10" in lines
    assert not any(line.startswith("dataset.scaling") for line in lines)
