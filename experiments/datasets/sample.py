"""What every generator returns."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Sample(NamedTuple):
    """One draw: X (n_samples, n_features), y (n_samples,), indices of the features that matter."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    relevant: tuple[int, ...]
