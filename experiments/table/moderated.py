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
    effects, unscaled, own, df = fitted(X, y, covariates)
    (d0, s0), rows, last = prior_of(own, df), np.arange(len(df)), effects.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.full(len(df), s0) if np.isinf(d0) else (d0 * s0 + df * own) / (d0 + df)
        total = np.minimum(d0 + df, df.sum())
        if d0 > 0:
            alone = len(df) * stats.f.cdf(own / s0, df, min(d0, 1e10)) < IMPOSSIBLE
            variance, total = np.where(alone, own, variance), np.where(alone, df, total)
        means = np.column_stack([np.zeros(len(df)), effects])
        tested = np.isfinite(effects).all(axis=1)
        high, low = np.where(tested, [means.argmax(axis=1), means.argmin(axis=1)], 0)
        b, a = (np.ones_like(high), np.zeros_like(low)) if last == 1 else (high, low)
        spread = unscaled[rows, b, b] + unscaled[rows, a, a] - 2 * unscaled[rows, a, b]
        effect, error = means[rows, b] - means[rows, a], np.sqrt(variance * spread)
        effect[~tested] = np.nan
        width, statistic = np.sqrt(last * stats.f.ppf(0.95, last, total)), effect / error
        if last > 1:
            solved = np.linalg.solve(unscaled[tested, 1:, 1:], effects[tested, :, None])[..., 0]
            statistic[tested] = (solved * effects[tested]).sum(axis=1) / last / variance[tested]
        p = stats.f.sf(statistic if last > 1 else statistic**2, last, total)
    ends = effect - width * error, effect + width * error
    return Differences(effect, *ends, np.where(tested, high, -1), statistic, p, (d0, s0))


def fitted(X, y, covariates=None) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Fit each feature by least squares on the classes and the covariates.

    Returns the means of the classes 1..C-1 minus that of class 0, (n_features, C - 1), NaN if the
    values are equal or do not determine them and a variance; the covariance of 0 and these effects
    in units of the variance, (n_features, C, C); variance and df of the residuals, (n_features,). A
    variance of 0 is replaced by that of rounding to the smallest step of values, ``step² / 12``.
    """
    X, n_effects, d = np.asarray(X, dtype=np.float64), int(np.max(y)), X.shape[1]
    covariates = np.empty((len(y), 0)) if covariates is None else stats.zscore(covariates, axis=0)
    given = np.column_stack([np.ones(len(y)), covariates])
    design = np.column_stack([np.eye(n_effects + 1)[y][:, 1:], given])
    effects, unscaled = np.full((d, n_effects), np.nan), np.zeros((d, n_effects + 1, n_effects + 1))
    variance, df = np.full(d, np.nan), np.zeros(d)
    patterns, of_feature = np.unique(np.isfinite(X), axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        features = np.flatnonzero(of_feature.ravel() == number)
        own, rank = design[rows], np.linalg.matrix_rank(design[rows])
        left = len(own) - rank
        if left < 1 or rank < np.linalg.matrix_rank(given[rows]) + n_effects:
            continue
        values = X[np.ix_(rows, features)]
        centred, inverse = values - values.mean(axis=0), np.linalg.pinv(own)
        found = inverse @ centred
        size = np.maximum(np.square(centred).sum(axis=0), np.square(values).mean(axis=0))
        squares = np.square(centred - own @ found).sum(axis=0)
        for at in np.flatnonzero(squares <= 1e-24 * size):  # What rounding leaves is zero.
            steps = np.diff(np.unique(values[:, at]))
            squares[at] = left * steps.min() ** 2 / 12 if len(steps) else np.nan
        effects[features] = np.where(np.isfinite(squares), found[:n_effects], np.nan).T
        unscaled[features, 1:, 1:] = (inverse @ inverse.T)[:n_effects, :n_effects]
        variance[features], df[features] = squares / left, np.where(np.isfinite(squares), left, 0)
    return effects, unscaled, variance, df


def prior_of(variance: np.ndarray, df: np.ndarray) -> tuple[float, float]:
    """Estimate degrees of freedom d0 and variance s0² of the prior (Smyth 2004, section 6.2).

    ``trigamma(d0 / 2) = var(e) - mean(trigamma(df / 2))``, ``log s0² = mean(e) + digamma(d0 / 2) -
    log(d0 / 2)`` with ``e = log s² - digamma(df / 2) + log(df / 2)``. If the first one is not
    positive, d0 is infinite and s0² the mean variance; with fewer than two features d0 is 0.
    """
    known = (df > 0) & (variance > 0)
    variance, half = variance[known], df[known] / 2
    if len(variance) < 2:
        return 0.0, float(variance.sum())
    variance = np.maximum(variance, 1e-5 * np.median(variance))  # as limma does
    e = np.log(variance) - special.digamma(half) + np.log(half)
    excess = e.var(ddof=1) - special.polygamma(1, half).mean()
    if excess <= 0:
        return float("inf"), float(variance.mean())
    root = optimize.brentq(
        lambda x: np.log(special.polygamma(1, np.exp(x)) / excess), -40.0, 40.0, xtol=1e-14
    )
    d0 = 2 * float(np.exp(root))
    return d0, float(np.exp(e.mean() + special.digamma(d0 / 2) - np.log(d0 / 2)))
