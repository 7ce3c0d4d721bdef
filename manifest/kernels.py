"""Compute the kernel over the features of one class: distances, scale, Eq. (1), normalisation."""

import math

import numpy as np
from scipy.linalg import blas
from scipy.spatial.distance import squareform

from manifest.linalg import diagonal, fill_upper

# If a distance from the Gram matrix is below this share of the squared norms, cancellation has cost
# ten of its sixteen digits. Such pairs (near-duplicates) are subtracted and squared one by one.
_CANCELLATION = 1e-6
_TINY = np.finfo(np.float64).tiny


def squared_feature_distances(X):
    """Return the squared Euclidean distances between the columns of X, of shape (n_samples, d).

    All features are first shifted by the same vector, their middle. One symmetric product then
    gives ``||x_i - x_j||^2 = ||x_i||^2 + ||x_j||^2 - 2 x_i' x_j``. Pairs that are too near for this
    formula are recomputed, so that equal columns have distance zero exactly. Values may be up to
    about 1e150 (see `unit_magnitude`). The result, of shape (d, d), is in Fortran order.
    """
    middle = X.shape[1] // 2
    shifted = X - np.partition(X, middle, axis=1)[:, middle, None]
    squared = blas.dsyrk(-2.0, shifted.T, lower=1)
    norms = -0.5 * diagonal(squared)
    squared += norms
    squared += norms[:, None]
    fill_upper(squared)
    _refine(squared.T, X, norms)
    return squared


def _refine(squared, X, norms):
    """Recompute, in place, the distances that are inaccurate because of cancellation."""
    bound = 2 * _CANCELLATION * norms.max()
    # On most data no pair is near, which one pass over the matrix shows. The diagonal is zero and
    # must not count.
    np.fill_diagonal(squared, np.inf)
    features = np.ascontiguousarray(X.T)
    for i in np.flatnonzero(squared.min(axis=1) <= bound):
        later = np.flatnonzero(squared[i, i + 1 :] <= _CANCELLATION * (norms[i] + norms[i + 1 :]))
        later += i + 1
        difference = features[later] - features[i]
        squared[i, later] = squared[later, i] = np.einsum("ij,ij->i", difference, difference)
    np.fill_diagonal(squared, 0.0)


def unit_magnitude(X):
    """Divide X by a power of two so that its largest magnitude is in [0.5, 2); return both.

    A common factor does not change the score, and a power of two causes no rounding. Without it,
    squares of values such as 1e200 would overflow.
    """
    _, exponent = np.frexp(np.abs(X).max(initial=0.0))
    exponent = min(int(exponent), 1023)  # 2^1024 is infinite.
    return np.ldexp(X, -exponent), float(np.ldexp(1.0, exponent))


def distance_percentile(squared, percentile):
    """Return a percentile of the off-diagonal distances, given their squares of shape (d, d).

    It is in [0, 100] and interpolates linearly; 50 is the median.
    """
    condensed = squareform(squared.T, checks=False)
    position = (len(condensed) - 1) * percentile / 100
    low = int(position)
    # One order statistic at a time: finding both at once takes NumPy three times as long.
    condensed.partition(low)
    below = math.sqrt(condensed[low])
    above = math.sqrt(condensed[low + 1 :].min()) if position > low else below
    return below + (above - below) * (position - low)


def rbf_kernel(squared, scale, *, n_normalizations=0):
    """Return the kernel of Eq. (1), ``K[i, j] = exp(-||x_i - x_j||^2 / (2 scale^2))``, (d, d).

    The kernel overwrites the squared distances. A normalisation replaces K by ``A^-1/2 K A^-1/2``,
    with A the diagonal matrix of the row sums of K (paper, details on the hypercube data). It is
    repeated n_normalizations times; the limit is doubly stochastic.
    """
    squared *= -0.5 / scale**2
    kernel = np.exp(squared, out=squared)
    for _ in range(n_normalizations):
        weights = 1 / np.sqrt(kernel.sum(axis=1))
        kernel *= weights
        kernel *= weights[:, None]
    return kernel


def kernel_scale(distance, label, unit, scale_factor, percentile=None):
    """Return the kernel scale, `scale_factor` times a distance, in the unit of the distance.

    A scale of zero raises a ValueError, because the kernel of the class `label` is then undefined.
    """
    scale = scale_factor * distance
    if scale**2 < _TINY:
        which = "median" if percentile is None else f"percentile {percentile:g}"
        raise ValueError(
            f"the kernel scale of class {label!r} is zero to rounding beside values of up to "
            f"{unit:g}: it is {scale_factor:g} times the {which} of the distances between its "
            f"features, {distance * unit:g}. Rescale features that are far larger than the others, "
            "drop duplicated and constant features, or use a higher percentile or scale_factor."
        )
    return scale


def pair_that_differs_most(kernels):
    """Return the pair of features whose entry differs most between kernels, and how far it leads.

    The first two numbers are the features. The third is the largest difference between two kernels,
    of shape (d, d), divided by that of the next pair; infinity if no other pair differs.
    """
    most, least = kernels[0].copy(), kernels[0].copy()
    for K in kernels[1:]:
        np.maximum(most, K, out=most)
        np.minimum(least, K, out=least)
    most -= least
    np.fill_diagonal(most, 0.0)
    i, j = np.unravel_index(np.argmax(most), most.shape)
    largest = most[i, j]
    most[i, j] = most[j, i] = 0.0
    following = most.max()
    return int(i), int(j), float(largest / following) if following else math.inf


def class_kernel(X, label, *, scale_factor=1.0, percentile=None, n_normalizations=0):
    """Return the kernel over the features of one class, (d, d), and its scale.

    X of shape (n_samples, d) contains the samples of the class; errors name its `label`. The other
    parameters are those of `manifest.manifest_score`. A scale of zero raises a ValueError.
    """
    X, unit = unit_magnitude(X)
    squared = squared_feature_distances(X)
    distance = distance_percentile(squared, 50 if percentile is None else percentile)
    scale = kernel_scale(distance, label, unit, scale_factor, percentile)
    return rbf_kernel(squared, scale, n_normalizations=n_normalizations), scale * unit
