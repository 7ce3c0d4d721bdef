"""Tables of rows: the number of features that a reading reports, and the flags of rankings."""

import numpy as np
import pandas as pd

from experiments.evaluation.accuracies import best_size
from experiments.evaluation.summary import flag_columns

#: Test accuracies of three splits at 1, 2 and 4 features. The mean is best at 2, the median at 1,
#: and the validation accuracy at 4.
TEST = np.array([[0.80, 0.90, 0.60], [0.80, 0.76, 0.60], [0.50, 0.75, 0.60]])
VALIDATION = np.array([[0.5, 0.6, 0.9]] * 3)


def rows(reading):
    head = {"method": "a", "reading": reading, "ranking_share": 1.0}
    return pd.DataFrame(
        {
            **head,
            "split": split,
            "n_features": size,
            "test": TEST[split, i],
            "validation": VALIDATION[split, i],
            "chosen": size == (4 if split else 1),
        }
        for split in range(3)
        for i, size in enumerate((1, 2, 4))
    )


def test_a_reading_reports_the_best_mean_test_accuracy_and_nested_what_each_split_chose():
    assert TEST.mean(axis=0).argmax() == 1
    assert np.median(TEST, axis=0).argmax() == 0
    assert VALIDATION.mean(axis=0).argmax() == 2
    for reading in ("paper", "icml"):
        reported = best_size(rows(reading))
        assert list(reported["n_features"]) == [2, 2, 2], reading
        np.testing.assert_array_equal(reported["test"], TEST[:, 1])
    reported = best_size(rows("nested"))
    assert list(reported["n_features"]) == [1, 4, 4]
    np.testing.assert_array_equal(reported["test"], [0.8, 0.6, 0.6])


def test_rankings_that_are_rounding_or_uncertain_are_counted_if_there_are_any():
    quiet = {"ambiguous": True, "uninformative": False, "uncertain": False}
    assert flag_columns(pd.DataFrame([quiet, quiet])) == {"n_ambiguous": 2}
    loud = {**quiet, "uninformative": True}
    assert flag_columns(pd.DataFrame([quiet, loud])) == {"n_ambiguous": 2, "n_uninformative": 1}


def test_scores_that_are_rounding_are_said_in_the_table(run):
    """Far below the scale of the distances every kernel is the identity."""
    tiny = ["method=manifest", "method.scale_factor=1e-3", "method.geometry=regularized"]
    folder, _ = run("experiment=hypercube", "profile=smoke", *tiny, "protocol.judged_draws=0")
    summary = pd.read_csv(folder / "summary.csv")
    assert summary["n_uninformative"].tolist() == summary["n_draws"].tolist()
