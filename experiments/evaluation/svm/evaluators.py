"""Evaluate a ranking by the accuracy of an SVM on its nested subsets."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import joblib
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from experiments.cache import Cache, Row, key_of
from experiments.evaluation.division import Division
from experiments.evaluation.svm.grid import best_cell, cv_accuracies, refit_accuracies
from experiments.evaluation.tuning import cross_validated

#: Test rows whose kernel is computed at once.
ROWS = 4000


class Subsets(NamedTuple):
    """Samples and nested subsets of their features: of each size the first ones of an order."""

    X: np.ndarray
    y: np.ndarray
    order: np.ndarray
    sizes: Sequence[int]


@dataclass(frozen=True)
class SvmGrid:
    """Compute the accuracies of an SVM in all cells of its grid, at several numbers of features.

    All cells are recorded; a tuning chooses from these arrays afterwards. Equal rankings of the
    same rows, by any method, are evaluated only once, and so is the set of all features.
    """

    #: Increasing numbers of features, at most the number of all features.
    sizes: tuple[int, ...]
    log2_C: tuple[float, ...]
    log2_gamma: tuple[float, ...]
    #: True if all cells are fitted on the whole training part, as the tuning "nested" needs; False
    #: if only the best by validation is, for each number of features.
    refits_all: bool = False

    @property
    def cells(self) -> dict[str, Any]:
        """Return the grid as arguments for :mod:`experiments.evaluation.svm.grid`."""
        return {
            "Cs": [2.0**power for power in self.log2_C],
            "gammas": [2.0**power for power in self.log2_gamma],
        }

    def __call__(
        self,
        problem: Any,
        X: np.ndarray,
        y: np.ndarray,
        division: Division,
        order: np.ndarray,
        cache: Cache,
    ) -> Row:
        """Return accuracies of shape (n_sizes, n_C, n_gamma).

        `problem` has the determinants of X, y, the division and this grid, as JSON values.

        Returns
        -------
        Row
            "test": on the test rows. If the division has inner folds, also "train", of the same
            SVMs on their training rows, and "validation", the mean over the folds with the same
            ranking. Unless all cells are refitted, the first two are NaN except in the best of each
            size.
        """
        n_features = X.shape[1]
        fewer = [size for size in self.sizes if size < n_features]
        every = [n_features] if n_features in self.sizes else []
        best = order[: max(fewer, default=0)]
        rows = []
        for sizes, columns in ((fewer, best), (every, np.arange(n_features))):
            if sizes:
                digest = joblib.hash(columns)
                key = key_of("accuracies", problem=problem, sizes=sizes, order=digest)
                compute = partial(self.accuracies, Subsets(X, y, columns, sizes), division)
                rows.append(cache.row(key, compute))
        accuracies = {}
        for name in rows[0]:
            accuracies[name] = np.concatenate([row[name] for row in rows])
        return accuracies

    def accuracies(self, subsets: Subsets, division: Division) -> Row:
        """Return the same as :meth:`__call__` for these subsets."""
        train, test, folds = division.train, division.test, division.folds
        if not folds:
            (accuracies,) = cv_accuracies(*subsets, [(train, test)], **self.cells)
            return {"test": accuracies}
        validation = cv_accuracies(*subsets, folds, **self.cells).mean(axis=0)
        best = None if self.refits_all else best_cell(validation)
        on_test, on_train = refit_accuracies(*subsets, train, test, cells=best, **self.cells)
        return {"test": on_test, "train": on_train, "validation": validation}


@dataclass(frozen=True)
class SvmBestCell(SvmGrid):
    """Compute the accuracy of an SVM in its best cell, for few training and many test rows.

    "validation" is as in :class:`SvmGrid`. "test" is NaN except in the best cell of each size.
    """

    def accuracies(self, subsets: Subsets, division: Division) -> Row:
        """Return the same as :meth:`SvmGrid.accuracies`, without "train"."""
        X, y, order, sizes = subsets
        validation = cv_accuracies(*subsets, division.folds, **self.cells).mean(axis=0)
        best_C, best_gamma = best_cell(validation)
        test = np.full(validation.shape, np.nan)
        for i, size in enumerate(sizes):
            c = best_C[i]
            g = best_gamma[i]
            cell = {"C": 2.0 ** self.log2_C[c], "gamma": 2.0 ** self.log2_gamma[g]}
            columns = X[:, order[:size]]
            test[i, c, g] = held_out_accuracy(columns, y, division.train, division.test, **cell)
        return {"validation": validation, "test": test}


@dataclass(frozen=True)
class LogisticGrid(SvmGrid):
    """Compute the accuracies of logistic regression with an L2 penalty at each C.

    It has no gamma; `log2_gamma` has one value, which is ignored.
    """

    def accuracies(self, subsets: Subsets, division: Division) -> Row:
        """Return the same as :meth:`SvmGrid.accuracies`."""
        X, y, order, sizes = subsets
        parts = [X[:, order[:size]] for size in sizes]
        models = [LogisticRegression(C=C, max_iter=1000) for C in self.cells["Cs"]]

        def accuracies(train: np.ndarray, *tests: np.ndarray) -> np.ndarray:
            """Accuracies on each group of test rows, (n_sizes, n_C, 1)."""
            table = np.empty((len(tests), len(parts), len(models), 1))
            for i, columns in enumerate(parts):
                for j, model in enumerate(models):
                    model.fit(columns[train], y[train])
                    for k, test in enumerate(tests):
                        table[k, i, j, 0] = model.score(columns[test], y[test])
            return table

        on_test, on_train = accuracies(division.train, division.test, division.train)
        if not division.folds:
            return {"test": on_test}
        (validation,) = cross_validated(division.folds, accuracies)
        return {"test": on_test, "train": on_train, "validation": validation}


#: `protocol.evaluator` of the arena -> evaluator.
EVALUATORS = {"svm": SvmGrid, "logistic": LogisticGrid}


def held_out_accuracy(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, *, C: float, gamma: float
) -> float:
    """Return the accuracy on `test` of ``SVC(C=C, gamma=gamma)`` fitted on `train`.

    A matrix product computes the kernel of many test rows at once. This takes a third of the time
    of libsvm, which computes one row after the other.
    """
    kernel = rbf_kernel(X[train], gamma=gamma)
    svm = SVC(kernel="precomputed", C=C).fit(kernel, y[train])
    n_right = 0
    for start in range(0, len(test), ROWS):
        rows = test[start : start + ROWS]
        kernel = rbf_kernel(X[rows], X[train], gamma=gamma)
        is_right = svm.predict(kernel) == y[rows]
        n_right += int(np.count_nonzero(is_right))
    return n_right / len(test)
