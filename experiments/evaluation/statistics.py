"""Statistics of repeated measurements: pure functions on arrays."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

#: The level of the intervals that decide.
DECIDES = 0.9
#: Level -> the interval at that level.
Interval = Callable[[float], tuple[float, float]]
#: Differences are equal if they differ by less than this, relative to the largest.
ROUNDING = 1e-12
NAN = float("nan")


def resampled_interval(
    values: npt.ArrayLike, test_share: float = 0.0, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a mean over random splits of one sample.

    Training sets overlap, so the variance of the mean is ``s^2 (1 / n + n_test / n_train)`` (C.
    Nadeau and Y. Bengio 2003, "Inference for the generalization error", Machine Learning 52).

    Parameters
    ----------
    values : array of shape (n,)
        One value for each split.
    test_share : float
        n_test / n_train; 0 gives Student's interval of the mean of independent values.
    level : float in (0, 1)

    Returns
    -------
    low, high : float
        NaN for fewer than two values.
    """
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    if n < 2:
        return NAN, NAN
    mean = values.mean()
    error = values.std(ddof=1) * np.sqrt(1 / n + test_share)
    half = stats.t.ppf((1 + level) / 2, n - 1) * error
    return float(mean - half), float(mean + half)


def resampled_ttest(differences: npt.ArrayLike, test_share: float) -> tuple[float, float]:
    """Compute the two-sided corrected resampled t-test of a mean difference over random splits.

    ``t = mean / sqrt(s^2 (1 / n + n_test / n_train))`` with n - 1 degrees of freedom (Nadeau and
    Bengio 2003).

    Parameters
    ----------
    differences : array of shape (n,)
        One difference for each split.
    test_share : float
        n_test / n_train; 0 gives Student's paired t-test.

    Returns
    -------
    t, p : float
        NaN for fewer than two values, and (0, 1) if all are zero. Other equal values have no
        variance; then t is +-inf, and p is that of the sign test, 2^(1 - n), or NaN if the
        training parts overlap.
    """
    differences = np.asarray(differences, dtype=np.float64)
    n = len(differences)
    if n < 2:
        return NAN, NAN
    largest = np.abs(differences).max()
    if largest == 0:
        return 0.0, 1.0
    # Scaling does not change t. It prevents underflow of the squares, and the size of rounding
    # errors is then known.
    scaled = differences / largest
    if np.ptp(scaled) < ROUNDING:
        infinite = float(np.copysign(np.inf, scaled[0]))
        p_of_signs = NAN if test_share else 2.0 ** (1 - n)
        return infinite, p_of_signs
    error = scaled.std(ddof=1) * np.sqrt(1 / n + test_share)
    t = scaled.mean() / error
    p_value = 2 * stats.t.sf(abs(t), n - 1)
    return float(t), float(p_value)


def deviation_interval(deviation: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of the deviation of n independent normal values; NaN for n < 2.

    ``s sqrt((n - 1) / q)`` with q the quantiles of chi-squared with n - 1 degrees of freedom; s has
    n - 1 in the denominator.
    """
    if n < 2:
        return NAN, NAN
    tail = (1 - level) / 2
    quantiles = stats.chi2.ppf([(1 + level) / 2, tail], n - 1)
    low, high = deviation * np.sqrt((n - 1) / quantiles)
    return float(low), float(high)


def difference_interval(
    first: float, of_first: tuple[float, float], second: float, of_second: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval of the difference of two independent estimates from their intervals.

    ``low = d - sqrt((first - low_1)^2 + (high_2 - second)^2)`` with d = first - second, and the
    other end likewise (G. Zou and A. Donner 2008, "Construction of confidence limits about effect
    measures: a general approach", Statistics in Medicine 27(10)).

    Parameters
    ----------
    first, second : float
    of_first, of_second : tuple of (float, float)
        Their intervals, both at the level of the result.
    """
    first_low, first_high = of_first
    second_low, second_high = of_second
    difference = first - second
    below = np.hypot(first - first_low, second_high - second)
    above = np.hypot(first_high - first, second - second_low)
    return float(difference - below), float(difference + above)


def repeat_ratio(values: np.ndarray, block: int) -> tuple[float, float]:
    """Estimate the variance of means of cross-validations, relative to independent splits.

    ``ratio = mean over methods of (b v_m / s_m^2)`` with v_m the variance of the means of blocks of
    b splits and s_m^2 that of the splits. With few blocks, v_m is uncertain, so all methods are
    used together. They share the splits. With r_ml the correlation of two methods over the splits,
    the degrees are ``(n_blocks - 1) k^2 / sum_ml r_ml^2`` for k methods (F. Satterthwaite
    1946, "An approximate distribution of estimates of variance components", Biometrics Bulletin
    2(6)). Equal methods therefore count once.

    Parameters
    ----------
    values : array of shape (n_methods, n_blocks * block)
        One value for each method and split, block after block; at least two blocks.
    block : int

    Returns
    -------
    ratio, degrees_of_freedom : float
        (0, n_blocks - 1) if no method varies.
    """
    values = np.asarray(values, dtype=np.float64)
    values = values[np.ptp(values, axis=1) > 0]
    n_methods, n_splits = values.shape
    n_blocks = n_splits // block
    if n_methods == 0:
        return 0.0, float(n_blocks - 1)
    means = values.reshape(n_methods, n_blocks, block).mean(axis=2)
    of_means = means.var(axis=1, ddof=1)
    of_splits = values.var(axis=1, ddof=1)
    ratio = (block * of_means / of_splits).mean()
    correlation = np.atleast_2d(np.corrcoef(values))
    freedom = (n_blocks - 1) * n_methods**2 / (correlation**2).sum()
    return float(ratio), float(freedom)


def interval_of_equal(
    value: float, n: int, limits: tuple[float, float], level: float
) -> tuple[float, float]:
    """Return the interval of a mean of which n independent repetitions are all equal.

    They have no deviation to judge by. With u the share that other values may have although n
    repetitions have shown none (the upper end of the interval of Clopper and Pearson 1934, "The use
    of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, for 0
    of n), they may be at either limit: ``value - u (value - low), value + u (high - value)``.

    Parameters
    ----------
    value : float
    n : int
    limits : tuple of (float, float)
        The smallest and the largest value of a repetition.
    level : float in (0, 1)
    """
    low, high = limits
    interval = stats.binomtest(0, n).proportion_ci(level)
    unseen = float(interval.high)
    below = unseen * max(0, value - low)
    above = unseen * max(0, high - value)
    return value - below, value + above


def paired_interval(differences: npt.ArrayLike, most: float, test_share: float = 0.0) -> Interval:
    """Return the interval of a mean difference, which also serves equal differences.

    Equal differences of independent repetitions have that of :func:`interval_of_equal`. On repeated
    splits of one sample they say nothing about other samples, and their interval is unknown.

    Parameters
    ----------
    differences : array of shape (n,)
        One difference for each repetition.
    most : float
        The largest value of what is compared; the smallest is 0, and a difference is within
        ``+- most``.
    test_share : float
        As of :func:`resampled_interval`.

    Returns
    -------
    callable
        Level -> (low, high); NaN if unknown.
    """
    differences = np.asarray(differences, dtype=np.float64)
    if np.ptp(differences) > ROUNDING * most:
        return lambda level: resampled_interval(differences, test_share, level)
    if test_share:
        return lambda level: (NAN, NAN)
    n = len(differences)
    mean = float(differences.mean())
    return lambda level: interval_of_equal(mean, n, (-most, most), level)


def decided(intervals: Sequence[Interval], bounds: tuple[float, float], tests: int = 1) -> str:
    """Return whether quantities are inside bounds by their intervals.

    Parameters
    ----------
    intervals : sequence of callable
        The interval of each quantity at any level; unknown ends are NaN.
    bounds : tuple of (float, float)
    tests : int
        The number of tests by which "outside" is corrected (Bonferroni).

    Returns
    -------
    str
        "inside" if all intervals at the level :data:`DECIDES` are inside, the ends included;
        "outside" if one of them is outside at the level ``1 - (1 - DECIDES) / tests``; else "open".
    """
    low, high = bounds
    ends = [interval(DECIDES) for interval in intervals]
    if all(low <= start and end <= high for start, end in ends):
        return "inside"
    corrected = 1 - (1 - DECIDES) / tests
    ends = [interval(corrected) for interval in intervals]
    return "outside" if any(end < low or start > high for start, end in ends) else "open"


def outside_by_holm(intervals: Sequence[Interval], bounds: tuple[float, float]) -> set[int]:
    """Return the places of the quantities that are outside bounds by Holm's procedure.

    Each step tests the quantities that are left, corrected by their number (see :func:`holm`).
    Unknown intervals are no test.
    """
    left = {}
    for place, interval in enumerate(intervals):
        if not np.isnan(interval(DECIDES)).any():
            left[place] = interval
    outside: set[int] = set()
    while left:
        n_tests = len(left)
        rejected = set()
        for place, interval in left.items():
            if decided([interval], bounds, n_tests) == "outside":
                rejected.add(place)
        if not rejected:
            break
        outside |= rejected
        left = {place: left[place] for place in left if place not in rejected}
    return outside


def holm(p_values: npt.ArrayLike) -> np.ndarray:
    """Adjust the p-values of several tests so that the chance of any false finding is bounded.

    In ascending order the i-th of m becomes ``max over j <= i of min(1, (m - j + 1) p_j)`` (S. Holm
    1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6(2)). NaN stays NaN and does not count.
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p_values.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    ascending = p_values[order]
    factors = np.arange(len(order), 0, -1)
    bounded = np.minimum(1, factors * ascending)
    adjusted[order] = np.maximum.accumulate(bounded)
    return adjusted


def split_stability(subsets: npt.ArrayLike) -> np.ndarray:
    """Return the part of each repetition in the stability of selections; the mean is the stability.

    The stability is ``1 - mean_f(s_f^2) / ((k / d) (1 - k / d))``, where ``s_f^2 = M / (M - 1) p_f
    (1 - p_f)``, p_f is the share of the M repetitions that select feature f, d is the number of
    features and k is the mean size of a subset (S. Nogueira, K. Sechidis and G. Brown 2018, "On the
    stability of feature selection algorithms", Journal of Machine Learning Research 18(174),
    Definition 4). It is 1 for equal subsets. For random subsets its expectation is 0 if all have
    one size, and otherwise tends to 0 as M grows. The part of repetition i, which selects k_i
    features, is
    ``1 - M / (M - 1) (k_i - sum of p_f over features of i) / d / ((k / d) (1 - k / d))``.

    Parameters
    ----------
    subsets : boolean array of shape (n_repetitions, n_features)

    Returns
    -------
    ndarray of shape (n_repetitions,)
        The mean lies in [-1 / (n_repetitions - 1), 1]. NaN for fewer than two repetitions, and if
        every repetition selects all features, or none.
    """
    subsets = np.asarray(subsets, dtype=bool)
    n = len(subsets)
    if n < 2 or subsets.all() or not subsets.any():
        return np.full(n, np.nan)
    share = subsets.mean()
    unshared = 1 - subsets.mean(axis=0)
    by_split = (subsets * unshared).mean(axis=1)
    return 1 - n / (n - 1) * by_split / (share * (1 - share))
