"""Locally sparse networks: a gating network opens gates for each sample (Yang et al. 2022)."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np

from .layers import (
    ACTIVATIONS,
    BatchNorm,
    cross_entropy,
    gate,
    init_network,
    init_norm,
    linear,
    network,
    open_probability,
    sampled_gate,
)
from .system import InstanceWise


@dataclass(kw_only=True, eq=False, repr=False)
class LLSPIN(InstanceWise):
    """Locally linear sparse interpretable network: LSPIN with a linear prediction network.

    The objective is that of `LSPIN`. The hidden layers of the prediction network are linear, so
    that it is a linear function of the gated features x * z(x). Source and differences are those
    of `LSPIN`. All defaults are those that the authors published for colon.

    Parameters
    ----------
    lam : float
        The penalty of the mean probability that a gate is open, at least 0.
    sigma : float
        The standard deviation of the noise, above 0.
    gating_layers : sequence of int
        The widths of the hidden layers of the gating network.
    hidden_layers : sequence of int
        The widths of those of the prediction network.
    weight_std : float or None
        The standard deviation of the initial weights, above 0; None is 1 / sqrt(features). If the
        gates are far from equal at first, fewer of them close. Other parameters are those of
        `EmbeddedClassifier`.
    """

    lam: float = 35 / 19
    sigma: float = 0.5
    gating_layers: tuple[int, ...] = (100, 10)
    hidden_layers: tuple[int, ...] = (100, 50, 30)
    weight_std: float | None = None
    learning_rate: float = 0.1
    max_epochs: int = 7000

    activation: ClassVar = "none"
    _numbers: ClassVar = ("lam", "sigma")
    optimizer: ClassVar = "sgd"

    def initial(self, rng, n_features, n_classes):
        std = 1 / np.sqrt(n_features) if self.weight_std is None else self.weight_std
        gating = init_network(rng, [n_features, *self.gating_layers, n_features], std)
        prediction = init_network(rng, [n_features, *self.hidden_layers, n_classes], std)
        prediction = [{**layer, **init_norm(len(layer["W"]))} for layer in prediction]
        return {"gating": gating, "prediction": prediction}

    def means(self, params, x, xp):
        """Return mu of each sample and feature, in (-1/2, 3/2)."""
        return 0.5 + ACTIVATIONS["tanh"](network(params["gating"], x, "tanh", xp), xp)

    def logits(self, params, h, norms, xp):
        """Return the logits of gated features; each layer normalises its input first."""
        for layer in params["prediction"]:
            h = ACTIVATIONS[self.activation](linear(layer, norms(h, layer, xp)), xp)
        return h

    def loss(self, params, x, y, key, weights):
        mu = self.means(params, x, jnp)
        z = sampled_gate(key, mu, weights["sigma"])
        logits = self.logits(params, x * z, BatchNorm(), jnp)
        price = weights["lam"] * open_probability(mu, weights["sigma"]).mean()
        return cross_entropy(logits, y).mean() + price

    def forward(self, params, x, norms, xp):
        z = gate(self.means(params, x, xp), xp)
        return self.logits(params, x * z, norms, xp), z


@dataclass(kw_only=True, eq=False, repr=False)
class LSPIN(LLSPIN):
    """Locally sparse interpretable network (Yang, Lindenbaum and Kluger 2022).

    For each sample, a gating network g computes means mu(x) = 1/2 + tanh(g(x)) and gates
    z_d(x) = max(0, min(1, mu_d(x) + sigma e_d)), e_d ~ N(0, 1). With a prediction network f, whose
    layers have tanh, training minimises

        mean over samples i of { cross-entropy(f(x_i * z(x_i)), y_i)
                                 + lam mean_d Phi(mu_d(x_i) / sigma) }

    over f and g by gradient descent. In prediction the gates have no noise.

    Source: Yang, Lindenbaum and Kluger, "Locally Sparse Neural Networks for Tabular Biomedical
    Data", ICML 2022. All defaults are those that the authors published for colon, including the
    deviation of the initial weights, 1 / sqrt(features). The second penalty, by which similar
    samples get similar gates, is left out, because its weight for colon is 0. As in the authors'
    program, each layer of f normalises its input over the batch, including the gated features, and
    the last layer has an activation as well. In prediction, the normalisation uses the statistics
    of all training rows, with gates as in prediction, instead of running averages.

    Parameters
    ----------
    lam : float
        The penalty of the mean probability that a gate is open, at least 0.
    sigma : float
        The standard deviation of the noise, above 0.
    weight_std : float or None
        As in `LLSPIN`.
    gating_layers : sequence of int
        The widths of the hidden layers of the gating network.
    hidden_layers : sequence of int
        The widths of those of the prediction network. Other parameters are those of
        `EmbeddedClassifier`.
    """

    lam: float = 28 / 19
    learning_rate: float = 0.05

    activation: ClassVar = "tanh"
