"""Checks of stored rows: an unchanged run passes, and a changed number is found."""

import numpy as np
import pandas as pd
import pytest

from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.kinds import load
from experiments.kinds.adoption import Sample
from experiments.kinds.base import Run
from tests.experiments.conftest import SMALL, composed, small_table
from tests.experiments.kinds.judged import judged

RUNS = {
    "accuracy": [
        *SMALL,
        "method=[anova,manifest_relieff]",
        "protocol.readings=[paper,nested]",
        "protocol.inner_folds=2",
        "+protocol.classifiers={lasso: {call: 'sklearn.linear_model:LogisticRegression'}}",
    ],
    "few_samples": [
        *("experiment=mnist_multiclass", "profile=smoke", "method=relieff"),
        *("protocol.log2_C=[1,4]", "protocol.log2_gamma=[-11,-8]", "protocol.shape=[]"),
    ],
    "recovery": [
        *("experiment=hypercube", "profile=smoke", "method=[anova,relieff,manifest_relieff]"),
        "dataset.params={n_samples: 120, n_features: 24, n_informative: 4}",
        *("protocol.ranking_samples=40", "protocol.n_repetitions=2", "protocol.judged_draws=1"),
        *("protocol.log2_C=[-2,1,4]", "protocol.grid_size=2", "protocol.embedded=[relieff]"),
    ],
    "robustness": [
        *("experiment=robustness", "profile=smoke", "method=[anova,relieff,manifest]"),
        *("protocol.n_repetitions=1", "~protocol.cases.expression_like"),
    ],
}
#: Columns of each kind's rows that hold a number of a unit.
NUMBERS = {
    "accuracy": ["test", "validation"],
    "few_samples": ["test", "validation"],
    "recovery": ["correct", "accuracy", "scores", "x"],
    "robustness": ["recovered", "average_precision", "accuracy", "selected"],
}


@pytest.fixture(scope="module", params=RUNS)
def finished(request, tmp_path_factory):
    """A kind, the stored rows of a small run, and a function from rows to their differences."""
    folder = tmp_path_factory.mktemp(request.param)
    overrides = [*RUNS[request.param], "workers=0"]
    if "dataset=file" in overrides:
        overrides.append(f"dataset.path={small_table(folder)}")
    config = composed(*overrides)
    judged(config, folder / "store")[1].to_parquet(folder / "rows.parquet", index=False)

    def differences(rows):
        run = Run(config, resolve(config), Store(folder / "again"), Outcome())
        sample = Sample(rows, np.random.default_rng(0), lambda name: 10)
        checks = list(load(request.param).stored_checks(run, sample))  # type: ignore[misc]
        run.complete([unit for check in checks for unit in check.units], "checks")
        assert {check.method for check in checks} >= {method.name for method in run.methods}
        return [each for check in checks for each in check.differences(run.rows(list(check.units)))]

    return request.param, pd.read_parquet(folder / "rows.parquet"), differences


def test_an_unchanged_run_has_no_differences(finished):
    _, rows, differences = finished
    assert differences(rows) == []


def test_a_changed_number_of_any_column_is_found_with_old_and_new(finished):
    kind, rows, differences = finished
    for column in NUMBERS[kind]:
        changed = rows.assign(
            **{column: [None if each is None else each + 1 for each in rows[column]]}
        )
        values = {each.place.rpartition(": ")[2]: each for each in differences(changed)}
        assert column in values, column
        difference = values[column]
        np.testing.assert_allclose(np.asarray(difference.stored, float) - 1, difference.computed)


def test_a_flag_that_was_lost_is_found(finished):
    _, rows, differences = finished
    lost = rows.assign(
        ambiguous=[None if pd.isna(flag) else not flag for flag in rows["ambiguous"]]
    )
    assert any(each.place.endswith(": ambiguous") for each in differences(lost))
