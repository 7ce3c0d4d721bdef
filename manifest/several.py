"""More than two classes: every kernel against the Riemannian mean of all of them.

The score of the paper's 2023 version (appendix on several classes)::

    M = argmin_X sum_l d(X, K_l)^2,   D_l = Log_M(K_l),   r_l = diag |D_l|

The score of a feature is the maximum of r_l over the classes, or their sum. For two classes M is
the midpoint and D_2 = -D_1, so that both r_l are the score of Algorithm 1; two classes take the
closed form of :mod:`manifest.spd`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from manifest import sentences
from manifest.categories import MeanNotConvergedWarning
from manifest.linalg import NotPositiveDefiniteError, diagonal, is_positive_definite
from manifest.mean import TOLERANCE, RiemannianMean, riemannian_mean
from manifest.regularized import regularization


@dataclass(frozen=True)
class MeanComposition:
    """The kernels of all classes, diagonalised one by one at their mean.

    It has the methods of :class:`manifest.composition.Composition`.
    """

    mean: RiemannianMean
    geometry: str
    scales: tuple[float, ...]
    classes: tuple
    magnitude: float
    principal_angles: np.ndarray
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

    def complaints(self):
        """The warnings that are due, each a category and a text."""
        if self.mean.converged:
            return []
        told = sentences.not_converged(
            len(self.classes),
            residual=self.mean.residual,
            tolerance=TOLERANCE,
            n_steps=self.mean.n_steps,
        )
        return [(MeanNotConvergedWarning, told)]


def mean_composition(kernels, labels, geometry, magnitude):
    """The composition of more than two kernels.

    Parameters
    ----------
    kernels : list of (ndarray of shape (d, d), float)
        A kernel and its scale for each class; emptied, and the kernels are overwritten.
    labels : tuple
    geometry : {"auto", "spd", "spsd", "regularized"}
    magnitude : float
        See :func:`manifest.trust.magnitude_of`.

    Returns
    -------
    MeanComposition

    Raises
    ------
    ValueError
        Under "spsd".
    NotPositiveDefiniteError
        If a kernel is singular under "spd".
    """
    if geometry == "spsd":
        raise ValueError(sentences.two_classes_only(len(labels)))
    matrices, scales = [K for K, _ in kernels], tuple(scale for _, scale in kernels)
    kernels.clear()
    if geometry in ("auto", "spd"):
        singular = [
            label for label, K in zip(labels, matrices, strict=True) if not is_positive_definite(K)
        ]
        if singular and geometry == "spd":
            raise NotPositiveDefiniteError(sentences.not_positive_definite(singular, len(labels)))
        geometry = "regularized" if singular else "spd"
    delta = regularization(*matrices) if geometry == "regularized" else 0.0
    if delta:
        for K in matrices:
            diagonal(K)[...] += delta
    angles = np.zeros(len(matrices[0]))
    mean = riemannian_mean(matrices)
    return MeanComposition(mean, geometry, scales, labels, magnitude, angles, delta)
