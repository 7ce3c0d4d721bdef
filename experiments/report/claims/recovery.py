"""Claims about the relevant features among the selected ones; draws are independent."""

import numpy as np
from scipy import stats

from experiments.evaluation.statistics import bootstrap_interval, paired_interval
from experiments.report.claims.accuracy import FILTERS
from experiments.report.claims.results_folder import Stored
from experiments.report.claims.verdict import Measured, Missing, above, undecided

PERCENTILES = {"median": 50, "q25": 25, "q75": 75}
LEVEL = 0.95
#: A large margin, in correct selections of ten.
LARGE = 1


def mean(stored: Stored, method: str) -> Measured:
    """Mean number of relevant features among the selected."""
    row = _summary(stored, method)
    return Measured(row["correct"], row["ci_low"], row["ci_high"], "mean of the correct selections")


def fails(stored: Stored, method: str) -> Measured:
    """A method fails where it finds less than one of the two features, beyond doubt."""
    found = mean(stored, method)
    rule = (
        f"{found.note}; rule: the interval lies below 1 of 2{undecided(found.low, found.high, 1)}"
    )
    return Measured(found.value, found.low, found.high, rule, found.high < 1)


def in_order(stored: Stored) -> Measured:
    """Manifest above ReliefF above each other filter."""
    relieff = _correct(stored, "relieff")
    found = {"manifest minus relieff": _correct(stored, "manifest") - relieff}
    for name in FILTERS:
        if name != "relieff":
            found[f"relieff minus {name}"] = relieff - _correct(stored, name)
    return _closest(found)


def above_all(stored: Stored) -> Measured:
    """Manifest above each filter, by a large margin: more than :data:`LARGE`."""
    own = _correct(stored, "manifest")
    found = {f"manifest minus {name}": own - _correct(stored, name) for name in FILTERS}
    closest = _closest(found)
    rule = (
        f"{closest.note.partition(';')[0]}; rule: this and all other intervals lie above {LARGE} "
        f"of 10, taken as a large margin"
        f"{undecided(closest.low, closest.high, LARGE)}"
    )
    return Measured(closest.value, closest.low, closest.high, rule, closest.low > LARGE)


def of_unnormalized(stored: Stored, statistic: str) -> Measured:
    """Mean, median or a quartile of the correct selections without normalisations."""
    if statistic == "mean":
        return mean(stored, "manifest_unnormalized")
    percentile = PERCENTILES[statistic]
    correct = _correct(stored, "manifest_unnormalized")
    low, high = bootstrap_interval(correct, lambda x: np.percentile(x, percentile, axis=1))
    note = f"{statistic} of the correct selections; interval by the bootstrap over draws"
    return Measured(float(np.percentile(correct, percentile)), low, high, note)


def single_run(stored: Stored, method: str) -> Measured:
    """The run that is drawn, beside the range of all draws: one run is as good as another."""
    correct = _correct(stored, method)
    if len(correct) < 2:
        raise Missing("one draw says nothing about the range of draws")
    low = np.quantile(correct, (1 - LEVEL) / 2, method="lower")
    high = np.quantile(correct, (1 + LEVEL) / 2, method="higher")
    note = "correct selections of the first draw; the interval holds 95 % of the draws"
    return Measured(float(correct.iloc[0]), float(low), float(high), note)


def not_identified(stored: Stored) -> Measured:
    """f1 of the toy example's first case."""
    found = _selected(stored, "a", 1)
    rule = (
        "share of draws with f1 among the selected; rule: the interval lies below one half"
        f"{undecided(found.low, found.high, 0.5)}"
    )
    return Measured(found.value, found.low, found.high, rule, found.high < 0.5)


def both_captured(stored: Stored) -> Measured:
    """f1 and f5 of the toy example's second case."""
    found = min((_selected(stored, "b", f) for f in (1, 5)), key=lambda found: found.low)
    rule = (
        "share of draws with f1, or with f5, whichever is rarer, among the selected; rule: the "
        f"interval lies above one half{undecided(found.low, found.high, 0.5)}"
    )
    return Measured(found.value, found.low, found.high, rule, found.low > 0.5)


def _closest(found):
    """The one of several paired differences that is least clearly above 0."""
    name = min(found, key=lambda name: paired_interval(found[name])[0])
    rule = f"{name}, paired by draw; rule: this and all other intervals lie above 0"
    return above(found[name], paired_interval, rule)


def _summary(stored, method):
    table = stored.summary.set_index("method")
    if method not in table.index or np.isnan(table.loc[method, "correct"]):
        raise Missing(f"{method} is not among the results stored there")
    return table.loc[method]


def _correct(stored, method):
    """Correct selections of the tuned method, one a draw."""
    rows = stored.rows
    found = rows[(rows["method"] == method) & rows["tuned"]]
    if found.empty:
        raise Missing(f"{method} is not among the results stored there")
    return found.set_index("draw")["correct"].sort_index()


def _selected(stored, case, feature):
    """Share of the draws that select a feature, with Clopper and Pearson's interval."""
    features, summary = stored.table("features"), stored.summary
    row = features.query("case == @case and method == 'manifest' and feature == @feature")
    draws = summary.query("case == @case and method == 'manifest'")["n_draws"]
    if row.empty or draws.empty:
        raise Missing(f"case {case} of manifest is not among the results stored there")
    share, n = float(row["selected"].iloc[0]), int(draws.iloc[0])
    exact = stats.binomtest(round(share * n), n).proportion_ci(LEVEL, method="exact")
    return Measured(share, float(exact.low), float(exact.high))
