"""A unit rests on the code that it runs: what it imports counts, and nothing else does."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from experiments.protocols.recovery.units import ranking

import baselines
from experiments.engine import code
from experiments.engine.code import CodeChanged, closure, code_digest, modules_of, packages
from experiments.engine.keys import check_code, key_of
from experiments.protocols.accuracy.units import judge_ranking
from manifest import manifest_score
from tests.experiments.conftest import project_copy

XOR = ["experiment=xor100", "profile=smoke", "workers=0", "draw=false"]
XOR += ["store=store", "hydra.run.dir=run"]


def test_imports_are_followed_to_the_end():
    reached = closure("experiments.protocols.accuracy.units")
    assert {
        "experiments.evaluation.splits",
        "experiments.evaluation.svm.grid",
        "experiments.evaluation.svm.smo",
        "experiments.engine.seeds",
        "baselines.combine",
    } <= reached
    assert code.source_of("experiments.evaluation.svm.smo")[1].startswith(b"/*")
    assert {"numpy", "sklearn"} <= set(packages(["experiments.protocols.accuracy.units"]))


@pytest.mark.parametrize("function", [judge_ranking, ranking])
def test_a_unit_rests_on_no_config_store_table_or_figure(function):
    """Otherwise each change of these would run all experiments again."""
    (module,) = modules_of([function])
    foreign = ("config", "runner", "sweep", "report", "engine.store", "engine.parallel")
    for name in closure(module):
        assert not name.startswith(tuple(f"experiments.{room}" for room in foreign))
        assert name.rpartition(".")[2] not in ("tables", "run", "schema")


def test_a_filter_rests_on_no_other_filter():
    reached = closure(*modules_of([baselines.anova]))
    assert reached == {"baselines.filters.anova", "baselines._common"}
    assert "manifest.score" in closure(*modules_of([manifest_score]))


def test_a_scorer_rests_on_the_filters_that_it_imports_from_their_package(tmp_path, monkeypatch):
    (tmp_path / "scorer_from_filters.py").write_text("from baselines import min_max, t_test")
    monkeypatch.syspath_prepend(tmp_path)
    reached = closure("scorer_from_filters")
    assert {"baselines.filters.ttest", "baselines.combine"} <= reached
    assert "baselines.filters.anova" not in reached


def test_the_digest_is_of_sources_and_versions(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    digests = set()
    for text in ("import helper_of_a_test as h", "import numpy", "import numpy, math", ""):
        (tmp_path / "scorer_of_a_test.py").write_text(text)
        (tmp_path / "helper_of_a_test.py").write_text("x = 1")
        for cached in (code._imports, code._is_own, code.source_of, code_digest, closure):
            cached.cache_clear()
        code._sources.pop("scorer_of_a_test", None)
        digests.add(code_digest(("scorer_of_a_test",)))
    assert len(digests) == 4
    monkeypatch.setattr(code, "version_of", lambda package: "0.0")
    code_digest.cache_clear()
    assert code_digest(("experiments.engine.seeds",)) not in digests


def test_a_key_of_other_code_is_refused():
    key = key_of("scores", [ranking], draw=1)
    check_code(key)
    key.code = key.code[::-1]
    with pytest.raises(CodeChanged, match="start it again"):
        check_code(key)


def computed(folder, *overrides):
    """How many units a run computes."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "run.py", *XOR, *overrides]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "run" / "provenance.json").read_text())["units"]["computed"]


MINE = """
from helper import weight

def score(X, y):
    return weight * abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
"""
MINE_YAML = "scorers: {mine: {label: Mine, call: 'mine:score'}}"


def append(path, text):
    path.write_text(path.read_text() + text)


def test_an_edited_scorer_or_its_helper_is_run_again_and_nothing_else(tmp_path):
    folder = project_copy(tmp_path / "project")
    (folder / "mine.py").write_text(MINE)
    (folder / "helper.py").write_text("weight = 1.0\n")
    (folder / "configs/method/mine.yaml").write_text(MINE_YAML)
    both = "method=[anova,mine]"
    n_units = computed(folder, both)
    assert n_units == 6
    assert computed(folder, both) == 0
    append(folder / "mine.py", "\nextra = 1\n")
    assert computed(folder, both) == n_units // 2
    (folder / "helper.py").write_text("weight = 2.0\n")
    assert computed(folder, both) == n_units // 2
    append(folder / "baselines" / "_common.py", "\nextra = 1\n")
    assert computed(folder, both) == n_units
    append(folder / "experiments" / "evaluation" / "svm" / "smo.c", "\n/* edited */\n")
    assert computed(folder, both) == n_units


def test_what_a_unit_does_not_run_invalidates_nothing(tmp_path):
    folder = project_copy(tmp_path / "project")
    n_units = computed(folder, "method=[anova,relieff]")
    assert n_units > 0
    filters = folder / "baselines" / "filters"
    shutil.copy(filters / "anova.py", filters / "another.py")
    shutil.copytree(folder / "experiments/protocols/cone", folder / "experiments/protocols/other")
    append(folder / "experiments" / "report" / "figures" / "toy.py", "\nextra = 1\n")
    append(folder / "experiments" / "report" / "html.py", "\nextra = 1\n")
    append(folder / "experiments" / "protocols" / "recovery" / "tables.py", "\nextra = 1\n")
    append(folder / "experiments" / "engine" / "store.py", "\nextra = 1\n")
    append(folder / "experiments" / "config.py", "\nextra = 1\n")
    append(folder / "configs" / "experiment" / "xor100.yaml", "\n# a comment\n")
    append(filters / "gini.py", "\nextra = 1\n")
    assert computed(folder, "method=[anova,relieff]") == 0


EDITED = """
import pathlib, sys
sys.path.insert(0, {folder!r})
import experiments.engine
import mine
pathlib.Path({folder!r}, "mine.py").write_text("def score(X, y): return 0 * X[0]  # edited")
from experiments.engine.code import code_digest
print(code_digest(("mine",)))
"""


def test_the_digest_is_of_what_was_imported_not_of_what_lies_on_disk(tmp_path):
    folder = project_copy(tmp_path / "project")
    (folder / "helper.py").write_text("weight = 1.0\n")

    def told():
        done = subprocess.run(
            [sys.executable, "-c", EDITED.format(folder=str(folder))],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    (folder / "mine.py").write_text(MINE)
    first = told()
    (folder / "mine.py").write_text(MINE)
    assert told() == first
    assert told() != first  # the edited file is what it now imports
