"""Blind a scorer: it gets shuffled labels, which shows what a ranking owes to the labels."""

import functools
import hashlib
from typing import Any

import numpy as np

from .contract import Scorer, validated
from .filters._contents import keys, ranked


def blind(scorer: Scorer, seed: int = 0) -> Scorer:
    """Return the scorer with the labels permuted among the samples.

    It is a control of a ranking: features that are found with shuffled labels, too, were not found
    by the labels. The sizes of the classes stay. The permutation is the same for all scorers. It
    depends on the contents of the samples and on the seed, and not on any order.

    Parameters
    ----------
    scorer : callable
        ``(X, y, **params) -> scores (n_features,)``, perhaps with the attribute ``grid``.
    seed : int
        Seed of the permutation, at least 0.
    """

    @functools.wraps(scorer)
    def blinded(X: Any, y: Any, *args: Any, **parameters: Any) -> np.ndarray:
        return scorer(X, permuted(X, y, seed), *args, **parameters)

    if hasattr(scorer, "grid"):
        name, of_values = scorer.grid
        blinded.grid = (name, blind(of_values, seed))  # type: ignore[attr-defined]
    return blinded


def permuted(X: Any, y: Any, seed: int) -> np.ndarray:
    """Return the labels as codes 0..C-1, permuted by the contents of the samples."""
    X, codes = validated(X, y)
    rows, columns = (np.argsort(number, kind="stable") for number in keys(X, codes))
    contents = hashlib.sha256(ranked(X)[np.ix_(rows, columns)].tobytes()).digest()
    labels = np.empty_like(codes)
    labels[rows] = np.random.default_rng([seed, *contents]).permutation(codes[rows])
    return labels
