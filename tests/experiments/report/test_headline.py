"""The headline: verdicts follow from claims, and numbers from tables."""

import itertools
import re
import shutil

import pandas as pd
import pytest
import yaml

from experiments.files import as_csv
from experiments.report import pages
from experiments.report.claims import OUTCOMES, compare
from experiments.report.headline import headline, verdict_of
from tests.commands import ROOT

RESULTS = ROOT / "results"
YES, NO, OPEN, UNTESTED, MISSING = OUTCOMES
LISTED = yaml.safe_load((RESULTS / "headline.yaml").read_text("utf-8"))


@pytest.fixture
def said(tmp_path):
    """A function from an entry of headline.yaml and claims to the row of the headline."""

    def row(entry, claims, root=ROOT):
        (tmp_path / "headline.yaml").write_text(yaml.safe_dump([entry]), "utf-8")
        labels = pd.read_csv(RESULTS / "labels.csv")
        return headline(tmp_path / "headline.yaml", claims, labels, root).iloc[0]

    return row


@pytest.mark.parametrize(("verdict", "cases"), [
    ("holds", [[YES], [YES, YES]]),
    ("does not hold", [[NO, YES], [OPEN, NO], [MISSING, NO]]),
    ("holds in part", [[YES, NO], [OPEN, YES], [MISSING, YES], [YES, MISSING]]),
    ("undecided", [[OPEN, MISSING], [UNTESTED, OPEN]]),
    ("not tested", [[MISSING, UNTESTED]]),
])  # fmt: skip
def test_a_verdict_is_of_all_claims_of_which_the_first_is_the_main_one(verdict, cases):
    for outcomes in cases:
        assert verdict_of(dict(zip("ab", outcomes, strict=False)), "a") == verdict


def test_every_verdict_that_can_come_out_has_a_sign():
    pairs = itertools.product(OUTCOMES, repeat=2)
    assert {verdict_of({"a": a, "b": b}, "a") for a, b in pairs} == {*pages.VERDICTS}


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: entry["figure"])
def test_each_claim_of_a_statement_moves_its_verdict(entry, said):
    claims = pd.read_csv(RESULTS / "claims.csv").set_index("claim")
    named = [name for name, words in entry["claims"].items() if isinstance(words, str)]
    claims.loc[named, "outcome"] = YES
    for name in named:
        moved = claims.copy()
        moved.loc[name, "outcome"] = NO
        verdict = said(entry, moved.reset_index())["verdict"]
        if name == entry["main"]:
            assert verdict == "does not hold"
        else:
            assert verdict.startswith("holds in part")
            assert entry["claims"][name] in verdict


def test_if_manifest_finds_nothing_on_xor_its_statement_does_not_hold(said, tmp_path):
    results = tmp_path / "results"
    for name in ("xor100", "xor100_scales"):
        shutil.copytree(RESULTS / name, results / name)
    path = results / "xor100" / "rows.parquet"
    rows = pd.read_parquet(path)
    rows.loc[rows["method"] == "manifest", "correct"] = 0
    rows.to_parquet(path)
    listed = yaml.safe_load((RESULTS / "paper.yaml").read_text("utf-8"))
    listed["claims"] = [entry for entry in listed["claims"] if entry["id"].startswith("xor100")]
    (results / "paper.yaml").write_text(yaml.safe_dump(listed), "utf-8")
    claims = compare(results / "paper.yaml", results)
    (results / "claims.csv").write_text(as_csv(claims), "utf-8")
    (entry,) = (entry for entry in LISTED if entry["figure"] == "Fig. 3")
    assert said(entry, claims, tmp_path)["verdict"] == "does not hold"


def test_a_claim_on_a_table_has_bounds_for_a_number_or_for_an_interval(said, tmp_path):
    (tmp_path / "t.csv").write_text("method,low,high\nx,1,2\ny,-1,1\nz,-2,-1\n")

    def verdict(method, *ends):
        claim = {"about": "ahead", "csv": "t.csv", "where": {"method": method}, "ends": [*ends]}
        entry = {"main": "a", "claims": {"a": {**claim, "margin": {"above": 0}}}}
        return said(entry, pd.DataFrame({"claim": [], "outcome": []}), tmp_path)["verdict"]

    verdicts = [verdict(method, "low", "high") for method in "xyz"]
    assert verdicts == ["holds", "undecided", "does not hold"]
    assert (verdict("y", "low", "low"), verdict("y", "high", "high")) == ("does not hold", "holds")


def test_numbers_of_a_statement_and_its_reason_are_filled_from_tables():
    for entry in LISTED:
        for text in (entry["ours"], entry["why"]):
            assert not re.search(r"\d+\.\d", text), entry["figure"]


def test_a_statement_has_the_numbers_of_exactly_one_row(said, tmp_path):
    (tmp_path / "t.csv").write_text("method,correct\nx,1\ny,2\n")
    claims = pd.DataFrame({"claim": ["c"], "outcome": [YES]})

    def ours(**where):
        value = {"csv": "t.csv", "where": where, "show": "{correct:.2f}"}
        entry = {"main": "c", "claims": {"c": "it"}, "ours": "{a} of 2", "values": {"a": value}}
        return said(entry, claims, tmp_path)["ours"]

    assert ours(method="x") == "1.00 of 2"
    for where in ({"method": "z"}, {"methdo": "x"}, {}):
        with pytest.raises((KeyError, ValueError), match=r"methdo|no row|unpack"):
            ours(**where)
