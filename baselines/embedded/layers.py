"""Layers that run on NumPy and on jax alike: training compiles them, a fitted model needs neither.

A function that takes `xp` computes with that module, ``numpy`` or ``jax.numpy``. Parameters are
nested dictionaries and lists of float64 arrays.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import ndtr, ndtri

#: Added to variances before they divide.
EPSILON = 1e-5

ACTIVATIONS = {
    "none": lambda h, xp: h,
    "relu": lambda h, xp: xp.maximum(h, 0.0),
    "tanh": lambda h, xp: xp.tanh(h),
    # Klambauer et al. (2017); expm1 sees no positive number, whose gradient could overflow.
    "selu": lambda h, xp: (
        1.0507009873554805 * xp.where(h > 0, h, 1.6732632423543772 * xp.expm1(xp.minimum(h, 0.0)))
    ),
    "sigmoid": lambda h, xp: 0.5 * (1.0 + xp.tanh(0.5 * h)),
}


class BatchNorm:
    """Normalises columns by their mean and variance over a batch, or by those of another batch.

    `statistics` are the (mean, variance) of the layers in the order in which they are called. If
    they are not given, each layer takes those of its own input, and `seen` collects them.
    """

    def __init__(self, statistics: Sequence[tuple[Any, Any]] | None = None):
        self.statistics = statistics
        self.seen: list[tuple[Any, Any]] = []

    def __call__(self, h, layer, xp):
        if self.statistics is None:
            mean, variance = h.mean(axis=0), h.var(axis=0)
        else:
            mean, variance = self.statistics[len(self.seen)]
        self.seen.append((mean, variance))
        return layer["scale"] * (h - mean) / xp.sqrt(variance + EPSILON) + layer["shift"]


def init_norm(width: int) -> dict:
    """The parameters of a batch normalisation, which at first changes nothing further."""
    return {"scale": np.ones(width), "shift": np.zeros(width)}


def init_dense(rng: np.random.Generator, n_in: int, n_out: int, std=None) -> dict:
    """A linear layer: weights from a normal distribution cut at two deviations, biases 0.

    The distribution has the standard deviation `std` before it is cut, 1 / sqrt(n_in) by default.
    """
    std = 1 / np.sqrt(n_in) if std is None else std
    cut = rng.uniform(ndtr(-2.0), ndtr(2.0), (n_in, n_out))
    return {"W": std * ndtri(cut), "b": np.zeros(n_out)}


def init_network(
    rng: np.random.Generator, widths: Sequence[int], std=None, norm: bool = False
) -> list[dict]:
    """The layers of a network of those widths, from the input to the output.

    With `norm`, each layer but the last has a batch normalisation.
    """
    layers: list[dict] = []
    for n_in, n_out in pairwise(widths):
        last = len(layers) == len(widths) - 2
        layers.append(
            {**init_dense(rng, n_in, n_out, std), **(init_norm(n_out) if norm and not last else {})}
        )
    return layers


def apart(h):
    """The same array, which XLA computes on its own, and its gradient too.

    Otherwise XLA may compute a product element by element inside what uses it, or the noise of a
    gate anew for each sample: three to ten times as slow at 49 samples of 2000 features.
    """
    return jax.lax.optimization_barrier(h) if isinstance(h, jax.Array) else h


def linear(layer, h):
    """h W + b."""
    return apart(apart(h) @ layer["W"]) + layer["b"]


def network(layers, h, activation: str, xp, norms: BatchNorm | None = None):
    """The output of a network, linear in its last layer.

    A layer with a batch normalisation applies it before the activation.
    """
    act = ACTIVATIONS[activation]
    for layer in layers[:-1]:
        h = linear(layer, h)
        if norms is not None:
            h = norms(h, layer, xp)
        h = act(h, xp)
    return linear(layers[-1], h)


def cross_entropy(logits, y):
    """Minus the logarithm of the probability that the logits give to the class of each row."""
    return -(y * jax.nn.log_softmax(logits)).sum(axis=1)


def squared_weights(*networks):
    """The sum of the squares of the weights, without biases, of networks."""
    return sum((layer["W"] ** 2).sum() for layers in networks for layer in layers)


def top(scores, k: int, xp):
    """1 if a score is among the k largest of its row, else 0."""
    least = xp.sort(scores, axis=1)[:, scores.shape[1] - k][:, None]
    return xp.where(scores >= least, 1.0, 0.0)


def gate(mu, xp):
    """A stochastic gate without noise, as in prediction: max(0, min(1, mu)).

    In training a gate is z = max(0, min(1, mu + sigma e)) with e ~ N(0, 1) (Yamada et al. 2020). It
    is open, z > 0, with probability Phi(mu / sigma), where Phi is the normal distribution function;
    the expected number of open gates is a smooth stand-in for the number of features.
    """
    return xp.clip(mu, 0.0, 1.0)


def sampled_gate(key, mu, sigma):
    """A gate for each entry of mu, each with noise of its own."""
    return apart(gate(mu + sigma * jax.random.normal(key, mu.shape, dtype=float), jnp))


def open_probability(mu, sigma):
    """P(z > 0) = Phi(mu / sigma)."""
    return jax.scipy.stats.norm.cdf(mu / sigma)
