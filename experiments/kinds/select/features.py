"""Facts of each feature alone: class means, differences, near-copies, suspicions."""

import warnings
from collections.abc import Sequence
from itertools import combinations, compress
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from experiments.datasets import Dataset
from experiments.datasets.user_table import UserTable

#: Features whose correlations are computed at once.
AT_ONCE = 512
#: The least rank correlation with the row's number, and the fewest rows, for a warning.
FOLLOWS, FEWEST = 0.99, 10
#: Warnings: that a feature is too good, and that it is no measurement.
MARKS = ("separates the classes alone", "follows the order of the rows")


def names_of(data: Dataset) -> list[str]:
    """The names of the features; numbers from 1 where the data have none."""
    return list(data.feature_names or (f"x{i}" for i in range(1, data.X.shape[1] + 1)))


def described(data: Dataset, order: Sequence[int], near: float) -> pd.DataFrame:
    """A row for each feature, in the order of the columns.

    Parameters
    ----------
    data : Dataset
    order : sequence of int
        A ranking, best first.
    near : float
        Correlation from which features are near-identical.

    Returns
    -------
    DataFrame
        "feature", "mean_CLASS", "difference" (see :func:`differences`), "higher_in", "q_value",
        "constant", "duplicate_of", "group" (see :func:`groups`), "stands_for", "warning".
    """
    X = np.asarray(data.X, dtype=np.float64)
    names = np.array(names_of(data), dtype=object)
    classes = list(data.label_names.values())
    difference, higher, means = differences(X, data.y)
    group = groups(X, order, near)
    members: dict[int, list[str]] = {}
    for j in order:
        if group[j] != j:
            members.setdefault(int(group[j]), []).append(names[j])
    file_rows = data.file_rows if isinstance(data, UserTable) else None
    return pd.DataFrame(
        {
            "feature": names,
            **{f"mean_{called}": column for called, column in zip(classes, means, strict=True)},
            "difference": difference,
            "higher_in": [
                classes[c] if v > 0 else "" for c, v in zip(higher, difference, strict=True)
            ],
            "q_value": q_values(X, data.y),
            "constant": np.nanmax(X, axis=0) == np.nanmin(X, axis=0),
            "duplicate_of": [names[j] if j >= 0 else "" for j in duplicates(X)],
            "group": names[group],
            "stands_for": ["; ".join(members.get(j, [])) for j in range(len(names))],
            "warning": suspicions(X, data.y, file_rows),
        }
    )


def differences(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The standardised difference of the class means, the class with the highest, and all means.

    ``(mean_a - mean_b) / s`` with a and b the classes of the highest and the lowest mean and s the
    pooled standard deviation (Cohen 1988); infinite where s is zero and the means differ. Missing
    values are left out.

    Returns
    -------
    difference, higher : ndarray (n_features,)
    means : ndarray (n_classes, n_features)
    """
    labels = np.unique(y)
    parts = [np.ma.masked_invalid(X[y == label]) for label in labels]
    means = np.array([part.mean(axis=0).filled(np.nan) for part in parts])
    n = np.array([part.count(axis=0) for part in parts])
    squares = np.sum([((part - part.mean(axis=0)) ** 2).sum(axis=0).filled(0) for part in parts], 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(squares / np.maximum(1, n.sum(axis=0) - len(labels)))
        gap = np.where(np.isnan(means), -np.inf, means).max(axis=0)
        gap = gap - np.where(np.isnan(means), np.inf, means).min(axis=0)
        difference = np.where(gap > 0, gap / spread, 0.0)
    return difference, np.where(np.isnan(means), -np.inf, means).argmax(axis=0), means


def q_values(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Benjamini-Hochberg q-values of the one-way analysis of variance of each feature.

    Constant features count as p = 1. Missing values are left out.
    """
    p = np.ones(X.shape[1])
    parts = [X[y == label] for label in np.unique(y)]
    varies = np.nanmax(X, axis=0) > np.nanmin(X, axis=0)
    if varies.any():
        policy = "omit" if np.isnan(X).any() else "propagate"
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of a feature without spread inside the classes
            compare: Any = stats.f_oneway  # with types of its own for each number of dimensions
            known = compare(*(part[:, varies] for part in parts), nan_policy=policy).pvalue
        p[varies] = np.where(np.isfinite(known), known, 1.0)
    return stats.false_discovery_control(p, method="bh")


def duplicates(X: np.ndarray) -> np.ndarray:
    """For each feature the first feature with the same values, -1 where there is none before it."""
    first: dict[bytes, int] = {}
    earlier = np.full(X.shape[1], -1)
    for j, column in enumerate(np.ascontiguousarray(X.T + 0.0)):
        before = first.setdefault(column.tobytes(), j)
        earlier[j] = -1 if before == j else before
    return earlier


def groups(X: np.ndarray, order: Sequence[int], near: float) -> np.ndarray:
    """For each feature the best-ranked one that it is near-identical to, which may be itself.

    Going down the ranking, each feature that stands for itself takes in all lower ones whose
    correlation with it is at least `near`, of either sign. Constant features stand for themselves.

    Parameters
    ----------
    X : ndarray (n_samples, n_features)
        NaN counts as the feature's mean.
    order : sequence of int
        Best first.
    near : float in (0, 1)
    """
    centred = X - np.nanmean(X, axis=0)
    centred[np.isnan(centred)] = 0.0
    norms = np.linalg.norm(centred, axis=0)
    ordered = np.asarray(order)
    unit = (centred / np.where(norms > 0, norms, 1.0))[:, ordered]
    taken = np.full(len(ordered), -1)
    for start in range(0, len(ordered), AT_ONCE):
        block = slice(start, min(start + AT_ONCE, len(ordered)))
        close = np.abs(unit[:, block].T @ unit[:, start:]) >= near
        for i in range(block.stop - start):
            if taken[start + i] < 0:
                taken[start + i] = start + i
                free = taken[start:] < 0
                taken[start:][free & close[i]] = start + i
    heads = np.empty(len(ordered), dtype=np.int64)
    heads[ordered] = ordered[taken]
    return heads


def suspicions(X: np.ndarray, y: np.ndarray, file_rows: np.ndarray | None) -> list[str]:
    """For each feature a warning where it is too good, or follows the order of the rows."""
    separates = np.ones(X.shape[1], dtype=bool)
    parts = [X[y == label] for label in np.unique(y)]
    bounds = [
        (np.nanmin(part, axis=0, initial=np.inf), np.nanmax(part, axis=0, initial=-np.inf))
        for part in parts
    ]
    for (low, high), (other_low, other_high) in combinations(bounds, 2):
        separates &= (high < other_low) | (other_high < low)
    for low, high in bounds:
        separates &= low <= high  # A class without any value proves nothing.
    follows = np.zeros(X.shape[1], dtype=bool)
    if file_rows is not None and len(X) >= FEWEST:
        different = np.array([len(np.unique(column)) for column in X.T])
        candidates = np.flatnonzero((different > len(X) / 2) & ~np.isnan(X).any(axis=0))
        ranks = stats.zscore(stats.rankdata(X[:, candidates], axis=0))
        place = stats.zscore(stats.rankdata(file_rows))
        follows[candidates] = np.abs(place @ ranks) >= FOLLOWS * len(X)
    marks = zip(separates, follows, strict=True)
    return ["; ".join(compress(MARKS, told)) for told in marks]
