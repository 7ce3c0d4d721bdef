"""The results of one experiment, and whether they may stand beside the paper's."""

import contextlib
import json
from functools import cached_property
from pathlib import Path

import pandas as pd

from experiments.config import MANY, command_of
from experiments.report.claims.facts import facts
from experiments.report.claims.names import ALL_FEATURES
from experiments.report.claims.verdict import CANNOT, NOT_RUN, Missing
from experiments.report.stored import read_rows


class ResultsFolder:
    """The tables of a run's folder, checked and read when they are asked for.

    Parameters
    ----------
    folder : Path
        ``results/EXPERIMENT``.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.facts = facts(folder.name)

    def check(self) -> None:
        """Raise Missing unless the results may stand beside the paper's.

        Raises
        ------
        Missing
            If there are no results, or if they come from other samples, from a part of the samples
            or from fewer repetitions and smaller grids than the paper's.
        """
        name, needs = self.folder.name, self.facts.needs
        verdict = CANNOT if needs else NOT_RUN
        if not (self.folder / "summary.csv").is_file():
            reason = f"needs {needs}" if needs else f"no results yet: {command_of(name)}"
            raise Missing(reason, verdict)
        if not self.facts.samples:
            said = f"configs/experiment/{name}.yaml does not say which samples its claims are about"
            raise Missing(f"{said}: it has no key claims.samples")
        samples = self.record["data"]["name"]
        if samples not in self.facts.samples or self.record["data"].get("synthetic"):
            raise Missing(f"the results stored there are of other samples: {samples}", verdict)
        dataset = self.record["config"]["dataset"]
        if dataset.get("max_samples") or dataset.get("max_features"):
            raise Missing("the results stored there are of a part of the samples or features")
        if self.profile not in ("paper", MANY):
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
        """The number of splits in one cross-validation; 0 if every split is random."""
        n = 1 / self.record["config"]["protocol"]["test_size"]
        return round(n) if abs(n - round(n)) < 1e-9 else 0

    @cached_property
    def with_more_splits(self) -> "ResultsFolder":
        """Results of the same splits and of more of them; these results where there are none."""
        if not self.facts.more_splits:
            return self
        other = ResultsFolder(self.folder.parent / self.facts.more_splits)
        try:
            other.check()
        except Missing:
            return self
        more = other.repetitions > self.repetitions
        return other if more and other._splits == self._splits else self

    @cached_property
    def order_deviations(self) -> dict[str, float]:
        """The standard deviation of a method's mean accuracy over orders of features or of samples.

        Orders are tried under the reading ``paper`` alone. What the experiments of ``facts.orders``
        say goes before what these results say. A method that is not there has not been tried.
        """
        found = self._tried()
        for other in self.facts.orders:
            with contextlib.suppress(Missing):
                found |= ResultsFolder(self.folder.parent / other).order_deviations
        return found

    def _tried(self) -> dict[str, float]:
        """See :attr:`order_deviations`: those of this experiment."""
        table = self.summary[self.summary["reading"] == "paper"]
        if self.facts.orders_of == "samples":
            orders = table[table["method"] != ALL_FEATURES]
            return {orders["method"].iloc[0]: float(orders["accuracy"].iloc[1:].std(ddof=1))}
        if "order_std" not in table:
            return {}
        tried = table[table["order_std"].notna()]
        return dict(zip(tried["method"], tried["order_std"], strict=True))

    @property
    def _splits(self) -> tuple:
        """The determinants of the splits, apart from their number."""
        size = self.record["config"]["protocol"]["test_size"]
        return self.record["data"].get("fingerprint"), self.record["seed"], size

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each method."""
        return self.table("summary")

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each judgement of features in their own order."""
        self.check()
        if not (self.folder / "rows.parquet").is_file():
            raise Missing("rows.parquet is missing there")
        return read_rows(self.folder)

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
