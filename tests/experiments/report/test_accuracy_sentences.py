"""The rules that decide what the paper says of accuracies in words, each on made-up results."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from experiments.report.claims.results_folder import FILTERS
from tests.experiments.report import stored_results
from tests.experiments.report.stored_results import judged

accuracies = partial(stored_results.accuracies, noise=0.001)


@pytest.mark.parametrize(
    ("relieff", "noise", "verdict"),
    [
        (0.945, 0.001, "agrees"),
        (0.90, 0.001, "differs"),
        (0.98, 0.001, "differs"),
        (0.94, 0.05, "too wide to say"),
    ],
)
def test_on_par_is_within_the_margin_on_either_side(verdicts, relieff, noise, verdict):
    rng = np.random.default_rng(0)
    tests = {(name, 1.0): accuracies(rng, 0.94) for name in [*FILTERS, "manifest"]}
    tests["relieff", 1.0] = accuracies(rng, relieff, noise=noise)
    row = verdicts("prostate", **judged(tests))["prostate.on_par"]
    assert row["verdict"] == verdict
    assert "relieff" in row["note"]


@pytest.mark.parametrize(("worst", "verdict"), [(0.8, "agrees"), (0.615, "differs")])
def test_all_identify_what_serves_better_than_all_features(verdicts, worst, verdict):
    rng = np.random.default_rng(0)
    tests = {(name, 1.0): accuracies(rng, 0.9) for name in [*FILTERS, "manifest"]}
    tests["ttest", 1.0] = accuracies(rng, worst)
    for values in tests.values():
        values[:, 1] = 0.6  # all features, which are the same set for every method
    tables = judged(tests)
    of_all = {"method": "all_features", "reading": "paper", "n_features": 40}
    tables["summary"].append({**of_all, "accuracy": 0.6})
    n_splits = len(tests["ttest", 1.0])
    tables["rows"] += [
        {**of_all, "ranking_share": 1.0, "split": split, "test": 0.6} for split in range(n_splits)
    ]
    row = verdicts("madelon", **tables)["madelon.all_identify"]
    assert row["verdict"] == verdict
    assert row["ours"] == pytest.approx(100 * (tests["ttest", 1.0][:, 0].mean() - 0.6))


@pytest.mark.parametrize(
    ("own", "verdict"), [(0.1, "agrees"), (0.001, "differs"), (0.012, "too wide to say")]
)
def test_a_larger_deviation_is_larger_by_more_than_chance(verdicts, own, verdict):
    rng = np.random.default_rng(0)
    tests = {("manifest", 1.0): accuracies(rng, 0.8, noise=own)}
    tests["llspin", 1.0] = accuracies(rng, 0.8, noise=0.01)
    row = verdicts("colon_embedded_many", **judged(tests))["colon.embedded_49_13.larger_deviation"]
    assert row["verdict"] == verdict
    ratio = np.divide(*(values[:, 0].std(ddof=1) for values in tests.values()))
    assert row["ours"] == pytest.approx(ratio)
    # The quantiles of F(9, 9) at both ends are each other's inverses.
    assert row["diff_high"] / row["ours"] == pytest.approx(np.sqrt(stats.f.ppf(0.95, 9, 9)))
    assert row["diff_low"] / row["ours"] == pytest.approx(np.sqrt(stats.f.ppf(0.05, 9, 9)))


def test_orders_that_one_experiment_has_tried_count_for_all_of_its_samples(verdicts):
    """prostate_many tries none, and the 2023 reading is not the one under which they are tried."""
    rng = np.random.default_rng(0)
    claim = "icml.table1_error_percent_std_features.ig.prostate"
    many = judged({("ig", 1.0): accuracies(rng, 0.938, 30)}, reading="icml")
    alone = verdicts("prostate_many", n=30, **many)[claim]
    tried = judged({("ig", 1.0): accuracies(rng, 0.94, 30)})
    for row in tried["summary"]:
        row["order_std"] = 0.03 if row["reading"] == "paper" else np.nan
    verdicts("prostate", n=30, **tried)
    beside = verdicts("prostate_many", n=30, **many)[claim]
    assert (alone["verdict"], beside["verdict"]) == ("agrees", "too wide to say")
    assert beside["ours"] == alone["ours"]


def test_orders_of_the_named_experiment_go_before_the_own_ones(verdicts):
    """The facts of prostate_many name prostate as the experiment that has tried orders."""
    rng = np.random.default_rng(0)
    paper, icml = (
        judged({("ig", 1.0): accuracies(rng, 0.938, 30)}, reading=reading)
        for reading in ("paper", "icml")
    )
    few, more = ([{**row, "order_std": std} for row in paper["summary"]] for std in (0.0, 0.03))
    claim = "icml.table1_error_percent_std_features.ig.prostate"
    own = {name: [*paper[name], *icml[name]] for name in paper} | {"summary": few + icml["summary"]}
    alone = verdicts("prostate_many", n=30, **own)[claim]
    verdicts("prostate", n=30, **{**paper, "summary": more})
    beside = verdicts("prostate_many", n=30, **own)[claim]
    assert (alone["verdict"], beside["verdict"]) == ("agrees", "too wide to say")


def test_orders_of_the_samples_count_for_the_method_that_was_tried(verdicts):
    """colon_orders has the library's ReliefF in the order of the file first, then in others."""
    rng = np.random.default_rng(0)
    claim = "icml.table1_error_percent_std_features.{}.colon"
    many = {(name, 1.0): accuracies(rng, 0.86, 100) for name in ("relieff_skfeature", "gini")}
    alone = verdicts("colon_many", n=100, **judged(many, reading="icml"))
    orders = {"relieff_skfeature": 0.5, "order_1": 0.83, "order_2": 0.86, "order_3": 0.89}
    tried = {(name, 1.0): np.full((10, 2), value) for name, value in orders.items()}
    tables = judged(tried)
    tables["summary"].append({"method": "all_features", "reading": "paper", "accuracy": 0.2})
    verdicts("colon_orders", n=10, **tables)
    beside = verdicts("colon_many", n=100, **judged(many, reading="icml"))
    rows = alone[claim.format("relieff")], beside[claim.format("relieff")]
    assert [row["verdict"] for row in rows] == ["agrees", "too wide to say"]
    assert rows[0]["ours"] == rows[1]["ours"]
    # Either study has an order of its own, so that the deviation counts twice.
    width = rows[1]["diff_high"] - rows[1]["diff_low"]
    assert width > 2 * stats.norm.ppf(0.95) * 3 * np.sqrt(2) > rows[0]["diff_high"]
    assert alone[claim.format("gini")] == beside[claim.format("gini")]


@pytest.mark.parametrize(
    ("ahead", "noise", "verdict"),
    [(0.1, 0.001, "agrees"), (-0.1, 0.001, "differs"), (0.001, 0.05, "too wide to say")],
)
def test_more_features_are_more_in_resamples_of_the_splits(verdicts, ahead, noise, verdict):
    """Gini is best at 10 features; ManiFeSt is ahead by so much at 40."""
    rng = np.random.default_rng(0)
    tests = {("gini", 1.0): accuracies(rng, 0.85, 50)}
    tests["manifest", 1.0] = 0.8 + noise * rng.normal(size=(50, 3)) + [-ahead, -1e-3, 0]
    tests["gini", 1.0] = np.column_stack([tests["gini", 1.0][:, 1], *tests["gini", 1.0].T])
    # Splits that only one of the two has do not count.
    tests["gini", 1.0] = np.vstack([tests["gini", 1.0], np.tile([0, 0, 9.0], (9, 1))])
    tables = judged(tests, sizes=(5, 10, 40))
    row = verdicts("colon_many", n=59, **tables)["colon.at_features.larger"]
    assert "on 50 splits" in row["note"]
    assert row["verdict"] == verdict
    best = np.array([5, 10, 40])[tests["manifest", 1.0].mean(axis=0).argmax()]
    assert row["ours"] == best / 10
