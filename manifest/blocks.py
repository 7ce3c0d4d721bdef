"""Many features, block by block: which features are scored together, and how a block is scored.

A block is a random part of the features. It is scored together with a context, random features that
stand for all others, each for so many: the weight w of a feature multiplies the measure that both
kernels act on, so that they become ``W^1/2 K W^1/2 + delta I`` with W the diagonal matrix of the
weights, and the score of a feature is its entry in the diagonal of |D| over its weight.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from sklearn.utils.parallel import _get_threadpool_controller

from manifest.composition import aggregated, compositions_of, scores_of
from manifest.kernels import (
    distance_percentiles,
    kernel_scale,
    rbf_kernel,
    squared_feature_distances,
)
from manifest.linalg import diagonal
from manifest.regularized import FLOOR

#: So many random pairs of features, at most, decide on a kernel scale.
PAIRS = 1 << 20
# Numbers of a part of them.
_CHUNK = 1 << 19


@dataclass(frozen=True)
class Block:
    """Features that are scored together: the block and its context, each ascending."""

    features: np.ndarray
    context: np.ndarray
    #: The number of features that one of the context stands for.
    weight: float = 1.0
    #: True if block and context are all features.
    is_exact: bool = False

    @property
    def together(self):
        """The block and then its context."""
        return np.concatenate([self.features, self.context])

    @property
    def weights(self):
        """One a feature of the block and of the context; with a context they sum to d."""
        return np.repeat([1.0, self.weight], [len(self.features), len(self.context)])


def draw_blocks(n_features, block, context, seed):
    """A random partition of the features into blocks of at most `block`, each with its context.

    Without a context the blocks stand for themselves. `seed` is a SeedSequence: one generator is
    spawned for the partition and one for each block.
    """
    n_blocks = -(-n_features // block)
    partition, *seeds = seed.spawn(1 + n_blocks)
    order = np.random.default_rng(partition).permutation(n_features)
    drawn = []
    for part, own in zip(np.array_split(order, n_blocks), seeds, strict=True):
        rest = n_features - len(part)
        m = min(context, rest)
        chosen = np.empty(0, dtype=part.dtype)
        if m:
            others = np.setdiff1d(order, part, assume_unique=True)
            chosen = np.sort(np.random.default_rng(own).choice(others, m, replace=False))
        # Without a context, too, a block of a part of the features is not the exact score.
        drawn.append(Block(np.sort(part), chosen, rest / m if m else 1.0, rest == m))
    return drawn


@dataclass(frozen=True)
class ClassSamples:
    """The samples of one class, of shape (n_l, d), and its kernel scale, which all blocks share."""

    X: np.ndarray = field(repr=False)
    #: A power of two near the largest magnitude, as of `manifest.kernels.unit_magnitude`.
    unit: float
    #: In that unit.
    scale: float

    @classmethod
    def of(cls, X, label, seed, *, scale_factor, percentile, every_pair):
        """The scale from all pairs of features or, if these are too many, a random sample of them.

        The standard error of a percentile p from a sample of N pairs is ``sqrt(p (1 - p) / N)``
        in the share of the pairs that lie below it: 0.0005 for the median. `every_pair` takes all
        pairs whatever their number, which needs d x d numbers. Errors are those of
        `manifest.kernels.kernel_scale`.
        """
        d = X.shape[1]
        unit = float(np.ldexp(1.0, min(1023, int(np.frexp(max(X.max(), -X.min()))[1]))))
        q = 50 if percentile is None else percentile
        if every_pair or d * (d - 1) // 2 <= PAIRS:
            (distance,) = distance_percentiles(squared_feature_distances(X / unit), [q])
        else:
            distance = float(np.percentile(_sampled_distances(X, unit, seed), q))
        form = {"scale_factor": scale_factor, "percentile": percentile, "n_features": d}
        return cls(X, unit, kernel_scale(distance, label, unit=unit, **form))

    def of_features(self, features):
        """The samples of some features, in the unit."""
        return self.X[:, features] / self.unit


def _sampled_distances(X, unit, seed):
    """The distances of PAIRS random pairs of different features, in the unit."""
    rng = np.random.default_rng(seed)
    i = rng.integers(X.shape[1], size=PAIRS)
    j = rng.integers(X.shape[1] - 1, size=PAIRS)
    j += j >= i
    squared = np.empty(PAIRS)
    step = max(1, _CHUNK // len(X))
    for start in range(0, PAIRS, step):
        pairs = slice(start, start + step)
        difference = (X[:, i[pairs]] - X[:, j[pairs]]) / unit
        squared[pairs] = np.einsum("ij,ij->j", difference, difference)
    return np.sqrt(squared)


class BlockScores(NamedTuple):
    """The scores of the b features of a block, and facts about them."""

    #: (b,)
    scores: np.ndarray
    #: (b, n_classes): the mean of each feature's row of the kernel of each class.
    similarity: np.ndarray
    #: The amount by which rounding moves scores.
    rounding: float
    #: The warnings that are due, each a category and a text.
    warnings: list


def score_block(
    samples,
    scales,
    block,
    labels,
    *,
    n_features,
    n_normalizations,
    one_thread,
    aggregate="max",
    multiclass="mean",
):
    """The scores of the features of one block, and their mean similarities in each class.

    Parameters
    ----------
    samples : sequence of ndarrays of shape (n_l, b + m)
        Samples of each class: the features of the block, then the features of the context.
    scales : sequence of float
        The kernel scale of each class.
    block : Block
    labels : tuple
        The classes.
    n_features : int
        Number of features of all blocks together.
    n_normalizations : int
    one_thread : bool
        Hold the BLAS to one thread: more of them add numbers in another order, and the scores
        would depend on how many blocks are computed at once.
    aggregate, multiclass : str
        As of `manifest.manifest_score`.

    Returns
    -------
    BlockScores
    """
    with _get_threadpool_controller().limit(limits=1 if one_thread else None, user_api="blas"):
        kernels, delta, similarity = _weighted_kernels(
            samples, scales, block, n_features, n_normalizations
        )
        group = compositions_of(kernels, labels, "regularized", multiclass, delta)
        found = scores_of(group, multiclass)
    scores = aggregated(found.rows, aggregate)[: len(block.features)]
    return BlockScores(scores, similarity, found.rounding, found.warnings)


def _weighted_kernels(samples, scales, block, n_features, n_normalizations):
    """The kernels ``W^1/2 K W^1/2`` with their scales, their shift, and the similarities."""
    weights, b = block.weights, len(block.features)
    root = np.sqrt(weights)
    # The row sums of the normalisation are sums over all features.
    share = n_features / weights.sum()
    kernels, similarity, sizes = [], [], []
    for X, scale in zip(samples, scales, strict=True):
        kernel = rbf_kernel(squared_feature_distances(X), scale)
        similarity.append((kernel[:b] @ weights) / weights.sum())
        for _ in range(n_normalizations):
            inverse = 1 / np.sqrt(share * (kernel @ weights))
            kernel *= inverse
            kernel *= inverse[:, None]
        sizes.append(weights @ diagonal(kernel) / weights.sum())
        kernel *= root
        kernel *= root[:, None]
        kernels.append((kernel, scale))
    # The shift of a part of the features must not depend on which ones these are.
    delta = None if block.is_exact else FLOOR * float(np.mean(sizes))
    return kernels, delta, np.column_stack(similarity)
