"""Laplacian score: how well a feature follows the graph of near samples, as in skfeature."""

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from ..contract import TIES, check_integer, constants_last, number, shifted, validated


def laplacian_score(
    X: Any, y: Any, *, percentile: float = 50, neighbors: int | None = 5
) -> np.ndarray:
    """Return minus the Laplacian score of each feature (He, Cai, Niyogi 2005, as in skfeature).

    The graph joins each sample with itself and with its nearest samples: i and j are joined if
    one of them is among the nearest of the other. The weights are those of a heat kernel, whose
    scale s is a percentile of the Euclidean distances between all pairs of samples:

        W_ij = exp(-|x_i - x_j|^2 / (2 s^2)) if i and j are joined, else 0,
        D = diag(W 1),    L = D - W.

    For the feature f, centred as f~ = f - (f'D1 / 1'D1) 1,

        score = f~'L f~ / f~'D f~,

    is small if samples near each other have similar values. It ignores the labels.

    The nearest samples are those not farther than the one at position ``neighbors``, including all
    that tie with it. Two squared distances are equal if they differ by at most 1e-9 of their size.
    Without such ties, the graph is that of skfeature's ``construct_W`` with a heat kernel and 5
    neighbours, its default number. The paper probably uses this graph: it takes skfeature's score
    and states a percentile as the scale but no number of neighbours (Cohen, Shnitzer, Kluger,
    Talmon 2022, appendix on hyper-parameters). By default skfeature uses cosines instead of the
    heat kernel, and normalises the rows of the caller's array in place.

    Parameters
    ----------
    percentile : float
        In [0, 100]. If this percentile is 0 because of duplicated samples, the scale is the
        smallest distance between two different samples.
    neighbors : int, optional
        At least 1. With fewer other samples, or with None, all pairs are joined.
    """
    X, _ = validated(X, y)
    percentile = number("percentile", percentile, 0, 100)
    n_joined = len(X) - 1
    if neighbors is not None:
        n_joined = min(n_joined, check_integer("neighbors", neighbors, 1))

    def scores(varying: np.ndarray) -> np.ndarray:
        W, squared, noise = heat_kernel(varying, percentile)
        if n_joined < len(X) - 1:
            W[~_joined(squared, n_joined, noise)] = 0
        return -_ratio(W, shifted(varying))

    return constants_last(X, scores)


def heat_kernel(X: np.ndarray, percentile: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the heat kernel of all samples at a percentile of their distances.

    Also returns the squared distances and a bound on their rounding errors. If the percentile is
    0, the scale is the smallest distance above 0.
    """
    # One power of two for all features, so that no square overflows and the kernel is the same.
    X = np.ldexp(X, -np.frexp(np.abs(X).max())[1])
    centred = X - X.min(axis=0)
    centred -= centred.mean(axis=0)
    squared = euclidean_distances(centred, squared=True)
    # The distances come from inner products; between equal samples they are rounding errors.
    noise = 8 * np.finfo(float).eps * (centred**2).sum(axis=1).max()
    squared[squared <= noise] = 0
    distances = np.sqrt(squared[np.triu_indices(len(squared), 1)])
    scale = float(np.percentile(distances, percentile)) or float(distances[distances > 0].min())
    return np.exp(-squared / (2 * scale**2)), squared, float(noise)


def _joined(squared: np.ndarray, n_joined: int, noise: float) -> np.ndarray:
    """Return True for pairs in which one is among the nearest of the other, and on the diagonal."""
    others = squared.copy()
    np.fill_diagonal(others, np.inf)
    limit = np.partition(others, n_joined - 1, axis=1)[:, n_joined - 1, None]
    near = squared <= limit * (1 + TIES) + noise
    return near | near.T


def _ratio(W: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return f~'L f~ / f~'D f~ of each column f of X."""
    degree = W.sum(axis=1)
    X = X - (degree / degree.sum()) @ X
    spread = degree @ X**2
    return (spread - np.einsum("ij,ij->j", X, W @ X)) / spread
