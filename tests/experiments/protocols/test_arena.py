"""The arena: its data sets and splits, the units that it shares, and how methods are compared."""

import numpy as np
import pandas as pd
import pytest
from experiments.protocols.arena import comparing
from experiments.protocols.arena.problems import (
    Setting,
    composed,
    opened,
    setting,
    share_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from experiments.config import ConfigError
from experiments.datasets import load
from experiments.evaluation.splits import outer_split
from experiments.protocols import validate

#: A small arena on the small table, in a few seconds.
ARENA = [
    "experiment=arena",
    "profile=smoke",
    "method=[anova,relieff,random]",
    "protocol.datasets=[own]",
    "protocol.n_train=[all]",
    "protocol.test_size=0.25",
    "protocol.inner_folds=3",
    "protocol.sizes=[1,2,4,8]",
    "protocol.reported=[2,4]",
    "protocol.log2_C=[-2,1,4]",
    "protocol.log2_gamma=[-6,-3,0]",
    "dataset.max_samples=null",
    "dataset.max_features=null",
]


def own(path):
    return f"+protocol.sets.own={{dataset: file, path: {path}, target: y}}"


@given(st.integers(8, 300), st.integers(0, 10**6))
@settings(deadline=None, max_examples=60)
def test_a_split_leaves_exactly_the_training_samples_that_are_asked_for(n, number):
    n_train = 4 + number % (n - 7)
    y = np.arange(n) % 2
    train, test = outer_split(y, "any", 0, number, share_of(n, n_train))
    assert (len(train), len(test)) == (n_train, n - n_train)


def test_what_a_data_set_cannot_give_is_left_out_with_a_reason(compose):
    protocol = compose("experiment=arena").protocol
    digits, wine = load("digits"), load("wine")
    few, many = setting(digits, 20, protocol, 0), setting(wine, 150, protocol, 0)
    assert "2 of the smallest class" in str(few)
    assert "leave less than 0.2 of them for the test" in str(many)
    whole, every = (setting(data, "all", protocol, 0) for data in (digits, wine))
    assert isinstance(whole, Setting)
    assert (whole.n_train, whole.n_test) == (protocol.max_train, 1797 - protocol.max_train)
    assert isinstance(every, Setting)
    assert (every.test_size, every.n_train + every.n_test) == (protocol.test_size, 178)


def test_a_data_set_that_cannot_be_had_is_left_out_and_told(run, table):
    missing = "+protocol.sets.gone={dataset: file, path: gone.csv, target: y}"
    settings = [o for o in ARENA if "datasets" not in o]
    folder, failed = run(*settings, own(table), missing, "protocol.datasets=[own,gone]")
    assert failed == 0
    (told,) = pd.read_csv(folder / "left_out.csv").to_dict("records")
    assert told["data_set"] == "gone"
    assert "gone.csv" in told["reason"]


def test_a_data_set_is_its_file_with_what_the_entry_says(compose):
    config = compose(
        "experiment=arena",
        "dataset.max_samples=100",
        "+protocol.sets.mine={dataset: expression_like, scaling: none, params: {n_samples: 30}}",
    )
    found, _ = composed(config, "mine")
    assert (found.name, found.scaling, found.max_samples) == ("expression_like", "none", 100)
    assert (found.params.n_samples, found.params.block) == (30, 20)
    assert composed(config, "madelon")[0].scaling == "standard"
    assert opened(config, "mine").data.X.shape[0] == 30


@pytest.mark.parametrize(
    ("overrides", "name", "message"),
    [
        ([], "colom", r"no data set 'colom'; did you mean 'colon'\? Valid: .*breast_cancer"),
        (["+protocol.sets.a={dataset: wime}"], "a", "did you mean 'wine'"),
        (["+protocol.sets.a={dataset: wine, scalin: none}"], "a", "did you mean 'scaling'"),
        (["+protocol.sets.a={dataset: wine, max_samples: few}"], "a", "sets.a: .*'few'"),
        ([], "file", "protocol.sets.file must say what its path and target is"),
        (["+protocol.sets.a={dataset: digits, classes: [3, 12]}"], "a", r"got \[3, 12\]"),
    ],
)
def test_an_entry_that_cannot_be_ends_with_a_sentence(compose, overrides, name, message):
    with pytest.raises(ConfigError, match=message):
        opened(compose("experiment=arena", *overrides), name)


def test_some_classes_in_another_unit_are_what_workers_read(compose):
    entry = "+protocol.sets.a={dataset: digits, classes: [3, 8], unit: 16, max_samples: 60}"
    one = opened(compose("experiment=arena", entry), "a")
    X, y = one.source.samples()
    np.testing.assert_array_equal(X, one.data.X)
    assert (X.max(), len(X)) == (1, 60)
    assert set(one.data.y) == {3, 8}
    np.testing.assert_array_equal(np.where(y == 1, 8, 3), one.data.y)
    digits = load("digits")
    of_classes = {row.tobytes() for row in digits.X[np.isin(digits.y, [3, 8])]}
    assert {row.tobytes() for row in 16 * X} <= of_classes


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("dataset=wine", r"give protocol.datasets=\[wine\]"),
        ("protocol.datasets=[]", "must name data sets"),
        ("protocol.datasets=[wine,wine]", "each once"),
        ("protocol.n_train=[50,20]", "protocol.n_train must be increasing"),
        ("protocol.n_train=[all,20]", "protocol.n_train must be increasing"),
        ("protocol.n_train=[3]", "two a fold"),
        ("protocol.reported=[10,30]", r"must be among protocol.sizes .*, got \[30\]"),
        ("protocol.readings=[paper]", "protocol.readings must stay"),
        ("+protocol.fewer_splits.nested=1", "protocol.fewer_splits must stay"),
    ],
)
def test_a_config_that_makes_no_sense_ends_with_a_sentence(compose, override, message):
    with pytest.raises(ConfigError, match=message):
        validate(compose("experiment=arena", override))


def test_one_method_is_no_arena(run):
    with pytest.raises(ConfigError, match="an arena compares methods"):
        run("experiment=arena", "profile=smoke", "method=anova")


def test_an_arena_on_one_data_set_is_the_nested_reading_and_shares_its_units(run, table):
    overrides = [o for o in ARENA if "experiment" not in o and "protocol.n_train" not in o]
    skipped = ("protocol.datasets", "protocol.reported", "dataset.max")
    alone, _ = run(
        "experiment=colon",
        "dataset=file",
        "dataset.target=y",
        f"dataset.path={table}",
        "protocol.readings=[nested]",
        "protocol.n_repetitions=2",
        *(o for o in overrides if not o.startswith(skipped)),
        "dataset.max_features=null",
    )
    folder, failed = run(*ARENA, own(table), folder="arena")
    assert failed == 0
    theirs = pd.read_csv(alone / "summary.csv").set_index("method")
    ours = pd.read_csv(folder / "problems.csv").set_index("method")
    for method in ("anova", "relieff", "random"):
        for column in ("accuracy", "std", "n_features", "stability", "n_splits"):
            assert ours.loc[method, column] == pytest.approx(theirs.loc[method, column])
    record = pd.read_json(folder / "provenance.json", typ="series")
    # Three methods are timed, and the SVM on all features is judged in two splits.
    assert record["units"]["computed"] == 3 + 2 * (1 + 3)
    assert "ReliefF" in (folder / "report.html").read_text("utf-8")
    on_all = pd.read_parquet(folder / "rows.parquet").query("method == 'all_features'")
    assert (on_all["n_features"] == 12).all()
    assert len(on_all) == 2


def problems(**accuracies):
    """A table of problems: method -> accuracies on data sets a, b, c, ...; None is missing."""
    rows = [
        {"data_set": "abcdefgh"[i], "n_train": "20", "method": name, "accuracy": value}
        for name, values in accuracies.items()
        for i, value in enumerate(values)
    ]
    return pd.DataFrame(rows).astype({"accuracy": float})


def test_methods_are_ranked_on_the_data_sets_that_all_of_them_have():
    table = problems(
        first=[0.9, 0.9, 0.9, 0.9],
        second=[0.8, 0.8, 0.8, None],
        seldom=[None, None, 1, 1],
        all_features=[1, 1, 1, 1],
    )
    values = comparing.block(table, "accuracy", comparing.TOGETHER)
    assert list(values.columns) == ["first", "second"]
    assert list(values.index) == ["a", "b", "c"]
    labels = {name: name.upper() for name in ("first", "second")}
    found = comparing.mean_ranks(table, labels, "first", []).set_index(["n_train", "method"])
    assert found.loc[("20", "first"), "mean_rank"] == 1
    assert found.loc[("20", "second"), "mean_rank"] == 2
    assert found.loc[("20", "second"), "p_value"] == 0.25
    assert (found["n_data_sets"] == 3).all()


def test_numbers_of_samples_stand_in_their_order_whatever_the_first_data_set_has():
    table = pd.concat(
        [problems(first=[0.9], second=[0.8]).assign(n_train=n) for n in ("20", "all", "100", "50")]
    )
    labels = {"first": "", "second": ""}
    found = comparing.mean_ranks(table, labels, "first", [])
    assert list(dict.fromkeys(found["n_train"])) == [comparing.TOGETHER, "20", "50", "100", "all"]


def test_differences_are_paired_by_data_set_and_each_of_these_is_one_value():
    table = problems(first=[0.9, 0.8, 0.7], second=[0.8, 0.8, 0.9], third=[0.9, 0.6, 0.6])
    labels = {name: name.upper() for name in ("first", "second", "third")}
    found = comparing.differences(table, labels, ["first", "second", "absent"], [])
    assert set(zip(found["method"], found["other"], strict=True)) == {
        ("first", "second"),
        ("first", "third"),
        ("second", "first"),
        ("second", "third"),
    }
    (row,) = found.query("n_train == '20' and method == 'first' and other == 'second'").to_dict(
        "records"
    )
    test = stats.ttest_1samp([0.1, 0, -0.2], 0).confidence_interval()
    assert row["difference"] == pytest.approx(-0.1 / 3)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((test.low, test.high))
    assert (row["better"], row["equal"], row["worse"]) == (1, 1, 1)


def test_a_method_is_on_the_front_unless_another_one_is_as_good_in_all_and_better_in_one():
    summary = pd.DataFrame(
        [
            {"method": "good", "accuracy": 0.9, "stability": 0.5},
            {"method": "fast", "accuracy": 0.8, "stability": 0.5},
            {"method": "same", "accuracy": 0.9, "stability": 0.5},
            {"method": "worse", "accuracy": 0.9, "stability": 0.4},
            {"method": "stable", "accuracy": 0.1, "stability": 0.9},
        ]
    ).assign(label="", mean_rank=1.0)
    seconds = {"good": 2.0, "fast": 1.0, "same": 2.0, "worse": 2.0, "stable": 9.0}
    timed = pd.DataFrame(
        [{"data_set": d, "method": m, "seconds": s} for m, s in seconds.items() for d in "ab"]
    )
    front = comparing.pareto(summary, timed).set_index("method")["on_front"]
    assert front[front].index.tolist() == ["good", "fast", "same", "stable"]
