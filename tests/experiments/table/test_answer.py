"""An own table: both questions are answered apart, nothing leaks, and what is promised is kept."""

import html
import json
import logging
from itertools import count

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import balanced_accuracy_score

from experiments import seeds
from experiments.cache import Cache, Run
from experiments.config import ConfigError
from experiments.datasets import DataError
from experiments.evaluation.data import load_dataset, load_table
from experiments.evaluation.methods import resolve
from experiments.table import outputs
from experiments.table.predict import design_of, learned
from tests.commands import python
from tests.experiments.conftest import composed, words

#: A small protocol: one loop of three folds, two inner folds, few shuffles.
QUICK = words("""
experiment=select dataset.target=status protocol.outer_folds=3 protocol.inner_folds=2
protocol.loops=1 protocol.n_shuffles=2 protocol.sizes=[1,2,5] protocol.log2_C=[0]
""")
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
    assert predict["p_value"] == pytest.approx(1 / 3)
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
    features = table_of(folder, "features").rename(index=lambda name: name.removeprefix("'"))
    assert chosen == facts["selected"]["features"]
    assert set(features.index[features["chosen"].astype(str) == "True"]) == set(chosen)
    assert features.loc[chosen, "rank"].astype(float).tolist() == list(range(1, len(chosen) + 1))
    assert features["frequency"].between(0, 1).all()
    predictions = pd.read_csv(folder / "predictions.csv", index_col="sample").sort_index()
    assert predictions.index.tolist() == list(range(40))
    assert predictions["class"].tolist() == frame["status"].tolist()
    right = balanced_accuracy_score(predictions["class"], predictions["predicted"])
    assert right == pytest.approx(predict["balanced_accuracy"])


def test_the_accuracy_that_is_shown_is_the_one_that_is_tested(answer):
    """It is that of the first loop; p counts the shuffles that are as good."""
    frame = planted(shift=0.9)
    folder = answer(frame, "protocol.loops=3", "protocol.n_shuffles=4")
    facts = facts_of(folder)
    found, loops = facts["predict"], pd.read_csv(folder / "predictions.csv").groupby("loop")
    of_loops = [balanced_accuracy_score(own["class"], own["predicted"]) for _, own in loops]
    assert [found["balanced_accuracy"], *found["other_loops"]] == pytest.approx(of_loops)
    as_good = [each for each in found["shuffled"] if each >= found["balanced_accuracy"] - 1e-9]
    assert found["p_value"] == pytest.approx((1 + len(as_good)) / 5)
    _, short, long = facts["answers"][1]
    assert f"{100 * found['balanced_accuracy']:.1f} %" in long
    assert f"{100 * max(found['shuffled']):.1f} %" in long
    assert short == "not shown"
    assert (found["interval"][0] > 0.5) == ("p decides" in long)


def test_the_methods_say_what_was_done_and_no_more(answer):
    frame = noise(40, 30)
    parts = "group", "gap", "20 features", "20 random samples"
    told = facts_of(answer(frame))["paragraph"]
    assert not any(part in told for part in parts)
    frame.iloc[0, 0] = np.nan
    frame["patient"] = [f"p{i}" for i in np.arange(40) // 2]
    changed = ["dataset.missing=median", "dataset.groups=patient", "protocol.first=20"]
    told = facts_of(answer(frame, *changed, "protocol.choosing_samples=20"))["paragraph"]
    assert all(part in told.replace("\n", " ") for part in parts)


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
    run = Run(config, Cache(str(folder)))
    facts = json.loads(outputs(run).files["answer.json"])
    found = set(facts["differ"]["features"])
    shifted = {f"x{j}" for j in range(PLANTED)} if has_signal else set()
    given = load_table(config)
    design = design_of(run, resolve(config), given, np.arange(len(given.y)))
    fit, _ = learned(design, given.X, given.y, design.groups, seeds.integer(0, "fresh", number))
    predicted = fit.predict(fresh[list(given.feature_names or ())].to_numpy())
    accuracy = balanced_accuracy_score(fresh["status"].map({"a": 0, "b": 1}), predicted)
    low, high = facts["predict"]["interval"]
    said = {"predicts": facts["predict"]["evidence"], "is_inside": low <= accuracy <= high}
    return {"found": len(found & shifted), "false": len(found - shifted), **said}


@pytest.mark.slow
def test_planted_effects_are_found_and_false_ones_within_the_level(tmp_path, caplog):
    """100 tables with signal and 100 without, of more shapes than scripts/own_table.py has."""
    caplog.set_level(logging.ERROR, "experiments")
    of, null = (
        pd.DataFrame([simulated(tmp_path, n, has_signal) for n in range(100)])
        for has_signal in (True, False)
    )
    share = (of["false"] / (of["found"] + of["false"]).clip(lower=1)).mean()
    differs, predicts = (null["false"] > 0).sum(), null["predicts"].sum()
    inside = of["is_inside"].sum() + null["is_inside"].sum()
    assert of["found"].sum() >= 0.95 * 500 - 3 * np.sqrt(500 * 0.95 * 0.05)
    assert of["found"].min() > 0
    assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)
    assert max(differs, predicts) <= stats.binom.isf(0.001, 100, 0.05)
    assert inside >= 0.9 * 200
    assert of["predicts"].sum() >= 50


@pytest.mark.slow
def test_the_commands_of_the_documentation_answer_in_a_terminal(tmp_path):
    """A path with blanks, an answer, a page."""
    planted(24, 8, ["gene 0003"], 4.0).to_csv(tmp_path / "my table.csv")
    folders = [f"store={tmp_path / 'store'}", f"hydra.run.dir={tmp_path / 'run'}", "workers=1"]
    given = "method=anova", f"dataset.path={tmp_path / 'my table.csv'}"
    done = python("run.py", *QUICK, *given, *folders, LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert "gene 0003" in done.stdout
    assert f"page    {tmp_path / 'run' / 'report.html'}" in done.stdout
    assert done.stdout.splitlines()[-1] == f"results {tmp_path / 'run'}"
