"""Tables of the propositions: a row for each eigenvector, and a summary."""

import hashlib

import numpy as np
import pandas as pd

from experiments.evaluation.methods import text
from experiments.protocols.base import Results

#: Eigenvectors closer than that are shared; rounding alone parts them.
ROUNDING = 1e-7
#: Predicted eigenvalues below this share of the norm of D are left out of ratios: rounding again.
VISIBLE = 1e-6
#: Columns for the terminal.
SHOWN = (
    "dataset", "case", "eps_median", "spectrum_error", "eigenpairs", "ratio_with_half",
    "ratio_without_half", "slack_published_min", "slack_corrected_min", "slack_corrected_median",
    "slack_all_pairs_min", "near_error",
)  # fmt: skip
#: A residual of at most this share of the eigenvalue counts as an approximate eigenpair.
EIGENPAIR = 0.1


def results(found: dict, origins: dict) -> Results:
    """Rows, and a summary with one for each data set and case, over all parts and parameters.

    Parameters
    ----------
    found : dict
        (data set, part, method, parameters) -> row of the unit, None where it failed.
    origins : dict
        Data set -> what is known of it.
    """
    frames, numbers, near = [], [], []
    for (dataset, part, method, parameters), row in found.items():
        if row is None:
            continue
        cases: dict[str, dict] = {}
        near += [
            {"dataset": dataset, "case": name, "near_error": value}
            for name, value in row.items()
            if name.startswith("near ")
        ]
        for name, value in row.items():
            case, colon, column = name.partition(":")
            if colon:
                cases.setdefault(case, {})[column] = value
        for case, columns in cases.items():
            axes = {
                "dataset": dataset,
                "part": part,
                "parameters": text({method: dict(parameters)}),
                "case": case,
            }
            vectors = {n: v for n, v in columns.items() if isinstance(v, np.ndarray)}
            frames.append(
                pd.DataFrame(
                    {**axes, **vectors, **{name: columns[name] for name in ("norm", "largest")}}
                )
            )
            scalars = {n: v for n, v in columns.items() if n not in vectors}
            numbers.append({**axes, **scalars, "delta": row["delta"]})
    failed = [{"dataset": key[0], "failed": True} for key, row in found.items() if row is None]
    together = " ".join(origin["fingerprint"] for origin in origins.values())
    data = {
        "name": ", ".join(origins),
        "fingerprint": hashlib.sha256(together.encode()).hexdigest(),
        "verified": all(origin["verified"] for origin in origins.values()),
        "synthetic": any(origin["synthetic"] for origin in origins.values()),
        "sets": origins,
    }
    if not frames:
        table = pd.DataFrame(failed)
        return Results(pd.DataFrame(), {"summary": table}, table, data)
    rows, units = pd.concat(frames, ignore_index=True), pd.DataFrame(numbers)
    summary = [
        {
            "dataset": dataset,
            "case": case,
            **_facts(here, units[(units["dataset"] == dataset) & (units["case"] == case)]),
            "failed": False,
        }
        for (dataset, case), here in rows.groupby(["dataset", "case"], sort=False)
    ]
    summary += (
        [
            {"dataset": dataset, "case": case, "n_units": len(here), "failed": False}
            | {"near_error": here["near_error"].max()}
            for (dataset, case), here in pd.DataFrame(near).groupby(["dataset", "case"], sort=False)
        ]
        if near
        else []
    )
    table = pd.DataFrame([*summary, *failed])
    return Results(rows, {"summary": table}, table[[c for c in SHOWN if c in table]], data)


def _facts(rows, units):
    """One row of the summary, in which a slack is a bound divided by the value that it bounds."""
    exact = rows["eps"] < ROUNDING
    turned = rows[~exact]
    visible = rows[rows["predicted"].abs() > VISIBLE * rows["norm"]]
    value = visible["predicted"].abs()
    bound = visible["entries"] + visible["row_sum"] * visible["eps"] ** 2
    ratio = visible["measured"] / visible["predicted"]
    gap = (visible["l1"] - visible["l2"]).abs()
    return {
        "n_units": len(units),
        "n_eigenvectors": len(rows),
        "n_visible": len(visible),
        "eps_min": rows["eps"].min(),
        "eps_median": rows["eps"].median(),
        "norm_to_largest": (units["norm"] / units["largest"]).median(),
        "spectrum_error": (units["spectrum"] / units["norm"]).max(),
        "residual": (rows["residual"] / rows["norm"]).max(),
        "residual_to_eps": (turned["residual"] / (turned["eps"] * turned["largest"])).max(),
        "residual_to_value_min": (visible["residual"] / value).min(),
        "residual_to_value_median": (visible["residual"] / value).median(),
        "eigenpairs": (visible["residual"] <= EIGENPAIR * value).mean(),
        "ratio_with_half": ratio.median(),
        "ratio_with_half_min": ratio.min(),
        "ratio_with_half_max": ratio.max(),
        "ratio_without_half": (ratio / 2).median(),
        "slack_published_min": (bound / value).min(),
        "slack_published_median": (bound / value).median(),
        "slack_corrected_min": (0.5 * bound / value).min(),
        "slack_corrected_median": (0.5 * bound / value).median(),
        "slack_gap_min": (0.5 * gap / value).min(),
        "slack_gap_median": (0.5 * gap / value).median(),
        "slack_all_pairs_min": units["tightest"].min(),
        "step_published": _missed(turned, "published"),
        "step_corrected": _missed(turned, "corrected"),
    }


def _missed(rows, which):
    """The most that the expansion of l2 misses, in units of the term a eps^2 that it leads to."""
    return (rows[f"step_{which}"] / (rows["row_sum"] * rows["eps"] ** 2)).max()
