"""Information gain: the mutual information of each feature and the label, from scikit-learn."""

from typing import Any

import numpy as np
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_classif
from sklearn.preprocessing import scale
from sklearn.utils import check_random_state

from baselines._common import constants_last, integer, power_scaled, validated

ENGINES = ("numpy", "sklearn")

# Beyond this many samples a tree a feature is cheaper than all distances of it.
_FEW = 400
_CHUNK = 1 << 21


def information_gain(
    X: Any, y: Any, *, k: int = 3, seed: int = 0, engine: str = "numpy"
) -> np.ndarray:
    """Mutual information of each feature and the label (Ross 2014), ``mutual_info_classif``.

    For sample i of a class with n_i samples, k_i its number of neighbours inside the class and m_i
    the number of samples of any class no farther than the last of them,

        I = psi(n) + mean_i psi(k_i) - mean_i psi(n_i) - mean_i psi(m_i),    in nats.

    Every feature is taken as continuous: noise of relative size 1e-10 breaks the ties of discrete
    values, as scikit-learn does, and is drawn from ``seed``.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
        Labels of two or more classes.
    k : int
        Number of neighbours, at least 1. A class of n_c samples uses min(k, n_c - 1); classes of
        one sample are left out. Both are scikit-learn's own rules.
    seed : int
        Seed of the noise, at least 0.
    engine : {"numpy", "sklearn"}
        "numpy" compares all pairs of up to 400 samples, many features at a time; with more
        samples, and always under "sklearn", scikit-learn is called. The scores are the same
        while k is below half of each class. From there on scikit-learn takes distances from
        norms and products, whose rounding is larger than the noise between equal values: on
        discrete features its result is then arbitrary, and that of "numpy" is the formula's.

    Returns
    -------
    scores : ndarray (n_features,)
        I >= 0, higher is better; constant features strictly last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked; where k or seed is no such integer or
        there is no such engine; where no class has two samples.
    """
    X, codes = validated(X, y)
    k, seed = integer("k", k, 1), integer("seed", seed, 0)
    if engine not in ENGINES:
        raise ValueError(f'engine must be "numpy" or "sklearn", got {engine!r}.')
    counts = np.bincount(codes)
    if counts.max() < 2:
        raise ValueError(
            f"No class has two samples ({codes.size} samples, as many classes): "
            "information_gain needs neighbours inside a class."
        )
    if engine == "numpy" and codes.size <= _FEW:
        return constants_last(X, lambda varying: _all_pairs(power_scaled(varying), codes, k, seed))
    return constants_last(
        X,
        lambda varying: mutual_info_classif(
            power_scaled(varying), codes, discrete_features=False, n_neighbors=k, random_state=seed
        ),
    )


def _all_pairs(X: np.ndarray, codes: np.ndarray, k: int, seed: int) -> np.ndarray:
    """The estimate of Ross (2014) from all distances, with scikit-learn's scaling and noise."""
    X = scale(X, with_mean=False, copy=True)
    noise = check_random_state(seed).standard_normal(size=X.shape)
    X += 1e-10 * np.maximum(1, np.mean(np.abs(X), axis=0)) * noise
    kept = np.bincount(codes)[codes] > 1
    X, codes = X[kept], codes[kept]
    n, counts = codes.size, np.bincount(codes)
    classes = [np.flatnonzero(codes == code) for code in np.unique(codes)]
    neighbours = np.minimum(k, counts - 1)
    # In scikit-learn's order of summation: equal scores, and the ties among them, stay equal.
    constant = digamma(n) + np.mean(digamma(neighbours[codes])) - np.mean(digamma(counts[codes]))
    scores = np.empty(X.shape[1])
    step = max(1, _CHUNK // n**2)
    for start in range(0, X.shape[1], step):
        columns = np.ascontiguousarray(X[:, start : start + step].T)
        distances = np.abs(columns[:, :, None] - columns[:, None, :])
        radius = np.empty_like(columns)
        for rows in classes:
            inside = distances[:, rows[:, None], rows]
            # The sample itself, at distance 0, comes before its neighbours.
            last = neighbours[codes[rows[0]]]
            radius[:, rows] = np.nextafter(np.partition(inside, last, axis=2)[:, :, last], 0)
        m = (distances <= radius[:, :, None]).sum(axis=2)
        scores[start : start + step] = constant - digamma(m).mean(axis=1)
    return np.maximum(scores, 0)
