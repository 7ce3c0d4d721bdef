"""Readers of claims about the accuracy of an SVM on the selected features, in percent.

Numbers are the best mean test accuracy over the numbers of features, under the reading that a claim
names. Differences between methods are paired by split, and their intervals have the correction of
Nadeau and Bengio, since the training parts of the splits overlap.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property, lru_cache, partial
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import stats

from experiments.evaluation import statistics
from experiments.report.claims import outcome
from experiments.report.claims.noise import MeanNoise, resamples
from experiments.report.claims.outcome import Estimate, Missing, Published, Quantity, need_several
from experiments.report.claims.results_folder import ResultsFolder, filters, stored
from experiments.report.names import ALL_FEATURES

FEW, ALL = 0.05, 1.0
#: The method that stands for the filter with the best mean accuracy.
OTHERS = "others"
SCALES = ("manifest_p5", "manifest_p50", "manifest_p95")
#: A method fails that loses more points than this, the margin of an accuracy.
LOST = outcome.MARGINS["accuracy"].size
#: The noise of a difference that is paired by split.
PAIRED = "splits, Nadeau and Bengio"


class Accuracies:
    """The rows and the summary of one reading and one share of the rows that rank.

    The best mean accuracy over the numbers of features is optimistic, the more so the fewer splits
    are averaged. So results of more splits than a published number has are read as several studies
    of as many splits each, and each study takes its own best number of features. `study` is the
    number of splits of a study, by default of all results; splits that are left over go with the
    last one. Missing is raised if the results do not have the reading or the share.
    """

    def __init__(
        self,
        results: ResultsFolder,
        reading: str = "paper",
        share: float = ALL,
        study: int | None = None,
    ):
        self.results, self.reading, self.share = results, reading, share
        self.summary = self._part(results.summary).set_index("method")
        self.rows = dict(iter(self._part(results.rows).groupby("method", sort=False)))
        self.study = study or results.repetitions
        self.grid, self.splits = cache(self._grid), cache(self._splits)

    def _part(self, table):
        """The rows of the reading and the share that were computed here.

        A row without ranking_share, such as that of a classifier, ranks from all rows.
        """
        if "quoted" in table:
            table = table[~table["quoted"].fillna(False).astype(bool)]
        shares = table.get("ranking_share", pd.Series(ALL, table.index)).fillna(ALL)
        part = table[(table["reading"] == self.reading) & np.isclose(shares, self.share)]
        if part.empty:
            name = f"the reading {self.reading}, ranked from {self.share:g} of the rows,"
            raise Missing(f"{name} is not among the results stored there")
        return part

    def name(self, method: str) -> str:
        """The name under which the results have a method that did not fail."""
        if method == OTHERS:
            return max(self.filters(), key=self.summary["accuracy"].get)
        return stored(method, self.summary["accuracy"].dropna().index)

    def filters(self, *, distinct: bool = False) -> list[str]:
        """The filters other than ManiFeSt that the results have."""
        return filters(self.summary.index, distinct=distinct)

    def _grid(self, method: str, column: str = "test") -> pd.DataFrame:
        """One row for each split, and one column for each number of features."""
        rows = self.rows[stored(method, self.rows)]
        return 100 * rows.pivot(index="split", columns="n_features", values=column)

    def _splits(self, method: str) -> pd.Series:
        """The accuracy of each split at the number of features with its study's best mean."""
        if self.selects_itself(method):
            return 100 * self.rows[method].set_index("split")["test"].sort_index()
        # Equal means differ by rounding; of those the fewest features are taken.
        parts = [part[part.mean().round(9).idxmax()] for part in self.studies(self.grid(method))]
        return pd.concat(parts).rename(None)

    def studies(self, table):
        """The parts of a table, or of a series, by split: one for each study."""
        last = max(1, self.results.repetitions // self.study) - 1
        return [part for _, part in table.groupby(np.minimum(table.index // self.study, last))]

    def selects_itself(self, method: str) -> bool:
        """True if it has one row for each split, as a classifier and the SVM on all features."""
        return method in self.rows and self.rows[method]["split"].is_unique

    def gaps(self, method: str) -> pd.Series:
        """Validation minus test accuracy of each split, averaged over the numbers of features."""
        return (self.grid(method, "validation") - self.grid(method)).mean(axis=1)

    def noise(self, name: str) -> MeanNoise:
        """The noise of a method's mean under another choice of splits of the same samples.

        Splits of one cross-validation depend on one another: their mean varies less than the
        splits do. So the deviation is that of the means of whole cross-validations, if there are
        two or more: the deviation of a split times a ratio that all methods tell together, from the
        results with most splits of the same samples. Random splits are independent, given the
        samples.
        """
        values = self.splits(name).dropna().to_numpy()
        need_several(len(values))
        order = 100 * self.results.order_deviations.get(name, 0.0)
        deviation, block = float(values.std(ddof=1)), self.results.splits_a_repeat
        if block and len(values) // block >= 2:
            ratio, freedom = self._repeats
            deviation *= np.sqrt(ratio / block)
            return MeanNoise("repeats", deviation, len(values), block, order, freedom)
        word = "splits of one repeat" if block else "splits"
        return MeanNoise(word, deviation, len(values), order=order)

    @cached_property
    def _repeats(self):
        """See :func:`experiments.evaluation.statistics.repeat_ratio`."""
        if (more := self.results.more) and more.has_splits_of(self.results):
            return read(more, self.reading, self.share, self.study)._repeats
        block = self.results.splits_a_repeat
        names = [name for name in self.rows if name != ALL_FEATURES]
        table = pd.DataFrame({name: self.splits(name) for name in names})
        values = table.dropna(axis="columns").to_numpy().T
        return statistics.repeat_ratio(values[:, : values.shape[1] // block * block], block)

    def paired(self, first: pd.Series, second: pd.Series) -> Quantity:
        """The mean of first minus second on the splits that both have."""
        values = (first - second).dropna().to_numpy()
        need_several(len(values))
        share = self.results.test_size / (1 - self.results.test_size)
        interval, floor = statistics.resampled_interval, statistics.resampled_floor
        ends = (partial(of, values, share) for of in (interval, floor))
        return Quantity(float(values.mean()), *ends)

    def above(
        self,
        pairs: Mapping[str, tuple[pd.Series, pd.Series]],
        note: str,
        reference: float = 0,
        *,
        is_race: bool = False,
    ) -> Estimate:
        """The sentence that the differences of all pairs, split by split, lie above a reference."""
        parts = {name: self.paired(*pair) for name, pair in pairs.items()}
        return outcome.every(parts, PAIRED, note, reference, is_race=is_race)

    def words(self, name: str) -> str:
        """The mean of the splits in words."""
        if name == ALL_FEATURES:
            return "test accuracy on all features"
        where = "" if self.selects_itself(name) else ", best over the numbers of features"
        return f"test accuracy of {name}{where}{self.several(name)}"

    def several(self, name: str) -> str:
        """The number of studies in words, if there are several."""
        first, *more = self.studies(self.splits(name))
        return f" in each of {1 + len(more)} studies of {len(first)} splits" if more else ""


#: The accuracies, read once.
read = lru_cache(maxsize=64)(Accuracies)


def best(results: ResultsFolder, published: Published, method: str, reading="paper") -> Estimate:
    """The best mean test accuracy of a method over the numbers of features."""
    here = read(results, reading, study=published.repetitions)
    name = here.name(method)
    value = float(here.splits(name).mean())
    return outcome.number(value, published, "accuracy", here.noise(name), here.words(name))


def error(results: ResultsFolder, published: Published, method: str, reading="paper") -> Estimate:
    """100 minus the accuracy of :func:`best`; pooled over the splits if these are counted."""
    here = read(results, reading, study=published.repetitions)
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
    return outcome.number(value, published, "accuracy", here.noise(name), note)


def deviation(
    results: ResultsFolder, published: Published, method: str, reading="paper"
) -> Estimate:
    """The standard deviation over the splits of the accuracies whose mean is :func:`best`.

    Of several studies it is the root of the mean variance.
    """
    here = read(results, reading, study=published.repetitions)
    parts = here.studies(here.splits(method))
    freedom = np.array([len(part) - 1 for part in parts])
    need_several(n := 1 + int(freedom.sum()))
    variance = np.average([part.var(ddof=1) for part in parts], weights=freedom)
    value, note = float(np.sqrt(variance)), f"standard deviation over splits{here.several(method)}"
    interval = statistics.deviation_interval(value, n, outcome.SHOWN)
    return outcome.listed(value, interval, "splits, chi-squared", note)


def larger_deviation(results: ResultsFolder, method: str, other: str) -> Estimate:
    """The claim that a method's accuracies have a larger deviation than another's."""
    here = read(results)
    own, theirs = (here.splits(name).dropna() for name in (method, other))
    need_several(min(len(own), len(theirs)))
    ratio = float(own.std(ddof=1) / theirs.std(ddof=1))

    def interval(level):
        tails = stats.f.ppf([(1 + level) / 2, (1 - level) / 2], len(own) - 1, len(theirs) - 1)
        return tuple((ratio / np.sqrt(tails)).tolist())

    note = f"standard deviation over splits of {method} over that of {other}"
    return outcome.sentence(Quantity(ratio, interval), "splits, F distribution", note, 1)


def n_features(
    results: ResultsFolder, published: Published, method: str, reading="paper"
) -> Estimate:
    """The number of features at which a method is best."""
    here = read(results, reading)
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
    quantity = Quantity(float(once), partial(_bootstrap, float(once), drawn))
    return outcome.sentence(quantity, "splits, bootstrap", note, 1)


def _sizes(grid, weights):
    """The best number of features by weighted splits; of equal means that of fewest features."""
    return grid.columns.to_numpy(float)[(weights @ grid.to_numpy()).round(9).argmax(-1)]


def _bootstrap(value, drawn, level):
    """The interval of a value by its resamples, of which the ends are two."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="nearest")
    return float(min(low, value)), float(max(high, value))


def others_at_most(results: ResultsFolder, published: Published, reading="paper") -> Estimate:
    """The claim that no other filter is better than the published number.

    It holds if the best filter is shown to be less than the margin above the number.
    """
    found = best(results, published, OTHERS, reading)
    name = read(results, reading).name(OTHERS)
    return replace(
        found,
        margin=f"≤ {published.value:g}, within {LOST:g} points",
        outcome=outcome.at_most(found.diff_low, found.diff_high, LOST),
        note=f"test accuracy of {name}, the best filter; it is compared with the number",
        is_undecidable=False,
        is_lasting=False,
    )


def highest(
    results: ResultsFolder,
    method: str = "manifest",
    others: list[str] | None = None,
    reading="paper",
    share: float = ALL,
) -> Estimate:
    """The claim that a method is more accurate than others, each at its best number of features.

    Without a list, the others are all filters, of which those that rank alike count once. The share
    is that of the training rows that features are ranked from.
    """
    here = read(results, reading, share)
    names = here.filters(distinct=True) if others is None else others
    own = here.splits(method)
    pairs = {name: (own, here.splits(name)) for name in names if name in here.rows}
    return here.above(pairs, f"{method} minus {{}} in points, paired by split", is_race=True)


def at(results: ResultsFolder, published: Published, method: str, n_features: int) -> Estimate:
    """The mean test accuracy of a method at a number of features, over independent draws.

    If the method was tried on other orders of the features, these widen the interval.
    """
    values = _draws(results, method, n_features)
    table = results.table("accuracies")
    row = table[(table["method"] == method) & (table["n_features"] == n_features)]
    order = 100 * float(row.get("order_std", pd.Series()).fillna(0).sum())
    noise = MeanNoise.of_draws(values, 0.0, 100.0, order)
    note = f"test accuracy of {method} at {n_features} features"
    return outcome.number(float(values.mean()), published, "accuracy", noise, note)


def highest_at(results: ResultsFolder, method: str, sizes: list[int]) -> Estimate:
    """The claim that a method is above every filter and a random choice at all numbers.

    Other scores of ManiFeSt do not count as filters. Draws are independent.
    """
    apart = ("manifest", ALL_FEATURES)
    others = [name for name in read(results).rows if not name.startswith(apart)]
    parts, means = {}, []
    for size in sizes:
        own = _draws(results, method, size)
        differences = {name: own - _draws(results, name, size) for name in others}
        smallest = min((values.mean() for values in differences.values()), default=np.nan)
        means.append(f"{smallest:.2f} at {size}")
        # Filters that select the same features in all draws are one.
        distinct = {tuple(values): name for name, values in reversed(differences.items())}
        for name in distinct.values():
            values = differences[name].dropna()
            parts[f"{name} at {size} features"] = outcome.mean_of_draws(values, -100.0, 100.0)
    note = f"{method} minus {{}}, in points, paired by draw; the smallest mean difference is "
    return outcome.every(parts, "draws", note + ", ".join(means))


def _draws(results, method, n_features):
    """Test accuracies at a number of features, one for each draw."""
    grid = read(results).grid(method)
    if n_features not in grid:
        raise Missing(f"{method} at {n_features} features is not among the results stored there")
    need_several(len(grid))
    return grid[n_features]


def on_par(results: ResultsFolder) -> Estimate:
    """The claim that manifest is as accurate as each filter, within the margin of accuracy."""
    here = read(results)
    both = [("manifest", name) for name in here.filters(distinct=True)]
    pairs = {
        f"{first} minus {second}": (here.splits(first), here.splits(second))
        for pair in both
        for first, second in (pair, pair[::-1])
    }
    return here.above(pairs, "{} in points, paired by split", -LOST)


def identify(results: ResultsFolder) -> Estimate:
    """The claim that all methods find features that serve better than all features together.

    Each is to be more accurate than the SVM on all features, by more than the margin.
    """
    here = read(results)
    baseline = here.splits(ALL_FEATURES)
    names = ["manifest", *here.filters(distinct=True)]
    pairs = {name: (here.splits(name), baseline) for name in names}
    return here.above(pairs, "{} minus the SVM on all features in points, paired by split", LOST)


def peaked(results: ResultsFolder, method: str) -> Estimate:
    """The claim that too few and too many features cost more than the margin of an accuracy.

    One feature is too few, and all features are too many.
    """
    here = read(results)
    own, grid = here.splits(method), here.grid(method)
    pairs = {f"{size} features": (own, grid[size]) for size in grid.columns[[0, -1]]}
    note = f"best accuracy of {method} minus that at {{}} in points, paired by split"
    return here.above(pairs, note, LOST)


def few_features(results: ResultsFolder, method: str, share: float) -> Estimate:
    """The claim that a small share of the features already serves as well as the best number."""
    here = read(results)
    grid = here.grid(method)
    numbers = grid.columns.to_numpy(float)
    sizes = grid.columns[numbers <= share * numbers[-1]]
    if sizes.empty:
        raise Missing(f"the results stored there have no number of features up to {share:.0%}")
    note = f"best accuracy of {method} minus that at {sizes[-1]} features, paired by split"
    return outcome.not_more(here.paired(here.splits(method), grid[sizes[-1]]), PAIRED, note)


def needs_no_scaling(results: ResultsFolder, largest: float) -> Estimate:
    """The claim that an SVM learns from the features as they are.

    On all of them it is to be better, by more than the margin, than the most frequent class, whose
    share in percent is `largest`.
    """
    here = read(results)
    if (scaling := results.record["config"]["dataset"].get("scaling")) not in (None, "none"):
        raise Missing(f"the features of the results stored there were scaled: {scaling}")
    own = here.splits(ALL_FEATURES)
    pairs = {"the most frequent class": (own, 0 * own + largest)}
    return here.above(pairs, "SVM on all features, without scaling, minus {} in points", LOST)


def five_percent_unaffected(results: ResultsFolder, method: str) -> Estimate:
    """The claim that a method loses nothing when it ranks from 5 % of the training rows."""
    note = "points lost when ranking from 5 % of the rows, paired by split"
    return outcome.not_more(read(results).paired(*_lost(results, method)), PAIRED, note)


def five_percent_fails(results: ResultsFolder, method: str) -> Estimate:
    """The claim that a method fails by ranking from 5 % of the training rows.

    It fails if it loses more than the margin of an accuracy, against itself ranked from all rows
    and against ManiFeSt ranked from as few.
    """
    few = read(results, share=FEW)
    pairs = {
        "its own accuracy from all rows": _lost(results, method),
        "manifest": (few.splits("manifest"), few.splits(method)),
    }
    note = "points behind {} when ranking from 5 % of the rows, paired by split"
    return few.above(pairs, note, LOST)


def _lost(results, method) -> tuple[pd.Series, pd.Series]:
    """The accuracy of each split from all rows, and that from 5 % of the rows."""
    return read(results).splits(method), read(results, share=FEW).splits(method)


def smallest_gap(results: ResultsFolder) -> Estimate:
    """The claim that the gap of validation and test accuracy is the smallest for manifest.

    The others are all filters that the results have; those that rank alike count once.
    """
    here = read(results)
    own = here.gaps("manifest")
    pairs = {name: (here.gaps(name), own) for name in here.filters(distinct=True)}
    note = "gap of {} minus gap of manifest, in points, mean over the numbers of features"
    return here.above(pairs, f"{note}, paired by split")


def falling_gap(results: ResultsFolder) -> Estimate:
    """The claim that the gap of manifest falls as its kernel scale grows, over three scales."""
    here = read(results)
    gaps = {name: here.gaps(name) for name in SCALES}
    means = ", ".join(f"{gap.mean():.2f}" for gap in gaps.values())
    pairs = {f"{one} to {two}": (gaps[one], gaps[two]) for one, two in pairwise(SCALES)}
    note = f"fall of the gap from {{}}, in points; the three gaps are {means}"
    return here.above(pairs, f"{note}; mean over the numbers of features, paired by split")
