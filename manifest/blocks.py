"""Divide many features into random blocks, which are scored one by one.

The exact score takes time d^3 and memory d^2. Blocks of b features take time d b^2, and the memory
of the samples and of one block. The features are sorted by a digest of their values, shuffled, and
cut into as few blocks of at most b features as possible; the sizes differ by at most one. Each
feature is scored among the features of its block.

Relations between features of different blocks are lost. In a block with a share s of the features,
a feature meets a share s of its partners. A feature with many partners keeps a fair sample of them.
A feature with a single partner in another block scores as if it had none.

Random draws in the orders of this module depend on the data alone. They do not change with the
order of the rows or columns, with a common shift or scale of X, or with the names of the classes.
"""

import hashlib

import numpy as np
from scipy.stats import rankdata

from manifest.validation import check_integer

#: The smallest value of `block`; no block then has a single feature, which has no distances.
SMALLEST = 3


def draw_blocks(X, block, random_state=0):
    """Divide the features of X, (n_samples, d), at random into blocks of about equal size.

    The features of each block are ascending. `block` is the largest size of a block, at least 3;
    None gives one block with all features. `random_state` is a seed of at least 0. Values out of
    range raise a ValueError.
    """
    check_integer("random_state", random_state, 0)
    if block is not None:
        check_integer("block", block, SMALLEST)
    d = X.shape[1]
    if block is None or d <= block:
        return [np.arange(d)]
    R = ranks(X)
    order = order_of_features(X, R, order_of_samples(R))
    rng = np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(1,)))
    return [np.sort(part) for part in np.array_split(rng.permutation(order), -(-d // block))]


def ranks(X):
    """Return the rank, from 1, of each value among the distinct values of its feature, (n, d)."""
    return np.asarray(rankdata(X, method="dense", axis=0), dtype=np.float64)


def order_of_samples(R, codes=None):
    """Sort the samples by a digest of the `ranks` R of their values.

    The digest is taken of the sorted inner products of a sample's ranks with those of all samples.
    These are whole numbers and therefore exact. Samples with the same products are sorted by a
    digest of their classes, the codes 0..C - 1 of shape (n_samples,). This digest depends on the
    samples of a class, not on its number. Remaining ties, such as equal samples of one class, keep
    the order of the rows.
    """
    digests = []
    for row in R:
        products = R @ row
        own = products.dtype.type(row @ row)
        digests.append(hashlib.sha256(np.append(np.sort(products), own).tobytes()).digest())
    codes = np.zeros(len(R), dtype=np.intp) if codes is None else codes
    groups = [sorted(d for d, own in zip(digests, codes, strict=True) if own == code)
              for code in range(codes.max() + 1)]  # fmt: skip
    classes = [hashlib.sha256(b"".join(group)).digest() for group in groups]
    return np.array(sorted(range(len(R)), key=lambda i: (digests[i], classes[codes[i]])))


def order_of_features(X, R, samples):
    """Sort the features by a digest of their `ranks` R, and features of equal ranks by a value.

    `samples` is the order of the samples that `order_of_samples` returns.
    """
    columns = np.ascontiguousarray(R[samples].T)
    digests = [hashlib.sha256(column.tobytes()).digest() for column in columns]
    first = X[samples[0]]
    return np.array(sorted(range(len(columns)), key=lambda j: (digests[j], first[j])))
