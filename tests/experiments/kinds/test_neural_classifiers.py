"""The neural systems among the classifiers: left out without jax, tuned in folds of their own."""

import pytest

from experiments.engine.store import Store
from experiments.evaluation import classifiers as classifier_units
from experiments.evaluation.data import load_dataset
from experiments.evaluation.sources import Loaded
from experiments.kinds.classifiers import resolve

EXPERIMENT = "experiment=colon_embedded"
SMOKE = (EXPERIMENT, "profile=smoke")
NEURAL = ["linear_stg", "nonlinear_stg", "lspin", "llspin", "lspin_tuned", "llspin_tuned"]
NEURAL += ["l2x", "invase", "real_x", "tabnet"]


@pytest.mark.usefixtures("without_jax")
def test_without_jax_the_run_goes_on_and_says_what_to_install(compose, caplog):
    config = compose(*SMOKE)
    found = {c.name for c in resolve(config)}
    assert {"lasso", "svc", "mlp"} <= found
    assert not set(NEURAL) & found
    quoted = {name for name in config.protocol.classifiers if name.endswith("_quoted")}
    assert quoted <= found
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == len(NEURAL)
    assert all("pip install '.[neural]'" in line and "\n" not in line for line in said)


def test_with_jax_the_neural_systems_are_tuned_in_folds_of_their_own(compose, table, tmp_path):
    pytest.importorskip("jax", reason="the neural systems need jax: pip install '.[neural]'")
    config = compose(*SMOKE)
    found = {c.name: c for c in resolve(config)}
    assert set(NEURAL) <= found.keys()
    assert {f"{name}_quoted" for name in NEURAL if not name.endswith("tuned")} <= found.keys()
    axes = dict.fromkeys(classifier_units.AXES, 10)
    of_lasso, of_stg = found["lasso"], found["linear_stg"]
    wanted = classifier_units.units([of_lasso, of_stg], Loaded("", "", ""), axes, 1)
    assert wanted["lasso", 0].task.args[2]["inner_folds"] == 10  # type: ignore[attr-defined]
    assert wanted["linear_stg", 0].task.args[2]["inner_folds"] == 3  # type: ignore[attr-defined]
    config = compose(EXPERIMENT, "dataset=file", f"dataset.path={table}", "dataset.target=y")
    source = Loaded.of(load_dataset(config), Store(tmp_path / "samples"))
    own = {"fingerprint": source.fingerprint, "seed": 0, "test_size": 0.25, "inner_folds": 10}
    unit = classifier_units.units([of_stg], source, {**own, "scaling": "none"}, 1)["linear_stg", 0]
    row = unit.task()
    assert row == unit.task()
    assert 0 <= row["test"] <= 1
    assert 0 <= row["n_features"] <= 12
