"""The arena: its data sets and splits, the tasks that it shares, and how methods are compared."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from experiments.cache import Cache
from experiments.config import ConfigError
from experiments.datasets import DataError, load
from experiments.evaluation.data import part
from experiments.evaluation.division import KFold, outer_split
from experiments.evaluation.samples import Loaded
from experiments.kinds.arena import KIND
from experiments.kinds.arena.practical import signed_rank
from experiments.kinds.arena.problems import (
    dataset_config,
    divider_of,
    load_arena_dataset,
    share_of,
)
from experiments.kinds.arena.tables import TOGETHER, block, mean_ranks, practical, regret
from experiments.kinds.base import tables_of
from experiments.report.figures.points import arena
from experiments.report.stored import standing_of
from tests.experiments.kinds.conftest import evaluated

#: The protocol of a small run on the small table, and an arena of it, in a few seconds.
PROTOCOL = [
    *("profile=smoke", "method=[anova,relieff,random,all_features]", "protocol.sizes=[1,2,4,8]"),
    *("protocol.test_size=0.25", "protocol.inner_folds=3", "dataset.max_features=null"),
    *("protocol.log2_C=[-2,1,4]", "protocol.log2_gamma=[-6,-3,0]", "workers=1"),
]
ARENA = ["experiment=arena", *PROTOCOL, "dataset.max_samples=null"]


@pytest.fixture
def own(table):
    return f"+protocol.sets.own={{dataset: table, scaling: none, path: {table}, target: y}}"


@example(n=91, number=83)  # 87 of 91: neither half a row nor three quarters less will do.
@given(st.integers(8, 300), st.integers(0, 10**6))
@settings(max_examples=60)
def test_a_split_leaves_exactly_the_training_samples_that_are_asked_for(n, number):
    n_train = 4 + number % (n - 7)
    y = np.arange(n) % 2
    train, test = outer_split(y, "any", 0, number, share_of(n, n_train))
    assert (len(train), len(test)) == (n_train, n - n_train)


def test_what_a_data_set_cannot_give_has_a_reason(compose):
    protocol = compose("experiment=arena").protocol
    digits, wine = load("digits"), load("wine")
    with pytest.raises(DataError, match="2 of the smallest class"):
        divider_of(digits, 20, protocol, 0)
    with pytest.raises(DataError, match=r"leave less than 0\.2 of them for"):
        divider_of(wine, 150, protocol, 0)
    whole = divider_of(digits, "all", protocol, 0)
    train, _ = outer_split(digits.y, digits.fingerprint, 0, 0, whole.test_size)
    assert len(train) == protocol.max_train
    expected = KFold(protocol.test_size, protocol.inner_folds)
    assert divider_of(wine, "all", protocol, 0) == expected
    assert divider_of(wine, 142, protocol, 0) == expected  # 142 are 80 % of 178.
    for n in (2, 177):
        with pytest.raises(DataError, match=f"max_samples={n} of the 178 samples of wine cannot"):
            part(wine, n, None, 0)


def test_some_classes_in_another_unit_are_what_workers_read(compose, tmp_path):
    entry = "+protocol.sets.a={dataset: digits, classes: [3, 8], unit: 16, max_samples: 60}"
    config = compose("experiment=arena", entry)
    assert dataset_config(config, "madelon").scaling == "standard"
    one = load_arena_dataset(config, "a")
    X, y, _ = Loaded.of(one.data, Cache(str(tmp_path))).samples()
    np.testing.assert_array_equal(X, one.data.X)
    assert (X.max(), len(X)) == (1, 60)
    np.testing.assert_array_equal(np.where(y == 1, 8, 3), one.data.y)
    digits = load("digits")
    whole = {row.tobytes() for row in np.c_[digits.X, digits.y]}
    assert {row.tobytes() for row in np.c_[16 * X, one.data.y]} <= whole


@pytest.mark.parametrize(("entry", "says"), [
    ("dataset: wime", "did you mean 'wine'"),
    ("dataset: wine, scalin: none", "did you mean 'scaling'"),
    ("dataset: wine, max_samples: few", "sets.a.max_samples: .*'few'"),
    ("dataset: digits, classes: [3, 12]", r"\[3, 12\]"),
    ("dataset: digits, classes: 3", "sets.a.classes"), ("dataset: wine, unit: cm", "sets.a.unit"),
    ("dataset: colom", "did you mean 'colon'"),
])  # fmt: skip
def test_an_entry_that_makes_no_sense_is_refused(compose, entry, says):
    with pytest.raises(ConfigError, match=says):
        load_arena_dataset(compose("experiment=arena", f"+protocol.sets.a={{{entry}}}"), "a")


def test_an_arena_has_the_tasks_of_the_nested_reading_and_tables_made_of_its_rows_and_config(
    compose, own, table, tmp_path
):
    tuning = ["dataset=table", "dataset.scaling=none", "dataset.target=y", f"dataset.path={table}"]
    tuning += ["protocol.tuning=[nested]", "protocol.n_repetitions=3"]
    alone, _, known = evaluated(
        compose("experiment=colon", *tuning, *PROTOCOL, "protocol.sizes=[1,2,4,8,12]"), tmp_path
    )
    config = compose(
        *(*ARENA, own, "+protocol.sets.gone={dataset: table, path: gone.csv, target: y}"),
        *("protocol.datasets=[own,wine,gone]", "protocol.n_train=[6,all]"),
        "protocol.n_repetitions=3",
    )
    tables, stored, outcome = evaluated(config, tmp_path)
    assert (outcome.failures, outcome.reused) == ({}, known.computed)
    ours = stored["rows"].query("chosen and data_set == 'own' and n_train == 'all'")
    ours = ours.groupby("method")[["test", "chosen_stability"]].mean()
    expected = alone["summary"].set_index("method")[["accuracy", "stability"]]
    methods = ["anova", "relieff"]  # No split takes all features in place of their choice.
    np.testing.assert_allclose(ours.loc[methods], expected.loc[methods])
    assert ours.loc["random", "test"] == pytest.approx(expected.loc["random", "accuracy"])
    on_all = stored["rows"].query("method == 'all_features' and data_set == 'own'")
    assert (on_all["n_features"] == 12).all()
    for name, rows in stored.items():
        rows.to_parquet(tmp_path / f"{name}.parquet")
        stored[name] = pd.read_parquet(tmp_path / f"{name}.parquet")
    for name, remade in tables_of(KIND, stored, config).items():
        assert remade.to_csv() == tables[name].to_csv()
    assert "ReliefF" in set(tables["by_data_set"])
    left_out = tables["left_out"]
    assert list(left_out["what"]) == ["the data set", "6 training samples"]
    assert "gone.csv" in left_out.set_index("data_set").loc["gone", "reason"]
    assert list(tables["data_sets"]["training_samples"]) == ["6, 36", "40"]
    assert list(tables["data_sets"]["standing"]) == ["your own table", "verified"]
    assert standing_of({"name": "table, a part"}) == "your own table"
    assert (tables["problems"]["n_splits"] == 3).all()
    assert tables["summary"]["mean_rank"].dropna().is_monotonic_increasing
    # A method without any row has failed on all splits.
    left = stored | {"rows": stored["rows"].query("method != 'anova'")}
    row = tables_of(KIND, left, config)["problems"].query("method == 'anova'")
    assert (row["n_failed"] == 3).all()
    assert row["accuracy"].isna().all()


def test_a_split_takes_all_features_if_they_are_better_in_the_inner_folds(compose, own, tmp_path):
    sets = "protocol.datasets=[own]", "protocol.n_train=[all]", "protocol.evaluator=logistic"
    config = compose(*ARENA, own, *sets, "protocol.log2_gamma=[0]", "protocol.n_repetitions=2")
    tables, stored, _ = evaluated(config, tmp_path)
    for name in ("ranks", "summary"):  # Ranks on one data set are not drawn.
        tables[name].to_csv(tmp_path / f"{name}.csv", index=False)
    assert arena(tmp_path) == {}
    rows = stored["rows"].set_index(["method", "split"])
    for method in ("anova", "relieff", "random"):
        for split in range(2):
            whole, own = rows.loc[("all_features", split)], rows.loc[(method, split)]
            chosen = own[own["chosen"]].squeeze()
            subset = own[own["n_features"] < 12]["validation"].max()
            takes_all = whole["validation"].item() > subset + 1e-9
            assert (chosen["n_features"] == 12) == takes_all
            assert np.isnan(chosen["chosen_stability"]) == takes_all
            on_all = own[own["n_features"] == 12].squeeze()
            for name in ("validation", "test"):
                assert on_all[name] == whole[name].item()


def problems(**accuracies):
    """A table of problems: method -> accuracies on data sets a, b, c, ...; None is missing."""
    rows = [
        {"data_set": "abcdefgh"[i], "n_train": "20", "method": name, "accuracy": value}
        | {"source": "abcdefgh"[i]}
        for name, values in accuracies.items()
        for i, value in enumerate(values)
    ]
    table = pd.DataFrame(rows).astype({"accuracy": float})
    return table.assign(is_ranked=table["method"] != "all_features")


LABELS = {name: name.upper() for name in ("first", "second", "third")}


def test_methods_are_ranked_on_the_data_sets_that_all_of_them_have():
    table = problems(
        first=[0.9, 0.9, 0.9, 0.9],
        second=[0.8, 0.8, 0.8, None],
        seldom=[None, None, 1, 1],
        all_features=[1, 1, 1, 1],
    )
    values = block(table, TOGETHER)
    assert (list(values.columns), list(values.index)) == (["first", "second"], ["a", "b", "c"])
    ranked = mean_ranks(table, LABELS).set_index(["n_train", "method"])
    assert ranked["mean_rank"].loc["20"].to_dict() == {"first": 1, "second": 2}
    assert (ranked["n_sources"] == 3).all()
    one = problems(first=[0.9], second=[0.8])
    ranked = mean_ranks(pd.concat([one.assign(n_train=n) for n in ("20", "all", "100")]), LABELS)
    assert list(dict.fromkeys(ranked["n_train"])) == [TOGETHER, "20", "100", "all"]
    apart = problems(w=[None, 1, 1, 1], x=[1, None, 1, 1], y=[1, 1, None, 1], z=[1, 1, 1, None])
    assert regret(apart.dropna(), LABELS).empty, "no problem has all ranked methods"


def test_methods_are_compared_with_all_features_on_the_same_problems():
    """The second method lacks the first number of samples, on which all features are poor."""
    few = problems(first=[0.6], second=[None], all_features=[0.5])
    many = problems(first=[0.9], second=[0.9], all_features=[0.8]).assign(n_train="50")
    table = practical(pd.concat([few, many]), LABELS).set_index("method")
    assert table["difference"].to_dict() == pytest.approx({"first": 0.1, "second": 0.1})


def test_the_bayesian_signed_rank_test_is_symmetric_and_sure_of_large_and_small_differences():
    z = np.random.default_rng(0).normal(0.5, 1, 15)
    assert signed_rank(-z, 0.3) == pytest.approx(signed_rank(z, 0.3)[::-1], abs=1e-12)
    assert sum(signed_rank(z, 0.3)) == pytest.approx(1)
    for i, difference in enumerate((5.0, 0.1, -5.0)):
        assert signed_rank(np.full(12, difference), 1.0)[i] > 0.99


def test_one_difference_has_the_probability_of_a_beta_variable():
    """With z_1 = 3 and r = 1, above is 1 - (1 - w)^2 with w of Beta(1, 1/2): more than half if
    w > 1 - sqrt(1/2). Otherwise the rest, (1 - w)^2, is within.
    """
    above, within, below = signed_rank([3.0], 1.0)
    assert above == pytest.approx(stats.beta.sf(1 - np.sqrt(0.5), 1, 0.5), abs=0.01)
    assert (within, below) == (pytest.approx(1 - above), 0)
