"""Information gain: the mutual information of each feature and the label, as in scikit-learn."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_classif
from sklearn.preprocessing import scale
from sklearn.utils import check_random_state

from baselines._common import (
    constants_last,
    integer,
    numbers_of_neighbours,
    power_scaled,
    validated,
    with_grid,
)

__all__ = ["information_gain", "information_gain_grid"]

ENGINES = ("numpy", "sklearn")

#: How many values are searched at once: the arrays of a search stay in a core's cache.
_CHUNK = 1 << 15
_LEAST = np.nextafter(0, 1)


def information_gain_grid(X: Any, y: Any, ks: Sequence[int], *, seed: int = 0) -> np.ndarray:
    """Information gain for several numbers of neighbours, from one sort of each feature.

    Parameters
    ----------
    X, y, seed
        As in `information_gain`.
    ks : sequence of int
        Numbers of neighbours, each at least 1, in any order.

    Returns
    -------
    scores : ndarray (len(ks), n_features)
        Row i is ``information_gain(X, y, k=ks[i], seed=seed)``, to the last bit.

    Raises
    ------
    TypeError, ValueError
        As in `information_gain`, and where ``ks`` is empty.
    """
    X, codes = _validated(X, y)
    grid, row = numbers_of_neighbours(ks)
    seed = integer("seed", seed, 0)

    def scores(varying: np.ndarray) -> np.ndarray:
        return _estimates(power_scaled(varying), codes, grid, seed)

    return constants_last(X, scores, rows=(grid.size,))[row]


@with_grid("k", information_gain_grid)
def information_gain(
    X: Any, y: Any, *, k: int = 3, seed: int = 0, engine: str = "numpy"
) -> np.ndarray:
    """Mutual information of each feature and the label (Ross 2014), as ``mutual_info_classif``.

    The class of sample i has n_i samples. Let k_i be the number of its neighbours inside the class,
    and m_i the number of samples of any class, sample i among them, that are nearer than the
    farthest of these neighbours. Then

        I = psi(n) + mean_i psi(k_i) - mean_i psi(n_i) - mean_i psi(m_i),    in nats.

    Every feature is taken as continuous. As in scikit-learn, noise of relative size 1e-10 breaks
    the ties of discrete values; it is drawn from ``seed``. Two distances are equal where their
    values in double precision are equal.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
        Labels of two or more classes.
    k : int
        Number of neighbours, at least 1. A class of n_c samples uses min(k, n_c - 1); classes of
        one sample are left out. Both are the rules of scikit-learn.
    seed : int
        Seed of the noise, at least 0.
    engine : {"numpy", "sklearn"}
        "numpy" sorts each feature once and finds neighbours and counts by bisection, in many
        features at a time; scikit-learn builds one tree for each feature and class. The scores are
        the same while k is below half the size of every class. From there on scikit-learn computes
        distances from norms and products, and their rounding is larger than the noise between equal
        values. On discrete features its result is then arbitrary; "numpy" still gives the formula.

    Returns
    -------
    scores : ndarray (n_features,)
        I >= 0, higher is better; constant features strictly last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked; where k or seed is not such an integer;
        where ``engine`` is unknown; where no class has two samples.
    """
    if engine not in ENGINES:
        raise ValueError(f'engine must be "numpy" or "sklearn", got {engine!r}.')
    if engine == "numpy":
        return information_gain_grid(X, y, [k], seed=seed)[0]
    X, codes = _validated(X, y)
    k, seed = integer("k", k, 1), integer("seed", seed, 0)
    return constants_last(
        X,
        lambda varying: mutual_info_classif(
            power_scaled(varying), codes, discrete_features=False, n_neighbors=k, random_state=seed
        ),
    )


def _validated(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    X, codes = validated(X, y)
    if np.bincount(codes).max() < 2:
        raise ValueError(
            f"No class has two samples ({codes.size} samples in as many classes): "
            "information_gain needs neighbours inside a class, give it larger classes."
        )
    return X, codes


def _estimates(X: np.ndarray, codes: np.ndarray, grid: np.ndarray, seed: int) -> np.ndarray:
    """The estimate of Ross (2014) for each k of the ascending grid. It overwrites X."""
    X = scale(X, with_mean=False, copy=False)
    random, sizes = check_random_state(seed), 1e-10 * np.maximum(1, np.mean(np.abs(X), axis=0))
    rows = max(1, 8 * _CHUNK // X.shape[1])
    for start in range(0, len(X), rows):  # Block after block gives the numbers of one large draw.
        some = X[start : start + rows]
        some += sizes * random.standard_normal(size=some.shape)
    kept = np.bincount(codes)[codes] > 1
    if not kept.all():
        X, (_, codes) = X[kept], np.unique(codes[kept], return_inverse=True)
    n, counts = codes.size, np.bincount(codes)
    psi = np.concatenate([[np.nan], digamma(np.arange(1, n + 1))])
    # The order of summation is that of scikit-learn, so that its equal scores are equal here too.
    constants = [
        psi[n] + np.mean(psi[np.minimum(k, counts - 1)[codes]]) - np.mean(psi[counts[codes]])
        for k in grid
    ]
    scores = np.empty((grid.size, X.shape[1]))
    width = max(1, _CHUNK // n)
    for start in range(0, X.shape[1], width):
        features = np.ascontiguousarray(X[:, start : start + width].T)
        for row, m in enumerate(_nearer(features, codes, grid)):
            scores[row, start : start + width] = constants[row] - psi[m].mean(axis=1)
    return np.maximum(scores, 0)


def _nearer(features: np.ndarray, codes: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """For each k, feature and sample, m: how many samples are nearer than its k-th neighbour.

    The neighbours are those of its own class. The shape is ``(len(grid), *features.shape)``.

    The sorted features follow one another in one long array. Together with its k neighbours a
    sample is k + 1 consecutive values of its class. The samples of any class that are nearer than
    the farthest of these neighbours are consecutive values of the feature.
    """
    n = codes.size
    order = np.argsort(features, axis=1) + n * np.arange(len(features))[:, None]
    values, labels = features.ravel()[order.ravel()], codes[order.ravel() % n]
    found = np.empty((grid.size, features.size), dtype=np.intp)
    for code in range(codes.max() + 1):
        places = np.flatnonzero(labels == code)
        x, size = values[places], places.size // len(features)
        index = np.arange(places.size)
        rank = index % size  # The sample's place in the order of its class and feature.
        start, stop = (
            places - places % n,
            places - places % n + n,
        )  # Its feature's ends.
        bounds = np.concatenate([[-1], places, [values.size]])
        for row, k in enumerate(np.minimum(grid, size - 1)):
            # Within these limits both values that a shift of the window exchanges do exist.
            lowest = np.maximum(rank - k, 0)
            first = index - rank + lowest

            def shifts(t, first=first, k=k, x=x):
                gained = x.take(first + t + k, mode="clip")
                return gained - x <= x - x.take(first + t - 1, mode="clip")

            first = first + _most(shifts, np.minimum(rank, size - 1 - k) - lowest)
            radius = np.maximum(x.take(first + k) - x, x - x.take(first))
            before, after = start, stop
            if radius.min() > 0:
                # The class's next value outside the window is too far, and so are all behind it.
                before = np.maximum(bounds[first] + 1, start)
                after = np.minimum(bounds[first + k + 2], stop)
            # scikit-learn counts distances below the radius, and 0 where the radius is 0.
            radius = np.maximum(radius, _LEAST)

            def right(t, places=places, x=x, radius=radius):
                return values.take(places + t, mode="clip") - x < radius

            def left(t, places=places, x=x, radius=radius):
                return x - values.take(places - t, mode="clip") < radius

            m = 1 + _most(right, after - 1 - places) + _most(left, places - before)
            found[row, order.ravel()[places]] = m
    return found.reshape(grid.size, *features.shape)


def _most(holds: Callable[[np.ndarray], np.ndarray], limit: np.ndarray) -> np.ndarray:
    """For each element, the largest t in 0..limit for which ``holds(t)`` is true.

    It is a bisection: ``holds`` must be true for t = 0, and for every t below one for which it is
    true. It is also called with t above the limit, where its answer does not count.
    """
    t = np.zeros_like(limit)
    for bit in reversed(range(int(limit.max()).bit_length())):
        further = t + (1 << bit)
        t += (holds(further) & (further <= limit)).astype(np.intp) << bit
    return t
