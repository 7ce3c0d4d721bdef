"""Claims: what each reader finds in made-up results, and the outcome."""

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from experiments.config import ConfigError
from experiments.evaluation.statistics import repeat_ratio
from experiments.report.claims import COLUMNS, OUTCOMES, compare, load, outcome_of
from experiments.report.claims.folder import Accuracies, Folder, differences
from experiments.report.claims.noise import (
    ONE_REPEAT,
    ONE_REPEAT_PAIRED,
    Noise,
    Quantity,
    bootstrap,
    noise_of,
)
from experiments.report.claims.render import by_version, counts
from tests.experiments.conftest import CONFIGS
from tests.experiments.report.conftest import accurate, evaluated, recovered, store

RESULTS = CONFIGS.parent / "results"
INF = np.inf


def quantity(low, high):
    return Quantity((low + high) / 2, lambda level: (low, high))


@pytest.mark.parametrize(
    ("interval", "bounds", "outcome"),
    [
        ((-1, 1), (-2, 2), "reproduced"),
        ((-2, 2), (-2, 2), "reproduced"),
        ((2.5, 3), (-2, 2), "different"),
        ((-3, -2.5), (-2, 2), "different"),
        ((1, 3), (-2, 2), "inconclusive"),
        ((0.1, 3), (0, INF), "reproduced"),
        ((-0.1, 3), (0, INF), "inconclusive"),
        ((-3, -0.1), (0, INF), "different"),
        ((-5, 1.9), (-INF, 2), "reproduced"),
        ((2.1, 3), (-INF, 2), "different"),
    ],
)
def test_an_interval_inside_the_bounds_is_reproduced_and_one_outside_is_different(
    interval, bounds, outcome
):
    assert outcome_of([quantity(*interval)], bounds) == outcome


def test_a_claim_on_several_holds_if_all_do_and_fails_if_one_does_at_the_corrected_level():
    normal = Quantity(
        -2.0,
        lambda level: (-2 - stats.norm.ppf((1 + level) / 2), -2 + stats.norm.ppf((1 + level) / 2)),
    )
    above, unclear = quantity(1, 2), quantity(-1, 2)
    assert outcome_of([above, above], (0, INF)) == "reproduced"
    assert outcome_of([above, unclear], (0, INF)) == "inconclusive"
    assert outcome_of([above, normal], (0, INF)) == "different"
    # 1 - 0.1 / 30 leaves an interval that reaches above zero.
    assert outcome_of([above] * 29 + [normal], (0, INF)) == "inconclusive"


def test_a_mean_has_student_s_interval_and_the_published_one_that_of_its_own_repetitions():
    values = pd.Series([80.0, 82, 84, 90])
    noise = noise_of(values, 0)
    low, high = noise.interval(84.0, 0.9)
    assert (low, high) == pytest.approx(stats.t.interval(0.9, 3, 84, stats.sem(values)))
    wide = noise.interval(84.0, 0.9, 1)
    assert wide[1] - wide[0] == pytest.approx(2 * (high - low))


def test_equal_repetitions_leave_clopper_and_pearson_s_share():
    noise = Noise(0.0, 50, limits=(0.0, 2.0))
    low = 2 * stats.beta.ppf(0.05, 50, 1)
    assert noise.interval(2.0, 0.9) == pytest.approx((low, 2.0))
    assert Noise(0.0, 5, limits=None).interval(2.0, 0.9) == (2.0, 2.0)


def test_whole_cross_validations_tell_how_much_less_their_mean_varies():
    rng = np.random.default_rng(0)
    folds = pd.DataFrame(rng.normal(80, 5, size=(50, 3)))
    block = folds.to_numpy().reshape(5, 10, 3)
    ratio, freedom = repeat_ratio(folds.to_numpy().T, 10)
    noise = noise_of(folds[0], 10, folds)
    half = stats.t.ppf(0.95, freedom) * folds[0].std() * np.sqrt(ratio / 50)
    assert noise.interval(80.0, 0.9) == pytest.approx((80 - half, 80 + half))
    one = noise_of(pd.Series(block[0, :, 0]), 10, folds)
    half = stats.t.ppf(0.95, 9) * block[0, :, 0].std(ddof=1) * np.sqrt(ONE_REPEAT / 10)
    assert one.interval(80.0, 0.9) == pytest.approx((80 - half, 80 + half))


@pytest.mark.parametrize("experiment", ["colon", "prostate", "colon_nested"])
def test_the_ratios_of_one_cross_validation_are_those_of_the_repeated_ones(experiment):
    here = Accuracies(Folder(RESULTS / experiment))
    values = here.together.to_numpy()
    level, _ = repeat_ratio(values[: len(values) // 10 * 10].T, 10)
    paired, _ = repeat_ratio(here.paired.to_numpy().T, 10)
    assert pytest.approx(level, abs=0.12) == ONE_REPEAT
    assert pytest.approx(paired, abs=0.25) == ONE_REPEAT_PAIRED


def test_a_resampled_statistic_has_an_interval_that_holds_it():
    values = np.random.default_rng(0).normal(size=40)
    value, interval = bootstrap(lambda weights: weights @ values / 40, 40)
    assert value == pytest.approx(values.mean())
    half = stats.t.ppf(0.95, 39) * stats.sem(values)
    assert interval(0.9) == pytest.approx((value - half, value + half), abs=0.1)


@pytest.mark.parametrize(
    ("mean", "outcome", "direction"),
    [(0.90, "reproduced", ""), (0.80, "different", ""), (0.88, "inconclusive", "↓")],
)
def test_the_number_of_a_method_is_its_best_mean_over_the_numbers_of_features(
    decided, mean, outcome, direction
):
    entry = {"reader": "number", "margin": 2, "published": 90.0, "with": {"method": "manifest"}}
    tables = evaluated(accurate({"manifest": mean, "gini": 0.7}, noise=0.02))
    row = decided(entry, **tables)
    rows = pd.DataFrame(tables["rows"])
    own = rows[(rows["method"] == "manifest") & (rows["tuning"] == "paper")]
    assert row["ours"] == pytest.approx(100 * own.groupby("n_features")["test"].mean().max())
    assert (row["outcome"], row["direction"]) == (outcome, direction)
    assert row["diff_low"] < row["ours"] - 90 < row["diff_high"]


def test_more_splits_than_published_are_studies_that_take_their_own_best_numbers(decided):
    rng = np.random.default_rng(0)
    tests = {"manifest": 0.8 + 0.05 * rng.normal(size=(30, 2))}
    entry = {"reader": "number", "margin": 2, "published": 80.0, "repetitions": 10}
    row = decided({**entry, "with": {"method": "manifest"}}, n=30, **evaluated(tests))
    best = [part.mean(axis=0).max() for part in np.split(100 * tests["manifest"], 3)]
    assert row["ours"] == pytest.approx(np.mean(best))


def test_an_error_counts_the_errors_of_all_splits_and_stands_beside_its_deviation(decided):
    tables = evaluated(accurate({"manifest": 0.85}))
    for row in tables["summary"]:
        row |= {"n_errors": 9, "n_tested": 62}
    entry = {"reader": "number", "margin": 2, "also": ["std"], "each": {"manifest": [14.5, 9.0]}}
    row = decided({**entry, "with": {"error": True}}, **tables)
    assert row["ours"] == pytest.approx(100 * 9 / 62)
    assert "9 there" in row["note"]


def test_the_best_other_filter_is_compared_with_an_upper_limit(decided):
    tables = evaluated(accurate({"manifest": 0.95, "gini": 0.84, "anova": 0.85}))
    entry = {"reader": "number", "published": 85.8, "with": {"method": "others"}}
    assert decided({**entry, "margin": {"at_most": 2}}, **tables)["outcome"] == "reproduced"
    row = decided({**entry, "margin": {"at_most": 2}, "published": 80.0}, **tables)
    assert row["outcome"] == "different"
    assert row["note"] == "anova"


def test_a_count_is_the_mean_of_the_draws_of_the_tuned_method(decided):
    tables = recovered({"manifest": [10] * 15 + [9] * 5, "gini": [3] * 20})
    entry = {"reader": "count", "margin": 0.5, "published": 9.7, "with": {"method": "manifest"}}
    row = decided(entry, n=20, kind="recovery", **tables)
    assert row["ours"] == 9.75
    assert row["outcome"] == "reproduced"
    fails = {
        "reader": "count",
        "margin": {"below": 1},
        "published": "fails",
        "each": {"gini": "fails"},
    }
    assert decided(fails)["outcome"] == "different"


def test_a_count_by_a_column_holds_at_each_of_its_values(decided):
    rows = [
        {"method": f"m{scale}", "tuned": True, "draw": draw, "correct": correct}
        | {"relevant": [0, 1], "parameters": f"scale={scale}"}
        for scale, correct in ((0.1, 2), (1, 0))
        for draw in range(20)
    ]
    entry = {"reader": "count", "margin": {"above": 1}, "published": "no tuning"}
    row = decided(
        {**entry, "with": {"by": "parameters"}},
        n=20,
        kind="recovery",
        rows=rows,
        summary=[{"a": 1}],
    )
    assert (row["outcome"], row["ours"]) == ("different", 0)
    assert row["note"] == "scale=1, of 2"


def test_a_share_of_draws_that_select_each_feature(decided):
    features = [
        {"method": "manifest", "case": "b", "feature": feature, "selected": share}
        for feature, share in ((1, 0.9), (5, 0.8), (7, 0.0))
    ]
    entry = {"reader": "count", "margin": {"above": 0.5}, "published": "captured"}
    chosen = {"method": "manifest", "case": "b", "features": [1, 5]}
    row = decided({**entry, "with": chosen}, n=50, features=features, summary=[{"a": 1}])
    assert (row["outcome"], row["ours"]) == ("reproduced", 0.8)


def test_a_pair_is_compared_split_by_split_with_each_method_that_is_there(decided):
    rng = np.random.default_rng(0)
    common = 0.1 * rng.normal(size=(10, 2)) + np.array([0, -0.3])
    tests = {
        name: mean + common + 0.005 * rng.normal(size=(10, 2))
        for name, mean in (("manifest", 0.6), ("gini", 0.55), ("anova", 0.57))
    }
    entry = {"reader": "pairwise", "margin": {"above": 0}, "published": "highest"}
    pairs = {"pairs": [["manifest", ["gini", "anova", "ttest"]]]}
    row = decided({**entry, "with": pairs}, **evaluated(tests))
    assert row["outcome"] == "reproduced"
    difference = 100 * (tests["manifest"] - tests["anova"])[:, 0]
    half = stats.t.ppf(0.95, 9) * difference.std(ddof=1) * np.sqrt(ONE_REPEAT_PAIRED / 10)
    assert row["ours"] == pytest.approx(difference.mean())
    assert row["diff_low"] == pytest.approx(difference.mean() - half)
    assert row["note"] == "manifest minus anova, of 2"
    mirrored = {**entry, "with": {"pairs": [["gini", "manifest"]]}}
    assert decided(mirrored)["outcome"] == "different"


def test_a_side_has_a_number_of_features_a_share_or_a_value(decided):
    tests = accurate({"gini": 0.8, ("gini", 0.05): 0.6}, noise=0.002)
    tables, entry = evaluated(tests), {"reader": "pairwise", "margin": {"above": 2}}
    entry |= {"each": {"gini": "fails"}}
    for other, ours in (
        ({"method": "own", "share": 0.05}, 20),
        ({"method": "own", "n_features": 40}, 10),
        ({"value": 50.0}, 30),
    ):
        row = decided({**entry, "with": {"pairs": [["own", other]]}}, **tables)
        assert row["ours"] == pytest.approx(ours, abs=0.5)
        assert row["outcome"] == "reproduced"


def test_draws_are_compared_draw_by_draw(decided):
    tables = recovered({"manifest": [2] * 20, "relieff": [1] * 15 + [0] * 5})
    for row in tables["rows"]:
        row["accuracy"] = 0.7 + 0.1 * (row["method"] == "manifest") + 0.01 * (row["draw"] % 2)
    entry = {"reader": "pairwise", "margin": {"above": 0}, "published": "ahead"}
    pairs = {"pairs": [["manifest", "relieff"]]}
    correct = decided(
        {**entry, "with": {"of": "correct", **pairs}}, n=20, kind="recovery", **tables
    )
    assert (correct["outcome"], correct["ours"]) == ("reproduced", 1.25)
    accuracy = decided({**entry, "with": {"of": "accuracy", **pairs}})
    assert accuracy["ours"] == pytest.approx(10)


def test_eigenvectors_are_compared_with_the_larger_of_the_shares_of_area_and_ink(decided):
    rows = [
        {"region": name, "leading": share, "leading_std": 0.004, "area": 0.02, "ink": 0.04}
        | {"n_pixels": 20, "n_draws": 40}
        for name, share in (("leg", 0.05), ("gap", 0.03))
    ]
    entry = {"reader": "eigenvalue", "margin": {"above": 1}, "published": "shown"}
    at = {"table": "differences", "value": "leading", "over": ["area", "ink"]}
    tables = {"differences": rows, "summary": [{"a": 1}]}
    row = decided({**entry, "with": {**at, "where": {"region": "leg"}}}, **tables)
    assert (row["outcome"], row["ours"]) == ("reproduced", pytest.approx(1.25))
    half = stats.t.ppf(0.975, 39) * 0.004 / 0.04 / np.sqrt(40)
    assert row["ci_low"] == pytest.approx(1.25 - half)
    assert decided({**entry, "with": {**at, "where": {}}})["outcome"] == "different"
    missing = decided({**entry, "with": {**at, "where": {"region": "none"}}})
    assert missing["outcome"] == "no data"


def test_the_gap_is_the_mean_of_validation_minus_test_over_the_numbers(decided):
    tests = accurate({"manifest": 0.85, "gini": 0.85}, noise=0.02)
    rng = np.random.default_rng(1)
    noise = {name: 0.002 * rng.normal(size=(10, 2)) for name in tests}
    seen = {"manifest": tests["manifest"] + 0.02, "gini": tests["gini"] + np.array([0.06, 0.1])}
    tables = evaluated(tests, validation={name: seen[name] + noise[name] for name in tests})
    entry = {"reader": "curve", "margin": {"above": 0}, "published": "smaller"}
    row = decided({**entry, "with": {"of": "gap", "pairs": [["gini", "manifest"]]}}, **tables)
    assert row["ours"] == pytest.approx(6, abs=0.3)
    assert row["outcome"] == "reproduced"


def test_the_best_sizes_are_compared_by_resampling_the_splits(decided):
    tests = accurate({"manifest": 0.85, "gini": 0.85})
    tests["gini"] = tests["gini"][:, ::-1]
    entry = {"reader": "curve", "margin": {"above": 1}, "published": "more"}
    pairs = {"of": "size", "pairs": [["gini", "manifest"]]}
    row = decided({**entry, "with": pairs}, **evaluated(tests, sizes=(10, 40)))
    assert (row["ours"], row["outcome"]) == (4, "reproduced")


def test_differences_are_of_all_pairs_of_columns():
    table = pd.DataFrame({"a": [3.0, 4], "b": [1.0, 1], "c": [0.0, 5]})
    assert differences(table).to_numpy().tolist() == [[2, 3, 1], [3, -1, -4]]


@pytest.mark.parametrize(
    "record",
    [
        {"profile": "smoke"},
        {"data": {"synthetic": True}},
        {"config": {"dataset": {"max_samples": 9}}},
    ],
)
def test_a_part_of_a_run_decides_no_claim(decided, tmp_path, record):
    store(tmp_path, "made", **record, **evaluated(accurate({"manifest": 0.9})))
    entry = {"reader": "number", "margin": 2, "published": 90.0, "with": {"method": "manifest"}}
    assert decided(entry)["outcome"] == "no data"


def test_a_folder_or_a_method_that_is_missing_is_no_data_and_no_reader_is_not_tested(decided):
    entry = {"reader": "number", "margin": 2, "published": 90.0, "with": {"method": "gini"}}
    assert decided(entry)["outcome"] == "no data"
    assert decided(entry, **evaluated(accurate({"manifest": 0.9})))["outcome"] == "no data"
    row = decided({"published": "it is so", "why": "one draw"})
    assert (row["outcome"], row["note"]) == ("not tested", "one draw")
    assert np.isnan(row["ours"])


@pytest.mark.parametrize(
    ("entry", "known"),
    [
        ({"reader": "numbre", "margin": 2}, "number"),
        ({"reader": "number"}, "margin"),
        ({}, "why"),
        ({"reader": "number", "margin": 2, "foldre": "a"}, "folder"),
    ],
)
def test_an_entry_with_a_fault_is_refused(tmp_path, entry, known):
    whole = {"id": "a", "figure": "Fig. 1", "folder": "b", "says": "c", "published": 1.0, **entry}
    path = tmp_path / "paper.yaml"
    path.write_text(yaml.safe_dump({"claims": [whole]}))
    with pytest.raises(ConfigError, match=known):
        load(path)


def test_two_claims_of_one_id_are_refused(tmp_path):
    whole = {
        "id": "a",
        "figure": "Fig. 1",
        "folder": "b",
        "says": "c",
        "published": "d",
        "why": "e",
    }
    path = tmp_path / "paper.yaml"
    path.write_text(yaml.safe_dump({"claims": [whole, whole]}))
    with pytest.raises(ConfigError, match="two claims"):
        load(path)


def test_the_committed_claims_are_those_of_the_committed_results():
    fresh, stored = compare(RESULTS / "paper.yaml", RESULTS), pd.read_csv(RESULTS / "claims.csv")
    assert list(stored) == COLUMNS
    assert stored["claim"].tolist() == fresh["claim"].tolist()
    assert stored["outcome"].tolist() == fresh["outcome"].tolist()
    assert set(stored["outcome"]) <= set(OUTCOMES)
    for name in ("ours", "ci_low", "ci_high", "diff_low", "diff_high"):
        np.testing.assert_allclose(stored[name], fresh[name].astype(float), rtol=1e-5, atol=1e-9)
    assert (RESULTS / "claims.md").read_text("utf-8") == by_version(fresh)
    assert counts(fresh).startswith(f"{(fresh['outcome'] == 'reproduced').sum()} reproduced")
