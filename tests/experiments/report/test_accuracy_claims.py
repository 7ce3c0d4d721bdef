"""The rules that decide claims on accuracies: each on made-up results that it must tell apart."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from experiments.evaluation.statistics import repeat_ratio, resampled_interval
from experiments.report.claims.results_folder import FILTERS
from tests.experiments.report import stored_results
from tests.experiments.report.stored_results import judged

RNG = np.random.default_rng(0)
accuracies = partial(stored_results.accuracies, RNG)
#: Where the claims of table 1 of the 2023 version are.
TABLE = "icml.table1_error_percent_std_features"


@pytest.fixture(autouse=True)
def _same_numbers():
    """Each test draws the same numbers, whichever tests ran before it."""
    RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state


def test_accuracies_are_those_of_the_paper_reading_with_intervals(verdicts):
    tests = {(name, 1.0): accuracies(0.80, 50) for name in FILTERS}
    tests |= {("fisher", 1.0): accuracies(0.858, 50), ("manifest", 1.0): accuracies(0.869, 50)}
    tests["manifest_relieff", 1.0] = accuracies(0.881, 50)
    found = verdicts("colon", n=50, **judged(tests, sizes=(40, 200)))
    row = found["colon.best_test_acc.manifest+relieff"]
    assert (row["verdict"], row["noise"]) == ("agrees", "repeats")
    assert row["ours"] == pytest.approx(88.1, abs=1)
    others = found["colon.best_test_acc.others_at_most"]
    assert others["ours"] == pytest.approx(100 * tests["fisher", 1.0][:, 0].mean())
    assert "fisher" in others["note"]
    assert others["verdict"] == "agrees"
    assert found["colon.best_test_acc.highest"]["verdict"] == "agrees"
    # Every resample of the splits is best at 40 features, and 200 were published.
    size = found["colon.at_features.manifest"]
    assert (size["ours"], size["ci_low"], size["ci_high"]) == (40, 40, 40)
    assert (size["verdict"], found["colon.at_features.others"]["verdict"]) == ("differs", "agrees")
    # The 2023 version is read under its own rule alone.
    assert found[f"{TABLE}.manifest+relieff.colon"]["verdict"] == "not run"
    tests["gini", 1.0] = accuracies(0.9, 50)
    found = verdicts("colon", n=50, **judged(tests, sizes=(40, 200)))
    assert found["colon.best_test_acc.others_at_most"]["verdict"] == "differs"
    assert found["colon.best_test_acc.highest"]["verdict"] == "differs"


def test_errors_are_pooled_under_the_rule_of_2023(verdicts):
    tables = judged({("manifest_relieff", 1.0): accuracies(0.89, 50)}, reading="icml")
    for row in tables["summary"]:
        row |= {"n_errors": 34, "n_tested": 310}
    found = verdicts("colon", n=50, **tables)
    row = found[f"{TABLE}.manifest+relieff.colon"]
    assert row["ours"] == pytest.approx(100 * 34 / 310)
    assert row["verdict"] == "agrees"
    deviation = found[f"{TABLE}.manifest+relieff.colon.std"]
    assert deviation["ci_low"] < deviation["ours"] < deviation["ci_high"]
    assert deviation["verdict"] == "differs"  # 1 where 10.96 was published
    assert found["colon.best_test_acc.manifest+relieff"]["verdict"] == "not run"


def test_the_noise_of_whole_cross_validations_is_that_of_their_means(verdicts):
    """Splits of a repeat may make up for one another, which one repeat alone does not show."""
    balanced = np.tile([0.77, 0.97], 25) + np.repeat(0.001 * np.arange(5), 10)
    tables = judged({("manifest_relieff", 1.0): balanced[:, None]}, sizes=[200])
    row = verdicts("colon", n=50, **tables)["colon.best_test_acc.manifest+relieff"]
    assert row["ci_high"] - row["ci_low"] < 0.5
    tables = judged({("manifest_relieff", 1.0): balanced[:10, None]}, sizes=[200])
    row = verdicts("colon", n=10, **tables)["colon.best_test_acc.manifest+relieff"]
    assert row["ci_high"] - row["ci_low"] > 10
    assert row["noise"] == "splits of one repeat"


def test_how_much_repeats_vary_is_told_by_the_results_with_most_splits(verdicts):
    own, many = accuracies(0.85, 50, noise=0.05), accuracies(0.85, 300, noise=0.05)

    def row(**data):
        verdicts("colon_many", n=300, data=data, **judged({("gini", 1.0): many}))
        return verdicts("colon", n=50, **judged({("manifest_relieff", 1.0): own}))[claim]

    claim = "colon.best_test_acc.manifest+relieff"
    alone = verdicts("colon", n=50, **judged({("manifest_relieff", 1.0): own}))[claim]
    ratio, freedom = repeat_ratio(many.T[:1], 10)
    half = stats.t.ppf(0.975, freedom) * 100 * np.sqrt(ratio * own[:, 0].var(ddof=1) / 50)
    beside = row()
    assert beside["ci_high"] - beside["ci_low"] == pytest.approx(2 * half)
    assert beside["ours"] == alone["ours"]
    # Splits of other samples tell nothing.
    assert row(fingerprint="another") == alone != beside


def test_what_the_order_of_columns_does_widens_the_interval(verdicts):
    tables = judged({("ig", 1.0): accuracies(0.94, 30), ("gini", 1.0): accuracies(0.94, 30)})
    found = verdicts("prostate_many", n=30, **tables)["prostate.best_test_acc.ig"]
    for row in tables["summary"]:
        row["order_std"] = 0.03 if row["method"] == "ig" else np.nan
    wide = verdicts("prostate_many", n=30, **tables)
    row = wide["prostate.best_test_acc.ig"]
    assert (found["verdict"], row["verdict"]) == ("agrees", "too wide to say")
    assert row["diff_high"] - row["diff_low"] > 2 * 1.6 * 3 * np.sqrt(2)
    assert wide["prostate.best_test_acc.gini"]["verdict"] == "agrees"


def test_more_splits_than_published_are_several_studies(verdicts):
    """Each study takes its own best number of features, as the paper did from as many splits."""
    flat = 0.85 + 0.1 * RNG.uniform(-1, 1, size=(120, 6))
    flat[:, 5] = 0.8
    tables = judged({("gini", 1.0): flat}, sizes=(1, 2, 5, 10, 20, 40), reading="icml")
    found = verdicts("colon_many", n=120, **tables)
    # 120 splits are two studies of the published 50; what is left over goes with the second.
    studies = [flat[:50], flat[50:]]
    taken = [part[:, part.mean(axis=0).argmax()] for part in studies]
    error = found[f"{TABLE}.gini.colon"]
    assert error["ours"] == pytest.approx(100 - 100 * np.concatenate(taken).mean())
    assert error["ours"] < 100 - 100 * flat.mean(axis=0).max()
    assert "in each of 2 studies of 50 splits" in error["note"]
    deviation = found[f"{TABLE}.gini.colon.std"]["ours"]
    variances = [part.var(ddof=1) for part in taken]
    assert deviation == pytest.approx(100 * np.sqrt(np.average(variances, weights=[49, 69])))
    # The same splits are one study where as many are published.
    alone = verdicts("colon_many", n=99, **judged({("gini", 1.0): flat[:99, :2]}, reading="icml"))
    assert alone[f"{TABLE}.gini.colon"]["ours"] == pytest.approx(
        100 - 100 * flat[:99, :2].mean(axis=0).max()
    )


def test_errors_of_several_studies_are_pooled_by_what_each_split_tests(verdicts):
    n_test = np.tile([6, 7], 50)
    wrong = RNG.integers(0, 4, size=(100, 2))
    tables = judged({("ttest", 1.0): 1 - wrong / n_test[:, None]}, reading="icml")
    for row in tables["rows"]:
        row["n_test"] = n_test[row["split"]]
    row = verdicts("colon_many", n=100, **tables)[f"{TABLE}.ttest.colon"]
    taken = [
        part[:, (part / tested[:, None]).mean(axis=0).argmin()].sum()
        for part, tested in zip(np.split(wrong, 2), np.split(n_test, 2), strict=True)
    ]
    assert row["ours"] == pytest.approx(100 * sum(taken) / 650)
    assert row["note"].startswith(f"{sum(taken)} errors of 650, ")


def test_a_number_of_features_is_uncertain_where_curves_are_flat(verdicts):
    flat = 0.85 + 0.05 * RNG.normal(size=(30, 4))
    tables = judged({("manifest", 1.0): flat}, sizes=(10, 40, 200, 1000))
    row = verdicts("colon", **tables)["colon.at_features.manifest"]
    assert row["ci_low"] < row["ci_high"]
    assert {row["ci_low"], row["ours"], row["ci_high"]} <= {10, 40, 200, 1000}
    assert row["diff_low"] < row["ours"] / 200 < row["diff_high"]
    assert row["verdict"] == "too wide to say"


def test_five_percent(verdicts):
    tests = {("manifest", 1.0): accuracies(0.907), ("manifest", 0.05): accuracies(0.905)}
    few = {"gini": 0.60, "ig": 0.905, "relieff": 0.885, "anova": 0.60}
    full = {"gini": 0.90, "ig": 0.907, "relieff": 0.90, "anova": 0.60}
    tests |= {(name, 1.0): accuracies(mean, noise=0.001) for name, mean in full.items()}
    tests |= {(name, 0.05): accuracies(mean, noise=0.001) for name, mean in few.items()}
    found = verdicts("madelon", **judged(tests))
    assert found["madelon.best_test_acc_full.manifest"]["verdict"] == "agrees"
    assert found["madelon.five_percent.manifest"]["verdict"] == "agrees"
    # What lost 2 points, of which the margin allows 2, did not fail.
    by_method = {
        name: found[f"madelon.five_percent.fails.{name}"]["verdict"] for name in (*few, "ttest")
    }
    # ANOVA is as bad from all rows, IG as good from few, the t-test was not run.
    assert by_method == {
        "gini": "agrees",
        "relieff": "differs",
        "ig": "differs",
        "anova": "differs",
        "ttest": "not run",
    }
    lost = found["madelon.five_percent.fails.gini"]
    assert lost["ours"] == pytest.approx(30, abs=1)
    # Where ManiFeSt loses as much, it is affected, and nobody fails in comparison.
    tests["manifest", 0.05] = accuracies(0.60)
    found = verdicts("madelon", **judged(tests))
    assert found["madelon.five_percent.manifest"]["verdict"] == "differs"
    assert found["madelon.five_percent.fails.relieff"]["verdict"] == "differs"


@pytest.mark.parametrize(
    ("closest", "verdict"), [(0.05, "agrees"), (0.005, "differs"), (0.0105, "too wide to say")]
)
def test_the_gap_of_manifest_against_the_closest_competitor(verdicts, closest, verdict):
    tests = {(name, 1.0): accuracies(0.85) for name in [*FILTERS, "manifest"]}
    gaps = dict.fromkeys(FILTERS, 0.08) | {"laplacian": closest, "manifest": 0.01}
    validation = {
        name: tests[name, 1.0] + gap + 0.002 * RNG.normal(size=(10, 2))
        for name, gap in gaps.items()
    }
    row = verdicts("colon_many", **judged(tests, validation=validation))["colon.gap.competitors"]
    assert row["verdict"] == verdict
    assert "gap of laplacian" in row["note"]
    difference = (validation["laplacian"] - tests["laplacian", 1.0]).mean(axis=1)
    difference -= (validation["manifest"] - tests["manifest", 1.0]).mean(axis=1)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(
        resampled_interval(100 * difference, 1 / 9)
    )


@pytest.mark.parametrize(
    ("gaps", "verdict"),
    [
        ((0.08, 0.05, 0.02), "agrees"),
        ((0.08, 0.09, 0.02), "differs"),
        ((0.02, 0.05, 0.08), "differs"),
        ((0.05, 0.05, 0.05), "too wide to say"),
    ],
)
def test_the_gap_falls_as_the_scale_grows(verdicts, gaps, verdict):
    names = ("manifest_p5", "manifest_p50", "manifest_p95")
    tests = {(name, 1.0): accuracies(0.85) for name in names}
    validation = {
        name: tests[name, 1.0] + gap + 0.004 * RNG.normal(size=(10, 2))
        for name, gap in zip(names, gaps, strict=True)
    }
    row = verdicts("colon_scales", **judged(tests, validation=validation))["colon.gap.scales"]
    assert row["verdict"] == verdict
    assert row["ours"] <= 100 * (gaps[0] - gaps[2]) / 2 + 1


def of_digits(tests, orders=None):
    """Tables of the experiments on ten digits; orders: what they do to each method's mean."""
    sizes = (20, 50, 100)
    moved = [
        {"method": name, "n_features": size, "order_std": (orders or {}).get(name)}
        for name, _ in tests
        for size in sizes
    ]
    return {**judged(tests, sizes=sizes), "accuracies": moved}


@pytest.mark.parametrize(
    ("relieff", "random", "verdict"),
    [(0.70, 0.6, "agrees"), (0.85, 0.6, "differs"), (0.70, 0.799, "too wide to say")],
)
def test_highest_needs_every_difference_above_zero_at_both_sizes(
    verdicts, relieff, random, verdict
):
    """The random choice counts, too, and another score of ManiFeSt does not."""
    means = {"manifest_max": 0.8, "relieff": relieff, "random": random, "manifest_sum": 0.95}
    rng = np.random.default_rng(0)
    tests = {(name, 1.0): mean + 0.01 * rng.normal(size=(5, 3)) for name, mean in means.items()}
    # At one of the two sizes alone they are all behind.
    for name in ("relieff", "random"):
        tests[name, 1.0][:, 0] = 0.1
    found = verdicts("mnist_multiclass", **of_digits(tests))
    row = found["icml.mnist_multiclass.highest"]
    assert row["verdict"] == verdict
    assert "at 50 features" in row["note"]
    published = found["icml.mnist_multiclass.acc_at_100_features"]
    assert published["ours"] == pytest.approx(100 * tests["manifest_max", 1.0][:, 2].mean())
    assert published["ci_low"] < published["ours"] < published["ci_high"]


@pytest.mark.parametrize(("moved", "verdict"), [(None, "agrees"), (0.02, "too wide to say")])
def test_orders_of_the_pixels_widen_the_interval_at_a_number_of_them(verdicts, moved, verdict):
    tests = {("manifest_ovo", 1.0): 0.7041 + 0.005 * RNG.normal(size=(40, 3))}
    tests["anova", 1.0] = tests["manifest_ovo", 1.0] - 0.1
    tables = of_digits(tests, {"manifest_ovo": moved, "anova": 0.5})
    row = verdicts("mnist_multiclass_many", n=40, **tables)["icml.mnist_multiclass.one_vs_one.20"]
    mean = 100 * tests["manifest_ovo", 1.0][:, 0].mean()
    assert row["ours"] == pytest.approx(mean)
    assert row["verdict"] == verdict
    # Student's quantile of 39 degrees of freedom is about 2.02.
    assert mean - row["ci_low"] == pytest.approx(100 * 2.02 * (moved or 0), abs=0.3)


def test_rows_of_all_features_go_before_the_guess_and_other_orders_are_left_out(verdicts):
    tables = judged({(name, 1.0): accuracies(0.9) for name in ("manifest", "gini")})
    accuracy = {"accuracy": 0.7, "n_features": 40}
    tables["summary"].append({"method": "all_features", "reading": "paper", **accuracy})
    head = {"method": "all_features", "reading": "paper", "n_features": 40}
    tables["rows"] += [{**head, "split": split, "test": 0.7} for split in range(10)]
    plain = verdicts("gisette", **tables)
    row = plain["gisette.all_features"]
    assert row["ours"] == pytest.approx(70)
    tables["rows"] = [{**row, "columns": None} for row in tables["rows"]]
    tables["rows"] += [{**row, "columns": 1, "test": 0.1} for row in tables["rows"]]
    found = verdicts("gisette", **tables)
    assert {name: row["ours"] for name, row in found.items()} == pytest.approx(
        {name: row["ours"] for name, row in plain.items()}, nan_ok=True
    )
