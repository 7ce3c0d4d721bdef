"""Readers of claims about the relevant features among the selected ones; draws are independent."""

from scipy import stats

from experiments.report.claims import outcome
from experiments.report.claims.noise import MeanNoise, QuantileNoise, middle
from experiments.report.claims.outcome import Estimate, Missing, Published, Quantity
from experiments.report.claims.results_folder import ResultsFolder, rows_at, stored

#: Statistic of the draws -> its share of them below.
SHARES = {"median": 0.5, "q25": 0.25, "q75": 0.75}
EXACT = "draws, Clopper and Pearson"


class Draws:
    """The relevant features that tuned methods select, or their accuracies, draw by draw."""

    noise = "draws"
    note = "{first} minus {second}, paired by draw; {rule}"

    def __init__(self, results: ResultsFolder, column: str = "correct"):
        rows, self.column, self.n = results.rows, column, results.repetitions
        self.rows, self.names = rows[rows["tuned"]], set(rows["method"])
        #: The largest value: the number of relevant features, or 100 %.
        self.most = 100.0
        if column == "correct":
            self.most = float(rows["relevant"].dropna().map(len).max())

    def values(self, method):
        """One value for each draw of a method, named as the method is stored."""
        name = stored(method, self.names)
        rows = self.rows[self.rows["method"] == name]
        if self.column not in rows:
            raise Missing(f"{self.column} of {method} is not among the results stored there")
        outcome.need_several(len(rows))
        values = rows.set_index("draw")[self.column].sort_index().rename(name)
        return values if self.column == "correct" else 100 * values

    mean = staticmethod(outcome.mean_of_draws)


def correct(
    results: ResultsFolder, published: Published, method: str, statistic: str = "mean"
) -> Estimate:
    """The mean, or a key of SHARES, of the number of relevant features among the selected ones."""
    draws = Draws(results)
    values, note = draws.values(method), f"{statistic} of the correct selections"
    if share := SHARES.get(statistic):
        quantile = float(values.quantile(share))
        noise = QuantileNoise(values.to_numpy(), share)
        return outcome.number(quantile, published, "count", noise, note)
    of_mean, note = MeanNoise.of_draws(values, 0.0, draws.most), f"{note} of {values.name}"
    return outcome.number(float(values.mean()), published, "count", of_mean, note)


def at_every_scale(results: ResultsFolder) -> Estimate:
    """The claim that manifest finds more than one of two features at every kernel scale tried."""
    most = Draws(results).most
    parts = [
        outcome.mean_of_draws(part["correct"], 0.0, most, str(scale))
        for scale, part in results.rows.groupby("parameters", sort=False)
    ]
    note = "mean of the correct selections of manifest, {first}; {rule}"
    return outcome.sentence(parts, outcome.above(1), "draws", note)


def single_run(results: ResultsFolder, published: Published, method: str) -> Estimate:
    """The count of the first draw, and the interval that holds 95 % of the draws."""
    draws = Draws(results).values(method)
    note = (
        f"correct selections of {draws.name} in the first draw, next to 95 % of {len(draws)} "
        f"draws, whose mean is {draws.mean():.2f}; so few draws cannot show that a count of one "
        "draw is rarer than 5 %, so no count could be different"
    )
    return outcome.listed(float(draws.iloc[0]), middle(draws, outcome.SHOWN), "draws", note)


def selected(
    results: ResultsFolder, case: str, features: list[int], note: str, rule: str = "above"
) -> Estimate:
    """The claim that more, or less, than half of the draws of a toy case select each feature."""
    parts = [_selected(results, case, feature) for feature in features]
    return outcome.sentence(parts, outcome.RULES[rule](0.5), EXACT, note)


def _selected(results, case, feature) -> Quantity:
    """The share of the draws of a case in which manifest selects a feature."""
    row = rows_at(results.table("features"), case=case, method="manifest", feature=feature)
    summary = rows_at(results.summary, case=case, method="manifest")
    if row.empty or summary.empty:
        raise Missing(f"case {case} of manifest is not among the results stored there")
    share, n = float(row["selected"].iloc[0]), int(summary["n_draws"].iloc[0])
    exact = stats.binomtest(round(share * n), n).proportion_ci
    return Quantity(share, exact, first=f"f{feature}")
