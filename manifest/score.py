"""Eq. (4): from the difference operator to one score a feature."""

import warnings

import numpy as np

from manifest import array_api
from manifest.approximation import ApproximationWarning
from manifest.composition import compose, compositions
from manifest.context import BLOCK, CONTEXT, REPEATS, approximate_score
from manifest.spd import absolute_diagonal
from manifest.validation import check_samples


def manifest_score(
    X,
    y,
    *,
    scale_factor=1.0,
    percentile=None,
    n_normalizations=0,
    geometry="auto",
    approximation=None,
    block=BLOCK,
    context=CONTEXT,
    repeats=REPEATS,
    random_state=0,
    n_jobs=None,
    progress=None,
):
    """The ManiFeSt score of every feature; higher is better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers, at least two features; converted to float64. An array of torch, CuPy or
        another library of the array API is computed on its own device, where array-api-compat is
        installed.
    y : array-like of shape (n_samples,)
        Labels of exactly two classes, at least two samples each. Class 1 is the smaller label in
        sorted order, class 2 the larger.
    scale_factor : float, default=1.0
        The kernel scale of each class is this factor times the median of the off-diagonal Euclidean
        distances between that class's features. Positive.
    percentile : float in [0, 100], optional
        Take this percentile of those distances in place of the median.
    n_normalizations : int, default=0
        How often each kernel K becomes ``A^-1/2 K A^-1/2``, A the diagonal matrix of its row sums.
    geometry : {"auto", "spd", "spsd", "regularized"}, default="auto"
        "spd" is Algorithm 1 of the paper, "spsd" its Algorithm 2, "auto" Algorithm 1 where both
        kernels are numerically positive definite and Algorithm 2 otherwise. "regularized" is
        Algorithm 1 on both kernels plus a small multiple of the identity (see
        :func:`manifest.regularized.regularization`): always defined, and free of the ambiguity of
        Algorithm 2.
    approximation : {None, "context"}, default=None
        None is exact, in time n_features^3 and memory n_features^2. "context" approximates the
        regularized score in time and memory linear in n_features.
    block, context, repeats, random_state, n_jobs, progress
        Of the approximation: see :func:`manifest.context.context_score`, whose result says more.
        The exact score has no use for them.

    Returns
    -------
    ndarray of shape (n_features,)
        Finite and non-negative; of the kind and on the device of X. The score does not change when
        all values are multiplied by one positive number or shifted by one constant.

    Raises
    ------
    ValueError
        On input that the score is not defined for: NaN or infinity, fewer or more than two classes,
        one sample in a class, one feature, a kernel scale of zero, a parameter out of range, or (as
        :class:`manifest.NotPositiveDefiniteError`) singular kernels under "spd".
    TypeError
        On sparse X, and on arrays other than NumPy's where the score is to be approximate.

    Warns
    -----
    AmbiguousScoreWarning
        Where the score of Algorithm 2 is not unique and rounding decides a part of it.
    ApproximationWarning
        Where two independent approximations agree too little.

    References
    ----------
    Cohen, Shnitzer, Kluger and Talmon (2022), "ManiFeSt: Manifold-based Feature Selection for Small
    Data Sets", Algorithms 1 and 2, Eqs. (1) to (4).
    """
    if approximation is not None:
        result = approximate_score(
            X,
            y,
            approximation,
            scale_factor=scale_factor,
            percentile=percentile,
            n_normalizations=n_normalizations,
            geometry=geometry,
            block=block,
            context=context,
            repeats=repeats,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )
        told = result.complaint()
        if told:
            warnings.warn(told, ApproximationWarning, stacklevel=2)
        return result.scores
    if array_api.is_foreign(X):
        return array_api.manifest_score(
            X,
            y,
            scale_factor=scale_factor,
            percentile=percentile,
            n_normalizations=n_normalizations,
            geometry=geometry,
        )
    X, y = check_samples(X, y)
    score, parts = score_and_composition(
        X,
        y,
        scale_factor=scale_factor,
        percentile=percentile,
        n_normalizations=n_normalizations,
        geometry=geometry,
    )
    parts.warn_if_ambiguous()
    return score


def manifest_scores(X, y, *, percentiles, scale_factor=1.0, n_normalizations=0, geometry="auto"):
    """The ManiFeSt scores for several kernel scales, from one pass over the distances.

    Parameters
    ----------
    X, y, scale_factor, n_normalizations, geometry
        As in :func:`manifest_score`.
    percentiles : sequence of floats in [0, 100]
        Percentiles of the distances that the kernel scales are taken from; None is the median.

    Returns
    -------
    ndarray of shape (len(percentiles), n_features)
        Row i is ``manifest_score(X, y, percentile=percentiles[i])``.

    Raises
    ------
    ValueError, TypeError
        As :func:`manifest_score`, and where no percentile is given.

    Warns
    -----
    AmbiguousScoreWarning
        As :func:`manifest_score`, once for each percentile that it is true of.
    """
    X, y = check_samples(X, y)
    percentiles = list(percentiles)
    if not percentiles:
        raise ValueError("percentiles must hold at least one percentile, got none")
    scores = []
    for parts in compositions(
        X,
        y,
        percentiles,
        scale_factor=scale_factor,
        n_normalizations=n_normalizations,
        geometry=geometry,
    ):
        parts.warn_if_ambiguous()
        scores.append(absolute_diagonal(parts.difference_core(), parts.basis))
        del parts  # before the next one is made
    return np.array(scores)


def score_and_composition(X, y, **parameters):
    """The score of validated samples, and the composition that it came from."""
    parts = compose(X, y, **parameters)
    return absolute_diagonal(parts.difference_core(), parts.basis), parts
