"""Run the drawing of 2 x 2 matrices and the check of its identities."""

from functools import partial

import pandas as pd

from experiments.config import plain
from experiments.engine.keys import Unit, key_of
from experiments.protocols.base import Results, Run, operator_candidates
from experiments.protocols.cone.units import AT, COORDINATES, IDENTITIES, drawn, random_pair


def run(run: Run) -> Results:
    """The identities on the drawn matrices and on random pairs.

    Returns
    -------
    Results
        Rows: one an identity and pair. Tables "summary" (a row an identity) and "points" (a row a
        point of the drawing).
    """
    config = run.config
    operator_candidates(run)
    matrices, n_points = plain(config.protocol.matrices), config.protocol.n_points
    key = key_of("cone", [drawn], matrices=matrices, n_points=n_points)
    chosen = Unit(key, partial(drawn, matrices, n_points))
    random = []
    for number in range(config.protocol.n_repetitions):
        key = key_of("cone", [random_pair], seed=config.seed, draw=number)
        random.append(Unit(key, partial(random_pair, config.seed, number)))
    run.complete([chosen, *random], "pairs")
    found = run.rows([chosen, *random])
    if found is None:
        table = pd.DataFrame([{"identity": name, "failed": True} for name in IDENTITIES])
        return Results(pd.DataFrame(), {"summary": table}, table, _data(matrices))
    rows = [
        {
            "identity": name,
            "pair": "drawn" if number < 0 else f"random {number}",
            "residual": row[name],
            "condition": row["condition"],
        }
        for name in IDENTITIES
        for number, row in enumerate(found, start=-1)
    ]
    summary = [
        {
            "identity": name,
            "statement": statement,
            "residual": found[0][name],
            "largest": max(row[name] for row in found[1:]),
            "n_draws": len(random),
            "condition": found[0]["condition"],
            "largest_condition": max(row["condition"] for row in found[1:]),
            "failed": False,
        }
        for name, (statement, _) in IDENTITIES.items()
    ]
    table = pd.DataFrame(summary)
    points = [
        pd.DataFrame(values.reshape(-1, len(COORDINATES)), columns=list(COORDINATES)).assign(
            part=name.removeprefix(AT)
        )
        for name, values in found[0].items()
        if name.startswith(AT)
    ]
    return Results(
        rows=pd.DataFrame(rows),
        tables={"summary": table, "points": pd.concat(points)},
        shown=pd.DataFrame(
            {
                "statement": table["statement"],
                **{name: table[name].map("{:.0e}".format) for name in ("residual", "largest")},
            }
        ),
        data=_data(matrices),
    )


def _data(matrices):
    return {"name": "2 x 2 matrices", "matrices": matrices, "generated": True}
