"""Accuracies at the number of features that a tuning reports."""

import numpy as np
import pandas as pd
import pytest

from experiments.evaluation.accuracies import best_number


@pytest.mark.parametrize("mean", [0.6, 89.5])
def test_the_smallest_number_of_features_is_best_if_means_differ_by_rounding(mean):
    larger = np.nextafter(mean, 100)
    assert best_number(pd.Series([mean, larger, 0.1], [5, 10, 20])) == 5
    assert best_number(pd.Series([mean - 0.001, mean, larger], [5, 10, 20])) == 10
