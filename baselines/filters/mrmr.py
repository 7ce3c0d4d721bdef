"""mRMR: choose features that say much about the label and little about each other."""

from typing import Any

import numpy as np

from ._sequential import Entropies, sequential


def mrmr(X: Any, y: Any, *, bins: int = 5, n_selected: int = 100) -> np.ndarray:
    """Order features by minimal redundancy and maximal relevance (Peng, Long, Ding 2005).

    Let I be the mutual information of binned features and S the set of chosen features. Every step
    chooses the feature with the largest (the difference form)

        I(f; y) - 1/|S| sum_{s in S} I(f; s),

    and the first is the one with the largest I(f; y). The entropies are plug-in estimates, in nats.

    Features are divided into bins of equal frequency, which never separate equal values. Peng, Long
    and Ding cut at the mean plus and minus one standard deviation. Bins by ranks do not depend on
    rounding or on the unit. Ties are broken by the data
    (`baselines.filters._sequential.sequential`).

    skfeature's ``mrmr`` subtracts 0.8 times the sum instead of the mean, and treats each value of a
    continuous feature as a separate state. The scores of m distinct features are m - 1 for the
    first chosen down to 0 for the last. Equal features count as one and share its score.

    Parameters
    ----------
    bins : int
        Number of bins, at least 2. A feature with at most this many distinct values is discrete.
    n_selected : int
        Number of features chosen one by one, at least 1. The others follow by I(f; y).
    """
    return sequential(X, y, bins, n_selected, _rules)


def _rules(codes, classes, bins):
    entropies = Entropies(codes, bins)
    alone = entropies.alone()

    def information(other):
        return alone + entropies.of(other) - entropies.joint(other)

    def criterion(relevance, total, number, *_):
        return relevance - total / number

    return information(classes), information, criterion
