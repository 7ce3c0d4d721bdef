"""Scores measured by their own chance: what they are beyond the same scores of permuted labels.

The scores of permuted labels, pooled over features, tell what a score is by chance: ``z = (score -
mean) / deviation`` of that null. With z the sum of a feature's effect, of variance tau^2 over the
features, and of noise of variance 1, the posterior mean of the effect is ::

    tau^2 / (1 + tau^2) z,    tau^2 = mean(z^2) - 1

(empirical Bayes; Efron and Morris 1973), the estimator of James and Stein. A score that finds no
more than chance on these data therefore counts next to nothing (its least weight is 1/d), and
scores of different units add up.

References
----------
Efron and Morris (1973), "Stein's estimation rule and its competitors: an empirical Bayes approach",
Journal of the American Statistical Association 68.
"""

from typing import NamedTuple

import numpy as np

from manifest.contents import order_of_samples
from manifest.validation import check_integer

#: Labels are permuted so many times.
PERMUTATIONS = 3
#: A null that varies by no more than this part of its largest magnitude is constant.
_CONSTANT = 1e-9


class Shrunk(NamedTuple):
    """The posterior means of effects, in deviations of the null, and the weight that z has."""

    effects: np.ndarray
    weight: float


def shrunk(score, null, rounding=0.0):
    """The score in deviations of its null, times the share that is no chance.

    Parameters
    ----------
    score : ndarray of shape (d,)
    null : ndarray
        Scores of the same kind from permuted labels, in any shape.
    rounding : float
        A null of a smaller deviation is rounding, and the effects are zero.

    Returns
    -------
    Shrunk
        The weight is ``max(1 / d, 1 - 1 / mean(z^2))``; the least one orders features by z where
        nothing is found, and vanishes beside anything that is.
    """
    mean, deviation = null.mean(), null.std()
    if deviation <= max(rounding, _CONSTANT * np.abs(null).max()):
        return Shrunk(np.zeros(score.size), 0.0)
    z = (score - mean) / deviation
    weight = max(1 / z.size, 1 - 1 / max(np.mean(z**2), 1.0))
    return Shrunk(weight * z, float(weight))


def permuted_labels(R, codes, n_permutations, random_state):
    """Permutations of the labels: a function of the data and the seed, and of no order.

    If a symmetry of the data exchanges samples of different classes, as in a full factorial design,
    nothing tells them apart, and the order of the rows decides.

    Parameters
    ----------
    R : ndarray of shape (n_samples, n_features)
        The ranks of the values, as of `manifest.contents.ranks`.
    codes : ndarray of int, shape (n_samples,)
    n_permutations : int
        Number of permutations of the labels, at least 1.
    random_state : int
        A seed, at least 0.

    Yields
    ------
    ndarray of int, shape (n_samples,)
    """
    check_integer("n_permutations", n_permutations, 1)
    check_integer("random_state", random_state, 0)
    order = order_of_samples(R, codes)
    rng = np.random.default_rng(np.random.SeedSequence(random_state))
    for _ in range(n_permutations):
        permuted = np.empty_like(codes)
        permuted[order] = codes[rng.permutation(order)]
        yield permuted


def sum_of_shrunk(X, codes, permuted, scorers):
    """The sum of the calibrated scores of scorers, of shape (n_features,); zeros if none."""
    total = np.zeros(X.shape[1])
    for scorer in scorers:
        null = np.array([_scored(scorer, X, labels) for labels in permuted])
        total += shrunk(_scored(scorer, X, codes), null).effects
    return total


def _scored(scorer, X, labels):
    scores = np.asarray(scorer(X, labels), dtype=np.float64)
    if scores.shape != (X.shape[1],) or not np.isfinite(scores).all():
        n_bad = "" if np.isfinite(scores).all() else ", with NaN or infinity"
        raise ValueError(
            f"a scorer must return {X.shape[1]} finite scores, one for each feature; "
            f"{getattr(scorer, '__name__', scorer)!r} returned shape {scores.shape}{n_bad}"
        )
    return scores
