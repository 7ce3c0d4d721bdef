"""Evaluate a ranking by the accuracy of an SVM on its nested subsets."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from experiments.cache import Cache, Row, key_of
from experiments.evaluation.division import Division
from experiments.evaluation.svm.grid import best_cell, cv_accuracies, refit_accuracies

#: Test rows whose kernel is computed at once.
ROWS = 4000


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
        axes = {"Cs": self.log2_C, "gammas": self.log2_gamma}
        return {name: [2.0**p for p in powers] for name, powers in axes.items()}

    def __call__(self, problem: Any, X, y, division: Division, order, cache: Cache) -> Row:
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
        d, parts = X.shape[1], []
        fewer, every = [n for n in self.sizes if n < d], [n for n in self.sizes if n == d]
        for sizes, best in ((fewer, order[: max(fewer, default=0)]), (every, np.arange(d))):
            if sizes:
                at = {"problem": problem, "sizes": sizes, "order": joblib.hash(best)}
                compute = partial(self.accuracies, X, y, division, best, sizes)
                parts.append(cache.row(key_of("accuracies", **at), compute))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def accuracies(self, X, y, division: Division, order, sizes) -> Row:
        """Return the same as :meth:`__call__` for an order of features and given sizes."""
        at = (X, y, order, sizes)
        if not division.folds:
            return {"test": cv_accuracies(*at, [(division.train, division.test)], **self.cells)[0]}
        validation = cv_accuracies(*at, division.folds, **self.cells).mean(axis=0)
        best = None if self.refits_all else best_cell(validation)
        test, train = refit_accuracies(*at, division.train, division.test, cells=best, **self.cells)
        return {"test": test, "train": train, "validation": validation}


@dataclass(frozen=True)
class SvmBestCell(SvmGrid):
    """Compute the accuracy of an SVM in its best cell, for few training and many test rows.

    "validation" is as in :class:`SvmGrid`. "test" is NaN except in the best cell of each size.
    """

    def accuracies(self, X, y, division: Division, order, sizes) -> Row:
        """Return the same as :meth:`SvmGrid.accuracies`, without "train"."""
        validation = cv_accuracies(X, y, order, sizes, division.folds, **self.cells).mean(axis=0)
        test = np.full(validation.shape, np.nan)
        for i, (size, c, g) in enumerate(zip(sizes, *best_cell(validation), strict=True)):
            cell = {"C": 2.0 ** self.log2_C[c], "gamma": 2.0 ** self.log2_gamma[g]}
            columns = X[:, order[:size]]
            test[i, c, g] = held_out_accuracy(columns, y, division.train, division.test, **cell)
        return {"validation": validation, "test": test}


@dataclass(frozen=True)
class LogisticGrid(SvmGrid):
    """Compute the accuracies of logistic regression with an L2 penalty at each C.

    It has no gamma; `log2_gamma` has one value, which is ignored.
    """

    def accuracies(self, X, y, division: Division, order, sizes) -> Row:
        """Return the same as :meth:`SvmGrid.accuracies`."""
        parts = [X[:, order[:size]] for size in sizes]
        models = [LogisticRegression(C=C, max_iter=1000) for C in self.cells["Cs"]]

        def of(train, *others):
            """Accuracies on each of the other rows, (n_sizes, n_C, 1)."""
            found = np.empty((len(others), len(parts), len(models), 1))
            for i, part in enumerate(parts):
                for j, model in enumerate(models):
                    model.fit(part[train], y[train])
                    found[:, i, j, 0] = [model.score(part[rows], y[rows]) for rows in others]
            return found

        test, train = of(division.train, division.test, division.train)
        if not division.folds:
            return {"test": test}
        validation = np.mean([of(*fold)[0] for fold in division.folds], axis=0)
        return {"test": test, "train": train, "validation": validation}


#: `protocol.evaluator` of the arena -> evaluator.
EVALUATORS = {"svm": SvmGrid, "logistic": LogisticGrid}


def held_out_accuracy(X, y, train, test, *, C: float, gamma: float) -> float:
    """Return the accuracy on `test` of ``SVC(C=C, gamma=gamma)`` fitted on `train`.

    A matrix product computes the kernel of many test rows at once. This takes a third of the time
    of libsvm, which computes one row after the other.
    """
    svm = SVC(kernel="precomputed", C=C).fit(rbf_kernel(X[train], gamma=gamma), y[train])
    right = 0
    for start in range(0, len(test), ROWS):
        some = test[start : start + ROWS]
        predicted = svm.predict(rbf_kernel(X[some], X[train], gamma=gamma))
        right += int(np.count_nonzero(predicted == y[some]))
    return right / len(test)
