"""The rules that decide statements: on features, pictures and spectra, by made-up results."""

import numpy as np
import pytest
from scipy import stats

from experiments.report.claims.results_folder import FILTERS
from tests.experiments.report.conftest import judged, recovered

OTHERS = [name for name in FILTERS if name != "relieff"]


def test_a_method_fails_on_xor_where_it_finds_less_than_one(outcomes):
    chance, half = [0] * 9 + [1], [0, 1, 2, 1, 0, 2, 1, 0, 1, 1]
    rows = outcomes("xor100", **recovered({"gini": chance, "ig": half, "manifest": [2] * 10}))
    for name, outcome in (
        ("gini", "reproduced"),
        ("ig", "inconclusive"),
        ("anova", "not available"),
    ):
        assert rows[f"xor100.fails.{name}"]["outcome"] == outcome
    # Ten perfect draws of ten leave a share of up to 31 % to others, and the paper's 50 one of 7 %.
    claim = "xor100.correct_of_2.manifest"
    assert rows[claim]["ci_low"] == pytest.approx(2 * 0.025**0.1)
    assert rows[claim]["diff_low"] < -0.5
    assert rows[claim]["outcome"] == "inconclusive"
    perfect = outcomes("xor100", **recovered({"manifest": [2] * 50}))[claim]
    assert (perfect["ci_high"], perfect["outcome"]) == (2, "reproduced")
    rows = outcomes("xor100", **recovered({"gini": [2] * 9 + [1]}))
    assert rows["xor100.fails.gini"]["outcome"] == "different"


def test_a_method_identifies_the_features_of_xor_where_it_finds_more_than_one(outcomes):
    for correct, outcome in (
        ([2, 2, 1, 2] * 6, "reproduced"),
        ([1, 0, 1, 1] * 6, "different"),
        ([2, 0] * 6, "inconclusive"),
    ):
        rows = outcomes("xor100", n=len(correct), **recovered({"relieff": correct}))
        row = rows["xor100.identifies.relieff"]
        assert (row["ours"], row["outcome"]) == (pytest.approx(np.mean(correct)), outcome)


def test_the_order_on_xor_needs_every_difference_above_zero(outcomes):
    """One method that is ahead contradicts the order: the last outcome."""
    for relieff, outcome, behind in (
        ([1, 1, 1, 0, 1, 1] * 4, "reproduced", "different"),
        ([0, 0, 0, 0, 1, 0] * 2, "inconclusive", "inconclusive"),
        ([2] * 24, "inconclusive", "different"),
        ([2, 2, 2, 1] * 6, "reproduced", "different"),
    ):
        n = len(relieff)
        for own, expected in ((2, outcome), (0, behind)):
            draws = {name: [0] * n for name in OTHERS} | {"relieff": relieff, "manifest": [own] * n}
            row = outcomes("xor100", n=n, **recovered(draws))["xor100.order"]
            assert row["outcome"] == expected, (relieff, own)
            assert row["ci_low"] <= row["ours"] <= row["ci_high"]


def test_hypercube(outcomes):
    correct = {name: [4, 5, 6, 5, 6, 4, 5, 6] * 3 for name in FILTERS}
    correct |= {"manifest": [10, 9, 10, 10, 10, 9, 10, 10] * 3}
    correct |= {"manifest_unnormalized": [9, 9, 8, 9, 9, 9, 9, 9] * 3}
    rows = outcomes("hypercube", n=24, **recovered(correct))
    own = "hypercube.manifest_unnormalized"
    for row, ours, outcome in (
        (rows["hypercube.order"], 9.75 - 5.125, "reproduced"),
        (rows[f"{own}.outperforms"], 8.875 - 5.125, "reproduced"),
        (rows[f"{own}.median"], 9, "reproduced"),
        (rows[f"{own}.mean"], 8.875, "reproduced"),
        (rows[f"{own}.q75"], 9, "different"),
        # ReliefF finds four in the first draw.
        (rows["hypercube.tsne_single_run.relieff"], 4, "listed"),
    ):
        assert (row["ours"], row["outcome"]) == (pytest.approx(ours), outcome)
    assert rows[f"{own}.factor.mean"]["outcome"] == "not available"
    run = rows["hypercube.tsne_single_run.relieff"]
    assert (run["ci_low"], run["ci_high"]) == (4, 6)
    assert "no count could be different" in run["note"]
    # One filter that is nearly as good is enough: the margin is to be large.
    correct = {name: values * 5 for name, values in correct.items()}
    correct["ig"] = [n - i % 2 for i, n in enumerate(correct["manifest"])]
    row = outcomes("hypercube", **recovered(correct))["hypercube.order"]
    assert (row["outcome"], row["ours"]) == ("different", 0.5)
    assert "manifest minus ig" in row["note"]


def test_filters_that_rank_alike_count_once(outcomes):
    """Eight filters are six rankings, since Pearson and Fisher order as ANOVA does."""
    correct = {name: [4, 5, 6, 5, 6, 4] for name in FILTERS} | {"manifest": [10] * 6}
    row = outcomes("hypercube", **recovered(correct))["hypercube.order"]
    assert "all others of 6 lie" in row["note"]


def test_the_librarys_own_filter_stands_for_the_papers(outcomes):
    draws = {"relieff": [0] * 10, "relieff_skfeature": [1, 0] * 5, "ig": [2] * 10}
    rows = outcomes("xor100", **recovered(draws))
    assert rows["icml.xor100.correct_of_2.relieff"]["ours"] == 0.5
    for more, ours in (({}, 2), ({"ig_ross": [0, 1] * 5}, 0.5)):
        assert outcomes("xor100", **recovered(draws | more))["xor100.fails.ig"]["ours"] == ours


def test_toy(outcomes):
    head = {"method": "manifest", "mean": 0.5, "std": 0.1}
    summary = [{"case": case, "method": "manifest", "n_draws": 20} for case in "ab"]
    for f1, f5, *expected in (
        (0.1, 1.0, "reproduced", "different"),
        (1.0, 1.0, "different", "reproduced"),
        (1, 0.5, "different", "inconclusive"),
        (0.5, 0.1, "inconclusive", "different"),
    ):
        features = [
            {**head, "case": case, "feature": feature, "selected": selected}
            for case in "ab"
            for feature, selected in ((1, f1), (5, f5))
        ]
        rows = outcomes("toy", features=features, summary=summary)
        assert [rows[f"toy.case_{case}"]["outcome"] for case in "ab"] == expected, (f1, f5)


def test_eigenvectors_show_a_difference_where_they_have_more_than_ink_and_area(outcomes):
    axes = {"class_1": 4, "class_2": 9, "geometry": "spsd", "region": "top_gap"}
    for leading, n_draws, outcome in (
        (0.10, 5, "reproduced"),
        (0.041, 5, "inconclusive"),
        (0.03, 5, "different"),
        (0.10, 1, "not available"),
    ):
        row = {"area": 0.02, "ink": 0.04, "n_pixels": 20, "n_vectors": 4, "difference_share": 0.1}
        row |= {"leading_std": 0.004 if n_draws > 1 else np.nan, "n_draws": n_draws}
        differences = [
            {**axes, **row, "leading": leading},
            {**axes, **row, "leading": 0.0, "geometry": "regularized"},
            {**axes, **row, "leading": 0.0, "class_2": 1},
        ]
        rows = outcomes("mnist", summary=[axes], differences=differences)
        row = rows["mnist.shows.top_gap"]
        assert row["outcome"] == outcome, leading
        if outcome == "not available":
            assert row["note"] == "a matter of looking: see the figures in results/mnist"
            continue
        assert row["ours"] == pytest.approx(leading / 0.04)
        # The standard error of a mean of n draws, with n - 1 degrees of freedom.
        half = stats.t.ppf(0.975, n_draws - 1) * 0.004 / 0.04 / np.sqrt(n_draws)
        assert row["ci_high"] - row["ours"] == pytest.approx(half)


def test_propositions(outcomes):
    for ratio, error, *expected in (
        (1.0, 0.009, "reproduced", "different", "reproduced"),
        (2.0, 0.2, "different", "reproduced", "different"),
    ):
        row = {"dataset": "colon", "ratio_with_half_min": ratio, "ratio_with_half_max": ratio}
        summary = [
            {**row, "case": "shared", "slack_published_min": 2.0},
            {"case": "near 0.001", "near_error": error},
        ]
        rows = outcomes("propositions", summary=summary)
        claims = [f"propositions.{where}.eigenvalue" for where in ("section_4", "appendix")]
        claims.append("icml.proposition_3.near_0.001")
        assert [rows[claim]["outcome"] for claim in claims] == expected
        assert rows["propositions.appendix.bounds"]["outcome"] == "reproduced"
        assert rows["icml.proposition_3.near_0.01"]["outcome"] == "not available"


def test_separation_is_the_accuracy_beside_that_of_all_features(outcomes):
    for shift, outcome in ((0.1, "reproduced"), (-0.1, "different"), (0.0, "inconclusive")):
        tables = recovered({"manifest": [10] * 20, "all_features": [0] * 20})
        for row in tables["rows"]:
            row["accuracy"] = 0.8 + shift * (row["method"] == "manifest") + 0.01 * row["draw"] / 20
        rows = outcomes("hypercube", n=20, **tables)
        assert rows["hypercube.separation.manifest"]["outcome"] == outcome


def test_slightly_lower_is_lower_by_less_than_one(outcomes):
    own = [10] * 40
    for theirs, outcome in (
        ([10, 9] * 20, "reproduced"),
        ([8, 7] * 20, "different"),
        ([10, 8] * 20, "inconclusive"),
    ):
        tables = recovered({"manifest": own, "manifest_unnormalized": theirs})
        claim = "hypercube.slightly_lower.manifest_unnormalized"
        assert outcomes("hypercube", n=40, **tables)[claim]["outcome"] == outcome
    tables = recovered({"manifest": [9, 8] * 20, "manifest_unnormalized": own})
    assert outcomes("hypercube", n=40, **tables)[claim]["outcome"] == "different"


def test_sentences_on_numbers_of_features_hold_or_do_not(outcomes):
    noise = np.random.default_rng(0).normal(0, 0.005, size=(10, 1))
    for claim, sizes, means, outcome in (
        ("madelon.too_few_or_many", (1, 10, 500), [0.6, 0.9, 0.7], "reproduced"),
        ("madelon.too_few_or_many", (1, 10, 500), [0.6, 0.9, 0.9], "different"),
        ("prostate.few_features", (5, 50, 1000), [0.94, 0.95, 0.9], "reproduced"),
        ("prostate.few_features", (5, 50, 1000), [0.7, 0.95, 0.9], "different"),
        ("gisette.no_normalization", (5000,), [0.97], "reproduced"),
        ("gisette.no_normalization", (5000,), [0.5], "different"),
    ):
        method = "all_features" if claim.endswith("normalization") else "manifest"
        tables = judged({method: np.array(means) + noise}, sizes=sizes)
        row = outcomes(claim.partition(".")[0], **tables)[claim]
        assert row["outcome"] == outcome, (claim, means)
    row = outcomes("gisette", dataset={"scaling": "standard"}, **tables)[claim]
    assert (row["outcome"], "were scaled: standard" in row["note"]) == ("not available", True)


def test_the_score_stands_out_in_every_region_or_not(outcomes):
    axes = {"class_1": 4, "class_2": 9, "geometry": "spsd", "area": 0.1, "ink": 0.2}
    for leg, outcome in ((0.3, "reproduced"), (0.1, "different")):
        regions = [
            {**axes, "region": name, "score": score, "score_std": 0.01}
            for name, score in (("top", 0.4), ("leg", leg))
        ]
        rows = outcomes("mnist", regions=regions, summary=[axes])
        assert rows["mnist.score.discriminative"]["outcome"] == outcome


def test_the_leading_eigenvectors_are_background_and_structure_or_not(outcomes):
    axes = {"class_1": 4, "class_2": 9, "geometry": "spsd"}
    for first, outcome in ((-0.9, "reproduced"), (0.9, "different")):
        table = [{**axes, "mean_1_ink_correlation": first, "mean_2_ink_correlation": 0.9}]
        assert outcomes("mnist", summary=table)["mnist.mean_operator"]["outcome"] == outcome


def test_statements_on_kernels_hold_or_do_not(outcomes):
    for size, outcome in ((1.0, "reproduced"), (3.0, "different")):
        errors = {"geometry_error": 1e-9 * size**20, "row_sum_error": 1e-9 * size**20}
        summary = [{"dataset": "colon", "case": "any", **errors}]
        at = {"dataset": "colon", "part": 0}
        rows = [{**at, "case": "shared", "l2": size, "row_sum": 9.0}]
        rows += [{**at, "case": "data", "l2": 0.5, "row_sum": 2.0}]
        told = outcomes("propositions", summary=summary, rows=rows)
        for name in ("largest_eigenvalue", "full_rank", "doubly_stochastic"):
            assert told[f"propositions.appendix.{name}"]["outcome"] == outcome, name


def test_every_data_set_of_the_arena_is_one_value(outcomes):
    claim = "arena.few_samples"
    for shift, outcome in ((0.1, "reproduced"), (-0.1, "different")):
        problems = [
            {"data_set": f"set {i}", "n_train": n, "method": method, "accuracy": accuracy}
            for i in range(8)
            for n in ("20", "all")
            for method, accuracy in (
                ("manifest_regularized", 0.7 + 0.01 * (i % 3) + shift * (n == "20")),
                ("anova", 0.7),
                ("relieff", 0.69),
                ("jmi", 0.99),
            )
        ]
        row = outcomes("arena", problems=problems, summary=[])[claim]
        assert (row["outcome"], "8 data sets" in row["note"]) == (outcome, True)
    row = outcomes("arena", profile="fast", problems=problems, summary=[])[claim]
    assert row["note"].startswith("only the fast run is there")


def test_every_scale_finds_more_than_one_feature_or_not(outcomes):
    claim = "xor100.no_tuning"
    for largest, outcome in ((2, "reproduced"), (0, "different")):
        rows = [
            {"method": f"manifest_{factor}", "tuned": True, "draw": draw, "correct": correct}
            | {"relevant": [0, 1], "parameters": f"scale_factor={factor}"}
            for factor, correct in ((0.1, 2), (1, largest))
            for draw in range(40)
        ]
        tables = {"rows": rows, "summary": [{"method": "manifest_1"}]}
        row = outcomes("xor100_scales", **tables)[claim]
        assert row["outcome"] == outcome


def test_a_mean_may_be_as_large_as_the_number_of_relevant_features(outcomes):
    """If each method finds at most one of two in any draw, the interval still may pass one."""
    rows = [
        {"method": "manifest", "tuned": True, "draw": draw, "correct": int(draw > 0)}
        | {"relevant": [0, 1], "parameters": ""}
        for draw in range(10)
    ]
    tables = {"rows": rows, "summary": [{"method": "manifest"}]}
    row = outcomes("xor100", **tables)["xor100.correct_of_2.manifest"]
    assert row["ci_high"] > 1
