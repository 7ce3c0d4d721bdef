"""Kernels over the features of one class: distances, their scale, Eq. (1), the normalisation."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas
from scipy.spatial.distance import squareform

from manifest.linalg import diagonal, fill_upper

# Below this share of the squared norms a distance from the Gram matrix has lost ten of its sixteen
# digits to cancellation; such pairs (near-duplicates) are subtracted and squared one by one.
_CANCELLATION = 1e-6
# Near pairs are recomputed in parts. A part holds at most so many numbers, and at most a
# sixteenth of the kernel.
_CHUNK = 1 << 22
_TINY = np.finfo(np.float64).tiny
#: Values of magnitude 1 beside such a value have no square in its unit.
_HUGE = 1e150


def squared_feature_distances(X):
    """Squared Euclidean distances between the columns of X, of shape (n_samples, d).

    ``||x_i - x_j||^2 = ||x_i||^2 + ||x_j||^2 - 2 x_i' x_j`` by one symmetric product, after a shift
    of all features by the same vector, their middle; pairs that this formula cannot resolve are
    recomputed, so that equal columns are exactly at distance zero. Values have a magnitude of at
    most about 1e150 (see `unit_magnitude`). The result, of shape (d, d), is in Fortran order.
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
    """Recompute, in place, the distances that cancellation has spoilt."""
    bound = 2 * _CANCELLATION * norms.max()
    # On most data no pair is near, and one pass over the matrix shows it. The diagonal, which is
    # zero, must not count.
    np.fill_diagonal(squared, np.inf)
    if squared.min() <= bound:
        features = np.ascontiguousarray(X.T)
        chunk = min(_CHUNK, squared.size // 16)
        step = max(1, chunk // len(squared))
        for start in range(0, len(squared), step):
            i, j = np.nonzero(squared[start : start + step] <= bound)
            i += start
            doubtful = (i < j) & (squared[i, j] <= _CANCELLATION * (norms[i] + norms[j]))
            _recompute(squared, features, i[doubtful], j[doubtful], chunk)
    np.fill_diagonal(squared, 0.0)


def _recompute(squared, features, rows, columns, chunk):
    step = max(1, chunk // features.shape[1])
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        difference = features[i] - features[j]
        squared[i, j] = squared[j, i] = np.einsum("ij,ij->i", difference, difference)


def unit_magnitude(X):
    """X divided by a power of two so that its largest magnitude lies in [0.5, 2), and that power.

    The score does not change under a common factor, and a power of two costs no rounding; squares
    of values like 1e200 would overflow without it.
    """
    _, exponent = np.frexp(np.abs(X).max(initial=0.0))
    exponent = min(int(exponent), 1023)  # 2^1024 is infinite.
    return np.ldexp(X, -exponent), float(np.ldexp(1.0, exponent))


def distance_percentiles(squared, percentiles):
    """Percentiles, in [0, 100], of the off-diagonal distances, from their squares of shape (d, d).

    50 is the median; between two order statistics a percentile interpolates linearly.
    """
    condensed = squareform(squared.T, checks=False)
    last = len(condensed) - 1
    values = []
    for percentile in percentiles:
        position = last * percentile / 100
        low = int(position)
        # One order statistic at a time: NumPy looks for several three times as slowly.
        condensed.partition(low)
        below = math.sqrt(condensed[low])
        above = math.sqrt(condensed[low + 1 :].min()) if position > low else below
        values.append(below + (above - below) * (position - low))
    return values


def rbf_kernel(squared, scale, *, n_normalizations=0):
    """The kernel of Eq. (1), ``K[i, j] = exp(-||x_i - x_j||^2 / (2 scale^2))``, of shape (d, d).

    The squared distances are overwritten by it. K becomes ``A^-1/2 K A^-1/2``, with A the diagonal
    matrix of its row sums, n_normalizations times (paper, details on the hypercube data); the limit
    is doubly stochastic.
    """
    squared *= -0.5 / scale**2
    kernel = np.exp(squared, out=squared)
    for _ in range(n_normalizations):
        weights = 1 / np.sqrt(kernel.sum(axis=1))
        kernel *= weights
        kernel *= weights[:, None]
    return kernel


def kernel_scale(distance, label, *, unit, scale_factor, percentile, n_features):
    """The scale `scale_factor` times a distance, in the unit of the distance.

    A scale of zero leaves the kernel of the class `label` undefined and is a ValueError.
    """
    scale = scale_factor * distance
    if scale**2 < _TINY:
        which = "median" if percentile is None else f"percentile {percentile:g}"
        # Squares of what is this much smaller than the largest value are zero.
        is_rounding = distance > 0 or unit > _HUGE
        zero, beside = (
            ("zero to rounding", "too small next to") if is_rounding else ("zero", "with")
        )
        size = "lost" if is_rounding and not distance else f"{distance * unit:g}"
        raise ValueError(
            f"the kernel scale of class {label!r} is {zero}: the {which} of the distances between "
            f"its {n_features} features is {size}, {beside} values of up to {unit:g} "
            f"(scale_factor={scale_factor:g}). Rescale features that are far larger than the "
            "others, drop duplicated and constant features, or use a higher percentile or "
            "scale_factor."
        )
    return scale


@dataclass(frozen=True)
class ClassDistances:
    """The distances between the features of one class, from which kernels of any scale are made."""

    #: Squared distances of shape (d, d), of samples that were divided by the unit.
    squared: np.ndarray
    #: A power of two; see `unit_magnitude`.
    unit: float
    #: From a percentile of the off-diagonal distances, or None for the median, to that distance.
    percentiles: dict
    #: The class, which an error names.
    label: object

    @classmethod
    def of(cls, X, label, percentiles=(None,)):
        """The distances in samples of one class, X of shape (n_samples, d)."""
        X, unit = unit_magnitude(X)
        squared = squared_feature_distances(X)
        values = distance_percentiles(squared, [50 if p is None else p for p in percentiles])
        return cls(squared, unit, dict(zip(percentiles, values, strict=True)), label)

    def kernel(self, percentile=None, *, scale_factor=1.0, n_normalizations=0, overwrite=False):
        """The kernel at a known percentile, and its scale; `overwrite` uses the same memory."""
        scale = kernel_scale(
            self.percentiles[percentile],
            self.label,
            unit=self.unit,
            scale_factor=scale_factor,
            percentile=percentile,
            n_features=len(self.squared),
        )
        squared = self.squared if overwrite else self.squared.copy(order="F")
        return rbf_kernel(squared, scale, n_normalizations=n_normalizations), scale * self.unit


def class_kernel(X, label, *, scale_factor=1.0, percentile=None, n_normalizations=0):
    """The kernel over the features of one class, of shape (d, d), and its scale.

    X of shape (n_samples, d) has the samples of the class, whose `label` an error names. The other
    parameters are those of `manifest.manifest_score`. A scale of zero is a ValueError.
    """
    return ClassDistances.of(X, label, [percentile]).kernel(
        percentile,
        scale_factor=scale_factor,
        n_normalizations=n_normalizations,
        overwrite=True,
    )
