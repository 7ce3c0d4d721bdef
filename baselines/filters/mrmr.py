"""mRMR: features that tell much about the label and little about one another, one at a time."""

from typing import Any

import numpy as np

from ._sequential import Entropies, sequential


def mrmr(X: Any, y: Any, *, bins: int = 5, n_selected: int = 100) -> np.ndarray:
    """Minimal redundancy and maximal relevance (Peng, Long, Ding 2005), the difference form.

    With I the mutual information of binned features and S the set of those that have been taken,
    every step takes the feature with the largest

        I(f; y) - 1/|S| sum_{s in S} I(f; s),

    and the first is the one with the largest I(f; y). The entropies are plug-in estimates, in nats.

    Features are cut into bins of equal frequency, which never part equal values. Peng, Long and
    Ding cut at the mean plus and minus one standard deviation; a cut by ranks does not depend on
    rounding or on the unit. Ties are broken by the data
    (`baselines.filters._sequential.sequential`).

    skfeature's ``mrmr`` subtracts 0.8 times the sum in place of the mean, and takes each value of a
    continuous feature for a state of its own. The scores are m - 1 for the feature that is taken
    first, down to 0 for the last of m different features. Equal features count as one and share its
    score.

    Parameters
    ----------
    bins : int
        Number of bins, at least 2. A feature of at most so many different values is discrete.
    n_selected : int
        Number of features that are selected one at a time, at least 1. The rest follows by I(f; y).
    """
    return sequential(X, y, bins, n_selected, _rules)


def _rules(codes, classes, bins):
    entropies = Entropies(codes, bins)
    alone = entropies.alone()

    def information(other):
        return alone + entropies.of(other) - entropies.joint(other)

    return (
        information(classes),
        information,
        lambda relevance, taken: relevance - taken.total / taken.number,
    )
