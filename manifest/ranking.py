"""Order features by score: scores that differ by rounding are equal, and constants are last."""

import numpy as np

#: Scores are equal if they differ by less than this share of the largest magnitude among them.
TIES = 1e-9
#: Constant features are below all others by this share of the largest magnitude. It is twice the
#: tolerance for ties, so that a ranking puts them last as well.
BELOW = 2 * TIES


def levels(scores):
    """Return the level of each score, 0 for the highest; equal scores share a level.

    The scores are sorted. A new level begins where a score is lower than the one before it by more
    than :data:`TIES` times the largest magnitude. A level is therefore a chain of small steps, and
    its ends may be farther apart than one step. (Rounding to a grid would separate two near scores
    on both sides of a grid line; a chain breaks only at a gap.)

    Two versions of a linear algebra library, or two orders of the same sums, give scores that
    differ by far less than the tolerance, so their levels are the same. Ties are normal for
    ManiFeSt: two features that are associated only with each other have the block ``[[0, a], [a,
    0]]`` in D, and therefore equal scores.

    Parameters
    ----------
    scores : array-like of shape (n_features,)
        Finite; higher is better.

    Returns
    -------
    ndarray of int, shape (n_features,)
        In 0..n_features - 1.
    """
    scores = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-scores, kind="stable")
    with np.errstate(over="ignore"):  # A difference may overflow.
        steps = -np.diff(scores[order]) > TIES * np.abs(scores).max(initial=0)
    level = np.empty(scores.size, dtype=np.int64)
    level[order] = np.concatenate([[0], np.cumsum(steps)])[: scores.size]
    return level


def best_first(scores):
    """Return the features from best to worst by `levels`; ties keep the order of the columns."""
    return np.argsort(levels(scores), kind="stable")


def varying(X):
    """Return a mask of the features of X, (n_samples, d), that are not constant."""
    return X.max(axis=0) > X.min(axis=0)


def with_constants_last(scores, varies):
    """Extend scores of the features that vary, (..., m), to all d features, constants last.

    A constant feature is just below all others, by :data:`BELOW` of the largest magnitude among
    them. No other score changes.
    """
    everywhere = np.empty((*scores.shape[:-1], varies.size))
    everywhere[..., varies] = scores
    least = scores.min(axis=-1, keepdims=True)
    size = np.abs(scores).max(axis=-1, keepdims=True)
    everywhere[..., ~varies] = np.minimum(least - BELOW * size, np.nextafter(least, -np.inf))
    return everywhere
