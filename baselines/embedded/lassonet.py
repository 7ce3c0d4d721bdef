"""LassoNet: a network may use a feature only with its linear part (Lemhadri et al. 2021).

It is written from the paper, because the authors' package needs torch in addition to jax.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from ..contract import constants_last, validated
from .layers import cross_entropy, init_dense, init_network, linear, network
from .system import EmbeddedClassifier
from .training import compiled, double_precision_on_the_cpu, made

#: First price of the path, divided by the price at which a linear model alone has no features.
FIRST = 0.01
#: A first price below `NONE` is only rounding, because no feature has a linear effect (as in
#: balanced XOR). The path then begins at `START`.
NONE, START = 1e-12, 0.001
#: The width of the network's hidden layer.
WIDTH = 50
#: The momentum of the path's gradient steps, as in the authors' program.
MOMENTUM = 0.9
#: The path ends after this many prices, even if features are left.
LONGEST = 1000


def hierarchical_prox(theta, W, price, hierarchy, xp):
    """Apply the proximal operator of LassoNet (algorithm 2 and its form for several classes).

    For each feature it minimises, over b and V,

        |b - theta|^2 / 2 + |V - W|^2 / 2 + price |b|   subject to  max_k |V_k| <= hierarchy |b|.

    With t = |b|, the best V is W cut to [-hierarchy t, hierarchy t], and t is the first t_m, m = 0,
    ..., K, for which hierarchy t_m is at least the (m + 1)th largest |W_k|:

        t_m = max(0, |theta| + hierarchy (sum of the m largest |W_k|) - price) / (1 + m hierarchy^2)

    The shapes of theta and b are (n_features, n_classes), those of W and V (n_features, K).
    """
    norm = xp.sqrt((theta**2).sum(axis=1, keepdims=True))
    largest = -xp.sort(-xp.abs(W), axis=1)
    none = xp.zeros_like(norm)
    sums = xp.concatenate([none, xp.cumsum(largest, axis=1)], axis=1)
    m = xp.arange(W.shape[1] + 1)
    t = xp.maximum(0.0, norm + hierarchy * sums - price) / (1 + m * hierarchy**2)
    following = xp.concatenate([largest, none], axis=1)
    first = xp.argmax(hierarchy * t >= following, axis=1)
    t = xp.take_along_axis(t, first[:, None], axis=1)
    b = t * theta / xp.where(norm > 0, norm, 1.0)
    most = hierarchy * xp.where(norm > 0, t, 0.0)
    return b, xp.clip(W, -most, most)


@dataclass(kw_only=True, eq=False, repr=False)
class _Dense(EmbeddedClassifier):
    """A linear model plus a network with all features, with which the path begins."""

    hierarchy: float = 10.0
    multiplier: float = 1.1
    path_epochs: int = 50

    _numbers: ClassVar = ("hierarchy", "multiplier", "path_epochs")

    def initial(self, rng, n_features, n_classes):
        widths = [n_features, WIDTH, n_classes]
        return {
            "linear": init_dense(rng, n_features, n_classes),
            "network": init_network(rng, widths),
        }

    def loss(self, params, x, y, key, weights):
        return cross_entropy(self._logits(params, x, jnp), y).mean()

    def forward(self, params, x, norms, xp):
        return self._logits(params, x, xp), xp.ones(x.shape[1])

    def _logits(self, params, x, xp):
        return linear(params["linear"], x) + network(params["network"], x, "relu", xp)

    def path(self, X, codes):
        """Return the largest price at which the model uses each feature, (n_features,)."""
        y = np.eye(len(self.classes_))[codes]
        numbers = self.hierarchy, self.multiplier, self.learning_rate
        with double_precision_on_the_cpu():
            follow, epochs = compiled(_path, "system"), int(self.path_epochs)
            data = self._params, self._scaled(X), y
            outcome = follow(self._program(), *data, *map(float, numbers), epochs)
            scores, finite = jax.tree.map(np.asarray, outcome)
        if not finite:
            raise ValueError(
                f"The path of LassoNet is not finite; use a smaller learning_rate than "
                f"{self.learning_rate}."
            )
        return np.array(scores)


def _path(system, params, X, y, hierarchy, multiplier, rate, epochs):
    """Return the last price at which each feature was used, and if all parameters are finite."""
    loss = made(system).loss
    residual = y - y.mean(axis=0)
    first = FIRST * jnp.sqrt(((X.T @ residual / len(X)) ** 2).sum(axis=1)).max()
    first = jnp.where(first >= NONE, first, START)

    def step(_, carry):
        params, velocity, price = carry
        gradient = jax.grad(lambda p: loss(p, X, y, None, None))(params)
        velocity = jax.tree.map(lambda v, g: MOMENTUM * v - rate * g, velocity, gradient)
        params = jax.tree.map(jnp.add, params, velocity)
        layers = params["network"]
        theta, W = hierarchical_prox(
            params["linear"]["W"], layers[0]["W"], rate * price, hierarchy, jnp
        )
        params = {
            "linear": {**params["linear"], "W": theta},
            "network": [{**layers[0], "W": W}, *layers[1:]],
        }
        return params, velocity, price

    def next_price(state):
        number, params, velocity, price, scores, _ = state
        params, velocity, _ = jax.lax.fori_loop(0, epochs, step, (params, velocity, price))
        inside = (params["linear"]["W"] != 0).any(axis=1)
        scores = jnp.where(inside, price, scores)
        return number + 1, params, velocity, price * multiplier, scores, inside.any()

    def goes_on(state):
        return state[-1] & (state[0] < LONGEST)

    still = jax.tree.map(jnp.zeros_like, params)
    state = (0, params, still, first, jnp.zeros(X.shape[1]), jnp.array(True))
    _, params, _, _, scores, _ = jax.lax.while_loop(goes_on, next_price, state)
    finite = jnp.array([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(params)]).all()
    return scores, finite & jnp.isfinite(scores).all()


def lassonet_score(
    X,
    y,
    *,
    hierarchy: float = 10.0,
    multiplier: float = 1.1,
    learning_rate: float = 0.001,
    max_epochs: int = 1000,
    path_epochs: int = 50,
    random_state: int = 0,
) -> np.ndarray:
    """Score a feature by the largest price at which LassoNet uses it (Lemhadri et al. 2021).

    The model is theta^T x + g(x), where g is a network with a hidden layer of 50 units and W are
    the weights of its first layer. For increasing prices it minimises

        mean cross-entropy + price sum_j |theta_j|   with  max_k |W_jk| <= hierarchy |theta_j|,

    so that the network uses a feature only while its linear part is not 0. A feature that is not
    used at the first price scores 0. For several classes, |theta_j| is the norm of the row
    of theta. Features are scaled as in `EmbeddedClassifier`.

    Source: Lemhadri, Ruan, Abraham and Tibshirani, "LassoNet: A Neural Network with Feature
    Sparsity", Journal of Machine Learning Research 22, 2021. As there, Adam trains a dense network;
    each price then starts from the network of the previous price and takes proximal gradient steps
    with momentum. Here all samples are used for training, without early stopping. The path is
    coarser (a factor of 1.1 instead of 1.02), and begins at a hundredth of the price at which a
    linear model has no features. If no feature has a linear effect, as in balanced XOR, that price
    is 0 except for rounding, and the path begins at 0.001.

    Parameters
    ----------
    hierarchy : float
        M of the paper, above 0: how much the network may add to the linear model.
    multiplier : float
        The ratio of a price to the previous one, above 1.
    learning_rate : float
        The step of Adam and of the path.
    max_epochs, path_epochs : int
        Number of epochs for the dense network, and for each price.
    random_state : int
    """
    X, codes = validated(X, y)
    dense = _Dense(
        hierarchy=hierarchy,
        multiplier=multiplier,
        learning_rate=learning_rate,
        max_epochs=max_epochs,
        path_epochs=path_epochs,
        random_state=random_state,
    )
    return constants_last(X, lambda varying: dense.fit(varying, codes).path(varying, codes))
