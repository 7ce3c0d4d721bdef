"""Tables of this kind: a row each judgement, curves, their means, and paired differences."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from experiments.engine.keys import Row
from experiments.evaluation.comparison import (
    deviation,
    flag_columns,
    holm_columns,
    most_common,
    reference_of,
)
from experiments.evaluation.methods import Method
from experiments.evaluation.statistics import mean_interval
from experiments.protocols.base import Results

#: What is measured -> the beginning of the names of its interval's ends.
MEASURES = {"recovered": "ci", "average_precision": "precision", "accuracy": "accuracy"}


@dataclass
class Curve:
    """A point of a curve: a method on one case, under one condition, at one value.

    Attributes
    ----------
    case, case_label, condition : str
    value : float
    method : Method
    rows : list of Row, or None
        One for each draw; None where one of them failed.
    """

    case: str
    case_label: str
    condition: str
    value: float
    method: Method
    rows: list[Row] | None

    def measured(self) -> dict[str, np.ndarray]:
        """Each measure over the draws; recovered is the share of the relevant features."""
        rows = self.rows or []
        found = {name: np.array([row[name] for row in rows], dtype=float) for name in MEASURES}
        found["recovered"] /= np.array([row["n_relevant"] for row in rows], dtype=float)
        return found


def results(
    methods: list[Method], curves: list[Curve], conditions: dict[str, str], data: dict
) -> Results:
    """Turn what was judged into tables.

    Parameters
    ----------
    methods : list of Method
    curves : list of Curve
    conditions : dict of str to str
        Condition -> its label.
    data : dict

    Returns
    -------
    Results
        "curves" has a row for each case, condition, value and method: the means over the draws of
        the share of relevant features that is recovered, of the average precision and of the
        accuracy, with their intervals. "summary" has the same for each case, condition and method,
        where every draw counts with its mean over the values. "pairs" has the differences in that
        mean between the reference and each other method, draw by draw.
    """
    summary, pairs = [], []
    groups: dict[tuple, dict[str, list[Curve]]] = {}
    for curve in curves:
        of_method = groups.setdefault((curve.case, curve.condition), {})
        of_method.setdefault(curve.method.name, []).append(curve)
    for (_, condition), of_methods in groups.items():
        means = {}
        for name, points in of_methods.items():
            head = _head(points[0], conditions[condition])
            if any(point.rows is None for point in points):
                summary.append({**head, "failed": True})
                continue
            measured = [point.measured() for point in points]
            means[name] = {key: np.mean([one[key] for one in measured], axis=0) for key in MEASURES}
            rows = [row for point in points for row in point.rows or []]
            summary.append({**head, **_statistics(means[name], rows)})
        pairs += _pairs(methods, means, of_methods, conditions[condition])
    tables = {
        "summary": pd.DataFrame(summary),
        "curves": pd.DataFrame([_point(curve, conditions) for curve in curves if curve.rows]),
        "pairs": pd.DataFrame(pairs),
    }
    return Results(
        rows=pd.DataFrame([row for curve in curves for row in _rows(curve)]),
        tables={name: table for name, table in tables.items() if not table.empty},
        shown=_shown(tables["summary"]),
        data=data,
    )


def _head(curve, condition_label):
    return {
        "case": curve.case,
        "case_label": curve.case_label or curve.case,
        "condition": curve.condition,
        "condition_label": condition_label or curve.condition.replace("_", " "),
        "method": curve.method.name,
        "label": curve.method.label,
    }


def _statistics(measured, rows):
    """Means over the draws with their intervals, clipped to [0, 1]."""
    found: dict = {}
    for name, ends in MEASURES.items():
        low, high = np.clip(mean_interval(measured[name]), 0, 1)
        found |= {name: measured[name].mean()}
        if name == "recovered":
            found["std"] = deviation(measured[name])
        found |= {f"{ends}_low": low, f"{ends}_high": high}
    return {**found, "n_draws": len(measured["recovered"]), **flag_columns(rows), "failed": False}


def _point(curve, conditions):
    statistics = _statistics(curve.measured(), curve.rows)
    return {
        **_head(curve, conditions[curve.condition]),
        "value": curve.value,
        **statistics,
        "n_relevant": curve.rows[0]["n_relevant"],
        "parameters": most_common(row["parameters"] for row in curve.rows),
    }


def _pairs(methods, means, of_methods, condition_label):
    """The reference less each other method: recovered shares, draw by draw."""
    reference = reference_of(methods)
    others = [name for name in means if name != reference] if reference in means else []
    own = means[reference]["recovered"] if others else np.empty(0)
    columns = holm_columns([own - means[other]["recovered"] for other in others], 0)
    for other, found in zip(others, columns, strict=True):
        head = _head(of_methods[other][0], condition_label)
        axes = {name: head[name] for name in head if name not in ("method", "label")}
        yield {**axes, "method": reference, "other": other, **found, "n_draws": len(own)}


def _rows(curve):
    for draw, row in enumerate(curve.rows or []):
        yield {
            "case": curve.case,
            "condition": curve.condition,
            "value": curve.value,
            "method": curve.method.name,
            "draw": draw,
            **{name: row[name] for name in (*MEASURES, "n_relevant", "validation", "parameters")},
            "selected": row["order"],
        }


def _shown(summary):
    """Recovered shares in percent: a row a method, a column a case and condition."""
    if "recovered" not in summary:
        return summary
    places = summary["case"]
    if summary["condition"].nunique() > 1:
        places = places + " " + summary["condition"].str.replace("_", " ")
    wide = summary.assign(place=places, percent=100 * summary["recovered"]).pivot_table(
        index="label", columns="place", values="percent", sort=False
    )
    return wide.reset_index().rename_axis(columns=None)
