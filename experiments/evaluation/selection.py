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
    candidates : ndarray of int of shape (n_sizes,)
        Index of the method's parameters for each number of features.
    size : int
        Index of the number of features.
    validation, test : ndarray of shape (n_sizes,)
        Accuracies for each number of features, in the cell that is best for that number.
    cells : tuple of two int arrays of shape (n_sizes,)
        Indices into C and gamma.
    """

    candidates: np.ndarray
    size: int
    validation: np.ndarray
    test: np.ndarray
    cells: tuple[np.ndarray, np.ndarray]

    @property
    def candidate(self) -> int:
        """Index of the method's parameters for the number of features that is chosen."""
        return int(self.candidates[self.size])


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
    candidates = np.full(len(curve), candidate)
    return Choice(candidates, first_best(curve), curve, test, cells)


def choose_by_training(validations, trainings, tests) -> Choice:
    """Tune a method on one split as the paper's version of 2023 does, anew at each size.

    The SVM's cell has the best validation accuracy of its candidate and number of features. The
    candidate has the best *training* accuracy in that cell.

    Parameters
    ----------
    validations, trainings, tests : sequences of arrays of shape (n_sizes, n_C, n_gamma)
        Accuracies of each candidate: mean validation accuracies, and those of the SVMs on all
        training rows, on these rows and on the test rows. The choice does not depend on the last.

    Returns
    -------
    Choice
        Its number of features has the best validation accuracy.
    """
    alone = [choose([v], [t]) for v, t in zip(validations, trainings, strict=True)]
    sizes = np.arange(len(alone[0].validation))
    # The attribute `test` holds training accuracies here.
    candidates = np.array([first_best([one.test[i] for one in alone]) for i in sizes])
    curve = np.array([alone[c].validation[i] for i, c in enumerate(candidates)])
    i, j = (
        np.array([alone[c].cells[axis][s] for s, c in enumerate(candidates)]) for axis in (0, 1)
    )
    return Choice(
        candidates, first_best(curve), curve, np.asarray(tests)[candidates, sizes, i, j], (i, j)
    )
