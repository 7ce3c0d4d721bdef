"""What every generator returns, and what it asks of its numbers."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import DataError


class Sample(NamedTuple):
    """One draw: X (n_samples, n_features), y (n_samples,), indices of the features that matter."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    relevant: tuple[int, ...]


def at_least(generator: str, parameter: str, value: int, least: int) -> None:
    """Raise a DataError where a parameter is not an integer of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise DataError(
            f"{generator}: {parameter}={value!r} must be an integer of at least {least}"
        )
