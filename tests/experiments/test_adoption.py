"""Adoption: a changed number is found, and an adopted result is that of a run but for one line."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest
import yaml

from experiments.kinds.adoption import Check
from scripts import reproduce

#: Variables that choose the code of OpenBLAS and NumPy.
CODE = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")


def test_an_adopted_result_differs_from_a_computed_one_by_one_line(compose, run):
    overrides = ["experiment=xor100", "profile=smoke"]
    folder, failures = run(*overrides)
    assert failures == 0
    path, config = folder / "provenance.json", compose(*overrides, "workers=0")
    computed = json.loads(path.read_text())
    config.store = str(folder.parent / "store of checks")
    verified = reproduce.verify(folder, config, {})
    assert verified["differences"] == []
    old = {**computed, "code": {**computed["code"], "sources": "0" * 16, "digest": "0" * 16}}
    path.write_text(json.dumps(old))
    reproduce.adopt(folder, config, verified)
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
        verified = reproduce.verify(folder, config, every)
        left_out = len(rows) if simd == ["another"] and not unique else 0
        assert verified["not_unique"] == left_out
        assert len(verified["differences"]) == len(rows) - left_out


def test_every_scorer_has_sixty_checks_over_all_folders(compose):
    configs = {
        name: compose(f"experiment={name}", "profile=paper")
        for name in ("xor100", "colon", "robustness")
    }
    numbers = reproduce.numbers_of_checks(configs)
    totals = dict.fromkeys(configs["robustness"].method.scorers, 0)
    for folder in numbers.values():
        assert min(folder.values()) >= reproduce.IN_A_FOLDER
        for method, number in folder.items():
            totals[method] = totals.get(method, 0) + number
    assert totals["anova"] >= reproduce.OVER_ALL
    full = reproduce.numbers_of_checks(configs, full=True)
    assert {n for folder in full.values() for n in folder.values()} == {reproduce.OVER_ALL}


def test_the_list_of_due_results_keeps_comments_and_reasons(tmp_path):
    path = tmp_path / "due.yaml"
    path.write_text("# Why.\narena: Profile fast.\n")
    reproduce.enter_as_due(path, "colon", True)
    reproduce.enter_as_due(path, "colon", True)
    reproduce.enter_as_due(path, "arena", True)
    assert yaml.safe_load(path.read_text()) == {"arena": "Profile fast.", "colon": reproduce.REASON}
    reproduce.enter_as_due(path, "colon", False)
    reproduce.enter_as_due(path, "arena", False)
    assert path.read_text() == "# Why.\narena: Profile fast.\n"


def test_a_folder_that_comes_out_again_is_adopted_and_another_is_not(tmp_path, monkeypatch):
    tried, adopted, due = [], [], []
    own = reproduce.composed(reproduce.provenance_of(reproduce.RESULTS / "toy"), None, tmp_path, 1)
    assert (own.name, own.profile.name, own.store) == ("toy", "paper", str(tmp_path))
    monkeypatch.setattr(reproduce, "OUTPUTS", tmp_path)
    monkeypatch.setattr(reproduce, "composed", lambda *_: None)
    monkeypatch.setattr(reproduce, "numbers_of_checks", lambda *_: {"toy": {}})
    monkeypatch.setattr(reproduce, "processor_of", lambda name: {"OPENBLAS_CORETYPE": "Haswell"})
    monkeypatch.setattr(reproduce, "outdated", lambda *_: ["its code has changed"])
    monkeypatch.setattr(reproduce, "other_versions", lambda record: [])
    monkeypatch.setattr(reproduce, "adopt", lambda folder, *_: adopted.append(folder))
    monkeypatch.setattr(reproduce, "enter_as_due", lambda path, name, is_due: due.append(is_due))

    def run(command, env, **options):
        tried.append((env["OPENBLAS_CORETYPE"], "--adopt" in command))
        (tmp_path / "toy.json").write_text(json.dumps({"units": 7, "differences": differences}))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(reproduce.subprocess, "run", run)
    for differences in ([], ["0.5 is stored, 0.6 comes out"]):
        for adopts in (True, False):
            assert reproduce.check_all(["toy"], None, 1, False, adopts) == len(differences)
    assert tried == [("Haswell", adopts) for adopts in (True, False) * 2]
    assert adopted == [reproduce.RESULTS / "toy"]
    assert due == [False, True]


def test_on_another_processor_numbers_may_differ_by_rounding_and_no_more():
    stored = pd.DataFrame({"accuracy": [0.8], "scores": [np.array([1.0, 1e-9])], "x": [1.0]})
    for change, agrees in ((1e-7, True), (1e-3, False)):
        again = {"accuracy": 0.8 + change, "scores": np.array([1.0, 1e-9 + change]), "x": 2.0}
        check = Check("a", [], stored, list)
        assert len(list(check.differences([again]))) == 3
        assert len(list(check.differences([again], reproduce.TOLERANCE))) == (0 if agrees else 2)


@pytest.mark.parametrize("chosen", CODE)
def test_a_check_takes_the_code_of_the_results_unless_the_user_has_chosen(
    chosen, monkeypatch, capsys
):
    asked = []

    def variables(record):
        asked.append(record["experiment"])
        return {"OPENBLAS_CORETYPE": "Abacus"} if len(asked) == 1 else None

    for name in CODE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("experiments.engine.processor.variables", variables)
    assert reproduce.processor_of("toy") == {"OPENBLAS_CORETYPE": "Abacus"}
    assert capsys.readouterr().out == ""
    # Code that this machine cannot run is no fault.
    assert reproduce.processor_of("toy") == {}
    assert "toy: results/ were computed on another kind of processor" in capsys.readouterr().out
    monkeypatch.setenv(chosen, "mine")
    assert reproduce.processor_of("toy") == {}
    assert asked == ["toy", "toy"]


def test_what_one_kind_of_processor_has_computed_stays_apart():
    values = ["X86_V4", "X86_V4,AVX512_ICL", "Haswell", ""]
    for name in CODE:
        stores = [reproduce.store_of({"PATH": "/bin", name: value}).name for value in values]
        assert len(set(stores)) == len(values)
        assert all(store.replace("-", "").isidentifier() for store in stores)  # on a command line
        assert reproduce.store_of({}).name == reproduce.store_of({name: ""}).name == "store"
