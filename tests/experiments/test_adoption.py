"""Adoption: a changed number is found, and an adopted result is that of a run but for one line."""

import json
import subprocess

import pandas as pd
import yaml

from experiments.kinds.adoption import Check
from scripts import adoption


def test_an_adopted_result_differs_from_a_computed_one_by_one_line(compose, run):
    overrides = ["experiment=xor100", "profile=smoke"]
    folder, failures = run(*overrides)
    assert failures == 0
    path, config = folder / "provenance.json", compose(*overrides, "workers=0")
    computed = json.loads(path.read_text())
    config.store = str(folder.parent / "store of checks")
    verified = adoption.verify(folder, config, {})
    assert verified["differences"] == []
    old = {**computed, "code": {**computed["code"], "sources": "0" * 16, "digest": "0" * 16}}
    path.write_text(json.dumps(old))
    adoption.adopt(folder, config, verified)
    adopted = json.loads(path.read_text())
    line = adopted.pop("verified")
    assert adopted.pop("config")["store"] == computed.pop("config")["store"]
    assert adopted == computed
    assert line["digest"] == computed["code"]["sources"]
    assert line["units"] == verified["units"]
    assert "not_unique" not in line


def test_another_processors_code_is_not_asked_for_rankings_that_are_not_unique(
    compose, run, monkeypatch
):
    overrides = ["experiment=toy", "profile=smoke"]
    folder, _ = run(*overrides)
    config = compose(*overrides, "workers=0")
    config.store = str(folder.parent / "store of checks")
    rows, path = pd.read_parquet(folder / "rows.parquet"), folder / "provenance.json"
    rows.assign(correct=rows["correct"] + 1).to_parquet(folder / "rows.parquet")
    record, every = json.loads(path.read_text()), dict.fromkeys(rows["method"], len(rows))
    for simd, unique in ((record["simd"], False), (["another"], False), (["another"], True)):
        path.write_text(json.dumps({**record, "simd": simd}))
        monkeypatch.setattr(Check, "is_unique", lambda *_, unique=unique: unique)
        verified = adoption.verify(folder, config, every)
        left_out = len(rows) if simd == ["another"] and not unique else 0
        assert verified["not_unique"] == left_out
        assert len(verified["differences"]) == len(rows) - left_out


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


def test_a_folder_that_comes_out_again_is_adopted_and_another_is_not(tmp_path, monkeypatch):
    tried, adopted = [], []
    monkeypatch.setattr(adoption, "OUTPUTS", tmp_path)
    monkeypatch.setattr(adoption, "processor_of", lambda name: {"OPENBLAS_CORETYPE": "Haswell"})

    def run(command, env, **options):
        tried.append(env["OPENBLAS_CORETYPE"])
        (tmp_path / "toy.json").write_text(json.dumps({"differences": differences}))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(adoption.subprocess, "run", run)
    monkeypatch.setattr(adoption, "adopt", lambda folder, config, verified: adopted.append(folder))
    for differences in ([], ["0.5 is stored, 0.6 comes out"]):
        assert adoption.adopt_one("toy", None, {}, None, 1) == differences
    assert tried == ["Haswell", "Haswell"]
    assert adopted == [adoption.RESULTS / "toy"]
