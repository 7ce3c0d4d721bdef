"""Layers that run on NumPy as well as on jax: jax compiles the training, NumPy is enough after it.

The argument `xp` of a function is the module to compute with, ``numpy`` or ``jax.numpy``.
Parameters are nested dictionaries and lists of float64 arrays.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import ndtr, ndtri

#: Added to variances before dividing by them.
EPSILON = 1e-5

ACTIVATIONS = {
    "none": lambda h, xp: h,
    "relu": lambda h, xp: xp.maximum(h, 0.0),
    "tanh": lambda h, xp: xp.tanh(h),
    # Klambauer et al. (2017); expm1 gets no positive number, whose gradient could overflow.
    "selu": lambda h, xp: (
        1.0507009873554805 * xp.where(h > 0, h, 1.6732632423543772 * xp.expm1(xp.minimum(h, 0.0)))
    ),
    "sigmoid": lambda h, xp: 0.5 * (1.0 + xp.tanh(0.5 * h)),
}


class BatchNorm:
    """Normalises columns by their mean and variance over a batch, or by those of another batch.

    `statistics` are the (mean, variance) of the layers in the order of their calls. Without them,
    each layer uses those of its own input, and `seen` collects them.
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
    """Return the parameters of a batch normalisation, at first factor 1 and shift 0."""
    return {"scale": np.ones(width), "shift": np.zeros(width)}


def init_dense(rng: np.random.Generator, n_in: int, n_out: int, std=None) -> dict:
    """Return a linear layer: weights from a normal distribution cut at two deviations, biases 0.

    `std` is the standard deviation before the cut, by default 1 / sqrt(n_in).
    """
    std = 1 / np.sqrt(n_in) if std is None else std
    cut = rng.uniform(ndtr(-2.0), ndtr(2.0), (n_in, n_out))
    return {"W": std * ndtri(cut), "b": np.zeros(n_out)}


def init_network(
    rng: np.random.Generator, widths: Sequence[int], std=None, norm: bool = False
) -> list[dict]:
    """Return the layers of a network with the given widths, from the input to the output.

    With `norm`, all layers except the last have a batch normalisation.
    """
    layers: list[dict] = []
    for n_in, n_out in pairwise(widths):
        last = len(layers) == len(widths) - 2
        layers.append(
            {**init_dense(rng, n_in, n_out, std), **(init_norm(n_out) if norm and not last else {})}
        )
    return layers


def apart(h):
    """Return the same array, but make XLA compute it and its gradient separately.

    Otherwise XLA may compute a product element by element where it is used, or draw the noise of a
    gate again for each sample. With 49 samples of 2000 features this is three to ten times slower.
    """
    return jax.lax.optimization_barrier(h) if isinstance(h, jax.Array) else h


def linear(layer, h):
    """Return h W + b."""
    return apart(apart(h) @ layer["W"]) + layer["b"]


def network(layers, h, activation: str, xp, norms: BatchNorm | None = None):
    """Return the output of a network, whose last layer is linear.

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
    """Return minus the log of the probability that the logits give to the class of each row."""
    return -(y * jax.nn.log_softmax(logits)).sum(axis=1)


def squared_weights(*networks):
    """Return the sum of the squared weights of networks, without biases."""
    return sum((layer["W"] ** 2).sum() for layers in networks for layer in layers)


def top(scores, k: int, xp):
    """Return 1 for the k largest scores of each row, and 0 for the others."""
    least = xp.sort(scores, axis=1)[:, scores.shape[1] - k][:, None]
    return xp.where(scores >= least, 1.0, 0.0)


def gate(mu, xp):
    """Return a stochastic gate without noise, as in prediction: max(0, min(1, mu)).

    In training a gate is z = max(0, min(1, mu + sigma e)) with e ~ N(0, 1) (Yamada et al. 2020). It
    is open, z > 0, with probability Phi(mu / sigma), where Phi is the normal distribution function.
    The expected number of open gates is a smooth approximation of the number of features.
    """
    return xp.clip(mu, 0.0, 1.0)


def sampled_gate(key, mu, sigma):
    """Draw a gate for each entry of mu, with independent noise."""
    return apart(gate(mu + sigma * jax.random.normal(key, mu.shape, dtype=float), jnp))


def open_probability(mu, sigma):
    """Return P(z > 0) = Phi(mu / sigma)."""
    return jax.scipy.stats.norm.cdf(mu / sigma)
