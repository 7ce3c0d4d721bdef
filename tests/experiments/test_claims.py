"""Every claim of the paper is listed, and a verdict follows from our interval alone."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from omegaconf import OmegaConf

from experiments.claims import READERS, Measured, compare, flatten
from experiments.config import plain

RESULTS = Path(__file__).resolve().parents[2] / "results"
PAPER = RESULTS / "paper.yaml"


@pytest.fixture(scope="module")
def paths():
    return [path for path, _ in flatten(plain(OmegaConf.load(PAPER)))]


def test_the_file_is_the_papers(mirror):
    original = mirror.parent / "paper" / "claims.yaml"
    if not original.is_file():
        pytest.skip("the list of claims is not beside the data")
    assert OmegaConf.load(PAPER) == OmegaConf.load(original)


def test_every_claim_is_listed_once_and_settings_are_none(paths):
    assert len(set(paths)) == len(paths)
    assert ("xor100", "correct_of_2", "manifest") in paths
    assert ("gisette", "all_features") in paths
    assert ("colon", "embedded_49_13", "lspin") in paths
    assert not [path for path in paths if path[0] == "grids" or path[-1] == "n"]


def test_every_reader_has_a_claim(paths):
    known = {path[:2] for path in paths} | {("colon", "icml_error")}
    assert set(READERS) <= known


def test_without_results_nothing_is_claimed(tmp_path, paths):
    table = compare(PAPER, tmp_path)
    assert len(table) == len(paths)
    assert set(table["verdict"]) == {"not run"}
    assert table["ours"].isna().all()


def test_results_are_read_into_their_claims(tmp_path):
    methods = ["gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff"]
    summary = pd.DataFrame({"method": [*methods, "manifest"], "correct": 0.1})
    summary["ci_low"], summary["ci_high"] = 0.0, 0.2
    summary.loc[summary["method"] == "relieff", ["correct", "ci_low", "ci_high"]] = 0.9, 0.7, 1.1
    summary.loc[summary["method"] == "manifest", ["correct", "ci_low", "ci_high"]] = 1.9, 1.8, 1.95
    summary.loc[summary["method"] == "ig", "ci_high"] = 1.2
    (tmp_path / "xor100").mkdir()
    summary.to_csv(tmp_path / "xor100" / "summary.csv", index=False)
    verdicts = compare(PAPER, tmp_path).set_index("claim")["verdict"]
    assert verdicts["xor100.correct_of_2.manifest"] == "differs"
    assert verdicts["xor100.fails.gini"] == "agrees"
    assert verdicts["xor100.fails.ig"] == "differs"
    assert verdicts["xor100.order"] == "agrees"
    assert verdicts["colon.best_test_acc.manifest"] == "not run"


def test_the_reference_results_can_be_compared():
    table = compare(PAPER, RESULTS).set_index("claim")
    assert table.loc["colon.best_test_acc.manifest+relieff", "verdict"] != "not run"
    assert table.loc["xor100.correct_of_2.manifest", "verdict"] != "not run"


@pytest.mark.parametrize(
    ("ours", "published", "verdict"),
    [
        (Measured(1.0, 0.5, 1.5), 1.4, "agrees"),
        (Measured(1.0, 0.5, 1.5), 1.6, "differs"),
        (Measured(40), 40, "agrees"),
        (Measured(80), 200, "differs"),
        (Measured(np.nan, holds=True), "a statement", "agrees"),
        (Measured(5.0, 4.0, 6.0, holds=False), "fails", "differs"),
    ],
)
def test_verdicts(ours, published, verdict):
    assert ours.verdict(published) == verdict
