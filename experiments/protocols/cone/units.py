"""M and D of two SPD matrices of size 2 x 2, as points and arrows in the cone that they live in.

A symmetric matrix [[z + x, y], [y, z - x]] is the point (x, y, z); it is positive definite where
z > sqrt(x^2 + y^2), inside a cone, whose boundary are the singular matrices. Its determinant is
z^2 - x^2 - y^2: matrices of one determinant form a sheet of a hyperboloid, which is totally
geodesic under the affine-invariant metric. So for K1 and K2 of equal determinants the geodesic and
M lie on that sheet, and D lies in its tangent plane at M.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh, expm, logm, sqrtm

from experiments.engine import seeds
from experiments.engine.keys import Row
from manifest.linalg import fill_upper
from manifest.spd import congruence, difference_weights, mean_weights, pencil


def composed(K1, K2):
    """M (Eq. 2) and D (Eq. 3) as the package computes them."""
    F, h = pencil(K1, K2)
    return tuple(
        fill_upper(congruence(F, weights(h))) for weights in (mean_weights, difference_weights)
    )


def geodesic(K1, K2, t):
    """The point of the affine-invariant geodesic from K1 (t = 0) to K2 (t = 1)."""
    F, h = pencil(K1, K2)
    return (F * (h ** (1 - t) * (1 - h) ** t)) @ F.T


def distance(A, B):
    """The affine-invariant distance ``||log(A^-1/2 B A^-1/2)||_F``."""
    return float(np.linalg.norm(np.log(eigh(B, A, eigvals_only=True))))


def exp(M, V):
    """The exponential map at M, ``M exp(M^-1 V)``."""
    return M @ expm(np.linalg.solve(M, V))


def log(M, K):
    """The logarithmic map at M, ``M log(M^-1 K)``."""
    return M @ logm(np.linalg.solve(M, K))


def root(A):
    """The square root of an SPD matrix."""
    return np.real(sqrtm(A))


def _eq_2(K1, K2):
    half = root(K1)
    inverse = np.linalg.inv(half)
    return half @ root(inverse @ K2 @ inverse) @ half


def _eq_3(M, K1):
    half = root(M)
    inverse = np.linalg.inv(half)
    return half @ logm(inverse @ K1 @ inverse) @ half


def _apart(A, B):
    return float(np.linalg.norm(A - B) / np.linalg.norm(B))


def _in_two_dimensions(K1, K2):
    """M of 2 x 2 matrices, of determinants p^2 and q^2: a multiple of ``K1 / p + K2 / q``."""
    p, q = (np.sqrt(np.linalg.det(K)) for K in (K1, K2))
    total = K1 / p + K2 / q
    return np.sqrt(p * q / np.linalg.det(total)) * total


#: Name -> (statement, relative residual as a function of K1, K2, M and D).
IDENTITIES: dict[str, tuple[str, Callable[..., float]]] = {
    "mean_as_written": (
        "M = K1^1/2 (K1^-1/2 K2 K1^-1/2)^1/2 K1^1/2 (Eq. 2)",
        lambda K1, K2, M, D: _apart(M, _eq_2(K1, K2)),
    ),
    "difference_as_written": (
        "D = M^1/2 log(M^-1/2 K1 M^-1/2) M^1/2 (Eq. 3)",
        lambda K1, K2, M, D: _apart(D, _eq_3(M, K1)),
    ),
    "geodesic": (
        "d(K1, gamma(t)) = t d(K1, K2) for t = 1/4, 1/2, 3/4",
        lambda K1, K2, M, D: max(
            abs(distance(K1, geodesic(K1, K2, t)) / distance(K1, K2) - t) for t in (0.25, 0.5, 0.75)
        ),
    ),
    "equidistant": (
        "d(M, K1) = d(M, K2)",
        lambda K1, K2, M, D: abs(distance(M, K1) - distance(M, K2)) / distance(K1, K2),
    ),
    "halfway": (
        "d(M, K1) = d(K1, K2) / 2",
        lambda K1, K2, M, D: abs(distance(M, K1) / distance(K1, K2) - 0.5),
    ),
    "symmetric": (
        "M of (K1, K2) = M of (K2, K1)",
        lambda K1, K2, M, D: _apart(composed(K2, K1)[0], M),
    ),
    "riccati": (
        "M K1^-1 M = K2",
        lambda K1, K2, M, D: _apart(M @ np.linalg.solve(K1, M), K2),
    ),
    "log_of_K2": ("Log_M(K2) = -D", lambda K1, K2, M, D: _apart(-log(M, K2), D)),
    "exp_of_D": ("Exp_M(D) = K1", lambda K1, K2, M, D: _apart(exp(M, D), K1)),
    "exp_of_minus_D": ("Exp_M(-D) = K2", lambda K1, K2, M, D: _apart(exp(M, -D), K2)),
    "length_of_D": (
        "||M^-1/2 D M^-1/2||_F = d(K1, K2) / 2",
        lambda K1, K2, M, D: abs(
            np.linalg.norm(eigh(D, M, eigvals_only=True)) / distance(K1, K2) - 0.5
        ),
    ),
    "determinant": (
        "det M = sqrt(det K1 det K2)",
        lambda K1, K2, M, D: abs(
            np.linalg.det(M) / np.sqrt(np.linalg.det(K1) * np.linalg.det(K2)) - 1
        ),
    ),
    "two_by_two": (
        "M is the multiple of K1 / sqrt(det K1) + K2 / sqrt(det K2) of that determinant",
        lambda K1, K2, M, D: _apart(M, _in_two_dimensions(K1, K2)),
    ),
}


def residuals(K1, K2) -> Row:
    """The relative residual of every identity, and the larger condition number."""
    M, D = composed(K1, K2)
    return {
        **{name: float(residual(K1, K2, M, D)) for name, (_, residual) in IDENTITIES.items()},
        "condition": float(max(np.linalg.cond(K1), np.linalg.cond(K2))),
    }


def random_pair(seed: int, number: int) -> Row:
    """The identities on a pair of Wishart matrices with three degrees of freedom."""
    rng = seeds.generator(seed, "cone", number)
    return residuals(*(A @ A.T for A in rng.normal(size=(2, 2, 3))))


def drawn(matrices: dict, n_points: int) -> Row:
    """The identities on the given matrices, and all that the figure draws.

    Returns
    -------
    dict
        The residuals, and for each part of the drawing the coordinates of its points, one point
        after the other; see COORDINATES.
    """
    K1, K2 = (np.array(matrices[name], dtype=float) for name in ("K1", "K2"))
    M, D = composed(K1, K2)
    half = root(M)
    inverse = np.linalg.inv(half)
    flat = inverse @ D @ inverse
    length = float(np.linalg.norm(flat))
    (p, q), _ = flat / length
    along, across = D / length, half @ np.array([[-q, p], [p, q]]) @ half
    # A sheet a little larger than what lies on it: a geodesic ellipse about M.
    reach = 1.12 * length
    turns = np.linspace(0, 2 * np.pi, N_SPOKES)
    top = 1.2 * max(np.trace(K) / 2 for K in (K1, K2))
    parts = {
        "K1": [K1],
        "K2": [K2],
        "M": [M],
        "arithmetic_mean": [(K1 + K2) / 2],
        "tip_of_D": [M + D],
        "tip_of_minus_D": [M - D],
        "geodesic": [geodesic(K1, K2, t) for t in np.linspace(0, 1, n_points)],
        "geodesic_extended": [exp(M, s * along) for s in np.linspace(-reach, reach, n_points)],
        "tangent_plane": [
            M + reach * (i * along + BREADTH * j * across)
            for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ],
        "sheet": [
            exp(M, s * (np.cos(turn) * along + BREADTH * np.sin(turn) * across))
            for s in np.linspace(0, reach, N_RINGS)
            for turn in turns
        ],
        "rim_of_cone": [
            top * np.array([[1 + np.cos(t), np.sin(t)], [np.sin(t), 1 - np.cos(t)]]) for t in turns
        ],
    }

    def coordinates(A):
        seen = inverse @ A @ inverse  # M becomes the identity, D the multiple `flat` of `along`
        sideways = np.sum(seen * flat) / length / np.sqrt(2)
        return [(A[0, 0] - A[1, 1]) / 2, A[0, 1], np.trace(A) / 2, sideways, np.trace(seen) / 2]

    points = {
        f"{AT}{name}": np.ravel([coordinates(A) for A in part]) for name, part in parts.items()
    }
    return {**residuals(K1, K2), **points}


#: x, y and z of a point; and its place in the plane through zero, M and D, in units in which the
#: sheet is the hyperbola up^2 - sideways^2 = 1 and M its lowest point.
COORDINATES = ("x", "y", "z", "sideways", "up")
#: What the names of the parts' columns begin with.
AT = "at_"
#: The sheet is that many circles of that many points, and by so much narrower than it is long.
N_RINGS, N_SPOKES, BREADTH = 9, 73, 0.6
