"""The rules that decide statements: each on made-up results that it must tell apart."""

import numpy as np
import pytest

from experiments.evaluation.statistics import resampled_interval
from experiments.report.claims import compare
from experiments.report.claims.accuracy import FILTERS
from tests.experiments.report.stored_results import judged, recovered, store
from tests.experiments.report.test_claims import PAPER

RNG = np.random.default_rng(0)
OTHERS = [name for name in FILTERS if name != "relieff"]


@pytest.fixture
def verdicts(tmp_path):
    """A function from a stored experiment to the rows of its claims."""

    def found(experiment, **tables):
        store(tmp_path, experiment, **tables)
        return compare(PAPER, tmp_path).set_index("claim").to_dict("index")

    return found


def accuracies(mean, n=10, noise=0.01):
    """Accuracies of n splits at two numbers of features, of which the second is clearly worse."""
    drawn = mean + noise * RNG.normal(size=n)
    return np.column_stack([drawn, drawn - 0.1])


def test_a_method_fails_on_xor_where_it_finds_less_than_one(verdicts):
    chance, half = [0] * 9 + [1], [0, 1, 2, 1, 0, 2, 1, 0, 1, 1]
    found = verdicts("xor100", **recovered({"gini": chance, "ig": half, "manifest": [2] * 10}))
    assert found["xor100.fails.gini"]["verdict"] == "agrees"
    assert found["xor100.fails.ig"]["verdict"] == "differs"
    assert "contains 1" in found["xor100.fails.ig"]["note"]
    assert found["xor100.fails.anova"]["verdict"] == "not run"
    assert found["xor100.correct_of_2.manifest"]["verdict"] == "agrees"


@pytest.mark.parametrize(
    ("relieff", "verdict"),
    [([1, 1, 1, 0, 1, 1], "agrees"), ([0, 0, 0, 0, 1, 0], "differs"), ([2] * 6, "differs")],
)
def test_the_order_on_xor_needs_every_difference_above_zero(verdicts, relieff, verdict):
    others = {name: [0, 0, 0, 0, 0, 0] for name in OTHERS}
    tables = recovered({**others, "relieff": relieff, "manifest": [2] * 6})
    row = verdicts("xor100", **tables)["xor100.order"]
    assert row["verdict"] == verdict
    assert row["ci_low"] <= row["ours"] <= row["ci_high"]


def test_hypercube(verdicts):
    correct = {name: [4, 5, 6, 5, 6, 4, 5, 6] for name in FILTERS}
    correct |= {"manifest": [10, 9, 10, 10, 10, 9, 10, 10]}
    correct |= {"manifest_unnormalized": [9] * 8}
    tables = recovered(correct)
    found = verdicts("hypercube", **tables)
    assert found["hypercube.order"]["verdict"] == "agrees"
    assert found["hypercube.order"]["ours"] == pytest.approx(9.75 - 5.125)
    assert found["hypercube.manifest_unnormalized.median"]["ours"] == 9
    assert found["hypercube.manifest_unnormalized.median"]["verdict"] == "agrees"
    assert found["hypercube.manifest_unnormalized.q75"]["ours"] == 9
    assert found["hypercube.manifest_unnormalized.q75"]["verdict"] == "differs"
    run = found["hypercube.tsne_single_run.relieff"]
    assert (run["ours"], run["ci_low"], run["ci_high"], run["verdict"]) == (4, 4, 6, "agrees")
    # One filter that is nearly as good is enough: the margin is to be large.
    correct["ig"] = [n - i % 2 for i, n in enumerate(correct["manifest"])]
    row = verdicts("hypercube", **recovered(correct))["hypercube.order"]
    assert (row["verdict"], row["ours"]) == ("differs", 0.5)
    correct["ig"] = correct["manifest"]
    row = verdicts("hypercube", **recovered(correct))["hypercube.order"]
    assert (row["verdict"], row["ours"]) == ("differs", 0)
    assert "manifest minus ig" in row["note"]


@pytest.mark.parametrize(
    ("f1", "f5", "case_a", "case_b"),
    [
        (0.1, 1.0, "agrees", "differs"),
        (1.0, 1.0, "differs", "agrees"),
        (1, 0.5, "differs", "differs"),
    ],
)
def test_toy(verdicts, f1, f5, case_a, case_b):
    head = {"method": "manifest", "mean": 0.5, "std": 0.1}
    features = [
        {**head, "case": case, "feature": feature, "selected": selected}
        for case in "ab"
        for feature, selected in ((1, f1), (5, f5))
    ]
    summary = [{"case": case, "method": "manifest", "n_draws": 20} for case in "ab"]
    found = verdicts("toy", features=features, summary=summary)
    assert found["toy.case_a"]["verdict"] == case_a
    assert found["toy.case_b"]["verdict"] == case_b


def test_accuracies_are_those_of_the_paper_reading_with_intervals(verdicts):
    tests = {(name, 1.0): accuracies(0.80) for name in FILTERS}
    tests |= {("fisher", 1.0): accuracies(0.858), ("manifest", 1.0): accuracies(0.869)}
    found = verdicts("colon", **judged(tests, sizes=(40, 200)))
    row = found["colon.best_test_acc.manifest"]
    assert row["verdict"] == "agrees"
    assert row["ours"] == pytest.approx(86.9, abs=1)
    others = found["colon.best_test_acc.others_at_most"]
    assert others["ours"] == pytest.approx(100 * tests["fisher", 1.0][:, 0].mean())
    assert "fisher" in others["note"]
    for claim, column in (("", "ours"), (".std", "ours")):
        error = found[f"icml.table1_error_percent_std_features.manifest.colon{claim}"]
        assert error["ci_low"] < error[column] < error["ci_high"]
    assert error["ours"] == pytest.approx(100 * tests["manifest", 1.0][:, 0].std(ddof=1))
    error = found["icml.table1_error_percent_std_features.manifest.colon"]
    assert (error["ours"], error["ci_low"]) == pytest.approx(
        (100 - row["ours"], 100 - row["ci_high"])
    )
    # Every resample of the splits is best at 40 features, and 200 were published.
    size = found["colon.at_features.manifest"]
    assert (size["ours"], size["ci_low"], size["ci_high"]) == (40, 40, 40)
    assert (size["verdict"], found["colon.at_features.others"]["verdict"]) == ("differs", "agrees")


def test_a_number_of_features_is_uncertain_where_curves_are_flat(verdicts):
    flat = 0.85 + 0.05 * RNG.normal(size=(30, 4))
    tables = judged({("manifest", 1.0): flat}, sizes=(10, 40, 200, 1000))
    row = verdicts("colon", **tables)["colon.at_features.manifest"]
    assert row["ci_low"] < row["ci_high"]
    assert {row["ci_low"], row["ours"], row["ci_high"]} <= {10, 40, 200, 1000}


def test_five_percent(verdicts):
    tests = {("manifest", 1.0): accuracies(0.907), ("manifest", 0.05): accuracies(0.905)}
    few = {"gini": 0.60, "ig": 0.905, "relieff": 0.88, "anova": 0.60}
    full = {"gini": 0.90, "ig": 0.907, "relieff": 0.90, "anova": 0.60}
    tests |= {(name, 1.0): accuracies(mean, noise=0.001) for name, mean in full.items()}
    tests |= {(name, 0.05): accuracies(mean, noise=0.001) for name, mean in few.items()}
    found = verdicts("madelon", **judged(tests))
    assert found["madelon.best_test_acc_full.manifest"]["verdict"] == "agrees"
    assert found["madelon.five_percent.manifest"]["verdict"] == "agrees"
    by_method = {
        name: found[f"madelon.five_percent.fails.{name}"]["verdict"] for name in (*few, "ttest")
    }
    # ANOVA is as bad from all rows, IG as good from few, the t-test was not run.
    assert by_method == {
        "gini": "agrees",
        "relieff": "agrees",
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


@pytest.mark.parametrize(("closest", "verdict"), [(0.05, "agrees"), (0.005, "differs")])
def test_the_gap_of_manifest_against_the_closest_competitor(verdicts, closest, verdict):
    tests = {(name, 1.0): accuracies(0.85) for name in [*FILTERS, "manifest"]}
    gaps = dict.fromkeys(FILTERS, 0.08) | {"laplacian": closest, "manifest": 0.01}
    validation = {
        name: tests[name, 1.0] + gap + 0.002 * RNG.normal(size=(10, 2))
        for name, gap in gaps.items()
    }
    row = verdicts("colon", **judged(tests, validation=validation))["colon.gap.competitors"]
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
        ((0.05, 0.05, 0.05), "differs"),
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
    assert row["ours"] == pytest.approx(100 * (gaps[0] - gaps[2]), abs=1)


@pytest.mark.parametrize(
    ("score", "n_draws", "verdict"),
    [(0.10, 5, "agrees"), (0.041, 5, "differs"), (0.03, 5, "differs"), (0.10, 1, "not run")],
)
def test_a_region_is_shown_where_there_is_more_score_than_ink(verdicts, score, n_draws, verdict):
    pair = {"class_1": 4, "class_2": 9}
    regions = [
        {**pair, "geometry": "spsd", "region": "top_gap", "area": 0.02, "ink": 0.04},
        {**pair, "geometry": "regularized", "region": "top_gap", "area": 0.02, "ink": 0.04},
        {**pair, "class_2": 1, "geometry": "spsd", "region": "top_gap", "area": 0.02, "ink": 0.04},
    ]
    for region, share in zip(regions, (score, 0.0, 0.0), strict=True):
        region |= {"score": share, "score_std": 0.004 if n_draws > 1 else np.nan}
    summary = [{**pair, "geometry": "spsd", "method": "manifest", "n_draws": n_draws}]
    row = verdicts("mnist", regions=regions, summary=summary)["mnist.shows.top_gap"]
    assert row["verdict"] == verdict
    if verdict == "not run":
        assert row["note"] == "a matter of looking: see the figures in results/mnist"
    else:
        assert row["ours"] == pytest.approx(score / 0.04)


@pytest.mark.parametrize(
    ("relieff", "random", "verdict"),
    [(0.70, 0.6, "agrees"), (0.85, 0.6, "differs"), (0.70, 0.799, "differs")],
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
    found = verdicts("mnist_multiclass", **judged(tests, sizes=(20, 50, 100)))
    row = found["icml.mnist_multiclass.highest"]
    assert row["verdict"] == verdict
    assert "at 50 features" in row["note"]
    published = found["icml.mnist_multiclass.acc_at_100_features"]
    assert published["ours"] == pytest.approx(100 * tests["manifest_max", 1.0][:, 2].mean())
    assert published["ci_low"] < published["ours"] < published["ci_high"]
    assert found["icml.mnist_multiclass.one_vs_one.20"]["verdict"] == "not run"
