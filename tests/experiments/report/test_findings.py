"""The sentences on a run, and the facts that its page is given."""

import pandas as pd
import pytest

from baselines.registry import SETS
from experiments.config import entry_of
from experiments.evaluation.summary import Summary
from experiments.kinds import facts
from experiments.kinds.base import Kind, Results
from experiments.report.findings import sentences
from experiments.report.names import has_manifest
from tests.experiments.conftest import CONFIGS


@pytest.fixture
def table():
    """Accuracies of three methods under two ways of tuning, the last one without an interval."""
    methods = ["manifest", "gini", "relieff", "all_features"]
    best = pd.DataFrame({"method": methods, "label": ["ManiFeSt", "Gini", "ReliefF", "All"]})
    best = best.assign(tuning="paper", accuracy=[0.9, 0.7, 0.95, 0.6], n_features=[2, 5, 10, 40])
    best = best.assign(ci_low=best["accuracy"] - 0.1, ci_high=best["accuracy"], ranking_share=1.0)
    few = best.assign(ranking_share=0.05, accuracy=0.99)
    return pd.concat([few, best])


#: Differences of ManiFeSt to two methods, of the rows that rank from all.
PAIRS = pd.DataFrame({"other": ["gini", "relieff"], "difference": [0.2, -0.05]}).assign(
    method="manifest", tuning="paper", ranking_share=1.0
)


def told(table, pairs=None, by=("tuning", "ranking_share")):
    return sentences(table, "accuracy", "accuracy", True, "split", by, pairs)


def test_the_own_method_comes_first_and_only_what_is_significant_is_better(table):
    assert told(table) == {
        "paper": "0.05: ManiFeSt reaches 99 % accuracy [80, 90]; the 2 others 99 %; the SVM on all "
        "features 99 %. 1.0: ManiFeSt reaches 90 % accuracy [80, 90]; the 2 others 70 to 95 % "
        "(ReliefF); the SVM on all features 60 %."
    }
    better, worse = (f"ManiFeSt is significantly {word} than" for word in ("better", "worse"))
    for p, end in (
        ([0.01, 0.06], f"{better} Gini."),
        ([0.01, 0.01], f"{better} Gini; {worse} ReliefF."),
        ([0.5, 1.0], "no other method differs significantly from ManiFeSt."),
    ):
        assert told(table, PAIRS.assign(p_holm=p))["paper"].endswith(f"60 %; {end}")


def test_methods_are_compared_on_equal_splits_and_the_others_are_counted(table):
    table = table[table["ranking_share"] == 1.0].assign(n_splits=[30, 30, 10, 10])
    best = table.iloc[[0]].assign(method="manifest_regularized", label="Variant", accuracy=0.99)
    (said,) = told(pd.concat([table, best])).values()
    assert said == (
        "ManiFeSt reaches 90 % accuracy [80, 90] over 30 splits; Gini 70 %; Variant 99 %; 1 more "
        "method has another number of splits."
    )


def test_methods_with_manifest_are_no_filters_beside_it(table):
    table = table[table["ranking_share"] == 1.0]
    more = pd.DataFrame({"method": ["manifest_relieff", "anova_set"], "label": ["Sum", "Mean"]})
    more = more.assign(tuning="paper", ranking_share=1.0, accuracy=[0.97, 0.8])
    others = ["gini", "relieff", "manifest_relieff", "anova_set"]
    pairs = pd.DataFrame({"other": others, "difference": [0.2, 0.1, 0.1, -0.1], "p_holm": 0.01})
    pairs = pairs.assign(method="manifest", tuning="paper", ranking_share=1.0)
    (said,) = told(pd.concat([table, more]), pairs).values()
    assert said.endswith(
        "; the 2 methods without ManiFeSt 70 to 95 % (ReliefF); the 2 others with ManiFeSt 80 to "
        "97 % (Sum); the SVM on all features 60 %; ManiFeSt is significantly better than all "
        "methods without ManiFeSt and than Sum; ManiFeSt is significantly worse than Mean."
    )


def test_methods_with_manifest_are_known_by_their_names():
    for path in (CONFIGS / "method").glob("*.yaml"):
        # A sum has the names of its scorers in place of a call.
        call = entry_of(path.stem).get("call", "manifest:")
        within = call.startswith("manifest:") or call in SETS
        assert has_manifest(path.stem) == within, path.stem


def test_without_manifest_the_reference_of_the_tests_comes_first(table):
    table = table[table["ranking_share"].eq(1.0) & table["method"].ne("manifest")]
    (said,) = told(table).values()
    assert said.startswith("ReliefF reaches 95 % accuracy [85, 95]; Gini 70 %")
    pairs = pd.DataFrame({"method": "gini", "other": ["relieff"], "difference": -0.25, "p_holm": 1})
    (said,) = told(table, pairs.assign(tuning="paper", ranking_share=1.0)).values()
    assert said.startswith("Gini reaches 70 % accuracy [60, 70]; ReliefF 95 %")
    assert said.endswith("no other method differs significantly from Gini.")


def test_what_methods_find_is_told_for_each_case():
    table = pd.DataFrame({"case": ["a", "a", "a", "b"], "case_label": ["A", "A", "A", "B"]})
    table = table.assign(method=["manifest", "y", "z", "manifest"], n_draws=5)
    table = table.assign(correct=[2.0, 1.0, 0.1, 0.5])
    told = sentences(table, "correct", "{} relevant features", False, "draw", ("case",))
    assert told == {
        "": "A: manifest finds 2.00 relevant features on average over 5 draws; the 2 others 0.10 "
        "to 1.00 (y). B: manifest finds 0.50 relevant features on average over 5 draws."
    }
    assert sentences(table.drop(columns="correct"), "correct", "", False) == {}


def test_a_case_with_a_significant_difference_comes_first_and_a_formula_keeps_its_letters():
    table = pd.DataFrame({"case": list("aabb"), "method": ["manifest", "gini"] * 2, "n_draws": 5})
    table = table.assign(case_label=table["case"].map({"a": "y = f1", "b": "nothing"}), correct=1.0)
    pairs = pd.DataFrame({"case": ["a", "b"], "method": "manifest", "other": "gini"})
    pairs = pairs.assign(difference=-1.0)
    for p, first in (
        ([0.5, 0.01], "Nothing: "),
        ([0.01, 0.5], "y = f1: "),
        ([0.5, 0.5], "y = f1: "),
    ):
        arguments = ("correct", "{} features", False, "draw", ("case",), pairs.assign(p_holm=p))
        assert sentences(table, *arguments)[""].startswith(first)


def test_a_page_has_the_sentences_of_the_kind_or_else_of_its_summary(table, tmp_path):
    summary = Summary("accuracy", "split", ("tuning", "ranking_share"), "accuracy")
    plain = Kind(
        dict, lambda config: None, lambda run: Results(table, {}), summary, captions={"a": "A"}
    )
    found = facts(plain, {"summary": table}, tmp_path)
    assert found.findings["paper"].endswith("the SVM on all features 60 %.")
    assert (found.captions, found.is_share) == ({"a": "A"}, True)
    own = Kind(dict, plain.check, plain.run, findings=lambda *arguments: {"": "Said."})
    assert facts(own, {"summary": table}, tmp_path).findings == {"": "Said."}
    failed = {"summary": table.assign(failed=True)}
    assert facts(own, failed, tmp_path).findings == {}
