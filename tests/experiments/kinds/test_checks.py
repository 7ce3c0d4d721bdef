"""Checks of stored rows of all kinds: an unchanged run passes, and a changed number is found."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

from experiments.engine.keys import Unit, key_of
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.kinds.adoption import Check
from experiments.kinds.base import Run
from experiments.runner import run_experiment
from scripts import reproduce
from tests.experiments.conftest import SMALL, composed, small_table, words
from tests.experiments.kinds.conftest import DIGITS
from tests.experiments.kinds.test_recovery_kind import CUBE

#: Small runs of all kinds of units.
RUNS = {
    "accuracy": SMALL
    + words("""
        method=[anova,relieff,manifest,manifest_relieff] protocol.readings=[paper,icml,nested]
        "+protocol.classifiers={lasso: {call: 'sklearn.linear_model:LogisticRegression'}}"
        protocol.order_splits=1
    """),
    "few_samples": [*DIGITS, "method=relieff", "protocol.shape=[]"],
    "recovery": CUBE
    + words("""
        method=[anova,relieff,manifest_relieff] protocol.embedded=[relieff]
        protocol.n_repetitions=2 protocol.judged_draws=1
    """),
    "robustness": words("""
        experiment=robustness method=[anova,relieff,manifest] protocol.n_repetitions=1
        ~protocol.cases.expression_like
    """),
    "arena": words("""
        experiment=arena method=[manifest_regularized,anova,relieff] protocol.datasets=[wine]
        protocol.n_train=[20,all]
    """),
    "cone": words("experiment=operators"),
    "propositions": words("""
        experiment=propositions protocol.angles=[0.1] protocol.near=[0.01]
        "+protocol.datasets.breast_cancer={scaling: standard}" ~protocol.datasets.colon
        ~protocol.datasets.madelon ~protocol.datasets.mnist
    """),
    "images": words("""
        experiment=mnist dataset=digits protocol.shape=[8,8] protocol.maximum=16
        protocol.pairs=[[4,9],[3,8]] protocol.regions.top_gap=[[0,3,0,3]]
        protocol.regions.leg=[[0,3,0,3]] protocol.regions.upper_corners=[[0,1,0,1]]
    """),
}
#: Columns of their rows that hold numbers.
NUMBERS = {
    "accuracy": ["test", "validation"],
    "few_samples": ["test", "validation"],
    "recovery": ["correct", "accuracy", "scores", "x"],
    "robustness": ["recovered", "average_precision", "accuracy", "selected"],
    **{"arena": ["test"], "cone": ["x"], "propositions": ["residual"], "images": ["eigenvalue"]},
}


@pytest.fixture(scope="module", params=RUNS)
def finished(request, tmp_path_factory):
    """A folder, its config, the columns to change, and a function that verifies changed rows."""
    place, overrides = tmp_path_factory.mktemp(request.param), RUNS[request.param]
    if "dataset=file" in overrides:
        overrides = [*overrides, f"dataset.path={small_table(place)}"]
    else:
        overrides = [*overrides, "profile=smoke"]
    config = composed(*overrides, "workers=0", "draw=false", f"store={place / 'store'}")
    assert run_experiment(config, place / "run") == 0
    rows = pd.read_parquet(place / "run" / "rows.parquet")
    config.store = str(place / "store of checks")

    def verified(**changed):
        rows.assign(**changed).to_parquet(place / "run" / "rows.parquet")
        return reproduce.verify(place / "run", config, dict.fromkeys(config.method.scorers, 10))

    return place / "run", rows, NUMBERS[request.param], verified


def test_an_unchanged_run_has_no_differences(finished):
    folder, _, _, verified = finished
    again, record = verified(), json.loads((folder / "provenance.json").read_text())
    assert again["differences"] == []
    assert again["units"] >= len(record["config"]["method"]["scorers"])
    assert set(again["code"]["modules"]) == set(record["code"]["modules"])
    assert again["code"]["digest"] == record["code"]["digest"]


def test_changed_numbers_and_lost_flags_are_found_and_told_old_beside_new(finished):
    _, rows, numbers, verified = finished
    changed = {
        column: [None if each is None else each + 1e-9 for each in rows[column]]
        for column in numbers
    }
    if "ambiguous" in rows:
        changed["ambiguous"] = [None if pd.isna(flag) else not flag for flag in rows["ambiguous"]]
    differences = verified(**changed)["differences"]
    assert {line.split(": ")[1] for line in differences} == {*changed}
    assert all(" is stored, " in line for line in differences)


def tried(name, draw):
    if (name, draw) == ("b", 1):
        raise ValueError("no number")
    return {"number": draw}


def test_a_group_of_units_has_rows_if_none_of_it_failed(compose, tmp_path):
    units = {
        (name, draw): Unit(key_of("tried", [], at=[name, draw]), partial(tried, name, draw))
        for draw in (0, 1)
        for name in "ab"
    }
    run = Run(compose("experiment=toy", "workers=0"), [], Store(tmp_path), Outcome())
    assert run.rows_at(units, "units", end=-1) == {("a", i): {"number": i} for i in (0, 1)}
    assert list(run.rows_at(units, "units")) == [("a", 0), ("b", 0), ("a", 1)]


def test_arrays_that_differ_are_told_in_one_short_line():
    stored = pd.DataFrame({"scores": [np.zeros(1000)]})
    again = [{"scores": np.r_[np.ones(3), np.zeros(997)]}]
    (line,) = Check("anova", [], stored, lambda computed: again).differences([{}])
    assert line.startswith("anova, row 0: scores: 3 of 1000 entries differ, array([")
    assert "\n" not in line
    assert len(line) < 250
