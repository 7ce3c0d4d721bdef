"""Stability selection by complementary pairs, with a bound on the number of false selections.

Shah and Samworth, "Variable selection with error control: another look at stability selection",
Journal of the Royal Statistical Society B 75 (2013) 55-80. A selector takes the best q of p
features in both halves of B random divisions of the samples; a feature is stable if the share of
the 2B halves in which it is selected is at least a threshold.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq, minimize_scalar

#: A parameter of the extremal distribution that stands for infinity.
FAR = 1e5


def false_selections(n_features: int, q: int, threshold: float, n_pairs: int) -> float:
    """The bound on the expected number of stable features that are selected by chance.

    A feature counts as selected by chance if a half selects it with a probability of at most q / p,
    that of a random choice. The bound is ``p D`` with D the largest tail of an r-concave
    distribution: r = -1/2 for the share of the pairs that select a feature in both halves, r = -1/4
    for the share of the halves; D is the smaller tail (their equations (10) and (11)).

    This is an assumption on features that matter little, and not on the data. It holds the better
    the more alike such features are to the selector.

    Parameters
    ----------
    n_features, q : int
        p, and the number of features that a half selects.
    threshold : float in (1/2, 1]
    n_pairs : int
        B, at least 2.

    Returns
    -------
    float in [0, p]
        p if the assumption gives no bound at this threshold.

    Raises
    ------
    ValueError
        If an argument is out of its range.
    """
    if not (1 <= q <= n_features and 0.5 < threshold <= 1 and n_pairs >= 2):
        raise ValueError(
            f"q must be 1 to {n_features}, the threshold in (1/2, 1] and the pairs 2 or more; got "
            f"{q}, {threshold} and {n_pairs}"
        )
    theta, count = q / n_features, round(2 * n_pairs * threshold * (1 - 1e-12) + 0.5 - 1e-9)
    both = _tail(theta**2, count - n_pairs, n_pairs, -2)
    tail = min(both, _tail(theta, count, 2 * n_pairs, -4))
    return n_features * min(1.0, tail)


@lru_cache(maxsize=4096)
def _tail(mean: float, count: int, n: int, s: int) -> float:
    """The largest P(X >= count) of a 1/s-concave X on 0..n whose mean is at most ``mean * n``.

    The extremal weights are ``(a + i)^s`` on 0..k and w on k + 1, with w such that the mean m is
    met: ``w = sum (m - i) f_i / (k + 1 - m)``. So ``P(X < count) = (k + 1 - m) sum_{i < count} f_i
    / sum_{i <= k} (k + 1 - i) f_i``. For each k, a runs between the values for which w is zero and
    for which it is ``(a + k + 1)^s``.
    """
    m = mean * n
    first = int(np.ceil(2 * m)) + 1
    if count < first or first > n:
        return 1.0
    numbers = np.arange(n + 1, dtype=np.float64)
    ends = {first - 1: FAR}
    for k in range(first, n + 1):

        def excess(log_a: float, k: int = k) -> float:
            weights = (np.exp(log_a) + numbers[: k + 1]) ** s
            return float(numbers[: k + 1] @ weights / weights.sum() - m)

        ends[k] = float(np.exp(brentq(excess, np.log(1e-6), np.log(ends[k - 1]), xtol=1e-12)))

    def below(log_a: float, k: int) -> float:
        weights = (np.exp(log_a) + numbers[: k + 1]) ** s
        share = weights[:count].sum() / ((k + 1 - numbers[: k + 1]) @ weights)
        return float((k + 1 - m) * share)

    best = 1 - below(np.log(ends[n]), n)
    for k in range(max(first, count - 1), n):
        span = np.log(ends[k + 1]), np.log(ends[k])
        found = minimize_scalar(
            below, bounds=span, args=(k,), method="bounded", options={"xatol": 1e-8}
        )
        best = max(best, 1 - min(found.fun, below(span[0], k), below(span[1], k)))
    return best


def threshold_for(n_features: int, q: int, n_pairs: int, most: float) -> float | None:
    """The least threshold, a multiple of 1 / 2B, whose r-concave bound is at most `most`.

    None if there is none.
    """
    counts = range(n_pairs + 1, 2 * n_pairs + 1)  # of the halves that select a feature

    def is_enough(count: int) -> bool:
        return false_selections(n_features, q, count / (2 * n_pairs), n_pairs) <= most

    place = bisect_left(counts, True, key=is_enough)
    return counts[place] / (2 * n_pairs) if place < n_pairs else None


def complementary_pairs(
    y: np.ndarray, groups: np.ndarray, n_pairs: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """The rows of 2B halves, pair by pair; two halves of a pair share no group.

    Each half has half of the groups of each class, rounded down; a group counts in the class of its
    first sample.

    Parameters
    ----------
    y, groups : ndarray of int (n_samples,)
    n_pairs : int
    rng : numpy.random.Generator
    """
    names, first = np.unique(groups, return_index=True)
    for _ in range(n_pairs):
        sides: list[list] = [[], []]
        for label in np.unique(y[first]):
            own = rng.permutation(names[y[first] == label])
            for side, start in zip(sides, (0, len(own) // 2), strict=True):
                side.extend(own[start : start + len(own) // 2])
        for side in sides:
            yield np.flatnonzero(np.isin(groups, side))


def selected_shares(
    best: Callable[[np.ndarray], np.ndarray], halves: Iterator[np.ndarray], n_features: int
) -> np.ndarray:
    """The share of the halves in which each feature is selected, shape (n_features,).

    Parameters
    ----------
    best : callable
        From the rows of a half to the numbers of its best features.
    halves : iterator of ndarray of int
    n_features : int
    """
    counts, n = np.zeros(n_features), 0
    for rows in halves:
        counts[best(rows)] += 1
        n += 1
    return counts / max(n, 1)
