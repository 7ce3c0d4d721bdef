"""The rules that decide claims on accuracies: each on made-up results that it must tell apart."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from experiments.evaluation.statistics import repeat_ratio, resampled_interval
from experiments.report.claims.results_folder import FILTERS
from tests.experiments.report import conftest
from tests.experiments.report.conftest import judged

RNG = np.random.default_rng(0)
accuracies = partial(conftest.accuracies, RNG)
#: The claims of table 1 of the 2023 version.
TABLE = "icml.table1_error_percent_std_features"
BEST = "colon.best_test_acc.manifest+relieff"


@pytest.fixture(autouse=True)
def _same_numbers():
    """Each test draws the same numbers, whichever tests ran before it."""
    begin_again()


def begin_again():
    RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state


def all_like(mean, noise=0.001, names=(*FILTERS, "manifest")):
    """Accuracies of all methods with the same mean."""
    return {name: accuracies(mean, noise=noise) for name in names}


def width(row):
    return row["ci_high"] - row["ci_low"]


def test_accuracies_are_those_of_the_paper_reading_with_intervals(outcomes):
    tests = {name: accuracies(0.80, 50) for name in FILTERS}
    tests |= {"fisher": accuracies(0.858, 50), "manifest": accuracies(0.869, 50)}
    tests["manifest_relieff"] = accuracies(0.881, 50)
    rows = outcomes("colon", n=50, **judged(tests, sizes=(40, 200)))
    assert (rows[BEST]["outcome"], rows[BEST]["noise"]) == ("reproduced", "repeats")
    assert rows[BEST]["ours"] == pytest.approx(88.1, abs=1)
    others = rows["colon.best_test_acc.others_at_most"]
    assert others["ours"] == pytest.approx(100 * tests["fisher"][:, 0].mean())
    assert "fisher" in others["note"]
    assert others["outcome"] == "reproduced"
    assert rows["colon.best_test_acc.highest"]["outcome"] == "reproduced"
    # Every resample of the splits is best at 40 features.
    size = rows["colon.at_features.manifest"]
    assert (size["ours"], size["ci_low"], size["ci_high"]) == (40, 40, 40)
    assert size["outcome"] == rows["colon.at_features.others"]["outcome"] == "listed"
    # The 2023 version is read under its own rule alone.
    assert rows[f"{TABLE}.manifest+relieff.colon"]["outcome"] == "not available"
    tests["gini"] = accuracies(0.9, 50)
    rows = outcomes("colon", n=50, **judged(tests, sizes=(40, 200)))
    assert rows["colon.best_test_acc.others_at_most"]["outcome"] == "different"
    assert rows["colon.best_test_acc.highest"]["outcome"] == "different"


def test_errors_are_pooled_under_the_rule_of_2023(outcomes):
    tables = judged({"manifest_relieff": accuracies(0.89, 50)}, reading="icml")
    for row in tables["summary"]:
        row |= {"n_errors": 34, "n_tested": 310}
    rows = outcomes("colon", n=50, **tables)
    error, deviation = (rows[f"{TABLE}.manifest+relieff.colon{end}"] for end in ("", ".std"))
    assert (error["ours"], error["outcome"]) == (pytest.approx(100 * 34 / 310), "reproduced")
    assert deviation["ci_low"] < deviation["ours"] < deviation["ci_high"]
    assert deviation["outcome"] == "listed"
    assert rows[BEST]["outcome"] == "not available"


def test_the_noise_of_whole_cross_validations_is_that_of_their_means(outcomes):
    """Splits of a repeat may make up for one another, which one repeat alone does not show."""
    balanced = (np.tile([0.77, 0.97], 25) + np.repeat(0.001 * np.arange(5), 10))[:, None]
    whole, one = (
        outcomes("colon", n=n, **judged({"manifest_relieff": balanced[:n]}, sizes=[200]))[BEST]
        for n in (50, 10)
    )
    assert width(whole) < 0.5
    assert width(one) > 10
    assert one["noise"] == "splits of one repeat"


def test_how_much_repeats_vary_is_told_by_the_results_with_most_splits(outcomes):
    own, many = accuracies(0.85, 50, noise=0.05), accuracies(0.85, 300, noise=0.05)

    def row(**data):
        outcomes("colon_many", n=300, data=data, **judged({"gini": many}))
        return outcomes("colon", n=50, **judged({"manifest_relieff": own}))[BEST]

    alone = outcomes("colon", n=50, **judged({"manifest_relieff": own}))[BEST]
    ratio, freedom = repeat_ratio(many.T[:1], 10)
    half = stats.t.ppf(0.975, freedom) * 100 * np.sqrt(ratio * own[:, 0].var(ddof=1) / 50)
    beside = row()
    assert width(beside) == pytest.approx(2 * half)
    assert beside["ours"] == alone["ours"]
    # Splits of other samples tell nothing.
    assert row(fingerprint="another") == alone != beside


def test_the_order_of_columns_widens_the_interval(outcomes):
    tables = judged({name: accuracies(0.94, 30) for name in ("ig", "gini")})
    claim = "prostate.best_test_acc.ig"
    alone = outcomes("prostate", n=30, **tables)[claim]
    for row in tables["summary"]:
        row["order_std"] = 0.03 if row["method"] == "ig" else np.nan
    rows = outcomes("prostate", n=30, **tables)
    assert (alone["outcome"], rows[claim]["outcome"]) == ("reproduced", "inconclusive")
    assert rows[claim]["diff_high"] - rows[claim]["diff_low"] > 2 * 1.6 * 3 * np.sqrt(2)
    assert rows["prostate.best_test_acc.gini"]["outcome"] == "reproduced"


def test_orders_of_the_named_experiment_count_for_all_of_its_samples_before_the_own_ones(outcomes):
    """The facts of prostate_many name prostate, and orders are tried under the paper's reading."""
    claim = f"{TABLE}.ig.prostate"
    paper, icml = (
        judged({"ig": accuracies(0.938, 30, noise=0.001)}, reading=reading)
        for reading in ("paper", "icml")
    )
    few, more = (
        [
            {**row, "order_std": std if row["reading"] == "paper" else np.nan}
            for row in paper["summary"]
        ]
        for std in (0.0, 0.03)
    )
    own = {"summary": few + icml["summary"], "rows": paper["rows"] + icml["rows"]}
    for many in (icml, own):
        outcomes("prostate", n=30, **paper)
        alone = outcomes("prostate_many", n=30, **many)[claim]["more"]
        outcomes("prostate", n=30, **{**paper, "summary": more})
        beside = outcomes("prostate_many", n=30, **many)[claim]["more"]
        assert (alone, beside) == ("reproduced", "inconclusive")


def test_orders_of_the_samples_count_for_the_method_that_was_tried(outcomes):
    """colon_orders has the library's ReliefF in the order of the file first, then in others."""
    many = {name: accuracies(0.86, 100, noise=0.001) for name in ("relieff_skfeature", "gini")}
    alone = outcomes("colon", n=100, **judged(many, reading="icml"))
    orders = {"relieff_skfeature": 0.5, "order_1": 0.83, "order_2": 0.86, "order_3": 0.89}
    tables = judged({name: np.full((10, 2), value) for name, value in orders.items()})
    tables["summary"].append({"method": "all_features", "reading": "paper", "accuracy": 0.2})
    outcomes("colon_orders", n=10, **tables)
    beside = outcomes("colon", n=100, **judged(many, reading="icml"))
    first, second = (rows[f"{TABLE}.relieff.colon"] for rows in (alone, beside))
    assert (first["outcome"], second["outcome"]) == ("reproduced", "inconclusive")
    assert first["ours"] == second["ours"]
    # Either study has an order of its own, so that the deviation counts twice.
    difference = second["diff_high"] - second["diff_low"]
    assert difference > 2 * stats.norm.ppf(0.95) * 3 * np.sqrt(2) > first["diff_high"]
    assert alone[f"{TABLE}.gini.colon"] == beside[f"{TABLE}.gini.colon"]


def test_more_splits_than_published_are_several_studies(outcomes):
    """Each study takes its own best number of features, as the paper did from as many splits."""
    flat = 0.85 + 0.1 * RNG.uniform(-1, 1, size=(120, 6))
    flat[:, 5] = 0.8
    tables = judged({"gini": flat}, sizes=(1, 2, 5, 10, 20, 40), reading="icml")
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
    alone = outcomes("colon", n=99, **judged({"gini": flat[:99, :2]}, reading="icml"))
    best = 100 * flat[:99, :2].mean(axis=0).max()
    assert alone[f"{TABLE}.gini.colon"]["ours"] == pytest.approx(100 - best)


def test_errors_of_several_studies_are_pooled_by_the_rows_that_each_split_tests(outcomes):
    n_test = np.tile([6, 7], 50)
    wrong = RNG.integers(0, 4, size=(100, 2))
    tables = judged({"ttest": 1 - wrong / n_test[:, None]}, reading="icml")
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
    flat = 0.85 + 0.05 * RNG.normal(size=(30, 4))
    tables = judged({"manifest": flat}, sizes=(10, 40, 200, 1000))
    row = outcomes("colon", **tables)["colon.at_features.manifest"]
    assert row["ci_low"] < row["ci_high"]
    assert {row["ci_low"], row["ours"], row["ci_high"]} <= {10, 40, 200, 1000}


def test_more_features_are_more_in_resamples_of_the_splits(outcomes):
    """Gini is best at 10 features; ManiFeSt is ahead by so much at 40."""
    for ahead, noise, outcome in (
        (0.1, 0.001, "reproduced"),
        (-0.1, 0.001, "different"),
        (0.001, 0.05, "inconclusive"),
    ):
        begin_again()
        gini = accuracies(0.85, 50, noise=0.001)
        manifest = 0.8 + noise * RNG.normal(size=(50, 3)) + [-ahead, -1e-3, 0]
        gini = np.column_stack([gini[:, 1], *gini.T])
        # Splits that only one of the two has do not count.
        gini = np.vstack([gini, np.tile([0, 0, 9.0], (9, 1))])
        tables = judged({"gini": gini, "manifest": manifest}, sizes=(5, 10, 40))
        row = outcomes("colon", n=59, **tables)["colon.at_features.larger"]
        assert "on 50 splits" in row["note"]
        assert row["outcome"] == outcome, ahead
        assert row["ours"] == np.array([5, 10, 40])[manifest.mean(axis=0).argmax()] / 10


def test_a_larger_deviation_is_larger_by_more_than_chance(outcomes):
    claim = "colon.embedded_49_13.larger_deviation"
    for own, outcome in ((0.1, "reproduced"), (0.001, "different"), (0.012, "inconclusive")):
        begin_again()
        tests = {
            name: accuracies(0.8, noise=noise)
            for name, noise in (("manifest", own), ("llspin", 0.01))
        }
        row = outcomes("colon_embedded", **judged(tests))[claim]
        assert row["outcome"] == outcome, own
        ratio = np.divide(*(values[:, 0].std(ddof=1) for values in tests.values()))
        assert row["ours"] == pytest.approx(ratio)
        # The quantiles of F(9, 9) at both ends are each other's inverses.
        ends = [row[f"diff_{end}"] / row["ours"] for end in ("low", "high")]
        assert ends == pytest.approx(np.sqrt(stats.f.ppf([0.05, 0.95], 9, 9)))


def test_on_par_is_within_the_margin_on_either_side(outcomes):
    for relieff, noise, outcome in (
        (0.945, 0.001, "reproduced"),
        (0.90, 0.001, "different"),
        (0.98, 0.001, "different"),
        (0.94, 0.05, "inconclusive"),
    ):
        tests = all_like(0.94) | {"relieff": accuracies(relieff, noise=noise)}
        row = outcomes("prostate", **judged(tests))["prostate.on_par"]
        assert row["outcome"] == outcome, relieff
        assert "relieff" in row["note"]


def test_all_identify_features_that_serve_better_than_all_features(outcomes):
    for worst, outcome in ((0.8, "reproduced"), (0.615, "different")):
        tests = all_like(0.9) | {"ttest": accuracies(worst, noise=0.001)}
        for values in tests.values():
            values[:, 1] = 0.6  # all features, which are the same set for every method
        tables = judged(tests)
        of_all = {"method": "all_features", "reading": "paper", "n_features": 40}
        tables["summary"].append({**of_all, "accuracy": 0.6})
        of_all |= {"ranking_share": 1.0, "test": 0.6}
        tables["rows"] += [{**of_all, "split": split} for split in range(len(tests["ttest"]))]
        row = outcomes("madelon", **tables)["madelon.all_identify"]
        assert row["outcome"] == outcome, worst
        assert row["ours"] == pytest.approx(100 * (tests["ttest"][:, 0].mean() - 0.6))


def test_five_percent(outcomes):
    tests = {"manifest": accuracies(0.907), ("manifest", 0.05): accuracies(0.905)}
    few = {"gini": 0.60, "ig": 0.905, "relieff": 0.885, "anova": 0.60}
    full = {"gini": 0.90, "ig": 0.907, "relieff": 0.90, "anova": 0.60}
    tests |= {name: accuracies(mean, noise=0.001) for name, mean in full.items()}
    tests |= {(name, 0.05): accuracies(mean, noise=0.001) for name, mean in few.items()}
    rows = outcomes("madelon", **judged(tests))
    assert rows["madelon.best_test_acc_full.manifest"]["outcome"] == "reproduced"
    assert rows["madelon.five_percent.manifest"]["outcome"] == "reproduced"
    # ReliefF lost 2 points, as many as the margin allows, and did not fail. ANOVA is as bad from
    # all rows, IG as good from few, the t-test was not run.
    expected = {"gini": "reproduced", "ttest": "not available"}
    expected |= dict.fromkeys(("relieff", "ig", "anova"), "different")
    for name, outcome in expected.items():
        assert rows[f"madelon.five_percent.fails.{name}"]["outcome"] == outcome, name
    assert rows["madelon.five_percent.fails.gini"]["ours"] == pytest.approx(30, abs=1)
    # If ManiFeSt loses as much, it is affected, and nobody fails in comparison.
    rows = outcomes("madelon", **judged(tests | {("manifest", 0.05): accuracies(0.60)}))
    assert rows["madelon.five_percent.manifest"]["outcome"] == "different"
    assert rows["madelon.five_percent.fails.relieff"]["outcome"] == "different"


def with_gaps(tests, gaps, noise):
    """Tables of tests with these gaps of validation and test accuracy, and the former."""
    validation = {
        name: tests[name] + gap + noise * RNG.normal(size=(10, 2)) for name, gap in gaps.items()
    }
    return judged(tests, validation=validation), validation


def test_the_gap_of_manifest_against_the_closest_competitor(outcomes):
    for closest, outcome in ((0.05, "reproduced"), (0.005, "different"), (0.0105, "inconclusive")):
        begin_again()
        tests = all_like(0.85, noise=0.01)
        gaps = dict.fromkeys(FILTERS, 0.08) | {"laplacian": closest, "manifest": 0.01}
        tables, validation = with_gaps(tests, gaps, 0.002)
        row = outcomes("colon", **tables)["colon.gap.competitors"]
        assert row["outcome"] == outcome, closest
        assert "gap of laplacian" in row["note"]
        difference = (validation["laplacian"] - tests["laplacian"]).mean(axis=1)
        difference -= (validation["manifest"] - tests["manifest"]).mean(axis=1)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(
            resampled_interval(100 * difference, 1 / 9)
        )


def test_the_gap_falls_as_the_scale_grows(outcomes):
    names = ("manifest_p5", "manifest_p50", "manifest_p95")
    for gaps, outcome in (
        ((0.08, 0.05, 0.02), "reproduced"),
        ((0.08, 0.09, 0.02), "different"),
        ((0.02, 0.05, 0.08), "different"),
        ((0.05, 0.05, 0.05), "inconclusive"),
    ):
        begin_again()
        tests = all_like(0.85, noise=0.01, names=names)
        tables, _ = with_gaps(tests, dict(zip(names, gaps, strict=True)), 0.004)
        row = outcomes("colon_scales", **tables)["colon.gap.scales"]
        assert row["outcome"] == outcome, gaps
        assert row["ours"] <= 100 * (gaps[0] - gaps[2]) / 2 + 1


def of_digits(tests, orders):
    """Tables of the experiments on ten digits; orders: what they do to each method's mean."""
    sizes = (20, 50, 100)
    moved = [
        {"method": name, "n_features": size, "order_std": orders.get(name)}
        for name in tests
        for size in sizes
    ]
    return {**judged(tests, sizes=sizes), "accuracies": moved}


def test_highest_needs_every_difference_above_zero_at_both_sizes(outcomes):
    """The random choice counts, too, and another score of ManiFeSt does not."""
    for relieff, random, outcome in (
        (0.70, 0.6, "reproduced"),
        (0.85, 0.6, "different"),
        (0.70, 0.799, "inconclusive"),
    ):
        means = {"manifest_max": 0.8, "relieff": relieff, "random": random, "manifest_sum": 0.95}
        begin_again()
        tests = {name: mean + 0.01 * RNG.normal(size=(5, 3)) for name, mean in means.items()}
        # At one of the two sizes alone they are all behind.
        for name in ("relieff", "random"):
            tests[name][:, 0] = 0.1
        rows = outcomes("mnist_multiclass", **of_digits(tests, {}))
        row = rows["icml.mnist_multiclass.highest"]
        assert row["outcome"] == outcome, (relieff, random)
        assert "at 50 features" in row["note"]
        published = rows["icml.mnist_multiclass.acc_at_100_features"]
        assert published["ours"] == pytest.approx(100 * tests["manifest_max"][:, 2].mean())
        assert published["ci_low"] < published["ours"] < published["ci_high"]


def test_orders_of_the_pixels_widen_the_interval_at_a_number_of_them(outcomes):
    claim = "icml.mnist_multiclass.one_vs_one.20"
    tests = {"manifest_ovo": 0.7041 + 0.005 * RNG.normal(size=(40, 3))}
    tests["anova"] = tests["manifest_ovo"] - 0.1
    mean = 100 * tests["manifest_ovo"][:, 0].mean()
    for moved, outcome in ((None, "reproduced"), (0.02, "inconclusive")):
        tables = of_digits(tests, {"manifest_ovo": moved, "anova": 0.5})
        row = outcomes("mnist_multiclass", n=40, **tables)[claim]
        assert (row["ours"], row["outcome"]) == (pytest.approx(mean), outcome)
        # Student's quantile of 39 degrees of freedom is about 2.02.
        assert mean - row["ci_low"] == pytest.approx(100 * 2.02 * (moved or 0), abs=0.3)


def test_rows_of_all_features_go_before_the_guess_and_other_orders_are_left_out(outcomes):
    tables = judged({name: accuracies(0.9) for name in ("manifest", "gini")})
    head = {"method": "all_features", "reading": "paper", "n_features": 40}
    tables["summary"].append({**head, "accuracy": 0.7})
    tables["rows"] += [{**head, "split": split, "test": 0.7} for split in range(10)]
    plain = outcomes("gisette", **tables)
    assert plain["gisette.all_features"]["ours"] == pytest.approx(70)
    tables["rows"] = [{**row, "columns": None} for row in tables["rows"]]
    tables["rows"] += [{**row, "columns": 1, "test": 0.1} for row in tables["rows"]]
    rows = outcomes("gisette", **tables)
    assert {name: row["ours"] for name, row in rows.items()} == pytest.approx(
        {name: row["ours"] for name, row in plain.items()}, nan_ok=True
    )
