"""The unit of the illustration protocol: the operators of two classes of images."""

import warnings

import numpy as np

from experiments.engine.keys import Row
from manifest.categories import AmbiguousScoreWarning
from manifest.composite_kernels import operators


def decompose(
    images: np.ndarray, maximum: float, parameters: dict, n_mean: int, n_difference: int
) -> Row:
    """The operators of two classes, the first half of the images being class 1.

    Returns
    -------
    dict
        The score, the leading eigenvectors of M and D one after the other, their eigenvalues, and
        what :class:`manifest.Operators` says of the composition.
    """
    X = images / maximum
    y = np.repeat([0, 1], len(X) // 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguousScoreWarning)  # the row tells
        found = operators(X, y, **parameters)
    return {
        "score": found.score,
        "mean_values": found.mean_eigenvalues[:n_mean],
        "mean_vectors": oriented(found.mean_eigenvectors[:, :n_mean]).T.ravel(),
        "difference_values": found.difference_eigenvalues[:n_difference],
        "difference_vectors": oriented(found.difference_eigenvectors[:, :n_difference]).T.ravel(),
        "scale_1": found.scales[0],
        "scale_2": found.scales[1],
        "rank": found.rank,
        "n_ambiguous": found.n_ambiguous,
        "delta": found.delta,
    }


def oriented(vectors: np.ndarray) -> np.ndarray:
    """Eigenvectors, the columns of a matrix, each with its entry of largest magnitude positive.

    The sign of an eigenvector is arbitrary; this is the convention of scikit-learn's ``svd_flip``.
    """
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.sign(vectors[largest, np.arange(vectors.shape[1])])
