"""Readers of claims about several classes: the accuracy at given numbers of features, in percent.

Every draw trains on other samples than the rest, so that the intervals are those of independent
draws.
"""

from dataclasses import replace

import pandas as pd

from experiments.report.claims.accuracies import read
from experiments.report.claims.names import ALL_FEATURES
from experiments.report.claims.noise import MeanNoise
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import (
    Estimate,
    Missing,
    Published,
    Quantity,
    every,
    need_several,
    number,
)

#: What a claim may name as reader.
__all__ = ["at", "highest"]


def at(results: ResultsFolder, published: Published, method: str, n_features: int) -> Estimate:
    """The mean test accuracy of a method at a number of features.

    Where the method was tried on other orders of the features, these widen the interval.
    """
    values = _tests(results, n_features, method)
    note = f"test accuracy of {values.name} at {n_features} features"
    noise = replace(_noise(values), order=_order(results, method, n_features))
    return number(float(values.mean()), published, "accuracy", noise, note)


def highest(results: ResultsFolder, published: Published, method: str, sizes: list[int]):
    """Whether a method is better than every filter and a random choice at all of the numbers.

    Other scores of ManiFeSt do not count as filters.
    """
    here = read(results)
    methods = here.rows["method"].unique()
    others = [name for name in methods if name != ALL_FEATURES and not name.startswith("manifest")]
    if not others:
        raise Missing("no other method is among the results stored there")
    differences = {
        f"{name} at {size} features": _tests(results, size, method) - _tests(results, size, name)
        for size in sizes
        for name in others
    }
    # Filters that select the same features in all draws are one.
    distinct = {tuple(values): name for name, values in reversed(differences.items())}
    parts = {name: _quantity(differences[name].dropna()) for name in distinct.values()}
    means = ", ".join(
        f"{min(d.mean() for name, d in differences.items() if f'at {size} ' in name):.2f} at {size}"
        for size in sizes
    )

    def note(closest):
        what = f"{method} minus {closest}, in points, paired by draw"
        return f"{what}; the smallest mean difference is {means}"

    return every(parts, "draws", note)


def _tests(results, n_features, method):
    """Test accuracies, one for each draw."""
    grid = read(results).grid(method)
    if n_features not in grid:
        raise Missing(f"{method} at {n_features} features is not among the results stored there")
    need_several(len(grid))
    return grid[n_features].rename(method)


def _order(results, method, n_features):
    """The deviation over orders of the pixels of that mean, in points; 0 where none was tried."""
    table = results.table("accuracies")
    here = table[(table["method"] == method) & (table["n_features"] == n_features)]
    return 100 * float(here.get("order_std", pd.Series()).fillna(0).sum())


def _noise(values, limits=(0.0, 100.0)):
    return MeanNoise("draws", values.std(ddof=1), len(values), limits=limits)


def _quantity(values):
    value, noise = float(values.mean()), _noise(values, (-100.0, 100.0))
    return Quantity(value, lambda level: noise.interval(value, noise.n, level))
