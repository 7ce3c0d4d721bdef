"""The accuracies of an SVM on the selected features, in percent, as claims read them."""

from functools import cache, cached_property, lru_cache, partial

import numpy as np
import pandas as pd

from experiments.evaluation import statistics
from experiments.report.claims.noise import MeanNoise
from experiments.report.claims.outcome import Missing, Quantity, mean_of_draws, need_several
from experiments.report.claims.results_folder import FILTERS, ResultsFolder, found, stored
from experiments.report.names import ALL_FEATURES

ALL = 1.0
#: The method that stands for the filter with the best mean accuracy.
OTHERS = "others"


class Accuracies:
    """The rows and the summary of one tuning and one share of the rows that rank.

    The best mean accuracy over the numbers of features is optimistic, the more so the fewer splits
    are averaged. So results of more splits than a published number has are read as several studies
    of as many splits each, and each study takes its own best number of features. `study` is the
    number of splits of a study, by default of all results; splits that are left over go with the
    last one. Missing is raised if the results do not have the tuning or the share.
    """

    noise = "splits, Nadeau and Bengio"
    note = "{first} minus {second} in points, paired by split{ahead}; {rule}"
    most = 100.0

    def __init__(
        self,
        results: ResultsFolder,
        tuning: str = "paper",
        share: float = ALL,
        study: int | None = None,
    ):
        self.results, self.tuning, self.share = results, tuning, share
        self.summary = self._part(results.summary).set_index("method")
        self.rows = dict(iter(self._part(results.rows).groupby("method", sort=False)))
        self.names, self.n = self.rows.keys(), results.repetitions
        self.study = study or self.n
        self.grid, self.splits = cache(self._grid), cache(self._splits)

    def _part(self, table):
        """The rows of the tuning and the share that were computed here.

        A row without ranking_share, such as that of a classifier, ranks from all rows.
        """
        shares = table.get("ranking_share", pd.Series(ALL, table.index)).fillna(ALL)
        part = table[(table["tuning"] == self.tuning) & np.isclose(shares, self.share)]
        if part.empty:
            name = f"the tuning {self.tuning}, ranked from {self.share:g} of the rows,"
            raise Missing(f"{name} is not among the results stored there")
        return part

    def name(self, method: str) -> str:
        """The name under which the results have a method that did not fail."""
        means = self.summary["accuracy"]
        if method != OTHERS:
            return stored(method, means.dropna().index)
        filters = [name for each in FILTERS if (name := found(each, means.index))]
        if not filters:
            raise Missing("no other method is among the results stored there")
        return max(filters, key=means.get)

    def shares(self, method: str, column: str = "test") -> pd.DataFrame:
        """One row for each split, and one column for each number of features."""
        rows = self.rows[stored(method, self.rows)]
        return rows.pivot(index="split", columns="n_features", values=column)

    def _grid(self, method: str, column: str = "test") -> pd.DataFrame:
        """See :meth:`shares`; in percent."""
        return 100 * self.shares(method, column)

    def _splits(self, method: str) -> pd.Series:
        """The accuracy of each split at the number of features with its study's best mean."""
        if self.selects_itself(method):
            return 100 * self.rows[method].set_index("split")["test"].sort_index()
        # Equal means differ by rounding; of those the fewest features are taken.
        parts = [part[part.mean().round(9).idxmax()] for part in self.studies(self.grid(method))]
        return pd.concat(parts).rename(None)

    def studies(self, table):
        """The parts of a table, or of a series, by split: one for each study."""
        last = max(1, self.n // self.study) - 1
        return [part for _, part in table.groupby(np.minimum(table.index // self.study, last))]

    def selects_itself(self, method: str) -> bool:
        """True if it has one row for each split, as a classifier and the SVM on all features."""
        return method in self.rows and self.rows[method]["split"].is_unique

    def values(self, method, share=None, n_features=None) -> pd.Series:
        """The accuracy of each split, at the best number of features if none is given."""
        if share is not None:
            return read(self.results, self.tuning, share).values(method, None, n_features)
        if n_features is None:
            return self.splits(method)
        grid = self.grid(method)
        if n_features not in grid:
            what = f"{method} at {n_features} features"
            raise Missing(f"{what} is not among the results stored there")
        need_several(len(grid))
        return grid[n_features]

    def mean(self, values: pd.Series, low: float, high: float, *names: str) -> Quantity:
        """The mean of a difference of two methods on the splits that both have."""
        need_several(len(values))
        share = self.results.test_size / (1 - self.results.test_size)
        interval = partial(statistics.resampled_interval, values, share)
        floor = partial(statistics.resampled_floor, values, share)
        return Quantity(float(values.mean()), interval, floor, *names)

    def noise_of(self, name: str) -> MeanNoise:
        """The noise of a method's mean under another choice of splits of the same samples.

        Splits of one cross-validation depend on one another: their mean varies less than the
        splits do. So the deviation is that of the means of whole cross-validations, if there are
        two or more: the deviation of a split times a ratio that all methods tell together. Random
        splits are independent, given the samples.
        """
        values = self.splits(name).dropna().to_numpy()
        need_several(n := len(values))
        deviation, block = float(values.std(ddof=1)), self.results.splits_a_repeat
        if block and n // block >= 2:
            ratio, freedom = self._repeats
            moved = deviation * np.sqrt(ratio / block)
            return MeanNoise("repeats", moved, n, block, freedom)
        word = "splits of one repeat" if block else "splits"
        return MeanNoise(word, deviation, n)

    @cached_property
    def _repeats(self):
        """See :func:`experiments.evaluation.statistics.repeat_ratio`."""
        block = self.results.splits_a_repeat
        names = [name for name in self.rows if name != ALL_FEATURES]
        table = pd.DataFrame({name: self.splits(name) for name in names})
        values = table.dropna(axis="columns").to_numpy().T
        return statistics.repeat_ratio(values[:, : values.shape[1] // block * block], block)

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


class Gaps(Accuracies):
    """Validation minus test accuracy of each split, averaged over the numbers of features."""

    def values(self, method, share=None, n_features=None):
        return (self.grid(method, "validation") - self.grid(method)).mean(axis=1)


class OwnSamples(Accuracies):
    """Accuracies of splits that have samples of their own, so that they are independent draws."""

    noise = "draws"
    mean = staticmethod(mean_of_draws)


#: The accuracies, read once.
read = lru_cache(maxsize=64)(Accuracies)
