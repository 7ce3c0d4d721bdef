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

Proposition 3 of the paper's version of 2023 says of near kernels that D is about
-1/2 (K2 - K1) (K1^-1 K2)^(1/2). Near kernels are taken here from the geodesic from K1 to K2.

Two more statements of the appendix: "This SPSD geometry coincides with the SPD affine-invariant
metric, when restricted to SPD matrices": Algorithm 2, as it is written, has the difference operator
of Algorithm 1 on kernels of full rank. "This normalization converges in infinity to a doubly
stochastic kernel": the rows of the kernel sum to 1.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm, solve, sqrtm

from experiments import seeds
from experiments.cache import Row
from manifest.decompositions import eigh, svd
from manifest.kernels import class_kernel
from manifest.regularized import regularization
from manifest.spd import geodesic, mean_and_difference

#: Half of the logarithm of the row sums goes in each normalisation, so that this many leave 1e-9.
N_NORMALIZATIONS = 60


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


def near_error(K1, K2) -> float:
    """Return ``|| D + 1/2 (K2 - K1) (K1^-1 K2)^(1/2) || / || D ||``, in spectral norms."""
    _, D = mean_and_difference(K1, K2)
    expansion = -0.5 * (K2 - K1) @ sqrtm(solve(K1, K2, assume_a="pos")).real
    return float(np.linalg.norm(D - expansion, 2) / np.linalg.norm(D, 2))


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
        - entries: S; row_sum: a;
        - step_published, step_corrected: the error of the proof's expansion of l2, without the
          mixed terms and with them.

        And numbers: norm, the spectral norm of D; largest, that of the kernels; spectrum, the
        largest difference of the sorted eigenvalues of D and the predicted ones; tightest, the
        smallest (S + a eps^2) / (2 |lambda|) over *all* pairs of an eigenvector of K1 and one of
        K2.
    """
    _, D = mean_and_difference(K1, K2)
    phi = first.vectors
    cosines = phi.T @ second.vectors
    rows = np.arange(len(K1))
    sign = np.where(cosines[rows, matched] < 0, -1.0, 1.0)
    phi2 = second.vectors[:, matched] * sign
    e = phi2 - phi
    l1, l2 = first.values, second.values[matched]
    predicted = eigenvalue(l1, l2)
    squared = (e**2).sum(axis=0)
    entries = _quadratic(np.abs(K1 - K2), np.abs(phi))
    row_sum = np.abs(K2).sum(axis=1).max()
    inner, outer = _quadratic(K2, phi), _quadratic(K2, e)
    every = np.abs(eigenvalue(l1[:, None], second.values[None, :]))
    bounds = 0.5 * (entries[:, None] + row_sum * np.maximum(0, 2 - 2 * np.abs(cosines)))
    spectrum = np.linalg.eigvalsh(D)
    return {
        "l1": l1,
        "l2": l2,
        "eps": np.sqrt(squared),
        "predicted": predicted,
        "measured": _quadratic(D, phi),
        "residual": np.linalg.norm(D @ phi - phi * predicted, axis=0),
        "entries": entries,
        "row_sum": np.full(len(K1), row_sum),
        "step_published": np.abs(l2 - inner - outer),
        "step_corrected": np.abs(l2 - inner - l2 * squared + outer),
        "norm": float(np.abs(spectrum).max()),
        "largest": float(max(first.values[0], second.values[0])),
        "spectrum": float(np.abs(spectrum - np.sort(predicted)).max()),
        "tightest": float((bounds / np.maximum(every, np.finfo(float).tiny)).min()),
    }


def _quadratic(A, vectors):
    return np.einsum("ij,ij->j", vectors, A @ vectors)


def rotation(rng, d: int, angle: float) -> np.ndarray:
    """Return a random rotation of R^d with mean square angle ``angle^2`` in its planes."""
    A = rng.normal(size=(d, d))
    A = A - A.T
    return expm(angle * np.sqrt(d) / np.linalg.norm(A) * A)


def check_kernels(
    X1, X2, parameters: dict, angles: list[float], near: list[float], axes: tuple
) -> Row:
    """Compute all cases for the kernels of two classes of samples.

    Returns
    -------
    dict
        "case:column" -> the entries of :func:`compare`, for the cases "shared" (K2 has the
        eigenvalues of its class and the eigenvectors of K1), "turned 0.1" (those turned by random
        angles of that size) and "data" (both kernels as they are, each eigenvector matched with the
        closest). "near 0.1:near_error" is the :func:`near_error` of K1 and the kernel at that share
        of the way to K2; "full rank:geometry_error" and "normalised:row_sum_error" are those of
        :func:`geometry_error` and :func:`row_sum_error`, and "delta" is the regularization.
    """
    parameters = {name: value for name, value in parameters.items() if name != "geometry"}
    K1, K2 = (class_kernel(X, label, **parameters)[0] for label, X in enumerate((X1, X2), start=1))
    stochastic = max(map(row_sum_error, (K1, K2)))
    delta = regularization(K1, K2)
    for K in (K1, K2):
        K[np.diag_indices_from(K)] += delta
    first, second = Eigenbasis.of(K1), Eigenbasis.of(K2)
    same = np.arange(len(K1))
    cases: dict[str, Row] = {}
    for angle in (0.0, *angles):
        turn = rotation(seeds.generator(*axes), len(K1), angle)
        other = Eigenbasis(second.values, turn @ first.vectors)
        cases[f"turned {angle:g}" if angle else "shared"] = compare(
            K1, first, other.kernel, other, same
        )
    closest = np.abs(first.vectors.T @ second.vectors).argmax(axis=1)
    cases["data"] = compare(K1, first, K2, second, closest)
    for t in near:
        cases[f"near {t:g}"] = {"near_error": np.array([near_error(K1, geodesic(K1, K2, t))])}
    cases["full rank"] = {"geometry_error": np.array([geometry_error(K1, K2)])}
    cases["normalised"] = {"row_sum_error": np.array([stochastic])}
    compared = {f"{case}:{name}": v for case, row in cases.items() for name, v in row.items()}
    return {"delta": float(delta), **compared}


def geometry_error(K1, K2) -> float:
    """Return ``|| D2 - D1 || / || D1 ||`` of the operators of both algorithms, spectral norms.

    Parameters
    ----------
    K1, K2 : ndarray of shape (d, d)
        Symmetric positive definite.
    """
    _, D = mean_and_difference(K1, K2)
    return float(np.linalg.norm(literal_difference(K1, K2) - D, 2) / np.linalg.norm(D, 2))


def literal_difference(K1, K2) -> np.ndarray:
    """Compute the operator D of Algorithm 2, step by step, at full rank."""
    G1, G2 = (eigh(K, "a kernel")[1] for K in (K1, K2))
    O1, O2, angles = _principal(G1, G2)
    P1, P2 = _within(G1 @ O1, K1), _within(G2 @ O2, K2)
    middle = _grassmann(G1 @ O1, G2 @ O2, angles, 0.5)
    M = middle @ geodesic(P1, P2, 0.5) @ middle.T
    GM = eigh((M + M.T) / 2, "a mean operator")[1]
    OM, O1, angles = _principal(GM, G1)
    PM, P1 = _within(GM @ OM, M), _within(G1 @ O1, K1)
    values, vectors = eigh(PM, "a mean operator")
    root, inverse = ((vectors * values**power) @ vectors.T for power in (0.5, -0.5))
    values, vectors = eigh(_within(inverse, P1), "a kernel at the mean")
    log = root @ ((vectors * np.log(values)) @ vectors.T) @ root
    end = _grassmann(GM @ OM, G1 @ O1, angles, 1.0)
    return end @ log @ end.T


def _principal(first, second):
    """Return the rotations that align two bases, and the principal angles."""
    O2, cosines, O1 = svd(second.T @ first, "a product of bases")
    return O1.T, O2, np.arccos(np.clip(cosines, -1, 1))


def _grassmann(first, second, angles, t):
    """Return the geodesic between aligned bases; directions without an angle do not move."""
    sines = np.sin(angles)
    inverse = np.divide(1, sines, out=np.zeros_like(sines), where=sines > 1e-7)
    X = (second - first @ (first.T @ second)) * inverse
    return first * np.cos(angles * t) + X * np.sin(angles * t)


def _within(basis, K):
    P = basis.T @ K @ basis
    return (P + P.T) / 2


def row_sum_error(K) -> float:
    """Return the largest distance of a row sum from 1 after many normalisations of a kernel."""
    for _ in range(N_NORMALIZATIONS):
        root = np.sqrt(K.sum(axis=1))
        K = K / root[:, None] / root
    return float(np.abs(K.sum(axis=1) - 1).max())
