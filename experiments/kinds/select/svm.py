"""Scores of classes by an SVM with weighted classes, in each cell of a small grid."""

import ctypes
from functools import cache
from itertools import combinations

import numpy as np
from sklearn.svm import SVC

from experiments.evaluation.svm import build, smo

#: Classes are weighted if the smallest is below this share of an equal one: a quarter of two.
LEAST = 0.5


@cache
def _path() -> smo.PathSolver:
    """The compiled steps of libsvm, or SVC if they are not compiled or do not reproduce it."""
    library = build.library()
    if library.exists():
        try:
            path = smo.bind(ctypes.CDLL(str(library)))
            smo.prove(path)
            return path
        except (OSError, AttributeError, ArithmeticError):
            pass
    return _public


def _public(kernel, train, first, test, Cs):
    codes = np.arange(len(train)) >= first
    svms = [SVC(kernel="precomputed", C=C).fit(kernel[np.ix_(train, train)], codes) for C in Cs]
    return (-np.array([svm.decision_function(kernel[np.ix_(test, train)]) for svm in svms]),)


def class_scores(squared, y, train, test, n_classes, Cs, gammas) -> np.ndarray:
    """Scores of the classes of test rows; the class with the largest is the prediction.

    One SVM for each pair of classes, with the kernel ``exp(-gamma squared)``. A class has as many
    votes as pairs that it wins, and a part below 1/3 that grows with the sum of its decisions, as
    in scikit-learn's one-versus-rest decisions. If the smallest class is below half of an equal
    share of the training rows, the rows of the smaller class of a pair count as often as makes both
    about equal; a row that is given w times is a row whose errors cost w C.

    Parameters
    ----------
    squared : ndarray of shape (n_samples, n_samples)
        Squared distances.
    y : ndarray of int (n_samples,)
    train, test : ndarray of int
    n_classes : int
    Cs, gammas : sequences of float
        Increasing.

    Returns
    -------
    ndarray of shape (len(gammas) * len(Cs), n_test, n_classes)
        A class without training rows has -1.
    """
    rows = {label: train[y[train] == label] for label in range(n_classes)}
    present = [label for label in rows if len(rows[label])]
    is_weighted = min(len(rows[c]) for c in present) < LEAST * len(train) / len(present)
    found = np.full((len(gammas), len(Cs), len(test), n_classes), -1.0)
    for g, gamma in enumerate(gammas):
        kernel = np.exp(-gamma * squared)
        votes = np.zeros((len(Cs), len(test), n_classes))
        sums = np.zeros_like(votes)
        for a, b in combinations(present, 2):
            parts = [rows[a], rows[b]]
            if is_weighted:
                largest = max(map(len, parts))
                parts = [np.repeat(part, round(largest / len(part))) for part in parts]
            pair = np.concatenate(parts)
            decisions = _path()(kernel, pair, len(parts[0]), test, Cs)[-1]
            votes[..., a] += decisions > 0
            votes[..., b] += decisions <= 0
            sums[..., a] += decisions
            sums[..., b] -= decisions
        total = votes + sums / (3 * (np.abs(sums) + 1))
        found[g][..., present] = total[..., present]
    return found.reshape(-1, len(test), n_classes)
