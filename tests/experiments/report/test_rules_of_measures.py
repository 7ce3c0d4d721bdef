"""The rules for sentences without a number come out both ways, by made-up results."""

import numpy as np

from tests.experiments.report.stored_results import judged, recovered


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


def test_too_few_and_too_many_features_both_cost(outcomes):
    noise = np.random.default_rng(0).normal(0, 0.005, size=(10, 1))
    for means, outcome in (([0.6, 0.9, 0.7], "reproduced"), ([0.6, 0.9, 0.9], "different")):
        tables = judged({"manifest": np.array(means) + noise}, sizes=(1, 10, 500))
        assert outcomes("madelon", **tables)["madelon.too_few_or_many"]["outcome"] == outcome


def test_one_percent_of_the_features_serves_or_does_not(outcomes):
    noise = np.random.default_rng(0).normal(0, 0.005, size=(10, 1))
    for few, outcome in ((0.94, "reproduced"), (0.7, "different")):
        tables = judged({"manifest": np.array([few, 0.95, 0.9]) + noise}, sizes=(5, 50, 1000))
        assert outcomes("prostate", **tables)["prostate.few_features"]["outcome"] == outcome


def test_an_svm_learns_without_scaling_or_does_not(outcomes):
    claim = "gisette.no_normalization"
    for mean, outcome in ((0.97, "reproduced"), (0.5, "different")):
        noise = np.random.default_rng(0).normal(0, 0.001, size=(10, 1))
        tables = judged({"all_features": mean + noise}, sizes=(5000,))
        assert outcomes("gisette", **tables)[claim]["outcome"] == outcome
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
        data = {"name": "colon, madelon, mnist"}
        told = outcomes("propositions", data=data, summary=summary, rows=rows)
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
        row = outcomes("xor100_scales", data={"name": "xor"}, **tables)[claim]
        assert row["outcome"] == outcome


def test_a_mean_may_be_as_large_as_the_number_of_relevant_features(outcomes):
    """If each method finds at most one of two in any draw, the interval still may pass one."""
    rows = [
        {"method": "manifest", "tuned": True, "draw": draw, "correct": int(draw > 0)}
        | {"relevant": [0, 1], "parameters": ""}
        for draw in range(10)
    ]
    tables = {"rows": rows, "summary": [{"method": "manifest"}]}
    row = outcomes("xor100", data={"name": "xor"}, **tables)["xor100.correct_of_2.manifest"]
    assert row["ci_high"] > 1
