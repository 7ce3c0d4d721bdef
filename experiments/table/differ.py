"""Test which features differ between classes: moderated and rank tests, effects, q-values."""

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse, special, stats

from experiments.datasets import DataError
from experiments.datasets.own.table import Table
from experiments.table.moderated import moderated

#: Features count as different if their q-value is at most this.
ALPHA = 0.05
#: Number of values of each class that a test needs.
FOR_TEST = 3


def copies_of(X: np.ndarray) -> np.ndarray:
    """Return a number for each sample, equal for copies of one sample.

    Samples are copies if all their values are equal and one of the values is in no other sample.
    The second condition is needed because values from a short list can be equal by chance.
    """
    equal = pd.factorize(np.array([row.tobytes() for row in X + 0.0], dtype=object))[0]
    for number in np.flatnonzero(np.bincount(equal) > 1):
        rows = np.flatnonzero(equal == number)
        alike = (X[rows[:1]] == X).sum(axis=0)
        if alike[alike > 0].min(initial=len(X)) > len(rows):
            equal[rows] = equal.max() + 1 + np.arange(len(rows))
    return np.unique(equal, return_inverse=True)[1]


def groups_of(samples: Table) -> np.ndarray:
    """Return a number for each sample, equal for samples of a named group and for copies."""
    copies, named, n = copies_of(samples.X), samples.groups, len(samples.y)
    groups = copies if named is None else pd.factorize(pd.Series(named))[0]
    edges = sparse.coo_array((np.ones(n), (groups, n + copies)), (2 * n, 2 * n))
    return sparse.csgraph.connected_components(edges, directed=False)[1][groups]


def _independent(X, y, covariates, groups, *, within: bool) -> tuple[np.ndarray, ...]:
    """Replace the samples of one group and class by their mean, so that nothing counts twice.

    If classes are compared within groups, groups with one class say nothing and are left out.
    """
    n_classes = y.max() + 1
    cells, of_row = np.unique(groups * n_classes + y, return_inverse=True)
    X, covariates = (pd.DataFrame(v).groupby(of_row).mean().to_numpy() for v in (X, covariates))
    groups, y = cells // n_classes, cells % n_classes
    kept = np.bincount(groups)[groups] > 1
    if not (within and kept.any()):
        return X, y, covariates, groups[:0]
    return X[kept], y[kept], covariates[kept], np.unique(groups[kept], return_inverse=True)[1]


def _covariates_of(adjust: Mapping[str, Sequence], y) -> tuple[np.ndarray, dict[str, float]]:
    """Return the columns of covariates, and how closely each follows the class (adjusted R²).

    Numbers give one column, texts one for each value except the first. R² is the largest squared
    correlation between combinations of a covariate's columns and of the classes.
    """
    n, classes, shares = len(y), np.eye(y.max() + 1)[y], {}
    columns = np.empty((n, 0))
    for name, values in adjust.items():
        is_text = isinstance(values[0], str)
        own = pd.get_dummies(pd.Series(values)).iloc[:, 1:] if is_text else pd.DataFrame(values)
        columns = np.hstack([columns, own.to_numpy(dtype=np.float64)])
        whole = np.hstack([classes, columns])
        if not own.size or np.linalg.matrix_rank(whole) < whole.shape[1] or whole.shape[1] >= n:
            raise DataError(
                f"dataset.adjust: {name!r} is constant, determines the class, follows from the "
                f"covariates before it, or has too many values for {n} samples; leave it out"
            )
        bases = [np.linalg.qr(v - v.mean(axis=0))[0] for v in (classes[:, 1:], own.to_numpy(float))]
        shared = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False).max() ** 2
        shares[name] = float(1 - (1 - shared) * (n - 1) / max(1, n - 1 - own.shape[1]))
    return columns, shares


class Found(NamedTuple):
    """The answer to the first question: which features differ.

    The table has a row for each feature, in their order: the effect and its 95 % interval in units
    of the table and in standard deviations of samples within classes, the class with the highest
    mean, number and mean of the values of each class, p and q (Benjamini and Hochberg) of the
    moderated test, p of :func:`rank_test` without covariates, and the chance of :func:`separating`,
    by samples or by groups, whichever is smaller. A feature without three values of each class, or
    constant within the groups, is not tested and has no p. The degrees of freedom of the prior may
    be infinite; `n_rows` (n_classes,) is the number of rows that count, `within` that of the groups
    within which they are compared, or 0; `shares` has the R² of each covariate with the classes.
    """

    table: pd.DataFrame
    prior_df: float
    n_rows: np.ndarray
    within: int
    shares: dict[str, float]


def differ(samples: Table, groups: np.ndarray, *, within: bool) -> Found:
    """Test each feature for a difference between the classes 0..C-1.

    Parameters
    ----------
    samples : Table
        Covariates are its `adjust`.
    groups : ndarray of int (n_samples,)
        Groups 0..G-1, each of which counts once.
    within : bool
        True if classes are compared within groups, for groups with several classes.

    Raises
    ------
    DataError
        If a class has fewer than three rows, no feature can be tested, or a covariate is useless.
    """
    columns, shares = _covariates_of(samples.adjust, samples.y)
    X, y, covariates, blocks = _independent(samples.X, samples.y, columns, groups, within=within)
    classes, n_within = list(samples.label_names.values()), len(np.unique(blocks))
    parts, n_rows = [X[y == c] for c in range(len(classes))], np.bincount(y, minlength=len(classes))
    if n_rows.min() < FOR_TEST:
        raise DataError(
            f"class {classes[n_rows.argmin()]!r} has {n_rows.min()} samples that can be compared "
            f"(a group counts once), and needs {FOR_TEST}: give more, or leave the class out"
        )
    counts = np.array([np.isfinite(part).sum(axis=0) for part in parts])
    if n_within:
        covariates = np.hstack([covariates, np.eye(n_within)[blocks][:, 1:]])
    found = moderated(np.where((counts >= FOR_TEST).all(axis=0), X, np.nan), y, covariates)
    tested = np.isfinite(found.p)
    q, p_rank = np.full((2, X.shape[1]), np.nan)
    if not tested.any():
        raise DataError(
            "no feature can be tested: each is constant or has fewer than three values of a class, "
            "or dataset.groups and dataset.adjust leave no difference; check these options"
        )
    q[tested] = stats.false_discovery_control(found.p[tested])
    if (test := rank_test(len(classes), n_within > 0)[1]) is not None:
        p_rank[tested] = _ranked([part[:, tested] for part in parts], test)
    chance, deviation = separating(parts), _deviation_within(X, y)
    if within:  # A copy of the class separates few groups, but many samples.
        of_samples = [samples.X[samples.y == c] for c in range(len(classes))]
        chance = np.fmin(chance, separating(of_samples))
        deviation = _deviation_within(samples.X, samples.y)
    names = np.array([*classes, ""], dtype=object)
    told = {
        "feature": samples.feature_names,
        "effect": found.effect,
        "effect_low": found.low,
        "effect_high": found.high,
        "deviations": found.effect / deviation,
        "deviations_low": found.low / deviation,
        "deviations_high": found.high / deviation,
        "higher_in": np.where(found.effect == 0, "", names[found.higher]),
        **{f"n_{name}": n for name, n in zip(classes, counts, strict=True)},
        **{f"mean_{n}": pd.DataFrame(v).mean() for n, v in zip(classes, parts, strict=True)},
        **{"p_value": found.p, "q_value": q, "p_rank": p_rank, "differs": q <= ALPHA},
        "by_chance": chance,
    }
    return Found(pd.DataFrame(told), found.prior[0], n_rows, n_within, shares)


def rank_test(n_classes: int, within: bool) -> tuple[str, Any]:
    """The name and the function of the rank test; none of several classes within groups."""
    if n_classes == 2:
        return ("Wilcoxon", stats.wilcoxon) if within else ("Mann-Whitney", stats.mannwhitneyu)
    return ("", None) if within else ("Kruskal-Wallis", stats.kruskal)


def _ranked(parts: Sequence[np.ndarray], test: Any) -> np.ndarray:
    """Return p of a rank test for each feature; those with equal gaps and no ties share a call."""
    given, compared = [np.isfinite(part) for part in parts], np.vstack(parts)
    if test is stats.wilcoxon:  # Pairs with a gap are left out; zeros and equal sizes are ties.
        given = [given[0] & given[1]] * 2
        compared = np.vstack([0 * parts[0][:1], np.abs(parts[0] - parts[1])])
    has_ties = (np.diff(np.sort(compared, axis=0), axis=0) == 0).any(axis=0)
    patterns, of_feature = np.unique(np.vstack([*given, has_ties]), axis=1, return_inverse=True)
    p = np.empty(len(has_ties))
    for number, pattern in enumerate(patterns.T):
        at = np.flatnonzero(of_feature.ravel() == number)
        rows = np.split(pattern[:-1], np.cumsum([len(part) for part in parts])[:-1])
        values = [part[np.ix_(kept, at)] for part, kept in zip(parts, rows, strict=True)]
        p[at] = test(*values, axis=0).pvalue
    return p


def _deviation_within(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the deviation of each feature around the means of classes; NaN if it is rounding."""
    squares, size, df = np.zeros((3, X.shape[1]))
    for part in (pd.DataFrame(X[y == c]) for c in np.unique(y)):
        squares += np.square(part - part.mean()).sum()
        size += np.square(part).sum()
        df += (part.count() - 1).clip(lower=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.where(squares > 1e-24 * size, squares / df, np.nan))


def separating(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return the probability that a separating feature separates by chance; NaN for the others.

    A feature separates the classes if their ranges do not overlap. Without a difference all orders
    of its values are equally likely, and C! times the orders within the classes separate them.

    Parameters
    ----------
    parts : sequence of ndarray of shape (n_rows, n_features)
        The values of each class, NaN for gaps.
    """
    low = np.sort([np.nanmin(part, axis=0, initial=np.inf) for part in parts], axis=0)
    high = np.sort([np.nanmax(part, axis=0, initial=-np.inf) for part in parts], axis=0)
    counts = np.array([np.isfinite(part).sum(axis=0) for part in parts])
    is_apart = (high[:-1] < low[1:]).all(axis=0) & (counts > 0).all(axis=0)
    logs = special.gammaln(counts + 1).sum(axis=0) - special.gammaln(counts.sum(axis=0) + 1)
    return np.where(is_apart, factorial(len(parts)) * np.exp(logs), np.nan)
