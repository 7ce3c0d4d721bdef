"""Orders of samples and features that follow from their values, and not from their places."""

import hashlib
from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata


def keys(X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number for each sample and each feature that depends on the values alone.

    Permuting samples or features permutes these numbers; no increasing map of a feature and no
    numbering of the classes changes them. A filter whose result depends on an order, by ties or
    random numbers, takes samples and features in the order of their keys, and so becomes a function
    of the data.

    The key of a sample is a digest of its class and of its values with the keys of their features;
    that of a feature is a digest of its values with the keys of their samples. Both start without
    the keys of the other and are refined once (as in Weisfeiler and Leman's test of graphs). A
    value counts by its rank in its feature. Equal features have equal keys, and so have features
    that only a symmetry of all the data exchanges.
    """
    ranks = ranked(X)
    samples, features = (np.zeros(size, dtype=np.int64) for size in X.shape)
    for _ in range(2):
        samples = _digests(features * (len(X) + 1) + ranks)
        classes = _digests_of_groups(samples, codes)
        samples = np.unique(classes[codes] * len(X) + samples, return_inverse=True)[1]
        features = _digests((samples[:, None] * (len(X) + 1) + ranks).T)
        if len(np.unique(samples)) == len(X) and len(np.unique(features)) == X.shape[1]:
            break
    return samples, features


def in_order_of_contents(
    X: np.ndarray,
    codes: np.ndarray,
    score: Callable[[np.ndarray, np.ndarray], np.ndarray],
    values: np.ndarray | None = None,
) -> np.ndarray:
    """The scores of features whose scorer depends on the order of samples and features.

    `score` maps the indices of the rows and of the columns, in the order of their keys, to scores
    of these columns; equal features share the mean of their scores. Features are equal if their
    ranks are, and if their values are, given `values` of shape (n_samples, n_features).
    """
    samples, features = keys(X, codes)
    rows = np.argsort(samples, kind="stable")
    if values is not None:
        table = np.vstack([features, values[rows]]).T
        features = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    columns = np.argsort(features, kind="stable")
    scores = np.empty(columns.size)
    scores[columns] = score(rows, columns)
    return (np.bincount(features, scores) / np.bincount(features))[features]


def ranked(X: np.ndarray) -> np.ndarray:
    """The rank of each value among the different values of its feature, from 1."""
    return rankdata(X, method="dense", axis=0).astype(np.int64)


def _digests(table: np.ndarray) -> np.ndarray:
    """For each row a number that tells which values it has, whatever their order."""
    digests = [hashlib.sha256(row.tobytes()).hexdigest() for row in np.sort(table, axis=1)]
    return np.unique(digests, return_inverse=True)[1]


def _digests_of_groups(samples: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """For each class a number that tells which samples it has."""
    groups = (np.sort(samples[codes == code]) for code in range(codes.max() + 1))
    digests = [hashlib.sha256(group.tobytes()).hexdigest() for group in groups]
    return np.unique(digests, return_inverse=True)[1]
