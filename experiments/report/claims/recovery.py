"""Readers of claims about the relevant features among the selected ones; draws are independent."""

import numpy as np
from scipy import stats

from experiments.report.claims import exchange
from experiments.report.claims.noise import MeanNoise, QuantileNoise
from experiments.report.claims.outcome import (
    SHOWN,
    Estimate,
    Missing,
    Published,
    Quantity,
    every,
    exactly,
    listed,
    mean_of_draws,
    need_several,
    number,
    sentence,
)
from experiments.report.claims.results_folder import ResultsFolder, filters, rows_at, stored

SHARES = {"median": 0.5, "q25": 0.25, "q75": 0.75}
EXACT = "draws, Clopper and Pearson"


def mean(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The mean number of relevant features among the selected ones."""
    correct = _correct(results, method)
    note = f"mean of the correct selections of {correct.name}"
    noise = MeanNoise.of_draws(correct, 0.0, _most(results))
    return number(float(correct.mean()), published, "count", noise, note)


def one_of_two(results: ResultsFolder, method: str, *, below: bool = False) -> Estimate:
    """The claim that a method finds more than one of the two features; below that, it fails."""
    correct = _correct(results, method)
    rule = f"rule: {'below' if below else 'above'} 1 of 2"
    note = f"mean of the correct selections of {correct.name}; {rule}"
    quantity = mean_of_draws(correct, 0.0, _most(results))
    return sentence(quantity, "draws", note, 1, below=below)


def in_order(results: ResultsFolder) -> Estimate:
    """The claim that manifest is above ReliefF, and ReliefF above each other filter."""
    relieff = str(_correct(results, "relieff").name)
    others = [name for name in _filters(results) if name != relieff]
    parts = _differences(results, "manifest", [relieff]) | _differences(results, relieff, others)
    return every(parts, "draws", "{}, paired by draw")


def above_all(results: ResultsFolder, method: str = "manifest", margin: float = 0) -> Estimate:
    """The claim that a method finds more than each filter, by more than a margin."""
    parts = _differences(results, method, _filters(results))
    return every(parts, "draws", "{}, paired by draw", margin)


def more_accurate(results: ResultsFolder, method: str, other: str) -> Estimate:
    """The claim that the SVM on a method's features is more accurate than on another's."""
    own, theirs = (100 * _correct(results, name, "accuracy") for name in (method, other))
    note = f"test accuracy of {own.name} minus {theirs.name}, in points, paired by draw"
    return sentence(mean_of_draws((own - theirs).dropna(), -100.0, 100.0), "draws", note)


def at_every_scale(results: ResultsFolder) -> Estimate:
    """The claim that manifest finds more than one of two features at every kernel scale tried."""
    parts = {
        str(scale): mean_of_draws(part["correct"], 0.0, _most(results))
        for scale, part in results.rows.groupby("parameters", sort=False)
    }
    return every(parts, "draws", "mean of the correct selections of manifest, {}", 1)


def slightly_lower(results: ResultsFolder, method: str, most: float) -> Estimate:
    """The claim that a method finds fewer features than manifest, by less than a number."""
    own, theirs = (_correct(results, name) for name in ("manifest", method))
    lost, limit = own - theirs, _most(results)
    parts = {
        f"manifest minus {method}": mean_of_draws(lost, -limit, limit),
        f"{most:g} minus that difference": mean_of_draws(most - lost, most - limit, most + limit),
    }
    return every(parts, "draws", "{}, paired by draw")


def percentile(results: ResultsFolder, published: Published, method: str, which: str) -> Estimate:
    """The median or a quartile of the correct selections; which is a key of SHARES."""
    correct, share = _correct(results, method).to_numpy(), SHARES[which]
    note, noise = f"{which} of the correct selections", QuantileNoise(correct, share)
    return number(float(np.quantile(correct, share)), published, "count", noise, note)


def single_run(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The count of the first draw, and the interval that holds 95 % of the draws."""
    correct = _correct(results, method)
    ends = np.quantile(correct, [(1 - SHOWN) / 2, (1 + SHOWN) / 2], method="nearest")
    note = (
        f"correct selections of {correct.name} in the first draw, next to 95 % of {len(correct)} "
        f"draws, whose mean is {correct.mean():.2f}; so few draws cannot show that a count of one "
        "draw is rarer than 5 %, so no count could be different"
    )
    return listed(float(correct.iloc[0]), tuple(ends.astype(float)), "draws", note)


def not_identified(results: ResultsFolder, case: str, feature: int) -> Estimate:
    """The claim that manifest seldom selects a feature of one case of the toy example."""
    rule = f"share of draws with f{feature} among the selected; rule: below one half"
    return sentence(_selected(results, case, feature), _noise(results), rule, 0.5, below=True)


def both_captured(results: ResultsFolder, case: str, features: list[int]) -> Estimate:
    """The claim that manifest mostly selects each of two features of one toy case."""
    parts = {f"f{feature}": _selected(results, case, feature) for feature in features}
    return every(parts, _noise(results), "share of draws with {} among the selected", 0.5)


def unchanged(results: ResultsFolder, methods: list[str], bound: float) -> Estimate:
    """The claim that the exchange of the classes changes no score of a method.

    The methods are one, and the same with the classes exchanged. The bound is the largest change,
    as a share of the largest score, that counts as rounding.
    """
    changes = exchange.largest_changes(results.rows, *methods)
    if changes.empty:
        raise Missing(f"{' and '.join(methods)} are not among the results stored there")
    value = float(changes.max())
    note = (
        f"largest change of a score of {methods[0]} by the exchange of the classes, as a share of "
        f"the largest score, over {len(changes)} draws; {(changes >= bound).mean():.0%} of them "
        "have a change that is more than rounding"
    )
    return sentence(exactly(value), "none, all draws", note, bound, below=True)


def _filters(results):
    return filters(results.rows["method"].unique(), distinct=True)


def _correct(results, method, column="correct"):
    """A column of the tuned method, one entry for each draw, named as the method is stored."""
    name = stored(method, results.rows["method"].unique())
    rows = results.rows[(results.rows["method"] == name) & results.rows["tuned"]]
    if column not in rows:
        raise Missing(f"{column} of {method} is not among the results stored there")
    need_several(len(rows))
    return rows.set_index("draw")[column].sort_index().rename(name)


def _most(results) -> float:
    """The most correct selections that a draw may have: the number of relevant features."""
    return float(results.rows["relevant"].dropna().map(len).max())


def _differences(results, method, others) -> dict[str, Quantity]:
    """The mean of a method's correct selections minus those of each other one, draw by draw."""
    most, own = _most(results), _correct(results, method)
    return {
        f"{method} minus {name}": mean_of_draws(own - _correct(results, name), -most, most)
        for name in others
    }


def _noise(results) -> str:
    """The noise of a share of the draws, in words."""
    return f"{EXACT}; exchange of the classes" if results.exchanged else EXACT


def _selected(results, case, feature) -> Quantity:
    """The share of the draws that select a feature, with the noise of the exchange of classes."""
    share, n = _share(results, exchange.METHOD, case, feature)
    moved = 0.0
    if results.exchanged:
        other, _ = _share(results.exchanged, exchange.EXCHANGED, case, feature)
        moved = exchange.deviation(share, other)
    exact = stats.binomtest(round(share * n), n).proportion_ci
    intervals = exact, exactly(share).interval
    return Quantity(share, *(exchange.widened(each, share, moved, 0, 1) for each in intervals))


def _share(results, method, case, feature) -> tuple[float, int]:
    """The share of the draws of a case that select a feature, and the number of draws."""
    of_case = {"case": case, "method": method}
    row = rows_at(results.table("features"), {**of_case, "feature": feature})
    summary = rows_at(results.summary, of_case)
    if row.empty or summary.empty:
        raise Missing(f"case {case} of {method} is not among the results stored there")
    return float(row["selected"].iloc[0]), int(summary["n_draws"].iloc[0])
