"""Draw the operators M and D of two 2 x 2 matrices as points and arrows in their cone.

A symmetric matrix [[z + x, y], [y, z - x]] is the point (x, y, z); it is positive definite if
z > sqrt(x^2 + y^2), inside a cone with the singular matrices as its boundary. Its determinant is
z^2 - x^2 - y^2, so matrices with equal determinants form a sheet of a hyperboloid, which is totally
geodesic under the affine-invariant metric. If K1 and K2 have equal determinants, the geodesic and M
are therefore on that sheet, and D is in its tangent plane at M.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig
from scipy.linalg import eigh, expm, sqrtm

from experiments.cache import Row, Task, key_of
from experiments.config import ConfigError, ProtocolConfig, at_least, plain
from experiments.kinds import base
from experiments.kinds.operators import operator_candidates
from manifest.spd import mean_and_difference, pencil

#: The place of a point.
COORDINATES = ("x", "y", "z")
#: The parts that are one symmetric positive definite matrix each, and their numbers.
MATRICES = ("K1", "K2", "M", "arithmetic_mean")
NUMBERS = ("determinant", "to_K1", "to_K2")
#: The sheet has this many circles of this many points; its breadth is this share of its length.
N_RINGS, N_SPOKES, BREADTH = 9, 73, 0.6


@dataclass
class ConeProtocol(ProtocolConfig):
    """Two matrices to draw."""

    kind: str = "cone"
    #: K1 and K2, 2 x 2, symmetric positive definite, of equal determinants.
    matrices: dict[str, Any] = field(default_factory=dict)
    #: Points on the geodesic.
    n_points: int = 61


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless the matrices can be drawn on one sheet of the cone."""
    at_least(config, "protocol.n_points", 3)
    instead = "it draws protocol.matrices; give dataset=null"
    base.check_dataset(config, "name", "scaling", "params", *base.PARTS, instead=instead)
    given = plain(config.protocol.matrices)
    try:
        K = np.array([given["K1"], given["K2"]], dtype=np.float64).reshape(2, 2, 2)
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(
            "protocol.matrices must be K1 and K2, each two rows of two numbers, such as "
            f"[[4, 1], [1, 0.5]], got {given}"
        ) from error
    determinants = K[:, 0, 0] * K[:, 1, 1] - K[:, 0, 1] * K[:, 1, 0]
    is_spd = np.isfinite(K).all() and (K.transpose(0, 2, 1) == K).all() and (K[:, 0, 0] > 0).all()
    if not (is_spd and (determinants > 0).all()):
        raise ConfigError(f"protocol.matrices must be symmetric positive definite, got {given}")
    if np.ptp(determinants) > 1e-9 * determinants.max():
        raise ConfigError(
            "protocol.matrices must have equal determinants, so that their geodesic stays on one "
            f"surface that can be drawn, got {determinants[0]} and {determinants[1]}"
        )


def run(run: base.Run) -> base.Results:
    """Draw the matrices of a config: a row for each point of the drawing."""
    protocol = run.config.protocol
    operator_candidates(run.methods, protocol.kind)
    options = {"matrices": plain(protocol.matrices), "n_points": protocol.n_points}
    task = Task(key_of("cone", **options), partial(drawn, **options))
    rows = [rows_of(row) for row in run.rows_at({(): task}, "drawing").values()]
    data = {"name": "2 x 2 matrices", "matrices": options["matrices"], "generated": True}
    return base.Results({"rows": rows[0] if rows else pd.DataFrame()}, data)


def rows_of(row: Row) -> pd.DataFrame:
    """Return the points of the drawing, and the numbers of those that are a matrix."""
    numbers = pd.DataFrame({"part": MATRICES, **{name: row[name] for name in NUMBERS}})
    points = {part: points for part, points in row.items() if part not in NUMBERS}
    parts = [pd.DataFrame(each, columns=COORDINATES).assign(part=p) for p, each in points.items()]
    return pd.concat(parts).merge(numbers, on="part", how="left")


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the points, and the summary: position, determinant and distances of each matrix."""
    rows = stored["rows"]
    of_matrices = rows.set_index("part").loc[list(MATRICES), ["x", "y", "z", *NUMBERS]]
    summary = of_matrices.reset_index(names="matrix").assign(failed=False)
    return {"summary": summary, "points": rows[[*COORDINATES, "part"]]}


def distance(A, B) -> float:
    """Return the affine-invariant distance ``||log(A^-1/2 B A^-1/2)||_F``."""
    return float(np.linalg.norm(np.log(eigh(B, A, eigvals_only=True))))


def exp(M, V) -> np.ndarray:
    """Return the exponential map at M, ``M exp(M^-1 V)``."""
    return M @ expm(np.linalg.solve(M, V))


def drawn(matrices: dict, n_points: int) -> Row:
    """Compute everything that the figure shows.

    Returns
    -------
    dict
        Part of the drawing -> array of shape (n_points, 3), its points in COORDINATES. And the
        columns of NUMBERS of the four MATRICES: determinants and affine-invariant distances.
    """
    K1, K2 = (np.array(matrices[name], dtype=float) for name in ("K1", "K2"))
    M, D = mean_and_difference(K1, K2)
    F, h = pencil(K1, K2)  # once for all points of the geodesic
    half = np.real(sqrtm(M))
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
        return [(A[0, 0] - A[1, 1]) / 2, A[0, 1], np.trace(A) / 2]

    named = [parts[name][0] for name in MATRICES]
    return {
        **{name: np.array([coordinates(A) for A in part]) for name, part in parts.items()},
        "determinant": np.linalg.det(named),
        "to_K1": np.array([distance(K1, A) for A in named]),
        "to_K2": np.array([distance(K2, A) for A in named]),
    }


KIND = base.Kind(ConeProtocol, check, run, tables)
