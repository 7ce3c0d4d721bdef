"""The training loop of all systems: gradient descent, compiled once for each system and shape.

All epochs are one jitted program. What a grid tunes (rates, weights of penalties, numbers of
epochs) are its arguments, so that candidates share it. It runs on the CPU in float64 and on one
thread. The three are set for this program alone: `jax.config` and jax's own device stay as they
are. XLA divides sums among its threads, so that their number would decide the last bits of a
result; and fits of several processes would wait for each other.
"""

import os
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from .layers import BatchNorm

OPTIMIZERS = ("sgd", "adam")
#: Up to so many values in X a fit is over before an optimised program would be compiled.
FEW = 2_000
#: The variable in which XLA finds the number of its threads, when a device is made.
THREADS = "NPROC"
#: Adam's decay of the mean gradient and of the mean square, and what is added to its root.
BETA_1, BETA_2, ADAM_EPSILON = 0.9, 0.999, 1e-8


class Model(Protocol):
    """A model and its loss: a frozen dataclass, hashable, so that equal ones are compiled once."""

    def init(self, rng: np.random.Generator, n_features: int, n_classes: int) -> Any:
        """The parameters at first."""

    def loss(self, params, x, y, key, weights) -> Any:
        """The loss on a batch: a scalar. `y` is one-hot; `weights` are traced numbers."""

    def forward(self, params, x, norms: BatchNorm, xp) -> tuple[Any, Any]:
        """Logits (n, classes) and gates, (features,) or (n, features), as in prediction."""


@contextmanager
def double_precision_on_the_cpu():
    """float64 on the CPU for what is computed inside, in this thread."""
    with jax.enable_x64(True), jax.default_device(_cpu()):
        yield


@cache
def _cpu():
    """A CPU device of one thread; that of jax, with as many as cores, if none can be made."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        from jaxlib.xla_client import make_cpu_client

        return make_cpu_client(asynchronous=False).local_devices()[0]
    except (ImportError, AttributeError, TypeError):  # It is no documented part of jaxlib.
        return jax.local_devices(backend="cpu")[0]
    finally:
        del os.environ[THREADS]
        if before is not None:
            os.environ[THREADS] = before


def train(
    model: Model, optimizer, batch_size, seed, data, *, weights, rate, epochs
) -> tuple[Any, int, float]:
    """Minimise the loss of a model.

    Parameters
    ----------
    model : Model
    optimizer : {"sgd", "adam"}
        Plain gradient descent, or Adam (Kingma and Ba 2015).
    batch_size : int or None
        None is all rows at once. Otherwise the rows are shuffled in each epoch, and rows that do
        not fill a batch wait for the next shuffle.
    seed : int
    data : pair of ndarray
        X (n_samples, n_features) and the one-hot y (n_samples, n_classes).
    weights : dict of str to float
        For the loss.
    rate : float
    epochs : int
        The largest number of epochs: training ends early if the loss is not finite.

    Returns
    -------
    params, n_epochs, loss
        The parameters, the number of epochs, and the mean loss of the last one.
    """
    n = len(data[0])
    batch_size = n if batch_size is None or batch_size >= n else batch_size
    start = model.init(np.random.default_rng(seed), data[0].shape[1], data[1].shape[1])
    with double_precision_on_the_cpu():
        descend = compiled(_descend, "model", "optimizer", "batch_size", few=data[0].size <= FEW)
        outcome = descend(
            model, optimizer, batch_size, start, np.uint32(seed), data, weights, rate, epochs
        )
        params, n_epochs, loss = jax.tree.map(np.asarray, outcome)
    return params, int(n_epochs), float(loss)


@cache
def compiled(function, *static, few=False):
    """A jitted function; `static` names arguments, `few` saves time of compilation."""
    options: dict[str, Any] = {"xla_cpu_multi_thread_eigen": False}
    options |= {"xla_backend_optimization_level": 0} if few else {}
    return jax.jit(function, static_argnames=static, compiler_options=options)


def _descend(model, optimizer, batch_size, start, seed, data, weights, rate, epochs) -> tuple:
    X, y = data
    n = len(X)
    keys = jax.random.key(seed)
    start, unravel = ravel_pytree(start)

    def step(carry, given):
        params, mean, square, t = carry
        rows, key = given
        batch = (X, y) if rows is None else (X[rows], y[rows])
        loss, gradient = jax.value_and_grad(lambda p: model.loss(unravel(p), *batch, key, weights))(
            params
        )
        if optimizer == "adam":
            mean = BETA_1 * mean + (1 - BETA_1) * gradient
            square = BETA_2 * square + (1 - BETA_2) * gradient**2
            root = jnp.sqrt(square / (1 - BETA_2**t)) + ADAM_EPSILON
            params = params - rate * mean / (1 - BETA_1**t) / root
        else:
            params = params - rate * gradient
        return (params, mean, square, t + 1.0), loss

    def epoch(state):
        number, _, params, mean, square = state
        key = jax.random.fold_in(keys, number)
        n_batches = n // batch_size
        carry = (params, mean, square, 1.0 + n_batches * number)
        if n_batches == 1 and batch_size == n:
            carry, loss = step(carry, (None, key))
        else:
            rows = jax.random.permutation(key, n)[: n_batches * batch_size]
            batch_keys = jax.random.split(key, n_batches)
            carry, losses = jax.lax.scan(step, carry, (rows.reshape(n_batches, -1), batch_keys))
            loss = losses.mean()
        return number + 1, loss, *carry[:3]

    def goes_on(state):
        return (state[0] < epochs) & jnp.isfinite(state[1])

    zeros = jnp.zeros_like(start)
    state = jax.lax.while_loop(goes_on, epoch, (0, jnp.zeros(()), start, zeros, zeros))
    return unravel(state[2]), state[0], state[1]
