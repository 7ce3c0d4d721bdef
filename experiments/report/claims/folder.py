"""Read the results of one experiment for claims."""

from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.report.claims.noise import ONE_REPEAT, ONE_REPEAT_PAIRED, Quantity, noise_of
from experiments.report.stored import provenance_of

#: Filters of the paper; "others" means the one with the best mean accuracy.
FILTERS = ("gini", "anova", "ttest", "ig", "laplacian", "relieff")
#: Method of the paper -> the variant that the paper names, and its alternatives.
STORED = {"ig": ("ig_ross", "ig"), "relieff": ("relieff_skfeature", "relieff")}


class Missing(Exception):
    """Raised if there is nothing to compare with a claim; the message says why."""


class Folder:
    """The tables of ``results/EXPERIMENT``; raises Missing unless the profile is ``paper``."""

    def __init__(self, path: Path):
        if not (path / "summary.csv").is_file():
            raise Missing(f"results/{path.name} does not exist")
        self.path, record = path, provenance_of(path)
        protocol, dataset = record["config"]["protocol"], record["config"].get("dataset") or {}
        cut = dataset.get("max_samples") or dataset.get("max_features")
        if record["profile"] != "paper" or record["data"].get("synthetic") or cut:
            raise Missing(f"results/{path.name} is not a whole run of the profile paper")
        self.n: int = protocol.get("n_repetitions") or 1
        #: The splits of one cross-validation; 0 for draws and for random splits.
        self.block = 0
        if share := protocol.get("test_size"):
            is_whole = "accuracy" in protocol["kind"] and abs(1 / share - round(1 / share)) < 1e-9
            self.block = round(1 / share) if is_whole else 0

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each comparison."""
        return pd.read_parquet(self.path / "rows.parquet")

    def table(self, name: str, where: dict | None = None) -> pd.DataFrame:
        """Return the rows of a table whose columns have these values; Missing without any."""
        path = self.path / f"{name}.csv"
        table = pd.read_csv(path) if path.is_file() else pd.DataFrame()
        for column, value in (where or {}).items():
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
    of : {"test", "gap", "correct", "accuracy"}
        The test accuracy of a split, or the validation accuracy minus it; the number of relevant
        features, or the accuracy, of a draw.
    tuning, share
        The way of tuning, and the share of the rows for ranking, of splits.
    study : int
        The number of splits of a published number; 0 for as many as ours.
    """

    def __init__(self, folder: Folder, of="test", tuning="paper", share=1.0, study=0):
        self.folder, self.of, self.tuning, self.share = folder, of, tuning, share
        self.study, self.most, rows = study or folder.n, 100.0, folder.rows
        if of in ("test", "gap"):
            self.block, rows = folder.block, self._part(rows)
            values = 100 * rows["test"]
            values = 100 * rows["validation"] - values if of == "gap" else values
        else:
            self.block, rows = 0, rows[rows["tuned"]].rename(columns={"draw": "split"})
            values = (1 if of == "correct" else 100) * rows[of]
            rows = rows.assign(n_features=0)
        if of == "correct":
            self.most = float(rows["relevant"].dropna().map(len).max())
        self.rows = rows.assign(value=values)
        self.methods = list(dict.fromkeys(rows["method"]))

    def _part(self, table):
        """Return the rows of the tuning and the share; a classifier uses all rows."""
        shares = table.get("ranking_share", pd.Series(1.0, table.index)).fillna(1.0)
        part = table[(table["tuning"] == self.tuning) & np.isclose(shares, self.share)]
        if part.empty:
            raise Missing(f"no tuning {self.tuning} from {self.share:g} of the rows")
        return part

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The rows of summary.csv by method."""
        return self._part(self.folder.table("summary")).set_index("method")

    def name(self, method: str) -> str:
        """Return the stored name of a method; "others" is the best filter."""
        if method != "others":
            if name := found(method, self.methods):
                return name
            raise Missing(f"{method} is not among the results")
        means = self.summary["accuracy"].dropna()
        filters = [name for each in FILTERS if (name := found(each, means.index))]
        if not filters:
            raise Missing("no other filter is among the results")
        return max(filters, key=lambda name: means[name])

    def grid(self, method: str) -> pd.DataFrame:
        """Return a row for each split and a column for each number of features."""
        rows = self.rows[self.rows["method"] == self.name(method)]
        return rows.pivot(index="split", columns="n_features", values="value")

    def values(self, method: str, n_features: int | None = None) -> pd.Series:
        """Return the value of each split at a number of features.

        By default it is the accuracy at the best number, or the mean of the gaps over all numbers.
        """
        grid = self.grid(method)
        if n_features is not None:
            if n_features not in grid:
                raise Missing(f"{method} has no result at {n_features} features")
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
        """The values of all methods, which tell together how repeats vary."""
        names = [name for name in self.methods if name != ALL_FEATURES]
        return pd.DataFrame({name: self.values(name) for name in names}).dropna(axis="columns")

    @cached_property
    def paired(self) -> pd.DataFrame:
        """The differences of all pairs of methods."""
        return differences(self.together)

    def mean(self, values: pd.Series, name: str, *, paired: bool = False) -> Quantity:
        """Return the mean of the values of a method, or of differences of two, with its noise."""
        together = (self.paired if paired else self.together) if self.block else None
        limits = (-self.most if paired else 0.0, self.most)
        one_repeat = ONE_REPEAT_PAIRED if paired else ONE_REPEAT
        noise = noise_of(values, self.block, together, limits, one_repeat)
        return noise.of(values.mean(), name)


#: The values, read once.
values_of = lru_cache(maxsize=64)(Values)


def differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of all pairs of columns."""
    return pd.DataFrame({(a, b): table[a] - table[b] for a, b in combinations(table, 2)})


def found(method: str, present) -> str | None:
    """Return the name of a method of the paper in the results; None if it is missing."""
    return next((name for name in STORED.get(method, (method,)) if name in present), None)
