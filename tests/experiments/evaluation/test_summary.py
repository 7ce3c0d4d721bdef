"""Tables of rows: the number of features that a tuning reports, that a classifier uses; flags."""

import numpy as np
import pandas as pd
import pytest

from experiments.evaluation import summary
from experiments.evaluation.accuracies import best_size
from experiments.evaluation.statistics import resampled_interval, resampled_ttest

#: Test accuracies of three splits at 1, 2 and 4 features. The mean is best at 2, the median at 1,
#: and the validation accuracy at 4.
TEST = np.array([[0.80, 0.90, 0.60], [0.80, 0.76, 0.60], [0.50, 0.75, 0.60]])


def rows(tuning):
    frame = pd.DataFrame({"split": np.repeat(range(3), 3), "n_features": [1, 2, 4] * 3})
    chosen = {"chosen": np.isin(range(9), [0, 5, 8]), "method": "a", "ranking_share": 1.0}
    return frame.assign(test=TEST.ravel(), validation=[0.5, 0.6, 0.9] * 3, tuning=tuning, **chosen)


def test_a_reading_reports_the_best_mean_test_accuracy_and_nested_what_each_split_chose():
    for tuning in ("paper", "icml"):
        reported = best_size(rows(tuning))
        assert list(reported["n_features"]) == [2, 2, 2], tuning
        np.testing.assert_array_equal(reported["test"], TEST[:, 1])
    reported = best_size(rows("nested"))
    assert list(reported["n_features"]) == [1, 4, 4]
    np.testing.assert_array_equal(reported["test"], [0.8, 0.6, 0.6])


def test_flags_are_counted_and_rare_ones_only_if_there_are_any():
    for uninformative in (False, True):
        rows = pd.DataFrame({"method": [*"aabb"], "split": [0, 1, 0, 1], "test": 0.5})
        flags = [False, False, True, True], [False, False, False, uninformative]
        rows["ambiguous"], rows["uninformative"] = flags
        counts = summary.table(rows, [], "test")
        assert counts["n_ambiguous"].tolist() == [0, 2]
        assert ("n_uninformative" in counts) == uninformative
    assert counts["n_uninformative"][1] == 1


def test_scores_that_are_rounding_are_said_in_the_table(run):
    """Far below the scale of the distances every kernel is the identity."""
    tiny = ["method=manifest", "method.scale_factor=1e-3", "method.geometry=regularized"]
    tiny += ["protocol.evaluated_draws=0", "protocol.embedded=[]"]
    folder, _ = run("experiment=hypercube", "profile=smoke", *tiny)
    table = pd.read_csv(folder / "summary.csv")
    assert table["n_uninformative"].tolist() == table["n_draws"].tolist()


def test_pairs_are_differences_on_the_repetitions_that_both_have():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"split": np.tile(range(6), 3), "method": np.repeat([*"abc"], 6)})
    rows = rows.assign(test=rng.random(18), case="only")[:-1]  # The last split of c is missing.
    pairs = summary.pairs(rows, ["case"], "a", "test", overlap=0.25).set_index("other")
    wide = rows.pivot(index="split", columns="method", values="test")
    for other, n in (("b", 6), ("c", 5)):
        apart = (wide["a"] - wide[other]).dropna()
        assert pairs["n_splits"][other] == len(apart) == n
        assert pairs["difference"][other] == pytest.approx(apart.mean())
        ends = resampled_interval(apart, 0.25)
        assert tuple(pairs.loc[other, ["ci_low", "ci_high"]]) == pytest.approx(ends)
        assert pairs["p_value"][other] == pytest.approx(resampled_ttest(apart, 0.25)[1])
    assert summary.pairs(rows, ["case"], "d", "test").empty
