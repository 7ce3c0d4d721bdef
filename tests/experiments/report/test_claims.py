"""Every claim of the paper is listed and has a reader; a verdict follows from our interval."""

from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf

from experiments.config import plain
from experiments.report.claims import (
    NOT_RUN,
    READERS,
    VERDICTS,
    Measured,
    compare,
    flatten,
    reader_of,
)
from experiments.report.claims.accuracy import QUOTED
from experiments.report.claims.paper import experiment_of
from experiments.report.claims.results_folder import SAMPLES
from tests.experiments.conftest import CONFIGS
from tests.experiments.report.stored_results import judged, store

RESULTS = CONFIGS.parent / "results"
PAPER = RESULTS / "paper.yaml"
#: In the paper's list these are prose with commas; in ours, one text a statement.
STATEMENTS = (("colon", "gap"), ("mnist", "shows"), ("fashion_mnist", "shows"))


@pytest.fixture(scope="module")
def paths():
    return [path for path, _ in flatten(plain(OmegaConf.load(PAPER)))]


def verdicts(results):
    """Claim -> its row."""
    return compare(PAPER, results).set_index("claim").to_dict("index")


def original(mirror) -> Path:
    path = mirror.parent / "paper" / "claims.yaml"
    if not path.is_file():
        pytest.skip("the list of claims is not beside the data")
    return path


def test_the_numbers_are_the_papers(mirror):
    ours, theirs = plain(OmegaConf.load(PAPER)), plain(OmegaConf.load(original(mirror)))
    for experiment, name in STATEMENTS:
        for claims in (ours, theirs):
            del claims[experiment][name]
    # What was prose behind a comma became keys without content.
    for experiment in ("mnist", "fashion_mnist"):
        theirs[experiment] = {k: v for k, v in theirs[experiment].items() if v is not None}
    assert ours == theirs


def test_the_statements_are_the_papers(mirror):
    prose = " ".join(original(mirror).read_text(encoding="utf-8").split())
    claims = plain(OmegaConf.load(PAPER))
    for experiment, name in STATEMENTS:
        for text in claims[experiment][name].values():
            assert text in prose


def test_every_claim_is_listed_once_and_settings_are_none(paths):
    assert len(set(paths)) == len(paths)
    assert ("xor100", "correct_of_2", "manifest") in paths
    assert ("gisette", "all_features") in paths
    assert ("colon", "embedded_49_13", "lspin", "std") in paths
    assert not [path for path in paths if path[0] == "grids" or path[-1] == "n"]


def test_every_number_of_a_list_is_a_claim():
    claims = {"a": {"b": [12.9, 12.7, 200], "fails": ["x", "y"], "n": 3}, "c": {"d": 1.5}}
    assert dict(flatten(claims)) == {
        ("a", "b"): 12.9,
        ("a", "b", "std"): 12.7,
        ("a", "b", "features"): 200,
        ("a", "fails", "x"): "fails",
        ("a", "fails", "y"): "fails",
        ("c", "d"): 1.5,
    }


def test_every_claim_has_a_reader_and_every_reader_a_claim(paths):
    left_out = {path for path in paths if path[:2] == ("icml", "mnist_multiclass")}
    read = {reader_of(path) for path in set(paths) - left_out}
    assert read == set(READERS)
    assert len(left_out) == 3
    assert {experiment_of(path) for path in set(paths) - left_out} == set(SAMPLES)
    with pytest.raises(KeyError, match=r"no reader for the claim colon\.other"):
        reader_of(("colon", "other"))


@pytest.mark.parametrize("experiment", sorted(SAMPLES))
def test_claims_are_read_from_experiments_that_exist(compose, experiment):
    """And from the samples that those are run on; ``profile=paper`` repeats as the paper does."""
    config = compose(f"experiment={experiment}", "profile=paper")
    assert config.dataset.name in SAMPLES[experiment]
    published = OmegaConf.load(PAPER).get(experiment, {}).get("n", 1)
    assert config.protocol.n_repetitions >= published


def test_without_results_nothing_is_claimed_and_the_reason_is_given(tmp_path, paths):
    table = compare(PAPER, tmp_path)
    assert len(table) == len(paths)
    assert table["ours"].isna().all()
    assert (table["note"] != "").all()
    unreachable = {
        claim.split(".")[2]
        for claim in table.loc[table["verdict"] == "cannot be run here", "claim"]
        if claim.startswith("colon.embedded")
    }
    assert unreachable == QUOTED
    by_experiment = table.groupby("experiment")["verdict"].agg(set)
    assert by_experiment["gisette"] == {"cannot be run here"}
    assert by_experiment["madelon"] == {"not run"} == by_experiment["icml"]


@pytest.mark.parametrize(
    "changes",
    [
        {"profile": "smoke"},
        {"data": {"name": "gisette_1000"}},
        {"data": {"synthetic": True}},
        {"dataset": {"max_features": 40}},
        {"dataset": {"max_samples": 200}},
    ],
    ids=str,
)
@pytest.mark.parametrize("experiment", ["gisette", "prostate"])
def test_other_samples_are_never_set_beside_the_papers(tmp_path, experiment, changes):
    accuracies = np.random.default_rng(0).uniform(0.9, 1, size=(10, 2))
    tables = judged({(name, 1.0): accuracies for name in ["manifest", "all_features"]})
    store(tmp_path, experiment, **tables)
    claim = f"{experiment}.best_test_acc.manifest"
    assert not np.isnan(verdicts(tmp_path)[claim]["ours"])
    store(tmp_path, experiment, **tables, **changes)
    assert np.isnan(verdicts(tmp_path)[claim]["ours"])
    assert verdicts(tmp_path)[claim]["verdict"] in {"not run", "cannot be run here"}


def test_quoted_numbers_are_no_results(tmp_path):
    tables = judged({("manifest", 1.0): np.full((4, 2), 0.8)})
    quoted = {"reading": "paper", "ranking_share": 1.0, "quoted": True, "n_splits": 50}
    for method in ("llspin", "lasso"):
        row = {"method": method, "accuracy": 0.8154, "std": 0.0985, "ci_low": 0.7, "ci_high": 0.9}
        tables["summary"].append({**row, **quoted})
    store(tmp_path, "colon_embedded", **tables)
    found = verdicts(tmp_path)
    assert found["colon.embedded_49_13.llspin"]["verdict"] == "cannot be run here"
    assert found["colon.embedded_49_13.lasso"]["verdict"] == "not run"


def test_one_repetition_gives_no_verdict(tmp_path):
    store(tmp_path, "madelon", n=1, **judged({("manifest", 1.0): [[0.9, 0.8]]}))
    row = verdicts(tmp_path)["madelon.best_test_acc_full.manifest"]
    assert (row["verdict"], row["note"]) == (NOT_RUN, "1 repetition gives no interval")


def test_the_reference_results_can_be_compared():
    found = verdicts(RESULTS)
    assert found["colon.best_test_acc.manifest+relieff"]["verdict"] != "not run"
    assert found["xor100.correct_of_2.manifest"]["verdict"] != "not run"
    for row in found.values():
        assert row["verdict"] in VERDICTS
        assert np.isnan(row["ours"]) == np.isnan(row["ci_low"]) == np.isnan(row["ci_high"])
        assert (row["verdict"] in {"agrees", "differs"}) == (not np.isnan(row["ours"]))


@pytest.mark.parametrize(
    ("ours", "published", "verdict"),
    [
        (Measured(1.0, 0.5, 1.5), 1.4, "agrees"),
        (Measured(1.0, 0.5, 1.5), 1.6, "differs"),
        (Measured(2.0, 2.0, 2.0), 2.0, "agrees"),
        (Measured(1.0, 0.5, 1.5, holds=True), "a statement", "agrees"),
        (Measured(5.0, 4.0, 6.0, holds=False), "fails", "differs"),
    ],
)
def test_verdicts(ours, published, verdict):
    assert ours.verdict(published) == verdict
