"""Readers of claims about the relevant features among the selected ones; draws are independent."""

import numpy as np
from scipy import stats

from experiments.report.claims.names import filters, stored
from experiments.report.claims.noise import MeanNoise, QuantileNoise
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import (
    Estimate,
    Missing,
    Published,
    Quantity,
    every,
    mean_of_draws,
    need_several,
    number,
    sentence,
)

#: What a claim may name as reader.
__all__ = [
    "above_all",
    "both_captured",
    "fails",
    "identifies",
    "in_order",
    "mean",
    "more_accurate",
    "not_identified",
    "percentile",
    "single_run",
]

PERCENTILES = {"median": 50, "q25": 25, "q75": 75}
#: A published draw is unusual if fewer than this share of draws are as far out.
UNUSUAL = 0.05
EXACT = "draws, Clopper and Pearson"


def mean(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The mean number of relevant features among the selected ones."""
    correct = _correct(results, method)
    note = f"mean of the correct selections of {correct.name}"
    noise = MeanNoise.of_draws(correct, 0.0, _most(results))
    return number(float(correct.mean()), published, "count", noise, note)


def fails(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The claim that a method fails: it finds less than one of the two features."""
    return _one_of_two(results, method, below=True)


def identifies(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The claim that a method does not fail: it finds more than one of the two features."""
    return _one_of_two(results, method, below=False)


def in_order(results: ResultsFolder, published: Published) -> Estimate:
    """The claim that manifest is above ReliefF, and ReliefF above each other filter."""
    relieff, own = _correct(results, "relieff"), _correct(results, "manifest")
    parts = {f"manifest minus {relieff.name}": _paired(results, own, relieff)}
    for name in _filters(results):
        if name != relieff.name:
            other = _correct(results, name)
            parts[f"{relieff.name} minus {name}"] = _paired(results, relieff, other)
    return every(parts, "draws", "{}, paired by draw")


def above_all(
    results: ResultsFolder, published: Published, method: str = "manifest", margin: float = 0
) -> Estimate:
    """The claim that a method finds more than each filter, by more than a margin."""
    own = _correct(results, method)
    parts = {
        f"{method} minus {name}": _paired(results, own, _correct(results, name))
        for name in _filters(results)
    }
    return every(parts, "draws", "{}, paired by draw", margin)


def more_accurate(results: ResultsFolder, published: Published, method: str, other: str):
    """The claim that the SVM on a method's features is more accurate than on another's."""
    own, theirs = (100 * _correct(results, name, "accuracy") for name in (method, other))
    difference = (own - theirs).dropna()
    if len(difference) < 2:
        raise Missing("fewer than two draws were judged by an SVM")
    note = f"test accuracy of {own.name} minus {theirs.name}, in points, paired by draw"
    return sentence(mean_of_draws(difference, -100.0, 100.0), "draws", note)


def percentile(results: ResultsFolder, published: Published, method: str, which: str) -> Estimate:
    """The median or a quartile of the correct selections; which is a key of PERCENTILES."""
    correct = _correct(results, method).to_numpy()
    share = PERCENTILES[which] / 100
    note = f"{which} of the correct selections"
    value = float(np.quantile(correct, share))
    return number(value, published, "count", QuantileNoise(correct, share), note)


def single_run(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The claim that the published count of one draw is not unusual among our draws.

    Of the shares of draws that find at most, and at least, as many, the smaller one is not to lie
    below :data:`UNUSUAL`.
    """
    correct = _correct(results, method)
    n, count = len(correct), published.value
    k = min(int((correct <= count).sum()), int((correct >= count).sum()))
    tail = Quantity(k / n, stats.binomtest(k, n).proportion_ci)
    note = (
        f"share of draws as far out as the published one, at the rarer side; {correct.name} finds "
        f"{correct.iloc[0]:g} in the first draw and {correct.mean():.2f} on average; rule: above "
        f"{UNUSUAL}"
    )
    return sentence(tail, EXACT, note, UNUSUAL)


def not_identified(
    results: ResultsFolder, published: Published, case: str, feature: int
) -> Estimate:
    """The claim that manifest seldom selects a feature of one case of the toy example."""
    rule = f"share of draws with f{feature} among the selected; rule: below one half"
    return sentence(_selected(results, case, feature), EXACT, rule, 0.5, below=True)


def both_captured(
    results: ResultsFolder, published: Published, case: str, features: list[int]
) -> Estimate:
    """The claim that manifest mostly selects each of two features of one toy case."""
    parts = {f"f{feature}": _selected(results, case, feature) for feature in features}
    return every(parts, EXACT, "share of draws with {} among the selected", 0.5)


def _one_of_two(results, method, *, below):
    """The claim that a method finds less, or more, than one of the two features."""
    correct = _correct(results, method)
    quantity = mean_of_draws(correct, 0.0, _most(results))
    rule = f"{'below' if below else 'above'} 1 of 2"
    note = f"mean of the correct selections of {correct.name}; rule: {rule}"
    return sentence(quantity, "draws", note, 1, below=below)


def _filters(results):
    return filters(set(results.rows["method"]), distinct=True)


def _correct(results, method, column="correct"):
    """A column of the tuned method, one entry for each draw, named as the method is stored."""
    rows = results.rows
    name = stored(method, set(rows["method"]))
    found = rows[(rows["method"] == name) & rows["tuned"]]
    if column not in found:
        raise Missing(f"{column} of {method} is not among the results stored there")
    values = found.set_index("draw")[column].sort_index().rename(name)
    need_several(len(values))
    return values


def _most(results) -> float:
    """The most correct selections that a draw may have."""
    return float(results.rows["correct"].max())


def _paired(results, first, second) -> Quantity:
    """The mean of first minus second, draw by draw."""
    most = _most(results)
    return mean_of_draws(first - second, -most, most)


def _selected(results, case, feature) -> Quantity:
    """The share of the draws that select a feature."""
    features, summary = results.table("features"), results.summary
    row = features.query("case == @case and method == 'manifest' and feature == @feature")
    draws = summary.query("case == @case and method == 'manifest'")["n_draws"]
    if row.empty or draws.empty:
        raise Missing(f"case {case} of manifest is not among the results stored there")
    share, n = float(row["selected"].iloc[0]), int(draws.iloc[0])
    return Quantity(share, stats.binomtest(round(share * n), n).proportion_ci)
