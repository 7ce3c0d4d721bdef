"""Test which features differ between classes: moderated and rank tests, effects, q-values."""

from collections.abc import Mapping, Sequence
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special, stats

from experiments.datasets import DataError
from experiments.datasets.table import Table
from experiments.evaluation.moderated import moderated

#: Features count as different if their q-value is at most this.
ALPHA = 0.05
#: Number of values of each class that a test needs.
FOR_TEST = 3


class Rows(NamedTuple):
    """The rows that tests compare, with repeated samples combined.

    X (n_rows, n_features) has NaN for gaps; y (n_rows,) are classes 0..C-1; covariates have shape
    (n_rows, n_covariates); groups (n_rows,) are numbers 0..G-1 if classes are compared within
    groups, else None.
    """

    X: np.ndarray
    y: np.ndarray
    covariates: np.ndarray
    groups: np.ndarray | None = None


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


def together(groups: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Return a number for each sample, equal for samples of a group and for copies."""
    merged = groups.copy()
    for number in np.flatnonzero(np.bincount(copies) > 1):
        own = np.unique(merged[copies == number])
        merged[np.isin(merged, own)] = own[0]
    return np.unique(merged, return_inverse=True)[1]


def independent(X, y, covariates, groups, *, within: bool) -> Rows:
    """Replace the samples of one group and class by their mean.

    If `within` is true and groups have several classes, classes are compared within groups. Groups
    with one class then say nothing and are left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y, groups : ndarray of int (n_samples,)
        Classes 0..C-1 and groups 0..G-1.
    covariates : ndarray of shape (n_samples, n_covariates)
    within : bool
    """
    n_classes = y.max() + 1
    cells, of_row = np.unique(groups * n_classes + y, return_inverse=True)
    X, covariates = (pd.DataFrame(v).groupby(of_row).mean().to_numpy() for v in (X, covariates))
    groups, y = cells // n_classes, cells % n_classes
    kept = np.bincount(groups)[groups] > 1
    if not (within and kept.any()):
        return Rows(X, y, covariates)
    return Rows(X[kept], y[kept], covariates[kept], np.unique(groups[kept], return_inverse=True)[1])


def covariates_of(adjust: Mapping[str, Sequence], y) -> tuple[np.ndarray, dict[str, float]]:
    """Return the columns of covariates, and how closely each follows the class (adjusted R²).

    Numbers give one column, texts one for each value except the first. R² is the largest squared
    correlation between combinations of a covariate's columns and of the classes.

    Raises
    ------
    DataError
        If a covariate follows from the class and the covariates before it.
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
    of the table and in deviations (see :func:`moderated`), the class with the highest mean, number
    and mean of the values of each class, p and q (Benjamini and Hochberg) of the moderated test, p
    of :func:`rank_p`, and the probability of :func:`separating`. A feature with fewer than three
    values of a class, or constant within the groups, is not tested and has no p. The degrees of
    freedom of the prior may be infinite; shares are those of :func:`covariates_of`.
    """

    table: pd.DataFrame
    prior_df: float
    rows: Rows
    shares: dict[str, float]


def differ(samples: Table, groups: np.ndarray, *, within: bool) -> Found:
    """Test each feature for a difference between the classes 0..C-1.

    Parameters
    ----------
    samples : Table
        Covariates are its `adjust`.
    groups : ndarray of int (n_samples,)
        Groups 0..G-1, each of which counts once; see :func:`independent`.
    within : bool
        True if classes are compared within groups, for groups with several classes.

    Raises
    ------
    DataError
        If a class has fewer than three rows, no feature can be tested, or a covariate is useless.
    """
    columns, shares = covariates_of(samples.adjust, samples.y)
    rows = independent(samples.X, samples.y, columns, groups, within=within)
    classes = list(samples.label_names.values())
    X, y, covariates, blocks = rows
    parts = [X[y == c] for c in range(len(classes))]
    for name, part in zip(classes, parts, strict=True):
        if len(part) < FOR_TEST:
            raise DataError(
                f"class {name!r} has {len(part)} samples that can be compared (a group counts "
                f"once); a class needs {FOR_TEST}: give more, or leave the class out"
            )
    counts = np.array([np.isfinite(part).sum(axis=0) for part in parts])
    if blocks is not None:
        covariates = np.hstack([covariates, np.eye(blocks.max() + 1)[blocks][:, 1:]])
    found = moderated(np.where((counts >= FOR_TEST).all(axis=0), X, np.nan), y, covariates)
    tested = np.isfinite(found.p)
    q, p_rank = np.full((2, X.shape[1]), np.nan)
    if not tested.any():
        raise DataError(
            "no feature can be tested: each is constant or has fewer than three values of a class, "
            "or dataset.groups and dataset.adjust leave no difference; check these options"
        )
    q[tested] = stats.false_discovery_control(found.p[tested])
    p_rank[tested] = [rank_p(x, y, blocks is not None) for x in X.T[tested]]
    names, ends = np.array([*classes, ""], dtype=object), ("", "_low", "_high")
    told = {
        "feature": samples.feature_names,
        **{f"effect{end}": v for end, v in zip(ends, found, strict=False)},
        **{f"deviations{e}": v / found.deviation for e, v in zip(ends, found, strict=False)},
        "higher_in": np.where(found.effect == 0, "", names[found.higher]),
        **{f"n_{name}": n for name, n in zip(classes, counts, strict=True)},
        **{f"mean_{n}": pd.DataFrame(v).mean() for n, v in zip(classes, parts, strict=True)},
        **{"p_value": found.p, "q_value": q, "p_rank": p_rank, "differs": q <= ALPHA},
        "by_chance": separating(parts),
    }
    return Found(pd.DataFrame(told), found.prior[0], rows, shares)


def rank_test(n_classes: int, within: bool) -> str:
    """Return the name of the rank test; empty if there is none."""
    two, more = ("Wilcoxon", "") if within else ("Mann-Whitney", "Kruskal-Wallis")
    return two if n_classes == 2 else more


def rank_p(x: np.ndarray, y: np.ndarray, within: bool) -> float:
    """Return p of :func:`rank_test` for the values x (n_rows,), NaN if there is none.

    Covariates are ignored. If `within` is true, the rows of each class are in order of the groups.
    """
    parts = [x[y == c] for c in range(y.max() + 1)]
    if within and len(parts) > 2:
        return np.nan
    if within:
        return float(stats.wilcoxon(parts[1] - parts[0], nan_policy="omit").pvalue)
    test: Any = stats.mannwhitneyu if len(parts) == 2 else stats.kruskal
    return float(test(*(part[np.isfinite(part)] for part in parts)).pvalue)


def separating(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return the probability that a separating feature separates by chance; NaN for the others.

    A feature separates the classes if their ranges do not overlap. Without a difference all orders
    of its values are equally likely, and C! times the orders within the classes separate them.

    Parameters
    ----------
    parts : sequence of ndarray of shape (n_rows, n_features)
        The values of each class, NaN for gaps.
    """
    low = np.array([np.nanmin(part, axis=0, initial=np.inf) for part in parts])
    high = np.array([np.nanmax(part, axis=0, initial=-np.inf) for part in parts])
    counts, order = np.array([np.isfinite(part).sum(axis=0) for part in parts]), low.argsort(axis=0)
    low, high = np.take_along_axis(low, order, axis=0), np.take_along_axis(high, order, axis=0)
    is_apart = (high[:-1] < low[1:]).all(axis=0) & (counts > 0).all(axis=0)
    logs = special.gammaln(counts + 1).sum(axis=0) - special.gammaln(counts.sum(axis=0) + 1)
    return np.where(is_apart, factorial(len(parts)) * np.exp(logs), np.nan)
