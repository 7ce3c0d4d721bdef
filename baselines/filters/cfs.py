"""CFS: add features one by one that correlate with the label and not with each other."""

from typing import Any

import numpy as np

from ._sequential import Entropies, sequential


def cfs(X: Any, y: Any, *, bins: int = 5, n_selected: int = 100) -> np.ndarray:
    """Order features by correlation-based feature selection (Hall 2000), forward.

    With the symmetrical uncertainty of two binned variables

        u(a, b) = 2 I(a; b) / (H(a) + H(b))

    the merit of a set S of k features is that of a sum of correlated tests,

        merit(S) = sum_{f in S} u(f, y) / sqrt(k + 2 sum_{pairs f, g in S} u(f, g)),

    and every step adds the feature that gives the largest merit. Hall stops if the merit no longer
    increases. Here the ranking continues. Hall bins features with the help of the labels (Fayyad
    and Irani 1993), which with few samples puts most features into a single bin. Here the bins are
    those of `mrmr`.

    For discrete features, skfeature's ``cfs`` gives the same order, but stops after five steps
    without a better merit and orders the rest at random.

    Parameters
    ----------
    bins : int
        As in `mrmr`.
    n_selected : int
        As in `mrmr`; the other features follow by u(f, y).
    """
    return sequential(X, y, bins, n_selected, _rules)


def _rules(codes, classes, bins):
    entropies = Entropies(codes, bins)
    alone = entropies.alone()

    def uncertainty(other):
        both = alone + entropies.of(other)
        return 2 * (both - entropies.joint(other)) / both

    def merit(relevance, total, number, gained, pairs):
        return (gained + relevance) / np.sqrt(number + 1 + 2 * (pairs + total))

    return uncertainty(classes), uncertainty, merit
