"""The comparison of committed rows with rows that are computed again."""

import numpy as np
import pandas as pd
import pytest

from scripts.reproduce import RESULTS, compared, sampled
from tests.experiments.conftest import composed

ROWS = pd.DataFrame(
    {
        "method": ["a", "a", "b", "b"],
        "split": [0, 1, 0, 1],
        "n_features": 5,
        "test": [0.5, 0.6, 0.7, np.nan],
        "parameters": ["k=1", "k=2", "", ""],
        "ambiguous": [False, False, True, False],
        "scores": [np.arange(3.0)] * 4,
    }
)


def outcome(computed, same_code=True, kind="accuracy"):
    return compared(ROWS.copy(), computed.copy(), kind, same_code)


def test_equal_rows_and_rounding_are_no_difference():
    scores = [each + 1e-9 for each in ROWS["scores"]]
    assert outcome(ROWS.assign(scores=scores)) == (4, [], [])
    assert outcome(ROWS[ROWS["split"] == 1]) == (2, [], [])


@pytest.mark.parametrize(
    "changed",
    [
        {"test": [0.5, 0.6, 0.7, 0.7]},
        {"test": [0.5, 0.6001, 0.7, np.nan]},
        {"parameters": ["k=1", "k=1", "", ""]},
        {"scores": [np.arange(3.0)] * 3 + [np.arange(3.0)[::-1]]},
    ],
)
def test_another_number_or_choice_is_a_difference(changed):
    assert len(outcome(ROWS.assign(**changed))[1]) == 1


def test_a_method_without_a_common_row_is_a_difference():
    assert len(outcome(ROWS.assign(method=["a", "a", "c", "c"]))[1]) == 1
    assert outcome(ROWS.assign(split=9))[1]


def test_ambiguous_rankings_count_on_the_same_code_alone():
    changed = ROWS.assign(test=[0.5, 0.6, 0.1, np.nan])
    assert outcome(changed, same_code=False)[1:] == ([], ["b"])
    assert outcome(changed)[1]


def test_a_sample_is_a_part_of_the_run():
    config = sampled(composed("experiment=colon", "profile=paper"), np.random.default_rng(0))
    whole = composed("experiment=colon", "profile=paper")
    assert set(config.method.scorers) < set(whole.method.scorers)
    assert config.protocol.n_repetitions < whole.protocol.n_repetitions
    assert (RESULTS / "colon" / "provenance.json").is_file()
