"""What all protocols share: a run, and what comes out of it."""

from dataclasses import dataclass

import pandas as pd
from omegaconf import DictConfig

from experiments.methods import Method
from experiments.parallel import Outcome, complete
from experiments.store import Store, Unit


@dataclass
class Run:
    """One run of an experiment: what protocols need, and where units go."""

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
        One row a judgement, for whoever wants to compute something else.
    tables : dict of str to DataFrame
        What figures and comparisons read; "summary" has one row a method.
    shown : DataFrame
        For the terminal.
    data : dict
        Name and fingerprint of the data, for the provenance.
    """

    rows: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    shown: pd.DataFrame
    data: dict
