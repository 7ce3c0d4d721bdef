"""Runs of the kinds that look at the operators, without a folder of results."""

import pandas as pd
import pytest

from experiments import kinds
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.kinds.base import Run, tables_of


@pytest.fixture
def run_kind(compose, tmp_path):
    """A function from overrides to rows, tables and the number of failed units.

    The tables are remade from rows that were written and read again.
    """

    def finished(*overrides):
        config = compose(*overrides, "workers=0")
        kinds.validate(config)
        kind, outcome = kinds.load(config.protocol.kind), Outcome()
        results = kind.run(Run(config, resolve(config), Store(tmp_path / "store"), outcome))
        results.rows.to_parquet(tmp_path / "rows.parquet", index=False)
        rows = pd.read_parquet(tmp_path / "rows.parquet")
        return rows, tables_of(kind, rows, config), len(outcome.failures)

    return finished


@pytest.fixture(autouse=True)
def _schemas():
    """The schemas of these kinds are known to Hydra."""
    kinds.register()
