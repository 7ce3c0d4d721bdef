"""Derive random streams from the axes of a task, never from a shared generator.

The random numbers of a task depend only on the seed of the experiment and on names: the data set,
the number of the split, the purpose. They do not depend on the order of the tasks, the number of
workers, the launcher, or the other methods.
"""

import hashlib
import json
from typing import Any

import numpy as np


def sequence(seed: int, *axes: object) -> np.random.SeedSequence:
    """Return the seed sequence for an experiment's seed and the names of the axes."""
    text = "\0".join(str(axis) for axis in axes)
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest, "<u4").tolist()])


def generator(seed: int, *axes: object) -> np.random.Generator:
    """Return a numpy generator for these axes."""
    return np.random.default_rng(sequence(seed, *axes))


def integer(seed: int, *axes: object) -> int:
    """Return an integer seed for these axes, for other libraries."""
    return int(sequence(seed, *axes).generate_state(1)[0])


def canonical_json(value: Any) -> str:
    """Return the JSON text of nested values, equal for equal values, for keys and axes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
