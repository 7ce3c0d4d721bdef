"""JMI: features that tell much about the label together with each that was taken before."""

from typing import Any

import numpy as np

from ._sequential import Entropies, sequential


def jmi(X: Any, y: Any, *, bins: int = 5, n_selected: int = 100) -> np.ndarray:
    """Joint mutual information (Yang and Moody 1999; Brown, Pocock, Zhao, Lujan 2012).

    With I the mutual information of binned features and S the set of those that have been taken,
    every step takes the feature with the largest

        sum_{s in S} I(f, s; y),

    and the first is the one with the largest I(f; y). Two features that tell of the label only
    together, as in XOR, are found once one of them has been taken. With few samples keep ``bins``
    small, as a joint table has bins^2 C cells.

    skfeature's ``jmi`` weighs the sums of I(f; s) by 0.8 and of I(f; s | y) by 0.5, however many
    features S has; the expansion of the sum above gives 1 / |S| for both.

    Parameters
    ----------
    bins, n_selected : int
        As in `mrmr`, whose rules for bins and ties hold here too.
    """
    return sequential(X, y, bins, n_selected, _rules)


def _rules(codes, classes, bins):
    entropies = Entropies(codes, bins)
    of_classes, n_classes = entropies.of(classes), classes.max() + 1

    def information(other):
        """I(f, other; y) of each feature f."""
        both = entropies.joint(other * n_classes + classes)
        return entropies.joint(other) + of_classes - both

    relevance = information(np.zeros_like(classes))
    return relevance, information, lambda relevance, taken: taken.total
