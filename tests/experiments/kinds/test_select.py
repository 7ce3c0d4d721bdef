"""Which features to keep: planted ones are found, noise is called noise, nothing leaks."""

import json
import logging
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from experiments.atomic import write_csv
from experiments.config import ConfigError
from experiments.datasets import DataError
from experiments.kinds import load
from experiments.kinds.base import stored_config, tables_of
from experiments.report.pages.experiment import methods
from manifest import load_selector
from tests.experiments.conftest import CONFIGS, SMALL

#: A small protocol: five splits, two inner folds, few shuffles and subsamples.
QUICK = [
    "experiment=select",
    "dataset.target=status",
    "protocol.n_repetitions=5",
    "protocol.inner_folds=2",
    "protocol.n_shuffles=3",
    "protocol.n_resamples=6",
    "protocol.sizes=[1,2,3,5,10]",
    "protocol.log2_C=[1,5]",
    "protocol.log2_gamma=[-9,-6,-3]",
]


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


def test_three_planted_genes_among_2000_come_first_by_name(select, caplog):
    caplog.set_level(logging.INFO, logger="experiments")
    names = ["gene 0300", "gene 1200", "gene 1999"]
    folder = select(
        planted(60, 2000, names),
        "method=[anova,relieff]",
        "protocol.n_shuffles=2",
        "protocol.n_resamples=3",
    )
    assert sorted(features_of(folder)["feature"][:3]) == names
    facts = facts_of(folder)
    assert facts["is_better"]
    assert facts["sentences"][0].startswith("Keep the best")
    assert names[0] in caplog.text


def test_noise_is_called_noise_in_the_first_sentence(select, caplog):
    caplog.set_level(logging.INFO, logger="experiments")
    facts = facts_of(select(noise(), "method=[anova,relieff]"))
    assert not facts["is_better"]
    assert facts["sentences"][0].startswith("No better than chance")
    assert (
        "nor that none of them does: none of 30 has a q-value below 0.05" in facts["sentences"][0]
    )
    assert facts["sentences"][1].startswith("If any are to be kept")
    assert "No better than chance" in caplog.text


def test_the_index_of_pandas_is_never_a_feature(select):
    """Sorted noise would make it the best of all; where it is asked for, the answer warns."""
    folder = select(noise(), "method=anova", "protocol.n_shuffles=1")
    assert features_of(folder)["feature"].str.startswith("gene").all()
    frame = noise().reset_index(names="visit")
    folder = select(frame, "method=anova", "dataset.index=null", index=False)
    features = features_of(folder)
    assert features["feature"][0] == "visit"
    assert features["warning"][0] == "separates the classes alone; follows the order of the rows"
    assert (features["warning"][1:] == "").all()
    told = facts_of(folder)["warnings"]
    assert [one.partition(";")[0] for one in told] == [
        "visit: separates the classes alone",
        "visit: follows the order of the rows",
    ]
    page = (folder / "report.html").read_text("utf-8")
    assert all(one in page for one in told)


def test_the_nested_accuracy_is_that_of_the_protocol_accuracy(run, table):
    """The same splits, the same units: nothing is computed again."""
    shared = [f"dataset.path={table}", "method=[anova,relieff]", "protocol.readings=[nested]"]
    reference, _ = run(*SMALL, *shared, folder="accuracy")
    config = json.loads((reference / "provenance.json").read_text("utf-8"))["config"]
    assert config["title"] == table.name
    assert methods(config)[1]["tuned"].count(",") == 1  # two values
    own = [one for one in SMALL if not one.startswith(("experiment", "dataset="))]
    folder, _ = run(
        "experiment=select", *own, *shared, "dataset.scaling=none", "protocol.n_shuffles=1"
    )
    columns = ["method", "accuracy", "std", "ci_low", "ci_high", "n_features", "stability"]
    known = pd.read_csv(reference / "summary.csv")[columns]
    found = pd.read_csv(folder / "summary.csv")[columns]
    found = found[found["method"].isin(known["method"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, known, check_dtype=False)
    units = json.loads((folder / "provenance.json").read_text())["units"]
    n_splits, n_folds, n_candidates = 2, 1 + 4, 1 + 2
    assert units["reused"] == n_splits * n_folds * n_candidates
    page = (folder / "report.html").read_text("utf-8")
    for accuracy in known["accuracy"]:
        assert f"{100 * accuracy:.1f}".removesuffix(".0") in page


def test_the_files_of_an_answer(select):
    frame = planted().set_axis([f"patient {i}" for i in range(40)])
    folder = select(frame, "method=[anova,relieff]", "protocol.n_features=3")
    facts, features = facts_of(folder), features_of(folder)
    kept = features["feature"][:3].tolist()
    assert facts["n_features"] == 3
    assert (features["chosen"].astype(str) == "True").sum() == 3
    reduced = pd.read_csv(folder / "reduced.csv", index_col=0)
    pd.testing.assert_frame_equal(reduced, frame[[*kept, "status"]], check_names=False)
    selector = load_selector(folder / "selector.json").set_output(transform="pandas")
    pd.testing.assert_frame_equal(
        selector.fit_transform(frame), reduced[kept], check_names=False, check_exact=True
    )
    assert set(features["rank"]) == set(range(1, 31))
    assert (features["rank_low"].astype(float) <= features["rank_high"].astype(float)).all()
    assert features["frequency"].astype(float).sum() == pytest.approx(3)
    assert {"rank_anova", "rank_relieff", "consensus", "q_value", "mean_ill"} <= set(features)
    page = (folder / "report.html").read_text("utf-8")
    assert all(sentence in page for sentence in facts["sentences"])
    assert all(name in page for name in features["feature"])


def test_a_parquet_table_is_reduced_to_parquet(select):
    frame = planted(d=8, names=["gene 0003"])
    folder = select(frame, "method=anova", "protocol.n_features=1", name="a.parquet")
    pd.testing.assert_frame_equal(
        pd.read_parquet(folder / "reduced.parquet"), frame[["gene 0003", "status"]]
    )


def test_every_form_of_a_table_gives_the_same_answer(select, tmp_path):
    """To the last byte, and from the same stored units."""
    frame = planted(24, 8, ["gene 0003"]).round(6)
    settings = ["method=anova", "protocol.n_repetitions=2", "protocol.n_shuffles=1"]
    folder = select(frame, *settings)
    answer = (folder / "features.csv").read_bytes()
    forms = {
        "a.txt": {"sep": ";", "decimal": ",", "encoding": "utf-16"},
        "a.tsv.gz": {"sep": "\t"},
        "a.parquet": {},
    }
    for name, options in forms.items():
        select(frame, *settings, name=name, **options)
        check_same(folder, answer)
    frame.to_excel(tmp_path / "a.xlsx")
    select(frame, *settings, f"dataset.path={tmp_path / 'a.xlsx'}")
    check_same(folder, answer)
    select(frame.T, *settings, "dataset.transpose=true")
    check_same(folder, answer)


def check_same(folder, answer):
    assert (folder / "features.csv").read_bytes() == answer
    assert json.loads((folder / "provenance.json").read_text())["units"]["computed"] == 0


@pytest.mark.parametrize("missing", ["median", "drop"])
def test_missing_values_are_filled_in_or_left_out(select, missing):
    frame = planted()
    frame.iloc[::2, 0] = np.nan
    frame.iloc[3, 7] = np.nan
    folder = select(frame, "method=[anova,relieff]", f"dataset.missing={missing}")
    features = features_of(folder).set_index("feature")
    assert sorted(features.index[:2]) == ["gene 0011", "gene 0023"] if missing == "drop" else True
    assert (features.loc["gene 0000", "score"] == "") == (missing == "drop")
    assert any("training rows" in note for note in facts_of(folder)["notes"])
    check_tables_come_out_of_rows(folder)


def check_tables_come_out_of_rows(folder):
    config = json.loads((folder / "provenance.json").read_text("utf-8"))["config"]
    kind = load("select")
    rows = pd.read_parquet(folder / "rows.parquet")
    made = tables_of(kind, rows, stored_config(config, kind))
    assert set(made) == {path.stem for path in folder.glob("*.csv")} - {"reduced"}
    for name, table in made.items():
        write_csv(folder / "again.csv", table)
        assert (folder / "again.csv").read_bytes() == (folder / f"{name}.csv").read_bytes()


def test_three_samples_a_class_are_judged_and_two_are_refused(select):
    folder = select(planted(6, 12, ["gene 0007"], 9.0), "method=anova")
    (told,) = [note for note in facts_of(folder)["notes"] if "outer" in note]
    assert told.startswith("class 'healthy' has 3 samples: 3 outer and 2 inner folds")
    used = json.loads((folder / "provenance.json").read_text("utf-8"))["config"]["protocol"]
    assert (used["n_repetitions"], used["inner_folds"], used["sizes"]) == (
        3,
        2,
        [1, 2, 3, 5, 10, 12],
    )
    with pytest.raises(DataError, match="class 'healthy' has 2 samples; three of each class"):
        select(noise(4, 12), "method=anova")


def test_several_classes(select):
    frame = noise(45, 12, classes=["a", "b", "c"])
    frame.loc[frame["status"] == "c", "gene 0004"] += 4
    folder = select(frame, "method=[manifest_relieff_regularized,anova]")
    features = features_of(folder)
    assert features["feature"][0] == "gene 0004"
    assert features["higher_in"][0] == "c"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("protocol.n_features=30", r"n_features=30 must be below the 30 features"),
        ("dataset.features=gene 0001", "has one feature; there is nothing to select"),
    ],
)
def test_what_leaves_nothing_to_select_is_refused(select, change, message):
    with pytest.raises((ConfigError, DataError), match=message):
        select(noise(), "method=anova", change)


def test_gaps_need_this_kind(run, tmp_path):
    frame = noise()
    frame.iloc[0, 0] = np.nan
    frame.to_csv(tmp_path / "a.csv")
    reading = ["dataset=file", f"dataset.path={tmp_path / 'a.csv'}", "dataset.target=status"]
    with pytest.raises(DataError, match=r"dataset\.missing needs experiment=select"):
        run("experiment=colon", *reading, "dataset.missing=median", "method=anova")


def test_the_terminal_has_less_than_100_columns(select, caplog):
    caplog.set_level(logging.INFO, logger="experiments")
    frame = planted(names=["gene 0007"])
    frame = frame.rename(columns={"gene 0007": "a feature with a name of great length " * 4})
    frame["status"] = frame["status"].map({"ill": "quite ill " * 12, "healthy": "healthy " * 12})
    select(frame, "method=[anova,relieff]")
    told = [r.getMessage() for r in caplog.records if r.name.startswith("experiments")]
    (answer,) = [text for text in told if "among the best" in text]
    before = [text for text in told[: told.index(answer)] if not text.startswith("reading")]
    assert any(text.startswith("a.csv: csv, ") for text in before)
    assert max(len(line) for text in [*before, answer] for line in text.splitlines()) < 100
    assert len([line for line in answer.splitlines() if "gene 00" in line]) >= 19


def test_the_command_of_the_documentation_answers_in_a_terminal(tmp_path):
    """A path with blanks, an answer, a page; one sentence where the path is wrong."""
    path = tmp_path / "my table (1).csv"
    planted(24, 8, ["gene 0003"], 4.0).to_csv(path)
    command = [sys.executable, "run.py", *QUICK, "dataset.target=status", "method=anova"]
    folders = [f"store={tmp_path / 'store'}", f"hydra.run.dir={tmp_path / 'run'}", "workers=0"]
    environment = {**os.environ, "LC_ALL": "C"}

    def run(*more):
        return subprocess.run(
            [*command, *folders, *more], cwd=CONFIGS.parent, env=environment, capture_output=True
        )

    done = run(f"dataset.path={path}")
    assert done.returncode == 0, done.stderr.decode()
    told = done.stdout.decode()
    assert "Keep the best" in told
    assert "gene 0003" in told
    assert f"page    {tmp_path / 'run' / 'report.html'}" in told
    assert (tmp_path / "run" / "report.html").is_file()
    wrong = run(f"dataset.path={tmp_path / 'absent.csv'}")
    assert wrong.returncode == 1
    assert wrong.stderr.decode().startswith("run.py: there is no file")
