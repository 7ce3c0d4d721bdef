"""Boruta: how often a feature matters more to a random forest than any shuffled feature does."""

from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier

from ..contract import constants_last, integer, validated
from ._contents import in_order_of_contents, ranked

#: The levels of each tree.
_MAX_DEPTH = 5


def boruta(X: Any, y: Any, *, n_rounds: int = 20, n_trees: int = 100, seed: int = 0) -> np.ndarray:
    """Boruta (Kursa and Rudnicki 2010) with a fixed number of rounds.

    In each round a copy of every feature, the shadow, is shuffled; a random forest is fitted to
    features and shadows, and a feature has a hit if its importance is above that of all shadows.
    A feature without information has a hit with probability 1/2 at most. It is rejected, and leaves
    the later rounds with its shadow, once P(hits or fewer of Binomial(rounds, 1/2)) is below 0.01
    divided by the number of features. There are at least five shadows.

        score_f = number of hits + mean importance over all rounds.

    The importances, scikit-learn's mean decreases of the Gini impurity, sum to 1, so that they
    order features of equal hits; the paper's are mean decreases of accuracy over their standard
    deviation. The Python package Boruta tells a rank alone, which depends on the order of samples
    and features.

    Samples and features are taken in an order that follows from their values, values are replaced
    by their ranks, and equal features share the mean of their scores: no order, and no increasing
    map of a feature, changes the score. The scores lie in [0, n_rounds + 1].

    Parameters
    ----------
    n_rounds, n_trees : int
        Rounds, and trees of each forest, of five levels; at least 1.
    seed : int
        Seed of the shadows and the forests, at least 0.
    """
    X, codes = validated(X, y)
    seed, n_rounds = integer("seed", seed, 0), integer("n_rounds", n_rounds, 1)
    n_trees = integer("n_trees", n_trees, 1)

    def scores(varying: np.ndarray) -> np.ndarray:
        ranks = ranked(varying)

        def in_order(rows, columns):
            return _scores(ranks[np.ix_(rows, columns)], codes[rows], n_rounds, n_trees, seed)

        return in_order_of_contents(varying, codes, in_order)

    return constants_last(X, scores)


def _scores(X: np.ndarray, codes: np.ndarray, n_rounds: int, n_trees: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    hits, importance = np.zeros(X.shape[1], dtype=np.intp), np.zeros(X.shape[1])
    alive = np.arange(X.shape[1])
    for number in range(1, n_rounds + 1):
        copied = np.resize(alive, max(alive.size, 5))
        shadows = rng.permuted(X[:, copied], axis=0)
        state = int(rng.integers(2**31))
        model = RandomForestClassifier(n_trees, max_depth=_MAX_DEPTH, random_state=state)
        model.fit(np.hstack([X[:, alive], shadows]), codes)
        importances, of_shadows = np.split(model.feature_importances_, [alive.size])
        hits[alive] += importances > of_shadows.max()
        importance[alive] += importances
        alive = alive[binom.cdf(hits[alive], number, 0.5) >= 0.01 / X.shape[1]]
        if not alive.size:
            break
    return hits + importance / n_rounds
