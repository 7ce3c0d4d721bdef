"""The results of one experiment, the facts that claims need of it, and the check of both."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from omegaconf import OmegaConf

from experiments.config import CONFIGS, ConfigError
from experiments.report.claims.outcome import Missing
from experiments.report.stored import provenance_of

FILTERS = ("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff")
#: On two classes these rank alike, so that a statement on all filters counts them once.
EQUAL = ("anova", "pearson", "fisher")
#: Method of the paper -> the form that the paper names, and what else there may be.
STORED = {"ig": ("ig_ross", "ig"), "relieff": ("relieff_skfeature", "relieff")}


@dataclass(frozen=True)
class Facts:
    """The key ``claims`` of the YAML file of an experiment."""

    #: Names of the samples that its claims are about. Results of other samples never stand beside
    #: these claims.
    samples: tuple[str, ...] = ()
    #: True if its claims are about methods, on whatever samples it has.
    any_samples: bool = False
    #: The data set that its claims are counted under.
    counted_under: str = ""
    #: The data that it needs and a fresh checkout does not have; empty if there are none.
    needs: str = ""
    #: Experiments on data in their place. Their values stand beside the paper's in notes, and
    #: decide nothing.
    stand_ins: tuple[str, ...] = ()


@cache
def facts(experiment: str) -> Facts:
    """The facts of an experiment from its own file, not from one that it is composed from.

    Raises
    ------
    ConfigError
        If the file has a fact that there is not.
    """
    path = CONFIGS / "experiment" / f"{experiment}.yaml"
    config: Any = OmegaConf.to_container(OmegaConf.load(path)) if path.is_file() else {}
    known: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in (config.get("claims") or {}).items()
    }
    try:
        return Facts(**{"counted_under": experiment, **known})
    except TypeError as error:
        raise ConfigError(f"{path.name}, claims: {error}") from error


def with_facts() -> list[str]:
    """The experiments whose files name the samples of their claims."""
    names = sorted(path.stem for path in (CONFIGS / "experiment").glob("*.yaml"))
    return [name for name in names if facts(name).samples or facts(name).any_samples]


def found(method: str, present: Collection[str]) -> str | None:
    """The name under which the results have a method of the paper; None if they lack it."""
    return next((name for name in STORED.get(method, (method,)) if name in present), None)


def stored(method: str, present: Collection[str]) -> str:
    """The name under which the results have a method of the paper; Missing if they lack it."""
    if name := found(method, present):
        return name
    raise Missing(f"{method} is not among the results stored there")


def rows_at(table: pd.DataFrame, **values: Any) -> pd.DataFrame:
    """The rows of a table whose columns have these values."""
    return table[(table[list(values)] == pd.Series(values)).all(axis=1)]


class ResultsFolder:
    """The tables of ``results/EXPERIMENT``, checked and read when they are asked for.

    If the folder stands in, its values are shown beside the paper's whatever its samples are.
    """

    def __init__(self, folder: Path, *, stands_in: bool = False):
        self.folder, self.stands_in = folder, stands_in
        self.facts = facts(folder.name)

    @cached_property
    def missing(self) -> Missing | None:
        """The reason why the results may not stand beside the paper's; None if they may.

        There may be no results, or they come from other samples, from a part of the samples or from
        fewer repetitions and smaller grids than the paper's.
        """
        name, needs = self.folder.name, self.facts.needs
        if not (self.folder / "summary.csv").is_file():
            return Missing(f"needs {needs}" if needs else f"no results yet: experiment={name}")
        if self.stands_in:
            return None
        if not (self.facts.samples or self.facts.any_samples):
            return Missing(
                f"configs/experiment/{name}.yaml does not say which samples its claims "
                "are about: it has no key claims.samples"
            )
        data, dataset = self.record["data"], self.record["config"]["dataset"]
        if not self.facts.any_samples:
            if data["name"] not in self.facts.samples or data.get("synthetic"):
                return Missing(f"the results stored there are of other samples: {data['name']}")
            if dataset.get("max_samples") or dataset.get("max_features"):
                return Missing("the results stored there are of a part of the samples or features")
        is_full = self.profile == "paper"
        return None if is_full else Missing(f"only the {self.profile} run is there")

    @cached_property
    def stand_ins(self) -> "list[ResultsFolder]":
        """Results on other data, whose values are shown if these are missing."""
        names = self.facts.stand_ins if self.missing else ()
        return [ResultsFolder(self.folder.with_name(name), stands_in=True) for name in names]

    @cached_property
    def record(self) -> dict:
        """The provenance of the run."""
        return provenance_of(self.folder)

    @property
    def profile(self) -> str:
        return self.record["profile"]

    @property
    def repetitions(self) -> int:
        """The number of draws or splits that the run was asked for."""
        return self.record["config"]["protocol"]["n_repetitions"]

    @property
    def test_size(self) -> float:
        """The share of the rows that a split tests on."""
        return self.record["config"]["protocol"]["test_size"]

    @property
    def splits_a_repeat(self) -> int:
        """The number of splits in one cross-validation; 0 if every split is random."""
        n = 1 / self.test_size
        return round(n) if abs(n - round(n)) < 1e-9 else 0

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each method."""
        return self.table("summary")

    @cached_property
    def rows(self) -> pd.DataFrame:
        """One row for each comparison."""
        return self._checked("rows.parquet", pd.read_parquet)

    def table(self, name: str) -> pd.DataFrame:
        """The table ``NAME.csv``; Missing if it is not there, or as :attr:`missing` says."""
        return self._checked(f"{name}.csv", pd.read_csv)

    def _checked(self, name, read):
        path = self.folder / name
        if self.missing:
            raise self.missing
        if not path.is_file():
            raise Missing(f"{name} is missing there")
        return read(path)
