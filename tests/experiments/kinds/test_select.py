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
from tests.commands import python
from tests.experiments.conftest import composed, words

#: A small protocol: one loop of three folds, two inner folds, few shuffles.
QUICK = words("""
experiment=select dataset.target=status protocol.outer_folds=3 protocol.inner_folds=2
protocol.loops=1 protocol.n_shuffles=2 protocol.sizes=[1,2,5] protocol.log2_C=[0]
""")
ANOVA = Method("anova", "ANOVA", (Part("anova", "anova", {}, {}),))
NAMES = ["gene 0007", "gene 0011", "gene 0023"]


def noise(n=40, d=30, seed=0, classes=("healthy", "ill")):
    """A table of noise, sorted by class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"gene {i:04d}" for i in range(d)])
    return frame.assign(status=np.repeat(classes, n // len(classes)))


def planted(n=40, d=30, names=NAMES, shift=2.5):
    """Noise, but for a few features that are higher in the second class."""
    frame = noise(n, d)
    frame.loc[frame["status"] == "ill", list(names)] += shift
    return frame


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
    names, rows = ([f"{a}{i}" for i in range(n)] for a, n in zip("xs", X.T.shape, strict=True))
    groups = None if groups is None else tuple(map(str, groups))
    about = {"feature_names": tuple(names), "row_names": tuple(rows), "groups": groups}
    return Table("t", X, np.array(y), dict(enumerate("abc"[: max(y) + 1])), "f", "own", **about)


def gaussian(*counts, d=6):
    """Standard normal values of so many samples of each class, and the classes."""
    X = np.random.default_rng(0).normal(size=(sum(counts), d))
    return X, np.repeat(np.arange(len(counts)), counts)


def first_answer(given):
    """The answer to the first question."""
    named = given.groups
    groups = copies_of(given.X) if named is None else np.unique(named, return_inverse=True)[1]
    return differ(given, groups, within=named is not None)


def told_of(given):
    return select.warnings_of(given, first_answer(given), copies_of(given.X))


# Whole runs


def test_planted_genes_are_named_by_both_answers(answer, caplog):
    """Terminal, files and page say the same; names of any signs and length stay verbatim."""
    caplog.set_level(logging.INFO, logger="experiments")
    odd = ["<b>x</b>&'\"" + " a long name" * 12, "=1+1", "007"]
    frame = planted().rename(columns=dict(zip(NAMES, odd, strict=True)))
    folder = answer(frame, "method=[manifest_set,anova,relieff]", "draw=true")
    facts, page = facts_of(folder), (folder / "report.html").read_text("utf-8")
    assert "<b>x" not in page
    page = html.unescape(page).replace("\u00a0", " ")
    assert sorted(facts["differ"]["features"][:3]) == sorted(odd)
    assert facts["groups"] is facts["n_groups"] is None
    assert set(facts["selected"]["features"]) & set(odd)
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
    told = [r.getMessage() for r in caplog.records if r.name.startswith("experiments")]
    texts = [text for text in told if "Which features" in text or "Can status" in text]
    assert len(texts) == 2
    assert max(len(line) for text in texts for line in text.splitlines()) < 100
    assert facts["paragraph"] in page
    assert (folder / "methods.txt").read_text("utf-8").split() == facts["paragraph"].split()
    chosen = (folder / "selected.txt").read_text("utf-8").splitlines()
    features = table_of(folder, "features")
    assert chosen == facts["selected"]["features"]
    assert set(features.index[features["chosen"].astype(str) == "True"]) == set(chosen)
    assert features.loc[chosen, "rank"].astype(float).tolist() == list(range(1, len(chosen) + 1))
    assert features["frequency"].between(0, 1).all()
    predictions = pd.read_csv(folder / "predictions.csv", index_col="sample").sort_index()
    assert predictions.index.tolist() == list(range(40))
    assert predictions["class"].tolist() == frame["status"].tolist()
    right = balanced_accuracy_score(predictions["class"], predictions["predicted"])
    assert right == pytest.approx(predict["balanced_accuracy"])


def test_the_first_question_is_answered_before_the_second_one(answer, monkeypatch, tmp_path):
    def complete(self, tasks, what):
        assert (self.folder / "differ.csv").is_file()
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.kinds.base.Run.complete", complete)
    with pytest.raises(KeyboardInterrupt):
        answer(planted())


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
    frame.iloc[::2, 0] = np.nan
    how = ["method=[anova,relieff]", "dataset.missing=median", "protocol.n_features=3"]
    folder = answer(frame.iloc[12:], *how)
    facts, table = facts_of(folder), table_of(folder)
    assert facts["differ"]["features"] == ["gene 0004"]
    assert len(facts["selected"]["features"]) == 3
    assert table.loc["gene 0004", "higher_in"] == "c"
    assert facts["predict"]["guess"] == pytest.approx(1 / 3)
    assert facts["predict"]["roc_auc"] > 0.7
    assert set(pd.read_csv(folder / "predictions.csv")) >= {"score_a", "score_b", "score_c"}


def test_pairs_are_compared_within_patients(answer):
    """Dropping the column of patients loses what the pairs show; naming it finds it."""
    rng = np.random.default_rng(1)
    frame, patient = noise(30, 12, seed=4, classes=["normal", "tumour"]), np.arange(30) % 15
    names = ["gene 0001", "gene 0002", "gene 0003"]
    frame.iloc[:, :12] += 6 * rng.normal(size=(15, 12))[patient]
    frame.loc[frame["status"] == "tumour", names] += 1.8
    frame["patient"] = [f"p{i}" for i in patient]
    alone = facts_of(answer(frame, "dataset.drop=[patient]"))
    assert alone["differ"]["features"] == []
    folder = answer(frame, "dataset.groups=patient")
    table = table_of(folder)
    assert sorted(facts_of(folder)["differ"]["features"]) == names
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
    assert without["warnings"] == []
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
    folder = answer(frame, "dataset.index=patient", "dataset.groups=null", "draw=true")
    told = next(one for one in facts_of(folder)["warnings"] if "dataset.groups" in one)
    page = html.unescape((folder / "report.html").read_text("utf-8"))
    assert page.index(told) < page.index("Which features differ?")


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


# The first question


def test_groups_of_one_class_count_by_their_means():
    X, y = gaussian(30, 30)
    found = first_answer(samples(X, y, np.arange(60) // 3 + 10))
    means = X.reshape(20, 3, 6).mean(axis=1)
    np.testing.assert_allclose(found.table["mean_a"], means[:10].mean(axis=0))
    pd.testing.assert_frame_equal(found.table, first_answer(samples(means, y[::3])).table)
    np.testing.assert_allclose(
        found.table["p_rank"], stats.mannwhitneyu(means[:10], means[10:]).pvalue, rtol=1e-9
    )


def test_groups_of_one_class_tell_nothing_within_groups():
    X, y, groups = gaussian(29)[0], [*[0, 1] * 13, 0, 1, 1], [*np.arange(26) // 2 + 10, 30, 31, 32]
    found, pairs = first_answer(samples(X, y, groups)), samples(X[:26], y[:26], groups[:26])
    pd.testing.assert_frame_equal(found.table, first_answer(pairs).table)
    assert found.within == 13


def test_copies_count_once_and_equal_answers_in_words_are_no_copies():
    X, y = gaussian(10, 10)
    given = samples(np.vstack([X, X[:5]]), [*y, *y[:5]])
    found = first_answer(given)
    pd.testing.assert_frame_equal(found.table, first_answer(samples(X, y)).table)
    assert found.n_rows.sum() == 20
    assert any(one.startswith("10 samples are equal") for one in told_of(given))
    assert len(np.unique(copies_of((gaussian(60, d=3)[0] > 0).astype(float)))) == 60
    gaps = np.vstack([X, X[:1]])
    gaps[[0, 20], 2] = np.nan
    assert copies_of(gaps)[0] == copies_of(gaps)[20]
    assert together(np.arange(21) // 7, copies_of(gaps)).tolist() == [*[0] * 7, *[1] * 7, *[0] * 7]


def test_fewer_than_three_values_of_a_class_are_not_tested():
    """Nor is a separation warned of that chance makes of so few values."""
    X, y = gaussian(10, 38, d=8)
    X[1:10, 0], X[24:, 0] = np.nan, np.nan
    X[0, 0] = 9.0
    given = samples(X, y)
    table = first_answer(given).table
    assert table.loc[0, ["p_value", "q_value"]].isna().all()
    assert table["by_chance"][0] == pytest.approx(2 / 15)
    assert (table["n_a"][0], table["n_b"][0]) == (1, 14)
    assert not any(one.startswith("x0") for one in told_of(given))
    X[:, 1] = y + X[:, 1] / 100
    assert any(one.startswith("x1: separates the classes alone") for one in told_of(given))


def test_rank_tests_are_those_of_scipy_feature_by_feature():
    X, two = gaussian(15, 15, d=5)
    X[:, 1], X[:4, 2] = X[:, 1].round(), np.nan
    for y, test in ((two, stats.mannwhitneyu), (np.arange(30) % 3, stats.kruskal)):
        table = first_answer(samples(X, y)).table
        for j in range(5):
            parts = [X[(y == c) & np.isfinite(X[:, j]), j] for c in np.unique(y)]
            assert table["p_rank"][j] == pytest.approx(test(*parts).pvalue)


def test_the_chance_to_separate_the_classes():
    """The share of random orders in which the ranges of the classes do not overlap."""
    for counts in ((2, 3), (2, 2, 2)):
        X, y = gaussian(*counts, d=20_000)
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
    X, y = gaussian(14, 10, d=8)
    X[[0, 5, 20], 2] = np.nan
    for scaling in ("standard", "none"):
        one = evaluated(design(X, y, scaling=scaling), None, 0)
        other = X.copy()
        other[one["test"]] = 1e3 * other[one["test"], ::-1]
        again = evaluated(design(other, y, scaling=scaling), None, 0)
        for name in ("test", "order", "size", "candidate"):
            np.testing.assert_array_equal(one[name], again[name])
        train = np.setdiff1d(np.arange(24), one["test"])
        fit, _ = learned(design(X, y, scaling=scaling), X[train], y[train], np.arange(16), 5)
        assert isinstance(fit, Pipeline)
        np.testing.assert_array_equal(fit["gaps"].statistics_, np.nanmedian(X[train], axis=0))


def test_every_sample_is_tested_once_a_loop_and_groups_stay_together():
    (X, y), groups = gaussian(12, 12), np.arange(24) // 2
    for first in (0, 3):
        tests = [evaluated(design(X, y, groups), None, first + k)["test"] for k in range(3)]
        assert sorted(np.concatenate(tests)) == list(range(24))
        assert sum(len(set(groups[test])) for test in tests) == 12
    for train, test in nested.divided(y, np.arange(24), 4, 0):
        assert np.bincount(y[test]).tolist() == [3, 3]
        assert not set(train) & set(test)


def test_labels_are_shuffled_as_far_as_groups_allow():
    y, rng = np.repeat([0, 1], [12, 8]), np.random.default_rng(0)
    mixed = np.arange(20) % 4
    alone, of_pairs, within = (
        nested.shuffled(y, groups, rng) for groups in (np.arange(20), np.arange(20) // 2, mixed)
    )
    for new in (alone, of_pairs, within):
        assert new.sum() == 8
        assert not np.array_equal(new, y)
    assert (of_pairs[::2] == of_pairs[1::2]).all()
    assert np.bincount(mixed, within).tolist() == np.bincount(mixed, y).tolist()


def test_a_shuffle_has_other_labels_and_the_areas_under_the_curve_are_those_of_splits():
    X, y = gaussian(12, 12)
    X += 2.0 * y[:, None]
    own, other = ([evaluated(design(X, y), n, k) for k in range(3)] for n in (None, 0))
    assert nested.recalls_of(own, 2).mean() > 0.85 > nested.recalls_of(other, 2).mean()
    assert nested.roc_auc(own, 2) > 0.9
    assert np.concatenate([row["truth"] for row in other]).sum() == 12
    rows = [{"truth": np.array([0, 1]), "scores": np.array([-9.0, 9, -8, 8])} for _ in range(2)]
    assert nested.roc_auc(rows, 2) == 0


def test_a_feature_without_spread_inside_the_classes_hides_no_order_of_the_others():
    X, y = gaussian(12, 8)
    score = partial(nested.places, method=ANOVA, parameters={"anova": {}}, state=0)
    alone = np.argsort(-score(X, y))
    np.testing.assert_array_equal(np.argsort(-score(np.column_stack([X, y]), y)), [6, *alone])


def test_inner_folds_are_scaled_by_their_own_training_rows(monkeypatch):
    ranked = []

    def places(X, *others, **keywords):
        ranked.append(X)
        return own_places(X, *others, **keywords)

    own_places = nested.places
    monkeypatch.setattr(nested, "places", places)
    X, y = gaussian(12, 12)
    learned(design(X, y), X, y, np.arange(24), 0)
    assert [len(part) for part in ranked] == [12, 12, 24]
    for part in ranked:
        np.testing.assert_allclose(part.mean(axis=0), 0, atol=1e-12)


def test_a_rare_class_is_predicted_at_least_as_often_as_it_occurs():
    X, y = gaussian(80, 20)
    fit, _ = learned(design(X, y, sizes=[2], Cs=[0.1]), X, y, np.arange(100), 0)
    assert fit.predict(X).mean() >= 0.2


def test_a_method_that_refuses_the_samples_leaves_the_choice_to_others():
    def refuse(*_):
        raise ValueError("too few")

    X, y = gaussian(12, 12)
    both: list = [(SimpleNamespace(scores=refuse), {}), (ANOVA, {"anova": {}})]
    assert learned(design(X, y, candidates=both), X, y, np.arange(24), 0)[1] == 1


def test_the_interval_widens_with_fewer_samples_and_holds_the_accuracy():
    recalls = np.array([0.9, 0.7])
    ends = [nested.interval_of(recalls, np.array([n, n]), 10, 5) for n in (10, 40, 1000)]
    assert all(low < 0.8 < high for low, high in ends)
    widths = [high - low for low, high in ends]
    assert widths == sorted(widths, reverse=True)
    assert nested.interval_of(np.ones(2), np.array([10, 10]), 10, 5)[1] == 1


# What is promised


#: Shifted features, and fresh samples of a table.
PLANTED, FRESH = 5, 2000


def drawn(number, has_signal):
    """A table of a simulation, and fresh samples of it: features and "status", a or b.

    It has 20 to 100 samples, 20 to 600 features, classes of equal size or 4 to 1, and features of
    one unit or of units from a thousandth to a thousand. Its first five features are shifted, if it
    has signal: each is found with a power of .95 in a t test that allows for all features.
    """
    rng = np.random.default_rng([number, has_signal])
    n, d = int(rng.choice([20, 40, 60, 100])), int(rng.choice([20, 60, 200, 600]))
    small, several = (n // 2, n // 5)[rng.integers(2)], bool(rng.integers(2))
    counts = np.array([n - small, small])
    y = np.repeat([0, 1, 0, 1], [*counts, *(FRESH * counts // n)])
    X = rng.normal(size=(len(y), d))
    if has_signal:
        t = stats.t.isf(0.025 / d, n - 2) + stats.t.isf(0.05, n - 2)
        X[y == 1, :PLANTED] += t * np.sqrt((1 / counts).sum())
    X *= 10 ** rng.uniform(-3, 3, size=d) if several else 1.0
    frame = pd.DataFrame(X).add_prefix("x").assign(status=np.array(["a", "b"])[y])
    return frame[:n], frame[n:]


def simulated(folder, number, has_signal):
    """A row on a whole run of a drawn table: what is said, and what is true."""
    table, fresh = drawn(number, has_signal)
    table.to_csv(folder / "t.csv")
    config = composed(
        *QUICK, "method=anova", f"dataset.path={folder / 't.csv'}", "protocol.sizes=[5]",
        "protocol.outer_folds=4", "protocol.n_shuffles=19", f"store={folder}", "workers=1",
        "draw=false",
    )  # fmt: skip
    run = base.Run(config, resolve(config), Cache(str(folder)), Outcome())
    facts = json.loads(select.run(run).files["answer.json"])
    found = set(facts["differ"]["features"])
    shifted = {f"x{j}" for j in range(PLANTED)} if has_signal else set()
    given = load_table(config)
    design = select.design_of(run, given, np.arange(len(given.y)))
    fit, _ = learned(design, given.X, given.y, design.groups, seeds.integer(0, "fresh", number))
    predicted = fit.predict(fresh[list(given.feature_names or ())].to_numpy())
    accuracy = balanced_accuracy_score(fresh["status"].map({"a": 0, "b": 1}), predicted)
    low, high = facts["predict"]["interval"]
    said = {"predicts": facts["predict"]["evidence"], "is_inside": low <= accuracy <= high}
    return {"found": len(found & shifted), "false": len(found - shifted), **said}


@pytest.mark.slow
def test_planted_effects_are_found_and_false_ones_within_the_level(tmp_path):
    """100 tables with signal and 100 without; the numbers are those of docs/own_table.md."""
    logging.getLogger("experiments").setLevel(logging.ERROR)
    of, null = (
        pd.DataFrame([simulated(tmp_path, n, has_signal) for n in range(100)])
        for has_signal in (True, False)
    )
    share = (of["false"] / (of["found"] + of["false"]).clip(lower=1)).mean()
    differs, predicts = (null["false"] > 0).sum(), null["predicts"].sum()
    inside = of["is_inside"].sum() + null["is_inside"].sum()
    print(of["found"].sum(), of["predicts"].sum(), 100 * share, differs, predicts, inside)
    assert of["found"].sum() >= 0.95 * 500 - 3 * np.sqrt(500 * 0.95 * 0.05)
    assert of["found"].min() > 0
    assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)
    assert max(differs, predicts) <= stats.binom.isf(0.001, 100, 0.05)
    assert inside >= 0.9 * 200
    assert of["predicts"].sum() >= 50


@pytest.mark.slow
def test_the_commands_of_the_documentation_answer_in_a_terminal(tmp_path):
    """A path with blanks, an answer, a page; one sentence for a wrong path."""
    planted(24, 8, ["gene 0003"], 4.0).to_csv(tmp_path / "my table.csv")
    folders = [f"store={tmp_path / 'store'}", f"hydra.run.dir={tmp_path / 'run'}", "workers=1"]
    run = partial(python, "run.py", *QUICK, "method=anova", *folders, LC_ALL="C")
    done = run(f"dataset.path={tmp_path / 'my table.csv'}")
    assert done.returncode == 0, done.stderr
    assert "gene 0003" in done.stdout
    assert f"page    {tmp_path / 'run' / 'report.html'}" in done.stdout
    assert done.stdout.splitlines()[-1] == f"results {tmp_path / 'run'}"
    wrong = run(f"dataset.path={tmp_path / 'absent.csv'}")
    assert wrong.returncode == 1
    assert "absent.csv: the file" in wrong.stderr.split("run.py: ")[1].splitlines()[0]
