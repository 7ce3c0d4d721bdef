"""Stochastic gates: Gaussian noise around a learned mean, cut to [0, 1] (Yamada et al. 2020).

A gate is z = max(0, min(1, mu + sigma e)) with e ~ N(0, 1). It is open, z > 0, with probability
Phi(mu / sigma), where Phi is the normal distribution function; the expected number of open gates is
the sum of these, a smooth stand-in for the number of features. In prediction e = 0.
"""

import jax
import jax.numpy as jnp

from baselines.embedded.layers import apart


def gate(mu, xp):
    """The gate without noise: max(0, min(1, mu))."""
    return xp.clip(mu, 0.0, 1.0)


def sampled_gate(key, mu, sigma):
    """A gate for each entry of mu, each with noise of its own."""
    return apart(gate(mu + sigma * jax.random.normal(key, mu.shape, dtype=float), jnp))


def open_probability(mu, sigma):
    """P(z > 0) = Phi(mu / sigma)."""
    return jax.scipy.stats.norm.cdf(mu / sigma)
