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


def order_of_samples(R):
    """The samples in the order of a digest of their values.

    The digest is of the sorted inner products of a sample's ranks with those of all samples, which
    are whole numbers and so exact. Equal samples stay in the order of their rows, and so do samples
    that have the same products; the rest of the order is one of the data alone.

    Parameters
    ----------
    R : ndarray of shape (n_samples, n_features)
        As of :func:`ranks`.

    Returns
    -------
    ndarray of int, shape (n_samples,)
    """
    digests = []
    for row in R:
        products = R @ row
        own = products.dtype.type(row @ row)
        digests.append(hashlib.sha256(np.append(np.sort(products), own).tobytes()).digest())
    return np.array(sorted(range(len(R)), key=digests.__getitem__))


def order_of_features(X, R, samples):
    """The features in the order of a digest of their ranks, those of equal ranks by a value.

    Parameters
    ----------
    X, R : ndarray of shape (n_samples, n_features)
        The values, and their ranks as of :func:`ranks`.
    samples : ndarray of int, shape (n_samples,)
        As of :func:`order_of_samples`.

    Returns
    -------
    ndarray of int, shape (n_features,)
    """
    columns = np.ascontiguousarray(R[samples].T)
    digests = [hashlib.sha256(column.tobytes()).digest() for column in columns]
    first = X[samples[0]]
    return np.array(sorted(range(len(columns)), key=lambda j: (digests[j], first[j])))
