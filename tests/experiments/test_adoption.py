"""Adoption: a changed number is found, and an adopted result is that of a run but for one line."""

import json
import subprocess

import pandas as pd
import pytest
import yaml

from experiments import kinds
from experiments.kinds.base import tables_of
from experiments.provenance import overrides_of
from scripts import adoption
from tests.experiments.conftest import SMALL

#: Small runs of all kinds of units: overrides, and a column of the rows whose numbers are changed.
RUNS = {
    "accuracy": (
        [
            *SMALL,
            "method=[anova,relieff,manifest,manifest_relieff]",
            "protocol.readings=[paper,icml,nested]",
            "protocol.order_splits=1",
        ],
        "test",
    ),
    "recovery": (["experiment=xor100", "profile=smoke"], "correct"),
    "arena": (
        [
            *("experiment=arena", "profile=smoke", "method=[manifest_regularized,anova,relieff]"),
            *("protocol.datasets=[wine]", "protocol.n_train=[20,all]"),
        ],
        "test",
    ),
    "cone": (["experiment=operators", "profile=smoke"], "x"),
    "propositions": (
        [
            *("experiment=propositions", "profile=smoke", "protocol.angles=[0.1]"),
            *("protocol.near=[0.01]", "+protocol.datasets.breast_cancer={scaling: standard}"),
            *(f"~protocol.datasets.{name}" for name in ("colon", "madelon", "mnist")),
        ],
        "residual",
    ),
    "images": (
        [
            *("experiment=mnist", "dataset=digits", "profile=smoke", "protocol.shape=[8,8]"),
            *("protocol.maximum=16", "protocol.pairs=[[4,9],[3,8]]"),
            *(f"protocol.regions.{name}=[[0,3,0,3]]" for name in ("top_gap", "leg")),
            "protocol.regions.upper_corners=[[0,1,0,1]]",
        ],
        "eigenvalue",
    ),
}


def checked(folder, config, number=2):
    """The verification of a folder with a few checks of each method, from an empty store."""
    methods = config.method.scorers
    config = config.copy()
    config.store = str(folder.parent / "store of checks")
    return adoption.verify(folder, config, dict.fromkeys(methods, number))


@pytest.mark.parametrize("name", RUNS)
def test_an_adopted_result_differs_from_a_computed_one_by_one_line(name, compose, run, table):
    overrides, _ = RUNS[name]
    overrides = [*overrides, *([f"dataset.path={table}"] if "dataset=file" in overrides else [])]
    folder, failures = run(*overrides)
    assert failures == 0
    computed = json.loads((folder / "provenance.json").read_text())
    config = compose(*overrides, "workers=0")
    verified = checked(folder, config, number=6)
    assert verified["differences"] == []
    assert verified["units"] >= len(config.method.scorers)
    assert set(verified["code"]["modules"]) == set(computed["code"]["modules"])
    old = {**computed, "code": {**computed["code"], "sources": "0" * 16, "digest": "0" * 16}}
    (folder / "provenance.json").write_text(json.dumps(old))
    adoption.adopt(folder, config, verified)
    adopted = json.loads((folder / "provenance.json").read_text())
    line = adopted.pop("verified")
    assert adopted["code"] == computed["code"]
    assert {k: v for k, v in adopted.items() if k != "config"} == {
        k: v for k, v in computed.items() if k != "config"
    }
    assert line["digest"] == computed["code"]["sources"]
    assert line["units"] == verified["units"]
    rows = pd.read_parquet(folder / "rows.parquet")
    for table_name, again in tables_of(kinds.load(config.protocol.kind), rows, config).items():
        assert len(again) == len(pd.read_csv(folder / f"{table_name}.csv")), table_name


@pytest.mark.parametrize("name", RUNS)
def test_a_changed_number_is_found_and_told_old_beside_new(name, compose, run, table):
    overrides, column = RUNS[name]
    overrides = [*overrides, *([f"dataset.path={table}"] if "dataset=file" in overrides else [])]
    folder, _ = run(*overrides)
    rows = pd.read_parquet(folder / "rows.parquet")
    rows[column] += 1e-9
    rows.to_parquet(folder / "rows.parquet")
    verified = checked(folder, compose(*overrides, "workers=0"))
    assert verified["differences"]
    assert all(f"{column}: " in line for line in verified["differences"])
    assert all(" is stored, " in line for line in verified["differences"])


def test_every_scorer_has_sixty_checks_over_all_folders(compose):
    configs = {
        name: compose(f"experiment={name}", "profile=paper")
        for name in ("xor100", "colon", "robustness")
    }
    numbers = adoption.numbers_of_checks(configs)
    totals = dict.fromkeys(configs["robustness"].method.scorers, 0)
    for folder in numbers.values():
        assert min(folder.values()) >= adoption.IN_A_FOLDER
        for method, number in folder.items():
            totals[method] = totals.get(method, 0) + number
    assert totals["anova"] >= adoption.OVER_ALL
    full = adoption.numbers_of_checks(configs, full=True)
    assert {n for folder in full.values() for n in folder.values()} == {adoption.OVER_ALL}


def test_the_list_of_due_results_keeps_comments_and_reasons(tmp_path):
    path = tmp_path / "due.yaml"
    path.write_text("# Why.\narena: Profile fast.\n")
    adoption.enter_as_due(path, "colon", True)
    adoption.enter_as_due(path, "colon", True)
    adoption.enter_as_due(path, "arena", True)
    assert yaml.safe_load(path.read_text()) == {"arena": "Profile fast.", "colon": adoption.REASON}
    adoption.enter_as_due(path, "colon", False)
    adoption.enter_as_due(path, "arena", False)
    assert path.read_text() == "# Why.\narena: Profile fast.\n"


def test_all_kinds_with_committed_results_give_checks(compose):
    for path in sorted(adoption.RESULTS.glob("*/provenance.json")):
        record = json.loads(path.read_text())
        kind = compose(*overrides_of(record)).protocol.kind
        assert kinds.load(kind).stored_checks is not None, path.parent.name


def test_a_folder_that_does_not_name_numpys_code_is_tried_with_each(tmp_path, monkeypatch):
    """It is adopted with the code that reproduces it, which its provenance then names."""
    tried, adopted = [], []
    choices = [{"NPY_DISABLE_CPU_FEATURES": "X86_V4"}, {"OPENBLAS_CORETYPE": "Haswell"}]
    monkeypatch.setattr(adoption, "OUTPUTS", tmp_path)
    monkeypatch.setattr(adoption, "processors_of", lambda name: choices)

    def run(command, env, **options):
        tried.append({name: env.get(name) for choice in choices for name in choice})
        differences = ["0.5 is stored, 0.6 comes out"] if len(tried) < reproduced_at else []
        (tmp_path / "toy.json").write_text(json.dumps({"differences": differences}))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(adoption.subprocess, "run", run)
    monkeypatch.setattr(adoption, "adopt", lambda folder, config, verified: adopted.append(folder))
    reproduced_at = 2
    assert adoption.adopt_one("toy", None, {}, None, 1) == []
    assert len(tried) == 2
    assert adopted == [adoption.RESULTS / "toy"]
    reproduced_at = 9
    assert adoption.adopt_one("toy", None, {}, None, 1) == ["0.5 is stored, 0.6 comes out"]
    assert len(adopted) == 1
