"""Tuning: a split's choice of candidate, subset size and SVM cell, from accuracies alone.

The accuracies of a candidate are an array of shape (n_sizes, n_C, n_gamma). Where several places
tie, the first candidate is chosen, then the smallest subset, then the first cell in scikit-learn's
order, in which gamma varies fastest.
"""

from dataclasses import dataclass

import numpy as np

from experiments.evaluation.svm.grid import best_cell

# Means of the same accuracies may differ in the last digits if they were added in another order.
_TIE = 1e-10


@dataclass(frozen=True)
class Choice:
    """What one split chooses, and its accuracies there.

    Attributes
    ----------
    candidate : int
        Index of the method's parameters.
    size : int
        Index of the number of features.
    validation, test : ndarray of shape (n_sizes,)
        Accuracies for each number of features, in the cell that is best for that number.
    cells : tuple of two int arrays of shape (n_sizes,)
        Indices into C and gamma.
    """

    candidate: int
    size: int
    validation: np.ndarray
    test: np.ndarray
    cells: tuple[np.ndarray, np.ndarray]


def first_best(values) -> int:
    """The index of the largest value, or the first such index where several tie."""
    values = np.asarray(values)
    return int(np.argmax(values >= values.max() - _TIE))


def choose(validations, tests=None) -> Choice:
    """Tune a method on one split.

    Parameters
    ----------
    validations : sequence of arrays of shape (n_sizes, n_C, n_gamma)
        Mean validation accuracies of each candidate. The choice depends on nothing else.
    tests : sequence of arrays of the same shape, optional
        Test accuracies, which are read where the choice was made. Without them the test accuracies
        of the choice are NaN.

    Returns
    -------
    Choice
        The candidate with the best validation accuracy at its best number of features.
    """
    curves = [np.asarray(v).max(axis=(1, 2)) for v in validations]
    candidate = first_best([curve.max() for curve in curves])
    curve = curves[candidate]
    cells = best_cell(validations[candidate])
    at_cells = (np.arange(len(curve)), *cells)
    test = np.full(len(curve), np.nan) if tests is None else np.asarray(tests[candidate])[at_cells]
    return Choice(candidate, first_best(curve), curve, test, cells)
