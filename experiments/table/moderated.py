"""Moderated t and F (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004)."""

from typing import NamedTuple

import numpy as np
from scipy import optimize, special, stats

#: A feature keeps its own variance if the prior expects fewer than this many as small.
IMPOSSIBLE = 1e-6


class Differences(NamedTuple):
    """The differences between classes; arrays of shape (n_features,), NaN for untested features.

    `effect` is the mean of class 1 minus that of class 0, given the covariates; with more classes,
    the highest mean minus the lowest. `low` and `high` are its 95 % interval by t; with more
    classes by Scheffé, which allows for the choice of the two. `higher` (int) is the class of the
    highest mean, -1 if unknown. `statistic` is t, or F with more classes; `p` is two-sided. `prior`
    has the degrees of freedom and the variance of the prior; the first is infinite if variances
    differ only by chance.
    """

    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray
    higher: np.ndarray
    statistic: np.ndarray
    p: np.ndarray
    prior: tuple[float, float]


def moderated(X: np.ndarray, y: np.ndarray, covariates: np.ndarray | None = None) -> Differences:
    """Test each feature for a difference between the classes.

    The model of a feature has a mean for each class, a slope for each covariate, and noise of
    variance s². Its moderated variance is ``(d0 s0² + df s²) / (d0 + df)`` with the prior (d0, s0²)
    of :func:`prior_of` and ``min(d0 + df, sum of all df)`` degrees of freedom. A feature with an s²
    that is far too small for the prior, because of other units, keeps its s² and df.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        A sample with a missing value (NaN) is left out of the model of that feature.
    y : ndarray of int (n_samples,)
        Classes 0..C-1, C >= 2.
    covariates : ndarray of shape (n_samples, n_covariates), optional
        Without NaN.
    """
    effects, unscaled, own_variance, df = fitted(X, y, covariates)
    prior = prior_of(own_variance, df)
    n_effects = effects.shape[1]
    is_tested = np.isfinite(effects).all(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance, total_df = _shrunken(own_variance, df, prior)
        means = np.column_stack([np.zeros(len(df)), effects])
        highest = np.where(is_tested, means.argmax(axis=1), 0)
        lowest = np.where(is_tested, means.argmin(axis=1), 0)
        upper = highest if n_effects > 1 else np.ones_like(highest)
        lower = lowest if n_effects > 1 else np.zeros_like(lowest)
        effect, spread = _contrast(means, unscaled, upper, lower)
        effect[~is_tested] = np.nan
        error = np.sqrt(variance * spread)
        width = np.sqrt(n_effects * stats.f.ppf(0.95, n_effects, total_df))
        statistic = effect / error
        if n_effects > 1:
            tested = effects[is_tested]
            covariance = unscaled[is_tested, 1:, 1:]
            solved = np.linalg.solve(covariance, tested[:, :, None])[..., 0]
            squares = (solved * tested).sum(axis=1)
            statistic[is_tested] = squares / n_effects / variance[is_tested]
            F = statistic
        else:
            F = statistic**2
        p = np.asarray(stats.f.sf(F, n_effects, total_df))
    return Differences(
        effect=effect,
        low=effect - width * error,
        high=effect + width * error,
        higher=np.where(is_tested, highest, -1),
        statistic=statistic,
        p=p,
        prior=prior,
    )


def _shrunken(
    variance: np.ndarray, df: np.ndarray, prior: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the moderated variances and their degrees of freedom."""
    d0, s0 = prior
    moderate = (d0 * s0 + df * variance) / (d0 + df)
    if np.isinf(d0):
        moderate = np.full(len(df), s0)
    total_df = np.minimum(d0 + df, df.sum())
    if not d0 > 0:
        return moderate, total_df
    expected = len(df) * stats.f.cdf(variance / s0, df, min(d0, 1e10))
    is_alone = expected < IMPOSSIBLE
    return np.where(is_alone, variance, moderate), np.where(is_alone, df, total_df)


def _contrast(
    means: np.ndarray, unscaled: np.ndarray, upper: np.ndarray, lower: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the difference of two classes for each feature, and its variance without the noise."""
    rows = np.arange(len(means))
    effect = means[rows, upper] - means[rows, lower]
    variances = unscaled[rows, upper, upper] + unscaled[rows, lower, lower]
    return effect, variances - 2 * unscaled[rows, lower, upper]


class Fit(NamedTuple):
    """The models of all features; see :func:`fitted`."""

    effects: np.ndarray
    unscaled: np.ndarray
    variance: np.ndarray
    df: np.ndarray


def fitted(X: np.ndarray, y: np.ndarray, covariates: np.ndarray | None = None) -> Fit:
    """Fit each feature by least squares on the classes and the covariates.

    Returns the means of the classes 1..C-1 minus that of class 0, (n_features, C - 1), NaN if the
    values are equal or do not determine them and a variance; the covariance of 0 and these effects
    in units of the variance, (n_features, C, C); variance and df of the residuals, (n_features,). A
    variance of 0 is replaced by that of rounding to the smallest step of values, ``step² / 12``.
    """
    X = np.asarray(X, dtype=np.float64)
    n_features = X.shape[1]
    n_effects = int(np.max(y))
    covariates = np.empty((len(y), 0)) if covariates is None else stats.zscore(covariates, axis=0)
    without_classes = np.column_stack([np.ones(len(y)), covariates])
    is_class = np.eye(n_effects + 1)[y]
    design = np.column_stack([is_class[:, 1:], without_classes])
    effects = np.full((n_features, n_effects), np.nan)
    unscaled = np.zeros((n_features, n_effects + 1, n_effects + 1))
    variance = np.full(n_features, np.nan)
    df = np.zeros(n_features)
    patterns, pattern_of = np.unique(np.isfinite(X), axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        model = design[rows]
        rank = np.linalg.matrix_rank(model)
        n_left = len(model) - rank
        rank_without = np.linalg.matrix_rank(without_classes[rows])
        if n_left < 1 or rank < rank_without + n_effects:
            continue
        features = np.flatnonzero(pattern_of.ravel() == number)
        inverse = np.linalg.pinv(model)
        coefficients, squares = _least_squares(X[np.ix_(rows, features)], model, inverse, n_left)
        is_known = np.isfinite(squares)
        effects[features] = np.where(is_known, coefficients[:n_effects], np.nan).T
        covariance = inverse @ inverse.T
        unscaled[features, 1:, 1:] = covariance[:n_effects, :n_effects]
        variance[features] = squares / n_left
        df[features] = np.where(is_known, n_left, 0)
    return Fit(effects, unscaled, variance, df)


def _least_squares(
    values: np.ndarray, model: np.ndarray, inverse: np.ndarray, n_left: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients and the sum of squared residuals of each feature."""
    centred = values - values.mean(axis=0)
    coefficients = inverse @ centred
    size_of_centred = np.square(centred).sum(axis=0)
    size = np.maximum(size_of_centred, np.square(values).mean(axis=0))
    squares = np.square(centred - model @ coefficients).sum(axis=0)
    for feature in np.flatnonzero(squares <= 1e-24 * size):  # What rounding leaves is zero.
        steps = np.diff(np.unique(values[:, feature]))
        squares[feature] = np.nan
        if len(steps):
            squares[feature] = n_left * steps.min() ** 2 / 12
    return coefficients, squares


def prior_of(variance: np.ndarray, df: np.ndarray) -> tuple[float, float]:
    """Estimate degrees of freedom d0 and variance s0² of the prior (Smyth 2004, section 6.2).

    ``trigamma(d0 / 2) = var(e) - mean(trigamma(df / 2))``, ``log s0² = mean(e) + digamma(d0 / 2) -
    log(d0 / 2)`` with ``e = log s² - digamma(df / 2) + log(df / 2)``. If the first one is not
    positive, d0 is infinite and s0² the mean variance; with fewer than two features d0 is 0.
    """
    known = (df > 0) & (variance > 0)
    variance = variance[known]
    half = df[known] / 2
    if len(variance) < 2:
        return 0.0, float(variance.sum())
    variance = np.maximum(variance, 1e-5 * np.median(variance))  # as limma does
    e = np.log(variance) - special.digamma(half) + np.log(half)
    excess = e.var(ddof=1) - special.polygamma(1, half).mean()
    if excess <= 0:
        return float("inf"), float(variance.mean())

    def too_much(log_half: float) -> float:
        return np.log(special.polygamma(1, np.exp(log_half)) / excess)

    root = optimize.brentq(too_much, -40.0, 40.0, xtol=1e-14)
    d0 = 2 * float(np.exp(root))
    log_s0 = e.mean() + special.digamma(d0 / 2) - np.log(d0 / 2)
    return d0, float(np.exp(log_s0))
