"""Stochastic gates: one gate for each feature, the same for all samples (Yamada et al. 2020)."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np

from .layers import cross_entropy, gate, init_network, network, open_probability, sampled_gate
from .system import EmbeddedClassifier


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSTG(EmbeddedClassifier):
    """Stochastic gates with a linear model: softmax regression on gated features.

    The objective is that of `STG` with f(x) = x W + b ("linear STG" in the literature). Source: as
    `STG`. Other parameters are those of `EmbeddedClassifier`.

    Parameters
    ----------
    lam : float
        The penalty of an open gate, at least 0.
    sigma : float
        The standard deviation of the noise, above 0.
    """

    lam: float = 0.02
    sigma: float = 0.5

    activation: ClassVar = "none"
    _numbers: ClassVar = ("lam", "sigma")

    def initial(self, rng, n_features, n_classes):
        widths = [n_features, *getattr(self, "hidden_layers", ()), n_classes]
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
class STG(LinearSTG):
    """Feature selection by stochastic gates, with a network (Yamada et al. 2020).

    With gates z_d = max(0, min(1, mu_d + sigma e_d)), e_d ~ N(0, 1), and a network f, it minimises

        E_z [ cross-entropy(f(x * z), y) ] + lam sum_d Phi(mu_d / sigma)

    over f and mu; the sum is the expected number of open gates. The expectation is estimated by one
    draw of z per step. In prediction z_d = max(0, min(1, mu_d)). The hidden layers have tanh.

    Source: Yamada, Lindenbaum, Negahban and Kluger, "Feature Selection using Stochastic Gates",
    ICML 2020. mu begins at 0.5 and sigma is 0.5, as there. The defaults of lam, the rate, the
    network and the number of epochs were chosen here. The penalty is the sum over features; in
    programs that use the mean instead, the same lam must be multiplied by the number of features.

    Parameters
    ----------
    lam : float
        As in `LinearSTG`.
    sigma : float
        As in `LinearSTG`. Other parameters are those of `EmbeddedClassifier`.
    hidden_layers : sequence of int
        The widths of the network's hidden layers.
    """

    hidden_layers: tuple[int, ...] = (50,)

    activation: ClassVar = "tanh"
