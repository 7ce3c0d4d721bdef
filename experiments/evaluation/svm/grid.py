"""Compute the accuracy in every cell of the SVM grid, over nested feature subsets.

The feature subsets of a ranking are its first features, in increasing number. The squared
distances of a subset are therefore those of the smaller subset plus those in the added features.
For each gamma, one exponential gives the kernel, and all folds use their rows of it.
Every accuracy is that of ``SVC(kernel="rbf", C=C, gamma=gamma)`` fitted on the training rows and
those features, as ``GridSearchCV`` computes it cell by cell. The grid is that of Cohen, Shnitzer,
Kluger and Talmon (2022), arXiv 2207.08574.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.utils import check_array, check_consistent_length

from experiments.evaluation.svm import smo

#: Training and test rows.
Fold = tuple[ArrayLike, ArrayLike]
Floats = NDArray[np.float64]

#: Number of rows of a kernel that are computed at once, so that they fit into a core's cache.
SLAB = 64
#: Means of the same accuracies may differ in the last digits, by the order of the sum.
TIE = 1e-10

PAPER_CS = tuple(2.0**p for p in (-5, -2, 1, 4, 7, 10, 13))
PAPER_GAMMAS = tuple(2.0**p for p in (-15, -12, -9, -6, -3, 0, 3))


def cv_accuracies(
    X: ArrayLike,
    y: ArrayLike,
    order: ArrayLike,
    sizes: Sequence[int],
    folds: Sequence[Fold],
    *,
    Cs: Sequence[float] = PAPER_CS,
    gammas: Sequence[float] = PAPER_GAMMAS,
) -> Floats:
    """Compute the accuracy for every fold, subset size, C and gamma.

    Parameters
    ----------
    X : array (n_samples, n_features)
        The features, already scaled for the SVM. Only the rows of the folds are used, and they must
        be finite.
    y : array (n_samples,)
        Labels of two classes or more.
    order : array (at least max(sizes),)
        Distinct column numbers of `X`, the best first.
    sizes : increasing sequence of ints in 1..n_features
        Each size stands for the subset ``order[:size]``.
    folds : sequence of (train, test)
        Row numbers of `X`, at least one each. They may overlap: with ``test = train`` the result is
        the training accuracy.
    Cs, gammas : sequences of floats > 0
        The grid; the default is the paper's.

    Returns
    -------
    ndarray of shape (len(folds), len(sizes), len(Cs), len(gammas))
        Accuracies in [0, 1]. If all training rows have one class, which SVC does not accept, that
        class is predicted in every cell.
    """
    wanted = np.full((len(sizes), len(Cs), len(gammas)), True)
    of_folds = _right(X, y, order, sizes, folds, Cs, gammas, wanted)
    return np.array([right.mean(axis=0) for right in of_folds])


def refit_accuracies(
    X, y, order, sizes, train, test, *, Cs=PAPER_CS, gammas=PAPER_GAMMAS, cells=None
) -> tuple[Floats, Floats]:
    """Return the accuracies of the SVMs fitted on `train`, on the rows `test` and `train`.

    Parameters
    ----------
    X, y, order, sizes, Cs, gammas
        As of :func:`cv_accuracies`.
    train, test : array of int
    cells : tuple of two arrays of int of shape (len(sizes),), optional
        The only cell to fit for each size, from :func:`best_cell`; all other accuracies are NaN.
        The fitted cells have the same bits as without this argument.

    Returns
    -------
    tuple of two ndarrays (len(sizes), len(Cs), len(gammas))
        Each SVM is fitted once for both.
    """
    wanted = np.full((len(sizes), len(Cs), len(gammas)), cells is None)
    if cells is not None:
        wanted[np.arange(len(sizes)), *cells] = True
    fold = train, np.concatenate([test, train])
    (right,) = _right(X, y, order, sizes, [fold], Cs, gammas, wanted)
    on_test, on_train = (
        np.where(wanted, part.mean(axis=0), np.nan) for part in np.split(right, [len(test)])
    )
    return on_test, on_train


def _right(X, y, order, sizes, folds, Cs, gammas, wanted) -> list[NDArray[np.bool_]]:
    """Return the correctly predicted test rows of each fold: (n_test, sizes, Cs, gammas).

    Only cells that are true in `wanted`, of shape (sizes, Cs, gammas), are computed.
    """
    check_consistent_length(X, y)
    costs, scales = np.asarray(Cs, dtype=np.float64), np.asarray(gammas, dtype=np.float64)
    if not all(
        len(axis) and (axis > 0).all() and np.isfinite(axis).all() for axis in (costs, scales)
    ):
        raise ValueError(
            f"Cs and gammas must be finite numbers above 0, at least one; got {Cs} and {gammas}"
        )
    folds = [[_numbers(rows, len(X), "row numbers of a fold") for rows in fold] for fold in folds]
    used = np.unique(np.concatenate([rows for fold in folds for rows in fold]))
    X, y = check_array(np.asarray(X)[used], dtype=np.float64), np.asarray(y)[used]
    folds = [[np.searchsorted(used, rows) for rows in fold] for fold in folds]
    labels = [np.unique(y[train], return_inverse=True) for train, _ in folds]
    # With increasing C, the solver can tell from which C on a larger one changes nothing.
    ascending, solve = np.argsort(costs), smo.solver()
    results = [np.zeros((len(test), *wanted.shape), dtype=bool) for _, test in folds]
    kernel = np.empty((len(X), len(X)))
    for s, squared in enumerate(nested_squared_distances(X, order, sizes)):
        for g, gamma in enumerate(scales):
            some = ascending[wanted[s, ascending, g]]
            if len(some) == 0:
                continue
            for begin in range(0, len(X), SLAB):
                slab = slice(begin, begin + SLAB)
                np.exp(np.multiply(squared[slab], -gamma, out=kernel[slab]), out=kernel[slab])
            for right, (train, test), (classes, codes) in zip(results, folds, labels, strict=True):
                predicted = np.zeros((len(some), len(test)), dtype=np.intp)
                if len(classes) > 1:
                    predicted = solve(kernel, train, codes, test, costs[some].tolist())
                right[:, s, some, g] = (classes[predicted] == y[test]).T
    return results


def best_cell(mean_accuracies: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices (into Cs, into gammas) of the best mean accuracy, the first in a tie.

    The first has the smallest index of C, and then the smallest index of gamma, as in
    scikit-learn's ``ParameterGrid``. Means that differ by at most 1e-10 tie, because the order of a
    sum must not decide; different means of accuracies are further apart.

    Parameters
    ----------
    mean_accuracies : array (..., n_Cs, n_gammas)

    Returns
    -------
    tuple of two int arrays (...)
    """
    means = np.asarray(mean_accuracies, dtype=np.float64)
    flat = means.reshape(*means.shape[:-2], -1)
    first = (flat >= flat.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1)
    i, j = np.unravel_index(first, means.shape[-2:])
    return i, j


def nested_squared_distances(X, order, sizes) -> Iterator[Floats]:
    """Yield squared Euclidean distances between the rows of ``X[:, order[:size]]`` for each size.

    They are sums of squared differences, not computed from a Gram matrix, so that the distance of
    two equal rows is exactly 0. Each has shape (n_samples, n_samples).
    """
    order = _numbers(order, X.shape[1], "column numbers, the order,")
    ends = _numbers(sizes, len(order) + 1, "sizes")
    if ends[0] < 1 or (np.diff(ends.astype(np.int64)) <= 0).any():
        raise ValueError(f"sizes must increase from 1 on, each given once; got {sizes}")
    if len(np.unique(order)) < len(order):
        raise ValueError(f"order must have each column at most once; got {order}")
    condensed: Floats = np.zeros(len(X) * (len(X) - 1) // 2)
    for begin, end in pairwise([0, *ends]):
        condensed += pdist(X[:, order[begin:end]], "sqeuclidean")
        yield squareform(condensed)


def _numbers(values, end: int, what: str) -> NDArray[np.intp]:
    """Return an array of one or more ints in 0..end - 1."""
    numbers = np.asarray(values)
    if numbers.ndim != 1 or len(numbers) == 0 or numbers.dtype.kind not in "iu":
        raise ValueError(f"{what} must be ints, at least one; got {values!r}")
    if numbers.min() < 0 or numbers.max() >= end:
        raise ValueError(f"{what} must lie in 0..{end - 1}; got {numbers.min()}..{numbers.max()}")
    return numbers
