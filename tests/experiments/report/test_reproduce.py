"""Results that are run again agree with the committed ones within tolerances that are stated."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts import adoption

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "reproduce.py"))
ambiguous_rows = SCRIPT["ambiguous_rows"]
#: Variables that choose the code of OpenBLAS and NumPy.
CODE = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")


def differences(ours, again):
    return SCRIPT["differences"](ours, again, ambiguous_rows(ours))


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "method": ["a", "b", "c"],
            "n": [1, 2, 3],
            "accuracy": [0.8, 0.9, 0.7],
            "p_value": [1e-40, 0.5, np.nan],
            "n_ambiguous": [0, 4, 0],
        }
    )


def test_a_table_agrees_with_itself_and_with_its_six_digits_and_any_change_is_found(table):
    assert differences(table, table) == []
    assert differences(table, table.assign(accuracy=table["accuracy"] * (1 + 1e-7))) == []
    for column, value in (("method", "d"), ("n", 4), ("accuracy", 0.701), ("accuracy", np.nan)):
        changed = table.copy()
        changed.loc[2, column] = value
        (sentence,) = differences(table, changed)
        assert sentence.startswith(column)
    assert differences(table, table.iloc[:2])
    assert differences(table, table.drop(columns="n"))


def test_what_is_ambiguous_may_move_by_a_tenth(table):
    for moved, agrees in ((0.089, True), (0.091, False)):
        changed = table.copy()
        changed.loc[1, "accuracy"] += moved
        assert (differences(table, changed) == []) == agrees


def test_what_summarises_ambiguous_scores_is_ambiguous():
    summary = pd.DataFrame(
        {"method": ["a", "a"], "geometry": ["spsd", "regularized"], "n_ambiguous": [3.5, 0]}
    )
    table = pd.DataFrame({"geometry": ["regularized", "spsd", "spsd"], "score": [1.0, 2.0, 3.0]})
    assert ambiguous_rows(table, summary).tolist() == [False, True, True]
    assert not ambiguous_rows(table.drop(columns="geometry"), summary).any()
    assert not ambiguous_rows(table).any()


@pytest.mark.parametrize("chosen", CODE)
def test_a_run_again_takes_the_code_of_the_results_unless_the_user_has_chosen(
    chosen, monkeypatch, capsys
):
    asked = []

    def variables(record):
        asked.append(record["experiment"])
        return {"OPENBLAS_CORETYPE": "Abacus"} if len(asked) == 1 else None

    for name in CODE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("experiments.engine.processor.variables", variables)
    assert adoption.processor_of("toy") == {"OPENBLAS_CORETYPE": "Abacus"}
    assert capsys.readouterr().out == ""
    # Code that this machine cannot run is no fault.
    assert adoption.processor_of("toy") == {}
    assert "toy: results/ were computed on another kind of processor" in capsys.readouterr().out
    monkeypatch.setenv(chosen, "mine")
    assert adoption.processor_of("toy") == {}
    assert asked == ["toy", "toy"]


def test_what_one_kind_of_processor_has_computed_stays_apart():
    values = ["X86_V4", "X86_V4,AVX512_ICL", "Haswell", ""]
    for name in CODE:
        stores = [adoption.store_of({"PATH": "/bin", name: value}).name for value in values]
        assert len(set(stores)) == len(values)
        assert all(store.replace("-", "").isidentifier() for store in stores)  # on a command line
        assert adoption.store_of({}).name == adoption.store_of({name: ""}).name == "store"


def test_every_experiment_that_is_run_again_has_results_that_can_be_compared():
    for name in SCRIPT["EXPERIMENTS"]:
        assert (ROOT / "configs" / "experiment" / f"{name}.yaml").is_file(), name
        tables = SCRIPT["tables"](ROOT / "results" / name)
        assert "summary" in tables, name
        for table, ours in tables.items():
            moved = ambiguous_rows(ours, tables["summary"])
            assert SCRIPT["differences"](ours, ours, moved) == [], (name, table)
