"""Readers of claims about the relevant features among the selected ones; draws are independent."""

import numpy as np
from scipy import stats

from experiments.evaluation.statistics import bootstrap_interval, paired_interval
from experiments.report.claims.accuracy import FILTERS
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Estimate, Missing, above, undecided

#: What a claim may name as reader.
__all__ = [
    "above_all",
    "both_captured",
    "fails",
    "in_order",
    "mean",
    "not_identified",
    "percentile",
    "single_run",
]

PERCENTILES = {"median": 50, "q25": 25, "q75": 75}
LEVEL = 0.95
#: A large margin, as a difference of correct selections.
LARGE = 1


def mean(results: ResultsFolder, method: str) -> Estimate:
    """The mean number of relevant features among the selected ones."""
    row = _summary(results, method)
    return Estimate(row["correct"], row["ci_low"], row["ci_high"], "mean of the correct selections")


def fails(results: ResultsFolder, method: str) -> Estimate:
    """Whether a method fails: it clearly finds less than one of the two features."""
    found = mean(results, method)
    rule = (
        f"{found.note}; rule: the interval lies below 1 of 2{undecided(found.low, found.high, 1)}"
    )
    return Estimate(found.value, found.low, found.high, rule, found.high < 1)


def in_order(results: ResultsFolder) -> Estimate:
    """Whether manifest is above ReliefF, and ReliefF above each other filter."""
    relieff = _correct(results, "relieff")
    found = {"manifest minus relieff": _correct(results, "manifest") - relieff}
    for name in FILTERS:
        if name != "relieff":
            found[f"relieff minus {name}"] = relieff - _correct(results, name)
    return _closest(found)


def above_all(results: ResultsFolder) -> Estimate:
    """Whether manifest is above each filter by a large margin: more than :data:`LARGE`."""
    own = _correct(results, "manifest")
    found = {f"manifest minus {name}": own - _correct(results, name) for name in FILTERS}
    closest = _closest(found)
    rule = (
        f"{closest.note.partition(';')[0]}; rule: this and all other intervals lie above {LARGE} "
        f"of 10, taken as a large margin"
        f"{undecided(closest.low, closest.high, LARGE)}"
    )
    return Estimate(closest.value, closest.low, closest.high, rule, closest.low > LARGE)


def percentile(results: ResultsFolder, method: str, which: str) -> Estimate:
    """The median or a quartile of the correct selections; which is a key of PERCENTILES."""
    correct, percent = _correct(results, method), PERCENTILES[which]
    low, high = bootstrap_interval(correct, lambda x: np.percentile(x, percent, axis=1))
    note = f"{which} of the correct selections; interval by the bootstrap over draws"
    return Estimate(float(np.percentile(correct, percent)), low, high, note)


def single_run(results: ResultsFolder, method: str) -> Estimate:
    """The correct selections of the first draw, which the paper draws as a figure.

    The interval holds 95 % of the draws, since any draw could have been the first.
    """
    correct = _correct(results, method)
    if len(correct) < 2:
        raise Missing("one draw says nothing about the range of draws")
    low = np.quantile(correct, (1 - LEVEL) / 2, method="lower")
    high = np.quantile(correct, (1 + LEVEL) / 2, method="higher")
    note = "correct selections of the first draw; the interval holds 95 % of the draws"
    return Estimate(float(correct.iloc[0]), float(low), float(high), note)


def not_identified(results: ResultsFolder, case: str, feature: int) -> Estimate:
    """Whether manifest seldom selects a feature of one case of the toy example."""
    found = _selected(results, case, feature)
    rule = (
        f"share of draws with f{feature} among the selected; rule: the interval lies below one half"
        f"{undecided(found.low, found.high, 0.5)}"
    )
    return Estimate(found.value, found.low, found.high, rule, found.high < 0.5)


def both_captured(results: ResultsFolder, case: str, features: list[int]) -> Estimate:
    """Whether manifest mostly selects each of two features of one case of the toy example."""
    found = min((_selected(results, case, f) for f in features), key=lambda found: found.low)
    first, second = features
    rule = (
        f"share of draws with f{first}, or with f{second}, whichever is rarer, among the selected; "
        f"rule: the interval lies above one half{undecided(found.low, found.high, 0.5)}"
    )
    return Estimate(found.value, found.low, found.high, rule, found.low > 0.5)


def _closest(found):
    """The one of several paired differences whose interval begins lowest."""
    name = min(found, key=lambda name: paired_interval(found[name])[0])
    rule = f"{name}, paired by draw; rule: this and all other intervals lie above 0"
    return above(found[name], paired_interval, rule)


def _summary(results, method):
    table = results.summary.set_index("method")
    if method not in table.index or np.isnan(table.loc[method, "correct"]):
        raise Missing(f"{method} is not among the results stored there")
    return table.loc[method]


def _correct(results, method):
    """The correct selections of the tuned method, one for each draw."""
    rows = results.rows
    found = rows[(rows["method"] == method) & rows["tuned"]]
    if found.empty:
        raise Missing(f"{method} is not among the results stored there")
    return found.set_index("draw")["correct"].sort_index()


def _selected(results, case, feature):
    """The share of the draws that select a feature, with the interval of Clopper and Pearson."""
    features, summary = results.table("features"), results.summary
    row = features.query("case == @case and method == 'manifest' and feature == @feature")
    draws = summary.query("case == @case and method == 'manifest'")["n_draws"]
    if row.empty or draws.empty:
        raise Missing(f"case {case} of manifest is not among the results stored there")
    share, n = float(row["selected"].iloc[0]), int(draws.iloc[0])
    exact = stats.binomtest(round(share * n), n).proportion_ci(LEVEL, method="exact")
    return Estimate(share, float(exact.low), float(exact.high))
