"""A search by the optuna sweeper."""

from importlib.util import find_spec

import pandas as pd
import pytest
import yaml


def test_a_search_maximises_the_headline_within_the_interval(sweep, tmp_path):
    if find_spec("optuna") is None:
        pytest.skip("no optuna: pip install '.[search]'")
    sweeper = ["hydra/sweeper=search", "hydra.sweeper.n_trials=4"]
    process = sweep(*sweeper, "method.percentile=interval(20,80)", "method.scale_factor=0.3")
    _, told = process.communicate(timeout=300)
    assert process.returncode == 0, told
    tried = pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    percentiles = tried["job"].str.extract(r"percentile=([0-9.]+)")[0].astype(float)
    assert len(tried) == percentiles.nunique() == 4
    assert percentiles.between(20, 80).all()
    found = yaml.safe_load((tmp_path / "sweep" / "optimization_results.yaml").read_text())
    assert found["best_value"] == tried["value"].max()
    best = percentiles[tried["value"] == tried["value"].max()]
    assert any(best.sub(found["best_params"]["method.percentile"]).abs() < 1e-9)
