"""Geometries side by side: verdicts from intervals, and parts that are other experiments' rows."""

import numpy as np
import pandas as pd
import pytest
from experiments.kinds.geometry import tables, verdict

from experiments.evaluation.statistics import resampled_interval
from experiments.kinds import composed

TEN = np.random.default_rng(0).normal(size=10)


@pytest.mark.parametrize(("low", "high", "expected"), [
    (-0.9, 0.9, "no difference"), (0.1, 0.9, "no difference"), (0.1, 1.1, "reference"),
    (-1.1, -0.1, "other"), (-0.1, 1.1, "open"), (np.nan, np.nan, "open"),
])  # fmt: skip
def test_a_verdict_is_where_the_interval_lies(low, high, expected):
    assert verdict(low, high, 1.0) == expected


def test_differences_are_paired_at_the_best_parameters_of_each_form():
    config = composed("experiment=geometry")
    assert config.protocol.parts.xor_1.margin == 0.25
    rows = pd.DataFrame({"split": [*range(10)] * 3, "result": [*TEN, *(TEN + 2), *TEN[::-1]]})
    rows["method"] = np.repeat(["manifest", "manifest_euclidean"], [20, 10])
    rows["parameters"] = np.repeat(["a", "b", "a"], 10)
    found = tables({"rows": rows.assign(part="xor_1", overlap=0.0, ambiguous=False)}, config)
    (pair,) = found["pairs"].to_dict("records")
    values = TEN + 2 - TEN[::-1]
    low, high = resampled_interval(values, level=0.9)
    assert np.allclose((pair["difference"], pair["ci_low"], pair["ci_high"]), (2, low, high))
    assert pair["verdict"] == "reference"
    assert (pair["method"], pair["other"]) == ("manifest", "manifest_euclidean")
    means = found["summary"].set_index("method")["result"]
    assert np.isclose(means["manifest"], TEN.mean() + 2)
