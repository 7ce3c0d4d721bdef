"""Compute the kernel over the features of one class: distances, scale, Eq. (1), normalisation."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas
from scipy.spatial.distance import squareform

from manifest.linalg import diagonal, fill_upper

# If a distance from the Gram matrix is below this share of the squared norms, cancellation has cost
# ten of its sixteen digits. Such pairs (near-duplicates) are subtracted and squared one by one.
_CANCELLATION = 1e-6
# Near pairs are recomputed in parts of at most this many numbers, and of at most a sixteenth of the
# kernel.
_CHUNK = 1 << 22
_TINY = np.finfo(np.float64).tiny
#: In units of such a value, the squares of values of magnitude 1 underflow to zero.
_HUGE = 1e150


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
    """Divide X by a power of two so that its largest magnitude is in [0.5, 2); return both.

    A common factor does not change the score, and a power of two causes no rounding. Without it,
    squares of values such as 1e200 would overflow.
    """
    _, exponent = np.frexp(np.abs(X).max(initial=0.0))
    exponent = min(int(exponent), 1023)  # 2^1024 is infinite.
    return np.ldexp(X, -exponent), float(np.ldexp(1.0, exponent))


def distance_percentiles(squared, percentiles):
    """Return percentiles of the off-diagonal distances, given their squares of shape (d, d).

    Percentiles are in [0, 100] and interpolate linearly; 50 is the median.
    """
    condensed = squareform(squared.T, checks=False)
    last = len(condensed) - 1
    values = []
    for percentile in percentiles:
        position = last * percentile / 100
        low = int(position)
        # One order statistic at a time: finding several at once takes NumPy three times as long.
        condensed.partition(low)
        below = math.sqrt(condensed[low])
        above = math.sqrt(condensed[low + 1 :].min()) if position > low else below
        values.append(below + (above - below) * (position - low))
    return values


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


def kernel_scale(distance, label, *, unit, scale_factor, percentile, n_features):
    """Return the kernel scale, `scale_factor` times a distance, in the unit of the distance.

    A scale of zero raises a ValueError, because the kernel of the class `label` is then undefined.
    """
    scale = scale_factor * distance
    if scale**2 < _TINY:
        which = "median" if percentile is None else f"percentile {percentile:g}"
        # The square of a distance this much smaller than the largest value is zero.
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
    """Distances between the features of one class, from which it makes kernels of any scale."""

    #: Squared distances of shape (d, d), after the samples were divided by the unit.
    squared: np.ndarray
    #: A power of two; see `unit_magnitude`.
    unit: float
    #: The off-diagonal distance at each percentile; the key None is the median.
    percentiles: dict
    #: The class, for error messages.
    label: object

    @classmethod
    def of(cls, X, label, percentiles=(None,)):
        """Compute the distances from the samples of one class, X of shape (n_samples, d)."""
        X, unit = unit_magnitude(X)
        squared = squared_feature_distances(X)
        values = distance_percentiles(squared, [50 if p is None else p for p in percentiles])
        return cls(squared, unit, dict(zip(percentiles, values, strict=True)), label)

    def kernel(self, percentile=None, *, scale_factor=1.0, n_normalizations=0, overwrite=False):
        """Return the kernel at a known percentile and its scale; `overwrite` reuses the memory."""
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
    """Return the kernel over the features of one class, of shape (d, d), and its scale.

    X of shape (n_samples, d) contains the samples of the class; errors name its `label`. The other
    parameters are those of `manifest.manifest_score`. A scale of zero raises a ValueError.
    """
    return ClassDistances.of(X, label, [percentile]).kernel(
        percentile,
        scale_factor=scale_factor,
        n_normalizations=n_normalizations,
        overwrite=True,
    )
