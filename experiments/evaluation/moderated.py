"""Differences between classes, one feature at a time, with variances that learn from all features.

The moderated t and F of Smyth, "Linear models and empirical Bayes methods for assessing
differential expression in microarray experiments", Statistical Applications in Genetics and
Molecular Biology 3 (2004), as in the package limma (Ritchie et al., Nucleic Acids Research 43,
2015). A rank test stands beside them.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, special, stats

#: The confidence of intervals.
CONFIDENCE = 0.95
#: A variance counts as at least this share of the median one when the prior is estimated.
FLOOR = 1e-5
#: The number of variances as small as a feature's, expected under the prior, below which it keeps
#: its own: it is in other units than the other features.
IMPOSSIBLE = 1e-6


class Prior(NamedTuple):
    """The scaled inverse chi-square distribution of the features' variances.

    Attributes
    ----------
    df : float
        Its degrees of freedom, infinite if the variances differ no more than estimates of one do,
        and 0 if there are too few features to learn from.
    variance : float
    """

    df: float
    variance: float


class Differences(NamedTuple):
    """The differences between the classes; all arrays have the shape (n_features,).

    Attributes
    ----------
    higher, lower : ndarray of int
        The classes of the highest and of the lowest mean.
    means : ndarray of shape (n_classes, n_features)
        Of the model, at the mean of the covariates.
    effect, low, high : ndarray
        The mean of class 1 less that of class 0; of more than two classes the highest mean less the
        lowest. Its 95 % interval, in the units of the table. NaN if it cannot be estimated.
    deviation : ndarray
        The square root of the moderated variance within classes: effect / deviation is the effect
        in deviations.
    scaled_low, scaled_high : ndarray
        The 95 % interval of the effect in deviations; NaN for more than two classes.
    statistic, df : ndarray
        Moderated t of two classes, F of more; degrees of freedom of the variance.
    p, q : ndarray
        Two-sided; q are Benjamini-Hochberg values over the features that can be tested. All others
        have p = q = 1.
    is_tested : ndarray of bool
        False for a feature that is constant, or whose model does not determine the class means and
        a variance.
    is_other : ndarray of bool
        True for a feature that keeps its own variance.
    p_rank : ndarray
        Of :func:`rank_test`.
    prior : Prior
    """

    higher: np.ndarray
    lower: np.ndarray
    means: np.ndarray
    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray
    deviation: np.ndarray
    scaled_low: np.ndarray
    scaled_high: np.ndarray
    statistic: np.ndarray
    df: np.ndarray
    p: np.ndarray
    q: np.ndarray
    is_tested: np.ndarray
    is_other: np.ndarray
    p_rank: np.ndarray
    prior: Prior


class Fit(NamedTuple):
    """Linear models of all features; see :func:`fitted`."""

    means: np.ndarray
    unscaled: np.ndarray
    variance: np.ndarray
    df: np.ndarray


def moderated(X: np.ndarray, y: np.ndarray, covariates: np.ndarray | None = None) -> Differences:
    """Test each feature for a difference between the classes.

    The model of a feature is a mean for each class, the same slope of each covariate in all
    classes, and noise of the variance s². The moderated variance is
    ``(d0 s0² + df s²) / (d0 + df)`` with the prior (d0, s0²) of :func:`prior_of`; t and F have it
    in place of s², and ``min(d0 + df, sum of all df)`` degrees of freedom. A feature whose s² is
    too small for the prior, because its unit is another one, keeps s²: see :func:`squeezed`. If s²
    is zero, it is that of rounding: see :func:`resolved`.

    The interval of two classes is that of t. Of more classes it is Scheffé's, which holds for all
    contrasts at once, so that it allows for the choice of the two classes that are farthest apart.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        A missing value (NaN) leaves its sample out of the model of its feature.
    y : ndarray of int (n_samples,)
        Classes 0..C-1.
    covariates : ndarray of shape (n_samples, n_covariates), optional
        Without NaN. A feature whose covariates determine the class cannot be tested.

    Returns
    -------
    Differences
    """
    X, n_classes = np.asarray(X, dtype=np.float64), int(np.max(y)) + 1
    fit = fitted(X, y, covariates)
    prior = prior_of(fit.variance, fit.df)
    fit = resolved(fit, X)
    variance, df = squeezed(fit, prior)
    statistic, p, is_tested = _tested(fit, variance, df)
    known = np.isfinite(fit.means).all(axis=0)
    shown = np.where(known, fit.means, 0.0)
    higher, lower = shown.argmax(axis=0), shown.argmin(axis=0)
    a, b = (np.zeros_like(lower), np.ones_like(higher)) if n_classes == 2 else (lower, higher)
    columns, u = np.arange(X.shape[1]), fit.unscaled
    effect = np.where(known, shown[b, columns] - shown[a, columns], np.nan)
    spread = u[columns, a, a] + u[columns, b, b] - 2 * u[columns, a, b]
    half = _factor(df, n_classes) * np.sqrt(variance * spread)
    low, high = np.full((2, len(effect)), np.nan)
    if n_classes == 2:
        low, high = scaled_interval(statistic, df, spread)
    return Differences(
        higher=higher,
        lower=lower,
        means=fit.means,
        effect=effect,
        low=np.where(is_tested, effect - half, np.nan),
        high=np.where(is_tested, effect + half, np.nan),
        deviation=np.sqrt(variance),
        scaled_low=low,
        scaled_high=high,
        statistic=statistic,
        df=df,
        p=p,
        q=_adjusted(p, is_tested),
        is_tested=is_tested,
        is_other=is_tested & (df == fit.df) & (prior.df > 0),
        p_rank=rank_test(X, y, covariates),
        prior=prior,
    )


def scaled_interval(t: np.ndarray, df: np.ndarray, spread: np.ndarray) -> tuple[Any, Any]:
    """The ends of the 95 % interval of an effect in deviations.

    For an effect of delta deviations t is noncentral t with the noncentrality
    ``delta / sqrt(spread)``: the ends have 0.975 and 0.025 of that distribution below t. So the
    interval allows for the error of the deviation, too. It is that of a fixed delta if the prior of
    the variances is true.

    Parameters
    ----------
    t, df : ndarray of shape (n_features,)
    spread : ndarray of shape (n_features,)
        The variance of the effect's estimate, in units of the variance within classes.

    Returns
    -------
    low, high : ndarray of shape (n_features,)
        NaN if t or the spread is not finite, or df is 0.
    """
    known = np.isfinite(t) & np.isfinite(spread) & (df > 0)
    ends = np.full((2, len(t)), np.nan)
    for end, share in zip(ends, ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2), strict=True):
        end[known] = special.nctdtrinc(df[known], share, t[known]) * np.sqrt(spread[known])
    return ends[0], ends[1]


def p_and_q(
    X: np.ndarray, y: np.ndarray, covariates: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The p and q of :func:`moderated` alone, which take a small part of its time."""
    fit = fitted(X, y, covariates)
    prior, fit = prior_of(fit.variance, fit.df), resolved(fit, X)
    _, p, is_tested = _tested(fit, *squeezed(fit, prior))
    return p, _adjusted(p, is_tested)


def _adjusted(p: np.ndarray, is_tested: np.ndarray) -> np.ndarray:
    """The Benjamini-Hochberg values of the features that are tested, 1 for all others."""
    q = np.ones(len(p))
    if is_tested.any():
        q[is_tested] = stats.false_discovery_control(p[is_tested], method="bh")
    return q


def _tested(
    fit: Fit, variance: np.ndarray, df: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Moderated t of two classes or F of more, and its p; 0 and 1 for what is not tested."""
    effects, u = (fit.means[1:] - fit.means[0]).T, fit.unscaled
    contrast = u[:, 1:, 1:] - u[:, 1:, :1] - u[:, :1, 1:] + u[:, :1, :1]
    n_effects = effects.shape[1]
    statistic = np.zeros(len(effects))
    known = np.isfinite(effects).all(axis=1) & (df > 0)
    differs = np.ptp(np.where(np.isfinite(fit.means), fit.means, 0.0), axis=0) > 0
    is_tested = known & (differs | (np.nan_to_num(fit.variance) > 0))
    known &= differs
    own, effects = contrast[known], effects[known]
    with np.errstate(divide="ignore"):
        if n_effects == 1:
            statistic[known] = effects[:, 0] / np.sqrt(variance[known] * own[:, 0, 0])
            p = 2 * stats.t.sf(np.abs(statistic), np.maximum(df, 1e-3))
        else:
            solved = np.linalg.solve(own, effects[..., None])[..., 0]
            squares = (solved * effects).sum(axis=1) / n_effects
            statistic[known] = squares / variance[known]
            p = stats.f.sf(statistic, n_effects, np.maximum(df, 1e-3))
    return statistic, np.where(known & np.isfinite(p), p, 1.0), is_tested


def _factor(df: np.ndarray, n_classes: int) -> np.ndarray:
    """The factor of the standard error in half an interval."""
    df = np.maximum(df, 1e-3)
    if n_classes == 2:
        return np.asarray(stats.t.ppf((1 + CONFIDENCE) / 2, df))
    return np.sqrt((n_classes - 1) * stats.f.ppf(CONFIDENCE, n_classes - 1, df))


def fitted(X: np.ndarray, y: np.ndarray, covariates: np.ndarray | None = None) -> Fit:
    """Least squares of each feature on the classes and the covariates.

    Returns
    -------
    Fit
        means (n_classes, n_features); unscaled (n_features, n_classes, n_classes), the covariance
        of the means in units of the variance; variance and df (n_features,), of the residuals.
        Covariates that follow from others count once. NaN and 0 degrees of freedom if a class has
        no value, or follows from the covariates.
    """
    n_classes, d = int(np.max(y)) + 1, X.shape[1]
    design = np.eye(n_classes)[y]
    if covariates is not None and covariates.size:
        design = np.column_stack([design, covariates - covariates.mean(axis=0)])
    means = np.full((n_classes, d), np.nan)
    unscaled = np.full((d, n_classes, n_classes), np.nan)
    variance, df = np.full(d, np.nan), np.zeros(d)
    gaps = np.isnan(X)
    patterns, of_column = np.zeros((1, len(y)), dtype=bool), np.zeros(d, dtype=np.intp)
    if gaps.any():
        patterns, of_column = np.unique(gaps.T, axis=0, return_inverse=True)
        of_column = of_column.ravel()
    for number, missing in enumerate(patterns):
        columns, rows = np.flatnonzero(of_column == number), ~missing
        own = design[rows]
        if np.linalg.matrix_rank(own) < own.shape[1]:
            own = np.column_stack([own[:, :n_classes], _independent(own[:, n_classes:])])
            if np.linalg.matrix_rank(own) < own.shape[1]:
                continue
        values = X[np.ix_(rows, columns)]
        centre = values.mean(axis=0)
        values = values - centre
        inverse = np.linalg.pinv(own)
        coefficients = inverse @ values
        left = values - own @ coefficients
        # What is left of a mean, or of its distance to the whole mean, by rounding is zero.
        rounding = 1e-14 * np.maximum(np.abs(values).max(axis=0, initial=0.0), np.abs(centre))
        from_centre = _without_rounding(coefficients[:n_classes], rounding)
        means[:, columns] = _without_rounding(from_centre + centre, rounding)
        unscaled[columns] = (inverse @ inverse.T)[:n_classes, :n_classes]
        df[columns] = len(own) - own.shape[1]
        if len(own) > own.shape[1]:
            squares = (left**2).sum(axis=0)
            # What is left of a sum of squares by rounding is zero.
            squares[squares <= 1e-24 * np.maximum((values**2).sum(axis=0), centre**2)] = 0.0
            variance[columns] = squares / (len(own) - own.shape[1])
    return Fit(means, unscaled, variance, df)


def _without_rounding(values: np.ndarray, rounding: np.ndarray) -> np.ndarray:
    return np.where(np.abs(values) < rounding, 0.0, values)


def _independent(covariates: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the covariates less their means."""
    basis, sizes, _ = np.linalg.svd(covariates - covariates.mean(axis=0), full_matrices=False)
    return basis[:, sizes > 1e-10 * np.linalg.norm(covariates)]


def prior_of(variance: np.ndarray, df: np.ndarray) -> Prior:
    """The prior distribution of the variances, from the moments of their logarithms.

    ``log s²`` is ``log s0²`` plus the logarithm of an F variable with (df, d0) degrees of freedom,
    so that d0 solves ``trigamma(d0 / 2) = var(e) - mean(trigamma(df / 2))`` with
    ``e = log s² - digamma(df / 2) + log(df / 2)`` (Smyth 2004, section 6.2). If the right-hand side
    is not positive, d0 is infinite and s0² the mean variance. Variances of zero are left out.

    Parameters
    ----------
    variance, df : ndarray of shape (n_features,)
    """
    usable = (df > 0) & np.isfinite(variance) & (variance > 0)
    variance, half = variance[usable], df[usable] / 2
    if len(variance) < 2:
        return Prior(0.0, float(variance[0]) if len(variance) else 0.0)
    variance = np.maximum(variance, FLOOR * np.median(variance))
    e = np.log(variance) - special.digamma(half) + np.log(half)
    excess = e.var(ddof=1) - special.polygamma(1, half).mean()
    if excess <= 0:
        return Prior(np.inf, float(variance.mean()))
    d0 = 2 * inverse_trigamma(float(excess))
    location = e.mean() + special.digamma(d0 / 2) - np.log(d0 / 2)
    return Prior(d0, float(np.exp(location)))


def inverse_trigamma(value: float) -> float:
    """The x > 0 with trigamma(x) = value, for a value > 0."""
    at = optimize.brentq(
        lambda log_x: np.log(special.polygamma(1, np.exp(log_x))) - np.log(value),
        -40.0, 40.0, xtol=1e-14,
    )  # fmt: skip
    return float(np.exp(at))


def resolved(fit: Fit, X: np.ndarray) -> Fit:
    """The fit with ``step² / 12`` in place of a variance of zero.

    A feature that is constant within the classes is known to its smallest step between two
    different values. This is the variance of a uniform error of rounding to that step.
    """
    variance = fit.variance.copy()
    for j in np.flatnonzero((variance == 0) & (fit.df > 0)):
        values = np.unique(X[np.isfinite(X[:, j]), j])
        variance[j] = np.diff(values).min(initial=np.inf) ** 2 / 12 if len(values) > 1 else 0.0
    return fit._replace(variance=variance)


def squeezed(fit: Fit, prior: Prior) -> tuple[np.ndarray, np.ndarray]:
    """The moderated variances and their degrees of freedom, shape (n_features,) each.

    A prior learns from features of one scale. In a table of several units s² may be far below it,
    so that a weight of any size hides the feature. If ``n_features P(F(df, d0) < s² / s0²)`` is
    below :data:`IMPOSSIBLE`, the feature keeps s² and df.
    """
    own = np.where(np.isfinite(fit.variance), fit.variance, 0.0)
    if np.isinf(prior.df):
        variance = np.full(len(own), prior.variance)
    else:
        total = prior.df + fit.df
        weighted = prior.df * prior.variance + fit.df * own
        variance = np.divide(weighted, total, out=np.full(len(own), np.nan), where=total > 0)
    df = np.minimum(prior.df + fit.df, max(1.0, fit.df.sum()))
    if prior.df > 0 and prior.variance > 0:
        share = stats.f.cdf(own / prior.variance, np.maximum(fit.df, 1), min(prior.df, 1e10))
        is_other = (own > 0) & (fit.df > 0) & (share * len(own) < IMPOSSIBLE)
        variance, df = np.where(is_other, own, variance), np.where(is_other, fit.df, df)
    return variance, df


def rank_test(X: np.ndarray, y: np.ndarray, covariates: np.ndarray | None = None) -> np.ndarray:
    """p of a test of each feature's ranks.

    Of two classes without covariates it is the Mann-Whitney test. Otherwise the ranks of a feature
    are regressed on the ranks of the covariates, as in Quade's rank analysis of covariance (Journal
    of the American Statistical Association 62, 1967): ``df (1 - S1 / S0)`` with the residual sums
    of squares S0 without the classes, on df degrees of freedom, and S1 with them, is compared to
    chi-square with C - 1 degrees of freedom. Without covariates this is the Kruskal-Wallis test.

    Missing values are left out; a feature that cannot be tested has p = 1.

    Parameters
    ----------
    X, y, covariates
        As in :func:`moderated`.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    p = np.ones(X.shape[1])
    varies = np.nanmax(X, axis=0, initial=-np.inf) > np.nanmin(X, axis=0, initial=np.inf)
    given = np.empty((len(y), 0)) if covariates is None else covariates
    if given.size or len(np.unique(y)) > 2:
        ranks = stats.rankdata(X[:, varies], axis=0, nan_policy="omit")
        of_given = stats.rankdata(given, axis=0) if given.size else given
        full = fitted(ranks, y, of_given)
        none = fitted(ranks, np.zeros(len(y), dtype=np.int64), of_given)
        known = (full.df > 0) & (none.variance > 0)
        explained = none.df * none.variance - full.df * full.variance
        statistic = np.divide(explained, none.variance, out=np.zeros(len(known)), where=known)
        p[varies] = stats.chi2.sf(np.maximum(statistic, 0.0), np.maximum(none.df - full.df, 1))
        return p
    parts: list[Any] = [X[y == label] for label in np.unique(y)]
    varies &= np.all([np.isfinite(part).any(axis=0) for part in parts], axis=0)
    whole = varies & np.isfinite(X).all(axis=0)
    has_ties = (np.diff(np.sort(X, axis=0), axis=0) == 0).any(axis=0)
    # SciPy computes no exact p of a table if one of its columns has ties.
    of_one_kind = (whole & ~has_ties, whole & has_ties, varies & ~whole)
    policies: Any = ("propagate", "propagate", "omit")
    for columns, policy in zip(of_one_kind, policies, strict=True):
        if columns.any():
            own = [part[:, columns] for part in parts]
            p[columns] = stats.mannwhitneyu(*own, nan_policy=policy).pvalue
    return np.where(np.isfinite(p), p, 1.0)
