"""Statistics of repeated measurements: pure functions on arrays."""

import numpy as np
from scipy import stats

#: Differences count as equal if they differ by less than this, relative to the largest.
ROUNDING = 1e-12


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

    Training sets of different splits overlap, so that s^2 / n is too small for the variance of the
    mean. The corrected variance is ``s^2 (1 / n + n_test / n_train)``.

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
    return _interval(values, level, inflation=test_share)


def resampled_floor(values, test_share, level=0.95) -> tuple[float, float]:
    """What :func:`resampled_interval` would end at if more and more splits had these values.

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


def stability(subsets) -> float:
    """How alike the feature subsets of repeated selections are (Nogueira, Sechidis, Brown 2018).

    The stability is ``1 - mean_f(s_f^2) / ((k / d) (1 - k / d))``, where
    ``s_f^2 = M / (M - 1) p_f (1 - p_f)``, p_f is the share of the M repetitions that select feature
    f, d is the number of features and k is the mean size of a subset. It is 1 for equal subsets.
    For random subsets its expectation is 0 if all have one size, and otherwise tends to 0 as M
    grows.

    Parameters
    ----------
    subsets : boolean array of shape (n_repetitions, n_features)

    Returns
    -------
    float
        The stability, in [-1 / (n_repetitions - 1), 1]. It is not defined, and NaN, for fewer than
        two repetitions and where every repetition selects all features, or none.

    References
    ----------
    S. Nogueira, K. Sechidis and G. Brown (2018), "On the stability of feature selection
    algorithms", Journal of Machine Learning Research 18(174), Definition 4.
    """
    subsets = _subsets(subsets)
    if len(subsets) < 2 or subsets.all() or not subsets.any():
        return float("nan")
    share = subsets.mean()
    return float(1 - subsets.var(axis=0, ddof=1).mean() / (share * (1 - share)))


def stability_interval(subsets, level=0.95) -> tuple[float, float]:
    """Asymptotic confidence interval of `stability` (Nogueira, Sechidis, Brown 2018).

    ``stability +- z sqrt(v)`` with ``v = 4 / M^2 sum_i (phi_i - mean(phi))^2`` and, with k_i the
    size of subset i and k the mean size,

        phi_i = [mean_f(z_if p_f) - k_i k / d^2
                 + stability / 2 (2 k_i k / d^2 - k_i / d - k / d + 1)] / ((k / d) (1 - k / d)).

    Parameters
    ----------
    subsets : boolean array of shape (n_repetitions, n_features)
    level : float in (0, 1)

    Returns
    -------
    low, high : float
        NaN where the stability is NaN. The upper end may exceed 1, because the interval is a normal
        approximation.
    """
    subsets = _subsets(subsets)
    centre = stability(subsets)
    if np.isnan(centre):
        return float("nan"), float("nan")
    share = subsets.mean(axis=0)
    sizes, mean_size = subsets.mean(axis=1), share.mean()
    product = sizes * mean_size
    phi = subsets @ share / subsets.shape[1] - product
    phi += centre / 2 * (2 * product - sizes - mean_size + 1)
    phi /= mean_size * (1 - mean_size)
    half = stats.norm.ppf((1 + level) / 2) * 2 * phi.std() / np.sqrt(len(subsets))
    return float(centre - half), float(centre + half)


def area_under_curve(sizes, accuracies):
    """Mean accuracy over the logarithm of the number of features, as one number for a curve.

    It is computed by the trapezoidal rule over ``log(sizes)``, divided by the range of
    ``log(sizes)``.

    Parameters
    ----------
    sizes : array of shape (n_sizes,)
        Numbers of features, strictly increasing, at least 1.
    accuracies : array of shape (..., n_sizes)
        Leading axes, such as splits, are kept.

    Returns
    -------
    float or array of shape (...)
        The mean, which lies within the range of the accuracies. For one size it is that accuracy.

    Raises
    ------
    ValueError
        If the sizes do not increase, are below 1 or do not match the accuracies.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    accuracies = np.asarray(accuracies, dtype=np.float64)
    if sizes.ndim != 1 or not sizes.size or sizes[0] < 1 or (np.diff(sizes) <= 0).any():
        raise ValueError(
            f"sizes are {sizes.tolist()}, expected strictly increasing numbers of at least 1: "
            "sort them and give each once"
        )
    if accuracies.shape[-1:] != sizes.shape:
        raise ValueError(
            f"accuracies have shape {accuracies.shape}, expected a last axis of {sizes.size}: "
            "give one accuracy for each size"
        )
    if sizes.size == 1:
        return accuracies[..., 0]
    places = np.log(sizes)
    return np.trapezoid(accuracies, places, axis=-1) / (places[-1] - places[0])


def _subsets(subsets):
    subsets = np.asarray(subsets)
    if subsets.ndim != 2 or subsets.dtype != np.bool_:
        raise ValueError(
            f"subsets have type {subsets.dtype} and shape {subsets.shape}, expected booleans of "
            "shape (n_repetitions, n_features): give one row for each repetition"
        )
    return subsets


def _interval(values, level, inflation):
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    error = values.std(ddof=1) * np.sqrt(1 / n + inflation)
    half = stats.t.ppf((1 + level) / 2, n - 1) * error
    return float(values.mean() - half), float(values.mean() + half)


def split_stability(subsets) -> np.ndarray:
    """The part of each repetition in the stability of selections; its mean is the stability.

    ``phi_i = 1 - M / (M - 1) (k_i - sum of p_f over features of i) / d / ((k / d) (1 - k / d))``
    with the symbols of :func:`stability`; k_i is the number of features that repetition i selects.

    Parameters
    ----------
    subsets : boolean array of shape (n_repetitions, n_features)

    Returns
    -------
    ndarray of shape (n_repetitions,)
        NaN where :func:`stability` is not defined.
    """
    subsets = _subsets(subsets)
    n = len(subsets)
    if n < 2 or subsets.all() or not subsets.any():
        return np.full(n, np.nan)
    share = subsets.mean()
    own = (subsets * (1 - subsets.mean(axis=0))).mean(axis=1)
    return 1 - n / (n - 1) * own / (share * (1 - share))
