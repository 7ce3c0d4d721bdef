"""SVMs fitted once tell their accuracies on test and training rows, in all cells or one a size."""

import numpy as np
import pytest

from experiments.evaluation.svm.grid import best_cell, cv_accuracies, refit_accuracies
from tests.experiments.evaluation.test_svm_grid import PROBLEMS, SMALL


@pytest.mark.parametrize("problem", PROBLEMS)
def test_one_fit_gives_the_accuracies_on_test_and_on_training_rows(problem):
    make, sizes, folds = PROBLEMS[problem]
    X, y = make()
    order = np.arange(X.shape[1])
    train, test = next(iter(folds.split(X, y)))
    on_test, on_train = refit_accuracies(X, y, order, sizes, train, test, **SMALL)
    expected = cv_accuracies(X, y, order, sizes, [(train, test), (train, train)], **SMALL)
    np.testing.assert_array_equal([on_test, on_train], expected)
    cells = best_cell(on_test)
    at = (slice(None), np.arange(len(sizes)), *cells)
    alone = np.array(refit_accuracies(X, y, order, sizes, train, test, **SMALL, cells=cells))
    np.testing.assert_array_equal(alone[at], expected[at])
    assert np.isfinite(alone).sum() == 2 * len(sizes)
