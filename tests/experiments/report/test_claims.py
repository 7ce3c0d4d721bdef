"""Every claim of the paper is listed and has a reader; a verdict follows from our interval."""

import inspect
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf

from experiments.config import ConfigError, plain
from experiments.report.claims import READERS, compare
from experiments.report.claims.paper import Claim, load
from experiments.report.claims.results_folder import SAMPLES
from experiments.report.claims.verdict import NOT_RUN, VERDICTS, Estimate
from tests.experiments.conftest import CONFIGS
from tests.experiments.report.stored_results import judged, store

RESULTS = CONFIGS.parent / "results"
PAPER = RESULTS / "paper.yaml"
#: In the paper's list these are prose with commas; in ours, each statement is one text.
STATEMENTS = ("colon.gap", "mnist.shows", "fashion_mnist.shows")
#: A statement of the version of 2023 that the paper's list does not have.
ADDED = "icml.mnist_multiclass.highest"
#: Parts of the paper's list that describe how an experiment is done, and claim nothing.
SETTINGS = {"n", "data", "grids", "n_per_class", "classes", "test"}
#: What the numbers of a list are; the first is the claim itself.
PARTS = ("", ".std", ".features")


@pytest.fixture(scope="module")
def claims():
    return load(PAPER)


def verdicts(results):
    """Claim -> its row."""
    return compare(PAPER, results).set_index("claim").to_dict("index")


def original(mirror) -> Path:
    path = mirror.parent / "paper" / "claims.yaml"
    if not path.is_file():
        pytest.skip("the list of claims is not beside the data")
    return path


def flat(content, path=""):
    """Id and content of every claim in the paper's own list, which is a tree."""
    for name, inner in content.items():
        here = f"{path}.{name}".removeprefix(".")
        if name in SETTINGS or inner is None or here in STATEMENTS:
            continue  # what was prose behind a comma became keys without content
        if isinstance(inner, dict):
            yield from flat(inner, here)
        elif isinstance(inner, list) and isinstance(inner[0], str):
            yield from ((f"{here}.{item}", name) for item in inner)
        elif isinstance(inner, list):
            yield from ((here + part, x) for part, x in zip(PARTS, inner, strict=False))
        else:
            yield here, inner


def settings(content):
    """What the paper's own list says of how experiments are done, as a tree."""
    found = {}
    for name, inner in content.items():
        below = inner if name in SETTINGS else isinstance(inner, dict) and settings(inner)
        if below:
            found[name] = below
    return found


def test_the_numbers_and_settings_are_the_papers(mirror, claims):
    theirs = plain(OmegaConf.load(original(mirror)))
    ours = {claim.id: claim.published for claim in claims}
    numbers = {name: x for name, x in ours.items() if not name.startswith((*STATEMENTS, ADDED))}
    assert numbers == dict(flat(theirs))
    assert plain(OmegaConf.load(PAPER))["settings"] == settings(theirs)


def test_the_statements_are_the_papers(mirror, claims):
    prose = " ".join(original(mirror).read_text(encoding="utf-8").split())
    statements = [claim.published for claim in claims if claim.id.startswith(STATEMENTS)]
    assert len(statements) == 8
    for text in statements:
        assert text in prose


def test_every_claim_has_a_reader_that_takes_its_arguments(claims):
    for claim in claims:
        inspect.signature(READERS[claim.reader]).bind("results", **claim.arguments)


def test_every_reader_has_a_claim_and_every_experiment_its_samples(claims):
    assert {claim.reader for claim in claims} == set(READERS)
    assert {claim.experiment for claim in claims} == set(SAMPLES)


def test_what_a_claim_lacks_is_said_with_its_id(tmp_path):
    whole = {
        "id": "colon.other",
        "experiment": "colon",
        "published": 1.0,
        "reader": "accuracy.bets",
    }
    path = tmp_path / "paper.yaml"
    for entries, sentence in (
        ([{**whole, "readers": ""}], r"paper\.yaml, the claim colon\.other: .*'readers'"),
        ([{k: v for k, v in whole.items() if k != "reader"}], r"colon\.other: .*'reader'"),
        ([whole, whole], r"paper\.yaml has two claims with the id colon\.other"),
        ([whole], r"no reader for the claim colon\.other.*did you mean 'accuracy\.best'"),
    ):
        OmegaConf.save(OmegaConf.create({"claims": entries}), path)
        with pytest.raises(ConfigError, match=sentence):
            compare(path, tmp_path)
    assert load(path) == [Claim("colon.other", "colon", 1.0, "accuracy.bets")]


@pytest.mark.parametrize("experiment", sorted(SAMPLES))
def test_claims_are_read_from_experiments_that_exist(compose, experiment):
    """And from the samples that those are run on; ``profile=paper`` repeats as the paper does."""
    config = compose(f"experiment={experiment}", "profile=paper")
    assert config.dataset.name in SAMPLES[experiment]
    published = OmegaConf.load(PAPER).settings.get(experiment, {}).get("n", 1)
    assert config.protocol.n_repetitions >= published


def test_without_results_nothing_is_claimed_and_the_reason_is_given(tmp_path, claims):
    table = compare(PAPER, tmp_path)
    assert len(table) == len(claims)
    assert table["ours"].isna().all()
    assert (table["note"] != "").all()
    unreachable = table.loc[table["verdict"] == "cannot be run here", "claim"]
    quoted = {claim.id for claim in claims if claim.reader == "accuracy.quoted"}
    assert {name for name in unreachable if name.startswith("colon.embedded")} == quoted
    by_experiment = table.groupby("experiment")["verdict"].agg(set)
    assert by_experiment["gisette"] == {"cannot be run here"}
    assert by_experiment["madelon"] == {"not run"} == by_experiment["mnist_multiclass"]


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
        (Estimate(1.0, 0.5, 1.5), 1.4, "agrees"),
        (Estimate(1.0, 0.5, 1.5), 1.6, "differs"),
        (Estimate(2.0, 2.0, 2.0), 2.0, "agrees"),
        (Estimate(1.0, 0.5, 1.5, holds=True), "a statement", "agrees"),
        (Estimate(5.0, 4.0, 6.0, holds=False), "fails", "differs"),
    ],
)
def test_verdicts(ours, published, verdict):
    assert ours.verdict(published) == verdict
