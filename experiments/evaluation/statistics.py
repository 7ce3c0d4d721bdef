"""Statistics of repeated measurements: pure functions on arrays."""

import numpy as np
from scipy import stats

#: Differences count as equal if they differ by less than this, relative to the largest.
ROUNDING = 1e-12


def resampled_interval(values, test_share=0.0, level=0.95) -> tuple[float, float]:
    """The interval of a mean over random splits of one sample (Nadeau and Bengio 2003).

    Training sets of different splits overlap, so that s^2 / n is too small for the variance of the
    mean. The corrected variance is ``s^2 (1 / n + n_test / n_train)``.

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
        return float("nan"), float("nan")
    error = values.std(ddof=1) * np.sqrt(1 / n + test_share)
    half = stats.t.ppf((1 + level) / 2, n - 1) * error
    return float(values.mean() - half), float(values.mean() + half)


def resampled_floor(values, test_share, level=0.95) -> tuple[float, float]:
    """The limit of :func:`resampled_interval` if more and more splits had these values.

    ``mean +- z s sqrt(n_test / n_train)``: the samples stay the same, however often they are split.

    Parameters
    ----------
    values : array of shape (n,)
        One value for each split.
    test_share : float
        n_test / n_train.
    level : float in (0, 1)

    Returns
    -------
    low, high : float
        NaN for fewer than two values.
    """
    values = np.asarray(values, dtype=np.float64)
    if len(values) < 2:
        return float("nan"), float("nan")
    half = stats.norm.ppf((1 + level) / 2) * values.std(ddof=1) * np.sqrt(test_share)
    return float(values.mean() - half), float(values.mean() + half)


def deviation_interval(deviation, n, level=0.95) -> tuple[float, float]:
    """Confidence interval of the standard deviation of independent normal values.

    ``s sqrt((n - 1) / q)`` with q the quantiles of chi-squared with n - 1 degrees of freedom.

    Parameters
    ----------
    deviation : float
        The standard deviation of the n values, with n - 1 in the denominator.
    n : int
    level : float in (0, 1)

    Returns
    -------
    low, high : float
        NaN for n < 2.
    """
    if n < 2:
        return float("nan"), float("nan")
    quantiles = stats.chi2.ppf([(1 + level) / 2, (1 - level) / 2], n - 1)
    low, high = deviation * np.sqrt((n - 1) / quantiles)
    return float(low), float(high)


def resampled_ttest(differences, test_share) -> tuple[float, float]:
    """Corrected resampled t-test of a mean difference over random splits, two-sided.

    ``t = mean / sqrt(s^2 (1 / n + n_test / n_train))`` with n - 1 degrees of freedom.

    Parameters
    ----------
    differences : array of shape (n,)
        One difference for each split.
    test_share : float
        n_test / n_train; 0 gives Student's paired t-test.

    Returns
    -------
    t, p : float
        NaN for fewer than two values. If all differences are equal, the result is (0, 1) where they
        are zero and (+-inf, 0) where they are not.

    References
    ----------
    C. Nadeau and Y. Bengio (2003), "Inference for the generalization error", Machine Learning 52.
    """
    differences = np.asarray(differences, dtype=np.float64)
    n = len(differences)
    if n < 2:
        return float("nan"), float("nan")
    largest = np.abs(differences).max()
    if largest == 0:
        return 0.0, 1.0
    # Scaling leaves t as it is. The squares cannot underflow then, and the size of rounding errors
    # is known.
    scaled = differences / largest
    if np.ptp(scaled) < ROUNDING:
        return float(np.copysign(np.inf, scaled[0])), 0.0
    t = scaled.mean() / (scaled.std(ddof=1) * np.sqrt(1 / n + test_share))
    return float(t), float(2 * stats.t.sf(abs(t), n - 1))


def split_stability(subsets) -> np.ndarray:
    """The part of each repetition in the stability of selections; its mean is the stability.

    The stability (Nogueira, Sechidis, Brown 2018) is ``1 - mean_f(s_f^2) / ((k / d) (1 - k / d))``,
    where ``s_f^2 = M / (M - 1) p_f (1 - p_f)``, p_f is the share of the M repetitions that select
    feature f, d is the number of features and k is the mean size of a subset. It is 1 for equal
    subsets. For random subsets its expectation is 0 if all have one size, and otherwise tends to 0
    as M grows. The part of repetition i, which selects k_i features, is
    ``1 - M / (M - 1) (k_i - sum of p_f over features of i) / d / ((k / d) (1 - k / d))``.

    Parameters
    ----------
    subsets : boolean array of shape (n_repetitions, n_features)

    Returns
    -------
    ndarray of shape (n_repetitions,)
        The mean lies in [-1 / (n_repetitions - 1), 1]. NaN for fewer than two repetitions, and if
        every repetition selects all features, or none.

    References
    ----------
    S. Nogueira, K. Sechidis and G. Brown (2018), "On the stability of feature selection
    algorithms", Journal of Machine Learning Research 18(174), Definition 4.
    """
    subsets = np.asarray(subsets)
    if subsets.ndim != 2 or subsets.dtype != np.bool_:
        raise ValueError(
            f"subsets have type {subsets.dtype} and shape {subsets.shape}, expected booleans of "
            "shape (n_repetitions, n_features): give one row for each repetition"
        )
    n = len(subsets)
    if n < 2 or subsets.all() or not subsets.any():
        return np.full(n, np.nan)
    share = subsets.mean()
    own = (subsets * (1 - subsets.mean(axis=0))).mean(axis=1)
    return 1 - n / (n - 1) * own / (share * (1 - share))
