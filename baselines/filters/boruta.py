"""Boruta: how often a feature is more important to a random forest than all shuffled ones."""

from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier

from ..contract import check_integer, constants_last, validated
from ._contents import in_order_of_contents

#: The levels of each tree.
_MAX_DEPTH = 5


def boruta(X: Any, y: Any, *, n_rounds: int = 20, n_trees: int = 100, seed: int = 0) -> np.ndarray:
    """Run Boruta (Kursa and Rudnicki 2010) with a fixed number of rounds.

    Each round shuffles a copy of every feature, the shadow, and fits a random forest to features
    and shadows. A feature has a hit if its importance is above that of all shadows. A feature
    without information has a hit with probability 1/2 at most. It is rejected, together with its
    shadow, once P(hits or fewer of Binomial(rounds, 1/2)) is below 0.01 divided by the number of
    features. There are always at least five shadows.

        score_f = number of hits + mean importance over all rounds.

    The importances are scikit-learn's mean decreases of the Gini impurity. They sum to 1 and
    therefore order features with equal hits. The paper's are mean decreases of accuracy divided by
    their standard deviation. The Python package Boruta returns only a rank, which depends on the
    order of samples and features.

    Samples and features are ordered by their values, values are replaced by their ranks, and equal
    features share the mean of their scores. The score therefore does not change with the order of
    the data or with increasing maps of features. The scores lie in [0, n_rounds + 1].

    Parameters
    ----------
    n_rounds : int
        Number of rounds, at least 1.
    n_trees : int
        Number of trees, with five levels, in each forest, at least 1.
    seed : int
        Seed of the shadows and the forests, at least 0.
    """
    X, codes = validated(X, y)
    seed, n_rounds = check_integer("seed", seed, 0), check_integer("n_rounds", n_rounds, 1)
    n_trees = check_integer("n_trees", n_trees, 1)

    def of_ranks(ranks: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return _scores(ranks, codes, n_rounds, n_trees, seed)

    return constants_last(X, lambda varying: in_order_of_contents(varying, codes, of_ranks))


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
