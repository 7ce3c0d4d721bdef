"""An own table: both questions are answered apart, nothing leaks, and what is promised is kept."""

import html
import json
import logging
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import Pipeline

from experiments import seeds
from experiments.cache import Cache, Outcome
from experiments.config import ConfigError
from experiments.datasets import DataError
from experiments.datasets.table import Table
from experiments.evaluation import nested
from experiments.evaluation.data import load_dataset, load_table
from experiments.evaluation.differ import copies_of, differ, separating, together
from experiments.evaluation.methods import Method, Part, resolve
from experiments.evaluation.nested import Design, evaluated, learned
from experiments.evaluation.samples import Samples
from experiments.kinds import base, select
from experiments.report.text import aligned
from tests.commands import python
from tests.experiments.conftest import composed, words
from tests.experiments.kinds.planted import PLANTED, drawn, noise, planted

#: A small protocol: one loop of three folds, two inner folds, few shuffles.
QUICK = words("""
experiment=select dataset.target=status protocol.outer_folds=3 protocol.inner_folds=2
protocol.loops=1 protocol.n_shuffles=2 protocol.sizes=[1,2,5] protocol.log2_C=[0]
""")
ANOVA = Method("anova", "ANOVA", (Part("anova", "anova", {}, {}),))
NAMES = ["gene 0007", "gene 0011", "gene 0023"]


@pytest.fixture
def answer(run, tmp_path):
    """A function from a table and overrides to the new folder of a run."""
    numbers = count()

    def answered(frame, *overrides, store="store", workers=1):
        path = tmp_path / "a.csv"
        frame.to_csv(path)
        at = {"folder": f"run{next(numbers)}", "store": store, "workers": workers}
        made, failed = run(*QUICK, "method=anova", f"dataset.path={path}", *overrides, **at)
        assert not failed
        return made

    return answered


def facts_of(folder):
    return json.loads((folder / "answer.json").read_text("utf-8"))


def table_of(folder, name="differ"):
    table = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values={"q_value": [""]})
    return table.set_index(table.columns[0])


def samples(X, y, groups=None):
    """A table without a file."""
    groups = None if groups is None else tuple(map(str, groups))
    names, classes = (
        tuple(f"x{j}" for j in range(X.shape[1])),
        dict(enumerate("abcdef"[: max(y) + 1])),
    )
    row_names = tuple(f"s{i}" for i in range(len(y)))
    about = {"feature_names": names, "row_names": row_names, "groups": groups}
    return Table("t", X, np.array(y), classes, "f", "made up", **about)


def first_answer(given):
    """The answer to the first question."""
    named = given.groups
    groups = copies_of(given.X) if named is None else np.unique(named, return_inverse=True)[1]
    return differ(given, groups, within=named is not None)


def told_of(given):
    return select.warnings_of(given, first_answer(given), copies_of(given.X))


# Whole runs


def test_planted_genes_are_named_by_both_answers(answer, caplog):
    """What is said stands in the terminal, in the file and on the page."""
    caplog.set_level(logging.INFO, logger="experiments")
    folder = answer(planted(), "method=[manifest_set,anova,relieff]", "draw=true")
    facts, page = facts_of(folder), (folder / "report.html").read_text("utf-8")
    page = html.unescape(page).replace("\u00a0", " ")
    assert sorted(facts["differ"]["features"][:3]) == NAMES
    assert facts["groups"] is facts["n_groups"] is None
    assert set(facts["selected"]["features"]) & set(NAMES)
    predict = facts["predict"]
    assert predict["p_value"] == predict["least_p"] == pytest.approx(1 / 3)
    assert facts["differ"]["evidence"] is True
    assert predict["evidence"] is False  # Two shuffles show nothing.
    assert min(predict["balanced_accuracy"], predict["roc_auc"]) > 0.8
    low, high = predict["interval"]
    assert low < predict["balanced_accuracy"] <= high
    for answers in facts["answers"]:
        assert all(text in page for text in answers)
        assert ": ".join([" ".join(answers[:2]), answers[2]]) in caplog.text.replace("\n", " ")
    assert facts["paragraph"] in page
    assert (folder / "methods.txt").read_text("utf-8").split() == facts["paragraph"].split()
    chosen = (folder / "selected.txt").read_text("utf-8").splitlines()
    features = table_of(folder, "features")
    assert chosen == facts["selected"]["features"]
    assert set(features.index[features["chosen"].astype(str) == "True"]) == set(chosen)
    assert features.loc[chosen, "rank"].astype(float).tolist() == list(range(1, len(chosen) + 1))
    assert features["frequency"].between(0, 1).all()
    predictions = pd.read_csv(folder / "predictions.csv")
    truth = {f"sample {i + 1}": c for i, c in enumerate(planted()["status"])}
    named = {str(i): c for i, c in enumerate(planted()["status"])}
    known = truth if str(predictions["sample"][0]).startswith("sample") else named
    assert predictions["sample"].astype(str).map(known).eq(predictions["class"]).all()
    assert predictions["sample"].nunique() == len(predictions) == 40
    right = balanced_accuracy_score(predictions["class"], predictions["predicted"])
    assert right == pytest.approx(predict["balanced_accuracy"])


def test_without_signal_neither_answer_is_evidence(answer):
    facts = facts_of(answer(noise(seed=3)))
    assert not facts["differ"]["evidence"]
    assert facts["differ"]["features"] == []
    low, high = facts["predict"]["interval"]
    assert low < 0.5 < high
    assert facts["warnings"] == []


def test_the_first_question_is_answered_before_the_second_one(answer, monkeypatch, tmp_path):
    def complete(self, tasks, what):
        assert (self.folder / "differ.csv").is_file()
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.kinds.base.Run.complete", complete)
    with pytest.raises(KeyboardInterrupt):
        answer(planted())


def test_names_are_escaped_and_stay_verbatim(answer):
    bad = {"gene 0007": "<b>x</b>&'\"", "gene 0011": "=1+1", "gene 0023": "007"}
    folder = answer(planted().rename(columns=bad), "draw=true", "protocol.n_features=3")
    page = (folder / "report.html").read_text("utf-8")
    assert "<b>x" not in page
    chosen = (folder / "selected.txt").read_text("utf-8").splitlines()
    assert sorted(chosen) == sorted(bad.values())
    assert facts_of(folder)["selected"]["features"] == chosen


def test_a_table_that_is_read_only(answer):
    frame = planted().assign(sample=[f"{i:03d}" for i in range(40)]).set_index("sample")
    folder = answer(frame, "protocol.read_only=true")
    about = json.loads((folder / "read.json").read_text("utf-8"))
    assert about["features"] == [*frame.columns[:-1]]
    assert about["labels"] == frame["status"].tolist()
    assert about["row_names"] == [*frame.index]
    table = pd.read_parquet(folder / "read.parquet")
    np.testing.assert_array_equal(table.to_numpy(), frame.iloc[:, :-1].to_numpy())
    assert not (folder / "answer.json").exists()


def test_three_samples_a_class_are_tested_and_four_are_predicted(answer):
    frame = planted(40, 12, ["gene 0007"], 9.0)
    for n, is_evaluated in ((3, False), (4, True)):
        facts = facts_of(answer(frame[20 - n : 20 + n]))
        assert facts["differ"]["features"] == ["gene 0007"]
        assert (facts["predict"]["evidence"] is not None) == is_evaluated
        assert facts["selected"]["features"][0] == "gene 0007"
        assert sum("only a large difference" in told for told in facts["warnings"]) == 2
    with pytest.raises(DataError, match="'healthy' has 2 samples"):
        answer(frame[18:22])


def test_several_classes(answer):
    frame = noise(60, 12, classes=["a", "b", "c"])
    frame.loc[frame["status"] == "c", "gene 0004"] += 4
    folder = answer(frame.iloc[12:], "method=[anova,relieff]")
    facts, table = facts_of(folder), table_of(folder)
    assert facts["differ"]["features"] == ["gene 0004"]
    assert table.loc["gene 0004", "higher_in"] == "c"
    assert facts["predict"]["guess"] == pytest.approx(1 / 3)
    assert facts["predict"]["roc_auc"] > 0.7
    assert set(pd.read_csv(folder / "predictions.csv")) >= {"score_a", "score_b", "score_c"}


def test_pairs_are_compared_within_patients(answer):
    """Dropping the column of patients loses what the pairs show; naming it finds it."""
    rng = np.random.default_rng(1)
    frame = noise(30, 12, seed=4, classes=["normal", "tumour"])
    patient = np.arange(30) % 15
    frame.iloc[:, :12] += 6 * rng.normal(size=(15, 12))[patient]
    frame.loc[frame["status"] == "tumour", ["gene 0001", "gene 0002", "gene 0003"]] += 1.8
    frame["patient"] = [f"p{i}" for i in patient]
    alone = facts_of(answer(frame, "dataset.drop=[patient]"))
    assert alone["differ"]["features"] == []
    folder = answer(frame, "dataset.groups=patient")
    facts, table = facts_of(folder), table_of(folder)
    assert sorted(facts["differ"]["features"]) == ["gene 0001", "gene 0002", "gene 0003"]
    wide = frame.pivot_table(index="patient", columns="status", values="gene 0001")
    apart = wide["tumour"] - wide["normal"]
    assert float(table.loc["gene 0001", "effect"]) == pytest.approx(apart.mean(), rel=1e-4)
    wilcoxon = stats.wilcoxon(apart).pvalue
    assert float(table.loc["gene 0001", "p_rank"]) == pytest.approx(wilcoxon, rel=1e-4)


def test_covariates_are_in_the_first_question(answer):
    rng = np.random.default_rng(0)
    frame = noise(40, 10, seed=2)
    is_ill = frame["status"] == "ill"
    frame["batch"] = np.where(rng.random(40) < np.where(is_ill, 0.8, 0.2), "x", "y")
    frame.loc[frame["batch"] == "x", "gene 0005"] += 6
    without = facts_of(answer(frame, "dataset.drop=[batch]"))
    assert without["differ"]["features"] == ["gene 0005"]
    facts = facts_of(answer(frame, "dataset.adjust=[batch]"))
    assert facts["differ"]["features"] == []
    assert "batch" in facts["paragraph"]
    goes = frame.assign(batch=np.where(is_ill ^ (np.arange(40) % 10 == 0), "x", "y"))
    told = facts_of(answer(goes, "dataset.adjust=[batch]"))["warnings"]
    assert any(one.startswith("batch goes with the class") for one in told)
    with pytest.raises(DataError, match=r"'batch' .* determines the class"):
        answer(frame.assign(batch=np.where(is_ill, "x", "y")), "dataset.adjust=[batch]")


def test_repeats_without_groups_are_warned_of_on_the_page(answer):
    frame = noise(40, 8).set_index(pd.Index([f"p{i % 20}" for i in range(40)], name="patient"))
    how = ["dataset.index=patient", "dataset.groups=null", "draw=true"]
    folder = answer(frame, *how)
    told = next(one for one in facts_of(folder)["warnings"] if "dataset.groups" in one)
    page = html.unescape((folder / "report.html").read_text("utf-8"))
    assert page.index(told) < page.index("Which features differ?")


def test_gaps_are_filled_or_left_out(answer):
    frame = planted()
    frame.iloc[::2, 0] = np.nan
    frame.iloc[3, 7] = np.nan
    for missing, n in (("median", 30), ("drop", 28)):
        facts = facts_of(answer(frame, f"dataset.missing={missing}"))
        assert set(facts["differ"]["features"]) >= {"gene 0011", "gene 0023"}
        assert facts["n_features"] == n


def test_transforms(answer):
    frame = planted()
    genes = frame.columns[:-1]
    frame[genes] = np.floor(np.exp(frame[genes] + 6))
    facts = facts_of(answer(frame, "dataset.transform=log2"))
    assert set(facts["differ"]["features"]) >= set(NAMES)
    with pytest.raises(DataError, match="gene 0000"):
        answer(frame.assign(**{"gene 0000": 0.0}), "dataset.transform=log2")


def test_what_leaves_nothing_to_select_is_refused(answer):
    with pytest.raises(DataError, match=r"fewer as protocol\.n_features"):
        answer(noise(), "protocol.n_features=30")
    X = np.where(np.arange(20)[:, None] % 10 < 2, noise(20, 3).iloc[:, :3], np.nan)
    with pytest.raises(DataError, match="no feature can be tested"):
        first_answer(samples(X, np.repeat([0, 1], 10)))
    with pytest.raises(ConfigError, match=r"protocol\.sizes"):
        answer(noise(), "protocol.sizes=[0,1]")
    with pytest.raises(ConfigError, match=r"dataset\.max_samples"):
        answer(noise(), "dataset.max_samples=20")


def test_gaps_groups_covariates_and_transforms_need_this_kind(compose, tmp_path):
    frame = noise()
    frame.iloc[0, 0] = np.nan
    frame.to_csv(tmp_path / "a.csv")
    reading = ["experiment=colon", "dataset=table", f"dataset.path={tmp_path / 'a.csv'}"]
    for change in ("missing=median", "groups=patient", "adjust=[age]"):
        key = change.partition("=")[0]
        with pytest.raises(DataError, match=rf"dataset\.{key}.* experiment=select"):
            load_dataset(compose(*reading, "dataset.target=status", f"dataset.{change}"))
    config = compose(*reading, "dataset.target=status", "dataset.missing=drop")
    assert load_dataset(config).X.shape == (40, 29)


def test_the_terminal_has_less_than_100_columns(answer, caplog):
    caplog.set_level(logging.INFO, logger="experiments")
    frame = planted(names=["gene 0007"])
    answer(frame.rename(columns={"gene 0007": "a feature with a name of great length " * 4}))
    told = [r.getMessage() for r in caplog.records if r.name.startswith("experiments")]
    texts = [text for text in told if "Which features" in text or "Can status" in text]
    assert len(texts) == 2
    assert max(len(line) for text in texts for line in text.splitlines()) < 100


# The first question


def test_groups_of_one_class_count_by_their_means():
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(60, 6)), np.repeat([0, 1], 30), np.arange(60) // 3 + 10
    found = first_answer(samples(X, y, groups))
    means = X.reshape(20, 3, 6).mean(axis=1)
    np.testing.assert_allclose(found.table["mean_a"], means[:10].mean(axis=0))
    pd.testing.assert_frame_equal(found.table, first_answer(samples(means, y[::3])).table)
    np.testing.assert_allclose(
        found.table["p_rank"], stats.mannwhitneyu(means[:10], means[10:]).pvalue, rtol=1e-9
    )


def test_groups_of_one_class_tell_nothing_within_groups():
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(26, 6)), np.tile([0, 1], 13), np.arange(26) // 2 + 10
    more = np.vstack([X, rng.normal(size=(3, 6))])
    found = first_answer(samples(more, [*y, 0, 1, 1], [*groups, 30, 31, 32]))
    pd.testing.assert_frame_equal(found.table, first_answer(samples(X, y, groups)).table)
    assert found.within == 13


def test_copies_count_once_and_equal_answers_in_words_are_no_copies():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 6)), np.repeat([0, 1], 10)
    given = samples(np.vstack([X, X[:5]]), [*y, *y[:5]])
    found = first_answer(given)
    pd.testing.assert_frame_equal(found.table, first_answer(samples(X, y)).table)
    assert found.n_rows.sum() == 20
    assert any(one.startswith("10 samples are equal") for one in told_of(given))
    words_ = rng.integers(0, 2, size=(60, 3)).astype(float)
    assert len(np.unique(copies_of(words_))) == 60
    gaps = np.vstack([X, X[:1]])
    gaps[[0, 20], 2] = np.nan
    assert copies_of(gaps)[0] == copies_of(gaps)[20]
    assert together(np.arange(21) // 7, copies_of(gaps)).tolist() == [*[0] * 7, *[1] * 7, *[0] * 7]


def test_fewer_than_three_values_of_a_class_are_not_tested():
    """Nor is a separation warned of that chance makes of so few values."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(48, 8)), np.repeat([0, 1], [10, 38])
    X[1:10, 0], X[24:, 0] = np.nan, np.nan
    X[0, 0] = 9.0
    given = samples(X, y)
    table = first_answer(given).table
    assert np.isnan(table["p_value"][0])
    assert np.isnan(table["q_value"][0])
    assert table["by_chance"][0] == pytest.approx(2 / 15)
    assert (table["n_a"][0], table["n_b"][0]) == (1, 14)
    assert not any(one.startswith("x0") for one in told_of(given))
    X[:, 1] = y + rng.normal(size=48) / 100
    assert any(
        one.startswith("x1: separates the classes alone (by chance") for one in told_of(given)
    )


def test_rank_tests_are_those_of_scipy_feature_by_feature():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 5))
    X[:, 1] = X[:, 1].round()
    X[:4, 2] = np.nan
    two, three = np.repeat([0, 1], 15), np.arange(30) % 3
    for y, test in ((two, stats.mannwhitneyu), (three, stats.kruskal)):
        table = first_answer(samples(X, y)).table
        for j in range(5):
            parts = [X[(y == c) & np.isfinite(X[:, j]), j] for c in np.unique(y)]
            assert table["p_rank"][j] == pytest.approx(test(*parts).pvalue)


def test_the_chance_to_separate_the_classes():
    """The share of random orders in which the ranges of the classes do not overlap."""
    rng = np.random.default_rng(0)
    for counts in ((2, 3), (2, 2, 2)):
        y = np.repeat(np.arange(len(counts)), counts)
        X = rng.normal(size=(len(y), 20_000))
        chance = separating([X[y == c] for c in range(len(counts))])
        found = np.isfinite(chance)
        assert found.mean() == pytest.approx(chance[found][0], abs=0.015)


# The second question


def design(X, y, groups=None, **changed):
    """A design of ANOVA without a file."""
    source: Any = SimpleNamespace(fingerprint="given", samples=lambda: Samples(X, y))
    groups = np.arange(len(y)) if groups is None else groups
    settings = {"candidates": [(ANOVA, {"anova": {}})], "sizes": [1, 2, 4], "Cs": [1.0, 16.0]}
    settings |= {"first": 4, "scaling": "standard", "outer_folds": 3, "inner_folds": 2, "seed": 0}
    return Design(source, groups, **{**settings, **changed})


def test_test_rows_choose_nothing():
    """Whatever stands in them, what is learned for a split stays to the last bit."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 8)), np.repeat([0, 1], [14, 10])
    X[[0, 5, 20], 2] = np.nan
    for scaling in ("standard", "none"):
        one = evaluated(design(X, y, scaling=scaling), None, 0)
        other = X.copy()
        other[one["test"]] = 1e3 * rng.normal(size=(len(one["test"]), 8))
        again = evaluated(design(other, y, scaling=scaling), None, 0)
        for name in ("test", "order", "size", "candidate"):
            np.testing.assert_array_equal(one[name], again[name])
        train = np.setdiff1d(np.arange(24), one["test"])
        fit, _ = learned(design(X, y, scaling=scaling), X[train], y[train], np.arange(16), 5)
        assert isinstance(fit, Pipeline)
        np.testing.assert_array_equal(fit["gaps"].statistics_, np.nanmedian(X[train], axis=0))


def test_every_sample_is_tested_once_a_loop_and_groups_stay_together():
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(24, 5)), np.repeat([0, 1], 12), np.arange(24) // 2
    for first in (0, 3):
        tests = [evaluated(design(X, y, groups), None, first + k)["test"] for k in range(3)]
        assert sorted(np.concatenate(tests)) == list(range(24))
        parts = [set(groups[test]) for test in tests]
        assert sum(map(len, parts)) == 12
    for train, test in nested.divided(y, np.arange(24), 4, 0):
        assert np.bincount(y[test]).tolist() == [3, 3]
        assert not set(train) & set(test)


def test_labels_are_shuffled_as_far_as_groups_allow():
    y, rng = np.repeat([0, 1], [12, 8]), np.random.default_rng(0)
    pairs, mixed = np.arange(20) // 2, np.arange(20) % 4
    new = nested.shuffled(y, np.arange(20), rng)
    assert np.bincount(new).tolist() == [12, 8]
    assert not np.array_equal(new, y)
    new = nested.shuffled(y, pairs, rng)
    assert (new[::2] == new[1::2]).all()
    assert new.sum() == 8
    new = nested.shuffled(y, mixed, rng)
    assert [new[mixed == g].sum() for g in range(4)] == [y[mixed == g].sum() for g in range(4)]


def test_a_shuffle_has_other_labels_and_the_areas_under_the_curve_are_those_of_splits():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 12)
    X = rng.normal(size=(24, 5)) + 2.0 * y[:, None]
    own = [evaluated(design(X, y), None, k) for k in range(3)]
    other = [evaluated(design(X, y), 0, k) for k in range(3)]
    assert nested.recalls_of(own, 2).mean() > 0.85 > nested.recalls_of(other, 2).mean()
    assert nested.roc_auc(own, 2) > 0.9
    at = np.argsort(np.concatenate([row["test"] for row in other]))
    assert np.concatenate([row["truth"] for row in other])[at].sum() == 12
    rows = [{"truth": np.array([0, 1]), "scores": np.array([-9.0, 9, -8, 8])} for _ in range(2)]
    assert nested.roc_auc(rows, 2) == 0


def test_a_feature_without_spread_inside_the_classes_hides_no_order_of_the_others():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [12, 8])
    X = rng.normal(size=(20, 6))
    score = partial(nested.places, method=ANOVA, parameters={"anova": {}}, state=0)
    alone = np.argsort(-score(X, y))
    np.testing.assert_array_equal(np.argsort(-score(np.column_stack([X, y]), y)), [6, *alone])


def test_a_method_that_refuses_the_samples_leaves_the_choice_to_others():
    def refuse(*_):
        raise ValueError("too few")

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 12)
    X = rng.normal(size=(24, 5)) + y[:, None]
    refusing = SimpleNamespace(scores=refuse)
    both: list = [(refusing, {}), (ANOVA, {"anova": {}})]
    _, candidate = learned(design(X, y, candidates=both), X, y, np.arange(24), 0)
    assert candidate == 1


def test_the_interval_widens_with_fewer_samples_and_holds_the_accuracy():
    recalls = np.array([0.9, 0.7])
    ends = [nested.interval_of(recalls, np.array([n, n]), 10, 5) for n in (10, 40, 1000)]
    assert all(low < 0.8 < high for low, high in ends)
    widths = [high - low for low, high in ends]
    assert widths == sorted(widths, reverse=True)
    low, high = nested.interval_of(np.ones(2), np.array([10, 10]), 10, 5)
    assert low < 0.9 < high == 1


# What is promised


def simulated(folder, number, has_signal):
    """A row on a whole run of a drawn table: what is said, and what is true."""
    table, fresh, about = drawn(number, has_signal)
    table.to_csv(folder / "t.csv")
    settings = ["protocol.outer_folds=4", "protocol.n_shuffles=19", "protocol.sizes=[5]"]
    config = composed(
        *QUICK, *settings, "method=anova", f"dataset.path={folder / 't.csv'}",
        "dataset.index=auto", "draw=false", f"store={folder / 'store'}", "workers=1",
    )  # fmt: skip
    cache = Cache(str(folder / "store"))
    run = base.Run(config, resolve(config), cache, Outcome())
    files = select.run(run).files
    facts = json.loads(files["answer.json"])
    found = set(facts["differ"]["features"])
    shifted = {f"x{j}" for j in range(PLANTED)} if has_signal else set()
    given = load_table(config)
    design = select.design_of(run, given, np.arange(len(given.y)))
    fit, _ = learned(design, given.X, given.y, design.groups, seeds.integer(0, "fresh", number))
    truth = (fresh["status"] == given.label_names[1]).astype(int)
    other = fresh[list(given.feature_names or ())].to_numpy()
    accuracy = balanced_accuracy_score(truth, fit.predict(other))
    low, high = facts["predict"]["interval"]
    said = {"found": len(found & shifted), "false": len(found - shifted)}
    predicts = facts["predict"]["evidence"]
    return {**about, **said, "predicts": predicts, "is_inside": low <= accuracy <= high}


def promised(rows: pd.DataFrame) -> pd.DataFrame:
    """Counts over the simulated tables."""
    of, null = rows[rows["has_signal"]], rows[~rows["has_signal"]]
    share = (of["false"] / (of["found"] + of["false"]).clip(lower=1)).mean()
    n, m, falsely = len(of), len(null), (null["false"] > 0).sum()
    lines = [
        ("planted features that are found", of["found"].sum(), PLANTED * n),
        ("planted features, and none is found", (of["found"] == 0).sum(), n),
        ("planted features, and the class is predicted", of["predicts"].sum(), n),
        ("false features among those found, mean share in %", round(100 * share, 1), n),
        ("no signal, and a feature is said to differ", falsely, m),
        ("no signal, and the class is said to be predictable", null["predicts"].sum(), m),
        ("accuracy on 2,000 fresh samples in the interval", rows["is_inside"].sum(), n + m),
    ]
    return pd.DataFrame(lines, columns=["what", "found", "of"])


@pytest.mark.slow
def test_planted_effects_are_found_and_false_ones_within_the_level(tmp_path):
    """100 tables with signal and 100 without; the table is that of docs/own_table.md."""
    logging.getLogger("experiments").setLevel(logging.ERROR)
    rows = pd.DataFrame(simulated(tmp_path, n, s) for n in range(100) for s in (True, False))
    table = promised(rows)
    print(aligned(table, 70))
    found, missed, predicted, share, differs, predicts, inside = table["found"]
    assert found >= 0.95 * 500 - 3 * np.sqrt(500 * 0.95 * 0.05)
    assert missed == 0
    assert share <= 5 + 3 * 100 * np.sqrt(0.05 * 0.95 / 100)
    most = stats.binom.isf(0.001, 100, 0.05)
    assert max(differs, predicts) <= most
    assert inside >= 0.9 * 200
    assert predicted >= 50


@pytest.mark.slow
def test_the_commands_of_the_documentation_answer_in_a_terminal(tmp_path):
    """A path with blanks, an answer, a page; one sentence for a wrong path."""
    path = tmp_path / "my table.csv"
    planted(24, 8, ["gene 0003"], 4.0).to_csv(path)
    folders = [f"store={tmp_path / 'store'}", f"hydra.run.dir={tmp_path / 'run'}", "workers=1"]
    run, command = partial(python, LC_ALL="C"), ["run.py", *QUICK, "method=anova", *folders]
    done = run(*command, f"dataset.path={path}")
    assert done.returncode == 0, done.stderr
    assert "gene 0003" in done.stdout
    assert f"page    {tmp_path / 'run' / 'report.html'}" in done.stdout
    assert done.stdout.splitlines()[-1] == f"results {tmp_path / 'run'}"
    wrong = run(*command, f"dataset.path={tmp_path / 'absent.csv'}", "overwrite=true")
    assert wrong.returncode == 1
    assert "absent.csv: the file" in wrong.stderr.split("run.py: ")[1].splitlines()[0]
