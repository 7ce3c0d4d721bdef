"""Intervals of differences, shares and quantiles, and p-values of several tests together."""

import numpy as np
from scipy import stats

#: A place in an order that is closer than this to a whole number is that number.
ROUNDING = 1e-9


def difference_interval(first, of_first, second, of_second) -> tuple[float, float]:
    """The interval of the difference of two independent estimates, from the interval of each.

    ``low = d - sqrt((first - low_1)^2 + (high_2 - second)^2)`` with d = first - second, and the
    other end likewise. For two means whose standard errors are known this is the usual interval.

    Parameters
    ----------
    first, second : float
    of_first, of_second : tuple of (float, float)
        Their intervals, both at the level that the result is to have.

    Returns
    -------
    low, high : float

    References
    ----------
    G. Zou and A. Donner (2008), "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27(10).
    """
    below = np.hypot(first - of_first[0], of_second[1] - second)
    above = np.hypot(of_first[1] - first, second - of_second[0])
    return float(first - second - below), float(first - second + above)


def repeat_ratio(values, block: int) -> tuple[float, float]:
    """The variance of means of whole cross-validations, over that of means of independent splits.

    ``ratio = mean over methods of (b v_m / s_m^2)`` with v_m the variance of the means of blocks of
    b splits and s_m^2 that of the splits. A few blocks tell v_m poorly, so methods are taken
    together. They share the splits; with r_ml the correlation of two methods over the splits, the
    degrees of freedom are ``(n_blocks - 1) k^2 / sum_ml r_ml^2`` for k methods, those of a mean of
    correlated variances by Satterthwaite's rule. Equal methods so count once.

    Parameters
    ----------
    values : array of shape (n_methods, n_blocks * block)
        One value for each method and split, block after block, and two blocks at least.
    block : int

    Returns
    -------
    ratio, degrees_of_freedom : float
        (0, n_blocks - 1) where no method varies.

    References
    ----------
    F. Satterthwaite (1946), "An approximate distribution of estimates of variance components",
    Biometrics Bulletin 2(6).
    """
    values = np.asarray(values, dtype=np.float64)
    values = values[np.ptp(values, axis=1) > 0]
    n_blocks = values.shape[1] // block
    if not len(values):
        return 0.0, float(n_blocks - 1)
    means = values.reshape(len(values), n_blocks, block).mean(axis=2)
    ratio = (block * means.var(axis=1, ddof=1) / values.var(axis=1, ddof=1)).mean()
    correlation = np.atleast_2d(np.corrcoef(values))
    freedom = (n_blocks - 1) * len(values) ** 2 / (correlation**2).sum()
    return float(ratio), float(freedom)


def quantile_interval(values, share: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of a quantile that n independent values leave, by order statistics.

    The number of values below the true quantile is binomial with parameters n and share. The ends
    are the values whose places are the quantiles of this distribution.

    Parameters
    ----------
    values : array of shape (n_values,)
        They stand for the distribution.
    share : float in (0, 1)
        Which quantile, 0.5 for the median.
    n : int
        The number of values that the quantile was estimated from; it may differ from n_values.
    level : float in (0, 1)

    Returns
    -------
    low, high : float
    """
    places = np.asarray(stats.binom.ppf([(1 - level) / 2, (1 + level) / 2], n, share))
    first, last = np.clip([places[0] - 1, places[1]], 0, n - 1)
    ordered = np.sort(values)
    stretched = (len(ordered) - 1) / max(1, n - 1)  # 1 where these are the values themselves
    low = ordered[int(np.floor(first * stretched + ROUNDING))]
    high = ordered[int(np.ceil(last * stretched - ROUNDING))]
    return float(low), float(high)


def holm(p_values) -> np.ndarray:
    """The p-values of several tests, adjusted so that the chance of any false finding is bounded.

    In ascending order the i-th of m becomes ``max over j <= i of min(1, (m - j + 1) p_j)``.

    Parameters
    ----------
    p_values : array of shape (m,)
        NaN where there was no test; NaN stays NaN and does not count.

    Returns
    -------
    ndarray of shape (m,)

    References
    ----------
    S. Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6(2).
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p_values.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.maximum.accumulate(np.minimum(1, factors * p_values[order]))
    return adjusted
