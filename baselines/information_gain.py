"""Information gain: the mutual information of each feature and the label, from scikit-learn."""

from typing import Any

import numpy as np
from sklearn.feature_selection import mutual_info_classif

from baselines._common import constants_last, integer, power_scaled, validated


def information_gain(X: Any, y: Any, *, k: int = 3, seed: int = 0) -> np.ndarray:
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

    Returns
    -------
    scores : ndarray (n_features,)
        I >= 0, higher is better; constant features strictly last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked; where k or seed is no such integer;
        where no class has two samples.
    """
    X, codes = validated(X, y)
    k, seed = integer("k", k, 1), integer("seed", seed, 0)
    if np.bincount(codes).max() < 2:
        raise ValueError(
            f"No class has two samples ({codes.size} samples, as many classes): "
            "information_gain needs neighbours inside a class."
        )
    return constants_last(
        X,
        lambda varying: mutual_info_classif(
            power_scaled(varying), codes, discrete_features=False, n_neighbors=k, random_state=seed
        ),
    )
