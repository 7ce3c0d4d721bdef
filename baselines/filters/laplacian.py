"""Laplacian score: how well a feature follows the graph of near samples, as in skfeature."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array

from baselines._common import constants_last, from_order, shifted, use_skfeature, validated

__all__ = ["laplacian_score"]


def laplacian_score(
    X: Any, y: Any = None, *, percentile: float = 50, engine: str = "numpy"
) -> np.ndarray:
    """Minus the Laplacian score of each feature (He, Cai, Niyogi 2005, as in skfeature).

    The graph joins all pairs of samples, and each to itself, by a heat kernel whose scale s is a
    percentile of the Euclidean distances between different samples:

        W_ij = exp(-|x_i - x_j|^2 / (2 s^2)),    D = diag(W 1),    L = D - W.

    For the feature f, centred as f~ = f - (f'D1 / 1'D1) 1,

        score = f~'L f~ / f~'D f~,

    is small where samples that are near each other have similar values. It ignores the labels, and
    so takes any number of classes. By default skfeature builds another graph, from the cosines of 5
    neighbours, and normalises the rows of its caller's array on the way. The heat kernel with a
    percentile as its scale is the paper's (Cohen, Shnitzer, Kluger, Talmon 2022, appendix on
    hyper-parameters).

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,), optional
        Not used. Where it is given, it is checked as in every filter.
    percentile : float
        In [0, 100]. Where duplicated samples bring that percentile to 0, the smallest distance
        between two samples that differ is taken.
    engine : {"numpy", "skfeature"}
        skfeature's ``lap_score`` tells only the order of the d features; the scores are then d - 1
        for the first down to 0 for the last.

    Returns
    -------
    scores : ndarray (n_features,)
        Minus the Laplacian score, higher is better; constant features strictly last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked; where ``percentile`` lies outside
        [0, 100]; where ``engine`` is unknown.
    """
    if y is None:
        X = check_array(X, dtype=np.float64, order="C", ensure_min_samples=2)
    else:
        X, _ = validated(X, y)
    if not isinstance(percentile, Real) or not 0 <= percentile <= 100:
        raise ValueError(f"percentile must lie between 0 and 100, got {percentile!r}.")
    wrapped = use_skfeature(engine)

    def scores(varying: np.ndarray) -> np.ndarray:
        # One power of two for all features: no square overflows, and the kernel stays the same.
        samples = np.ldexp(varying, -np.frexp(np.abs(varying).max())[1])
        squared, scale = _squared_distances(samples, percentile)
        if wrapped:
            return _wrapped(samples, shifted(varying), scale)
        return -_ratio(np.exp(-squared / (2 * scale**2)), shifted(varying))

    return constants_last(X, scores)


def _squared_distances(X: np.ndarray, percentile: float) -> tuple[np.ndarray, float]:
    """Squared Euclidean distances between the samples, and the kernel's scale."""
    centred = X - X.min(axis=0)
    centred -= centred.mean(axis=0)
    squared = euclidean_distances(centred, squared=True)
    # The distances come from inner products: between two equal samples they are rounding errors.
    noise = 8 * np.finfo(float).eps * (centred**2).sum(axis=1).max()
    squared[squared <= noise] = 0
    distances = np.sqrt(squared[np.triu_indices(len(X), 1)])
    scale = np.percentile(distances, percentile)
    return squared, float(scale if scale > 0 else distances[distances > 0].min())


def _ratio(W: np.ndarray, X: np.ndarray) -> np.ndarray:
    """f~'L f~ / f~'D f~ of each column f of X."""
    degree = W.sum(axis=1)
    X = X - (degree / degree.sum()) @ X
    spread = degree @ X**2
    return (spread - np.einsum("ij,ij->j", X, W @ X)) / spread


def _wrapped(samples: np.ndarray, X: np.ndarray, scale: float) -> np.ndarray:
    from skfeature.function.similarity_based.lap_score import lap_score
    from skfeature.utility.construct_W import construct_W

    W = construct_W(
        samples,
        metric="euclidean",
        neighbor_mode="knn",
        weight_mode="heat_kernel",
        k=len(samples) - 1,
        t=scale,
    )
    return from_order(lap_score(X, W=W, mode="index"))
