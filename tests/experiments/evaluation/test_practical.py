"""The Bayesian signed-rank test: symmetries, limits, and a case that can be computed."""

import numpy as np
import pandas as pd
import pytest
from omegaconf import OmegaConf
from scipy import stats

from experiments.evaluation.accuracies import ALL_FEATURES
from experiments.evaluation.practical import signed_rank
from experiments.kinds.arena.tables import EQUIVALENCE, OUTCOMES, practical

Z = np.random.default_rng(0).normal(0.5, 1, 15)


def test_exchanged_methods_exchange_the_outer_probabilities():
    assert signed_rank(-Z, 0.3) == pytest.approx(signed_rank(Z, 0.3)[::-1], abs=1e-12)
    assert sum(signed_rank(Z, 0.3)) == pytest.approx(1)


def test_large_and_small_differences_are_certain():
    assert signed_rank(np.full(12, 5.0), 1.0)[0] > 0.99
    assert signed_rank(np.full(12, 0.1), 1.0)[1] > 0.99
    assert signed_rank(np.full(12, -5.0), 1.0)[2] > 0.99


def test_one_difference_has_the_probability_of_a_beta_variable():
    """With z_1 = 3 and r = 1, above is 1 - (1 - w)^2 with w of Beta(1, 1/2): more than half if
    w > 1 - sqrt(1/2). Otherwise the rest, (1 - w)^2, is within.
    """
    above, within, below = signed_rank([3.0], 1.0)
    assert above == pytest.approx(stats.beta.sf(1 - np.sqrt(0.5), 1, 0.5), abs=0.01)
    assert (within, below) == (pytest.approx(1 - above), 0)


def test_data_sets_of_one_source_are_one_difference():
    head = {"n_train": "20", "n_samples": 20}
    rows = [
        {**head, "data_set": name, "method": method, "accuracy": accuracy}
        for name, of in {"one": (0.9, 0.8), "two": (0.7, 0.8), "three": (0.9, 0.7)}.items()
        for method, accuracy in zip(("anova", ALL_FEATURES), of, strict=True)
    ]
    protocol = OmegaConf.create({"sets": {}, "sources": {"one": "same", "two": "same"}})
    (found,) = practical(pd.DataFrame(rows), {"anova": "ANOVA"}, protocol).to_dict("records")
    assert found["n_sources"] == 2
    assert found["difference"] == pytest.approx(0.1)
    expected = signed_rank([0.0, 0.2], EQUIVALENCE)
    assert [found[name] for name in OUTCOMES] == pytest.approx(expected, abs=0.01)
