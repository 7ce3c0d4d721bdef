"""Orders of samples and features that follow from their values: random choices that no order moves.

What is drawn at random for samples or features in these orders is a function of the data: neither
an order of the rows or columns, nor a common shift and scale of X, nor names of classes change it.
"""

import hashlib

import numpy as np
from scipy.stats import rankdata


def ranks(X):
    """The rank of each value among the different values of its feature, from 1, (n, d)."""
    return np.asarray(rankdata(X, method="dense", axis=0), dtype=np.float64)


def order_of_samples(R, codes=None):
    """The samples in the order of a digest of their values.

    The digest is of the sorted inner products of a sample's ranks with those of all samples, which
    are whole numbers and so exact. Samples of the same products come in the order of a digest of
    their classes; the rest, such as equal samples of one class, stay in the order of their rows.

    Parameters
    ----------
    R : ndarray of shape (n_samples, n_features)
        As of `ranks`.
    codes : ndarray of int, shape (n_samples,), optional
        The classes, 0..C - 1. A class counts by its samples, and not by its number.

    Returns
    -------
    ndarray of int, shape (n_samples,)
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
    """The features in the order of a digest of their ranks, those of equal ranks by a value.

    Parameters
    ----------
    X, R : ndarray of shape (n_samples, n_features)
        The values, and their ranks as of `ranks`.
    samples : ndarray of int, shape (n_samples,)
        As of `order_of_samples`.

    Returns
    -------
    ndarray of int, shape (n_features,)
    """
    columns = np.ascontiguousarray(R[samples].T)
    digests = [hashlib.sha256(column.tobytes()).digest() for column in columns]
    first = X[samples[0]]
    return np.array(sorted(range(len(columns)), key=lambda j: (digests[j], first[j])))
