"""The comparison of committed rows with rows that are computed again."""

import json

import numpy as np
import pandas as pd
import pytest

from experiments.report.agreement import KEYS, compared
from experiments.report.stored import altered, digests, with_results
from scripts.reproduce import RESULTS, sampled
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


def outcome(same_code=True, **changes):
    return compared(ROWS.copy(), ROWS.assign(**changes), "accuracy", same_code)


def test_equal_rows_and_rounding_are_no_difference():
    assert outcome(scores=[each + 1e-9 for each in ROWS["scores"]]) == (4, [], [])
    part = ROWS[ROWS["split"] == 1]
    assert compared(ROWS.copy(), part.copy(), "accuracy", same_code=True) == (2, [], [])
    whole = ROWS.assign(correct=pd.array([1, 2, None, 2], dtype="Int64"))
    assert compared(whole.copy(), whole.copy(), "accuracy", same_code=True)[1] == []
    other = whole.assign(correct=whole["correct"].fillna(1))
    assert len(compared(whole.copy(), other, "accuracy", same_code=True)[1]) == 1


@pytest.mark.parametrize("changes", [
    {"test": [0.5, 0.6, 0.7, 0.7]}, {"test": [0.5, 0.6001, 0.7, np.nan]},
    {"parameters": ["k=1", "k=1", "", ""]}, {"method": ["a", "a", "c", "c"]},
    {"scores": [np.arange(3.0)] * 3 + [np.arange(3.0)[::-1]]},
])  # fmt: skip
def test_another_number_or_choice_and_a_missing_method_are_a_difference(changes):
    assert len(outcome(**changes)[1]) == 1
    assert outcome(split=9)[1]


def test_a_difference_names_the_first_row_and_both_values():
    (line,) = outcome(test=[0.5, 0.6, 0.8, 0.9])[1]
    for part in ("test", "2 rows", "method b", "split 0", "0.8", "0.7"):
        assert part in line


def test_a_file_of_rows_is_the_one_of_its_run(tmp_path):
    ROWS.to_parquet(tmp_path / "rows.parquet")
    of_rows = digests({"rows.parquet": (tmp_path / "rows.parquet").read_bytes()})
    record = {"config": {}, "digests": of_rows}
    (tmp_path / "provenance.json").write_text(json.dumps(record))
    assert altered(tmp_path) == []
    ROWS.assign(test=[0.5, 0.6, 0.7, 0.7]).to_parquet(tmp_path / "rows.parquet")
    assert len(altered(tmp_path)) == 1
    ROWS.to_parquet(tmp_path / "more.parquet")
    assert len(altered(tmp_path)) == 2


@pytest.mark.parametrize("name", sorted({*with_results(RESULTS)} - {"operators"}))
def test_a_committed_row_has_a_name_of_its_own(name):
    """Rows of one name are matched by their order, which only a whole table keeps."""
    rows = pd.read_parquet(RESULTS / name / "rows.parquet")
    keys = {*KEYS.split(), "parameters"} & {*rows}
    assert not rows.duplicated([*keys]).any()


def test_ambiguous_rankings_count_on_the_same_code_alone():
    tests = [0.5, 0.6, 0.1, np.nan]
    assert outcome(same_code=False, test=tests)[1:] == ([], ["b"])
    assert outcome(test=tests)[1]


def test_a_sample_is_a_part_of_the_run():
    whole = composed("experiment=colon", "profile=paper")
    config = sampled(whole.copy(), np.random.default_rng(0))
    assert set(config.method.scorers) < set(whole.method.scorers)
    assert config.protocol.n_repetitions < whole.protocol.n_repetitions
