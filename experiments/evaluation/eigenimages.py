"""Tasks for pictures: leading eigenvectors of M and D, and the score, for classes of images."""

import warnings

import numpy as np

from experiments.cache import Row
from manifest import AmbiguousScoreWarning, Operators, operators


def decompose(
    images: np.ndarray, maximum: float, parameters: dict, n_mean: int, n_difference: int
) -> Row:
    """Compute the pictures of two classes; the first half of the images is class 1.

    The row also has the numbers of :class:`manifest.Operators`.
    """
    X = images / maximum
    y = np.repeat([0, 1], len(X) // 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguousScoreWarning)  # The row has n_ambiguous.
        both = operators(X, y, **parameters)
    return {
        **leading(both, n_mean, n_difference),
        "scale_1": both.scales[0],
        "scale_2": both.scales[1],
        "rank": both.rank,
        "n_ambiguous": both.n_ambiguous,
        "delta": both.delta,
    }


def leading(composed: Operators, n_mean: int, n_difference: int) -> Row:
    """Return the score, and the leading eigenvectors of M and of each D.

    Returns
    -------
    Row
        "score" (d,); "mean_values" (n_mean,) and "mean_vectors" (n_mean, d); "difference_values"
        (C, n_difference) and "difference_vectors" (C, n_difference, d); C is 1 for two classes.
    """
    vectors = composed.difference_eigenvectors
    vectors = vectors[..., :n_difference].reshape(-1, *vectors.shape[-2:-1], n_difference)
    return {
        "score": composed.score,
        "mean_values": composed.mean_eigenvalues[:n_mean],
        "mean_vectors": oriented(composed.mean_eigenvectors[:, :n_mean]).T,
        "difference_values": np.atleast_2d(composed.difference_eigenvalues)[:, :n_difference],
        "difference_vectors": np.array([oriented(of_class).T for of_class in vectors]),
    }


def oriented(vectors: np.ndarray) -> np.ndarray:
    """Orient eigenvectors, the columns of a matrix: the largest entry of each becomes positive.

    The sign of an eigenvector is arbitrary; this is the convention of scikit-learn's ``svd_flip``.
    """
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.sign(vectors[largest, np.arange(vectors.shape[1])])
