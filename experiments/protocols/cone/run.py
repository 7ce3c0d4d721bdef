"""Run the drawing of M and D of two 2 x 2 matrices."""

from functools import partial

import pandas as pd

from experiments.config import plain
from experiments.engine.keys import Unit, key_of
from experiments.protocols.base import Results, Run, operator_candidates
from experiments.protocols.cone.units import AT, COORDINATES, MATRICES, drawn

#: No row of the summary is better than another.
HEADLINE = None
SUMMARY = ("matrix", "determinant", "to_K1", "to_K2", "failed")


def run(run: Run) -> Results:
    """Draw the matrices of a config.

    Returns
    -------
    Results
        "points" has a row for each point of the drawing. "summary" has a row for each matrix:
        where it lies, its determinant and its distances to both kernels. Rows are those of
        "points".
    """
    operator_candidates(run)
    matrices, n_points = plain(run.config.protocol.matrices), run.config.protocol.n_points
    key = key_of("cone", [drawn], matrices=matrices, n_points=n_points)
    unit = Unit(key, partial(drawn, matrices, n_points))
    run.complete([unit], "drawing")
    data = {"name": "2 x 2 matrices", "matrices": matrices, "generated": True}
    found = run.rows([unit])
    if found is None:
        table = pd.DataFrame([{"matrix": name, "failed": True} for name in MATRICES])
        return Results(pd.DataFrame(), {"summary": table}, table, data)
    (row,) = found
    points = pd.concat(
        [
            pd.DataFrame(values.reshape(-1, len(COORDINATES)), columns=list(COORDINATES)).assign(
                part=name.removeprefix(AT)
            )
            for name, values in row.items()
            if name.startswith(AT)
        ]
    )
    numbers = {name: row[name] for name in ("determinant", "to_K1", "to_K2")}
    where = (
        points.set_index("part").loc[list(MATRICES), ["x", "y", "z"]].reset_index(names="matrix")
    )
    table = where.assign(**numbers, failed=False)
    return Results(points, {"summary": table, "points": points}, table, data)
