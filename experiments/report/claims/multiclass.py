"""Readers of claims about several classes: the accuracy at given numbers of features, in percent.

Every draw trains on other samples than the rest, so that the intervals are those of independent
draws.
"""

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import resampled_interval
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing, above

#: What a claim may name as reader.
__all__ = ["at", "highest"]


def at(results: ResultsFolder, method: str, n_features: int) -> Estimate:
    """The mean test accuracy of a method at a number of features."""
    values = _tests(results, n_features).get(method)
    if values is None:
        raise Missing(f"{method} at {n_features} features is not among the results stored there")
    low, high = _interval(values)
    note = f"test accuracy of {method} at {n_features} features; t interval over the draws"
    return Estimate(float(values.mean()), low, high, note)


def highest(results: ResultsFolder, method: str, sizes: list[int]) -> Estimate:
    """Whether a method is better than every filter and a random choice at all of the numbers.

    Other scores of ManiFeSt do not count as filters.
    """
    found: dict[tuple[str, int], pd.Series] = {}
    for size in sizes:
        tests = _tests(results, size)
        others = [name for name in tests if not name.startswith("manifest")]
        if method not in tests or not others:
            raise Missing(f"{method} and others at {size} features are not among the results there")
        found |= {(name, size): (tests[method] - tests[name]).dropna() for name in others}
    closest, size = min(found, key=lambda of: _interval(found[of])[0])
    means = ", ".join(
        f"{min(d.mean() for (_, at), d in found.items() if at == wanted):.2f} at {wanted}"
        for wanted in sizes
    )
    return above(
        found[closest, size],
        _interval,
        f"{method} minus {closest} at {size} features, in points, paired by draw; rule: the "
        f"interval of the closest competitor at {' and '.join(map(str, sizes))} lies above 0; the "
        f"smallest mean difference is {means}",
    )


def _interval(values):
    return resampled_interval(np.asarray(values), 0.0)


def _tests(results, n_features):
    """Test accuracies in percent: a row a draw, a column a method."""
    rows = results.rows
    asked = (rows["n_features"] == n_features) & (rows["ranking_share"] == 1)
    rows = rows[asked & (rows["reading"] == "paper")]
    return 100 * rows.pivot(index="split", columns="method", values="test")
