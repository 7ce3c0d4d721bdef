"""What every experiment, method and figure of the repository must do; one test for all of them."""

import json

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from experiments import figures
from experiments.config import PROFILES, validate
from experiments.methods import resolve
from tests.experiments.conftest import CONFIGS

EXPERIMENTS = sorted(path.stem for path in (CONFIGS / "experiment").glob("*.yaml"))
METHODS = sorted(path.stem for path in (CONFIGS / "method").glob("*.yaml"))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_composes_and_is_valid(compose, experiment, profile):
    config = compose(f"experiment={experiment}", f"profile={profile}")
    validate(config)
    assert config.name == experiment
    assert config.title
    assert config.figure in figures.names()
    methods = resolve(config)
    assert len({method.name for method in methods}) == len(methods) > 0


@pytest.mark.parametrize("method", METHODS)
def test_every_method_file_is_one_method_of_that_name(compose, method):
    (resolved,) = resolve(compose("experiment=xor100", f"method={method}"))
    assert resolved.name == method
    assert len(resolved.candidates()) >= 1


def test_repetitions_grow_with_the_profile(compose):
    for experiment in EXPERIMENTS:
        counts = [
            compose(f"experiment={experiment}", f"profile={profile}").protocol.n_repetitions
            for profile in PROFILES
        ]
        assert counts == sorted(counts)
        assert counts[0] < counts[-1]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_smoke_run_writes_all_of_a_result(experiment, run, request, capsys):
    overrides = [f"experiment={experiment}", "profile=smoke"]
    if experiment != "xor100":
        overrides.append(f"data.home={request.getfixturevalue('mirror')}")
    folder, failed = run(*overrides, workers=2)
    assert failed == 0

    rows = pd.read_parquet(folder / "rows.parquet")
    summary = pd.read_csv(folder / "summary.csv")
    assert len(rows) >= len(summary) > 0
    record = json.loads((folder / "provenance.json").read_text())
    assert record["experiment"] == record["config"]["name"] == experiment
    assert record["profile"] == "smoke"
    assert record["units"]["computed"] > 0
    assert {"git", "packages", "blas", "machine", "seed", "data", "seconds"} <= set(record)
    if not record["data"].get("generated"):
        assert len(record["data"]["fingerprint"]) == 64

    pictures = sorted(folder.glob("*.png"))
    assert pictures
    for picture in pictures:
        assert matplotlib.image.imread(picture)[..., :3].std() > 0.01
        assert picture.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_figures_are_functions_of_the_tables(run):
    folder, _ = run("experiment=xor100", "profile=smoke", "method=[gini,manifest]")
    before = (folder / "figure.png").read_bytes()
    assert figures.draw("score_panels", folder)[0].read_bytes() == before
    features = pd.read_csv(folder / "features.csv")
    features["mean"] = np.linspace(0, 1, len(features))
    features.to_csv(folder / "features.csv", index=False)
    assert figures.draw("score_panels", folder)[0].read_bytes() != before
