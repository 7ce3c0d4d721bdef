"""Choose features one by one that are relevant and dissimilar in ManiFeSt's mean kernel.

These scorers have no kernel scale to tune. The relevance is
`manifest.relevance.calibrated_relevance`, and the choice is `manifest.relevance.set_choice`. X must
have at least two features that vary, and y at least two samples of each class. The scores are whole
numbers, the highest for the feature chosen first and 0 for the last. Tied features are chosen
together, except that copies follow all other features of positive quality.
"""

from functools import partial
from typing import Any

import numpy as np

from manifest.relevance import calibrated_relevance, set_choice

from .contract import validated
from .filters.anova import anova
from .filters.relieff import relieff

#: ReliefF with its usual number of neighbours.
_relieff = partial(relieff, k=10)


def manifest_set(
    X: Any,
    y: Any,
    *,
    n_permutations: int | str = 3,
    block: int | None = 1000,
    random_state: int = 0,
    geometry: str = "euclidean",
) -> np.ndarray:
    """Choose features one by one that are relevant at four kernel scales and dissimilar in M.

    Parameters
    ----------
    n_permutations : int or "auto", default=3
        Number of permutations of the labels, at least 1.
    block : int or None, default=1000
        Largest number of features that are compared with each other; more are divided at random
        into blocks.
    random_state : int, default=0
        Seed of the permutations and of the blocks, at least 0.
    geometry : {"euclidean", "regularized"}, default="euclidean"
        The plain difference of the kernels, or the paper's Riemannian one.
    """
    form = {"n_permutations": n_permutations, "block": block, "random_state": random_state}
    return _by_relevance(X, y, geometry=geometry, **form)


def manifest_relieff_set(
    X: Any,
    y: Any,
    *,
    n_permutations: int | str = 3,
    block: int | None = 1000,
    random_state: int = 0,
) -> np.ndarray:
    """Choose features one by one by the relevance of ManiFeSt and of ReliefF (k = 10).

    Both relevances are calibrated by permuted labels and added. The difference of the kernels is
    the Riemannian one.

    Parameters
    ----------
    n_permutations : int or "auto", default=3
        As in `manifest_set`.
    block : int or None, default=1000
        As in `manifest_set`.
    random_state : int, default=0
        As in `manifest_set`.
    """
    form = {"n_permutations": n_permutations, "block": block, "random_state": random_state}
    return _by_relevance(X, y, scorers=[_relieff], geometry="regularized", **form)


def relieff_set(X: Any, y: Any) -> np.ndarray:
    """Choose features one by one that are relevant by ReliefF and dissimilar in ManiFeSt's M.

    ReliefF has 10 neighbours.
    """
    return _by_scores(X, y, _relieff)


def anova_set(X: Any, y: Any) -> np.ndarray:
    """Choose features one by one that are relevant by ANOVA and dissimilar in ManiFeSt's M."""
    return _by_scores(X, y, anova)


def _by_scores(X, y, scorer) -> np.ndarray:
    """Return scores for the order of choice by the scores of a filter."""
    X, codes = validated(X, y)
    return _backwards(set_choice(X, codes, scorer(X, codes)))


def _by_relevance(X, y, **parameters) -> np.ndarray:
    """Return scores for the order of choice by `manifest.relevance.calibrated_relevance`."""
    X, codes = validated(X, y)
    return _backwards(calibrated_relevance(X, codes, **parameters).steps)


def _backwards(steps: np.ndarray) -> np.ndarray:
    """Return whole numbers as scores, the highest for the first step, 0 for the last."""
    return (steps.max() - steps).astype(np.float64)
