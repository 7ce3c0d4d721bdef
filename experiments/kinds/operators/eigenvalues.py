"""Test the paper's propositions on the eigenvalues of D: predicted values and bounds.

For an eigenvector phi of K1 (eigenvalue l1) that K2 shares (eigenvalue l2), section 4 says that D
has the eigenpair (lambda, phi), lambda = 1/2 sqrt(l1 l2) (log l1 - log l2); the appendix drops the
1/2. With S = sum_ij |K1 - K2|_ij |phi_i| |phi_j| it bounds the value without the 1/2 by 2 S, and by
2 S + 2 a eps^2 if the eigenvector phi2 of K2 is only close, ||phi2 - phi|| < eps, with a the
largest row sum of K2.

The geometric mean of l1 and l2 is at most their logarithmic mean, so that |lambda| <= |l1 - l2| / 2
and, for both statements, |lambda| <= (S + a eps^2) / 2, a quarter of the published right-hand side.
For eps the proof expands l2 = phi2' K2 phi2 without the mixed terms. In full it is

    l2 = phi' K2 phi + l2 eps^2 - e' K2 e,   e = phi2 - phi,   eps = ||e||,

and since both corrections lie between 0 and lambda_max(K2) eps^2, the bound holds all the same.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from experiments import seeds
from experiments.cache import Row
from manifest.decompositions import eigh
from manifest.kernels import class_kernel
from manifest.regularized import regularization
from manifest.spd import mean_and_difference


@dataclass(frozen=True)
class Eigenbasis:
    """Eigenvalues, descending, and eigenvectors of a kernel."""

    values: np.ndarray
    vectors: np.ndarray

    @classmethod
    def of(cls, K):
        values, vectors = eigh(K, "a kernel")
        return cls(values[::-1], vectors[:, ::-1])

    @property
    def kernel(self):
        K = (self.vectors * self.values) @ self.vectors.T
        return (K + K.T) / 2


def eigenvalue(l1, l2):
    """Return ``1/2 sqrt(l1 l2) (log l1 - log l2)``, the eigenvalue for a shared eigenvector."""
    return 0.5 * np.sqrt(l1 * l2) * (np.log(l1) - np.log(l2))


def compare(K1, first: Eigenbasis, K2, second: Eigenbasis, matched) -> Row:
    """Compute both propositions for every eigenvector of K1 and its match in K2.

    Parameters
    ----------
    K1, K2 : ndarray of shape (d, d)
        Symmetric positive definite, with their eigenbases.
    matched : ndarray of int, shape (d,)
        The eigenvector of K2 that is compared with each of K1's.

    Returns
    -------
    dict
        Vectors of shape (d,), with an entry for each eigenvector of K1:

        - l1, l2: the eigenvalues; eps: the distance of the eigenvectors, signs aligned;
        - predicted: the eigenvalue of D with the 1/2; measured: phi' D phi;
        - residual: ||D phi - predicted phi||;
        - entries: S; row_sum: a.

        And numbers: norm, the spectral norm of D; tightest, the smallest (S + a eps^2) /
        (2 |lambda|) over *all* pairs of an eigenvector of K1 and one of K2.
    """
    _, D = mean_and_difference(K1, K2)
    phi = first.vectors
    cosines = phi.T @ second.vectors
    sign = np.where(cosines[np.arange(len(K1)), matched] < 0, -1.0, 1.0)
    e = second.vectors[:, matched] * sign - phi
    l1, l2 = first.values, second.values[matched]
    predicted = eigenvalue(l1, l2)
    entries = _quadratic(np.abs(K1 - K2), np.abs(phi))
    row_sum = np.abs(K2).sum(axis=1).max()
    every = np.abs(eigenvalue(l1[:, None], second.values[None, :]))
    bounds = 0.5 * (entries[:, None] + row_sum * np.maximum(0, 2 - 2 * np.abs(cosines)))
    return {
        "l1": l1,
        "l2": l2,
        "eps": np.sqrt((e**2).sum(axis=0)),
        "predicted": predicted,
        "measured": _quadratic(D, phi),
        "residual": np.linalg.norm(D @ phi - phi * predicted, axis=0),
        "entries": entries,
        "row_sum": np.full(len(K1), row_sum),
        "norm": float(np.abs(np.linalg.eigvalsh(D)).max()),
        "tightest": float((bounds / np.maximum(every, np.finfo(float).tiny)).min()),
    }


def _quadratic(A, vectors):
    return np.einsum("ij,ij->j", vectors, A @ vectors)


def rotation(rng, d: int, angle: float) -> np.ndarray:
    """Return a random rotation of R^d with mean square angle ``angle^2`` in its planes."""
    A = rng.normal(size=(d, d))
    A = A - A.T
    return expm(angle * np.sqrt(d) / np.linalg.norm(A) * A)


def check_kernels(X1, X2, parameters: dict, angles: list[float], axes: tuple) -> dict[str, Row]:
    """Compute all cases for the kernels of two classes of samples.

    Returns
    -------
    dict
        Case -> the result of :func:`compare`, for the cases "shared" (K2 has the eigenvalues of its
        class and the eigenvectors of K1), "turned 0.1" (those turned by random angles of that size)
        and "data" (both kernels as they are, each eigenvector matched with the closest).
    """
    parameters = {name: value for name, value in parameters.items() if name != "geometry"}
    K1, K2 = (class_kernel(X, label, **parameters)[0] for label, X in enumerate((X1, X2), start=1))
    delta = regularization(K1, K2)
    for K in (K1, K2):
        K[np.diag_indices_from(K)] += delta
    first, second = Eigenbasis.of(K1), Eigenbasis.of(K2)
    cases: dict[str, Row] = {}
    for angle in (0.0, *angles):
        turn = rotation(seeds.generator(*axes), len(K1), angle)
        other = Eigenbasis(second.values, turn @ first.vectors)
        name = f"turned {angle:g}" if angle else "shared"
        cases[name] = compare(K1, first, other.kernel, other, np.arange(len(K1)))
    closest = np.abs(first.vectors.T @ second.vectors).argmax(axis=1)
    return {**cases, "data": compare(K1, first, K2, second, closest)}
