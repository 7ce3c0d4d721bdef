"""Readers of claims about the accuracy of an SVM on the selected features, in percent.

Numbers are the best mean test accuracy over the numbers of features, under the reading that a claim
names. Differences between methods are paired by split, and their intervals have the correction of
Nadeau and Bengio, since the training parts of the splits overlap.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

from experiments.report.claims.accuracies import ALL, FEW, OVERLAP, read
from experiments.report.claims.names import ALL_FEATURES
from experiments.report.claims.noise import DeviationNoise, MeanNoise, SizeNoise, resamples
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import (
    MARGINS,
    Estimate,
    Missing,
    Published,
    Quantity,
    at_most,
    every,
    mean_of_draws,
    need_several,
    not_more,
    number,
    sentence,
)

#: What a claim may name as reader.
__all__ = [
    "at",
    "best",
    "deviation",
    "error",
    "falling_gap",
    "five_percent_fails",
    "five_percent_unaffected",
    "highest",
    "highest_at",
    "identify",
    "larger_deviation",
    "more_features",
    "n_features",
    "on_par",
    "others_at_most",
    "smallest_gap",
]

#: Stands for the filter with the best accuracy, where a reader takes a method.
BEST_FILTER = "best_filter"
SCALES = ("manifest_p5", "manifest_p50", "manifest_p95")
#: A method fails that loses more points than this, the margin of an accuracy.
LOST = MARGINS["accuracy"].size


def best(results: ResultsFolder, published: Published, method: str, reading="paper") -> Estimate:
    """The best mean test accuracy of a method over the numbers of features."""
    here = read(results, reading, study=published.repetitions)
    method = here.best_filter() if method == BEST_FILTER else method
    value = float(here.splits(method).mean())
    return number(value, published, "accuracy", here.noise(method), _of(here, method))


def error(results: ResultsFolder, published: Published, method: str, reading="paper") -> Estimate:
    """100 minus the accuracy of :func:`best`; pooled over the splits where these are counted."""
    here = read(results, reading, study=published.repetitions)
    value, note = 100 - float(here.splits(method).mean()), f"100 - {_of(here, method)}"
    if (pooled := here.pooled(method)) is not None:
        n_errors, n_tested = pooled
        value = 100 * n_errors / n_tested
        note = f"{n_errors} errors of {n_tested}, {_of(here, method)}"
    return number(value, published, "accuracy", here.noise(method), note)


def deviation(
    results: ResultsFolder, published: Published, method: str, reading="paper"
) -> Estimate:
    """The standard deviation over the splits of the accuracies whose mean is :func:`best`.

    Of several studies it is the root of the mean variance.
    """
    here = read(results, reading, study=published.repetitions)
    parts = here.studies(here.splits(method))
    freedom = np.array([len(part) - 1 for part in parts])
    noise = DeviationNoise(1 + int(freedom.sum()))
    need_several(noise.n)
    variance = np.average([part.var(ddof=1) for part in parts], weights=freedom)
    note = f"standard deviation over splits{_several(here, method)}"
    return number(float(np.sqrt(variance)), published, "deviation", noise, note)


def larger_deviation(
    results: ResultsFolder, published: Published, method: str, other: str, reading="paper"
) -> Estimate:
    """The claim that a method's accuracies have a larger deviation than another's."""
    here = read(results, reading)
    own, theirs = (here.splits(name).dropna() for name in (method, other))
    need_several(min(len(own), len(theirs)))
    ratio = float(own.std(ddof=1) / theirs.std(ddof=1))

    def interval(level):
        tails = stats.f.ppf([(1 + level) / 2, (1 - level) / 2], len(own) - 1, len(theirs) - 1)
        return tuple((ratio / np.sqrt(tails)).tolist())

    note = f"standard deviation over splits of {method} over that of {other}"
    return sentence(Quantity(ratio, interval), "splits, F distribution", note, 1)


def n_features(
    results: ResultsFolder, published: Published, method: str, reading="paper"
) -> Estimate:
    """The number of features at which a method is best."""
    here = read(results, reading)
    method = here.best_filter() if method == BEST_FILTER else method
    need_several(len(grid := here.grid(method).dropna()))
    noise = SizeNoise(grid.to_numpy(), grid.columns.to_numpy(dtype=float))
    row = here.row(method)
    note = f"number of features at which {row.name} is best"
    return number(float(row["n_features"]), published, "number of features", noise, note)


def more_features(
    results: ResultsFolder, published: Published, method: str, other: str, reading="paper"
) -> Estimate:
    """The claim that a method is best at more features than another; bootstrap over splits."""
    here = read(results, reading)
    names = [here.best_filter() if name == BEST_FILTER else name for name in (method, other)]
    grids = [here.grid(name).dropna() for name in names]
    kept = grids[0].index.intersection(grids[1].index)
    need_several(n := len(kept))

    def ratio(weights):
        own, theirs = (
            grid.columns.to_numpy(float)[(weights @ grid.loc[kept].to_numpy()).round(9).argmax(-1)]
            for grid in grids
        )
        return own / theirs

    value, drawn = float(ratio(np.full(n, 1 / n))), ratio(resamples(n, n))

    def interval(level):
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="nearest")
        return float(min(low, value)), float(max(high, value))

    note = f"best number of features of {names[0]} over that of {names[1]} on {n} splits"
    return sentence(Quantity(value, interval), "splits, bootstrap", note, 1)


def others_at_most(results: ResultsFolder, published: Published, reading="paper") -> Estimate:
    """The claim that no other filter is better than the published number.

    It holds where the best filter is shown to be less than the margin above the number.
    """
    found = best(results, published, BEST_FILTER, reading)
    method, tolerance = read(results, reading).best_filter(), MARGINS["accuracy"].size
    margin = f"≤ {published.value:g}, within {tolerance:g} points"
    verdict = at_most(found.diff_low, found.diff_high, tolerance)
    note = f"test accuracy of {method}, the best filter; it is compared with the number"
    found = replace(found, margin=margin, verdict=verdict, note=note)
    return replace(found, is_undecidable=False, is_lasting=False)


def highest(
    results: ResultsFolder,
    published: Published,
    method: str = "manifest",
    others: str | list[str] = "filters",
    reading="paper",
    share: float = ALL,
) -> Estimate:
    """The claim that a method is more accurate than others, each at its best number of features.

    Parameters
    ----------
    results : ResultsFolder
    published : Published
    method : str
    others : "filters" or list of str
        All filters, of which those that rank alike count once, or the names of others.
    reading : str
    share : float
        The share of the training rows that features are ranked from.
    """
    here = read(results, reading, share)
    names = here.filters(distinct=True) if others == "filters" else others
    names = [name for name in names if name in set(here.rows["method"])]
    if not names:
        raise Missing("no other method is among the results stored there")
    own = here.splits(method)
    parts = {name: here.paired(own, here.splits(name)) for name in names}
    return every(parts, OVERLAP, f"{method} minus {{}} in points, paired by split", is_race=True)


def at(results: ResultsFolder, published: Published, method: str, n_features: int) -> Estimate:
    """The mean test accuracy of a method at a number of features, over independent draws.

    If the method was tried on other orders of the features, these widen the interval.
    """
    values = _draws(results, method, n_features)
    table = results.table("accuracies")
    row = table[(table["method"] == method) & (table["n_features"] == n_features)]
    order = 100 * float(row.get("order_std", pd.Series()).fillna(0).sum())
    noise = MeanNoise.of_draws(values, 0.0, 100.0, order)
    note = f"test accuracy of {values.name} at {n_features} features"
    return number(float(values.mean()), published, "accuracy", noise, note)


def highest_at(results: ResultsFolder, published: Published, method: str, sizes: list[int]):
    """The claim that a method is above every filter and a random choice at all numbers.

    Other scores of ManiFeSt do not count as filters. Draws are independent.
    """
    methods = read(results).rows["method"].unique()
    others = [name for name in methods if name != ALL_FEATURES and not name.startswith("manifest")]
    if not others:
        raise Missing("no other method is among the results stored there")
    differences = {
        f"{name} at {size} features": _draws(results, method, size) - _draws(results, name, size)
        for size in sizes
        for name in others
    }
    # Filters that select the same features in all draws are one.
    distinct = {tuple(values): name for name, values in reversed(differences.items())}
    parts = {
        name: mean_of_draws(differences[name].dropna(), -100.0, 100.0) for name in distinct.values()
    }
    means = ", ".join(
        f"{min(d.mean() for name, d in differences.items() if f'at {size} ' in name):.2f} at {size}"
        for size in sizes
    )
    note = (
        f"{method} minus {{}}, in points, paired by draw; the smallest mean difference is {means}"
    )
    return every(parts, "draws", note)


def _draws(results, method, n_features):
    """Test accuracies at a number of features, one for each draw."""
    grid = read(results).grid(method)
    if n_features not in grid:
        raise Missing(f"{method} at {n_features} features is not among the results stored there")
    need_several(len(grid))
    return grid[n_features].rename(method)


def on_par(
    results: ResultsFolder, published: Published, method: str = "manifest", reading="paper"
) -> Estimate:
    """The claim that a method is as accurate as each filter, within the margin of accuracy."""
    here = read(results, reading)
    own = here.splits(method)
    parts = {}
    for name in here.filters(distinct=True):
        other = here.splits(name)
        parts[f"{method} minus {name}"] = here.paired(own, other)
        parts[f"{name} minus {method}"] = here.paired(other, own)
    return every(parts, OVERLAP, "{} in points, paired by split", -LOST)


def identify(results: ResultsFolder, published: Published) -> Estimate:
    """The claim that all methods find features that serve better than all features together.

    Each is to be more accurate than the SVM on all features, by more than the margin.
    """
    here = read(results)
    names, baseline = ["manifest", *here.filters(distinct=True)], here.splits(ALL_FEATURES)
    parts = {name: here.paired(here.splits(name), baseline) for name in names}
    note = "{} minus the SVM on all features in points, paired by split"
    return every(parts, OVERLAP, note, LOST)


def five_percent_unaffected(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The claim that a method loses nothing when it ranks from 5 % of the training rows."""
    rule = "points lost when ranking from 5 % of the rows, paired by split"
    return not_more(_lost(results, method), OVERLAP, rule)


def five_percent_fails(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The claim that a method fails by ranking from 5 % of the training rows.

    It fails where it loses more than the margin of an accuracy, against itself ranked from all rows
    and against ManiFeSt ranked from as few.
    """
    few = read(results, share=FEW)
    behind = few.paired(few.splits("manifest"), few.splits(method))
    parts = {"its own accuracy from all rows": _lost(results, method), "manifest": behind}
    note = "points behind {} when ranking from 5 % of the rows, paired by split"
    return every(parts, OVERLAP, note, LOST)


def smallest_gap(results: ResultsFolder, published: Published) -> Estimate:
    """The claim that the gap of validation and test accuracy is the smallest for manifest.

    The others are all filters that the results have; those that rank alike count once.
    """
    here = read(results)
    own = here.gaps("manifest")
    parts = {name: here.paired(here.gaps(name), own) for name in here.filters(distinct=True)}
    what = "gap of {} minus gap of manifest, in points"
    note = f"{what}, mean over the numbers of features, paired by split"
    return every(parts, OVERLAP, note)


def falling_gap(results: ResultsFolder, published: Published) -> Estimate:
    """The claim that the gap of manifest falls as its kernel scale grows, over three scales."""
    here = read(results)
    gaps = [here.gaps(name) for name in SCALES]
    means = ", ".join(f"{gap.mean():.2f}" for gap in gaps)
    parts = {f"{SCALES[i]} to {SCALES[i + 1]}": here.paired(gaps[i], gaps[i + 1]) for i in range(2)}
    what = f"fall of the gap from {{}}, in points; the three gaps are {means}"
    note = f"{what}; mean over the numbers of features, paired by split"
    return every(parts, OVERLAP, note)


def _lost(results, method) -> Quantity:
    """Accuracy from all rows minus accuracy from 5 % of the rows, for each split."""
    whole, few = read(results, share=ALL), read(results, share=FEW)
    return whole.paired(whole.splits(method), few.splits(method))


def _of(here, method) -> str:
    """The number in words."""
    if method == ALL_FEATURES:
        return "test accuracy on all features"
    row = here.row(method)
    where = "" if here.selects_itself(row.name) else ", best over the numbers of features"
    return f"test accuracy of {row.name}{where}{_several(here, method)}"


def _several(here, method) -> str:
    """The number of studies in words, if there are several."""
    parts = here.studies(here.splits(method))
    return f" in each of {len(parts)} studies of {len(parts[0])} splits" if len(parts) > 1 else ""
