"""The exchange of the classes: a noise of numbers and sentences, and a table of each experiment."""

import numpy as np
import pandas as pd
from scipy import stats

from experiments.report import exchanges
from experiments.report.claims.exchange import deviation, widened
from tests.experiments.report.conftest import judged, toy

LEVELS = (0.5, 0.9, 0.99)
#: Shares of the draws that select a feature of the toy example seldom.
LOW = (0.1, 0.1)


def test_a_wider_interval_holds_the_narrow_one_and_ends_at_the_limits():
    def exact(level):
        return 0.7 - 0.1 * level, 0.7 + 0.2 * level

    assert widened(exact, 0.7, 0.0) is exact
    for level in LEVELS:
        half = stats.norm.ppf((1 + level) / 2) * 0.2
        low, high = widened(exact, 0.7, 0.2)(level)
        np.testing.assert_allclose(0.7 - low, np.hypot(0.1 * level, half))
        np.testing.assert_allclose(high - 0.7, np.hypot(0.2 * level, half))
        low, high = widened(exact, 0.7, 9.0, 0, 1)(level)
        assert (low, high) == (0, 1)


def test_the_deviation_is_that_of_two_codings():
    a, b = np.random.default_rng(0).normal(size=(2, 5))
    np.testing.assert_allclose(deviation(a, b), np.std([a, b], axis=0, ddof=1))


def test_accuracies_have_the_exchange_of_the_shared_splits_as_a_noise(outcomes):
    noise = np.random.default_rng(0).normal(0, 0.001, size=(50, 1))
    claim = "colon.best_test_acc.manifest"
    own = judged({"manifest": np.array([0.869, 0.6]) + noise, "gini": np.array([0.5, 0.6]) + noise})
    found = []
    for moved in (None, 0.0, 0.1):
        if moved is not None:
            # Later splits were judged under one coding alone; the best size may be another one.
            theirs = judged({"manifest_exchanged": np.array([0.5, 0.869 - moved]) + noise[:10]})
            outcomes("colon_exchanged", **theirs)
        found.append(outcomes("colon", n=50, **own)[claim])
    alone, same, other = found
    widths = [row["diff_high"] - row["diff_low"] for row in found]
    assert alone["ours"] == same["ours"] == other["ours"]
    np.testing.assert_allclose(widths[1], widths[0], rtol=1e-6)
    assert widths[2] > 2 * stats.norm.ppf(0.95) * 100 * 0.1
    assert (alone["outcome"], other["outcome"]) == ("reproduced", "inconclusive")


def scored(move):
    """Rows of scores of both methods; the exchange moves those of one draw."""
    scores = np.random.default_rng(0).uniform(size=(4, 6))
    return [
        {"case": case, "method": f"{method}{end}", "draw": draw, "scores": scores[draw] * factor}
        for method, by in (("manifest", move), ("manifest_regularized", 1e-9))
        for case in "ab"
        for draw in range(4)
        for end, factor in (("", 1.0), ("_exchanged", 1.0 + by * (draw == 1 and case == "b")))
    ]


def test_a_share_of_draws_is_open_if_the_coding_decides_it(outcomes):
    for f5, expected in ((0.9, "reproduced"), (0.4, "inconclusive")):
        outcomes("toy_exchanged", **toy(LOW, (0.9, f5), "manifest_exchanged"), rows=scored(0.0))
        rows = outcomes("toy", **toy(LOW, (0.9, 0.9)))
        assert rows["toy.case_b"]["outcome"] == expected
        assert rows["toy.case_a"]["outcome"] == "reproduced"
        assert rows["toy.case_b"]["noise"].endswith("exchange of the classes")


def test_one_projection_is_sufficient_or_not(outcomes):
    for move, outcome in ((1e-9, "reproduced"), (0.3, "different")):
        tables = toy(LOW, (0.9, 0.9), "manifest_exchanged")
        rows = outcomes("toy_exchanged", **tables, rows=scored(move))
        assert rows["one_projection.algorithm_2"]["outcome"] == outcome
        assert rows["one_projection.algorithm_1"]["outcome"] == "reproduced"
        np.testing.assert_allclose(rows["one_projection.algorithm_2"]["ours"], move, rtol=1e-6)
    none = outcomes("toy_exchanged", **tables, rows=scored(move)[:4])["one_projection.algorithm_1"]
    assert none["outcome"] == "not available"


def test_pictures_have_the_exchange_of_the_pair_as_a_noise(outcomes):
    axes = {"geometry": "spsd", "region": "leg", "area": 0.1, "ink": 0.1, "n_draws": 40}
    more = {"n_pixels": 9, "difference_share": 0.1, "n_vectors": 4, "leading_std": 0.001}
    for turned, expected in ((0.2, "reproduced"), (0.05, "inconclusive")):
        for name, first, leading in (("mnist_exchanged", 9, turned), ("mnist", 4, 0.2)):
            row = {"class_1": first, "class_2": 13 - first, **axes, **more}
            rows = outcomes(name, differences=[{**row, "leading": leading}], summary=[row])
        assert rows["mnist.shows.leg"]["outcome"] == expected


def test_the_table_has_both_codings_of_each_experiment(outcomes, tmp_path):
    own = {"manifest": np.full((4, 2), [0.8, 0.7]), ("manifest", 0.05): np.full((4, 2), 0.6)}
    theirs = {
        (f"{key}_exchanged" if isinstance(key, str) else ("manifest_exchanged", 0.05)): value - 0.1
        for key, value in own.items()
    }
    outcomes("colon", n=4, **judged(own))
    outcomes("colon_exchanged", n=4, **judged(theirs))
    outcomes("toy", **toy(LOW, (0.9, 0.8)), rows=scored(0.2))
    outcomes("toy_exchanged", **toy(LOW, (0.4, 0.3), "manifest_exchanged"), rows=scored(0.2))
    table = exchanges.table(tmp_path)
    assert list(table.columns) == exchanges.COLUMNS
    of = dict(iter(table.groupby("experiment")))
    assert set(of) == {"colon", "toy"}
    best = of["colon"][of["colon"]["number"].str.startswith("best")]
    np.testing.assert_allclose(sorted(best["as_coded"]), [60, 80])
    np.testing.assert_allclose(sorted(best["exchanged"]), [50, 70])
    assert (of["colon"]["exchanged"][of["colon"]["number"].str.startswith("test")] == 100).all()
    shares = of["toy"].dropna(subset="as_coded")[["as_coded", "exchanged"]].to_numpy().tolist()
    assert shares == [[0.1, 0.1], [0.1, 0.1], [0.9, 0.4], [0.8, 0.3]]
    changes = of["toy"][of["toy"]["as_coded"].isna()]["exchanged"]
    np.testing.assert_allclose(changes, [0, 0.2, 0, 1e-9], rtol=1e-6, atol=1e-15)
    text = exchanges.in_words(tmp_path)
    assert text.count("| as coded |") == len(of)
    assert pd.isna(table["order_of_columns"]).all()
