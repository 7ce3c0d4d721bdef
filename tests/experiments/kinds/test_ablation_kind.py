"""An ablation: parts that are other experiments, their scales, and pairs at the best size."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from experiments import kinds
from experiments.cache import Cache, Run
from experiments.config import ConfigError
from experiments.evaluation.statistics import resampled_interval
from experiments.kinds import ablation
from experiments.kinds.ablation import changed_parts, composed_part, every_part
from experiments.kinds.base import Results, tables_of

TEN = np.random.default_rng(0).normal(size=10)


def test_pairs_are_at_the_best_number_of_features_of_each_method(compose):
    config = compose("experiment=ablation", "profile=paper")
    rows = pd.DataFrame({"split": [*range(10)] * 3, "result": [*TEN, *(TEN + 2), *TEN[::-1]]})
    rows["method"] = np.repeat(["manifest", "manifest_blind"], [20, 10])
    rows["n_features"] = np.repeat([5, 10, 5], 10)
    rows["at_edge"] = np.repeat([False, True, False], 10)
    rows = rows.assign(part="madelon_best", overlap=1 / 9, ambiguous=False)
    found = tables_of(kinds.load("ablation"), {"rows": rows}, config)
    (pair,) = found["pairs"].to_dict("records")
    values = TEN + 2 - TEN[::-1]
    low, high = resampled_interval(values, 1 / 9, level=0.9)
    assert np.allclose((pair["difference"], pair["ci_low"], pair["ci_high"]), (2, low, high))
    assert pair["ci_low"] < pair["split_low"] < 2 < pair["split_high"] < pair["ci_high"]
    assert (pair["method"], pair["other"]) == ("manifest", "manifest_blind")
    assert (pair["question"], pair["source"]) == ("labels", "Madelon")
    summary = found["summary"].set_index("method")
    assert np.isclose(summary["result"]["manifest"], TEN.mean() + 2)
    assert summary["at_edge"].to_dict() == {"manifest": 1, "manifest_blind": 0}
    assert found["answers"]["answer"].tolist() == [pair["word"]] * 2
    changed = rows[rows["method"] == "manifest_blind"]  # All tasks of the score failed.
    alone = tables_of(kinds.load("ablation"), {"rows": changed}, config)
    assert alone["summary"]["method"].tolist() == ["manifest_blind"]


def test_a_part_without_results_does_not_end_the_run(compose, monkeypatch, tmp_path):
    config = compose("experiment=ablation", "profile=smoke")
    config.protocol.parts = {"toy_a": config.protocol.parts.toy_a}
    empty = Results({"rows": pd.DataFrame()}, {"name": "toy"})
    failing = replace(kinds.load("recovery"), run=lambda run: empty)
    monkeypatch.setattr(kinds, "load", lambda name: failing)
    results = ablation.run(Run(config, Cache(str(tmp_path))))
    assert results.rows["rows"].empty


def test_each_scale_is_a_part_and_the_best_of_them_is_one(compose):
    config = compose("experiment=ablation", "profile=paper")
    parts = every_part(config.protocol)
    scales = [name for name in parts if name.startswith("xor_")]
    assert scales == [f"xor_{v}" for v in ("0.05", "0.1", "0.2", "0.3", "0.5", "1", "2", "best")]
    one, best = (composed_part(config, parts[name]) for name in ("xor_0.3", "xor_best"))
    assert one["parameters"]["manifest"] == {"percentile": None, "scale_factor": 0.3}
    assert best["parameters"]["manifest"]["scale_factor"][-1] == 2
    assert one["parameters"]["correlation_difference"] == {}
    assert [*one["method"]["scorers"]] == parts["xor_0.3"]["methods"]


def test_a_stored_part_says_which_of_its_settings_have_changed(compose):
    names = compose("experiment=ablation").protocol.parts
    others = [f"~protocol.parts.{name}" for name in names if name not in ("colon", "toy_a")]
    stored, today = (compose("experiment=ablation", *others) for _ in range(2))
    parts = every_part(stored.protocol)
    stored.protocol.composed = {name: composed_part(stored, of) for name, of in parts.items()}
    assert changed_parts(stored, today) == []
    stored.protocol.composed.colon.protocol.inner_repeats = 7
    today.method.scorers.manifest.grid.percentile = [50]
    lines = changed_parts(stored, today)
    assert any("colon:" in line and "protocol" in line for line in lines)
    assert any("toy_a:" in line and "method" in line for line in lines)


def test_a_score_alone_is_no_ablation(compose):
    with pytest.raises(ConfigError, match="change"):
        kinds.validate(compose("experiment=ablation", "method=manifest"))
