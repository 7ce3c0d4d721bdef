"""Algorithm 2: the mean and the difference operator of two SPSD matrices of fixed rank.

With the rank-k truncations ``K_l = V_l diag(w_l) V_l'`` (the paper's G_l, P_l before rotation) and
the orthogonal polar factor W of ``V_2' V_1`` (the paper's O_2 O_1'), the Grassmann geodesic from
the midpoint back to K_1 returns to the range of K_1, so that Algorithm 2 collapses to k x k::

    A = diag(w_1),   B = W' diag(w_2) W
    D = V_1 Log_{A # B}(A) V_1'
    M = U (A # B) U',   U = (V_1 + V_2 W) (2 I + 2 T)^-1/2,   T = the polar factor's companion

A # B and the logarithm are those of Algorithm 1. The only step beyond two eigendecompositions of
the kernels is W, and where k is near d it comes from the few directions that the ranges do not
share: ``I - (V_2'V_1)'(V_2'V_1)`` has rank at most d - k.

D lives on the range of K_1 alone, so that on rank-deficient kernels the paper's score changes when
the classes change places. It is not even unique where principal angles reach 90 degrees (W pairs
the directions left over by chance) or where the rank cut falls into noise or a cluster of
eigenvalues; :class:`AmbiguousScoreWarning` reports both.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from manifest.spd import EPS, pencil, symmetric_eigh

# Ranges whose angle has a smaller sine are one: the cosine differs from 1 by 5e-13.
_SAME = 1e-6
# A cosine this small lets rounding (1e-15) turn the pairing of two directions by more than 1e-9.
_ORTHOGONAL = 1e-6
# An eigenvalue this many rank tolerances from zero, or from a dropped one, has an eigenvector that
# rounding turns. On real and synthetic data whose score passes without a warning, permuting the
# features moved it by 2e-7 of the largest at most.
_CLUSTER = 100.0


class AmbiguousScoreWarning(UserWarning):
    """The score of Algorithm 2 is not unique on these data: rounding decides a part of it."""


@dataclass(frozen=True)
class Polar:
    """The orthogonal polar factor of ``V_2' V_1`` and the angles between the two ranges.

    Attributes
    ----------
    factor : ndarray of shape (k, k)
        W, with ``W'W = I``.
    turned : ndarray of shape (k, r)
        Right singular vectors that belong to ``cosines``; all others have cosine 1.
    cosines : ndarray of shape (r,)
    angles : ndarray of shape (k,)
        All principal angles, ascending, in [0, pi/2].
    """

    factor: np.ndarray
    turned: np.ndarray
    cosines: np.ndarray
    angles: np.ndarray


def polar_factor(kept1, dropped1, kept2, dropped2):
    """Polar decomposition of ``kept2' kept1``.

    Parameters
    ----------
    kept1, kept2 : ndarray of shape (d, k)
        Orthonormal bases of the two ranges.
    dropped1, dropped2 : ndarray of shape (d, d - k)
        Orthonormal bases of their complements.

    Returns
    -------
    Polar
    """
    product = kept2.T @ kept1
    k, r = product.shape[0], dropped1.shape[1]
    if 2 * r >= k:
        left, cosines, right = svd(product, overwrite_a=True, check_finite=False)
        cosines = np.clip(cosines, 0.0, 1.0)
        return Polar(left @ right, right.T, cosines, np.arccos(cosines))
    if r == 0:
        return Polar(product, np.empty((k, 0)), np.empty(0), np.zeros(k))
    _, sines, right = svd(dropped2.T @ kept1, full_matrices=False, check_finite=False)
    left = svd(dropped1.T @ kept2, full_matrices=False, check_finite=False)[2].T
    m = int((sines > _SAME).sum())
    left, right, sines = left[:, :m], right[:m].T, np.minimum(sines[:m], 1.0)
    # Outside `right` the product is an isometry onto the complement of `left`; inside it is a small
    # matrix, whose polar factor needs a full decomposition because its cosines may vanish.
    turned = product @ right
    small_left, cosines, small_right = svd(left.T @ turned, check_finite=False)
    factor = product + (left @ (small_left @ small_right) - turned) @ right.T
    cosines = np.clip(cosines, 0.0, 1.0)
    angles = np.zeros(k)
    angles[k - m :] = np.arctan2(sines[::-1], cosines)
    return Polar(factor, right @ small_right.T, cosines, angles)


@dataclass(frozen=True)
class SpsdPencil:
    """Both truncated kernels in one basis: ``K_1 = V F diag(h) F' V'``, K_2 rotated alike.

    Attributes
    ----------
    basis : ndarray of shape (d, k)
        V_1.
    F : ndarray of shape (k, k)
    h : ndarray of shape (k,)
    midpoint : callable
        Returns U, of shape (d, k), the basis of the mean operator.
    angles : ndarray of shape (k,)
        Principal angles between the ranges, ascending.
    n_orthogonal : int
        Angles that reach pi/2.
    n_cut : int
        Kept directions that cannot be told from dropped ones.
    """

    basis: np.ndarray
    F: np.ndarray
    h: np.ndarray
    midpoint: Callable[[], np.ndarray]
    angles: np.ndarray
    n_orthogonal: int
    n_cut: int


def rank_tolerance(values):
    """The tolerance of ``matrix_rank``: d eps times the largest eigenvalue."""
    return len(values) * EPS * np.abs(values).max()


def _directions_at_the_cut(values, k):
    """How many kept directions are noise, or change sides when rounding perturbs the cut."""
    cut = len(values) - k
    near = _CLUSTER * rank_tolerance(values)
    noise = int((values[cut:] <= near).sum())
    if cut == 0:
        return noise
    kept = int((values[cut:] - values[cut - 1] <= near).sum())
    dropped = int((values[cut] - values[:cut] <= near).sum())
    return max(noise, min(kept, dropped))


def spsd_pencil(K1, K2):
    """Reduce Algorithm 2 to one pencil of k x k positive definite matrices.

    Parameters
    ----------
    K1, K2 : ndarray of shape (d, d)
        Symmetric positive semi-definite; overwritten.

    Returns
    -------
    SpsdPencil
        k is the smaller numerical rank (tolerance d eps times the largest eigenvalue).
    """
    (w1, V1), (w2, V2) = symmetric_eigh(K1), symmetric_eigh(K2)
    k = min(int((w > rank_tolerance(w)).sum()) for w in (w1, w2))
    cut = len(w1) - k
    n_cut = _directions_at_the_cut(w1, k) + _directions_at_the_cut(w2, k)
    kept1, kept2 = V1[:, cut:], V2[:, cut:]
    polar = polar_factor(kept1, V1[:, :cut], kept2, V2[:, :cut])
    half = polar.factor * np.sqrt(w2[cut:])[:, None]
    F, h = pencil(np.diag(w1[cut:]), half.T @ half)

    def midpoint():
        U = kept1 + kept2 @ polar.factor
        shrink = 1 / np.sqrt(2 + 2 * polar.cosines) - 0.5
        return 0.5 * U + ((U @ polar.turned) * shrink) @ polar.turned.T

    n_orthogonal = int((polar.cosines < _ORTHOGONAL).sum())
    return SpsdPencil(kept1, F, h, midpoint, polar.angles, n_orthogonal, n_cut)
