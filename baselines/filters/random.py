"""A random choice of features, which every other ranking should be better than."""

import hashlib
from typing import Any

import numpy as np

from ..contract import constants_last, integer, validated


def random_choice(X: Any, y: Any, *, seed: int = 0) -> np.ndarray:
    """Scores without information: the digest of a feature's values, as a number in [0, 1).

    Other samples or another seed give another choice, and the same ones the same. The labels make
    no difference. Equal features tie.

    Parameters
    ----------
    seed : int
        Seed of the scores, at least 0.
    """
    X, _ = validated(X, y)
    start = hashlib.sha256(str(integer("seed", seed, 0)).encode())
    X = X + 0.0  # Zeros without their sign.
    # Each sample has a place that depends on its values and on neither order.
    samples = [hashlib.sha256(values.tobytes()).digest() for values in np.sort(X, axis=1)]
    place = np.unique(samples, return_inverse=True)[1]

    def scores(varying: np.ndarray) -> np.ndarray:
        return np.array([_uniform(start, x[np.lexsort((x, place))]) for x in varying.T])

    return constants_last(X, scores)


def _uniform(start: Any, values: np.ndarray) -> float:
    """A number in [0, 1) from a digest of the values."""
    digest = start.copy()
    digest.update(values.tobytes())
    return int.from_bytes(digest.digest()[:6], "little") / 2**48
