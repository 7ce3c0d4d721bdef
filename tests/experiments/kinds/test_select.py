"""An own table: both questions are answered apart, nothing leaks, and what is promised is kept."""

import html
import json
import logging
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from experiments.config import ConfigError
from experiments.datasets import DataError
from experiments.evaluation.data import load_dataset
from experiments.files import write_csv
from experiments.kinds import load
from experiments.kinds.base import stored_config, tables_of
from experiments.kinds.select.answer import predicted
from experiments.kinds.select.judgement import balanced_accuracy
from experiments.kinds.select.samples import Folds
from experiments.kinds.select.tables import PROCEDURE, Units, units_of
from manifest import load_selector
from tests.commands import python
from tests.experiments.conftest import words

#: A small protocol: two loops of three folds, two inner folds, few shuffles and halves.
QUICK = words("""
experiment=select dataset.target=status protocol.n_repetitions=6
protocol.test_size=0.3333333333333333 protocol.inner_folds=2 protocol.n_shuffles=2
protocol.n_resamples=20 protocol.sizes=[1,2,3,5] protocol.log2_C=[1,5] protocol.log2_gamma=[-3]
""")

#: One loop and one shuffle, for tests that look at other things than the prediction.
BRIEF = ["protocol.n_repetitions=3", "protocol.n_shuffles=1"]


def noise(n=40, d=30, seed=0, classes=("healthy", "ill")):
    """A table of noise, sorted by class."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"gene {i:04d}" for i in range(d)])
    return frame.assign(status=np.repeat(classes, n // len(classes)))


def planted(n=40, d=30, names=("gene 0007", "gene 0011", "gene 0023"), shift=2.5):
    """Noise, but for a few features that are higher in the second class."""
    frame = noise(n, d)
    frame.loc[frame["status"] == "ill", list(names)] += shift
    return frame


@pytest.fixture
def select(run, tmp_path):
    """A function from a table and overrides to the folder of a run, without its figure."""

    def selected(frame, *overrides, name="a.csv", **options):
        path = tmp_path / name
        if name.endswith("parquet"):
            frame.to_parquet(path)
        else:
            frame.to_csv(path, **options)
        folder, failed = run(*QUICK, f"dataset.path={path}", *overrides)
        assert not failed
        return folder

    return selected


def facts_of(folder):
    return json.loads((folder / "answer.json").read_text("utf-8"))


def features_of(folder):
    return pd.read_csv(folder / "features.csv", keep_default_na=False)


def test_planted_genes_are_named_by_both_answers(select, caplog):
    """Every method sees them; what is said stands in the terminal, in the file and on the page."""
    caplog.set_level(logging.INFO, logger="experiments")
    names = ["gene 0007", "gene 0011", "gene 0023"]
    folder = select(planted(), "method=[anova,relieff]", "draw=true")
    facts, page = facts_of(folder), (folder / "report.html").read_text("utf-8")
    assert "keeps the features of the set. ManiFeSt is" in " ".join(page.split())
    page = html.unescape(page).replace("\u00a0", " ")
    assert sorted(facts["differ"]["features"][:3]) == names
    assert sorted(facts["differ"]["stable"][:3]) == names
    assert facts["sets"]["all"] == facts["differ"]["features"]
    assert set(facts["sets"]["smallest"]) <= set(names)
    predict = facts["predict"]
    assert predict["p_value"] == predict["least_p"] == pytest.approx(1 / 3)
    assert not predict["evidence"]  # Two shuffles show nothing.
    assert predict["balanced_accuracy"] > 0.8
    assert predict["roc_auc"] > 0.8
    for sentence in facts["sentences"]:
        assert sentence in page
        assert " ".join(sentence.split()[:6]) in caplog.text.replace("\n  ", " ")
    assert facts["paragraph"] in page
    shown = page.split('<section id="settings"')[0].split("<main>")[1]
    assert not re.search(r"\de[-+]\d", " ".join(re.findall(r">([^<]*)<", shown)))
    assert "noise" not in json.dumps(facts) + caplog.text
    assert not re.search(r"[a-z]{2}\.[A-Z][a-z]", shown)  # A blank is between two sentences.


def test_a_first_loop_that_is_better_than_all_loops_is_no_evidence():
    """The lower of both is compared with shuffles; here the first loop of two is right by luck."""
    truth, right, wrong = np.array([0, 1]), np.eye(2), np.eye(2)[::-1]
    rows: list[tuple] = [("own", None, n, right if n < 2 else wrong) for n in range(4)]
    rows += [("shuffled", 0, n, np.full((2, 2), 0.5)) for n in range(2)]
    table = pd.DataFrame(
        {"unit": unit, "shuffle": shuffle, "split": split, "test": np.arange(2) + 2 * (split % 2),
         "truth": truth, "scores": np.tile(scores.ravel(), 3)}
        for unit, shuffle, split, scores in rows
    )  # fmt: skip
    own, shuffled = (table[table["unit"] == unit] for unit in ("own", "shuffled"))
    units = Units(own, shuffled, None, 2, 2)
    row = dict.fromkeys(("balanced_accuracy", "accuracy", "roc_auc", "spread"), 0.5)
    ends = ("ci_", "accuracy_", "auc_")
    row |= {f"{short}{end}": 0.5 for short in ends for end in ("low", "high")}
    made = {"summary": pd.DataFrame([{"method": PROCEDURE, **row}]), "confusion": pd.DataFrame()}
    found = predicted(units, made, Folds(2, 2, 2, ""))
    assert (found["tested"], found["is_first"]) == (0.5, False)
    assert found["p_value"] == 1


def test_the_first_question_is_answered_before_the_second_one(select, monkeypatch):
    """Its file and its text are there when the first unit runs."""
    seen = []

    def complete(self, units, what):
        seen.append((facts_of(self.folder)["differ"], (self.folder / "differ.csv").is_file()))
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.kinds.base.Run.complete", complete)
    with pytest.raises(KeyboardInterrupt):
        select(planted(), "method=anova")
    ((first, is_written),) = seen
    assert is_written
    assert first["evidence"]
    assert len(first["features"]) >= 3


def test_without_signal_neither_answer_is_evidence(select):
    facts = facts_of(select(noise(seed=3), "method=[anova,relieff]"))
    assert not facts["differ"]["evidence"]
    assert facts["differ"]["features"] == facts["sets"]["all"] == []
    assert facts["sentences"][0].startswith("No evidence in these samples")
    low, high = facts["predict"]["intervals"]["balanced_accuracy"]
    assert low < 0.5 < high


def test_the_index_of_pandas_is_never_a_feature(select):
    """Sorted samples make it the best feature if a user asks for it, and the answer warns."""
    quick = ["method=anova", *BRIEF]
    assert features_of(select(noise(), *quick))["feature"].str.startswith("gene").all()
    frame = noise().reset_index(names="visit")
    folder = select(frame, *quick, "dataset.index=null", index=False)
    features = features_of(folder)
    assert features["feature"][0] == "visit"
    assert features["warning"][0] == "separates the classes alone; follows the order of the rows"
    assert (features["warning"][1:] == "").all()
    told = facts_of(folder)["warnings"]
    assert [one.partition(";")[0] for one in told] == [
        "visit: separates the classes alone",
        "visit: follows the order of the rows",
    ]


def test_the_files_of_an_answer(select):
    frame = planted().set_axis([f"patient {i}" for i in range(40)])
    frame = frame.assign(copy=frame["gene 0007"]).rename(columns={"gene 0000": "-gene"})
    folder = select(frame, "method=[anova,relieff]", "protocol.n_features=3", "draw=true")
    facts, features = facts_of(folder), features_of(folder)
    kept = facts["sets"]["smallest"]
    assert features.loc[features["chosen"].astype(str) == "True", "feature"].nunique() == 3
    reduced = pd.read_csv(folder / "reduced.csv", index_col=0)
    pd.testing.assert_frame_equal(reduced, frame[[*kept, "status"]], check_names=False)
    for name, of_set in (("selector", "smallest"), ("selector_all", "all")):
        selector = load_selector(folder / f"{name}.json").set_output(transform="pandas")
        assert list(selector.fit_transform(frame)) == facts["sets"][of_set]
    assert set(features["rank"]) == set(range(1, 32))
    page = (folder / "report.html").read_text("utf-8")
    assert "Features that differ, one of each group of near-copies: " in page
    assert '<th scope="row">-gene</th>' in page
    assert "Values of -gene by class" in page
    assert {"rank_anova", "rank_relieff", "consensus", "q_value", "mean_ill"} <= set(features)
    predictions = pd.read_csv(folder / "predictions.csv")
    assert sorted(predictions["sample"]) == sorted(frame.index)
    confusion = pd.read_csv(folder / "confusion.csv")
    assert confusion.iloc[:, 1:].to_numpy().sum() == pytest.approx(40)
    paragraph, listed = (folder / "methods.txt").read_text("utf-8").split("\n\nReferences\n")
    assert paragraph.split() == facts["paragraph"].split()
    assert listed.split() == " ".join(facts["references"]).split()
    years = re.findall(r"[12][90]\d\d(?=[;,)])", paragraph)
    assert years
    assert all(any(f"({year})" in each for each in facts["references"]) for year in years)
    units = units_of(pd.read_parquet(folder / "rows.parquet"))
    third = [own[0] for loop in units.loops() if (own := units.of_ranking(loop, 0, 2))]
    curves = pd.read_csv(folder / "curves.csv").set_index(["method", "n_features"])
    deviation = np.std([balanced_accuracy(one, 2) for one in third], ddof=1)
    assert curves.loc[("anova", 3), "test_std"] == pytest.approx(deviation, abs=1e-6)
    check_tables_come_out_of_rows(folder)


def check_tables_come_out_of_rows(folder):
    config = json.loads((folder / "provenance.json").read_text("utf-8"))["config"]
    kind = load("select")
    rows = pd.read_parquet(folder / "rows.parquet")
    made = tables_of(kind, rows, stored_config(config, kind))
    files = {path.stem for path in folder.glob("*.csv")}
    assert set(made) == files - {"reduced", "values", "differ"}
    for name, table in made.items():
        write_csv(folder / "again.csv", table)
        assert (folder / "again.csv").read_bytes() == (folder / f"{name}.csv").read_bytes(), name


def test_missing_values_are_filled_in_or_left_out(select):
    frame = planted()
    frame.iloc[::2, 0] = np.nan
    frame.iloc[3, 7] = np.nan
    for missing in ("median", "drop"):
        folder = select(frame, "method=[anova,relieff]", f"dataset.missing={missing}", *BRIEF)
        names = facts_of(folder)["differ"]["features"]
        assert sorted(names[:3]) == ["gene 0007", "gene 0011", "gene 0023"]
    # A feature with gaps in half of the rows is in no ranking, and comes last.
    assert features_of(folder).set_index("feature")["rank"]["gene 0000"] > 28
    is_ill = (frame["status"] == "ill").to_numpy()
    frame["sex"], frame["crp"] = np.where(is_ill, "m", "f"), ["<0.5", *map(str, range(1, 40))]
    frame["stage"] = ["I", "II"] * 20
    reading = ["dataset.missing=median", "dataset.categories=onehot", "dataset.below_limit=half"]
    reading += ["+dataset.order={stage: [I, II]}"]
    folder = select(frame, "method=anova", "protocol.n_shuffles=1", *reading)
    selector = load_selector(folder / "selector.json")
    assert selector.selected[0] == "sex=m"
    np.testing.assert_array_equal(selector.transform(frame)[:, 0], is_ill)
    told = facts_of(folder)["paragraph"]
    for sentence in (
        "The values of stage were encoded as 0, 1 and so on, in their order. Other text was "
        "encoded as a feature for each value, one if there were two values. Values beyond "
        "a limit of detection were taken as half of a lower limit, or as an upper one. ",
        "Samples without a value were left out of the model of that feature. ",
    ):
        assert sentence in told


def test_three_samples_a_class_have_statistics_and_four_have_a_prediction(select):
    frame = planted(40, 12, ["gene 0007"], 9.0)
    for n, judged in ((3, False), (4, True)):
        facts = facts_of(select(frame[20 - n : 20 + n], "method=anova", *BRIEF))
        assert facts["differ"]["features"] == ["gene 0007"]
        assert (facts["predict"]["evidence"] is not None) == judged
        if not judged:
            assert facts["predict"]["reason"].endswith("a prediction needs 4")
            assert facts["sentences"][0].endswith("to say if the class can be predicted.")
            assert facts["chosen"] == facts["sets"]["all"] == ["gene 0007"]
            facts = facts_of(select(frame[17:23], "method=anova", "protocol.n_features=2"))
            named = ", ".join(facts["sets"]["smallest"])
            asked = f"The set of 2 features, as asked for, is the best 2 by ANOVA: {named}."
            assert asked in facts["sentences"]
        else:
            own = facts["set_accuracy"]["all"]
            told = f"in {own['n_empty']} of {own['n_splits']} splits no feature differed"
            assert (told in facts["sentences"][-1]) == (own["n_empty"] > 0)
    with pytest.raises(DataError, match="class 'healthy' has 2 samples; statistics and a ranking"):
        select(frame[18:22], "method=anova")


def test_several_classes_of_several_sizes(select):
    frame = noise(60, 12, classes=["a", "b", "c"])
    frame.loc[frame["status"] == "c", "gene 0004"] += 4
    methods = ["method=[manifest_regularized,anova]", *BRIEF]
    folder = select(frame.iloc[14:], *methods, name="a.parquet")
    facts = facts_of(folder)
    reduced, expected = pd.read_parquet(folder / "reduced.parquet"), frame[14:]
    expected = expected[[*facts["chosen"], "status"]]
    pd.testing.assert_frame_equal(reduced, expected.reset_index(drop=True))
    assert facts["differ"]["features"] == ["gene 0004"]
    assert facts["predict"]["guess"] == pytest.approx(1 / 3)
    assert "a Gaussian kernel and weighted classes were chosen" in facts["paragraph"]


def test_samples_of_a_group_stay_together_and_covariates_are_removed(select):
    """A copy of each sample is no new evidence; a batch effect is no difference."""
    rng = np.random.default_rng(0)
    frame = noise(24, 10, seed=2)
    frame["batch"] = np.where(rng.random(24) < 0.5 + 0.3 * (frame["status"] == "ill"), "x", "y")
    frame.loc[frame["batch"] == "x", "gene 0005"] += 6
    frame["patient"] = [f"p{i}" for i in range(24)]
    twice = pd.concat([frame, frame]).reset_index(drop=True)
    adjusted = ["method=anova", "dataset.adjust=[batch]", "dataset.groups=patient", *BRIEF]
    facts = facts_of(select(twice, *adjusted))
    assert "gene 0005" not in facts["differ"]["features"][:1]
    told = " ".join(facts["notes"])
    assert "samples of the 24 groups stay on one side" in told
    assert "48 samples are equal to another one" in told
    assert "with the covariate batch" in facts["paragraph"]
    assert "Samples of one patient were averaged" in facts["paragraph"]
    assert "Quade tests with the same covariates" in facts["paragraph"]
    drawn = "of the classes, each patient as a whole, drawn given batch (Berrett et al. 2020) (one"
    assert drawn in facts["paragraph"]
    assert facts["differ"]["n_rows"] == 24
    is_ill = frame["status"] == "ill"
    facts = facts_of(select(frame.assign(batch=rng.random(24) + 1.2 * is_ill), *adjusted))
    assert facts["predict"]["n_unchanged"] == 1
    assert "1 of 1 shuffles left all labels as they are" in " ".join(facts["sentences"])
    assert "; 1 of them left all classes as they were)" in facts["paragraph"]
    frame["batch"] = np.where(is_ill, "x", "y")
    with pytest.raises(DataError, match="'batch' determines the class in these samples"):
        select(frame, *adjusted)


def test_counts_are_told_and_transformed(select):
    frame = planted()
    genes = frame.columns[:-1]
    frame[genes] = np.floor(np.exp(frame[genes] + 6))
    told = facts_of(select(frame, "method=anova", *BRIEF))["notes"]
    assert any("as raw counts are" in note for note in told)
    facts = facts_of(select(frame, "method=anova", "dataset.transform=log2", *BRIEF))
    assert set(facts["sets"]["smallest"]) <= {"gene 0007", "gene 0011", "gene 0023"}
    with pytest.raises(DataError, match="cannot take values of 0 or below, as gene 0000"):
        select(frame.assign(**{"gene 0000": 0.0}), "method=anova", "dataset.transform=log2")


def test_what_leaves_nothing_to_select_is_refused(select):
    for change, message in {
        "protocol.n_features=30": r"n_features=30 must be below the 30 features",
        "dataset.features=gene 0001": "one feature is left .gene 0001.; a selection needs two",
    }.items():
        with pytest.raises((ConfigError, DataError), match=message):
            select(noise(), "method=anova", change)
    frame = noise()
    frame.iloc[0, :2] = np.nan
    with pytest.raises(ConfigError, match="29 is more than the 28 features without gaps"):
        select(frame, "dataset.missing=drop", "protocol.n_features=29")


def test_gaps_groups_covariates_and_transforms_need_this_kind(compose, tmp_path):
    frame = noise()
    frame.iloc[0, 0] = np.nan
    frame.to_csv(tmp_path / "a.csv")
    reading = ["experiment=colon", "dataset=file", f"dataset.path={tmp_path / 'a.csv'}"]
    for change in ("missing=median", "groups=patient", "adjust=[age]", "transform=log1p"):
        key = change.partition("=")[0]
        with pytest.raises(DataError, match=rf"dataset\.{key} needs experiment=select"):
            load_dataset(compose(*reading, "dataset.target=status", f"dataset.{change}"))


def test_the_terminal_has_less_than_100_columns(select, caplog):
    caplog.set_level(logging.INFO, logger="experiments")
    frame = planted(names=["gene 0007"])
    frame = frame.rename(columns={"gene 0007": "a feature with a name of great length " * 4})
    frame["status"] = frame["status"].map({"ill": "quite ill", "healthy": "healthy"})
    select(frame, "method=[anova,relieff]")
    told = [r.getMessage() for r in caplog.records if r.name.startswith("experiments")]
    (first,) = [text for text in told if "WHICH FEATURES DIFFER?" in text]
    (second,) = [text for text in told if "CAN THE CLASS BE PREDICTED?" in text]
    assert max(len(line) for text in (first, second) for line in text.splitlines()) < 100
    assert len([line for line in first.splitlines() if "gene 00" in line]) >= 13


@pytest.mark.slow
def test_the_commands_of_the_documentation_answer_in_a_terminal(tmp_path):
    """A path with blanks, an answer, a page; one sentence for a wrong path."""
    path = tmp_path / "my table (1).csv"
    planted(24, 8, ["gene 0003"], 4.0).to_csv(path)
    folders = [f"store={tmp_path / 'store'}", f"hydra.run.dir={tmp_path / 'run'}", "workers=1"]
    run, command = partial(python, LC_ALL="C"), ["run.py", *QUICK, "method=anova", *folders]
    done = run(*command, f"dataset.path={path}")
    assert done.returncode == 0, done.stderr
    assert "gene 0003" in done.stdout
    assert f"page    {tmp_path / 'run' / 'report.html'}" in done.stdout
    wrong = run(*command, f"dataset.path={tmp_path / 'absent.csv'}")
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("run.py: there is no file")
