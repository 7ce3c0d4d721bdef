"""Order samples and features by their values instead of their positions."""

import hashlib
from collections.abc import Callable

import numpy as np

from manifest.blocks import ranks


def keys(X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a number for each sample and each feature that depends on the values alone.

    Permuting samples or features permutes these numbers. Increasing maps of a feature, or another
    numbering of the classes, do not change them. A filter that depends on an order, because of ties
    or random numbers, takes samples and features in the order of their keys. Its result then
    depends on the data alone.

    The key of a sample is a digest of its class and of its values with the keys of their features.
    The key of a feature is a digest of its values with the keys of their samples. Both start
    without the keys of the other and are refined once (as in Weisfeiler and Leman's test of
    graphs). Values are replaced by their ranks in the feature. Equal features have equal keys, and
    so have features that a symmetry of all the data swaps.
    """
    places = ranked(X)
    samples, features = (np.zeros(size, dtype=np.int64) for size in X.shape)
    for _ in range(2):
        samples = places_of_rows(features * (len(X) + 1) + places)
        classes = _digests_of_groups(samples, codes)
        samples = np.unique(classes[codes] * len(X) + samples, return_inverse=True)[1]
        features = places_of_rows((samples[:, None] * (len(X) + 1) + places).T)
        if len(np.unique(samples)) == len(X) and len(np.unique(features)) == X.shape[1]:
            break
    return samples, features


def in_order_of_contents(
    X: np.ndarray,
    codes: np.ndarray,
    score: Callable[[np.ndarray, np.ndarray], np.ndarray],
    values: np.ndarray | None = None,
    alike: np.ndarray | None = None,
) -> np.ndarray:
    """Compute scores that do not depend on the order of samples and features.

    `score` maps the `values`, by default the ranks of X, and the codes to scores; their rows and
    columns are in the order of their keys. Equal features share the mean of their scores. Features
    are equal if their ranks are equal and, given `alike` of shape (n_samples, n_features), if its
    columns are equal.
    """
    samples, features = keys(X, codes)
    rows = np.argsort(samples, kind="stable")
    if alike is not None:
        table = np.vstack([features, alike[rows]]).T
        features = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    columns = np.argsort(features, kind="stable")
    values = ranked(X) if values is None else values
    scores = np.empty(columns.size)
    scores[columns] = score(values[np.ix_(rows, columns)], codes[rows])
    return (np.bincount(features, scores) / np.bincount(features))[features]


def ranked(X: np.ndarray) -> np.ndarray:
    """Return the rank, from 1, of each value among the distinct values of its feature."""
    return ranks(X).astype(np.int64)


def places_of_rows(table: np.ndarray) -> np.ndarray:
    """Return a number for each row that depends on its values and not on their order."""
    digests = [hashlib.sha256(row.tobytes()).hexdigest() for row in np.sort(table, axis=1)]
    return np.unique(digests, return_inverse=True)[1]


def _digests_of_groups(samples: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return a number for each class that depends on its samples."""
    groups = (np.sort(samples[codes == code]) for code in range(codes.max() + 1))
    digests = [hashlib.sha256(group.tobytes()).hexdigest() for group in groups]
    return np.unique(digests, return_inverse=True)[1]
