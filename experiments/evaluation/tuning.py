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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.cache import Row
from experiments.evaluation.division import Folds
from experiments.evaluation.svm.grid import TIE, best_cell


@dataclass(frozen=True)
class Choice:
    """The choice of one split, and its accuracies there; all arrays have the shape (n_sizes,)."""

    #: Index of the method's parameters for each number of features.
    candidates: np.ndarray
    #: Index of the number of features that is chosen.
    size: int
    #: Index of the best number of features, without all of them under a tuning that may take all.
    subset: int
    #: Accuracies for each number of features, in the cell that is best for that number.
    validation: np.ndarray
    test: np.ndarray
    #: Indices of that cell into C and gamma.
    cells: tuple[np.ndarray, np.ndarray]

    @property
    def candidate(self) -> int:
        """Index of the method's parameters for the number of features that is chosen."""
        return int(self.candidates[self.size])


def first_best(values: npt.ArrayLike) -> int:
    """Index of the largest value, the first one if several tie."""
    values = np.asarray(values)
    return int(np.argmax(values >= values.max() - TIE))


def cross_validated(folds: Folds, evaluate: Callable[[np.ndarray, np.ndarray], Any]) -> np.ndarray:
    """Return the mean over inner folds of the accuracies of all choices.

    ``evaluate(train, test)`` returns them for the rows of a fold, as an array of any shape, in
    which an earlier place wins a tie (see :func:`first_best`).
    """
    return np.mean([evaluate(train, test) for train, test in folds], axis=0)


def choose(
    validations: npt.ArrayLike,
    tests: npt.ArrayLike | None = None,
    trainings: npt.ArrayLike | None = None,
    *,
    or_all: bool = False,
) -> Choice:
    """The candidate with the best validation accuracy at its best number of features.

    Parameters
    ----------
    validations : array of shape (n_candidates, n_sizes, n_C, n_gamma)
        Mean validation accuracies. The choice depends on nothing else, but for `trainings`.
    tests : array of the same shape, optional
        Test accuracies, read at the choice, which are NaN without them.
    trainings : array of the same shape, optional
        Accuracies on the training rows. With them the choice is that of the paper's version of
        2023: at each number of features, the candidate with the best training accuracy in the cell
        of its own best validation accuracy.
    or_all : bool
        True if the last of several sizes is all features. It is chosen only if it is better than
        the choice among the others.
    """
    validations = np.asarray(validations)
    best_C, best_gamma = best_cell(validations)
    curves = validations.max(axis=(2, 3))
    n_candidates, n_sizes = curves.shape
    sizes = np.arange(n_sizes)
    subsets = sizes[:-1] if or_all and n_sizes > 1 else sizes
    if trainings is None:
        best_means = curves[:, subsets].max(axis=1)
        candidates = np.full(n_sizes, first_best(best_means))
    else:
        every = np.arange(n_candidates)[:, None]
        trained = np.asarray(trainings)[every, sizes, best_C, best_gamma]
        candidates = np.array([first_best(accuracies) for accuracies in trained.T])
    curve = curves[candidates, sizes]
    cells = (best_C[candidates, sizes], best_gamma[candidates, sizes])
    test = np.full(n_sizes, np.nan)
    if tests is not None:
        test = np.asarray(tests)[candidates, sizes, *cells]
    subset = first_best(curve[subsets])
    all_are_better = curve[-1] > curve[subset] + TIE
    size = n_sizes - 1 if all_are_better else subset
    return Choice(candidates, size, subset, curve, test, cells)


@dataclass(frozen=True)
class Tuning:
    """A rule that chooses one of a method's candidates on a split.

    Candidates are given as rows, which have "test", "train" and "validation" (see
    :class:`experiments.evaluation.svm.evaluators.SvmGrid`): each has the rows of a group of
    problems, from :meth:`groups`.
    """

    name: str
    #: True if features are ranked anew in every inner fold.
    ranks_folds: bool = False
    #: True if candidates are chosen by their accuracy on the training rows.
    by_training: bool = False
    #: The accuracy, "validation" or "test", whose mean over all splits chooses one candidate for
    #: them; each split chooses its own if empty.
    pooled: str = ""
    #: True if a split may take all features, the last size, in place of its choice.
    or_all: bool = False

    def first(self) -> "Tuning":
        """The tuning that tunes the parts of a sum that are tuned first."""
        # A part has one value for all numbers of features, so that no further tasks are needed.
        return PAPER if self.by_training else self

    def groups(self, splits: list) -> list[list]:
        """The problems that are tuned together: all splits, or each split with its inner folds."""
        if self.pooled:
            return [splits]
        groups = []
        for split in splits:
            folds = split.folds if self.ranks_folds else []
            groups.append([split, *folds])
        return groups

    def choices(self, candidates: Sequence[Sequence[Row]]) -> list[Choice]:
        """The choice of each split of a group."""
        if self.pooled:
            return self._pooled_choices(candidates)
        validations = []
        tests = []
        trainings = []
        for split, *folds in candidates:
            tests.append(split["test"])
            if self.ranks_folds:
                inside = [fold["test"] for fold in folds]
                validations.append(np.mean(inside, axis=0))
            else:
                validations.append(split["validation"])
            if self.by_training:
                trainings.append(split["train"])
        choice = choose(validations, tests, trainings or None, or_all=self.or_all)
        return [choice]

    def _pooled_choices(self, candidates: Sequence[Sequence[Row]]) -> list[Choice]:
        """The choice of each split with the candidate that has the best mean over all splits."""
        choices_by_candidate = []
        best_means = []
        for rows in candidates:
            choices = [choose([row["validation"]], [row["test"]]) for row in rows]
            curves = [getattr(choice, self.pooled) for choice in choices]
            mean_curve = np.mean(curves, axis=0)
            choices_by_candidate.append(choices)
            best_means.append(mean_curve.max())
        best = first_best(best_means)
        chosen = choices_by_candidate[best]
        return [replace(choice, candidates=choice.candidates + best) for choice in chosen]

    def candidate(self, candidates: Sequence[Sequence[Row]]) -> int:
        """Index of the candidate that is chosen."""
        return self.choices(candidates)[0].candidate


PAPER = Tuning("paper")
#: Name -> tuning.
TUNINGS = {
    tuning.name: tuning
    for tuning in (
        PAPER,
        Tuning("icml", by_training=True),
        Tuning("nested", ranks_folds=True),
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
    pooled: str = "correct"
    n_selected: int | None = None

    def selected(self, row: Row) -> np.ndarray:
        """The selected features, ascending."""
        n_selected = self.n_selected or len(row["relevant"])
        return np.sort(row["order"][:n_selected])

    def n_correct(self, row: Row) -> int:
        """Number of relevant features among the selected."""
        return len(np.intersect1d(self.selected(row), row["relevant"]))

    def candidate(self, candidates: Sequence[Sequence[Row]]) -> int:
        """Index of the candidate with the most correct selections, the first if several tie."""
        totals = []
        for rows in candidates:
            n_correct = [self.n_correct(row) for row in rows]
            totals.append(sum(n_correct))
        return int(np.argmax(totals))
