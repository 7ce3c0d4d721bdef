"""Statistics of repeated measurements: pure functions on arrays."""

import numpy as np
from scipy import stats


def mean_interval(values, level=0.95) -> tuple[float, float]:
    """Student's confidence interval of the mean of independent values.

    Parameters
    ----------
    values : array of shape (n,)
    level : float in (0, 1)

    Returns
    -------
    low, high : float
        NaN for fewer than two values.
    """
    return _interval(values, level, inflation=0.0)


def resampled_interval(values, test_share, level=0.95) -> tuple[float, float]:
    """The interval of a mean over random splits of one sample (Nadeau and Bengio 2003).

    Training sets of different splits overlap, so that the variance of the mean is not s^2 / n;
    their correction is ``s^2 (1 / n + n_test / n_train)``.

    Parameters
    ----------
    values : array of shape (n,)
        One value a split.
    test_share : float
        n_test / n_train.
    level : float in (0, 1)

    Returns
    -------
    low, high : float
        NaN for fewer than two values.
    """
    return _interval(values, level, inflation=test_share)


def _interval(values, level, inflation):
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    error = values.std(ddof=1) * np.sqrt(1 / n + inflation)
    half = stats.t.ppf((1 + level) / 2, n - 1) * error
    return float(values.mean() - half), float(values.mean() + half)
