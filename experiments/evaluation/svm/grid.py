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
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.utils import check_array, check_consistent_length

from experiments.evaluation.svm import smo

#: Training and test rows.
Fold = tuple[ArrayLike, ArrayLike]
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

#: Number of rows of a kernel that are computed at once, so that they fit into a core's cache.
SLAB = 64
#: Means of the same accuracies may differ in the last digits, by the order of the sum.
TIE = 1e-10

PAPER_CS = tuple(2.0**p for p in (-5, -2, 1, 4, 7, 10, 13))
PAPER_GAMMAS = tuple(2.0**p for p in (-15, -12, -9, -6, -3, 0, 3))


class PreparedFold(NamedTuple):
    """The row numbers of a fold, the classes of its training rows, and its results."""

    train: Rows
    test: Rows
    classes: NDArray
    #: The places of the training rows' labels among the classes.
    codes: Rows
    #: Whether a test row is predicted correctly: (n_test, sizes, Cs, gammas).
    right: NDArray[np.bool_]


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
    X: ArrayLike,
    y: ArrayLike,
    order: ArrayLike,
    sizes: Sequence[int],
    train: Rows,
    test: Rows,
    *,
    Cs: Sequence[float] = PAPER_CS,
    gammas: Sequence[float] = PAPER_GAMMAS,
    cells: tuple[Rows, Rows] | None = None,
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
    n_test = len(test)
    on_test = np.where(wanted, right[:n_test].mean(axis=0), np.nan)
    on_train = np.where(wanted, right[n_test:].mean(axis=0), np.nan)
    return on_test, on_train


def _right(
    X: ArrayLike,
    y: ArrayLike,
    order: ArrayLike,
    sizes: Sequence[int],
    folds: Sequence[Fold],
    Cs: Sequence[float],
    gammas: Sequence[float],
    wanted: NDArray[np.bool_],
) -> list[NDArray[np.bool_]]:
    """Return the correctly predicted test rows of each fold: (n_test, sizes, Cs, gammas).

    Only cells that are true in `wanted`, of shape (sizes, Cs, gammas), are computed.
    """
    check_consistent_length(X, y)
    costs = np.asarray(Cs, dtype=np.float64)
    scales = np.asarray(gammas, dtype=np.float64)
    for axis in (costs, scales):
        if not (len(axis) and (axis > 0).all() and np.isfinite(axis).all()):
            raise ValueError(
                f"Cs and gammas must be finite numbers above 0, at least one; got {Cs} and {gammas}"
            )
    every_row = np.asarray(X)
    used, used_folds = _used_rows(folds, len(every_row))
    values: Floats = check_array(every_row[used], dtype=np.float64)
    labels = np.asarray(y)[used]
    prepared = []
    for train, test in used_folds:
        classes, codes = np.unique(labels[train], return_inverse=True)
        right = np.zeros((len(test), *wanted.shape), dtype=bool)
        prepared.append(PreparedFold(train, test, classes, codes, right))
    # With increasing C, the solver can tell from which C on a larger one changes nothing.
    ascending = np.argsort(costs)
    solve = smo.solver()
    kernel = np.empty((len(values), len(values)))
    for s, squared in enumerate(nested_squared_distances(values, order, sizes)):
        for g, gamma in enumerate(scales):
            chosen = ascending[wanted[s, ascending, g]]
            if len(chosen) == 0:
                continue
            _exponential(squared, gamma, kernel)
            for fold in prepared:
                predicted = np.zeros((len(chosen), len(fold.test)), dtype=np.intp)
                if len(fold.classes) > 1:
                    chosen_costs = costs[chosen].tolist()
                    predicted = solve(kernel, fold.train, fold.codes, fold.test, chosen_costs)
                is_right = fold.classes[predicted] == labels[fold.test]
                fold.right[:, s, chosen, g] = is_right.T
    return [fold.right for fold in prepared]


def _used_rows(folds: Sequence[Fold], n_rows: int) -> tuple[Rows, list[tuple[Rows, Rows]]]:
    """Return the rows that are in a fold, and the folds as places among these rows."""
    checked = []
    for train, test in folds:
        train = _numbers(train, n_rows, "row numbers of a fold")
        test = _numbers(test, n_rows, "row numbers of a fold")
        checked.append((train, test))
    used = np.unique(np.concatenate([np.concatenate(fold) for fold in checked]))
    places = []
    for train, test in checked:
        places.append((np.searchsorted(used, train), np.searchsorted(used, test)))
    return used, places


def _exponential(squared: Floats, gamma: float, kernel: Floats) -> None:
    """Write the kernel of squared distances, slab by slab."""
    for begin in range(0, len(kernel), SLAB):
        slab = slice(begin, begin + SLAB)
        np.multiply(squared[slab], -gamma, out=kernel[slab])
        np.exp(kernel[slab], out=kernel[slab])


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
    *leading, n_Cs, n_gammas = means.shape
    cells = means.reshape(*leading, -1)
    best = cells.max(axis=-1, keepdims=True)
    first = (cells >= best - TIE).argmax(axis=-1)
    i, j = np.unravel_index(first, (n_Cs, n_gammas))
    return i, j


def nested_squared_distances(X: Floats, order: ArrayLike, sizes: Sequence[int]) -> Iterator[Floats]:
    """Yield squared Euclidean distances between the rows of ``X[:, order[:size]]`` for each size.

    They are sums of squared differences, not computed from a Gram matrix, so that the distance of
    two equal rows is exactly 0. Each has shape (n_samples, n_samples).
    """
    n_samples, n_features = X.shape
    columns = _numbers(order, n_features, "column numbers, the order,")
    ends = _numbers(sizes, len(columns) + 1, "sizes")
    growth = np.diff(ends.astype(np.int64))
    if ends[0] < 1 or (growth <= 0).any():
        raise ValueError(f"sizes must increase from 1 on, each given once; got {sizes}")
    if len(np.unique(columns)) < len(columns):
        raise ValueError(f"order must have each column at most once; got {columns}")
    condensed: Floats = np.zeros(n_samples * (n_samples - 1) // 2)
    for begin, end in pairwise([0, *ends]):
        added = X[:, columns[begin:end]]
        condensed += pdist(added, "sqeuclidean")
        yield squareform(condensed)


def _numbers(values: ArrayLike, end: int, what: str) -> NDArray[np.intp]:
    """Return an array of one or more ints in 0..end - 1."""
    numbers = np.asarray(values)
    if numbers.ndim != 1 or len(numbers) == 0 or numbers.dtype.kind not in "iu":
        raise ValueError(f"{what} must be ints, at least one; got {values!r}")
    if numbers.min() < 0 or numbers.max() >= end:
        raise ValueError(f"{what} must lie in 0..{end - 1}; got {numbers.min()}..{numbers.max()}")
    return numbers
