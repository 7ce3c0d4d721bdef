"""Claims: what each reader finds in made-up results, and the outcome."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from experiments.evaluation.statistics import repeat_ratio
from experiments.report.claims import COLUMNS, OUTCOMES, bounds_of, compare, counts, outcome_of
from experiments.report.claims.folder import Folder, Values
from experiments.report.claims.noise import ONE_REPEAT, ONE_REPEAT_PAIRED, Mean, mean_of
from tests.commands import ROOT
from tests.experiments.report.conftest import accurate, evaluated, recovered, store

RESULTS = ROOT / "results"
INF = np.inf


def claim(reader, margin, published="it is so", **arguments):
    """An entry of paper.yaml."""
    return {"reader": reader, "margin": margin, "published": published, "with": arguments}


@pytest.mark.parametrize(("interval", "bounds", "outcome"), [
    ((-1, 1), (-2, 2), "reproduced"), ((-2, 2), (-2, 2), "reproduced"),
    ((2.5, 3), (-2, 2), "different"), ((-3, -2.5), (-2, 2), "different"),
    ((1, 3), (-2, 2), "inconclusive"), ((0.1, 3), (0, INF), "reproduced"),
    ((-0.1, 3), (0, INF), "inconclusive"), ((-3, -0.1), (0, INF), "different"),
    ((-5, 1.9), (-INF, 2), "reproduced"), ((2.1, 3), (-INF, 2), "different"),
])  # fmt: skip
def test_an_interval_inside_the_bounds_is_reproduced_and_one_outside_is_different(
    interval, bounds, outcome
):
    assert outcome_of([lambda level: interval], bounds) == outcome


@pytest.mark.parametrize(("margin", "outcomes"), [
    ({"above": 1}, ("different", "different", "reproduced")),
    ({"below": 1}, ("reproduced", "different", "different")),
    ({"at_most": 1}, ("reproduced", "reproduced", "different")),
    (1, ("reproduced", "reproduced", "different")),
])  # fmt: skip
def test_a_value_without_noise_is_inside_or_outside_and_a_strict_bound_is_outside(margin, outcomes):
    bounds = bounds_of(margin)[:2]
    for value, outcome in zip((0.5, 1, 1.5), outcomes, strict=True):
        assert outcome_of([Mean(value, 0, 2, 1, limits=None).interval], bounds) == outcome


def test_a_claim_on_several_holds_if_all_do_and_fails_if_one_does_at_the_corrected_level():
    def normal(level):
        return stats.norm.interval(level, -2)

    above, unclear = (lambda level: (1, 2)), (lambda level: (-1, 1))
    assert outcome_of([above, above], (0, INF)) == "reproduced"
    assert outcome_of([above, unclear], (0, INF)) == "inconclusive"
    assert outcome_of([above, normal], (0, INF)) == "different"
    # 1 - 0.1 / 30 leaves an interval that reaches above zero.
    assert outcome_of([above] * 29 + [normal], (0, INF)) == "inconclusive"


def test_a_mean_has_student_s_interval_and_the_published_one_that_of_its_own_repetitions():
    values = pd.Series([80.0, 82, 84, 90])
    mean = mean_of(values, 0)
    low, high = mean.interval(0.9)
    assert (low, high) == pytest.approx(stats.t.interval(0.9, 3, 84, stats.sem(values)))
    # The difference has the noise of both; that of one repetition is twice as wide.
    wide = np.hypot(high - 84, 2 * (high - 84))
    assert mean.minus(80.0, 1)(0.9) == pytest.approx((4 - wide, 4 + wide))


def test_equal_repetitions_leave_clopper_and_pearson_s_share():
    low = 2 * stats.beta.ppf(0.05, 50, 1)
    assert Mean(2.0, 0.0, 50, 49, limits=(0.0, 2.0)).interval(0.9) == pytest.approx((low, 2.0))
    assert Mean(2.0, 0.0, 5, 4, limits=None).interval(0.9) == (2.0, 2.0)


def test_whole_cross_validations_tell_how_much_less_their_mean_varies():
    folds = pd.DataFrame(np.random.default_rng(0).normal(80, 5, size=(50, 3)))
    ratio, freedom = repeat_ratio(folds.to_numpy().T, 10)
    half = stats.t.ppf(0.95, freedom) * folds[0].std() * np.sqrt(ratio / 50)
    ends = folds[0].mean() - half, folds[0].mean() + half
    assert mean_of(folds[0], 10, folds).interval(0.9) == pytest.approx(ends)
    one = folds[0][:10]
    half = stats.t.ppf(0.95, 9) * one.std() * np.sqrt(ONE_REPEAT / 10)
    ends = one.mean() - half, one.mean() + half
    assert mean_of(one, 10, folds).interval(0.9) == pytest.approx(ends)


@pytest.mark.parametrize("experiment", ["colon", "prostate", "colon_nested"])
def test_the_ratios_of_one_cross_validation_are_those_of_the_repeated_ones(experiment):
    here = Values(Folder(RESULTS / experiment))
    values = here.together.to_numpy()
    level, _ = repeat_ratio(values[: len(values) // 10 * 10].T, 10)
    paired, _ = repeat_ratio(here.paired.to_numpy().T, 10)
    assert pytest.approx(level, abs=0.12) == ONE_REPEAT
    assert pytest.approx(paired, abs=0.25) == ONE_REPEAT_PAIRED


def test_both_forms_of_a_filter_tell_how_repeats_vary_and_a_claim_is_of_the_paper_s(tmp_path):
    """Their values differ, and no form stands in the place of the other."""
    tests = accurate(dict.fromkeys(("manifest", "ig", "ig_ross", "relieff"), 0.8), noise=0.05)
    here = Values(Folder(store(tmp_path, "made", **evaluated(tests))))
    for name, values in tests.items():
        assert here.together[name].to_numpy() == pytest.approx(100 * values[:, 0])
    assert (here.name("ig"), here.name("relieff")) == ("ig_ross", "relieff")


def test_a_claim_on_sources_needs_all_data_sets_of_a_source(tmp_path):
    """Numbers of training samples may be whole numbers in the file, and are texts in claims."""
    accuracies: dict[str, list[float | None]] = {
        "manifest": [0.4, 0.9, 0.7],
        "gini": [None, 0.9, 0.7],
    }
    rows = []
    for method, values in accuracies.items():
        for number, accuracy in enumerate(values):
            at = {"method": method, "source": "ab"[number > 1], "data_set": number}
            rows += [{**at, "n_train": n, "accuracy": accuracy, "held_out": True} for n in (20, 50)]
    folder = Folder(store(tmp_path, "made", problems=rows, summary=[{"method": "manifest"}]))
    here = Values(folder, "source", where=[("n_train", "20")])
    assert here.values("manifest").to_dict() == pytest.approx({"a": 65, "b": 70})
    assert here.values("gini").to_dict() == pytest.approx({"b": 70})


@pytest.mark.parametrize(
    ("end", "border"), [(1.89, ""), (1.91, "at the border"), (2.09, "at the border"), (2.12, "")]
)
def test_an_interval_that_ends_within_a_twentieth_of_a_bound_is_at_the_border(decided, end, border):
    half = 0.01 * stats.t.ppf(0.95, 9) / np.sqrt(10)
    table = [{"share": end - half, "share_std": 0.01}]
    entry = claim("cell", {"at_most": 2}, table="shares", value="share", where={})
    assert decided(entry, shares=table, summary=[{"a": 1}])["border"] == border


@pytest.mark.parametrize(("mean", "outcome", "direction"), [
    (0.90, "reproduced", ""), (0.80, "different", ""), (0.88, "inconclusive", "↓"),
])  # fmt: skip
def test_the_number_of_a_method_is_its_best_mean_over_the_numbers_of_features(
    decided, mean, outcome, direction
):
    tests = accurate({"manifest": mean, "gini": 0.7}, noise=0.02)
    row = decided(claim("number", 2, 90.0, method="manifest"), **evaluated(tests))
    assert row["ours"] == pytest.approx(100 * tests["manifest"].mean(axis=0).max())
    assert (row["outcome"], row["direction"]) == (outcome, direction)
    assert row["diff_low"] < row["ours"] - 90 < row["diff_high"]


def test_more_splits_than_published_are_studies_that_take_their_own_best_numbers(decided):
    """Splits beyond the last whole study belong to it."""
    tests = np.repeat([[0.7, 0.9], [0.7, 0.8], [0.8, 0.4]], (10, 10, 7), axis=0)
    entry = claim("number", 2, 80.0, method="manifest") | {"repetitions": 10}
    row = decided(entry, n=27, **evaluated({"manifest": tests}))
    # The 17 splits of the last are best at the first number, ten of them alone at the second.
    assert row["ours"] == pytest.approx((10 * 90 + 10 * 70 + 7 * 80) / 27)


def test_an_error_counts_the_errors_of_all_splits_and_stands_beside_its_deviation(decided):
    tables = evaluated(accurate({"manifest": 0.85}))
    for row in tables["summary"]:
        row |= {"n_errors": 9, "n_tested": 62}
    of_each = {"also": ["std"], "each": {"manifest": [14.5, 9.0]}}
    row = decided(claim("number", 2, error=True) | of_each, **tables)
    assert row["ours"] == pytest.approx(100 * 9 / 62)
    assert row["ci_low"] < row["ours"] < row["ci_high"]
    assert "9 there" in row["note"]


def test_the_best_other_filter_is_compared_with_an_upper_limit(decided):
    tables = evaluated(accurate({"manifest": 0.95, "gini": 0.84, "anova": 0.85}))
    for published, outcome in ((85.8, "reproduced"), (80.0, "different")):
        row = decided(claim("number", {"at_most": 2}, published, method="others"), **tables)
        assert (row["outcome"], row["method"]) == (outcome, "anova")


def test_a_count_is_of_the_tuned_method_of_each_value_of_a_column_or_of_each_feature(decided):
    tables = recovered({"manifest": [10] * 15 + [9] * 5, "gini": [3] * 20})
    row = decided(claim("count", 0.5, 9.7, method="manifest"), n=20, **tables)
    assert (row["ours"], row["outcome"]) == (9.75, "reproduced")
    tables["rows"] = [row | {"parameters": row["method"]} for row in tables["rows"] if row["tuned"]]
    row = decided(claim("count", {"above": 5}, by="parameters"), n=20, **tables)
    assert (row["ours"], row["outcome"], row["note"]) == (3, "different", "gini, of 2")
    shares = {"feature": [1, 5, 7], "selected": [0.9, 0.8, 0.0], "method": "gini", "case": "b"}
    entry = claim("count", {"above": 0.5}, method="gini", case="b", features=[1, 5])
    row = decided(entry, n=50, features=shares, summary=[{"a": 1}])
    assert (row["outcome"], row["ours"]) == ("reproduced", 0.8)


def test_a_pair_is_compared_split_by_split_with_each_method_that_is_there(decided):
    rng = np.random.default_rng(0)
    common = 0.1 * rng.normal(size=(10, 2)) + np.array([0, -0.3])
    means = {"manifest": 0.6, "gini": 0.55, "anova": 0.57}
    tests = {name: mean + common + 0.005 * rng.normal(size=(10, 2)) for name, mean in means.items()}
    entry = claim("pairwise", {"above": 0}, pairs=[["manifest", ["gini", "anova", "ttest"]]])
    row = decided(entry, **evaluated(tests))
    difference = 100 * (tests["manifest"] - tests["anova"])[:, 0]
    half = stats.t.ppf(0.95, 9) * difference.std(ddof=1) * np.sqrt(ONE_REPEAT_PAIRED / 10)
    assert row["ours"] == pytest.approx(difference.mean())
    assert row["diff_low"] == pytest.approx(difference.mean() - half)
    assert (row["outcome"], row["note"]) == ("reproduced", "manifest minus anova, of 2")
    mirrored = claim("pairwise", {"above": 0}, pairs=[["gini", "manifest"]])
    assert decided(mirrored)["outcome"] == "different"


@pytest.mark.parametrize(("other", "ours"), [
    ({"method": "own", "share": 0.05}, 20), ({"method": "own", "n_features": 40}, 10),
    ({"value": 50.0}, 30),
])  # fmt: skip
def test_a_side_has_a_number_of_features_a_share_or_a_value(decided, other, ours):
    tests = accurate({"gini": 0.8, ("gini", 0.05): 0.6}, noise=0.002)
    entry = claim("pairwise", {"above": 2}, pairs=[["own", other]]) | {"each": {"gini": "fails"}}
    row = decided(entry, **evaluated(tests))
    assert row["ours"] == pytest.approx(ours, abs=0.5)
    assert row["outcome"] == "reproduced"


def test_draws_are_compared_draw_by_draw(decided):
    tables = recovered({"manifest": [2] * 20, "relieff": [1] * 15 + [0] * 5})
    for row in tables["rows"]:
        row["accuracy"] = 0.7 + (row["method"] == "manifest") * (0.09 + 0.02 * (row["draw"] % 2))
    for of, ours in (("correct", 1.25), ("accuracy", 10)):
        entry = claim("pairwise", {"above": 0}, of=of, pairs=[["manifest", "relieff"]])
        row = decided(entry, n=20, **tables)
        assert row["outcome"] == "reproduced"
        assert row["ours"] == pytest.approx(ours)


def test_eigenvectors_are_compared_with_the_larger_of_the_shares_of_area_and_ink(decided):
    rows = [
        {"region": name, "leading": share, "leading_std": 0.004, "area": 0.02, "ink": 0.04}
        for name, share in (("leg", 0.05), ("gap", 0.03))
    ]
    tables = {"differences": rows, "summary": [{"a": 1}]}
    at = {"table": "differences", "value": "leading", "over": ["area", "ink"]}
    leg, every, none = (
        decided(claim("cell", {"above": 1}, where=where, **at), n=40, **tables)
        for where in ({"region": "leg"}, {}, {"region": "none"})
    )
    assert (leg["outcome"], leg["ours"]) == ("reproduced", pytest.approx(1.25))
    half = stats.t.ppf(0.975, 39) * 0.004 / 0.04 / np.sqrt(40)
    assert leg["ci_low"] == pytest.approx(1.25 - half)
    assert (every["outcome"], none["outcome"]) == ("different", "no data")


def test_the_gap_is_the_mean_of_validation_minus_test_over_the_numbers(decided):
    tests = accurate({"manifest": 0.85, "gini": 0.85}, noise=0.02)
    rng = np.random.default_rng(1)
    seen = {name: test + 0.002 * rng.normal(size=(10, 2)) for name, test in tests.items()}
    seen["manifest"] += 0.02
    seen["gini"] += np.array([0.06, 0.1])
    entry = claim("pairwise", {"above": 0}, of="gap", pairs=[["gini", "manifest"]])
    row = decided(entry, **evaluated(tests, validation=seen))
    assert row["ours"] == pytest.approx(6, abs=0.3)
    assert row["outcome"] == "reproduced"


def test_missing_results_and_parts_of_runs_are_no_data_and_no_reader_is_not_tested(
    decided, tmp_path
):
    entry = claim("number", 2, 90.0, method="gini")
    assert decided(entry)["outcome"] == "no data"
    assert decided(entry, **evaluated(accurate({"manifest": 0.9})))["outcome"] == "no data"
    tables = evaluated(accurate({"gini": 0.9}))
    assert decided(entry, **tables)["outcome"] != "no data"
    store(tmp_path, "made", profile="smoke", **tables)
    assert decided(entry)["outcome"] == "no data"
    row = decided({"published": "it is so", "why": "one draw"})
    assert (row["outcome"], row["note"]) == ("not tested", "one draw")
    assert np.isnan(row["ours"])


def test_an_entry_with_an_unknown_key_or_reader_is_refused(decided):
    tables = evaluated(accurate({"gini": 0.9}))
    for fault in ({"foldre": "a"}, {"reader": "numbre"}):
        with pytest.raises((KeyError, TypeError), match=r"foldre|numbre"):
            decided(claim("number", 2, 90.0, method="gini") | fault, **tables)


def test_the_committed_claims_are_those_of_the_committed_results():
    fresh, stored = compare(RESULTS / "paper.yaml", RESULTS), pd.read_csv(RESULTS / "claims.csv")
    assert list(stored) == COLUMNS
    assert stored["claim"].is_unique
    assert stored["claim"].tolist() == fresh["claim"].tolist()
    assert stored["outcome"].tolist() == fresh["outcome"].tolist()
    assert set(stored["outcome"]) <= set(OUTCOMES)
    for name in ("ours", "ci_low", "ci_high", "diff_low", "diff_high"):
        np.testing.assert_allclose(stored[name], fresh[name].astype(float), rtol=1e-5, atol=1e-9)
    assert counts(fresh).startswith(f"{(fresh['outcome'] == 'reproduced').sum()} reproduced")
