"""The sentences on a run, and the facts that its page is given."""

import pandas as pd
import pytest
from omegaconf import OmegaConf

from experiments.evaluation.summary import Summary
from experiments.kinds import facts
from experiments.kinds.base import Kind, Results
from experiments.report.findings import sentences


@pytest.fixture
def table():
    """Accuracies of three methods under two readings, the last one without an interval."""
    methods = ["manifest", "gini", "relieff", "all_features"]
    best = pd.DataFrame({"method": methods, "label": ["ManiFeSt", "Gini", "ReliefF", "All"]})
    best = best.assign(reading="paper", accuracy=[0.9, 0.7, 0.95, 0.6], n_features=[2, 5, 10, 40])
    best = best.assign(ci_low=best["accuracy"] - 0.1, ci_high=best["accuracy"], ranking_share=1.0)
    few = best.assign(ranking_share=0.05, accuracy=0.99)
    return pd.concat([few, best])


def test_the_highest_measure_is_told_for_each_reading_of_the_largest_share(table):
    by = ("reading", "ranking_share")
    told = sentences(table, "accuracy", "accuracy", True, "split", by)
    assert told == {
        "paper": "As the paper reads it, at the number of features that does best on the test rows:"
        " the highest accuracy has ReliefF with 95 % [85, 95] at 10 features; ManiFeSt has 90 % "
        "[80, 90]; the other 70 %; the SVM on all features 60 % [50, 60]."
    }


def test_what_methods_find_is_told_for_each_case():
    table = pd.DataFrame({"case": ["a", "a", "b"], "case_label": ["A", "A", "B"], "n_draws": 5})
    table = table.assign(method=["x", "y", "x"], correct=[2.0, 2.0, 0.5])
    told = sentences(table, "correct", "{} relevant features", False, "draw", ("case",))
    assert told == {
        "": "A: x and y find 2 relevant features on average over 5 draws. "
        "B: x finds 0.5 relevant features on average over 5 draws."
    }
    assert sentences(table.drop(columns="correct"), "correct", "", False) == {}


def test_a_page_has_the_sentences_of_the_kind_or_else_of_its_summary(table, tmp_path):
    summary = Summary("accuracy", "split", ("reading", "ranking_share"), "accuracy")
    config = OmegaConf.create({})
    plain = Kind(
        dict, lambda config: None, lambda run: Results(table, {}), summary, captions={"a": "A"}
    )
    found = facts(plain, {"summary": table}, config, tmp_path)
    assert found.findings["paper"].endswith("60 % [50, 60].")
    assert (found.captions, found.is_share) == ({"a": "A"}, True)
    own = Kind(dict, plain.check, plain.run, findings=lambda *arguments: {"": "Said."})
    assert facts(own, {"summary": table}, config, tmp_path).findings == {"": "Said."}
    failed = {"summary": table.assign(failed=True)}
    assert facts(own, failed, config, tmp_path).findings == {}
