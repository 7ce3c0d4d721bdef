"""The rules that decide statements: on features, pictures and spectra, by made-up results."""

import numpy as np
import pytest
from scipy import stats

from experiments.report.claims.results_folder import FILTERS
from tests.experiments.report.stored_results import recovered

OTHERS = [name for name in FILTERS if name != "relieff"]


def test_a_method_fails_on_xor_where_it_finds_less_than_one(verdicts):
    chance, half = [0] * 9 + [1], [0, 1, 2, 1, 0, 2, 1, 0, 1, 1]
    rows = verdicts("xor100", **recovered({"gini": chance, "ig": half, "manifest": [2] * 10}))
    for name, verdict in (("gini", "agrees"), ("ig", "too wide to say"), ("anova", "not run")):
        assert rows[f"xor100.fails.{name}"]["verdict"] == verdict
    # Ten perfect draws of ten leave a share of up to 31 % to others, and the paper's 50 one of 7 %.
    claim = "xor100.correct_of_2.manifest"
    assert rows[claim]["ci_low"] == pytest.approx(2 * 0.025**0.1)
    assert rows[claim]["diff_low"] < -0.5
    assert rows[claim]["verdict"] == "too wide to say"
    perfect = verdicts("xor100", **recovered({"manifest": [2] * 50}))[claim]
    assert (perfect["ci_high"], perfect["verdict"]) == (2, "agrees")
    rows = verdicts("xor100", **recovered({"gini": [2] * 9 + [1]}))
    assert rows["xor100.fails.gini"]["verdict"] == "differs"


def test_a_method_identifies_the_features_of_xor_where_it_finds_more_than_one(verdicts):
    for correct, verdict in (
        ([2, 2, 1, 2] * 6, "agrees"),
        ([1, 0, 1, 1] * 6, "differs"),
        ([2, 0] * 6, "too wide to say"),
    ):
        rows = verdicts("xor100_many", n=len(correct), **recovered({"relieff": correct}))
        row = rows["xor100.identifies.relieff"]
        assert (row["ours"], row["verdict"]) == (pytest.approx(np.mean(correct)), verdict)


def test_the_order_on_xor_needs_every_difference_above_zero(verdicts):
    """One method that is ahead contradicts the order: the last verdict."""
    for relieff, verdict, behind in (
        ([1, 1, 1, 0, 1, 1] * 4, "agrees", "differs"),
        ([0, 0, 0, 0, 1, 0] * 2, "too wide to say", "too wide to say"),
        ([2] * 24, "too wide to say", "differs"),
        ([2, 2, 2, 1] * 6, "agrees", "differs"),
    ):
        n = len(relieff)
        for own, expected in ((2, verdict), (0, behind)):
            draws = {name: [0] * n for name in OTHERS} | {"relieff": relieff, "manifest": [own] * n}
            row = verdicts("xor100", n=n, **recovered(draws))["xor100.order"]
            assert row["verdict"] == expected, (relieff, own)
            assert row["ci_low"] <= row["ours"] <= row["ci_high"]


def test_hypercube(verdicts):
    correct = {name: [4, 5, 6, 5, 6, 4, 5, 6] * 3 for name in FILTERS}
    correct |= {"manifest": [10, 9, 10, 10, 10, 9, 10, 10] * 3}
    correct |= {"manifest_unnormalized": [9, 9, 8, 9, 9, 9, 9, 9] * 3}
    many = verdicts("hypercube_many", n=24, **recovered(correct))
    rows = verdicts("hypercube", n=24, **recovered(correct))
    own = "hypercube.manifest_unnormalized"
    for row, ours, verdict in (
        (many["hypercube.order"], 9.75 - 5.125, "agrees"),
        (many[f"{own}.outperforms"], 8.875 - 5.125, "agrees"),
        (rows[f"{own}.median"], 9, "agrees"),
        (rows[f"{own}.mean"], 8.875, "agrees"),
        (rows[f"{own}.q75"], 9, "differs"),
        # ReliefF finds six in three draws of eight.
        (rows["hypercube.tsne_single_run.relieff"], 0.375, "agrees"),
    ):
        assert (row["ours"], row["verdict"]) == (pytest.approx(ours), verdict)
    assert rows[f"{own}.factor.mean"]["verdict"] == "not run"
    for n, verdict in ((24, "too wide to say"), (120, "differs")):
        tables = recovered({"relieff": [3] * n})
        run = verdicts("hypercube", n=n, **tables)["hypercube.tsne_single_run.relieff"]
        assert (run["ours"], run["verdict"]) == (0, verdict)
    # One filter that is nearly as good is enough: the margin is to be large.
    correct = {name: values * 5 for name, values in correct.items()}
    correct["ig"] = [n - i % 2 for i, n in enumerate(correct["manifest"])]
    row = verdicts("hypercube_many", **recovered(correct))["hypercube.order"]
    assert (row["verdict"], row["ours"]) == ("differs", 0.5)
    assert "manifest minus ig" in row["note"]


def test_filters_that_rank_alike_count_once(verdicts):
    """Eight filters are six rankings, since Pearson and Fisher order as ANOVA does."""
    correct = {name: [4, 5, 6, 5, 6, 4] for name in FILTERS} | {"manifest": [10] * 6}
    row = verdicts("hypercube_many", **recovered(correct))["hypercube.order"]
    assert "all others of 6 lie" in row["note"]


def test_the_librarys_own_filter_stands_for_the_papers(verdicts):
    draws = {"relieff": [0] * 10, "relieff_skfeature": [1, 0] * 5, "ig": [2] * 10}
    rows = verdicts("xor100_many", **recovered(draws))
    assert rows["icml.xor100.correct_of_2.relieff"]["ours"] == 0.5
    for more, ours in (({}, 2), ({"ig_sklearn": [0, 1] * 5}, 0.5)):
        assert verdicts("xor100", **recovered(draws | more))["xor100.fails.ig"]["ours"] == ours


def test_toy(verdicts):
    head = {"method": "manifest", "mean": 0.5, "std": 0.1}
    summary = [{"case": case, "method": "manifest", "n_draws": 20} for case in "ab"]
    for f1, f5, *expected in (
        (0.1, 1.0, "agrees", "differs"),
        (1.0, 1.0, "differs", "agrees"),
        (1, 0.5, "differs", "too wide to say"),
        (0.5, 0.1, "too wide to say", "differs"),
    ):
        features = [
            {**head, "case": case, "feature": feature, "selected": selected}
            for case in "ab"
            for feature, selected in ((1, f1), (5, f5))
        ]
        rows = verdicts("toy", features=features, summary=summary)
        assert [rows[f"toy.case_{case}"]["verdict"] for case in "ab"] == expected, (f1, f5)


def test_eigenvectors_show_a_difference_where_they_have_more_than_ink_and_area(verdicts):
    axes = {"class_1": 4, "class_2": 9, "geometry": "spsd", "region": "top_gap"}
    for leading, n_draws, verdict in (
        (0.10, 5, "agrees"),
        (0.041, 5, "too wide to say"),
        (0.03, 5, "differs"),
        (0.10, 1, "not run"),
    ):
        row = {"area": 0.02, "ink": 0.04, "n_pixels": 20, "n_vectors": 4, "difference_share": 0.1}
        row |= {"leading_std": 0.004 if n_draws > 1 else np.nan, "n_draws": n_draws}
        differences = [
            {**axes, **row, "leading": leading},
            {**axes, **row, "leading": 0.0, "geometry": "regularized"},
            {**axes, **row, "leading": 0.0, "class_2": 1},
        ]
        rows = verdicts("mnist", summary=[axes], differences=differences)
        row = rows["mnist.shows.top_gap"]
        assert row["verdict"] == verdict, leading
        if verdict == "not run":
            assert row["note"] == "a matter of looking: see the figures in results/mnist"
            continue
        assert row["ours"] == pytest.approx(leading / 0.04)
        # The standard error of a mean of n draws, with n - 1 degrees of freedom.
        half = stats.t.ppf(0.975, n_draws - 1) * 0.004 / 0.04 / np.sqrt(n_draws)
        assert row["ci_high"] - row["ours"] == pytest.approx(half)


def test_propositions(verdicts):
    for ratio, error, *expected in (
        (1.0, 0.009, "agrees", "differs", "agrees"),
        (2.0, 0.2, "differs", "agrees", "differs"),
    ):
        row = {"dataset": "colon", "ratio_with_half_min": ratio, "ratio_with_half_max": ratio}
        summary = [
            {**row, "case": "shared", "slack_published_min": 2.0},
            {"case": "near 0.001", "near_error": error},
        ]
        rows = verdicts("propositions", data={"name": "colon, madelon, mnist"}, summary=summary)
        claims = [f"propositions.{where}.eigenvalue" for where in ("section_4", "appendix")]
        claims.append("icml.proposition_3.near_0.001")
        assert [rows[claim]["verdict"] for claim in claims] == expected
        assert rows["propositions.appendix.bounds"]["verdict"] == "agrees"
        assert rows["icml.proposition_3.near_0.01"]["verdict"] == "not run"
