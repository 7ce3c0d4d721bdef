"""Algorithm 2: the mean and the difference operator of two SPSD matrices of fixed rank.

Write ``K_l = V_l diag(w_l) V_l'`` for the rank-k truncations (the paper's G_l and P_l before
rotation) and N_l for the d - k dropped directions. R is the partial isometry from the range of K_1
to that of K_2 whose matrix ``V_2' R V_1`` is the orthogonal polar factor of ``V_2' V_1`` (the
paper's ``O_2 O_1'``). The Grassmann geodesic from the midpoint back to K_1 ends in the range of
K_1. Algorithm 2 is therefore Algorithm 1 on that range::

    D = Log_M'(K_1)  with  M' = K_1 # (R' K_2 R);   M = G M' G'

with G the isometry from the range of K_1 to the midpoint of both ranges. There are two ways to
compute it:

- Few dropped directions (`_lifted`): R differs from the identity only on the span of N_1 and N_2.
  Adding the same multiple of ``N_1 N_1'`` to K_1 and R' K_2 R makes both positive definite and does
  not change D, because log 1 = 0. Only the dropped directions are needed of the
  eigendecompositions.
- Many (`_reduced`): everything is computed in the basis V_1, with k x k matrices.

D is defined on the range of K_1 only. On rank-deficient kernels the paper's score therefore changes
if the classes are swapped. It is not even unique if principal angles reach 90 degrees, because R
then pairs the remaining directions by chance, or if the rank cut falls into noise or a cluster of
eigenvalues. `manifest.AmbiguousScoreWarning` reports both.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack, qr

from manifest.decompositions import svd, svdvals, symmetric_eigh, tridiagonal_eigh
from manifest.linalg import EPS, fill_upper, fortran, is_positive_definite, product
from manifest.spd import congruence, difference_weights, mean_weights, pencil

# At a cosine this small, rounding (1e-15) turns the pairing of two directions by more than 1e-9.
_ORTHOGONAL = 1e-6
# Rounding turns the eigenvector of an eigenvalue within this many rank tolerances of zero or of a
# dropped eigenvalue. On all real and synthetic data that gave no warning, permuting the features
# changed no score by 1e-6 of the largest.
_CLUSTER = 100.0
# Up to this share of dropped directions, lifting is cheaper than two eigendecompositions.
_FEW = 0.25


@dataclass(frozen=True)
class Midpoint:
    """The midpoint of two kernels, from one pencil; with the default values, that of Algorithm 1.

    Attributes
    ----------
    F, h : ndarray
        As `manifest.spd.pencil` returns them, in the basis.
    principal_angles : ndarray of shape (k,)
        Principal angles between the ranges, ascending, in [0, pi/2].
    basis : ndarray of shape (d, k), or None
        V_1, or None if F is in the space of the features.
    carry : callable
        Maps the lower triangle of M' in the basis to the mean operator M, of shape (d, d).
    n_orthogonal : int
        Number of angles that reach pi/2.
    n_cut : int
        Number of kept directions that are noise or cannot be distinguished from dropped ones.
    """

    F: np.ndarray
    h: np.ndarray
    principal_angles: np.ndarray
    basis: np.ndarray | None = None
    carry: Callable[[np.ndarray], np.ndarray] = fill_upper
    n_orthogonal: int = 0
    n_cut: int = 0

    def mean(self):
        """Return M, of shape (d, d)."""
        return self.carry(congruence(self.F, mean_weights(self.h)))

    def differences(self):
        """Yield the lower triangle of ``D = Log_M'(K_1)`` in the basis, (k, k)."""
        yield congruence(self.F, difference_weights(self.h))


def spsd_midpoint(K1, K2):
    """Reduce Algorithm 2 to one pencil of positive definite matrices; return the `Midpoint`.

    K1 and K2 are positive semi-definite of shape (d, d) and are overwritten. k is the smaller
    numerical rank; eigenvalues of at most d eps times the largest count as zero.
    """
    if is_positive_definite(K1, _CLUSTER) and is_positive_definite(K2, _CLUSTER):
        F, h = pencil(K1, K2, overwrite=True)
        return Midpoint(F, h, np.zeros(len(K1)))
    halves = [Tridiagonal(K) for K in (K1, K2)]
    tolerances = [len(half.values) * EPS * half.values[-1] for half in halves]
    r = max(
        int((half.values <= tolerance).sum())
        for half, tolerance in zip(halves, tolerances, strict=True)
    )
    n_cut = sum(
        _at_the_cut(half.values, r, tolerance)
        for half, tolerance in zip(halves, tolerances, strict=True)
    )
    low = [half.lowest(r) for half in halves] if r <= _FEW * len(K1) else []
    del halves
    if not low:
        return _reduced(K1, K2, r, n_cut)
    return _lifted(K1, K2, low, n_cut)


class Tridiagonal:
    """Compute all eigenvalues of a symmetric K at once, and eigenvectors on request.

    `values` are all eigenvalues in ascending order. K is not changed.
    """

    def __init__(self, K):
        d = len(K)
        # The reflectors of a lower tridiagonalisation are those of a QR factorisation shifted by
        # one column. With a column of zeros in front, LAPACK applies them without another copy.
        self._reflectors = np.zeros((d, d + 1), order="F")
        copy = self._reflectors[:, 1:]
        copy[...] = K
        lwork = int(lapack.dsytrd_lwork(d, lower=1)[0])
        _, self._diagonal, self._off_diagonal, self._tau, _ = lapack.dsytrd(
            copy, lower=1, lwork=lwork, overwrite_a=1
        )
        self.values = tridiagonal_eigh(self._diagonal, self._off_diagonal, name="a kernel")

    def lowest(self, m):
        """Return the m smallest eigenvalues and their eigenvectors, of shape (d, m)."""
        if m == 0:
            return np.empty(0), np.empty((len(self.values), 0))
        values, vectors = tridiagonal_eigh(self._diagonal, self._off_diagonal, m, "a kernel")
        tau = np.concatenate([[0.0], self._tau])
        turned, _, _ = lapack.dormqr(
            "L", "N", self._reflectors[:, :-1], tau, vectors, lwork=64 * m, overwrite_c=1
        )
        return values, turned


def _at_the_cut(values, r, tolerance):
    """Count kept directions that are noise or that rounding may move across the cut.

    `values` are the ascending eigenvalues; the first r are dropped.
    """
    near = _CLUSTER * tolerance
    kept, dropped = values[r:], values[:r]
    noise = int((kept <= near).sum())
    if r == 0:
        return noise
    cluster = min((kept - dropped[-1] <= near).sum(), (kept[0] - dropped <= near).sum())
    return max(noise, int(cluster))


def _lifted(K1, K2, low, n_cut):
    """Return the pencil in the space of the features, lifting both kernels where K_1 is zero."""
    A, B = fortran(K1), fortran(K2)
    d, r = low[0][1].shape
    if r == 0:
        F, h = pencil(A, B, overwrite=True)
        return Midpoint(F, h, np.zeros(d), n_cut=n_cut)
    Q, G, cosines, sines = _lift(A, B, low)
    F, h = pencil(A, B, overwrite=True)

    def carry(core):
        M = fill_upper(core)
        M += product(Q, G, Q.T, M)
        return M + product(M, Q, G.T, Q.T)

    angles = np.zeros(d - r)
    angles[d - 2 * r :] = np.arctan2(sines, cosines[::-1])[::-1]
    return Midpoint(F, h, angles, None, carry, _orthogonal(cosines), n_cut)


def _lift(A, B, low):
    """Lift A = K_1 and B = R' K_2 R, in place and in their lower triangles; `low` is emptied.

    Returns an orthonormal basis Q of all dropped directions, of shape (d, 2 r); the G for which ``I
    + Q G Q'`` is the isometry from the range of K_1 to the midpoint of both ranges; and cosines and
    sines of the r principal angles that are not zero, each in descending order.
    """
    (w2, N2), (w1, N1) = low.pop(), low.pop()
    r = len(w1)
    level = A.trace() / len(A)
    Q = qr(np.hstack([N1, N2]), mode="economic", check_finite=False)[0]
    n1, n2 = product(Q.T, N1), product(Q.T, N2)
    b1, b2 = (qr(n, check_finite=False)[0][:, r:] for n in (n1, n2))
    left, cosines, right = svd(product(b2.T, b1), "the angles between ranges")
    cosines = np.clip(cosines, 0.0, 1.0)
    sines = np.minimum(svdvals(product(n2.T, b1), "the angles between ranges"), 1.0)
    turn = product(b2, left, right)
    identity = np.eye(2 * r)
    E = product(turn, b1.T) - identity
    G = product(b1 + turn, _shorten(right, cosines), b1.T) - identity

    _add_symmetric(A, 0.5 * (level - w1) * N1, N1)
    # R' K_2 R of the truncated K_2, as a symmetric update of rank 4 (d - k) at most.
    Z = product(B, Q) - product(N2, w2[:, None] * n2.T)
    Y = product(Z, E) + 0.5 * product(Q, E.T, product(Q.T, Z), E)
    _add_symmetric(B, Y, Q)
    _add_symmetric(B, -0.5 * w2 * N2, N2)
    _add_symmetric(B, 0.5 * level * N1, N1)
    return Q, G, cosines, sines


def _add_symmetric(A, X, Y):
    """Add ``X Y' + Y X'`` to the lower triangle of A."""
    X, Y = np.asfortranarray(X), np.asfortranarray(Y)
    blas.dsyr2k(1.0, X, Y, beta=1.0, c=A, lower=1, overwrite_c=1)


def _reduced(K1, K2, r, n_cut):
    """Return the pencil of k x k matrices in the basis V_1."""
    (w1, V1), (w2, V2) = (symmetric_eigh(fortran(K), "a kernel") for K in (K1, K2))
    w1, V1, w2, V2 = w1[r:], V1[:, r:], w2[r:], V2[:, r:]
    left, cosines, right = svd(product(V2.T, V1), "the angles between ranges")
    cosines = np.clip(cosines, 0.0, 1.0)
    polar = product(left, right)
    half = polar * np.sqrt(w2)[:, None]
    F, h = pencil(np.diag(w1), product(half.T, half), overwrite=True)

    def carry(core):
        U = product(V1 + product(V2, polar), _shorten(right, cosines))
        return product(U, fill_upper(core), U.T)

    return Midpoint(F, h, np.arccos(cosines), V1, carry, _orthogonal(cosines), n_cut)


def _shorten(right, cosines):
    """Return the factor that makes the sums of paired directions orthonormal again."""
    return product(right.T, right / np.sqrt(2 + 2 * cosines)[:, None])


def _orthogonal(cosines):
    return int((cosines < _ORTHOGONAL).sum())
