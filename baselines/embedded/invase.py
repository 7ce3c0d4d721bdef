"""INVASE: an actor selects features; a critic and a baseline reward it (Yoon et al. 2019)."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax.lax import stop_gradient

from .layers import BatchNorm, cross_entropy, init_network, network, squared_weights
from .system import SelectThenPredict


def log_probability(s, scores):
    """Return log P(s) of each row, where s_d is 1 with probability sigmoid(scores_d), else 0."""
    return (s * jax.nn.log_sigmoid(scores) + (1 - s) * jax.nn.log_sigmoid(-scores)).sum(axis=1)


@dataclass(kw_only=True, eq=False, repr=False)
class INVASE(SelectThenPredict):
    """Instance-wise variable selection by an actor and a critic.

    For each sample, a selector computes probabilities pi(x), with which features are selected, s_d
    ~ Bernoulli(pi_d(x)). A predictor f uses the selected features and a baseline b all of them.
    Both minimise their cross-entropies, and the selector minimises

        E_s [ cross-entropy(f(x * s), y) - cross-entropy(b(x), y) ] + lam mean_d pi_d(x)

    by the score-function gradient, the difference times the gradient of log P(s). The squares of
    all weights are penalised by weight_decay. In prediction s_d = 1 where pi_d(x) > 1/2.

    Source: Yoon, Jordon and van der Schaar, "INVASE: Instance-wise Variable Selection using Neural
    Networks", ICLR 2019. The widths, the rate, the batch and lam are those of the authors' program
    for synthetic data, which takes 10,000 steps; lam multiplies the mean over features, as there.
    Differences: one step of Adam updates all three networks, from one loss with the same gradients;
    predictions use the features with pi > 1/2 instead of a random draw; batch normalisation
    comes before the activation, and in prediction uses the statistics of the training rows.

    Other parameters are those of `EmbeddedClassifier`.

    Parameters
    ----------
    lam : float
        The penalty of a selected feature, at least 0.
    weight_decay : float
        The factor of the squared weights in the loss, at least 0.
    selector_layers : sequence of int
        The widths of the hidden layers (SELU) of the selector.
    hidden_layers : sequence of int
        The widths of those of the predictor and of the baseline.
    """

    lam: float = 0.1
    weight_decay: float = 1e-3
    learning_rate: float = 1e-4
    batch_size: int | None = 1000

    activation: ClassVar = "selu"
    _numbers: ClassVar = ("lam", "weight_decay")

    def initial(self, rng, n_features, n_classes):
        widths = [n_features, *self.hidden_layers, n_classes]
        actor = super().initial(rng, n_features, n_classes)
        return {**actor, "baseline": init_network(rng, widths, norm=True)}

    def loss(self, params, x, y, key, weights):
        scores = network(params["selector"], x, self.activation, jnp)
        s = jax.random.bernoulli(key, stop_gradient(jax.nn.sigmoid(scores))).astype(float)
        losses = {
            name: cross_entropy(network(params[name], given, self.activation, jnp, BatchNorm()), y)
            for name, given in (("predictor", x * s), ("baseline", x))
        }
        # Its gradient in the selector is that of the expected difference (score-function gradient);
        # its value has no meaning.
        difference = stop_gradient(losses["predictor"] - losses["baseline"])
        policy = difference * log_probability(s, scores)
        price = weights["lam"] * jax.nn.sigmoid(scores).mean()
        penalty = weights["weight_decay"] * squared_weights(*params.values())
        return (losses["predictor"] + losses["baseline"] + policy).mean() + price + penalty
