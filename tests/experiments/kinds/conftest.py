"""Runs of a kind in this process, without the files of a run."""

import pytest

from tests.experiments.conftest import SMALL
from tests.experiments.kinds.judged import judged


@pytest.fixture
def result(compose, tmp_path):
    """A function from overrides to the tables of a run, and its "rows"; no unit fails."""

    def made(*overrides):
        tables, rows, outcome = judged(compose(*overrides, "workers=0"), tmp_path / "store")
        assert not outcome.failures
        return {**tables, "rows": rows}

    return made


@pytest.fixture
def on_table(result, table):
    """The same on the small table."""
    return lambda *overrides: result(*SMALL, f"dataset.path={table}", *overrides)
