"""Runs of the kinds that look at the operators, without a folder of results."""

import pandas as pd
import pytest

from experiments import kinds
from experiments.kinds.base import tables_of
from tests.experiments.kinds.judged import judged


@pytest.fixture
def run_kind(compose, tmp_path):
    """A function from overrides to rows, tables and the number of failed units.

    The tables are remade from rows that were written and read again.
    """

    def finished(*overrides):
        config = compose(*overrides, "workers=0")
        _, rows, outcome = judged(config, tmp_path / "store")
        rows.to_parquet(tmp_path / "rows.parquet", index=False)
        rows = pd.read_parquet(tmp_path / "rows.parquet")
        tables = tables_of(kinds.load(config.protocol.kind), rows, config)
        return rows, tables, len(outcome.failures)

    return finished
