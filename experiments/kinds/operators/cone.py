"""The operators M and D of two 2 x 2 matrices, as points and arrows in their cone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd
from omegaconf import DictConfig

from experiments.config import ConfigError, ProtocolConfig, at_least, plain
from experiments.engine.keys import Unit, key_of
from experiments.kinds import base
from experiments.kinds.operators import operator_candidates
from experiments.kinds.operators.drawing import AT, COORDINATES, MATRICES, drawn
from experiments.report.text import number

#: Columns of the rows that are one matrix each.
NUMBERS = ("determinant", "to_K1", "to_K2")


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
    matrices = config.protocol.matrices
    if set(matrices) != {"K1", "K2"}:
        raise ConfigError(f"protocol.matrices must be K1 and K2, got {', '.join(matrices)}")
    determinants = []
    for name, ((a, b), (c, d)) in matrices.items():
        if b != c or a <= 0 or a * d - b * c <= 0:
            raise ConfigError(
                f"protocol.matrices.{name} must be symmetric positive definite, "
                f"got [[{a}, {b}], [{c}, {d}]]"
            )
        determinants.append(a * d - b * c)
    if abs(determinants[0] - determinants[1]) > 1e-9 * max(determinants):
        raise ConfigError(
            "protocol.matrices must have equal determinants, so that their geodesic stays on one "
            f"surface that can be drawn, got {determinants[0]} and {determinants[1]}"
        )


def run(run: base.Run) -> base.Results:
    """Draw the matrices of a config: a row for each point of the drawing."""
    protocol = run.config.protocol
    operator_candidates(run.methods, protocol.kind)
    matrices, n_points = plain(protocol.matrices), protocol.n_points
    key = key_of("cone", [drawn], matrices=matrices, n_points=n_points)
    run.complete([Unit(key, partial(drawn, matrices, n_points))], "drawing")
    data = {"name": "2 x 2 matrices", "matrices": matrices, "generated": True}
    row = run.outcome.rows.get(key)
    if row is None:
        return base.Results(pd.DataFrame(), data)
    parts = [
        pd.DataFrame(values.reshape(-1, len(COORDINATES)), columns=list(COORDINATES)).assign(
            part=name.removeprefix(AT)
        )
        for name, values in row.items()
        if name.startswith(AT)
    ]
    numbers = pd.DataFrame({"part": MATRICES, **{name: row[name] for name in NUMBERS}})
    return base.Results(pd.concat(parts).merge(numbers, on="part", how="left"), data)


def tables(rows: pd.DataFrame, config: DictConfig) -> base.Tables:
    """The points, and the summary: the place, determinant and distances of each matrix."""
    if rows.empty:
        failed = [{"matrix": name, "failed": True} for name in MATRICES]
        return {"summary": pd.DataFrame(failed)}
    of_matrices = rows.set_index("part").loc[list(MATRICES), ["x", "y", "z", *NUMBERS]]
    summary = of_matrices.reset_index(names="matrix").assign(failed=False)
    return {"summary": summary, "points": rows[[*COORDINATES, "part"]]}


def findings(tables: base.Tables, config: Mapping[str, Any], folder: Any) -> dict[str, str]:
    """A sentence on the place of the mean."""
    rows = tables["summary"].set_index("matrix")
    if not set(NUMBERS) <= set(rows):
        return {}
    to = [number(rows[name]["M"]) for name in ("to_K1", "to_K2")]
    return {
        "": f"The mean M has the distance {to[0]} to K1 and {to[1]} to K2: it lies in the middle "
        "of the geodesic, and D is the vector from M along it."
    }


KIND = base.Kind(schema=Schema, check=check, run=run, tables=tables, findings=findings)
