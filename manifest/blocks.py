"""Many features: random blocks of them, each scored exactly and alone.

The exact score takes time d^3 and memory d^2. In blocks of b features it takes time d b^2, and the
memory of the samples and of one block. The features come in the order of a digest of their values,
are shuffled, and are cut into the fewest blocks of at most b, of equal size but for one feature. A
feature then has the score that it has among the features of its block.

What is lost are relations between features of different blocks. A block of a share s of the
features sees a share s of the pairs, so a feature with many partners keeps a fair sample of them,
and one whose single partner is elsewhere has the score of a feature without any.

What is drawn at random for samples or features in the orders of this module is a function of the
data: neither an order of the rows or columns, nor a common shift and scale of X, nor names of
classes change it.
"""

import hashlib

import numpy as np
from scipy.stats import rankdata

from manifest.validation import check_integer

#: No block of two features or more is cut off below this size, and one feature has no distances.
SMALLEST = 3


def draw_blocks(X, block, random_state=0):
    """A random partition of the features of X, (n_samples, d), into blocks of about equal size.

    The features of each block are ascending. A block has at most `block` features, at least 3; None
    is one block of all. `random_state` is a seed of at least 0. What is out of range is a
    ValueError.
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
    """The rank of each value among the different values of its feature, from 1, (n, d)."""
    return np.asarray(rankdata(X, method="dense", axis=0), dtype=np.float64)


def order_of_samples(R, codes=None):
    """The samples in the order of a digest of their values, from the `ranks` R of these.

    The digest is of the sorted inner products of a sample's ranks with those of all samples, which
    are whole numbers and so exact. Samples of the same products come in the order of a digest of
    their classes, the codes 0..C - 1 of shape (n_samples,): a class counts by its samples, and not
    by its number. The rest, such as equal samples of one class, stay in the order of their rows.
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
    """The features in the order of a digest of their `ranks` R, those of equal ranks by a value.

    `samples` is their order, as of `order_of_samples`.
    """
    columns = np.ascontiguousarray(R[samples].T)
    digests = [hashlib.sha256(column.tobytes()).digest() for column in columns]
    first = X[samples[0]]
    return np.array(sorted(range(len(columns)), key=lambda j: (digests[j], first[j])))
