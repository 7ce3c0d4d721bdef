"""The operators M and D of two 2 x 2 matrices, as points and arrows in their cone."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.cache import Row, Task, key_of
from experiments.config import ConfigError, ProtocolConfig, at_least, plain
from experiments.kinds import base
from experiments.kinds.operators import operator_candidates
from experiments.kinds.operators.drawing import COORDINATES, MATRICES, NUMBERS, drawn


@dataclass
class Schema(ProtocolConfig):
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
    matrices = plain(config.protocol.matrices)
    if set(matrices) != {"K1", "K2"}:
        raise ConfigError(f"protocol.matrices must be K1 and K2, got {', '.join(matrices)}")
    determinants = []
    for name, rows in matrices.items():
        try:
            (a, b), (c, d) = np.array(rows, dtype=np.float64).tolist()
        except (TypeError, ValueError) as error:
            raise ConfigError(
                f"protocol.matrices.{name} must be two rows of two numbers, such as "
                f"[[4, 1], [1, 0.5]], got {rows}"
            ) from error
        if not (b == c and a > 0 and 0 < a * d - b * c < np.inf):
            raise ConfigError(
                f"protocol.matrices.{name} must be symmetric positive definite, got {rows}"
            )
        determinants.append(a * d - b * c)
    if abs(determinants[0] - determinants[1]) > 1e-9 * max(determinants):
        raise ConfigError(
            "protocol.matrices must have equal determinants, so that their geodesic stays on one "
            f"surface that can be drawn, got {determinants[0]} and {determinants[1]}"
        )


def tasks_of(run: base.Run) -> dict[tuple, Task]:
    """The drawing of the matrices of a config, the only task."""
    protocol = run.config.protocol
    operator_candidates(run.methods, protocol.kind)
    options = {"matrices": plain(protocol.matrices), "n_points": protocol.n_points}
    return {(): Task(key_of("cone", **options), partial(drawn, **options))}


def run(run: base.Run) -> base.Results:
    """Draw the matrices of a config: a row for each point of the drawing."""
    rows = [rows_of(*each) for each in run.rows_at(tasks_of(run), "drawing").items()]
    matrices = plain(run.config.protocol.matrices)
    data = {"name": "2 x 2 matrices", "matrices": matrices, "generated": True}
    return base.Results({"rows": rows[0] if rows else pd.DataFrame()}, data)


def rows_of(at: tuple, row: Row) -> pd.DataFrame:
    """The points of the drawing, and the numbers of those that are a matrix each."""
    parts = [
        pd.DataFrame(points, columns=list(COORDINATES)).assign(part=name)
        for name, points in row.items()
        if name not in NUMBERS
    ]
    numbers = pd.DataFrame({"part": MATRICES, **{name: row[name] for name in NUMBERS}})
    return pd.concat(parts).merge(numbers, on="part", how="left")


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """The points, and the summary: the place, determinant and distances of each matrix."""
    rows = stored["rows"]
    of_matrices = rows.set_index("part").loc[list(MATRICES), ["x", "y", "z", *NUMBERS]]
    summary = of_matrices.reset_index(names="matrix").assign(failed=False)
    return {"summary": summary, "points": rows[[*COORDINATES, "part"]]}


KIND = base.Kind(Schema, check, run, tables)
