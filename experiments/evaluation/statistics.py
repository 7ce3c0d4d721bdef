"""Statistics of repeated measurements: pure functions on arrays."""

import numpy as np
from scipy import stats

#: Values that one part of a bootstrap draws together, so that memory stays bounded (8 MiB).
DRAWN_AT_ONCE = 2**20
#: Differences that differ by less, relative to the largest, are equal.
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


def deviation_interval(deviation, n, level=0.95) -> tuple[float, float]:
    """Confidence interval of the standard deviation of independent normal values.

    ``s sqrt((n - 1) / q)`` with q the quantiles of chi-squared with n - 1 degrees of freedom.

    Parameters
    ----------
    deviation : float
        Of the n values, with n - 1 in the denominator.
    n : int
    level : float in (0, 1)

    Returns
    -------
    low, high : float
        NaN for fewer than two values.
    """
    if n < 2:
        return float("nan"), float("nan")
    quantiles = stats.chi2.ppf([(1 + level) / 2, (1 - level) / 2], n - 1)
    low, high = deviation * np.sqrt((n - 1) / quantiles)
    return float(low), float(high)


def bootstrap_interval(
    values, statistic, *, level=0.95, n_resamples=10_000, seed=0
) -> tuple[float, float]:
    """Bootstrap percentile interval of any statistic of independent repetitions (Efron 1979).

    Repetitions are drawn with replacement; the ends are quantiles of the resampled statistics.

    Parameters
    ----------
    values : array of shape (n, ...)
        One entry a repetition.
    statistic : callable
        Array of shape (n_at_once, n, ...) -> array of shape (n_at_once,).
    level : float in (0, 1)
    n_resamples : int
    seed : int
        The same seed gives the same interval.

    Returns
    -------
    low, high : float
        NaN for fewer than two repetitions.

    References
    ----------
    B. Efron (1979), "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1);
    B. Efron and R. Tibshirani (1993), "An Introduction to the Bootstrap", chapter 13.
    """
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    rng = np.random.default_rng(seed)
    found = np.empty(n_resamples)
    at_once = max(1, DRAWN_AT_ONCE // values.size)
    for start in range(0, n_resamples, at_once):
        part = found[start : start + at_once]
        part[:] = statistic(values[rng.integers(n, size=(len(part), n))])
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def paired_interval(differences, *, level=0.95, n_resamples=10_000, seed=0) -> tuple[float, float]:
    """Bootstrap percentile interval of a mean difference between two methods.

    The pairs (same split, both methods) are drawn with replacement; see `bootstrap_interval`.
    Splits count as independent: for the overlap of their training parts see `resampled_ttest`.

    Parameters
    ----------
    differences : array of shape (n,)
        One difference a split.
    level, n_resamples, seed
        As there.

    Returns
    -------
    low, high : float
        NaN for fewer than two values.
    """
    return bootstrap_interval(differences, _means, level=level, n_resamples=n_resamples, seed=seed)


def resampled_ttest(differences, test_share) -> tuple[float, float]:
    """Corrected resampled t-test of a mean difference over random splits, two-sided.

    ``t = mean / sqrt(s^2 (1 / n + n_test / n_train))`` with n - 1 degrees of freedom.

    Parameters
    ----------
    differences : array of shape (n,)
        One difference a split.
    test_share : float
        n_test / n_train; 0 gives Student's paired test.

    Returns
    -------
    t, p : float
        NaN for fewer than two values. Where all differences are equal, (0, 1) if they are zero
        and (+-inf, 0) if they are not.

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
    # t has no unit: squares of scaled values cannot underflow, and rounding can be told apart.
    scaled = differences / largest
    if np.ptp(scaled) < ROUNDING:
        return float(np.copysign(np.inf, scaled[0])), 0.0
    t = scaled.mean() / (scaled.std(ddof=1) * np.sqrt(1 / n + test_share))
    return float(t), float(2 * stats.t.sf(abs(t), n - 1))


def stability(subsets) -> float:
    """How alike the feature subsets of repeated selections are (Nogueira, Sechidis, Brown 2018).

    ``1 - mean_f(s_f^2) / ((k / d) (1 - k / d))`` with ``s_f^2 = M / (M - 1) p_f (1 - p_f)``, p_f
    the share of the M repetitions that select feature f, d the number of features and k the mean
    size of a subset: 1 for equal subsets, 0 in expectation for random ones (exactly where all have
    one size, otherwise as the repetitions grow in number).

    Parameters
    ----------
    subsets : boolean array of shape (n_repetitions, n_features)

    Returns
    -------
    float
        In [-1 / (n_repetitions - 1), 1]; NaN where it is undefined: fewer than two repetitions,
        or all features selected every time, or none.

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
        NaN where the stability is; as a normal approximation it may pass 1.
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
    """Mean accuracy over the logarithm of the number of features: one number for a whole curve.

    The trapezoidal rule over ``log(sizes)``, divided by the range of ``log(sizes)``.

    Parameters
    ----------
    sizes : array of shape (n_sizes,)
        Numbers of features, strictly increasing, at least 1.
    accuracies : array of shape (..., n_sizes)
        Leading axes, such as splits, are kept.

    Returns
    -------
    float or array of shape (...)
        Within the range of the accuracies; for one size, that accuracy.

    Raises
    ------
    ValueError
        If the sizes are not increasing from 1 on or do not match the accuracies.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    accuracies = np.asarray(accuracies, dtype=np.float64)
    if sizes.ndim != 1 or not sizes.size or sizes[0] < 1 or (np.diff(sizes) <= 0).any():
        raise ValueError(
            f"sizes are {sizes.tolist()}, expected strictly increasing numbers from 1 on: "
            "sort them and name each once"
        )
    if accuracies.shape[-1:] != sizes.shape:
        raise ValueError(
            f"accuracies have shape {accuracies.shape}, expected a last axis of {sizes.size}: "
            "give one accuracy a size"
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
            "shape (n_repetitions, n_features): give one row a repetition"
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


def _means(resampled):
    return resampled.mean(axis=1)
