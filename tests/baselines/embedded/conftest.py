"""Fixtures of the tests of the embedded systems."""

import pytest


@pytest.fixture
def compiled_soon():
    """Programs of jax that are compiled in half the time; they should not run for long."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)
