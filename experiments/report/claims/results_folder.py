"""The results of one experiment, and whether they may stand beside the paper's."""

import contextlib
import json
from functools import cached_property
from pathlib import Path

import pandas as pd

from experiments.report.claims.names import ALL_FEATURES
from experiments.report.claims.verdict import CANNOT, NOT_RUN, Missing

#: Experiment -> the samples that its claims are about. Results of other samples never stand beside
#: these claims.
SAMPLES = {
    "xor100": {"xor"},
    "xor100_many": {"xor"},
    "hypercube": {"hypercube"},
    "hypercube_many": {"hypercube"},
    "toy": {"toy"},
    "madelon": {"madelon"},
    "madelon_samples": {"madelon"},
    "colon": {"colon"},
    "colon_many": {"colon"},
    "colon_orders": {"colon"},
    "colon_gene_orders": {"colon"},
    "colon_scales": {"colon"},
    "colon_embedded": {"colon"},
    "colon_embedded_many": {"colon"},
    "prostate": {"prostate_ge"},
    "prostate_many": {"prostate_ge"},
    "gisette": {"gisette"},
    "mnist": {"mnist"},
    "fashion_mnist": {"fashion_mnist", "fashion_mnist_016"},
    "mnist_multiclass": {"mnist_train"},
    "mnist_multiclass_many": {"mnist_train"},
    "propositions": {"colon, madelon, mnist"},
}
#: Experiment -> the data set that its claims are counted under, where that has another name.
COUNTED_UNDER = {
    "xor100_many": "xor100",
    "hypercube_many": "hypercube",
    "colon_many": "colon",
    "colon_scales": "colon",
    "colon_embedded": "colon",
    "colon_embedded_many": "colon",
    "madelon_samples": "madelon",
    "prostate_many": "prostate",
    "mnist_multiclass": "mnist",
    "mnist_multiclass_many": "mnist",
}
#: Experiment -> one whose results have the same splits, and more of them.
MORE_SPLITS = {"colon": "colon_many", "prostate": "prostate_many"}
#: Experiment -> those that have tried orders of the features, or of the samples, on more splits of
#: the same samples.
ORDERS = {
    "colon": ("colon_orders", "colon_gene_orders"),
    "colon_many": ("colon_orders", "colon_gene_orders"),
    "colon_embedded": ("colon",),
    "colon_embedded_many": ("colon",),
    "prostate_many": ("prostate",),
}
#: Experiments whose methods are the first of them on the samples in other orders.
SAMPLE_ORDERS = {"colon_orders"}
#: Experiment -> what it needs that a fresh checkout does not have.
UNREACHABLE = {"gisette": "needs the 7000 x 5000 data (see scripts/fetch.py)"}


class ResultsFolder:
    """The tables of a run's folder, checked and read when they are asked for.

    Parameters
    ----------
    folder : Path
        ``results/EXPERIMENT``.
    """

    def __init__(self, folder: Path):
        self.folder = folder

    def check(self) -> None:
        """Raise Missing unless the results may stand beside the paper's.

        Raises
        ------
        Missing
            If there are no results, or if they come from other samples, from a part of the samples
            or from fewer repetitions and smaller grids than the paper's.
        """
        name = self.folder.name
        verdict = CANNOT if name in UNREACHABLE else NOT_RUN
        if not (self.folder / "summary.csv").is_file():
            raise Missing(UNREACHABLE.get(name, f"no results yet: experiment={name}"), verdict)
        samples = self.record["data"]["name"]
        if samples not in SAMPLES[name] or self.record["data"].get("synthetic"):
            raise Missing(f"the results stored there are of other samples: {samples}", verdict)
        dataset = self.record["config"]["dataset"]
        if dataset.get("max_samples") or dataset.get("max_features"):
            raise Missing("the results stored there are of a part of the samples or features")
        if self.profile != "paper":
            raise Missing(f"only the {self.profile} run is there")

    @cached_property
    def record(self) -> dict:
        """The provenance of the run."""
        return json.loads((self.folder / "provenance.json").read_text(encoding="utf-8"))

    @property
    def profile(self) -> str:
        return self.record["profile"]

    @property
    def repetitions(self) -> int:
        """The number of draws or splits that the run was asked for."""
        return self.record["config"]["protocol"]["n_repetitions"]

    @property
    def test_share(self) -> float:
        """The number of test rows over the number of training rows of a split."""
        size = self.record["config"]["protocol"]["test_size"]
        return size / (1 - size)

    @property
    def splits_a_repeat(self) -> int:
        """How many splits are one cross-validation; 0 where every split is random."""
        n = 1 / self.record["config"]["protocol"]["test_size"]
        return round(n) if abs(n - round(n)) < 1e-9 else 0

    @cached_property
    def with_more_splits(self) -> "ResultsFolder":
        """Results of the same splits and of more of them; these results where there are none."""
        if self.folder.name not in MORE_SPLITS:
            return self
        other = ResultsFolder(self.folder.parent / MORE_SPLITS[self.folder.name])
        try:
            other.check()
        except Missing:
            return self
        more = other.repetitions > self.repetitions
        return other if more and other._splits == self._splits else self

    @cached_property
    def order_deviations(self) -> dict[str, float]:
        """The standard deviation of a method's mean accuracy over orders of features or of samples.

        Orders are tried under the reading ``paper`` alone. What the experiments of :data:`ORDERS`
        say goes before what these results say. A method that is not there has not been tried.
        """
        found = self._tried()
        for other in ORDERS.get(self.folder.name, ()):
            with contextlib.suppress(Missing):
                found |= ResultsFolder(self.folder.parent / other).order_deviations
        return found

    def _tried(self) -> dict[str, float]:
        """See :attr:`order_deviations`: those of this experiment."""
        table = self.summary[self.summary["reading"] == "paper"]
        if self.folder.name in SAMPLE_ORDERS:
            orders = table[table["method"] != ALL_FEATURES]
            return {orders["method"].iloc[0]: float(orders["accuracy"].iloc[1:].std(ddof=1))}
        if "order_std" not in table:
            return {}
        tried = table[table["order_std"].notna()]
        return dict(zip(tried["method"], tried["order_std"], strict=True))

    @property
    def _splits(self) -> tuple:
        """What determines the splits, apart from their number."""
        size = self.record["config"]["protocol"]["test_size"]
        return self.record["data"].get("fingerprint"), self.record["seed"], size

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each method."""
        return self.table("summary")

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each judgement."""
        self.check()
        path = self.folder / "rows.parquet"
        if not path.is_file():
            raise Missing("rows.parquet is missing there")
        return pd.read_parquet(path)

    def table(self, name: str) -> pd.DataFrame:
        """The table ``NAME.csv``.

        Raises
        ------
        Missing
            If it is not there, or as :meth:`check` says.
        """
        self.check()
        path = self.folder / f"{name}.csv"
        if not path.is_file():
            raise Missing(f"{name}.csv is missing there")
        return pd.read_csv(path)
