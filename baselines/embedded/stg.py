"""Stochastic gates: one gate for each feature, the same for all samples (Yamada et al. 2020)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from .._common import constants_last, validated
from .base import EmbeddedClassifier
from .layers import (
    cross_entropy,
    gate,
    init_network,
    network,
    open_probability,
    sampled_gate,
)


@dataclass(frozen=True)
class GlobalGates:
    """A network of gated features, linear if it has no hidden layers."""

    hidden_layers: tuple[int, ...] = ()
    activation: str = "none"

    def init(self, rng, n_features, n_classes):
        widths = [n_features, *self.hidden_layers, n_classes]
        return {"mu": np.full(n_features, 0.5), "network": init_network(rng, widths)}

    def loss(self, params, x, y, key, weights):
        z = sampled_gate(key, params["mu"], weights["sigma"])
        logits = network(params["network"], x * z, self.activation, jnp)
        n_open = open_probability(params["mu"], weights["sigma"]).sum()
        return cross_entropy(logits, y).mean() + weights["lam"] * n_open

    def forward(self, params, x, norms, xp):
        z = gate(params["mu"], xp)
        return network(params["network"], x * z, self.activation, xp), z


@dataclass(kw_only=True, eq=False, repr=False)
class _GlobalGates(EmbeddedClassifier):
    lam: float = 0.02
    sigma: float = 0.5

    _system: ClassVar = GlobalGates
    _numbers: ClassVar = ("lam", "sigma")

    @property
    def gate_means_(self):
        """mu of each feature, (n_features,); -infinity if a feature is constant."""
        means = np.where(self._varies, 0.0, -np.inf)
        means[self._varies] = self._params["mu"]
        return means


@dataclass(kw_only=True, eq=False, repr=False)
class STG(_GlobalGates):
    """Feature selection by stochastic gates, with a network (Yamada et al. 2020).

    With gates z_d = max(0, min(1, mu_d + sigma e_d)), e_d ~ N(0, 1), and a network f it minimises

        E_z [ cross-entropy(f(x * z), y) ] + lam sum_d Phi(mu_d / sigma)

    over f and mu; the sum is the expected number of open gates. One draw of z a step estimates the
    expectation. In prediction z_d = max(0, min(1, mu_d)).

    Source: Yamada, Lindenbaum, Negahban and Kluger, "Feature Selection using Stochastic Gates",
    ICML 2020. mu begins at 0.5 and sigma is 0.5, as there. The defaults of lam, the rate, the
    network and the number of epochs are this repository's. The penalty is the sum over features;
    programs that take their mean have a lam that is as many times as large.

    Parameters
    ----------
    lam : float
        The price of an open gate, at least 0.
    sigma : float
        The standard deviation of the noise, above 0.
    hidden_layers : sequence of int
        The widths of the network's hidden layers.
    activation : {"none", "relu", "tanh", "selu", "sigmoid"}
        The activation of the hidden layers.
    learning_rate : float
        The step of the optimizer, above 0.
    max_epochs : int
        The number of passes over the training rows, at least 1.
    batch_size : int or None
        Rows of a step; None is all of them.
    optimizer : {"sgd", "adam"}
        Plain gradient descent, or Adam (Kingma and Ba 2015).
    validation_fraction : float
        The share, in [0, 1), of rows that are held out to find the best epoch.
    patience : int
        Training stops after so many epochs without a smaller cross-entropy on these rows.
    standardize : bool
        Give features mean 0 and variance 1 over the training rows.
    random_state : int, RandomState instance or None
        An int gives the same bits each time.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The gates in prediction, max(0, min(1, mu)).
    gate_means_ : ndarray of shape (n_features,)
        mu; minus infinity if a feature is constant.
    """

    hidden_layers: tuple[int, ...] = (50,)
    activation: str = "tanh"


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSTG(_GlobalGates):
    """Stochastic gates with a linear model: softmax regression on gated features.

    The objective is that of `STG` with f(x) = x W + b ("linear STG" in the literature).

    Source and attributes: as `STG`; the defaults of lam, the rate and the epochs are this
    repository's.

    Parameters
    ----------
    lam : float
        The price of an open gate, at least 0.
    sigma : float
        The standard deviation of the noise, above 0.
    learning_rate : float
        The step of the optimizer, above 0.
    max_epochs : int
        The number of passes over the training rows, at least 1.
    batch_size : int or None
        Rows of a step; None is all of them.
    optimizer : {"sgd", "adam"}
        Plain gradient descent, or Adam (Kingma and Ba 2015).
    validation_fraction : float
        The share, in [0, 1), of rows that are held out to find the best epoch.
    patience : int
        Training stops after so many epochs without a smaller cross-entropy on these rows.
    standardize : bool
        Give features mean 0 and variance 1 over the training rows.
    random_state : int, RandomState instance or None
        An int gives the same bits each time.
    """


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
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    lam : float
        The price of an open gate, at least 0.
    sigma : float
        The standard deviation of the noise, above 0.
    linear : bool
        True for a linear model (`LinearSTG`).
    hidden_layers : sequence of int
        The widths of the network's hidden layers.
    learning_rate : float
        The step of the optimizer, above 0.
    max_epochs : int
        The number of passes over the training rows, at least 1.
    random_state : int
        Seed of the weights and of the noise.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        mu_d, higher is better: at most 0 if a gate is closed. Constant features strictly last.

    Raises
    ------
    TypeError, ValueError
        As in every filter, if X or y cannot be ranked, and if a parameter cannot be used.
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
