"""What a results folder says about its own departures from the paper's protocol."""

import pytest
import yaml

from experiments.config import PROFILES, ConfigError
from experiments.provenance import AS_PUBLISHED, differences
from tests.experiments.conftest import CONFIGS, SMALL

EXPERIMENTS = sorted(path.stem for path in (CONFIGS / "experiment").glob("*.yaml"))


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_says_what_the_paper_has(compose, experiment):
    """The keys exist in each profile, and no profile has more differences than a smaller one."""
    published = yaml.safe_load((CONFIGS / "experiment" / f"{experiment}.yaml").read_text())
    assert published["published"]
    found = [differences(compose(f"experiment={experiment}", f"profile={p}")) for p in PROFILES]
    for lines in found:
        assert lines
        assert lines == [AS_PUBLISHED] or all(": here " in line for line in lines)
    keys = [{line.partition(": here")[0] for line in lines} for lines in found]
    assert keys[2] - {AS_PUBLISHED} <= keys[1] | keys[0]


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
