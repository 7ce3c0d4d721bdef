"""From samples to the scores of all classes: their kernels, diagonalised together.

Two classes take the closed form of `manifest.spd` or `manifest.spsd`. More classes take
the score of the paper's 2023 version (appendix on several classes)::

    M = argmin_X sum_l d(X, K_l)^2,   D_l = Log_M(K_l),   r_l = diag |D_l|

The score of a feature is the maximum of r_l over the classes, or their sum. For two classes M is
the midpoint and D_2 = -D_1, so that both r_l are the score of Algorithm 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from manifest import sentences
from manifest.categories import AmbiguousScoreWarning
from manifest.kernels import ClassDistances
from manifest.linalg import NotPositiveDefiniteError, diagonal, is_positive_definite
from manifest.mean import RiemannianMean, riemannian_mean
from manifest.regularized import regularization
from manifest.spd import absolute_diagonal, congruence, difference_weights, mean_weights, pencil
from manifest.spsd import SpsdPencil, spsd_pencil
from manifest.trust import is_informative, magnitude_of, pending_warnings, rounding_of
from manifest.validation import check_memory, check_parameters, split_classes


@dataclass(frozen=True, kw_only=True)
class Composition(SpsdPencil):
    """Two kernels diagonalised together, before any operator of size d x d is formed.

    ``K_1 = V F diag(h) F' V'``, with V the identity (`basis` is None) or of shape (d, k).
    """

    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    magnitude: float
    delta: float = 0.0

    @property
    def n_ambiguous(self):
        """The number of directions that rounding pairs."""
        return self.n_orthogonal + self.n_cut

    def mean_operator(self):
        """M, of shape (d, d)."""
        return self.carry(congruence(self.F, mean_weights(self.h)))

    def difference_cores(self) -> Iterator[np.ndarray]:
        """The lower triangle of D_1 in the basis, of shape (k, k); D_2 is its negative."""
        yield congruence(self.F, difference_weights(self.h))

    def warnings(self):
        """The warnings that are due."""
        if not self.n_ambiguous:
            return []
        n_features = len(self.F if self.basis is None else self.basis)
        numbers = {"n_orthogonal": self.n_orthogonal, "n_cut": self.n_cut}
        numbers |= {"rank": len(self.principal_angles), "n_features": n_features}
        return [AmbiguousScoreWarning(sentences.AMBIGUOUS, **numbers)]


@dataclass(frozen=True, kw_only=True)
class MeanComposition:
    """More than two kernels, diagonalised one by one at their mean; as `Composition`."""

    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    magnitude: float
    principal_angles: np.ndarray
    mean: RiemannianMean
    delta: float = 0.0
    basis: None = None
    n_ambiguous: int = 0

    def mean_operator(self):
        """M, of shape (d, d)."""
        return self.mean.operator()

    def difference_cores(self) -> Iterator[np.ndarray]:
        """The lower triangles of D_1, ..., D_C, once: each takes the place of its logarithm."""
        while self.mean.logarithms:
            yield self.mean.pop_difference()

    def warnings(self):
        """The warnings that are due."""
        return self.mean.warnings(len(self.classes))


@dataclass(frozen=True)
class ClassScores:
    """The scores of validated samples at one kernel scale, with facts about them."""

    #: ``r_l = diag |D_l|`` of each class, or the score of each pair ("ovo"), in arrays of length d.
    rows: np.ndarray
    #: The geometry of all rows; "auto" if they differ.
    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    n_ambiguous: int
    #: The amount by which rounding moves scores.
    rounding: float
    informative: bool
    #: The warnings that are due.
    warnings: list


def aggregated(rows, aggregate):
    """The maximum ("max") or the sum ("sum") over rows of scores, or the rows ("none")."""
    if aggregate == "none":
        return rows
    return rows.max(axis=0) if aggregate == "max" else rows.sum(axis=0)


def compositions(
    X,
    y,
    percentiles,
    *,
    scale_factor=1.0,
    n_normalizations=0,
    geometry="regularized",
    multiclass="mean",
):
    """The compositions of every percentile; distances are computed once.

    Parameters are those of `manifest.manifest_scores`, with X and y validated already: X a
    finite float64 array, y with two or more labels.

    Yields
    ------
    iterator of Composition or MeanComposition
        For one percentile: one composition of all classes, or one for each pair of classes in the
        order of `itertools.combinations` ("ovo").
    """
    for percentile in percentiles:
        check_parameters(
            scale_factor, percentile, n_normalizations, geometry, multiclass=multiclass
        )
    labels, parts = split_classes(X, y)
    check_memory(X.shape[1], n_arrays(len(labels), len(percentiles), multiclass))
    distances = [
        ClassDistances.of(part, label, percentiles)
        for label, part in zip(labels, parts, strict=True)
    ]
    form = {"scale_factor": scale_factor, "n_normalizations": n_normalizations}
    for number, percentile in enumerate(percentiles, start=1):
        is_last = number == len(percentiles)
        kernels = [one.kernel(percentile, overwrite=is_last, **form) for one in distances]
        if is_last:
            # From here on only the kernels hold this memory.
            distances.clear()
        yield compositions_of(kernels, labels, geometry, multiclass)
        kernels.clear()


def n_arrays(n_classes, n_percentiles=1, multiclass="mean"):
    """The number of arrays of shape (d, d) that a score holds at its peak, rounded up."""
    kept = n_classes if n_percentiles > 1 else 0  # the distances
    if n_classes == 2:
        return 5 + kept
    return kept + (5 + n_classes if multiclass == "ovo" else 8 + 2 * n_classes)


def compositions_of(kernels, labels, geometry, multiclass="mean", delta=None):
    """The compositions of kernels: one of all classes, or one for each pair of classes ("ovo").

    The list of pairs (kernel, scale) is overwritten and, but for "ovo", emptied. The shift `delta`
    of all kernels under "regularized" is that of `manifest.regularized.regularization` by default.
    """
    if multiclass == "ovo" and len(labels) > 2:
        return _pairs(kernels, labels, geometry, delta)
    return iter([composed(kernels, labels, geometry, delta)])


def compose(X, y, *, percentile=None, **parameters):
    """The composition of all classes at one percentile; parameters as of `compositions`."""
    ((parts,),) = compositions(X, y, [percentile], **parameters)
    return parts


def class_scores(X, y, percentiles, *, multiclass="mean", **parameters):
    """The scores of validated samples at each percentile.

    Parameters are those of `compositions`.

    Yields
    ------
    ClassScores
    """
    for group in compositions(X, y, percentiles, multiclass=multiclass, **parameters):
        yield scores_of(group, multiclass)


def scores_of(group, multiclass="mean"):
    """The `ClassScores` of what `compositions_of` returns, which is used up."""
    rows, geometries, warnings = [], set(), []
    scales: dict = {}
    n_ambiguous, magnitude = 0, 0.0
    for parts in group:
        rows += [absolute_diagonal(core, parts.basis) for core in parts.difference_cores()]
        geometries.add(parts.geometry)
        scales |= dict(zip(parts.classes, parts.scales, strict=True))
        n_ambiguous += parts.n_ambiguous
        magnitude = max(magnitude, parts.magnitude)
        for warning in parts.warnings():
            warning.classes = parts.classes
            warnings.append(warning)
        del parts  # before the next one is made
    if multiclass == "mean" and len(scales) == 2:
        # D_2 = -D_1 has the same absolute value.
        rows *= 2
    table = np.array(rows)
    rounding = rounding_of(table.shape[-1], magnitude)
    return ClassScores(
        rows=table,
        geometry=geometries.pop() if len(geometries) == 1 else "auto",
        scales=tuple(scales.values()),
        classes=tuple(scales),
        n_ambiguous=n_ambiguous,
        rounding=rounding,
        informative=is_informative(table, rounding),
        warnings=pending_warnings(warnings, table, rounding),
    )


def _pairs(kernels, labels, geometry, delta):
    """The composition of each pair of classes, made when it is asked for."""
    classes = list(zip(kernels, labels, strict=True))
    for pair in combinations(classes, 2):
        copies = [(K.copy(order="F"), scale) for (K, scale), _ in pair]
        yield composed(copies, tuple(label for _, label in pair), geometry, delta)


def composed(kernels, labels, geometry, delta=None):
    """The composition of all kernels; takes them out of their list, which frees their memory.

    Parameters are those of `compositions_of`.
    """
    several = len(labels) > 2
    if several and geometry == "spsd":
        raise ValueError(sentences.two_classes_only(len(labels)))
    matrices, scales = [K for K, _ in kernels], tuple(scale for _, scale in kernels)
    kernels.clear()
    magnitude = magnitude_of([np.diagonal(K) for K in matrices])
    if geometry in ("auto", "spd"):
        singular = [
            label for label, K in zip(labels, matrices, strict=True) if not is_positive_definite(K)
        ]
        if singular and geometry == "spd":
            raise NotPositiveDefiniteError(sentences.not_positive_definite(singular, len(labels)))
        geometry = "spd" if not singular else "regularized" if several else "spsd"
    common = {"geometry": geometry, "scales": scales, "classes": labels, "magnitude": magnitude}
    if geometry == "spsd":
        return Composition(**vars(spsd_pencil(*matrices)), **common)
    if delta is None or geometry != "regularized":
        delta = regularization(*matrices) if geometry == "regularized" else 0.0
    if delta:
        for K in matrices:
            diagonal(K)[...] += delta
    common |= {"delta": delta, "principal_angles": np.zeros(len(matrices[0]))}
    if several:
        return MeanComposition(mean=riemannian_mean(matrices), **common)
    F, h = pencil(*matrices, overwrite=True)
    return Composition(F=F, h=h, **common)
