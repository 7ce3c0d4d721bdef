"""The training loop of all systems: gradient descent, compiled once for each system and shape.

All epochs are one jitted program. The tuned parameters (rates, weights of penalties, numbers of
epochs) are its arguments, so that candidates share it. It runs on the CPU in float64 and on one
thread. These settings apply to this program only: `jax.config` and jax's own device do not change.
One thread is used because XLA divides sums among threads, so that their number would change the
last bits of a result, and because the fits of several processes would wait for each other.
"""

import os
from contextlib import contextmanager
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

#: With at most this many values in X, a fit takes less time than compiling an optimised program.
FEW = 2_000
#: The environment variable from which XLA reads its number of threads when a device is made.
THREADS = "NPROC"
#: Adam's decay of the mean gradient and of the mean square, and the number added to its root.
BETA_1, BETA_2, ADAM_EPSILON = 0.9, 0.999, 1e-8


@contextmanager
def double_precision_on_the_cpu():
    """Compute in float64 on the CPU inside this context, in this thread."""
    with jax.enable_x64(True), jax.default_device(_cpu()):
        yield


@cache
def _cpu():
    """Return a CPU device with one thread, or jax's own device if none can be made."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        from jaxlib.xla_client import make_cpu_client

        return make_cpu_client(asynchronous=False).local_devices()[0]
    except (ImportError, AttributeError, TypeError):  # Not documented by jaxlib.
        return jax.local_devices(backend="cpu")[0]
    finally:
        del os.environ[THREADS]
        if before is not None:
            os.environ[THREADS] = before


def train(system, batch_size, seed, data, weights, rate, epochs) -> tuple[Any, int, float]:
    """Minimise the loss of a system; return parameters, number of epochs and last mean loss.

    `system` is the class of an `EmbeddedClassifier` with its parameters as pairs; equal systems are
    compiled once. `data` are X (n_samples, n_features) and the one-hot y (n_samples, n_classes).
    With a `batch_size` of None, a step uses all rows. Otherwise the rows are shuffled in each
    epoch, and rows that do not fill a batch are not used in it. `weights` are numbers for the loss.
    Training ends early if the loss is not finite.
    """
    n = len(data[0])
    batch_size = n if batch_size is None or batch_size >= n else batch_size
    rng = np.random.default_rng(seed)
    start = _made(system).initial(rng, data[0].shape[1], data[1].shape[1])
    with double_precision_on_the_cpu():
        descend = _compiled(few=data[0].size <= FEW)
        outcome = descend(system, batch_size, start, np.uint32(seed), data, weights, rate, epochs)
        params, n_epochs, loss = jax.tree.map(np.asarray, outcome)
    return params, int(n_epochs), float(loss)


def _made(system):
    """Return the system of a class and its parameters."""
    kind, parameters = system
    return kind(**dict(parameters))


@cache
def _compiled(few: bool):
    """Return the jitted descent; `few` shortens compilation."""
    options: dict[str, Any] = {"xla_cpu_multi_thread_eigen": False}
    options |= {"xla_backend_optimization_level": 0} if few else {}
    return jax.jit(_descend, static_argnames=("system", "batch_size"), compiler_options=options)


def _descend(system, batch_size, start, seed, data, weights, rate, epochs) -> tuple:
    system, (X, y) = _made(system), data
    n = len(X)
    keys = jax.random.key(seed)
    start, unravel = ravel_pytree(start)

    def step(carry, given):
        params, mean, square, t = carry
        rows, key = given
        batch = (X, y) if rows is None else (X[rows], y[rows])
        loss, gradient = jax.value_and_grad(
            lambda p: system.loss(unravel(p), *batch, key, weights)
        )(params)
        if system.optimizer == "adam":
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
