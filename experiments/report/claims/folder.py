"""Read the results of one experiment for claims."""

from collections.abc import Container, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.evaluation.accuracies import ALL_FEATURES, best_number
from experiments.report.claims.noise import Mean, mean_of
from experiments.report.stored import Missing, chosen, provenance_of

#: Filters of the paper; "others" means the one with the best mean accuracy.
FILTERS = ("gini", "anova", "ttest", "ig", "laplacian", "relieff")
#: Method of the paper -> the names that its results may have, the paper's own variant first. A name
#: is replaced once, where a claim has it; within results names are exact.
STORED = {"ig": ("ig_ross", "ig"), "relieff": ("relieff_skfeature", "relieff")}


class Folder:
    """The tables of ``results/EXPERIMENT``; raises Missing unless the profile is ``paper``."""

    def __init__(self, path: Path):
        if not (path / "summary.csv").is_file():
            raise Missing(f"results/{path.name} does not exist")
        record = provenance_of(path)
        if record["profile"] != "paper":
            raise Missing(f"results/{path.name} is not a whole run of the profile paper")
        #: Methods of the run that decide no claim.
        self.controls: list[str] = record["config"].get("controls", [])
        protocol = record["config"]["protocol"]
        self.path = path
        self.n: int = protocol["n_repetitions"]
        #: The splits of one cross-validation; 0 for random splits.
        self.block = 0
        share = protocol.get("test_size")
        if share:
            n_folds = round(1 / share)
            self.block = n_folds if abs(1 / share - n_folds) < 1e-9 else 0

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each comparison."""
        return pd.read_parquet(self.path / "rows.parquet")


class Values:
    """One value for each method and split, or draw; accuracies and gaps are in percent.

    The best mean accuracy over the numbers of features is optimistic, and more so with fewer
    splits. If our results have more splits than a published number, they are therefore divided into
    studies with as many splits, and each study uses its own best number of features.

    Parameters
    ----------
    folder : Folder
    measure : {"test", "gap", "correct", "accuracy", "recovered", "source"}
        The test accuracy of a split, or the validation accuracy minus it; the number of relevant
        features, or the accuracy, of a draw; the percentage of the relevant features that a draw
        from few samples finds; or the accuracy on the held-out data sets of a source in the arena,
        whose interval is for other sources.
    tuning, share
        The way of tuning, and the share of the rows for ranking, of splits.
    study : int
        The number of splits of a published number; 0 for as many as ours.
    where : tuple of (column, value)
        The rows that are read.
    """

    def __init__(
        self,
        folder: Folder,
        measure: str = "test",
        tuning: str = "paper",
        share: float = 1.0,
        study: int = 0,
        where: Sequence[tuple[str, Any]] = (),
    ):
        self.folder = folder
        self.measure = measure
        self.tuning = tuning
        self.share = share
        self.study = study or folder.n
        #: The splits of one cross-validation, or 0.
        self.block = folder.block if measure in ("test", "gap") else 0
        #: The largest possible value.
        self.most = 100.0
        if measure == "source":
            self.rows = self._of_sources(where)
        else:
            rows = folder.rows
            for column, value in where:
                rows = rows[rows[column] == value]
            of_measure = self._of_splits if measure in ("test", "gap") else self._of_draws
            self.rows = of_measure(rows)
        self.methods = list(dict.fromkeys(self.rows["method"]))

    def _of_splits(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the test accuracy of each split, or the gap."""
        rows = self._part(rows)
        test = 100 * rows["test"]
        if self.measure == "test":
            return rows.assign(value=test)
        return rows.assign(value=100 * rows["validation"] - test)

    def _of_sources(self, where: Sequence[tuple[str, Any]]) -> pd.DataFrame:
        """Return rows with the mean accuracy on each source of which a method has all data sets."""
        problems = chosen(self.folder.path / "problems.csv", {"held_out": True, **dict(where)})
        n_sets = problems.groupby("source")["data_set"].transform("nunique")
        n_measured = problems.groupby(["method", "source"])["accuracy"].transform("count")
        problems = problems[n_measured == n_sets]
        means = problems.groupby(["method", "source"], sort=False)["accuracy"].mean()
        rows = means.reset_index().rename(columns={"source": "split"})
        return rows.assign(n_features=0, value=100 * rows["accuracy"])

    def _of_draws(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows with the value of each draw."""
        if self.measure == "recovered":
            values = 100 * rows["recovered"] / rows["n_relevant"]
        else:
            rows = rows[rows["tuned"]]
            values = rows[self.measure]
            if self.measure == "correct":
                self.most = float(rows["relevant"].dropna().map(len).max())
            else:
                values = 100 * values
        return rows.rename(columns={"draw": "split"}).assign(n_features=0, value=values)

    def _part(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of the tuning and the share; a classifier uses all rows."""
        is_share = np.isclose(table["ranking_share"].fillna(1.0), self.share)
        part = table[(table["tuning"] == self.tuning) & is_share]
        if part.empty:
            raise Missing(f"no tuning {self.tuning} from {self.share:g} of the rows")
        return part

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The rows of summary.csv by method."""
        summary = pd.read_csv(self.folder.path / "summary.csv")
        return self._part(summary).set_index("method")

    def name(self, method: str) -> str:
        """Return the stored name of a method of a claim; "others" is the best filter."""
        if method == "others":
            means = self.summary["accuracy"].dropna()
            filters = [stored_name(name, means.index) for name in FILTERS]
            return max(filter(None, filters), key=lambda name: means[name])
        name = stored_name(method, self.methods)
        if name is None:
            raise Missing(f"{method} is not among the results")
        return name

    def values(self, stored: str, n_features: int | None = None) -> pd.Series:
        """Return the value of each split at a number of features, of a method by its stored name.

        By default it is the accuracy at the best number, or the mean of the gaps over all numbers.
        """
        rows = self.rows[self.rows["method"] == stored]
        grid = rows.pivot(index="split", columns="n_features", values="value")
        if n_features is not None:
            return grid[n_features]
        has_one_each = grid.notna().sum(axis=1).max() == 1
        if self.measure == "gap" or has_one_each:
            return grid.mean(axis=1)
        n_studies = max(1, self.folder.n // self.study)
        study_of = np.minimum(grid.index // self.study, n_studies - 1)
        best = []
        for _, study in grid.groupby(study_of):
            best.append(study[best_number(study.mean())])
        return pd.concat(best)

    @cached_property
    def together(self) -> pd.DataFrame:
        """The values of all methods but controls, which tell together how repeats vary."""
        columns = {}
        for name in self.methods:
            if name not in (ALL_FEATURES, *self.folder.controls):
                columns[name] = self.values(name)
        return pd.DataFrame(columns).dropna(axis="columns")

    @cached_property
    def paired(self) -> pd.DataFrame:
        """The differences of all pairs of methods."""
        return differences(self.together)

    def mean(self, values: pd.Series, name: str = "", *, paired: bool = False) -> Mean:
        """Return the mean of the values of a method, or of differences of two."""
        together = None
        if self.block:
            together = self.paired if paired else self.together
        return mean_of(values, self.block, together, most=self.most, paired=paired, name=name)


#: The values, read once.
values_of = lru_cache(maxsize=64)(Values)


def differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of all pairs of columns."""
    columns = {}
    for first, second in combinations(table, 2):
        columns[first, second] = table[first] - table[second]
    return pd.DataFrame(columns)


def stored_name(method: str, present: Container[str]) -> str | None:
    """Return the name of a method of the paper in the results; None if it is missing."""
    for name in STORED.get(method, (method,)):
        if name in present:
            return name
    return None
