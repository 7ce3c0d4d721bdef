"""Tune methods: choose candidate, number of features and SVM cell from accuracies alone.

``paper``: the ranking is made from the whole training part. The SVM's cell and the method's own
parameters are tuned by cross-validation inside it, so that the ranking has seen the validation
rows. The headline is the best mean test accuracy over the numbers of features, which the test rows
themselves choose. ``icml``, after the paper's version of 2023: as ``paper``, but the method's
parameters have the best accuracy on the training rows, anew at each number of features. ``nested``:
features are ranked again inside every inner fold. The method's parameters, the number of features
and the SVM's cell are chosen there, together; the ranking is then made from the whole training part
and tested once. ``once`` and ``oracle`` read the tasks of ``paper``: all splits have the same
candidate, the one with the best mean validation accuracy over the splits, or with the best mean
*test* accuracy, which is what a choice that sees all test rows could reach. The SVM's cell is still
chosen split by split. Generated samples have a tuning of their own, :class:`KnownFeatures`.

The accuracies of a candidate are an array of shape (n_sizes, n_C, n_gamma). If several places tie,
the first candidate is chosen, then the smallest subset, then the first cell in scikit-learn's
order, in which gamma varies fastest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.cache import Row
from experiments.evaluation.svm.grid import TIE, best_cell


@dataclass(frozen=True)
class Choice:
    """The choice of one split, and its accuracies there; all arrays have the shape (n_sizes,)."""

    #: Index of the method's parameters for each number of features.
    candidates: np.ndarray
    #: Index of the number of features that is chosen.
    size: int
    #: Accuracies for each number of features, in the cell that is best for that number.
    validation: np.ndarray
    test: np.ndarray
    #: Indices of that cell into C and gamma.
    cells: tuple[np.ndarray, np.ndarray]

    @property
    def candidate(self) -> int:
        """Index of the method's parameters for the number of features that is chosen."""
        return int(self.candidates[self.size])


def first_best(values) -> int:
    """Index of the largest value, the first one if several tie."""
    values = np.asarray(values)
    return int(np.argmax(values >= values.max() - TIE))


def choose(validations, tests=None) -> Choice:
    """The candidate with the best validation accuracy at its best number of features.

    Parameters
    ----------
    validations : sequence of arrays of shape (n_sizes, n_C, n_gamma)
        Mean validation accuracies of each candidate. The choice depends on nothing else.
    tests : sequence of arrays of the same shape, optional
        Test accuracies, read at the choice, which are NaN without them.
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
    """The choice as the paper's version of 2023 makes it, anew at each number of features.

    The SVM's cell has the best validation accuracy of its candidate and number of features. The
    candidate has the best *training* accuracy in that cell. The number of features has the best
    validation accuracy.

    Parameters
    ----------
    validations, trainings, tests : sequences of arrays of shape (n_sizes, n_C, n_gamma)
        Accuracies of each candidate: mean validation accuracies, and those of the SVMs on all
        training rows, on these rows and on the test rows. The choice does not depend on the last.
    """
    alone = [choose([v], [t]) for v, t in zip(validations, trainings, strict=True)]
    sizes = np.arange(len(alone[0].validation))
    # The attribute `test` holds training accuracies here.
    candidates = np.array([first_best([one.test[i] for one in alone]) for i in sizes])
    curve = np.array([alone[c].validation[i] for i, c in enumerate(candidates)])
    i, j = (
        np.array([alone[c].cells[axis][s] for s, c in enumerate(candidates)]) for axis in (0, 1)
    )
    test = np.asarray(tests)[candidates, sizes, i, j]
    return Choice(candidates, first_best(curve), curve, test, (i, j))


@dataclass(frozen=True)
class Tuning:
    """A rule that chooses one of a method's candidates on a split."""

    name: str
    #: True if features are ranked anew in every inner fold.
    ranks_folds: bool = False
    #: True if candidates are chosen by their accuracy on the training rows.
    by_training: bool = False
    #: The accuracy, "validation" or "test", whose mean over all splits chooses one candidate for
    #: them; each split chooses its own if empty.
    pooled: str = ""

    def first(self) -> "Tuning":
        """The tuning that tunes the parts of a sum that are tuned first."""
        # A part has one value for all numbers of features, so that no further tasks are needed.
        return PAPER if self.by_training else self

    def choose(self, candidates: Sequence[Sequence[Row]]) -> Choice:
        """The choice among candidates, each with the row of the whole training part and of folds.

        The rows have "test", "train" and "validation"; see
        :class:`experiments.evaluation.svm.evaluators.SvmGrid`.
        """
        validations = [inside(rows) for rows in candidates]
        tests = [rows[0]["test"] for rows in candidates]
        if self.by_training:
            return choose_by_training(validations, [rows[0]["train"] for rows in candidates], tests)
        return choose(validations, tests)

    def candidate(self, candidates: Sequence[Sequence[Row]]) -> int:
        """Index of the candidate that is chosen; if pooled, the rows are those of all splits."""
        if not self.pooled:
            return self.choose(candidates).candidate
        means = [
            np.mean([getattr(self.choose([[row]]), self.pooled) for row in rows], axis=0)
            for rows in candidates
        ]
        return first_best([curve.max() for curve in means])


def inside(rows):
    """Accuracies inside the training part: over folds that ranked anew, or of the one ranking."""
    whole, *folds = rows
    return np.mean([row["test"] for row in folds], axis=0) if folds else whole["validation"]


PAPER = Tuning("paper")
NESTED = Tuning("nested", ranks_folds=True)
#: Name -> tuning.
TUNINGS = {
    each.name: each
    for each in (
        PAPER,
        Tuning("icml", by_training=True),
        NESTED,
        Tuning("once", pooled="validation"),
        Tuning("oracle", pooled="test"),
    )
}


@dataclass(frozen=True)
class KnownFeatures(Tuning):
    """The tuning of generated samples: the most relevant features among the selected of all draws.

    It knows the relevant features, as the paper does of generated samples, so its results are the
    best that each method can reach. As many features are selected as are relevant, if `n_selected`
    is None.
    """

    name: str = "known features"
    n_selected: int | None = None

    def selected(self, row: Row, order=None) -> np.ndarray:
        """The selected features of an order, by default that of the row, ascending."""
        order = row["order"] if order is None else order
        return np.sort(order[: self.n_selected or len(row["relevant"])])

    def n_correct(self, row: Row) -> int:
        """Number of relevant features among the selected."""
        return len(np.intersect1d(self.selected(row), row["relevant"]))

    def candidate(self, candidates: Sequence[Sequence[Row]]) -> int:
        """Index of the candidate with the most correct selections, the first if several tie."""
        return int(np.argmax([sum(map(self.n_correct, rows)) for rows in candidates]))
