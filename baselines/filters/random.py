"""A random choice of features, which every other ranking should beat."""

import hashlib
from typing import Any

import numpy as np

from ..contract import check_integer, constants_last, validated
from ._contents import places_of_rows


def random_choice(X: Any, y: Any, *, seed: int = 0) -> np.ndarray:
    """Return scores without information: a digest of each feature's values, in [0, 1).

    The choice depends on the samples and on the seed, and not on the labels. Equal features tie.

    Parameters
    ----------
    seed : int
        Seed of the scores, at least 0.
    """
    X, _ = validated(X, y)
    start = hashlib.sha256(str(check_integer("seed", seed, 0)).encode())
    X = X + 0.0  # This removes the sign of zeros.
    # The position of each sample depends on its values and not on the order of the data.
    place = places_of_rows(X)

    def scores(varying: np.ndarray) -> np.ndarray:
        return np.array([_uniform(start, x[np.lexsort((x, place))]) for x in varying.T])

    return constants_last(X, scores)


def _uniform(start: Any, values: np.ndarray) -> float:
    """Return a number in [0, 1) from a digest of the values."""
    digest = start.copy()
    digest.update(values.tobytes())
    return int.from_bytes(digest.digest()[:6], "little") / 2**48
