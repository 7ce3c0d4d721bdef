"""Kernels over the features of one class: distances, their scale, Eq. (1), the normalisation."""

import numpy as np
from scipy.spatial.distance import squareform

# Below this share of the squared norms a distance from the Gram matrix has lost ten of its sixteen
# digits to cancellation; such pairs (near-duplicates) are subtracted and squared one by one.
_CANCELLATION = 1e-6
_CHUNK = 1 << 22


def squared_feature_distances(X):
    """Squared Euclidean distances between the columns of X.

    ``||x_i - x_j||^2 = ||x_i||^2 + ||x_j||^2 - 2 x_i' x_j`` by one symmetric product, after a shift
    of all features by the same vector; pairs that this formula cannot resolve are recomputed, so
    that equal columns are exactly at distance zero.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite values of magnitude at most about 1e150 (see :func:`unit_magnitude`).

    Returns
    -------
    ndarray of shape (n_features, n_features)
        Symmetric, non-negative, zero on the diagonal.
    """
    shifted = X - np.median(X, axis=1, keepdims=True)
    squared = shifted.T @ shifted
    norms = squared.diagonal().copy()
    squared *= -2
    squared += np.add.outer(norms, norms)
    _refine(squared, X, norms)
    return squared


def _refine(squared, X, norms):
    """Recompute, in place, what cancellation has spoilt."""
    rows, columns = np.nonzero(squared <= 2 * _CANCELLATION * norms.max())
    doubtful = (rows < columns) & (
        squared[rows, columns] <= _CANCELLATION * (norms[rows] + norms[columns])
    )
    rows, columns = rows[doubtful], columns[doubtful]
    features = np.ascontiguousarray(X.T)
    step = max(1, _CHUNK // X.shape[0])
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        difference = features[i] - features[j]
        squared[i, j] = squared[j, i] = np.einsum("ij,ij->i", difference, difference)
    np.fill_diagonal(squared, 0.0)


def unit_magnitude(X):
    """X divided by a power of two so that its largest magnitude lies in [0.5, 1), and that power.

    The score does not change under a common factor, and a power of two costs no rounding; squares
    of values like 1e200 would overflow without it.
    """
    _, exponent = np.frexp(np.abs(X).max(initial=0.0))
    return np.ldexp(X, -exponent), float(np.ldexp(1.0, int(exponent)))


def distance_percentile(squared, percentile):
    """A percentile of the off-diagonal Euclidean distances.

    Parameters
    ----------
    squared : ndarray of shape (d, d)
        Squared distances, d at least 2.
    percentile : float in [0, 100]
        50 is the median; between two order statistics it interpolates linearly.

    Returns
    -------
    float
    """
    condensed = squareform(squared, checks=False)
    position = (len(condensed) - 1) * percentile / 100
    low = int(position)
    high = min(low + 1, len(condensed) - 1)
    condensed.partition((low, high))
    below, above = np.sqrt(condensed[low]), np.sqrt(condensed[high])
    return float(below + (above - below) * (position - low))


def rbf_kernel(squared, scale, *, n_normalizations=0):
    """The kernel of Eq. (1), ``K[i, j] = exp(-||x_i - x_j||^2 / (2 scale^2))``, in place.

    Parameters
    ----------
    squared : ndarray of shape (d, d)
        Squared distances; overwritten by the kernel.
    scale : float
        The kernel scale sigma, positive.
    n_normalizations : int
        How often K becomes ``A^-1/2 K A^-1/2`` with A the diagonal matrix of its row sums (paper,
        details on the hypercube data); the limit is doubly stochastic.

    Returns
    -------
    ndarray of shape (d, d)
        The kernel, symmetric positive semi-definite.
    """
    squared *= -0.5 / scale**2
    kernel = np.exp(squared, out=squared)
    for _ in range(n_normalizations):
        weights = 1 / np.sqrt(kernel.sum(axis=1))
        kernel *= weights
        kernel *= weights[:, None]
    return kernel


def class_kernel(X, label, *, scale_factor=1.0, percentile=None, n_normalizations=0):
    """The kernel over the features of one class, and its scale.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples of one class.
    label : object
        The class, to be named in an error.
    scale_factor, percentile, n_normalizations
        As in :func:`manifest.manifest_score`.

    Returns
    -------
    kernel : ndarray of shape (n_features, n_features)
    scale : float

    Raises
    ------
    ValueError
        If the scale is zero, which leaves the kernel undefined.
    """
    X, unit = unit_magnitude(X)
    squared = squared_feature_distances(X)
    scale = scale_factor * distance_percentile(squared, 50 if percentile is None else percentile)
    if scale**2 < np.finfo(float).tiny:
        which = "median" if percentile is None else f"{percentile}th percentile"
        raise ValueError(
            f"the kernel scale of class {label!r} is zero: the {which} of the distances between "
            f"its {X.shape[1]} features is {scale / scale_factor * unit:g} (scale_factor="
            f"{scale_factor:g}). Drop duplicated and constant features, or use a higher percentile."
        )
    return rbf_kernel(squared, scale, n_normalizations=n_normalizations), scale * unit
