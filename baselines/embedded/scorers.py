"""The gates of an embedded system as scores of the features, for every experiment."""

from typing import Any

import numpy as np

from baselines._common import constants_last, validated
from baselines.embedded.stg import STG, LinearSTG


def stg_score(
    X,
    y,
    *,
    lam: float = 0.02,
    sigma: float = 0.5,
    linear: bool = False,
    hidden_layers=(50,),
    learning_rate: float = 0.01,
    max_epochs: int = 1000,
    random_state: int = 0,
) -> np.ndarray:
    """The means of the stochastic gates of STG (Yamada et al. 2020) after training.

    The gate in prediction is max(0, min(1, mu_d)), which ties all features whose gates are wholly
    open, and all whose gates are closed. The mean mu_d orders these too.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
        Labels of two or more classes.
    lam, sigma, hidden_layers, learning_rate, max_epochs, random_state
        As in :class:`baselines.embedded.stg.STG`.
    linear : bool
        Whether the model is linear (:class:`baselines.embedded.stg.LinearSTG`).

    Returns
    -------
    scores : ndarray (n_features,)
        mu_d, higher is better: at most 0 where a gate is closed. Constant features strictly last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, where X or y cannot be ranked, and where a parameter cannot be used.
    """
    X, codes = validated(X, y)
    common: dict[str, Any] = {
        "lam": lam,
        "sigma": sigma,
        "learning_rate": learning_rate,
        "max_epochs": max_epochs,
        "random_state": random_state,
    }
    model = LinearSTG(**common) if linear else STG(**common, hidden_layers=hidden_layers)
    return constants_last(X, lambda varying: model.fit(varying, codes).gate_means_)
