"""Claims about the accuracy of an SVM on the selected features.

Numbers are those of the reading ``paper``: the best mean test accuracy over the numbers of
features, in percent. Differences between methods are paired by split, with the correction of
Nadeau and Bengio for the overlap of training parts.
"""

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import (
    bootstrap_interval,
    deviation_interval,
    resampled_interval,
)
from experiments.report.claims.results_folder import Stored
from experiments.report.claims.verdict import CANNOT, Measured, Missing, above, undecided

FILTERS = ("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff")
#: Methods whose numbers the paper quotes; the pinned packages have none of them.
QUOTED = {
    *("linear_stg", "nonlinear_stg", "invase", "l2x"),
    *("tabnet", "real_x", "lspin", "llspin"),
}
FEW, ALL = 0.05, 1.0
SCALES = ("manifest_p5", "manifest_p50", "manifest_p95")


def best(stored: Stored, name: str, part: str = "acc") -> Measured:
    """The best mean test accuracy of a method, its deviation or its number of features."""
    name = _best_filter(stored) if name == "others_at_most" else name.replace("+", "_")
    row = _row(stored, name)
    if part == "std":
        low, high = deviation_interval(100 * row["std"], int(row["n_splits"]))
        return Measured(100 * row["std"], low, high, "deviation over splits; chi-squared interval")
    if part == "features":
        return _n_features(stored, name, row)
    value, low, high = (100 * row[column] for column in ("accuracy", "ci_low", "ci_high"))
    return Measured(value, low, high, f"test accuracy of {name}, best over the numbers of features")


def all_features(stored: Stored) -> Measured:
    """The accuracy of an SVM on all features."""
    found = best(stored, "all_features")
    return Measured(found.value, found.low, found.high, "test accuracy on all features")


def error(stored: Stored, name: str, _experiment: str, part: str = "acc") -> Measured:
    """100 minus the accuracy; deviation and number of features are those of the accuracy."""
    found = best(stored, name, part)
    if part != "acc":
        return found
    note = "100 - test accuracy, best over the numbers of features"
    if name == "all_features":
        note = "100 - test accuracy on all features"
    return Measured(100 - found.value, 100 - found.high, 100 - found.low, note)


def at_features(stored: Stored, name: str) -> Measured:
    """The number of features at which a method, or the best filter, is best."""
    return best(stored, "others_at_most" if name == "others" else name, "features")


def refuse_quoted(name: str) -> None:
    """Raise Missing for a method that nobody here can run."""
    if name in QUOTED:
        reason = "quoted from Yang et al. 2021; no implementation in the pinned packages"
        raise Missing(reason, CANNOT)


def embedded(stored: Stored, name: str, part: str = "acc") -> Measured:
    """A method or a classifier that selects features itself, on the same splits."""
    found = best(stored, name, part)
    if name == "manifest" or part != "acc":
        return found
    return Measured(found.value, found.low, found.high, "test accuracy")


def five_percent(stored: Stored, name: str, method: str | None = None) -> Measured:
    """What a method loses when it ranks from 5 % of the training rows instead of all."""
    method = method or name
    few, full = _headline(stored, method, FEW), _headline(stored, method, ALL)
    drop = _differences(full, few)
    low, high = interval(stored, drop)
    lost = "points lost when ranking from 5 % of the rows, paired by split"
    if name == "manifest":
        rule = f"{lost}; rule: the interval does not lie above 0"
        return Measured(drop.mean(), low, high, rule, low <= 0)
    below = _differences(_headline(stored, "manifest", FEW), few)
    below_low, below_high = interval(stored, below)
    rule = (
        f"{lost}; rule: the interval lies above 0, and so does that of manifest minus {method} at "
        f"5 %, {below.mean():.2f} [{below_low:.2f}, {below_high:.2f}]"
    )
    return Measured(drop.mean(), low, high, rule, low > 0 and below_low > 0)


def smallest_gap(stored: Stored) -> Measured:
    """Manifest's gap between validation and test accuracy against every filter's."""
    own = _gaps(stored, "manifest")
    found = {name: _differences(_gaps(stored, name), own) for name in _filters(stored)}
    closest = min(found, key=lambda name: interval(stored, found[name])[0])
    return above(
        found[closest],
        lambda values: interval(stored, values),
        f"gap of {closest} minus gap of manifest, in points, mean over the numbers of features, "
        "paired by split; rule: the interval of the closest competitor lies above 0",
    )


def falling_gap(stored: Stored) -> Measured:
    """Manifest's gap at three kernel scales, from the smallest to the largest."""
    small, middle, large = (_gaps(stored, name) for name in SCALES)
    drop = _differences(small, large)
    low, high = interval(stored, drop)
    means = [gaps.mean() for gaps in (small, middle, large)]
    rule = (
        "gap at the smallest minus gap at the largest scale, in points, mean over the numbers of "
        "features, paired by split; rule: the interval lies above 0 and the middle scale's gap "
        f"between the two ({', '.join(f'{mean:.2f}' for mean in means)}){undecided(low, high)}"
    )
    return Measured(drop.mean(), low, high, rule, low > 0 and means == sorted(means)[::-1])


def interval(stored: Stored, differences) -> tuple[float, float]:
    """Of a mean over splits whose training parts overlap."""
    return resampled_interval(differences, stored.test_share)


def _row(stored, name):
    """The row of the summary under the reading that the paper reports."""
    table = _read(stored.summary)
    found = table[(table["method"] == name) & (table["ranking_share"] == ALL)]
    if found.empty or pd.isna(found["accuracy"].iloc[0]):
        raise Missing(f"{name} is not among the results stored there")
    return found.iloc[0]


def _read(table):
    """Rows of the reading "paper" that were computed; results without shares rank from all rows."""
    if "quoted" in table:
        table = table[~table["quoted"].fillna(False).astype(bool)]
    if "ranking_share" not in table:
        table = table.assign(ranking_share=ALL)
    return table[table["reading"] == "paper"]


def _filters(stored):
    present = set(_read(stored.summary)["method"])
    found = [name for name in FILTERS if name in present]
    if not found:
        raise Missing("no other method is among the results stored there")
    return found


def _best_filter(stored):
    return max(_filters(stored), key=lambda name: _row(stored, name)["accuracy"])


def _splits(stored, name, share, column="test"):
    """Accuracies in percent, one row a split and one column a number of features."""
    table = _read(stored.rows)
    found = table[(table["method"] == name) & np.isclose(table["ranking_share"], share)]
    if found.empty:
        raise Missing(f"{name}, ranked from {share:g} of the rows, is not among the results stored")
    return 100 * found.pivot(index="split", columns="n_features", values=column)


def _headline(stored, name, share):
    """Test accuracy of each split at the number of features with the best mean."""
    accuracies = _splits(stored, name, share)
    return accuracies[accuracies.mean().idxmax()]


def _gaps(stored, name):
    """Validation minus test accuracy of each split, averaged over the numbers of features."""
    gaps = _splits(stored, name, ALL, "validation") - _splits(stored, name, ALL)
    return gaps.mean(axis=1)


def _differences(first, second):
    return (first - second).dropna().to_numpy()


def _n_features(stored, name, row):
    """Where the mean test accuracy is best, had the splits been others."""
    accuracies = _splits(stored, name, ALL)
    sizes = accuracies.columns.to_numpy()
    low, high = bootstrap_interval(
        accuracies.to_numpy(), lambda drawn: sizes[drawn.mean(axis=1).argmax(axis=1)]
    )
    note = f"number of features at which {name} is best; interval by the bootstrap over splits"
    return Measured(float(row["n_features"]), low, high, note)
