"""Read the results of one experiment for claims."""

from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report.claims.noise import Mean, mean_of
from experiments.report.stored import provenance_of

#: Filters of the paper; "others" means the one with the best mean accuracy.
FILTERS = ("gini", "anova", "ttest", "ig", "laplacian", "relieff")
#: Method of the paper -> the names that its results may have, the paper's own variant first. A name
#: is replaced once, where a claim has it; within results names are exact.
STORED = {"ig": ("ig_ross", "ig"), "relieff": ("relieff_skfeature", "relieff")}


class Missing(Exception):
    """Raised if there is nothing to compare with a claim; the message says why."""


class Folder:
    """The tables of ``results/EXPERIMENT``; raises Missing unless the profile is ``paper``."""

    def __init__(self, path: Path):
        if not (path / "summary.csv").is_file():
            raise Missing(f"results/{path.name} does not exist")
        self.path, record = path, provenance_of(path)
        if record["profile"] != "paper":
            raise Missing(f"results/{path.name} is not a whole run of the profile paper")
        #: Methods of the run that decide no claim.
        self.controls: list[str] = record["config"].get("controls", [])
        protocol = record["config"]["protocol"]
        self.n: int = protocol["n_repetitions"]
        #: The splits of one cross-validation; 0 for random splits.
        self.block = 0
        if share := protocol.get("test_size"):
            is_whole = abs(1 / share - round(1 / share)) < 1e-9
            self.block = round(1 / share) if is_whole else 0

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each comparison."""
        return pd.read_parquet(self.path / "rows.parquet")

    def table(self, name: str, where: dict) -> pd.DataFrame:
        """Return the rows of a table whose columns have these values; Missing without any."""
        table = pd.read_csv(self.path / f"{name}.csv")
        for column, value in where.items():
            table = table[table[column] == value]
        if table.empty:
            raise Missing(f"{name}.csv has no such row")
        return table


class Values:
    """One value for each method and split, or draw; accuracies and gaps are in percent.

    The best mean accuracy over the numbers of features is optimistic, and more so with fewer
    splits. If our results have more splits than a published number, they are therefore divided into
    studies with as many splits, and each study uses its own best number of features.

    Parameters
    ----------
    folder : Folder
    of : {"test", "gap", "correct", "accuracy", "recovered", "source"}
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

    def __init__(self, folder: Folder, of="test", tuning="paper", share=1.0, study=0, where=()):
        self.folder, self.of, self.tuning, self.share = folder, of, tuning, share
        self.study, self.most, self.block = study or folder.n, 100.0, 0
        rows = folder.rows
        for column, value in where if of != "source" else ():
            rows = rows[rows[column] == value]
        if of in ("test", "gap"):
            self.block, rows = folder.block, self._part(rows)
            values = 100 * rows["test"]
            values = 100 * rows["validation"] - values if of == "gap" else values
        elif of == "source":
            rows = folder.table("problems", {"held_out": True, **dict(where)})
            rows = rows.groupby(["method", "source"], sort=False)["accuracy"].mean().reset_index()
            values = 100 * rows["accuracy"]
        elif of == "recovered":
            values = 100 * rows["recovered"] / rows["n_relevant"]
        else:
            rows = rows[rows["tuned"]]
            values = (1 if of == "correct" else 100) * rows[of]
        if of not in ("test", "gap"):
            rows = rows.rename(columns={"draw": "split", "source": "split"}).assign(n_features=0)
        if of == "correct":
            self.most = float(rows["relevant"].dropna().map(len).max())
        self.rows = rows.assign(value=values)
        self.methods = list(dict.fromkeys(rows["method"]))

    def _part(self, table):
        """Return the rows of the tuning and the share; a classifier uses all rows."""
        is_share = np.isclose(table["ranking_share"].fillna(1.0), self.share)
        part = table[(table["tuning"] == self.tuning) & is_share]
        if part.empty:
            raise Missing(f"no tuning {self.tuning} from {self.share:g} of the rows")
        return part

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The rows of summary.csv by method."""
        return self._part(self.folder.table("summary", {})).set_index("method")

    def name(self, method: str) -> str:
        """Return the stored name of a method of a claim; "others" is the best filter."""
        if method == "others":
            means = self.summary["accuracy"].dropna()
            filters = filter(None, (found(each, means.index) for each in FILTERS))
            return max(filters, key=lambda name: means[name])
        if name := found(method, self.methods):
            return name
        raise Missing(f"{method} is not among the results")

    def values(self, stored: str, n_features: int | None = None) -> pd.Series:
        """Return the value of each split at a number of features, of a method by its stored name.

        By default it is the accuracy at the best number, or the mean of the gaps over all numbers.
        """
        rows = self.rows[self.rows["method"] == stored]
        grid = rows.pivot(index="split", columns="n_features", values="value")
        if n_features is not None:
            return grid[n_features]
        has_one_each = grid.notna().sum(axis=1).max() == 1
        if self.of == "gap" or has_one_each:
            return grid.mean(axis=1)
        # Equal means differ by rounding; the smallest number of features is used.
        last = max(1, self.folder.n // self.study) - 1
        studies = [part for _, part in grid.groupby(np.minimum(grid.index // self.study, last))]
        return pd.concat([part[part.mean().round(9).idxmax()] for part in studies])

    @cached_property
    def together(self) -> pd.DataFrame:
        """The values of all methods but controls, which tell together how repeats vary."""
        without = {ALL_FEATURES, *self.folder.controls}
        names = [name for name in self.methods if name not in without]
        return pd.DataFrame({name: self.values(name) for name in names}).dropna(axis="columns")

    @cached_property
    def paired(self) -> pd.DataFrame:
        """The differences of all pairs of methods."""
        return differences(self.together)

    def mean(self, values: pd.Series, name: str = "", *, paired: bool = False) -> Mean:
        """Return the mean of the values of a method, or of differences of two."""
        together = (self.paired if paired else self.together) if self.block else None
        return mean_of(values, self.block, together, most=self.most, paired=paired, name=name)


#: The values, read once.
values_of = lru_cache(maxsize=64)(Values)


def differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of all pairs of columns."""
    return pd.DataFrame({(a, b): table[a] - table[b] for a, b in combinations(table, 2)})


def found(method: str, present) -> str | None:
    """Return the name of a method of the paper in the results; None if it is missing."""
    return next((name for name in STORED.get(method, (method,)) if name in present), None)
