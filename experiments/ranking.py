"""From scores to a feature ranking."""

import numpy as np


def rank(scores, rng: np.random.Generator) -> np.ndarray:
    """The features from best to worst, equal scores in random order.

    Ties are common in few samples (every univariate filter on binary features), and breaking them
    by position would favour the first columns, which generators like to make the relevant ones.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Higher is better.
    rng : numpy.random.Generator
        From the axes of the unit, so that all methods break ties alike.

    Returns
    -------
    ndarray of int, shape (n_features,)
    """
    shuffled = rng.permutation(len(scores))
    return shuffled[np.argsort(-np.asarray(scores)[shuffled], kind="stable")]
