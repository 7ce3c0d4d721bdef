"""Compute the accuracy in every cell of the SVM grid, over nested feature subsets.

The feature subsets of a ranking are its first features, in increasing number. The squared
distances of a subset are therefore those of the smaller subset plus those in the added features.
For each gamma, one exponential gives the kernel, and all folds use their rows of it.
Every accuracy is that of ``SVC(kernel="rbf", C=C, gamma=gamma)`` fitted on the training rows and
those features, as ``GridSearchCV`` computes it cell by cell. The grid is that of Cohen, Shnitzer,
Kluger and Talmon (2022), arXiv 2207.08574.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform

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


def powers(log2_C: Sequence[float], log2_gamma: Sequence[float]) -> dict[str, list[float]]:
    """Return the grid of these exponents of 2 as arguments "Cs" and "gammas"."""
    return {"Cs": [2.0**p for p in log2_C], "gammas": [2.0**p for p in log2_gamma]}


def fold_accuracies(X, y, order, sizes, train, test, *, Cs=PAPER_CS, gammas=PAPER_GAMMAS) -> Floats:
    """Return accuracies (len(sizes), len(Cs), len(gammas)) of a fold (:func:`cv_accuracies`)."""
    return cv_accuracies(X, y, order, sizes, [(train, test)], Cs=Cs, gammas=gammas)[0]


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
        The first is that of :func:`fold_accuracies`. Each SVM is fitted once for both.
    """
    both = np.concatenate([np.asarray(test), np.asarray(train)])
    wanted = np.full((len(sizes), len(Cs), len(gammas)), cells is None)
    if cells is not None:
        wanted[np.arange(len(sizes)), *cells] = True
    (right,) = _right(X, y, order, sizes, [(train, both)], Cs, gammas, wanted=wanted)
    parts = np.split(right, [len(np.asarray(test))])
    on_test, on_train = (np.where(wanted, part.mean(axis=0), np.nan) for part in parts)
    return on_test, on_train


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
    of_folds = _right(X, y, order, sizes, folds, Cs, gammas)
    return np.array([right.mean(axis=0) for right in of_folds])


def _right(X, y, order, sizes, folds, Cs, gammas, wanted=None) -> list[NDArray[np.bool_]]:
    """Return the correctly predicted test rows of each fold: (n_test, sizes, Cs, gammas).

    Only cells that are true in `wanted`, of shape (sizes, Cs, gammas), are computed.
    """
    X, y, rows = _data(X, y, folds)
    costs, scales = _positive(Cs, "Cs"), _positive(gammas, "gammas")
    # With increasing C, the solver can tell from which C on a larger one changes nothing.
    ascending = np.argsort(costs)
    labels = [np.unique(y[train], return_inverse=True) for train, _ in rows]
    solve = smo.solver()
    kernel = np.empty((len(X), len(X)))

    def evaluated(costs, fold, labels) -> NDArray[np.bool_]:
        """Return test rows by C, from the current kernel."""
        (train, test), (classes, codes) = fold, labels
        if len(classes) == 1:
            return np.repeat((y[test] == classes[0])[:, None], len(costs), axis=1)
        predicted = solve(kernel, train, codes.astype(np.float64), test, costs.tolist())
        return (classes[predicted.astype(np.intp)] == y[test]).T

    shape = (len(sizes), len(costs), len(scales))
    wanted = np.full(shape, True) if wanted is None else wanted
    result = [np.zeros((len(test), *shape), dtype=bool) for _, test in rows]
    for s, squared in enumerate(nested_squared_distances(X, order, sizes)):
        for g, gamma in enumerate(scales):
            some = ascending[wanted[s, ascending, g]]
            if len(some) == 0:
                continue
            for begin in range(0, len(X), SLAB):
                slab = slice(begin, begin + SLAB)
                np.exp(np.multiply(squared[slab], -gamma, out=kernel[slab]), out=kernel[slab])
            for right, *fold in zip(result, rows, labels, strict=True):
                right[:, s, some, g] = evaluated(costs[some], *fold)
    return result


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
    if means.ndim < 2 or 0 in means.shape[-2:] or not np.isfinite(means).all():
        raise ValueError(
            f"mean_accuracies must be finite with shape (..., n_Cs, n_gammas), got shape "
            f"{means.shape}{'' if np.isfinite(means).all() else ' with values that are not finite'}"
        )
    flat = means.reshape(*means.shape[:-2], -1)
    first = (flat >= flat.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1)
    i, j = np.unravel_index(first, means.shape[-2:])
    return i, j


def nested_squared_distances(X, order, sizes) -> Iterator[Floats]:
    """Yield squared Euclidean distances between the rows of ``X[:, order[:size]]`` for each size.

    They are sums of squared differences, not computed from a Gram matrix, so that the distance of
    two equal rows is exactly 0. Each has shape (n_samples, n_samples).
    """
    order = _numbers(order, X.shape[1], "order must be column numbers")
    ends = _numbers(sizes, X.shape[1] + 1, "sizes must be ints")
    if ends[0] < 1 or (np.diff(ends.astype(np.int64)) <= 0).any():
        raise ValueError(f"sizes must increase from 1 on, each given once; got {sizes}")
    if len(order) < ends[-1] or len(np.unique(order)) < len(order):
        raise ValueError(
            f"order must have at least {ends[-1]} columns, the features of the largest subset, "
            f"each at most once; got {order}"
        )
    condensed: Floats = np.zeros(len(X) * (len(X) - 1) // 2)
    begin = 0
    for end in ends:
        condensed += pdist(X[:, order[begin:end]], "sqeuclidean")
        begin = end
        yield squareform(condensed)


def _data(X, y, folds) -> tuple[Floats, NDArray, list[tuple[NDArray, NDArray]]]:
    """Return the rows in the folds, their classes, and the folds as row numbers of these."""
    features, classes = np.asarray(X), np.asarray(y)
    if features.ndim != 2 or classes.shape != features.shape[:1] or len(folds) == 0:
        raise ValueError(
            f"X must have shape (n_samples, n_features), y (n_samples,), and folds at least one "
            f"pair (train, test); got {features.shape}, {classes.shape} and {len(folds)} folds"
        )
    named = [
        [_numbers(rows, len(features), f"{name} must be row numbers") for name, rows in pair]
        for pair in (zip(("train", "test"), fold, strict=True) for fold in folds)
    ]
    used = np.unique(np.concatenate([rows for fold in named for rows in fold]))
    read = features[used].astype(np.float64)
    if not np.isfinite(read).all():
        raise ValueError("X contains NaN or infinity; impute or drop them first")
    at = [(np.searchsorted(used, train), np.searchsorted(used, test)) for train, test in named]
    return read, classes[used], at


def _numbers(values, end: int, what: str) -> NDArray[np.intp]:
    """Return an array of one or more ints in 0..end - 1."""
    numbers = np.asarray(values)
    if numbers.ndim != 1 or len(numbers) == 0 or numbers.dtype.kind not in "iu":
        raise ValueError(f"{what}, at least one; got {values!r}")
    if numbers.min() < 0 or numbers.max() >= end:
        raise ValueError(f"{what} in 0..{end - 1}; got {numbers.min()}..{numbers.max()}")
    return numbers


def _positive(values: Sequence[float], what: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or len(array) == 0 or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"{what} must be finite numbers above 0, at least one; got {values}")
    return array
