"""Random streams from the axes of a task, never from a shared generator.

What a task draws depends on the seed of the experiment and on names (the data set, the number of
the split, the purpose) alone: not on the order of the tasks, the number of workers, the launcher or
which other methods run.
"""

import hashlib
import json

import numpy as np


def sequence(seed: int, *axes) -> np.random.SeedSequence:
    """The seed sequence of an experiment's seed and the names of its axes."""
    text = "\0".join(str(axis) for axis in axes)
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest, "<u4").tolist()])


def generator(seed: int, *axes) -> np.random.Generator:
    """A numpy generator for those axes."""
    return np.random.default_rng(sequence(seed, *axes))


def integer(seed: int, *axes) -> int:
    """A seed for a library that takes an integer."""
    return int(sequence(seed, *axes).generate_state(1)[0])


def canonical_json(value) -> str:
    """The JSON text of nested values, the same for equal ones: for keys and names of axes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
