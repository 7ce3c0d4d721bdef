"""Samples like gene expression: blocks of correlated features, a few of which tell the classes."""

import numpy as np

from experiments.datasets.dataset import DataError
from experiments.datasets.sample import Sample


def expression_like(
    rng: np.random.Generator,
    *,
    n_samples: int = 100,
    n_features: int = 5000,
    block: int = 20,
    n_relevant_blocks: int = 5,
    correlation: float = 0.8,
) -> Sample:
    """Draw SYNTHETIC features that hang together in blocks, as genes of one pathway do.

    A feature of block k is ``level + spread * (sqrt(c) f_k + sqrt(1 - c) e)`` with f_k and e
    standard normal, f_k common to its block: within the block any two have the correlation c. The
    level (standard normal) and the spread (log-normal) are those of the feature. In most blocks c
    is drawn from [0, correlation] and is the same for all samples. In each relevant block it is 0
    in one class, drawn for each block, and `correlation` in the other: the mean and the variance of
    each feature are the same in both classes, so that no feature on its own says anything about y.
    The columns are in random order.

    Parameters
    ----------
    rng : numpy.random.Generator
    n_samples : int, at least 4
    n_features : int, at least 2
    block : int, at least 2
        Features of a block; the last block has what is left.
    n_relevant_blocks : int, at least 1
        There must be so many blocks of full size.
    correlation : float in (0, 1)

    Returns
    -------
    Sample
        X (n_samples, n_features); y (n_samples,) in {0, 1}, as many ones as zeros (one fewer if
        n_samples is odd); the features of the relevant blocks, sorted.

    Raises
    ------
    DataError
        If a number is out of range, or there are fewer blocks than relevant ones.
    """
    if n_relevant_blocks * block > n_features:
        raise DataError(
            f"expression_like: {n_relevant_blocks} relevant blocks of {block} features need "
            f"{n_relevant_blocks * block}, but n_features={n_features}"
        )
    if not 0 < correlation < 1:
        raise DataError(f"expression_like: correlation={correlation!r} must lie between 0 and 1")
    y = rng.permutation(np.arange(n_samples, dtype=np.int64) % 2)
    X = rng.standard_normal((n_samples, n_features))
    place = rng.permutation(n_features)
    for number, start in enumerate(range(0, n_features, block)):
        features = place[start : start + block]
        factor = rng.standard_normal(n_samples)
        if number < n_relevant_blocks:
            common = np.where(y == rng.integers(2), correlation, 0.0)
        else:
            common = np.full(n_samples, rng.uniform(0, correlation))
        own = X[:, features] * np.sqrt(1 - common)[:, None]
        X[:, features] = own + (np.sqrt(common) * factor)[:, None]
    X *= rng.lognormal(sigma=0.5, size=n_features)
    X += rng.standard_normal(n_features)
    return Sample(X, y, tuple(sorted(place[: n_relevant_blocks * block].tolist())))
