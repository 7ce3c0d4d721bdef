"""The number of features that a table reports."""

import numpy as np
import pandas as pd

from experiments.evaluation.accuracies import best_size

#: Test accuracies of three splits at 1, 2 and 4 features. The mean is best at 2, the median at 1,
#: and the validation accuracy at 4.
TEST = np.array([[0.80, 0.90, 0.60], [0.80, 0.76, 0.60], [0.50, 0.75, 0.60]])
VALIDATION = np.array([[0.5, 0.6, 0.9]] * 3)


def rows(reading):
    return pd.DataFrame(
        {
            "method": "a",
            "reading": reading,
            "ranking_share": 1.0,
            "split": split,
            "n_features": size,
            "test": TEST[split, i],
            "validation": VALIDATION[split, i],
            "chosen": size == (4 if split else 1),
        }
        for split in range(3)
        for i, size in enumerate((1, 2, 4))
    )


def test_a_reading_of_the_paper_reports_the_number_with_the_best_mean_test_accuracy():
    assert TEST.mean(axis=0).argmax() == 1
    assert np.median(TEST, axis=0).argmax() == 0
    assert VALIDATION.mean(axis=0).argmax() == 2
    for reading in ("paper", "icml"):
        reported = best_size(rows(reading))
        assert list(reported["n_features"]) == [2, 2, 2], reading
        np.testing.assert_array_equal(reported["test"], TEST[:, 1])


def test_under_nested_each_split_reports_the_number_that_it_has_chosen():
    reported = best_size(rows("nested"))
    assert list(reported["n_features"]) == [1, 4, 4]
    np.testing.assert_array_equal(reported["test"], [0.8, 0.6, 0.6])
