"""The SVM grid over nested feature subsets: the accuracy of every cell, at the price of libsvm.

Feature subsets that judge one ranking are prefixes of it, so the squared distances of a subset are
those of the one before plus the distances in the features between. One exponential for each gamma
turns them into one kernel, which all folds read by their row numbers, on several threads if wanted.
Every accuracy is that of ``SVC(kernel="rbf", C=C, gamma=gamma)`` fitted on the training rows and
those features, which is what ``GridSearchCV`` computes cell by cell; see Cohen, Shnitzer, Kluger
and Talmon (2022), arXiv 2207.08574, for the grid.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform

from experiments.evaluation.svm import libsvm

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

#: Rows of a kernel that are computed at once: few enough for a core's cache.
SLAB = 64

PAPER_CS = tuple(2.0**p for p in (-5, -2, 1, 4, 7, 10, 13))
PAPER_GAMMAS = tuple(2.0**p for p in (-15, -12, -9, -6, -3, 0, 3))


def fold_accuracies(
    X: ArrayLike,
    y: ArrayLike,
    order: ArrayLike,
    sizes: Sequence[int],
    train: ArrayLike,
    test: ArrayLike,
    *,
    Cs: Sequence[float] = PAPER_CS,
    gammas: Sequence[float] = PAPER_GAMMAS,
) -> NDArray[np.float64]:
    """Accuracy on the rows `test` of the SVMs fitted on the rows `train`, for every cell.

    The one-fold case of :func:`cv_accuracies`, which says what the arguments are.

    Returns
    -------
    ndarray (len(sizes), len(Cs), len(gammas))
    """
    return cv_accuracies(X, y, order, sizes, [(train, test)], Cs=Cs, gammas=gammas)[0]


def cv_accuracies(
    X: ArrayLike,
    y: ArrayLike,
    order: ArrayLike,
    sizes: Sequence[int],
    folds: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    Cs: Sequence[float] = PAPER_CS,
    gammas: Sequence[float] = PAPER_GAMMAS,
    n_jobs: int = 1,
) -> NDArray[np.float64]:
    """Accuracy of every fold, subset size, C and gamma.

    Parameters
    ----------
    X : array (n_samples, n_features)
        As the SVM is to see it: nothing is scaled here. Only the rows of the folds are read, and
        those must be finite.
    y : array (n_samples,)
        Class labels, of two classes or more.
    order : array (at least max(sizes),)
        Columns of `X`, best first, none twice.
    sizes : increasing sequence of ints in 1..n_features
        Each is a subset: the first `size` columns of `order`.
    folds : sequence of (train, test)
        Row numbers into `X`, neither empty. They may overlap: with ``test = train`` the result is
        the training accuracy.
    Cs, gammas : sequences of floats > 0
        The grid; by default the paper's.
    n_jobs : int > 0
        Threads that folds are shared among; the result is the same, bit by bit. Each takes memory
        for two kernels of its training rows in single precision, beside the one kernel of all.

    Returns
    -------
    ndarray (len(folds), len(sizes), len(Cs), len(gammas))
        In [0, 1]. Where the training rows are of one class only, which SVC refuses, that class is
        predicted in every cell.

    Raises
    ------
    ValueError
        If an argument is not as described.
    """
    if not isinstance(n_jobs, int) or n_jobs < 1:
        raise ValueError(f"n_jobs must be a number of threads, 1 or more; got {n_jobs!r}")
    X, y, rows = _data(X, y, folds)
    costs, scales = _positive(Cs, "Cs"), _positive(gammas, "gammas")
    # Smaller C first: that lets the solver see when C has ceased to matter.
    ascending = np.argsort(costs)
    increasing = costs[ascending].tolist()
    labels = [np.unique(y[train], return_inverse=True) for train, _ in rows]
    solve = libsvm.solver()
    kernel = np.empty((len(X), len(X)))

    def accuracies(fold: Fold, labels: tuple[NDArray, NDArray]) -> NDArray[np.float64]:
        """Of each C, by the kernel of the moment."""
        (train, test), (classes, codes) = fold, labels
        if len(classes) == 1:
            return np.full(len(costs), np.mean(y[test] == classes[0]))
        predicted = solve(kernel, train, codes.astype(np.float64), test, increasing)
        return (classes[predicted.astype(np.intp)] == y[test]).mean(axis=1)

    result = np.empty((len(rows), len(sizes), len(costs), len(scales)))
    with ThreadPoolExecutor(n_jobs) as threads:
        each = threads.map if n_jobs > 1 else map
        for s, squared in enumerate(nested_squared_distances(X, order, sizes)):
            for g, gamma in enumerate(scales):
                list(each(partial(_exponential, squared, gamma, kernel), range(0, len(X), SLAB)))
                result[:, s, ascending, g] = list(each(accuracies, rows, labels))
    return result


def best_cell(mean_accuracies: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices (into Cs, into gammas) of the best mean accuracy, the first one where several tie.

    First in the order of scikit-learn's ``ParameterGrid``: the smallest index of C, then that of
    gamma. Means that differ by less than 1e-10 are a tie: the order in which the folds were added
    up must not choose a cell, and no two different means of accuracies come that close.

    Parameters
    ----------
    mean_accuracies : array (..., n_Cs, n_gammas)

    Returns
    -------
    tuple of two int arrays (...)
    """
    means = np.asarray(mean_accuracies, dtype=np.float64)
    if means.ndim < 2 or 0 in means.shape[-2:] or not np.isfinite(means).all():
        raise ValueError(
            f"mean_accuracies must be finite with shape (..., n_Cs, n_gammas), got shape "
            f"{means.shape}{'' if np.isfinite(means).all() else ' with values that are not finite'}"
        )
    flat = means.reshape(*means.shape[:-2], -1)
    first = (flat >= flat.max(axis=-1, keepdims=True) - 1e-10).argmax(axis=-1)
    i, j = np.unravel_index(first, means.shape[-2:])
    return i, j


def nested_squared_distances(
    X: NDArray, order: ArrayLike, sizes: Sequence[int]
) -> Iterator[NDArray[np.float64]]:
    """Squared Euclidean distances between the rows of ``X[:, order[:size]]``, for each size.

    Sums of squared differences, not a Gram matrix: the distance of two equal rows is exactly 0.

    Yields
    ------
    ndarray (n_samples, n_samples)
    """
    order = np.asarray(order)
    _check_subsets(order, sizes, X.shape[1])
    condensed: NDArray[np.float64] = np.zeros(len(X) * (len(X) - 1) // 2)
    begin = 0
    for end in sizes:
        condensed += pdist(X[:, order[begin:end]], "sqeuclidean")
        begin = end
        yield squareform(condensed)


def _exponential(squared: NDArray, gamma: float, kernel: NDArray, begin: int) -> None:
    """Fill the rows of the kernel from `begin` on, up to the next slab."""
    slab = slice(begin, begin + SLAB)
    np.exp(np.multiply(squared[slab], -gamma, out=kernel[slab]), out=kernel[slab])


def _check_subsets(order: NDArray, sizes: Sequence[int], n_features: int) -> None:
    given = np.asarray(sizes)
    if given.ndim != 1 or len(given) == 0 or given.dtype.kind not in "iu":
        raise ValueError(f"sizes must be a sequence of ints, at least one; got {sizes!r}")
    if given.min() < 1 or given.max() > n_features:
        raise ValueError(f"sizes must lie in 1..{n_features}, the number of features; got {sizes}")
    if (np.diff(given.astype(np.int64)) <= 0).any():
        raise ValueError(f"sizes must increase, each given once; got {sizes}")
    if order.ndim != 1 or order.dtype.kind not in "iu" or len(order) < given.max():
        raise ValueError(
            f"order must hold at least {given.max()} column numbers, one for each feature of the "
            f"largest subset; got {order.dtype} of shape {order.shape}"
        )
    if order.min() < 0 or order.max() >= n_features or len(np.unique(order)) < len(order):
        raise ValueError(f"order must hold columns 0..{n_features - 1}, each at most once")


def _data(
    X: ArrayLike, y: ArrayLike, folds: Sequence[tuple[ArrayLike, ArrayLike]]
) -> tuple[NDArray[np.float64], NDArray, list[Fold]]:
    """The rows that the folds name, and the folds as row numbers into these."""
    features, classes = np.asarray(X), np.asarray(y)
    if features.ndim != 2 or classes.shape != features.shape[:1]:
        raise ValueError(
            f"X must have shape (n_samples, n_features) and y (n_samples,); got {features.shape} "
            f"and {classes.shape}"
        )
    if len(folds) == 0:
        raise ValueError("folds must hold at least one pair (train, test); got none")
    n = len(features)
    named = [(_rows(train, n, "train"), _rows(test, n, "test")) for train, test in folds]
    used = np.unique(np.concatenate([rows for fold in named for rows in fold]))
    read = features[used].astype(np.float64)
    if not np.isfinite(read).all():
        raise ValueError("X holds NaN or infinity: impute or drop before judging a ranking")
    return (
        read,
        classes[used],
        [(np.searchsorted(used, r), np.searchsorted(used, s)) for r, s in named],
    )


def _rows(rows: ArrayLike, n: int, what: str) -> NDArray[np.intp]:
    rows = np.asarray(rows)
    if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind not in "iu":
        raise ValueError(f"{what} must be row numbers, at least one; got {rows!r}")
    if rows.min() < 0 or rows.max() >= n:
        raise ValueError(f"{what} must hold row numbers 0..{n - 1}; got {rows.min()}..{rows.max()}")
    return rows


def _positive(values: Sequence[float], what: str) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or len(array) == 0 or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{what} must be finite numbers above 0, at least one; got {values}")
    return array
