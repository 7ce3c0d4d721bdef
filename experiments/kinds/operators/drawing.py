"""The unit of the cone: M and D of two SPD matrices of size 2 x 2, as points and arrows in it.

A symmetric matrix [[z + x, y], [y, z - x]] is the point (x, y, z); it is positive definite if
z > sqrt(x^2 + y^2), inside a cone with the singular matrices as its boundary. Its determinant is
z^2 - x^2 - y^2: matrices of one determinant form a sheet of a hyperboloid, which is totally
geodesic under the affine-invariant metric. So for K1 and K2 of equal determinants the geodesic and
M lie on that sheet, and D lies in its tangent plane at M.
"""

import numpy as np
from scipy.linalg import eigh, expm, sqrtm

from experiments.cache import Row
from manifest.spd import mean_and_difference, pencil

#: x, y and z of a point; and its place in the plane through zero, M and D, in units in which the
#: sheet is the hyperbola up^2 - sideways^2 = 1 and M its lowest point.
COORDINATES = ("x", "y", "z", "sideways", "up")
#: The parts that are one symmetric positive definite matrix each.
MATRICES = ("K1", "K2", "M", "arithmetic_mean")
#: Columns that each of them has.
NUMBERS = ("determinant", "to_K1", "to_K2")
#: The sheet has this many circles of this many points; its breadth is this share of its length.
N_RINGS, N_SPOKES, BREADTH = 9, 73, 0.6


def distance(A, B):
    """The affine-invariant distance ``||log(A^-1/2 B A^-1/2)||_F``."""
    return float(np.linalg.norm(np.log(eigh(B, A, eigvals_only=True))))


def exp(M, V):
    """The exponential map at M, ``M exp(M^-1 V)``."""
    return M @ expm(np.linalg.solve(M, V))


def root(A):
    """The square root of an SPD matrix."""
    return np.real(sqrtm(A))


def drawn(matrices: dict, n_points: int) -> Row:
    """All that the figure draws.

    Returns
    -------
    dict
        Part of the drawing -> array of shape (n_points, 5), its points in COORDINATES. And the
        columns of NUMBERS of the four MATRICES: determinants and affine-invariant distances.
    """
    K1, K2 = (np.array(matrices[name], dtype=float) for name in ("K1", "K2"))
    M, D = mean_and_difference(K1, K2)
    F, h = pencil(K1, K2)  # once for all points of the geodesic
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
        "geodesic": [
            (F * (h ** (1 - t) * (1 - h) ** t)) @ F.T for t in np.linspace(0, 1, n_points)
        ],
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

    named = [parts[name][0] for name in MATRICES]
    return {
        **{name: np.array([coordinates(A) for A in part]) for name, part in parts.items()},
        "determinant": np.linalg.det(named),
        "to_K1": np.array([distance(K1, A) for A in named]),
        "to_K2": np.array([distance(K2, A) for A in named]),
    }
