"""Numbers of accuracies, and their noise: each on made-up results that it must tell apart."""

import numpy as np
import pytest
from scipy import stats

from experiments.evaluation.statistics import repeat_ratio
from experiments.report.claims.results_folder import FILTERS
from tests.experiments.report.conftest import accurate, evaluated

#: The claims of table 1 of the 2023 version.
TABLE = "icml.table1_error_percent_std_features"
BEST = "colon.best_test_acc.manifest+relieff"


def width(row):
    return row["ci_high"] - row["ci_low"]


def of_one(mean, n=10, noise=0.01, method="manifest_relieff"):
    """Tables of one method."""
    return {"n": n, **evaluated(accurate({method: mean}, n, noise))}


def test_accuracies_are_those_of_the_paper_reading_with_intervals(outcomes):
    means = dict.fromkeys(FILTERS, 0.80) | {"fisher": 0.858, "manifest": 0.869}
    means["manifest_relieff"] = 0.881
    tests = accurate(means, 50)
    rows = outcomes("colon", n=50, **evaluated(tests, sizes=(40, 200)))
    assert (rows[BEST]["outcome"], rows[BEST]["noise"]) == ("reproduced", "repeats")
    assert rows[BEST]["ours"] == pytest.approx(88.1, abs=1)
    others = rows["colon.best_test_acc.others_at_most"]
    assert others["ours"] == pytest.approx(100 * tests["fisher"][:, 0].mean())
    assert "fisher" in others["note"]
    assert others["outcome"] == "reproduced"
    # Every resample of the splits is best at 40 features.
    size = rows["colon.at_features.manifest"]
    assert (size["ours"], size["ci_low"], size["ci_high"]) == (40, 40, 40)
    assert size["outcome"] == rows["colon.at_features.others"]["outcome"] == "listed"
    # The 2023 version is read under its own rule alone.
    assert rows[f"{TABLE}.manifest+relieff.colon"]["outcome"] == "not tested"
    rows = outcomes(
        "colon", n=50, **evaluated(accurate(means | {"gini": 0.9}, 50), sizes=(40, 200))
    )
    assert rows["colon.best_test_acc.others_at_most"]["outcome"] == "different"
    rows = outcomes("colon", n=50, **evaluated(accurate({"gini": 0.8}, 50)))
    assert rows["colon.best_test_acc.others_at_most"]["outcome"] == "reproduced"


def test_errors_are_pooled_under_the_rule_of_2023(outcomes):
    tables = evaluated(accurate({"manifest_relieff": 0.89}, 50), tuning="icml")
    for row in tables["summary"]:
        row |= {"n_errors": 34, "n_tested": 310}
    rows = outcomes("colon", n=50, **tables)
    error, deviation = (rows[f"{TABLE}.manifest+relieff.colon{end}"] for end in ("", ".std"))
    assert (error["ours"], error["outcome"]) == (pytest.approx(100 * 34 / 310), "reproduced")
    assert deviation["ci_low"] < deviation["ours"] < deviation["ci_high"]
    assert deviation["outcome"] == "listed"
    assert rows[BEST]["outcome"] == "not tested"


def test_the_noise_of_whole_cross_validations_is_that_of_their_means(outcomes):
    """Splits of a repeat may make up for one another, which one repeat alone does not show."""
    balanced = (np.tile([0.77, 0.97], 25) + np.repeat(0.001 * np.arange(5), 10))[:, None]
    whole, one = (
        outcomes("colon", n=n, **evaluated({"manifest_relieff": balanced[:n]}, sizes=[200]))[BEST]
        for n in (50, 10)
    )
    assert width(whole) < 0.5
    assert width(one) > 10
    assert one["noise"] == "splits of one repeat"


def test_how_much_repeats_vary_is_told_by_all_methods_together(outcomes):
    tests = accurate({"manifest_relieff": 0.85, "gini": 0.8}, 50, 0.05)
    rows = outcomes("colon", n=50, **evaluated(tests, sizes=(40, 200)))
    values = np.stack([each[:, 0] for each in tests.values()])
    ratio, freedom = repeat_ratio(values, 10)
    deviation = 100 * values[0].std(ddof=1)
    half = stats.t.ppf(0.975, freedom) * deviation * np.sqrt(ratio / 50)
    assert width(rows[BEST]) == pytest.approx(2 * half)


def test_more_splits_than_published_are_several_studies(outcomes):
    """Each study takes its own best number of features, as the paper did from as many splits."""
    flat = 0.85 + 0.1 * np.random.default_rng(0).uniform(-1, 1, size=(120, 6))
    flat[:, 5] = 0.8
    tables = evaluated({"gini": flat}, sizes=(1, 2, 5, 10, 20, 40), tuning="icml")
    rows = outcomes("colon", n=120, **tables)
    # 120 splits are two studies of the published 50; what is left over goes with the second.
    taken = [part[:, part.mean(axis=0).argmax()] for part in (flat[:50], flat[50:])]
    error = rows[f"{TABLE}.gini.colon"]
    assert error["ours"] == pytest.approx(100 - 100 * np.concatenate(taken).mean())
    assert error["ours"] < 100 - 100 * flat.mean(axis=0).max()
    assert "in each of 2 studies of 50 splits" in error["note"]
    variance = np.average([part.var(ddof=1) for part in taken], weights=[49, 69])
    assert rows[f"{TABLE}.gini.colon.std"]["ours"] == pytest.approx(100 * np.sqrt(variance))
    # The same splits are one study if as many are published.
    alone = outcomes("colon", n=99, **evaluated({"gini": flat[:99, :2]}, tuning="icml"))
    best = 100 * flat[:99, :2].mean(axis=0).max()
    assert alone[f"{TABLE}.gini.colon"]["ours"] == pytest.approx(100 - best)


def test_errors_of_several_studies_are_pooled_by_the_rows_that_each_split_tests(outcomes):
    n_test = np.tile([6, 7], 50)
    wrong = np.random.default_rng(0).integers(0, 4, size=(100, 2))
    tables = evaluated({"ttest": 1 - wrong / n_test[:, None]}, tuning="icml")
    for row in tables["rows"]:
        row["n_test"] = n_test[row["split"]]
    row = outcomes("colon", n=100, **tables)[f"{TABLE}.ttest.colon"]
    taken = [
        part[:, (part / tested[:, None]).mean(axis=0).argmin()].sum()
        for part, tested in zip(np.split(wrong, 2), np.split(n_test, 2), strict=True)
    ]
    assert row["ours"] == pytest.approx(100 * sum(taken) / 650)
    assert row["note"].startswith(f"{sum(taken)} errors of 650, ")


def test_a_number_of_features_is_uncertain_where_curves_are_flat(outcomes):
    flat = 0.85 + 0.05 * np.random.default_rng(0).normal(size=(30, 4))
    tables = evaluated({"manifest": flat}, sizes=(10, 40, 200, 1000))
    row = outcomes("colon", **tables)["colon.at_features.manifest"]
    assert row["ci_low"] < row["ci_high"]
    assert {row["ci_low"], row["ours"], row["ci_high"]} <= {10, 40, 200, 1000}


def test_more_features_are_more_in_resamples_of_the_splits(decided):
    """Gini is best at 10 features; ManiFeSt is ahead by so much at 40."""
    gini = accurate({"gini": 0.85}, 50, 0.001)["gini"]
    gini = np.column_stack([gini[:, 1], gini])
    # Splits that only one of the two has do not count.
    gini = np.vstack([gini, np.tile([0, 0, 9.0], (9, 1))])
    for ahead, noise, outcome in (
        (0.1, 0.001, "reproduced"),
        (-0.1, 0.001, "different"),
        (0.001, 0.05, "inconclusive"),
    ):
        manifest = noise * np.random.default_rng(0).normal(size=(50, 3))
        manifest += [0.8 - ahead, 0.799, 0.8]
        tables = evaluated({"gini": gini, "manifest": manifest}, sizes=(5, 10, 40))
        row = decided("colon.at_features.larger", outcome, n=59, **tables)
        assert "on 50 splits" in row["note"]
        assert row["ours"] == np.array([5, 10, 40])[manifest.mean(axis=0).argmax()] / 10


def test_a_larger_deviation_is_larger_by_more_than_chance(decided):
    for own, outcome in ((0.1, "reproduced"), (0.001, "different"), (0.012, "inconclusive")):
        tests = accurate({"manifest": (0.8, own), "llspin": 0.8})
        row = decided("colon.embedded_49_13.larger_deviation", outcome, **evaluated(tests))
        ratio = np.divide(*(values[:, 0].std(ddof=1) for values in tests.values()))
        assert row["ours"] == pytest.approx(ratio)
        # The quantiles of F(9, 9) at both ends are each other's inverses.
        ends = [row[f"diff_{end}"] / row["ours"] for end in ("low", "high")]
        assert ends == pytest.approx(np.sqrt(stats.f.ppf([0.05, 0.95], 9, 9)))


def test_rows_of_all_features_go_before_the_guess(outcomes):
    tables = evaluated(accurate({"manifest": 0.9, "gini": 0.9}))
    head = {"method": "all_features", "tuning": "paper", "n_features": 40}
    tables["summary"].append({**head, "accuracy": 0.7})
    tables["rows"] += [{**head, "split": split, "test": 0.7} for split in range(10)]
    plain = outcomes("gisette", **tables)
    assert plain["gisette.all_features"]["ours"] == pytest.approx(70)
