"""Read the results of one experiment for claims."""

from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.report.stored import ALL_FEATURES, provenance_of

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


class Draws:
    """A column of the rows of tuned methods, draw by draw; accuracies are in percent."""

    def __init__(self, folder: Folder, column: str = "correct"):
        rows = folder.rows
        self.rows, self.column, self.block = rows[rows["tuned"]], column, 0
        self.most = 100.0
        if column == "correct":
            self.most = float(rows["relevant"].dropna().map(len).max())

    def name(self, method: str) -> str:
        return stored(method, self.rows["method"].unique())

    def values(self, method: str) -> pd.Series:
        """Return one value for each draw of a method."""
        rows = self.rows[self.rows["method"] == self.name(method)]
        values = rows.set_index("draw")[self.column].sort_index()
        return values if self.column == "correct" else 100 * values

    paired = None


class Accuracies:
    """The test accuracies in percent of one way of tuning and one share of rows for ranking.

    The best mean accuracy over the numbers of features is optimistic, and more so with fewer
    splits. If our results have more splits than a published number, they are therefore divided into
    studies with as many splits, and each study uses its own best number of features.
    """

    most = 100.0

    def __init__(self, folder: Folder, tuning: str = "paper", share: float = 1.0, study: int = 0):
        self.folder, self.tuning, self.share, self.block = folder, tuning, share, folder.block
        self.study = study or folder.n
        self.rows, self.summary = (self._part(t) for t in (folder.rows, folder.table("summary")))
        self.methods = list(dict.fromkeys(self.rows["method"]))

    def _part(self, table):
        """Return the rows of the tuning and the share; a classifier uses all rows."""
        shares = table.get("ranking_share", pd.Series(1.0, table.index)).fillna(1.0)
        part = table[(table["tuning"] == self.tuning) & np.isclose(shares, self.share)]
        if part.empty:
            raise Missing(f"no tuning {self.tuning} from {self.share:g} of the rows")
        return part

    def name(self, method: str) -> str:
        """Return the stored name of a method; "others" is the best filter."""
        means = self.summary.set_index("method")["accuracy"].dropna()
        if method != "others":
            return stored(method, means.index)
        filters = [name for each in FILTERS if (name := found(each, means.index))]
        if not filters:
            raise Missing("no other filter is among the results")
        return max(filters, key=lambda name: means[name])

    def grid(self, method: str, column: str = "test") -> pd.DataFrame:
        """Return a row for each split and a column for each number of features."""
        rows = self.rows[self.rows["method"] == self.name(method)]
        return 100 * rows.pivot(index="split", columns="n_features", values=column)

    def values(self, method: str, n_features: int | None = None) -> pd.Series:
        """Return the accuracy of each split, at the best number of features if none is given."""
        grid = self.grid(method)
        if n_features is not None:
            if n_features not in grid:
                raise Missing(f"{method} has no result at {n_features} features")
            return grid[n_features]
        if len(rows := self.rows[self.rows["method"] == self.name(method)]) == len(grid):
            return 100 * rows.set_index("split")["test"].sort_index()
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
        """Return the differences of all pairs of methods."""
        return differences(self.together)


class Gaps(Accuracies):
    """Validation minus test accuracy, in percentage points."""

    def values(self, method: str, n_features: int | None = None) -> pd.Series:
        """Return the gap of each split, by default the mean over the numbers of features."""
        gaps = self.grid(method, "validation") - self.grid(method)
        return gaps.mean(axis=1) if n_features is None else gaps[n_features]


#: The accuracies, read once.
accuracies = lru_cache(maxsize=64)(Accuracies)


def differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences of all pairs of columns."""
    return pd.DataFrame({(a, b): table[a] - table[b] for a, b in combinations(table, 2)})


def found(method: str, present) -> str | None:
    """Return the name of a method of the paper in the results; None if it is missing."""
    return next((name for name in STORED.get(method, (method,)) if name in present), None)


def stored(method: str, present) -> str:
    """Return the name as :func:`found` does; Missing if the results lack the method."""
    if name := found(method, present):
        return name
    raise Missing(f"{method} is not among the results")
