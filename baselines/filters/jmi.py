"""JMI: choose features that say much about the label together with each chosen feature."""

from typing import Any

import numpy as np

from ._sequential import Entropies, sequential


def jmi(X: Any, y: Any, *, bins: int = 5, n_selected: int = 100) -> np.ndarray:
    """Order features by joint mutual information (Yang and Moody 1999; Brown et al. 2012).

    Let I be the mutual information of binned features and S the set of chosen features. Every step
    chooses the feature with the largest

        sum_{s in S} I(f, s; y),

    and the first is the one with the largest I(f; y). Two features that say something about the
    label only together, as in XOR, are found once one of them is chosen. With few samples keep
    ``bins`` small, because a joint table has bins^2 C cells.

    skfeature's ``jmi`` multiplies the sums of I(f; s) by 0.8 and of I(f; s | y) by 0.5, for any
    number of features in S; the expansion of the sum above gives 1 / |S| for both.

    Parameters
    ----------
    bins : int
        As in `mrmr`.
    n_selected : int
        As in `mrmr`, with the same rules for bins and ties.
    """
    return sequential(X, y, bins, n_selected, _rules)


def _rules(codes, classes, bins):
    entropies = Entropies(codes, bins)
    of_classes, n_classes = entropies.of(classes), classes.max() + 1

    def information(other):
        """Return I(f, other; y) of each feature f."""
        both = entropies.joint(other * n_classes + classes)
        return entropies.joint(other) + of_classes - both

    relevance = information(np.zeros_like(classes))
    return relevance, information, lambda relevance, total, *_: total
