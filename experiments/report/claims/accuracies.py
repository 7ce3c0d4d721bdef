"""Accuracies of a results folder, split by split and in percent, as claims read them."""

from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import repeat_ratio, resampled_floor, resampled_interval
from experiments.report.claims.names import ALL_FEATURES, filters, stored
from experiments.report.claims.noise import MeanNoise
from experiments.report.claims.results_folder import ResultsFolder
from experiments.report.claims.verdict import Missing, Quantity, need_several

FEW, ALL = 0.05, 1.0
OVERLAP = "splits, Nadeau and Bengio"


class Accuracies:
    """The rows and the summary of one reading and one share of the rows that rank.

    The best mean accuracy over the numbers of features is optimistic, the more so the fewer splits
    are averaged. So results of more splits than a published number has are read as several studies
    of as many splits each, and each study takes its own best number of features.

    Parameters
    ----------
    results : ResultsFolder
    reading : str
    share : float
    study : int, optional
        How many splits a study has; what is left over goes with the last one. All splits are one
        study where it is not given.

    Raises
    ------
    Missing
        If the results do not have them.
    """

    def __init__(
        self,
        results: ResultsFolder,
        reading: str = "paper",
        share: float = ALL,
        study: int | None = None,
    ):
        self.results, self.share, self.study = results, share, study
        self._reading = reading
        self.summary = self._part(results.summary, reading).set_index("method")
        self.rows = self._part(results.rows, reading)
        self._grids: dict[tuple[str, str], pd.DataFrame] = {}
        self._splits: dict[str, pd.Series] = {}

    def _part(self, table, reading):
        """The rows of this reading and share that were computed here.

        What has no ranking_share, such as a classifier, ranks from all rows.
        """
        if "quoted" in table:
            table = table[~table["quoted"].fillna(False).astype(bool)]
        of_share = table.get("ranking_share", pd.Series(ALL, table.index)).fillna(ALL)
        found = table[(table["reading"] == reading) & np.isclose(of_share, self.share)]
        if found.empty:
            name = f"the reading {reading}, ranked from {self.share:g} of the rows,"
            raise Missing(f"{name} is not among the results stored there")
        return found

    def row(self, method: str) -> pd.Series:
        """The row of the summary of a method."""
        row = self.summary.loc[stored(method, self.summary.index)]
        if pd.isna(row["accuracy"]):
            raise Missing(f"{method} is not among the results stored there")
        return row

    def filters(self, *, distinct: bool = False) -> list[str]:
        """The filters other than ManiFeSt that the results have."""
        return filters(self.summary.index, distinct=distinct)

    def best_filter(self) -> str:
        """The filter with the best mean accuracy."""
        return max(self.filters(), key=lambda name: self.summary.loc[name, "accuracy"])

    def grid(self, method: str, column: str = "test") -> pd.DataFrame:
        """One row for each split, and one column for each number of features."""
        name = stored(method, self.rows["method"].unique())
        if (name, column) not in self._grids:
            found = self.rows[self.rows["method"] == name]
            self._grids[name, column] = 100 * found.pivot(
                index="split", columns="n_features", values=column
            )
        return self._grids[name, column]

    def splits(self, method: str) -> pd.Series:
        """The accuracy of each split at the number of features with its study's best mean."""
        if method not in self._splits:
            self._splits[method] = self._best(method)
        return self._splits[method]

    def _best(self, method):
        if self.selects_itself(method):
            here = self.rows[self.rows["method"] == method]
            return 100 * here.set_index("split")["test"].sort_index()
        # Equal means differ by rounding; of those the fewest features are taken.
        parts = [part[part.mean().round(9).idxmax()] for part in self.studies(self.grid(method))]
        return pd.concat(parts).rename(None)

    def studies(self, table):
        """The parts of a table, or of a series, by split: one for each study."""
        n_splits = self.results.repetitions
        size = self.study or n_splits
        last = max(1, n_splits // size) - 1
        return [part for _, part in table.groupby(np.minimum(table.index // size, last))]

    def pooled(self, method: str) -> tuple[int, int] | None:
        """Wrong predictions and all predictions of all splits; None where these were not stored."""
        row, values = self.row(method), self.splits(method)
        if "n_test" in self.rows:
            n_test = self.rows.groupby("split")["n_test"].first()[values.index]
            return int((n_test * (1 - values / 100)).round().sum()), int(n_test.sum())
        if len(self.studies(values)) == 1 and pd.notna(row.get("n_errors")):
            return int(row["n_errors"]), int(row["n_tested"])
        return None

    def selects_itself(self, method: str) -> bool:
        """True if it has one row for each split, as a classifier and the SVM on all features."""
        found = self.rows.loc[self.rows["method"] == method, "split"]
        return len(found) > 0 and found.is_unique

    def gaps(self, method: str) -> pd.Series:
        """Validation minus test accuracy of each split, averaged over the numbers of features."""
        return (self.grid(method, "validation") - self.grid(method)).mean(axis=1)

    def noise(self, method: str) -> MeanNoise:
        """The noise of a method's mean under another choice of splits of the same samples.

        Splits of one cross-validation depend on one another: their mean varies less than the
        splits do. So the deviation is that of the means of whole cross-validations, where there are
        two or more; how much smaller it is, all methods tell together, from the results with most
        splits of the same samples. Random splits are independent, given the samples.
        """
        values = self.splits(method).dropna().to_numpy()
        order = 100 * self.results.order_deviations.get(str(self.row(method).name), 0.0)
        block = self.results.splits_a_repeat
        n_blocks = len(values) // block if block else 0
        need_several(len(values))
        deviation = float(values.std(ddof=1))
        if n_blocks >= 2:
            ratio, freedom = self._repeats
            deviation *= np.sqrt(ratio / block)
            return MeanNoise("repeats", deviation, len(values), block, order, freedom)
        word = "splits of one repeat" if block else "splits"
        return MeanNoise(word, deviation, len(values), order=order)

    @cached_property
    def _repeats(self):
        """See :func:`experiments.evaluation.statistics.repeat_ratio`."""
        if (more := self.results.with_more_splits) is not self.results:
            study = self.study or self.results.repetitions
            return read(more, self._reading, self.share, study)._repeats
        block = self.results.splits_a_repeat
        names = [name for name in self.rows["method"].unique() if name != ALL_FEATURES]
        table = pd.DataFrame({name: self.splits(name) for name in names})
        values = table.dropna(axis="columns").to_numpy().T
        return repeat_ratio(values[:, : values.shape[1] // block * block], block)

    def paired(self, first: pd.Series, second: pd.Series) -> Quantity:
        """The mean of first minus second on the splits that both have."""
        values = (first - second).dropna().to_numpy()
        need_several(len(values))
        share = self.results.test_share
        return Quantity(
            float(values.mean()),
            lambda level: resampled_interval(values, share, level),
            lambda level: resampled_floor(values, share, level),
        )


@lru_cache(maxsize=64)
def read(
    results: ResultsFolder,
    reading: str = "paper",
    share: float = ALL,
    study: int | None = None,
) -> Accuracies:
    """The accuracies, read once."""
    return Accuracies(results, reading, share, study)
