"""Test which features differ between classes: moderated and rank tests, effects, q-values."""

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse, special, stats

from experiments.datasets import DataError
from experiments.datasets.own.table import Table
from experiments.table.moderated import Differences, moderated

#: Features count as different if their q-value is at most this.
ALPHA = 0.05
#: Number of values of each class that a test needs.
FOR_TEST = 3


def copies_of(X: np.ndarray) -> np.ndarray:
    """Return a number for each sample, equal for copies of one sample.

    Samples are copies if all their values are equal and one of the values is in no other sample.
    The second condition is needed because values from a short list can be equal by chance.
    """
    contents = [row.tobytes() for row in X + 0.0]
    equal = pd.factorize(np.array(contents, dtype=object))[0]
    for number in np.flatnonzero(np.bincount(equal) > 1):
        rows = np.flatnonzero(equal == number)
        n_alike = (X[rows[:1]] == X).sum(axis=0)
        if n_alike[n_alike > 0].min(initial=len(X)) > len(rows):
            equal[rows] = equal.max() + 1 + np.arange(len(rows))
    return np.unique(equal, return_inverse=True)[1]


def groups_of(samples: Table) -> np.ndarray:
    """Return a number for each sample, equal for samples of a named group and for copies."""
    n = len(samples.y)
    copies = copies_of(samples.X)
    groups = copies if samples.groups is None else pd.factorize(pd.Series(samples.groups))[0]
    ends = (groups, n + copies)
    edges = sparse.coo_array((np.ones(n), ends), (2 * n, 2 * n))
    _, component = sparse.csgraph.connected_components(edges, directed=False)
    return component[groups]


def _independent(
    X: np.ndarray, y: np.ndarray, covariates: np.ndarray, groups: np.ndarray, *, within: bool
) -> tuple[np.ndarray, ...]:
    """Replace the samples of one group and class by their mean, so that nothing counts twice.

    If classes are compared within groups, groups with one class say nothing and are left out.
    """
    n_classes = y.max() + 1
    cells, cell_of = np.unique(groups * n_classes + y, return_inverse=True)
    X = pd.DataFrame(X).groupby(cell_of).mean().to_numpy()
    covariates = pd.DataFrame(covariates).groupby(cell_of).mean().to_numpy()
    groups = cells // n_classes
    y = cells % n_classes
    has_several = np.bincount(groups)[groups] > 1
    if not (within and has_several.any()):
        return X, y, covariates, groups[:0]
    blocks = np.unique(groups[has_several], return_inverse=True)[1]
    return X[has_several], y[has_several], covariates[has_several], blocks


def _covariates_of(
    adjust: Mapping[str, Sequence], y: np.ndarray
) -> tuple[np.ndarray, dict[str, float]]:
    """Return the columns of covariates, and how closely each follows the class (adjusted R²).

    Numbers give one column, texts one for each value except the first. R² is the largest squared
    correlation between combinations of a covariate's columns and of the classes.
    """
    n = len(y)
    classes = np.eye(y.max() + 1)[y]
    columns = np.empty((n, 0))
    shares = {}
    for name, values in adjust.items():
        is_text = isinstance(values[0], str)
        frame = pd.get_dummies(pd.Series(values)).iloc[:, 1:] if is_text else pd.DataFrame(values)
        covariate = frame.to_numpy(dtype=np.float64)
        columns = np.hstack([columns, covariate])
        whole = np.hstack([classes, columns])
        rank = np.linalg.matrix_rank(whole)
        if not covariate.size or rank < whole.shape[1] or whole.shape[1] >= n:
            raise DataError(
                f"dataset.adjust: {name!r} is constant, determines the class, follows from the "
                f"covariates before it, or has too many values for {n} samples; leave it out"
            )
        cosines = _basis(classes[:, 1:]).T @ _basis(covariate)
        shared = np.linalg.svd(cosines, compute_uv=False).max() ** 2
        n_left = max(1, n - 1 - covariate.shape[1])
        shares[name] = float(1 - (1 - shared) * (n - 1) / n_left)
    return columns, shares


def _basis(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of columns, without their means."""
    return np.linalg.qr(columns - columns.mean(axis=0))[0]


class FeatureTests(NamedTuple):
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


def differ(samples: Table, groups: np.ndarray, *, within: bool) -> FeatureTests:
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
    classes = list(samples.label_names.values())
    by_class = [X[y == code] for code in range(len(classes))]
    n_rows = np.bincount(y, minlength=len(classes))
    if n_rows.min() < FOR_TEST:
        raise DataError(
            f"class {classes[n_rows.argmin()]!r} has {n_rows.min()} samples that can be compared "
            f"(a group counts once), and needs {FOR_TEST}: give more, or leave the class out"
        )
    n_within = len(np.unique(blocks))
    if n_within:
        is_block = np.eye(n_within)[blocks]
        covariates = np.hstack([covariates, is_block[:, 1:]])
    can_test = (_counts(by_class) >= FOR_TEST).all(axis=0)
    moderate = moderated(np.where(can_test, X, np.nan), y, covariates)
    if np.isnan(moderate.p).all():
        raise DataError(
            "no feature can be tested: each is constant or has fewer than three values of a class, "
            "or dataset.groups and dataset.adjust leave no difference; check these options"
        )
    test = rank_test(len(classes), n_within > 0)
    by_chance = separating(by_class)
    deviation = _deviation_within(X, y)
    if within:  # A copy of the class separates few groups, but many samples.
        samples_by_class = [samples.X[samples.y == code] for code in range(len(classes))]
        by_chance = np.fmin(by_chance, separating(samples_by_class))
        deviation = _deviation_within(samples.X, samples.y)
    effects = _effects(samples, moderate, deviation)
    p_values = _p_values(moderate.p, by_class, test)
    table = pd.concat([effects, _means(classes, by_class), p_values], axis=1)
    table["by_chance"] = by_chance
    return FeatureTests(table, moderate.prior[0], n_rows, n_within, shares)


def _effects(samples: Table, moderate: Differences, deviation: np.ndarray) -> pd.DataFrame:
    """Return the names of features, their effects in both units, and the highest class."""
    classes = np.array([*samples.label_names.values(), ""], dtype=object)
    columns = {
        "feature": samples.feature_names,
        "effect": moderate.effect,
        "effect_low": moderate.low,
        "effect_high": moderate.high,
        "deviations": moderate.effect / deviation,
        "deviations_low": moderate.low / deviation,
        "deviations_high": moderate.high / deviation,
        "higher_in": np.where(moderate.effect == 0, "", classes[moderate.higher]),
    }
    return pd.DataFrame(columns)


def _p_values(p: np.ndarray, by_class: Sequence[np.ndarray], test: "RankTest") -> pd.DataFrame:
    """Return p and q of the moderated test, p of the rank test, and which features differ."""
    is_tested = np.isfinite(p)
    q = np.full(len(p), np.nan)
    q[is_tested] = stats.false_discovery_control(p[is_tested])
    p_rank = np.full(len(p), np.nan)
    if test.function is not None:
        tested_values = [values[:, is_tested] for values in by_class]
        p_rank[is_tested] = _ranked(tested_values, test.function)
    return pd.DataFrame({"p_value": p, "q_value": q, "p_rank": p_rank, "differs": q <= ALPHA})


def _counts(by_class: Sequence[np.ndarray]) -> np.ndarray:
    """Return the number of values of each class in each feature."""
    return np.array([np.isfinite(values).sum(axis=0) for values in by_class])


def _means(classes: Sequence[str], by_class: Sequence[np.ndarray]) -> pd.DataFrame:
    """Return the number of values of each class, and their means."""
    columns = {}
    for name, counts in zip(classes, _counts(by_class), strict=True):
        columns[f"n_{name}"] = pd.Series(counts)
    for name, values in zip(classes, by_class, strict=True):
        columns[f"mean_{name}"] = pd.DataFrame(values).mean()
    return pd.DataFrame(columns)


class RankTest(NamedTuple):
    """A rank test by its name, and its function; without a name there is none."""

    name: str
    function: Any


def rank_test(n_classes: int, within: bool) -> RankTest:
    """Return the rank test; none of several classes within groups."""
    if n_classes > 2:
        return RankTest("", None) if within else RankTest("Kruskal-Wallis", stats.kruskal)
    if within:
        return RankTest("Wilcoxon", stats.wilcoxon)
    return RankTest("Mann-Whitney", stats.mannwhitneyu)


def _ranked(by_class: Sequence[np.ndarray], test: Any) -> np.ndarray:
    """Return p of a rank test for each feature; those with equal gaps and no ties share a call."""
    is_known = [np.isfinite(values) for values in by_class]
    compared = np.vstack(by_class)
    if test is stats.wilcoxon:  # Pairs with a gap are left out; zeros and equal sizes are ties.
        is_pair = is_known[0] & is_known[1]
        is_known = [is_pair, is_pair]
        sizes = np.abs(by_class[0] - by_class[1])
        compared = np.vstack([0 * by_class[0][:1], sizes])
    steps = np.diff(np.sort(compared, axis=0), axis=0)
    has_ties = (steps == 0).any(axis=0)
    conditions = np.vstack([*is_known, has_ties])
    patterns, pattern_of = np.unique(conditions, axis=1, return_inverse=True)
    ends = np.cumsum([len(values) for values in by_class])
    p = np.empty(len(has_ties))
    for number, pattern in enumerate(patterns.T):
        features = np.flatnonzero(pattern_of.ravel() == number)
        known_rows = np.split(pattern[:-1], ends[:-1])
        tested = []
        for values, rows in zip(by_class, known_rows, strict=True):
            tested.append(values[np.ix_(rows, features)])
        p[features] = test(*tested, axis=0).pvalue
    return p


def _deviation_within(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the deviation of each feature around the means of classes; NaN if it is rounding."""
    squares, size, df = np.zeros((3, X.shape[1]))
    for code in np.unique(y):
        values = pd.DataFrame(X[y == code])
        squares += np.square(values - values.mean()).sum()
        size += np.square(values).sum()
        df += (values.count() - 1).clip(lower=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.where(squares > 1e-24 * size, squares / df, np.nan))


def separating(by_class: Sequence[np.ndarray]) -> np.ndarray:
    """Return the probability that a separating feature separates by chance; NaN for the others.

    A feature separates the classes if their ranges do not overlap. Without a difference all orders
    of its values are equally likely, and C! times the orders within the classes separate them.

    Parameters
    ----------
    by_class : sequence of ndarray of shape (n_rows, n_features)
        The values of each class, NaN for gaps.
    """
    minima = [np.nanmin(values, axis=0, initial=np.inf) for values in by_class]
    maxima = [np.nanmax(values, axis=0, initial=-np.inf) for values in by_class]
    lowest = np.sort(minima, axis=0)
    highest = np.sort(maxima, axis=0)
    counts = _counts(by_class)
    is_apart = (highest[:-1] < lowest[1:]).all(axis=0) & (counts > 0).all(axis=0)
    log_within = special.gammaln(counts + 1).sum(axis=0)
    log_all = special.gammaln(counts.sum(axis=0) + 1)
    chance = factorial(len(by_class)) * np.exp(log_within - log_all)
    return np.where(is_apart, chance, np.nan)
