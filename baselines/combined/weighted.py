"""A weighted sum of two normalised scores: ManiFeSt and a filter."""

from collections.abc import Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from baselines._common import validated, with_grid
from baselines.combine import min_max
from baselines.combined._method import manifest_score
from baselines.filters.anova import anova
from baselines.filters.relieff import relieff

__all__ = ["manifest_anova_weighted", "manifest_relieff_weighted"]


def checked(weights: Sequence[float]) -> list[float]:
    """The weights as floats.

    Raises
    ------
    TypeError, ValueError
        Where there is none, or one is not a number in [0, 1].
    """
    if not len(weights):
        raise ValueError("weights must hold at least one weight, got none.")
    for weight in weights:
        if isinstance(weight, bool) or not isinstance(weight, Real):
            raise TypeError(f"weight must be a number in [0, 1], got {weight!r}.")
        if not 0 <= weight <= 1:
            raise ValueError(f"weight must lie in [0, 1], got {weight}.")
    return [float(weight) for weight in weights]


def between(first: Any, second: Any, weights: Sequence[float]) -> np.ndarray:
    """The weighted sums ``w minmax(first) + (1 - w) minmax(second)``, a row for each weight w.

    Parameters
    ----------
    first, second : array-like (n_features,)
    weights : sequence of float in [0, 1]

    Returns
    -------
    sums : ndarray (len(weights), n_features)
        In [0, 1], higher is better.
    """
    one, other = min_max(first), min_max(second)
    return np.array([weight * one + (1 - weight) * other for weight in weights])


def _with_filter(X, y, weights, scorer, **of_manifest):
    """The weighted sums of ManiFeSt and a filter, each of which is computed once."""
    weights = checked(weights)
    X, codes = validated(X, y)
    return between(manifest_score(X, codes, **of_manifest), scorer(X, codes), weights)


def manifest_relieff_weighted_grid(
    X: Any,
    y: Any,
    weights: Sequence[float],
    *,
    k: int = 10,
    scale: bool = True,
    scale_factor: float = 1.0,
    percentile: float | None = None,
    n_normalizations: int = 0,
) -> np.ndarray:
    """`manifest_relieff_weighted` for several weights; both parts are computed once.

    Returns
    -------
    scores : ndarray (len(weights), n_features)
    """
    return _with_filter(
        X,
        y,
        weights,
        partial(relieff, k=k, scale=scale),
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
    )


@with_grid("weight", manifest_relieff_weighted_grid)
def manifest_relieff_weighted(
    X: Any,
    y: Any,
    *,
    weight: float = 0.5,
    k: int = 10,
    scale: bool = True,
    scale_factor: float = 1.0,
    percentile: float | None = None,
    n_normalizations: int = 0,
) -> np.ndarray:
    """ManiFeSt and ReliefF, ``w minmax(ManiFeSt) + (1 - w) minmax(ReliefF)``.

    With w = 1/2 it orders the features as the sum of both, with which Cohen, Shnitzer, Kluger and
    Talmon (2022, section on the colon data) "combine the multivariate standpoint of ManiFeSt with
    univariate considerations"; they ask for a systematic way. Here, an experiment tunes w.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
        At least two features.
    y : array-like (n_samples,)
        Labels of two or more classes, at least two samples each.
    weight : float in [0, 1]
        w: 1 is ManiFeSt alone, 0 is ReliefF alone.
    k, scale
        As in :func:`baselines.filters.relieff.relieff`.
    scale_factor, percentile, n_normalizations
        As in :func:`manifest.manifest_score`.

    Returns
    -------
    scores : ndarray (n_features,)
        In [0, 1], higher is better.

    Raises
    ------
    TypeError, ValueError
        As both scorers, and where the weight is no number in [0, 1].
    """
    return manifest_relieff_weighted_grid(
        X,
        y,
        [weight],
        k=k,
        scale=scale,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
    )[0]


def manifest_anova_weighted_grid(
    X: Any,
    y: Any,
    weights: Sequence[float],
    *,
    scale_factor: float = 1.0,
    percentile: float | None = None,
    n_normalizations: int = 0,
) -> np.ndarray:
    """`manifest_anova_weighted` for several weights; both parts are computed once.

    Returns
    -------
    scores : ndarray (len(weights), n_features)
    """
    return _with_filter(
        X,
        y,
        weights,
        anova,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
    )


@with_grid("weight", manifest_anova_weighted_grid)
def manifest_anova_weighted(
    X: Any,
    y: Any,
    *,
    weight: float = 0.5,
    scale_factor: float = 1.0,
    percentile: float | None = None,
    n_normalizations: int = 0,
) -> np.ndarray:
    """ManiFeSt and ANOVA, ``w minmax(ManiFeSt) + (1 - w) minmax(F)``.

    Parameters
    ----------
    X, y, weight, scale_factor, percentile, n_normalizations
        As in `manifest_relieff_weighted`; with weight 0 it is ANOVA alone.

    Returns
    -------
    scores : ndarray (n_features,)
        In [0, 1], higher is better.

    Raises
    ------
    TypeError, ValueError
        As both scorers, and where the weight is no number in [0, 1].
    """
    return manifest_anova_weighted_grid(
        X,
        y,
        [weight],
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
    )[0]
