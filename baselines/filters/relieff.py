"""ReliefF: differences to the nearest samples of other classes minus those of the same class."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import pdist, squareform

from ..contract import (
    TIES,
    NeedsPackage,
    check_integer,
    constants_last,
    min_max_scaled,
    numbers_of_neighbours,
    validated,
)

#: How many values are gathered at once, so that three such arrays fit into a core's cache.
_CHUNK = 1 << 15


def relieff_grid(X: Any, y: Any, ks: Sequence[int], *, scale: bool = True) -> np.ndarray:
    """Compute `relieff` for several k, (len(ks), n_features), sorting the distances once.

    Neighbours are added in the order of their distance, so that the sum for a smaller k is a
    partial sum.
    """
    X, codes = validated(X, y)
    grid, row = numbers_of_neighbours(ks)

    def scores(varying: np.ndarray) -> np.ndarray:
        return _scores(min_max_scaled(varying) if scale else varying, codes, grid)

    return constants_last(X, scores, rows=(grid.size,))[row]


def relieff(X: Any, y: Any, *, k: int = 5, scale: bool = True, engine: str = "numpy") -> np.ndarray:
    """Compute ReliefF (Kononenko 1994; Robnik-Sikonja, Kononenko 2003), every sample a probe.

    Let hits(i) be the k samples nearest to sample i in its own class y_i, and misses(i, c) the k
    nearest in another class c, both in the Manhattan distance over all features. Let P(c) be the
    share of class c among the samples. Then

        score_f = sum_i [ sum_{c != y_i} P(c) / (1 - P(y_i)) mean_{j in misses(i, c)} |x_if - x_jf|
                          - mean_{j in hits(i)} |x_if - x_jf| ].

    This is Fig. 2 of Robnik-Sikonja and Kononenko (2003) for any number of classes. They divide by
    1 - P(y_i), because the class of the hits is missing in the sum: the weights of the misses sum
    to 1, as that of the hits does. scikit-rebate gives the same for two classes of more than k
    samples, and other scores for three (correlation 0.97), for which this one keeps to the paper.
    The paper also divides by the number of samples; skfeature does not, and neither does this.

    If several samples are at the distance of the k-th nearest, they share the remaining weight:
    with a nearer samples and t at that distance, each of the t counts (k - a) / t times. Two
    distances are equal if they differ by at most 1e-9 of the k-th one, which is far above the
    rounding of a distance. skfeature takes the samples of equal distance that come first by
    rounding and by their position in X; without such ties both are the same.

    The paper's ReliefF is skfeature's without range normalisation, ``scale=False``. With ``scale``
    the scores lie in [-n_samples, n_samples].

    Parameters
    ----------
    k : int
        Number of neighbours, at least 1. If a class has fewer, the means are taken over all of
        them. The only sample of a class has no hits.
    scale : bool
        Map each feature to [0, 1] first, as in the definition. Otherwise features with a large
        range decide which samples are near, and have higher scores.
    engine : {"numpy", "skfeature"}
        skfeature's ``reliefF`` gives the same scores for two classes of more than k samples. It
        divides by k even if a class has fewer neighbours. Its weights for several classes are
        wrong; more than two classes therefore raise an error.
    """
    if engine == "numpy":
        return relieff_grid(X, y, [k], scale=scale)[0]
    if engine != "skfeature":
        raise ValueError(f'engine must be "numpy" or "skfeature", got {engine!r}.')
    try:
        from skfeature.function.similarity_based.reliefF import reliefF
    except ModuleNotFoundError as error:
        raise NeedsPackage('relieff with engine="skfeature"', "skfeature", "baselines") from error
    X, codes = validated(X, y)
    if codes.max() > 1:
        raise ValueError(
            f'relieff with engine="skfeature" compares two classes, but y has {codes.max() + 1}: '
            'keep two of them, or use engine="numpy", which takes several.'
        )
    k = check_integer("k", k, 1)
    return constants_last(
        X,
        lambda varying: reliefF(
            min_max_scaled(varying) if scale else varying, codes, mode="raw", k=k
        ),
    )


relieff.grid = ("k", relieff_grid)  # type: ignore[attr-defined]


def _scores(X: np.ndarray, codes: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Return the scores, one row for each k of the ascending grid."""
    members = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    share = np.bincount(codes) / codes.size
    distances = squareform(pdist(X, "cityblock"))
    np.fill_diagonal(distances, np.nan)  # NaN is sorted after all numbers, even infinite ones.
    scores = np.zeros((grid.size, X.shape[1]))
    step = max(1, _CHUNK // X.shape[1])
    for own, probes in enumerate(members):
        for code, rows in enumerate(members):
            counts = np.minimum(grid, rows.size - (code == own))
            if not counts[-1]:
                continue
            weight = -1.0 if code == own else share[code] / (1 - share[own])
            for start in range(0, probes.size, step):
                some = probes[start : start + step]
                near, last, parts = _nearest(distances[some[:, None], rows], counts)
                gaps = _gaps(X, some, rows[near], last, parts)
                scores += (weight / counts)[:, None] * gaps
    return scores


def _nearest(distances: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, ...]:
    """Find the nearest columns of each row, and the partial sums that make up each count.

    Returns near (n_rows, n_near), the columns in the order of their distance; last (n_counts, 2,
    n_rows), which says for each count k how many columns are nearer than the k-th and how many are
    not farther, a and b; and parts of the same shape, the weights of two partial sums. With T(m)
    the sum over the first m columns and s = (k - a) / (b - a) the share of a tied column, the sum
    for k is (1 - s) T(a) + s T(b).
    """
    farthest = np.partition(distances, counts[-1] - 1, axis=1)[:, counts[-1] - 1, None]
    width = (distances <= farthest * (1 + TIES)).sum(axis=1).max()
    # Sort by column first, so that equal distances are added in the same order for all counts.
    columns = np.sort(np.argpartition(distances, width - 1, axis=1)[:, :width], axis=1)
    nearest = np.take_along_axis(distances, columns, axis=1)
    order = np.argsort(nearest, axis=1, kind="stable")
    ascending = np.take_along_axis(nearest, order, axis=1)
    last = np.empty((counts.size, 2, len(distances)), dtype=np.intp)
    for count, (nearer, within) in zip(counts, last, strict=True):
        limit = ascending[:, count - 1, None]
        nearer[:] = (ascending < limit * (1 - TIES)).sum(axis=1)
        within[:] = (ascending <= limit * (1 + TIES)).sum(axis=1)
    nearer, within = last[:, 0], last[:, 1]
    share = (counts[:, None] - nearer) / (within - nearer)
    near = np.take_along_axis(columns, order, axis=1)
    return near, last, np.stack([1 - share, share], axis=1)


class _Share(NamedTuple):
    """The weight, for each probe, with which a partial sum enters the sum for a count."""

    #: The row of the count in the sums.
    row: int
    weights: np.ndarray


def _shares(last: np.ndarray, parts: np.ndarray) -> dict[int, list[_Share]]:
    """Return, for each number m of neighbours, where the sum over the first m has a weight."""
    shares: dict[int, list[_Share]] = {}
    for row, (ends, weights) in enumerate(zip(last, parts, strict=True)):
        for m in np.unique(ends[weights > 0]):
            of_m = ((ends == m) * weights).sum(axis=0)
            shares.setdefault(int(m), []).append(_Share(row, of_m))
    return shares


def _gaps(
    X: np.ndarray, rows: np.ndarray, near: np.ndarray, last: np.ndarray, parts: np.ndarray
) -> np.ndarray:
    """Return, for each count, the weighted sum of |x_if - x_jf| over rows i and neighbours j."""
    samples = X[rows]
    total, gap = np.zeros_like(samples), np.empty_like(samples)
    sums = np.zeros((len(last), X.shape[1]))
    shares = _shares(last, parts)
    for m, neighbours in enumerate(near.T, start=1):
        np.take(X, neighbours, axis=0, out=gap, mode="clip")  # "raise" would copy.
        gap -= samples
        total += np.abs(gap, out=gap)
        for row, weights in shares.get(m, []):
            used = np.flatnonzero(weights)
            if used.size == len(total) and (weights == 1).all():
                sums[row] += total.sum(axis=0)
            else:
                sums[row] += (weights[used, None] * total[used]).sum(axis=0)
    return sums
