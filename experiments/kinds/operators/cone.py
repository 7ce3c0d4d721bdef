"""Draw the operators M and D of two 2 x 2 matrices as points and arrows in their cone.

A symmetric matrix [[z + x, y], [y, z - x]] is the point (x, y, z); it is positive definite if
z > sqrt(x^2 + y^2), inside a cone with the singular matrices as its boundary. Its determinant is
z^2 - x^2 - y^2, so matrices with equal determinants form a sheet of a hyperboloid, which is totally
geodesic under the affine-invariant metric. If K1 and K2 have equal determinants, the geodesic and M
are therefore on that sheet, and D is in its tangent plane at M.
"""

import numpy as np
import pandas as pd
from omegaconf import DictConfig
from scipy.linalg import expm, sqrtm

from experiments.cache import Run
from experiments.config import check_dataset
from experiments.kinds import base
from experiments.kinds.operators import chosen_of
from experiments.schemas import ConeProtocol
from manifest.spd import geodesic, mean_and_difference

#: The matrices of the drawing, both with determinant 1, and the number of points on the geodesic.
K1, K2 = np.array([[4.0, 1.0], [1.0, 0.5]]), np.array([[1.0, 1.5], [1.5, 3.25]])
N_POINTS = 61
#: The sheet has this many circles of this many points; its breadth is this share of its length.
N_RINGS, N_SPOKES, BREADTH = 9, 73, 0.6


def check(config: DictConfig) -> None:
    """Raise a ConfigError if a data set is chosen, which would have no effect."""
    check_dataset(config, instead="it draws two matrices; give dataset=null")


def run(run: Run) -> base.Results:
    """Draw the two matrices: a row for each point of the drawing."""
    chosen_of(run.config)
    data = {"name": "2 x 2 matrices", "generated": True}
    return base.Results({"rows": drawn()}, data)


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the points, and the summary: those of both matrices and of M."""
    points = stored["rows"]
    is_matrix = points["part"].isin(["K1", "K2", "M"])
    return {"summary": points[is_matrix], "points": points}


def exp(M: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return the exponential map at M, ``M exp(M^-1 V)``."""
    return M @ expm(np.linalg.solve(M, V))


def drawn() -> pd.DataFrame:
    """Return a row for each point of the figure: its place x, y, z, and the part that it is of."""
    M, D = mean_and_difference(K1, K2)
    parts = {
        "K1": [K1],
        "K2": [K2],
        "M": [M],
        "tip_of_D": [M + D],
        "tip_of_minus_D": [M - D],
        "geodesic": [geodesic(K1, K2, t) for t in np.linspace(0, 1, N_POINTS)],
        **_surfaces(M, D, top=1.2 * max(np.trace(K1) / 2, np.trace(K2) / 2)),
    }
    points = []
    for name, matrices in parts.items():
        for A in matrices:
            x = (A[0, 0] - A[1, 1]) / 2
            points.append({"x": x, "y": A[0, 1], "z": np.trace(A) / 2, "part": name})
    return pd.DataFrame(points)


def _surfaces(M: np.ndarray, D: np.ndarray, top: float) -> dict[str, list[np.ndarray]]:
    """Return the matrices of the tangent plane, of the sheet, and of the rim of the cone."""
    half = np.real(sqrtm(M))
    inverse = np.linalg.inv(half)
    flat = inverse @ D @ inverse
    length = float(np.linalg.norm(flat))
    (p, q), _ = flat / length
    along = D / length
    across = half @ np.array([[-q, p], [p, q]]) @ half
    # A sheet a little larger than what lies on it: a geodesic ellipse about M.
    reach = 1.12 * length
    plane = []
    for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        corner = i * along + BREADTH * j * across
        plane.append(M + reach * corner)
    turns = np.linspace(0, 2 * np.pi, N_SPOKES)
    sheet = []
    for radius in np.linspace(0, reach, N_RINGS):
        for turn in turns:
            direction = np.cos(turn) * along + BREADTH * np.sin(turn) * across
            sheet.append(exp(M, radius * direction))
    rim = []
    for turn in turns:
        x = np.cos(turn)
        y = np.sin(turn)
        rim.append(top * np.array([[1 + x, y], [y, 1 - x]]))
    return {"tangent_plane": plane, "sheet": sheet, "rim_of_cone": rim}


KIND = base.Kind(ConeProtocol, check, run, tables)
