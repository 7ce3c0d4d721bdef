"""REAL-x: train a selector with a predictor of random subsets (Jethani et al. 2021)."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax.lax import stop_gradient

from .invase import log_probability
from .layers import cross_entropy, network
from .system import SelectThenPredict


def rebar(key, scores, value, temperature):
    """Return a scalar whose gradient is REBAR's estimate of the gradient of E_s[value(s)].

    The gradient is with respect to the scores, and s is binary: s_d = 1 where z_d = scores_d +
    logit(u_d) > 0, u uniform, so that P(s_d = 1) is sigmoid(scores_d). The control variate is value
    at the relaxations sigmoid(z / t) and sigmoid(z~ / t), where z~ is drawn like z given s (Tucker
    et al. 2017, with weight 1). The estimate is unbiased for every temperature t. `value` maps
    gates of the shape of the scores, (n, d), to (n,).
    """
    tiny = jnp.finfo(scores.dtype).tiny
    u, v = jax.random.uniform(key, (2, *scores.shape), scores.dtype, minval=tiny)
    z = scores + _logit(u)
    s = stop_gradient((z > 0).astype(scores.dtype))
    closed = jax.nn.sigmoid(-scores)
    # Uniform on (0, P(s = 0)] where s = 0, and above it where s = 1.
    again = jnp.where(s > 0, closed + v * (1 - closed), v * closed)
    z_again = scores + _logit(jnp.clip(again, tiny, 1 - jnp.finfo(scores.dtype).epsneg))
    relaxed, relaxed_again = (value(jax.nn.sigmoid(a / temperature)) for a in (z, z_again))
    reward = stop_gradient(value(s) - relaxed_again)
    return (reward * log_probability(s, scores) + relaxed - relaxed_again).mean()


def _logit(u):
    return jnp.log(u) - jnp.log1p(-u)


@dataclass(kw_only=True, eq=False, repr=False)
class RealX(SelectThenPredict):
    """REAL-x: a selector that is evaluated by a predictor of random subsets.

    A predictor q minimises E_r [ cross-entropy(q(x * r), y) ] over randomly selected features, r_d
    ~ Bernoulli(1/2), so that the selection itself cannot encode the class. For this predictor, a
    selector with probabilities pi(x) minimises

        E_s [ cross-entropy(q(x * s), y) ] + lam mean_d pi_d(x),   s_d ~ Bernoulli(pi_d(x)),

    by REBAR's unbiased gradient (Tucker et al. 2017). In prediction s_d = 1 where pi_d(x) > 1/2.

    Source: Jethani, Sudarshan, Aphinyanaphongs and Ranganath, "Have We Learned to Explain? How
    Interpretability Methods Can Learn to Encode Predictions in their Interpretations", AISTATS
    2021. The temperature 0.1 and the mean over features, which lam multiplies, are those of the
    authors' program; the other defaults were chosen here. One step of Adam updates selector and
    predictor together, while their program trains them one after the other. Their second
    predictor, which only evaluates, is left out.

    Other parameters are those of `EmbeddedClassifier`.

    Parameters
    ----------
    lam : float
        The penalty of a selected feature, at least 0.
    temperature : float
        The temperature of the control variate, above 0.
    selector_layers : sequence of int
        The widths of the hidden layers (ReLU) of the selector.
    hidden_layers : sequence of int
        The widths of those of the predictor.
    """

    lam: float = 0.1
    temperature: float = 0.1
    selector_layers: tuple[int, ...] = (200, 200)
    learning_rate: float = 1e-3
    batch_size: int | None = 1000

    norm: ClassVar = False
    _numbers: ClassVar = ("lam", "temperature")

    def loss(self, params, x, y, key, weights):
        random, chosen = jax.random.split(key)
        r = jax.random.bernoulli(random, 0.5, x.shape).astype(float)
        scores = network(params["selector"], x, self.activation, jnp)
        fixed = jax.tree.map(stop_gradient, params["predictor"])

        def value(z):
            return cross_entropy(network(fixed, x * z, self.activation, jnp), y)

        return (
            cross_entropy(network(params["predictor"], x * r, self.activation, jnp), y).mean()
            + rebar(chosen, scores, value, weights["temperature"])
            + weights["lam"] * jax.nn.sigmoid(scores).mean()
        )
