"""Readers of claims about the accuracy of an SVM on the selected features, in percent.

Numbers are the best mean test accuracy over the numbers of features, under the tuning that a claim
names.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from experiments.evaluation import statistics
from experiments.report.claims import outcome
from experiments.report.claims.accuracies import OTHERS, read
from experiments.report.claims.noise import MeanNoise, middle, resamples
from experiments.report.claims.outcome import Estimate, Published, Quantity, need_several
from experiments.report.claims.results_folder import ResultsFolder


def best(results: ResultsFolder, published: Published, method: str, tuning="paper") -> Estimate:
    """The best mean test accuracy of a method over the numbers of features."""
    here = read(results, tuning, study=published.repetitions)
    name = here.name(method)
    value = float(here.splits(name).mean())
    return outcome.number(value, published, "accuracy", here.noise_of(name), here.words(name))


def error(results: ResultsFolder, published: Published, method: str, tuning="paper") -> Estimate:
    """100 minus the accuracy of :func:`best`; pooled over the splits if these are counted."""
    here = read(results, tuning, study=published.repetitions)
    name = here.name(method)
    values, row, counts = here.splits(name), here.summary.loc[name], None
    if "n_test" in here.rows[name]:
        n_test = here.rows[name].groupby("split")["n_test"].first()[values.index]
        counts = int((n_test * (1 - values / 100)).round().sum()), int(n_test.sum())
    elif len(here.studies(values)) == 1 and pd.notna(row.get("n_errors")):
        counts = int(row["n_errors"]), int(row["n_tested"])
    value, note = 100 - float(values.mean()), f"100 - {here.words(name)}"
    if counts:
        value = 100 * counts[0] / counts[1]
        note = f"{counts[0]} errors of {counts[1]}, {here.words(name)}"
    return outcome.number(value, published, "accuracy", here.noise_of(name), note)


def others_at_most(results: ResultsFolder, published: Published, tuning="paper") -> Estimate:
    """The claim that no other filter is better than the published number.

    It holds if the best filter is shown to be less than the margin above the number.
    """
    found = best(results, published, OTHERS, tuning)
    name = read(results, tuning).name(OTHERS)
    return replace(
        found,
        margin=outcome.at_most(published.value).margin,
        outcome=outcome.at_most(0).outcome(found.diff_low, found.diff_high),
        note=f"test accuracy of {name}, the best filter; it is compared with the number",
        is_undecidable=False,
        is_lasting=False,
    )


def at(results: ResultsFolder, published: Published, method: str, n_features: int) -> Estimate:
    """The mean test accuracy of a method at a number of features, over independent draws."""
    values = read(results).values(method, n_features=n_features)
    noise = MeanNoise.of_draws(values, 0.0, 100.0)
    note = f"test accuracy of {method} at {n_features} features"
    return outcome.number(float(values.mean()), published, "accuracy", noise, note)


def deviation(
    results: ResultsFolder, published: Published, method: str, tuning="paper"
) -> Estimate:
    """The standard deviation over the splits of the accuracies whose mean is :func:`best`.

    Of several studies it is the root of the mean variance.
    """
    here = read(results, tuning, study=published.repetitions)
    parts = here.studies(here.splits(method))
    freedom = np.array([len(part) - 1 for part in parts])
    need_several(n := 1 + int(freedom.sum()))
    variance = np.average([part.var(ddof=1) for part in parts], weights=freedom)
    value, note = float(np.sqrt(variance)), f"standard deviation over splits{here.several(method)}"
    interval = statistics.deviation_interval(value, n, outcome.SHOWN)
    return outcome.listed(value, interval, "splits, chi-squared", note)


def larger_deviation(results: ResultsFolder, method: str, other: str) -> Estimate:
    """The claim that a method's accuracies have a larger deviation than another's."""
    own, theirs = (read(results).splits(name).dropna() for name in (method, other))
    need_several(min(len(own), len(theirs)))
    ratio = float(own.std(ddof=1) / theirs.std(ddof=1))

    def interval(level):
        tails = stats.f.ppf([(1 + level) / 2, (1 - level) / 2], len(own) - 1, len(theirs) - 1)
        return tuple((ratio / np.sqrt(tails)).tolist())

    note = f"standard deviation over splits of {method} over that of {other}"
    larger, noise = [Quantity(ratio, interval)], "splits, F distribution"
    return outcome.sentence(larger, outcome.above(1), noise, note)


def n_features(
    results: ResultsFolder, published: Published, method: str, tuning="paper"
) -> Estimate:
    """The number of features at which a method is best."""
    here = read(results, tuning)
    name = here.name(method)
    need_several(n := len(grid := here.grid(name).dropna()))
    value = float(here.summary.loc[name, "n_features"])
    interval = _bootstrap(value, _sizes(grid, resamples(n, n)), outcome.SHOWN)
    note = f"number of features at which {name} is best"
    return outcome.listed(value, interval, "splits, bootstrap", note)


def more_features(results: ResultsFolder, method: str, other: str) -> Estimate:
    """The claim that a method is best at more features than another; bootstrap over splits."""
    here = read(results)
    names = [here.name(method), here.name(other)]
    grids = [here.grid(name).dropna() for name in names]
    kept = grids[0].index.intersection(grids[1].index)
    need_several(n := len(kept))
    once, drawn = (
        np.divide(*(_sizes(grid.loc[kept], weights) for grid in grids))
        for weights in (np.full(n, 1 / n), resamples(n, n))
    )
    note = f"best number of features of {names[0]} over that of {names[1]} on {n} splits"
    more = [Quantity(float(once), partial(_bootstrap, float(once), drawn))]
    return outcome.sentence(more, outcome.above(1), "splits, bootstrap", note)


def _sizes(grid, weights):
    """The best number of features by weighted splits; of equal means that of fewest features."""
    return grid.columns.to_numpy(float)[(weights @ grid.to_numpy()).round(9).argmax(-1)]


def _bootstrap(value, drawn, level):
    """The interval of a value by its resamples."""
    low, high = middle(drawn, level)
    return min(low, value), max(high, value)
