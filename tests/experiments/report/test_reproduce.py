"""Results that are run again agree with the committed ones within tolerances that are stated."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "reproduce.py"))
differences = SCRIPT["differences"]


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "method": ["a", "b", "c"],
            "n": [1, 2, 3],
            "accuracy": [0.8, 0.9, 0.7],
            "order_std": [np.nan, 0.02, np.nan],
            "p_value": [1e-40, 0.5, np.nan],
            "n_ambiguous": [0, 4, 0],
        }
    )


def test_a_table_agrees_with_itself_and_with_its_six_digits(table):
    assert differences(table, table) == []
    rounded = table.assign(accuracy=table["accuracy"] * (1 + 1e-7))
    assert differences(table, rounded) == []


@pytest.mark.parametrize(
    ("column", "value"), [("method", "d"), ("n", 4), ("accuracy", 0.701), ("accuracy", np.nan)]
)
def test_a_change_of_any_kind_of_column_is_found(table, column, value):
    changed = table.copy()
    changed.loc[2, column] = value
    (sentence,) = differences(table, changed)
    assert sentence.startswith(column)


def test_rows_and_columns_that_are_missing_are_found(table):
    assert differences(table, table.iloc[:2])
    assert differences(table, table.drop(columns="n"))


@pytest.mark.parametrize(("moved", "agrees"), [(0.039, True), (0.041, False)])
def test_what_is_ambiguous_may_move_as_permuted_columns_move_it(table, moved, agrees):
    changed = table.copy()
    changed.loc[1, "accuracy"] += moved
    assert (differences(table, changed) == []) == agrees


def test_every_experiment_that_is_run_again_is_there():
    configs = {path.stem for path in (ROOT / "configs" / "experiment").glob("*.yaml")}
    assert set(SCRIPT["EXPERIMENTS"]) <= configs
