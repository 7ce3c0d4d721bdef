"""Tasks for pictures: leading eigenvectors of M and D, and the score, for classes of images."""

import warnings

import numpy as np

from experiments.cache import Row
from manifest import AmbiguousScoreWarning, operators

#: The value of a pixel that becomes 1.
MAXIMUM = 255.0
#: Eigenvectors of M and of D that are shown.
N_MEAN, N_DIFFERENCE = 2, 4


def decompose(images: np.ndarray, parameters: dict) -> Row:
    """Compute the pictures of two classes; the first half of the images is class 1.

    Returns
    -------
    Row
        "score" (d,); the leading eigenvalues and eigenvectors of M and D: "mean_values" (N_MEAN,),
        "mean_vectors" (N_MEAN, d), "difference_values" (N_DIFFERENCE,), "difference_vectors"
        (N_DIFFERENCE, d); and the numbers of :class:`manifest.Operators`.
    """
    X = images / MAXIMUM
    y = np.repeat([0, 1], len(X) // 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguousScoreWarning)  # The row has n_ambiguous.
        both = operators(X, y, **parameters)
    return {
        "score": both.score,
        "mean_values": both.mean_eigenvalues[:N_MEAN],
        "mean_vectors": oriented(both.mean_eigenvectors[:, :N_MEAN]).T,
        "difference_values": both.difference_eigenvalues[:N_DIFFERENCE],
        "difference_vectors": oriented(both.difference_eigenvectors[:, :N_DIFFERENCE]).T.copy(),
        "scale_1": both.scales[0],
        "scale_2": both.scales[1],
        "rank": both.rank,
        "n_ambiguous": both.n_ambiguous,
        "delta": both.delta,
    }


def oriented(vectors: np.ndarray) -> np.ndarray:
    """Orient eigenvectors, the columns of a matrix: the largest entry of each becomes positive.

    The sign of an eigenvector is arbitrary; this is the convention of scikit-learn's ``svd_flip``.
    """
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.sign(vectors[largest, np.arange(vectors.shape[1])])
