"""Readers of claims about the accuracy of an SVM on the selected features.

Numbers are those of the reading ``paper``: the best mean test accuracy over the numbers of
features, in percent. Differences between methods are paired by split. Their intervals have the
correction of Nadeau and Bengio, since the training parts of the splits overlap.
"""

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import (
    bootstrap_interval,
    deviation_interval,
    resampled_interval,
)
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import CANNOT, Estimate, Missing, above, undecided

#: What a claim may name as reader.
__all__ = [
    "best",
    "classifier",
    "deviation",
    "error",
    "falling_gap",
    "five_percent_fails",
    "five_percent_unaffected",
    "n_features",
    "quoted",
    "smallest_gap",
]

FILTERS = ("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff")
#: Stands for the filter with the best accuracy, where a reader takes a method.
BEST_FILTER = "best_filter"
ALL_FEATURES = "all_features"
FEW, ALL = 0.05, 1.0
SCALES = ("manifest_p5", "manifest_p50", "manifest_p95")
_LOST = "points lost when ranking from 5 % of the rows, paired by split"


def best(results: ResultsFolder, method: str) -> Estimate:
    """The best mean test accuracy of a method over the numbers of features."""
    method = _named(results, method)
    row = _row(results, method)
    value, low, high = (100 * row[column] for column in ("accuracy", "ci_low", "ci_high"))
    note = f"test accuracy of {method}, best over the numbers of features"
    if method == ALL_FEATURES:
        note = "test accuracy on all features"
    return Estimate(value, low, high, note)


def error(results: ResultsFolder, method: str) -> Estimate:
    """100 minus the accuracy of :func:`best`."""
    found = best(results, method)
    note = "100 - test accuracy, best over the numbers of features"
    if method == ALL_FEATURES:
        note = "100 - test accuracy on all features"
    return Estimate(100 - found.value, 100 - found.high, 100 - found.low, note)


def deviation(results: ResultsFolder, method: str) -> Estimate:
    """The standard deviation over the splits of the accuracies whose mean is :func:`best`."""
    row = _row(results, method)
    low, high = deviation_interval(100 * row["std"], int(row["n_splits"]))
    return Estimate(100 * row["std"], low, high, "deviation over splits; chi-squared interval")


def n_features(results: ResultsFolder, method: str) -> Estimate:
    """The number of features at which a method is best.

    The interval is by the bootstrap: it holds the numbers at which resamples of the splits have
    their best mean accuracy.
    """
    method = _named(results, method)
    row = _row(results, method)
    accuracies = _splits(results, method, ALL)
    sizes = accuracies.columns.to_numpy()
    low, high = bootstrap_interval(
        accuracies.to_numpy(), lambda drawn: sizes[drawn.mean(axis=1).argmax(axis=1)]
    )
    note = f"number of features at which {method} is best; interval by the bootstrap over splits"
    return Estimate(float(row["n_features"]), low, high, note)


def classifier(results: ResultsFolder, method: str) -> Estimate:
    """The test accuracy of a classifier that selects features itself, on the same splits."""
    found = best(results, method)
    return Estimate(found.value, found.low, found.high, "test accuracy")


def quoted(results: ResultsFolder) -> Estimate:
    """Raise Missing, since the paper quotes the number and no pinned package has the method."""
    reason = "quoted from Yang et al. 2021; no implementation in the pinned packages"
    raise Missing(reason, CANNOT)


def five_percent_unaffected(results: ResultsFolder, method: str) -> Estimate:
    """Whether a method loses nothing when it ranks from 5 % of the training rows."""
    drop = _lost(results, method)
    low, high = _interval(results, drop)
    rule = f"{_LOST}; rule: the interval does not lie above 0"
    return Estimate(drop.mean(), low, high, rule, low <= 0)


def five_percent_fails(results: ResultsFolder, method: str) -> Estimate:
    """Whether a method loses by ranking from 5 % of the training rows, where manifest is better."""
    drop = _lost(results, method)
    low, high = _interval(results, drop)
    below = _differences(_headline(results, "manifest", FEW), _headline(results, method, FEW))
    below_low, below_high = _interval(results, below)
    rule = (
        f"{_LOST}; rule: the interval lies above 0, and so does that of manifest minus {method} at "
        f"5 %, {below.mean():.2f} [{below_low:.2f}, {below_high:.2f}]"
    )
    return Estimate(drop.mean(), low, high, rule, low > 0 and below_low > 0)


def smallest_gap(results: ResultsFolder) -> Estimate:
    """Whether the gap between validation and test accuracy is smaller for manifest than for others.

    The others are all filters that the results have.
    """
    own = _gaps(results, "manifest")
    found = {name: _differences(_gaps(results, name), own) for name in _filters(results)}
    closest = min(found, key=lambda name: _interval(results, found[name])[0])
    return above(
        found[closest],
        lambda values: _interval(results, values),
        f"gap of {closest} minus gap of manifest, in points, mean over the numbers of features, "
        "paired by split; rule: the interval of the closest competitor lies above 0",
    )


def falling_gap(results: ResultsFolder) -> Estimate:
    """Whether the gap of manifest falls as its kernel scale grows, over three scales."""
    small, middle, large = (_gaps(results, name) for name in SCALES)
    drop = _differences(small, large)
    low, high = _interval(results, drop)
    means = [gaps.mean() for gaps in (small, middle, large)]
    rule = (
        "gap at the smallest minus gap at the largest scale, in points, mean over the numbers of "
        "features, paired by split; rule: the interval lies above 0 and the middle scale's gap "
        f"between the two ({', '.join(f'{mean:.2f}' for mean in means)}){undecided(low, high)}"
    )
    return Estimate(drop.mean(), low, high, rule, low > 0 and means == sorted(means)[::-1])


def _lost(results, method):
    """Accuracy from all rows minus accuracy from 5 % of the rows, for each split."""
    return _differences(_headline(results, method, ALL), _headline(results, method, FEW))


def _interval(results, differences):
    """The interval of a mean over splits whose training parts overlap."""
    return resampled_interval(differences, results.test_share)


def _row(results, method):
    """The row of the summary under the reading that the paper reports."""
    table = _read(results.summary)
    found = table[(table["method"] == method) & (table["ranking_share"] == ALL)]
    if found.empty or pd.isna(found["accuracy"].iloc[0]):
        raise Missing(f"{method} is not among the results stored there")
    return found.iloc[0]


def _read(table):
    """The rows of the reading "paper" that were computed here.

    Results without a column ranking_share rank from all rows.
    """
    if "quoted" in table:
        table = table[~table["quoted"].fillna(False).astype(bool)]
    if "ranking_share" not in table:
        table = table.assign(ranking_share=ALL)
    return table[table["reading"] == "paper"]


def _filters(results):
    present = set(_read(results.summary)["method"])
    found = [name for name in FILTERS if name in present]
    if not found:
        raise Missing("no other method is among the results stored there")
    return found


def _named(results, method):
    """The method itself, or the filter with the best accuracy where that is asked for."""
    if method != BEST_FILTER:
        return method
    return max(_filters(results), key=lambda name: _row(results, name)["accuracy"])


def _splits(results, method, share, column="test"):
    """Accuracies in percent, with one row for each split and one column for each number."""
    table = _read(results.rows)
    found = table[(table["method"] == method) & np.isclose(table["ranking_share"], share)]
    if found.empty:
        raise Missing(
            f"{method}, ranked from {share:g} of the rows, is not among the results stored"
        )
    return 100 * found.pivot(index="split", columns="n_features", values=column)


def _headline(results, method, share):
    """The test accuracy of each split at the number of features with the best mean."""
    accuracies = _splits(results, method, share)
    return accuracies[accuracies.mean().idxmax()]


def _gaps(results, method):
    """Validation minus test accuracy of each split, averaged over the numbers of features."""
    gaps = _splits(results, method, ALL, "validation") - _splits(results, method, ALL)
    return gaps.mean(axis=1)


def _differences(first, second):
    """First minus second on the splits that both have."""
    return (first - second).dropna().to_numpy()
