"""What all protocols share: what a kind must offer, a run, and what comes out of it."""

import inspect
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import pandas as pd
from omegaconf import DictConfig

import baselines
from experiments.config import ConfigError
from experiments.engine.keys import Unit
from experiments.engine.parallel import Outcome, complete
from experiments.engine.store import Store
from experiments.evaluation.methods import Method
from manifest import manifest_score


class Kind(Protocol):
    """What the run module of a kind offers.

    Attributes
    ----------
    HEADLINE : str or None
        The column of the table "summary" whose best value the table of a sweep shows; None where
        no row is better than another.
    SUMMARY : tuple of str
        The columns that the table "summary" always has, unless every row says that it failed.
        Figures and claims rely on them.
    """

    HEADLINE: ClassVar[str | None]
    SUMMARY: ClassVar[tuple[str, ...]]

    @staticmethod
    def run(run: "Run") -> "Results":
        """Compute all units of a run, and summarise them.

        The table "summary" is always among the results, also where every unit failed.
        """
        ...


@dataclass
class Run:
    """One run of an experiment: its config and methods, and where finished units go."""

    config: DictConfig
    methods: list[Method]
    store: Store
    outcome: Outcome

    def complete(self, units: list[Unit], what: str) -> None:
        """Run what is not stored yet."""
        workers = self.config.scheduler or self.config.workers
        complete(units, self.store, self.outcome, workers, what)

    def rows(self, units):
        """The units' rows; None where one of them failed."""
        found = [self.outcome.rows.get(unit.key) for unit in units]
        return None if any(row is None for row in found) else found


@dataclass
class Results:
    """Tables of a run, by file name, and the one to print at the end.

    Attributes
    ----------
    rows : DataFrame
        One row for each judgement, from which other statistics can be computed.
    tables : dict of str to DataFrame
        What figures and comparisons read; "summary" has one row for each
        method.
    shown : DataFrame
        The table that the terminal shows.
    data : dict
        Name and fingerprint of the data, for the provenance.
    text : str
        What the terminal shows in place of the table, where there is any.
    files : dict of str to bytes
        Further files of the run, by name.
    """

    rows: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    shown: pd.DataFrame
    data: dict
    text: str = ""
    files: dict[str, bytes] = field(default_factory=dict)

    def check(self, kind: Kind) -> None:
        """Raise a TypeError where the tables are not what the kind has promised."""
        summary = self.tables.get("summary")
        if summary is None:
            raise TypeError(f"{kind} must give a table 'summary', it gave {sorted(self.tables)}")
        missing = sorted(set(kind.SUMMARY) - set(summary))
        if missing and not summary.get("failed", pd.Series(False)).all():
            raise TypeError(f"the summary of {kind} has no column {', '.join(missing)}")


def operator_candidates(run: Run) -> list[tuple[Method, dict]]:
    """Every method of a run with the keywords of each of its candidates.

    Raises
    ------
    ConfigError
        If a method is anything but ManiFeSt: other filters have no operators M and D.
    """
    default = inspect.signature(manifest_score).parameters["geometry"].default
    found = []
    for method in run.methods:
        if [baselines.get(part.call) for part in method.parts] != [manifest_score]:
            raise ConfigError(
                f"the protocol {run.config.protocol.kind} looks at the operators of ManiFeSt, which"
                f" the method {method.name} has none of; run with method=manifest"
            )
        (part,) = method.parts
        found += [
            (method, {"geometry": default, **parameters[part.name]})
            for parameters in method.candidates()
        ]
    return found


def check_neighbours(methods: list[Method], n_samples: int) -> None:
    """Raise a ConfigError where a filter is to look at more neighbours than there are samples.

    Values of a grid may be larger, as the paper's are: all samples of a class are then taken.
    """
    for part in (part for method in methods for part in method.parts):
        k = part.fixed.get("k", 1)
        known = baselines.get(part.call) in (baselines.relieff, baselines.information_gain)
        if known and k > n_samples:
            raise ConfigError(
                f"method.k={k} asks {part.name} for more neighbours than the {n_samples} samples "
                f"that there are; it must be at most {n_samples}"
            )
