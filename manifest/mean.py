"""Compute the Riemannian mean of symmetric positive definite matrices by Newton's method.

The mean M of K_1, ..., K_C (Karcher mean, geometric mean) is the unique minimiser of the sum of
squared affine-invariant distances, ``f(X) = 1/2 sum_l d(X, K_l)^2`` (Moakher 2005). With any factor
``X = L L'``, a tangent vector ``L E L'`` and the eigendecomposition ``L^-1 K_l L^-T = U_l
diag(exp(mu_l)) U_l'``, the gradient and the Hessian have closed forms::

    grad f     = -sum_l U_l diag(mu_l) U_l'
    Hess f [E] =  sum_l U_l (c_l * (U_l' E U_l)) U_l'
    c_l[i, j]  =  x coth(x),  x = (mu_l[i] - mu_l[j]) / 2

The weights c_l are at least 1, because the curvature is nowhere positive. Therefore f is strongly
convex, and conjugate gradients solve the Newton equation. A product with the Hessian takes four
matrix products for each class. These are cheaper than another eigendecomposition and need few
digits, so they are computed in single precision.

Why it converges: along an inexact Newton step the norm of the gradient decreases at the rate ``1 -
eta``, where eta is the residual of the linear equation (Eisenstat and Walker 1994). The step is
halved until the norm has decreased by a share of that. Because the Hessian is at least C times the
identity, the norm of the gradient bounds the distance to M. In the resulting bounded set the step
lengths cannot shrink to zero, so the norm decreases to zero at least linearly. Because eta tends to
zero with the gradient, convergence is quadratic in the end.

References
----------
Moakher (2005), "A differential geometric approach to the geometric mean of symmetric
positive-definite matrices", SIAM Journal on Matrix Analysis and Applications 26.

Eisenstat and Walker (1994), "Globally convergent inexact Newton methods", SIAM Journal on
Optimization 4.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from manifest.decompositions import symmetric_eigh
from manifest.linalg import EPS, NotPositiveDefiniteError, fill_upper, fortran, product
from manifest.spd import congruence
from manifest.trust import MeanNotConvergedWarning

#: The iteration stops at this relative norm of the gradient.
TOLERANCE = 1e-8
_MAX_STEPS = 50
# If no such share of a step helps, only rounding is left of the gradient.
_STEP_LENGTHS = [0.5**halvings for halvings in range(10)]
_MAX_CONJUGATE_GRADIENTS = 100


@dataclass
class RiemannianMean:
    """The mean M of several matrices K_l, and the logarithms of the matrices at M.

    Attributes
    ----------
    L : ndarray of shape (d, d)
        The Cholesky factor in the lower triangle, ``M = L L'``; the upper triangle has no meaning.
    logarithms : list of (ndarray of shape (d,), ndarray of shape (d, d))
        ``mu_l``, ascending, and ``U_l``, one pair for each matrix: ``Log_M(K_l) = L U_l
        diag(mu_l) U_l' L'``.
    residual : float
        The norm of the gradient at M, ``|| mean_l Log_M(K_l) ||_M``, divided by the mean distance
        between M and the matrices. The mean has converged if it is at most :data:`TOLERANCE`.
    n_steps : int
        The number of Newton steps.
    """

    L: np.ndarray
    logarithms: list[tuple[np.ndarray, np.ndarray]]
    residual: float
    n_steps: int = 0

    def warnings(self, n_classes):
        """Return the warnings to issue."""
        if self.residual <= TOLERANCE:
            return []
        numbers = {"n_classes": n_classes, "n_steps": self.n_steps, "residual": self.residual}
        text = (
            "the Riemannian mean of the kernels has not converged. The relative error of the "
            "scores is about `residual`. Nearly singular kernels cause this; use a smaller kernel "
            "scale."
        )
        return [MeanNotConvergedWarning(text, **numbers)]

    def mean(self):
        """Return M, of shape (d, d)."""
        L = np.asfortranarray(np.tril(self.L))
        return fill_upper(blas.dsyrk(1.0, L, lower=1))

    def differences(self):
        """Yield the lower triangle of ``Log_M(K_l)`` of each matrix, which drops its logarithm."""
        while self.logarithms:
            mu, U = self.logarithms.pop(0)
            yield congruence(blas.dtrmm(1.0, self.L, U, lower=1, overwrite_b=1), mu)


def riemannian_mean(kernels):
    """Return the `RiemannianMean` of symmetric positive definite matrices of shape (d, d).

    The matrices are not changed. The computation needs the memory of as many arrays again and of
    about eight more. If it has not converged, the residual says how far it is from the mean. A
    matrix without a Cholesky factor raises a NotPositiveDefiniteError.
    """
    here, gradient = _iterate(_arithmetic_harmonic_mean(kernels), kernels)
    n_steps = 0
    while here.residual > TOLERANCE and n_steps < _MAX_STEPS:
        norm = np.linalg.norm(gradient)
        # A more exact solution would not change the next gradient.
        eta = min(0.1, max(here.residual, 0.3 * TOLERANCE / here.residual))
        exponents, V = symmetric_eigh(_newton_step(here.logarithms, gradient, eta), "a Newton step")
        factor = blas.dtrmm(1.0, here.L, V, lower=1, overwrite_b=1)
        del V
        n_steps += 1
        for t in _STEP_LENGTHS:
            # The logarithms take most of the memory; they are freed before the next are computed.
            del here, gradient
            here, gradient = _iterate(congruence(factor, np.exp(t * exponents)), kernels)
            if np.linalg.norm(gradient) <= (1 - 1e-4 * t * (1 - eta)) * norm:
                break
        else:
            break
    here.n_steps = n_steps
    return here


def _iterate(X, kernels):
    """Return the logarithms at X, whose lower triangle is read, and the negative gradient of f."""
    L = _cholesky(X)
    gradient = np.zeros_like(X, order="F")
    logarithms, distance = [], 0.0
    for K in kernels:
        turned = lapack.dsygst(fortran(K), L, lower=1)[0]
        values, U = symmetric_eigh(turned, "a kernel at the mean")
        # Rounding can make an eigenvalue negative if a kernel is nearly singular.
        mu = np.log(np.maximum(values, EPS * values[-1]))
        gradient += congruence(U, mu)
        distance += float(np.linalg.norm(mu))
        logarithms.append((mu, U))
    norm = float(np.linalg.norm(fill_upper(gradient)))
    return RiemannianMean(L, logarithms, norm / distance if norm else 0.0), gradient


def _arithmetic_harmonic_mean(kernels):
    """Return ``A # H``, the mean of the arithmetic mean A and the harmonic mean H, as a start.

    For two matrices this is their mean. For more it lies between H and A, as their mean does. With
    ``A = L L'`` and ``L' H^-1 L = U diag(g) U'``, it is ``L U diag(g^-1/2) U' L'``. Here g >= 1
    because A >= H.
    """
    A = sum(fortran(K) for K in kernels) / len(kernels)
    inverses = np.zeros_like(A, order="F")
    for K in kernels:
        inverses += lapack.dpotri(_cholesky(fortran(K)), lower=1, overwrite_c=1)[0]
    inverses /= len(kernels)
    L = _cholesky(A)
    turned = lapack.dsygst(inverses, L, itype=2, lower=1, overwrite_a=1)[0]
    g, U = symmetric_eigh(turned, "the harmonic mean of the kernels")
    F = blas.dtrmm(1.0, L, U, lower=1, overwrite_b=1)
    return congruence(F, 1 / np.sqrt(np.maximum(g, 1.0)))


def _cholesky(A):
    L, info = lapack.dpotrf(A, lower=1, clean=0)
    if info:
        raise NotPositiveDefiniteError("the mean needs positive definite matrices; one is singular")
    return L


def _newton_step(logarithms, gradient, eta):
    """Solve ``Hess f [E] = -grad f`` to a residual eta by conjugate gradients, in float32."""
    residual = gradient.astype(np.float32, order="F")
    step = np.zeros_like(residual, order="F")
    direction = residual.copy(order="F")
    left = first = _dot(residual, residual)
    for _ in range(_MAX_CONJUGATE_GRADIENTS):
        image = _hessian(logarithms, direction)
        length = np.float32(left / _dot(direction, image))
        step += length * direction
        image *= length
        residual -= image
        before, left = left, _dot(residual, residual)
        if left <= eta**2 * first:
            break
        direction *= np.float32(left / before)
        direction += residual
    return step.astype(np.float64, order="F")


def _hessian(logarithms, E):
    """Return Hess f [E] of a symmetric E, in the precision of E."""
    total = np.zeros_like(E, order="F")
    for mu, U in logarithms:
        u = U.astype(E.dtype, order="F")
        inside = product(u.T, product(E, u))
        inside *= _weights(mu.astype(E.dtype))
        total += product(u, inside, u.T)
    return total


def _weights(mu):
    """Return ``x coth(x)`` of half the differences x of the logarithms mu."""
    x = np.subtract.outer(0.5 * mu, 0.5 * mu)
    near = np.abs(x) < 1e-2
    x[near] = 1e-2
    return x / np.tanh(x)


def _dot(A, B):
    return float(np.einsum("ij,ij", A, B, dtype=np.float64))
