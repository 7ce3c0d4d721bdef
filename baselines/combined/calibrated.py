"""Relevance calibrated by permuted labels, and features chosen by a determinantal point process.

None of these methods has a parameter to tune: see :mod:`manifest.relevance`.
"""

from functools import partial
from typing import Any

import numpy as np

from baselines._common import hands_on, validated
from baselines.filters.anova import anova
from baselines.filters.relieff import relieff
from manifest.relevance import Form, calibrated_relevance, determinantal_choice

__all__ = [
    "anova_dpp",
    "manifest_calibrated",
    "manifest_dpp",
    "manifest_relieff_dpp",
    "relieff_dpp",
]

#: ReliefF's neighbours, its usual number.
_K = 10

#: A decorator: the signature shows the parameters of the relevance.
_form = hands_on(
    Form, "scale_factors", "geometry", "aggregate", "n_permutations", "block", "random_state"
)


def _backwards(steps: np.ndarray) -> np.ndarray:
    """Scores that order features as they were chosen: whole numbers, the last one 0."""
    return (steps.max() - steps).astype(np.float64)


@_form
def manifest_calibrated(X: Any, y: Any, **form: Any) -> np.ndarray:
    """ManiFeSt's parts at four kernel scales, calibrated by permuted labels and added up.

    The association part ``diag |D|`` and the mean part ``|D[i, r1] - D[i, r2]|``, with r1 and r2
    two constant features: see :func:`manifest.relevance.calibrated_relevance`.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
        At least two features that vary.
    y : array-like (n_samples,)
        Labels of two or more classes, at least two samples each.
    **form
        scale_factors, geometry, aggregate, n_permutations, block and random_state as in
        :func:`manifest.relevance.calibrated_relevance`.

    Returns
    -------
    scores : ndarray (n_features,)
        In deviations of what permuted labels give, higher is better; constant features strictly
        last.

    Raises
    ------
    TypeError, ValueError
        As :func:`manifest.relevance.calibrated_relevance`.
    """
    X, codes = validated(X, y)
    return calibrated_relevance(X, codes, n_selected=None, **form).relevance


@_form
def manifest_dpp(X: Any, y: Any, **form: Any) -> np.ndarray:
    """Features chosen one after the other: relevant by `manifest_calibrated`, and not alike on M.

    Parameters and errors are those of `manifest_calibrated`. For the choice see
    :func:`manifest.relevance.determinantal_choice`.

    Returns
    -------
    scores : ndarray (n_features,)
        Whole numbers that order the features as they were chosen, the last one 0. Features that tie
        are chosen together, but copies are last among the features that count; constant features
        strictly last.
    """
    X, codes = validated(X, y)
    return _backwards(calibrated_relevance(X, codes, **form).steps)


@_form
def manifest_relieff_dpp(X: Any, y: Any, **form: Any) -> np.ndarray:
    """As `manifest_dpp`, with ReliefF (k = 10) calibrated in: the sum of both relevances."""
    X, codes = validated(X, y)
    scorers = [partial(relieff, k=_K)]
    return _backwards(calibrated_relevance(X, codes, scorers=scorers, **form).steps)


def relieff_dpp(X: Any, y: Any, *, k: int = _K, scale: bool = True) -> np.ndarray:
    """Features chosen one after the other: relevant by ReliefF, and not alike on ManiFeSt's M.

    Parameters
    ----------
    X, y
        As in `manifest_calibrated`.
    k, scale
        As in :func:`baselines.filters.relieff.relieff`.

    Returns
    -------
    scores : ndarray (n_features,)
        As those of `manifest_dpp`.

    Raises
    ------
    TypeError, ValueError
        As :func:`manifest.relevance.determinantal_choice` and ReliefF.
    """
    X, codes = validated(X, y)
    return _backwards(determinantal_choice(X, codes, relieff(X, codes, k=k, scale=scale)))


def anova_dpp(X: Any, y: Any) -> np.ndarray:
    """Features chosen one after the other: relevant by ANOVA, and not alike on ManiFeSt's M.

    Parameters, results and errors are those of `relieff_dpp`, without k and scale.
    """
    X, codes = validated(X, y)
    return _backwards(determinantal_choice(X, codes, anova(X, codes)))
