"""Order of features by score: scores that rounding alone tells apart are equal."""

import numpy as np

#: Scores that differ by less than this part of the largest magnitude among them are equal.
TIES = 1e-9


def levels(scores, tolerance=TIES):
    """The level of each score, 0 for the highest; equal scores have one level.

    The scores are sorted, and a new level begins if one is lower than the score before it by
    more than ``tolerance`` times the largest magnitude of all. A level is therefore a chain of
    small steps, and its ends may be farther apart than one step: scores that were rounded to a grid
    would part wherever two near ones lie on two sides of a grid line, a chain parts only at a gap.

    Two versions of a linear algebra library, or two orders of the same sums, give scores that
    differ by far less than the tolerance. Their levels are the same. ManiFeSt has ties by its
    nature: two features that are associated with each other alone have the block ``[[0, a], [a,
    0]]`` in D, and so equal scores.

    Parameters
    ----------
    scores : array-like of shape (n_features,)
        Finite; higher is better.
    tolerance : float, default=1e-9

    Returns
    -------
    ndarray of int, shape (n_features,)
        In 0..n_features - 1.
    """
    scores = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-scores, kind="stable")
    with np.errstate(over="ignore"):  # A step may be more than double precision holds.
        steps = -np.diff(scores[order]) > tolerance * np.abs(scores).max(initial=0)
    level = np.empty(scores.size, dtype=np.int64)
    level[order] = np.concatenate([[0], np.cumsum(steps)])[: scores.size]
    return level


def best_first(scores, tolerance=TIES):
    """The features from best to worst by `levels`; equal ones in the order of their columns."""
    return np.argsort(levels(scores, tolerance), kind="stable")
