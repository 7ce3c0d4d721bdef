"""Bin features, compute entropies and select forward: the base of mRMR, JMI and CFS."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import xlogy
from scipy.stats import rankdata

from ..contract import check_integer, constants_last, validated
from ._contents import keys

#: Values of the criterion that differ by no more than this are equal.
_EQUAL = 1e-9


def binned(X: np.ndarray, bins: int) -> np.ndarray:
    """Return the bin of each value, 0..bins - 1, which increasing maps of a feature do not change.

    A feature with at most ``bins`` distinct values is already discrete. Otherwise, a value with l
    samples below it and e samples equal to it is in the bin floor(bins (l + e / 2) / n). The bins
    have equal frequency, except that equal values are never separated.

    The result is (n_features, n_samples). A feature that varies has at least two bins.
    """
    places = rankdata(X, method="dense", axis=0).astype(np.intp) - 1
    twice = np.rint(2 * rankdata(X, axis=0)).astype(np.intp) - 1  # 2 l + e
    discrete = places.max(axis=0) < bins
    return np.ascontiguousarray(np.where(discrete, places, twice * bins // (2 * len(X))).T)


class Entropies:
    """Plug-in entropies of binned features, alone and joined with others, in nats."""

    def __init__(self, codes: np.ndarray, bins: int):
        self.codes, self.bins = codes, bins
        n = codes.shape[1]
        counts = np.arange(n + 1)
        self._table = np.log(n) * counts - xlogy(counts, counts)  # n times -p log p, by count.
        self._n = n

    def joint(self, other: np.ndarray) -> np.ndarray:
        """Return H(f, other) of each feature f; other are the bins 0, 1, ... of one variable."""
        d, width = len(self.codes), int(other.max()) + 1
        size = self.bins * width
        cells = self.codes * width + other + size * np.arange(d)[:, None]
        counts = np.bincount(cells.ravel(), minlength=size * d)
        return self._table[counts].reshape(d, size).sum(axis=1) / self._n

    def alone(self) -> np.ndarray:
        """Return H(f) of each feature."""
        return self.joint(np.zeros(self._n, dtype=np.intp))

    def of(self, other: np.ndarray) -> float:
        """Return H(other) of one variable."""
        return float(self._table[np.bincount(other)].sum() / self._n)


def sequential(X: Any, y: Any, bins: int, n_selected: int, rules: Callable) -> np.ndarray:
    """Score features by the order in which forward selection chooses them.

    `rules` maps the bins of the features, the classes and the number of bins to the relevance of
    each feature; the statistic of all features with a given one; and the criterion of all features.
    The criterion is a function of the relevance, the sum of each feature's statistic with the
    chosen ones, their number, the sum of their relevances, and the sum over their pairs.

    Every step chooses the feature with the largest criterion, up to ``n_selected`` features; the
    rest follow by relevance. Criteria that differ by at most 1e-9 are equal. Ties are broken by the
    larger relevance, then by the larger difference of ranks between the classes (the sum of Kruskal
    and Wallis, which also uses the order inside the bins), then by a digest of the values. Equal
    features count as one and share its score.
    The scores of m distinct features are m - 1 for the first down to 0 for the last.
    """
    X, classes = validated(X, y)
    bins, n_selected = check_integer("bins", bins, 2), check_integer("n_selected", n_selected, 1)

    def scores(varying: np.ndarray) -> np.ndarray:
        key = keys(varying, classes)[1]
        _, first, copies = np.unique(key, return_index=True, return_inverse=True)
        distinct = varying[:, first]  # In the order of their keys.
        codes = binned(distinct, bins)
        relevance, statistic, criterion = rules(codes, classes, bins)
        rounded = np.round(relevance, 9)
        order = np.lexsort((-_kruskal_wallis(distinct, classes), -rounded))
        taken = _forward(relevance, statistic, criterion, order, codes, n_selected)
        places = np.empty(first.size)
        places[taken] = np.arange(first.size)[::-1]
        return places[copies]

    return constants_last(X, scores)


def _forward(relevance, statistic, criterion, order, codes, n_selected) -> np.ndarray:
    """Return the features in the order in which they are chosen; ``order`` breaks ties."""
    waiting = np.ones(relevance.size, dtype=bool)
    best, order_taken = order[0], []
    total, gained, pairs = np.zeros(relevance.size), 0.0, 0.0
    while True:
        order_taken.append(best)
        waiting[best] = False
        if len(order_taken) >= min(n_selected, relevance.size):
            rest = order[waiting[order]]
            return np.array([*order_taken, *rest])
        gained += relevance[best]
        pairs += total[best]
        total += statistic(codes[best])
        value = criterion(relevance, total, len(order_taken), gained, pairs)
        value = np.where(waiting, value, -np.inf)[order]
        best = order[np.argmax(value >= value.max() - _EQUAL)]


def _kruskal_wallis(X: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return sum_c R_c^2 / (n_c n^3) of each feature, R_c the sum of the ranks in class c."""
    ranks = rankdata(X, axis=0)
    parts = [
        ranks[classes == code].sum(axis=0) ** 2 / (classes == code).sum()
        for code in range(classes.max() + 1)
    ]
    return np.round(np.sum(np.sort(parts, axis=0), axis=0) / len(X) ** 3, 9)
