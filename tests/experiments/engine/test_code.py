"""A unit rests on the code that it runs: on modules that decide its numbers, and on no others."""

import importlib
import os
import shutil
import sysconfig
from pathlib import Path

import pytest

from experiments.engine import code
from experiments.engine.code import CodeChanged, closure, code_digest, modules_of, packages
from experiments.engine.keys import check_code, key_of
from manifest import manifest_score
from tests.experiments.conftest import project_copy, units, words
from tests.forks import ROOT, python

# In one draw an SVM judges what the methods select.
XOR = words("""
experiment=xor100 profile=smoke workers=0 draw=false store=store hydra.run.dir=run
protocol.judged_draws=1 protocol.test_size=0.25 protocol.inner_folds=2 protocol.log2_C=[1]
protocol.log2_gamma=[-6]
""")

# The modules that decide the numbers of each kind of unit. A name that is new here runs all of
# these units again: it must be true that it decides one of their numbers.
SVM = "experiments.evaluation.svm.grid experiments.evaluation.svm.smo"
SCORING = """
baselines._common baselines.combine experiments.engine.seeds experiments.evaluation.methods
experiments.evaluation.scoring manifest.categories manifest.ranking
"""
DRAWS = "experiments.datasets.generators"
SPD = "manifest.decompositions manifest.linalg manifest.spd"
KERNELS = f"{SPD} manifest.kernels manifest.regularized"
SCORE = f"""
{KERNELS} manifest.categories manifest.composition manifest.mean manifest.spsd manifest.trust
manifest.validation
"""
APPROXIMATION = "manifest.blocks manifest.context manifest.ranking"
ROWS = "experiments.evaluation.rows"
RANKING = f"{SCORING} {ROWS} experiments.evaluation.ranking"
CLOSURES = {
    "experiments.evaluation.ranking:rank_and_judge": RANKING,
    "experiments.evaluation.svm.judges:SvmGrid": SVM,
    "experiments.evaluation.svm.judges:SvmBestCell": SVM,
    "experiments.evaluation.sources:Loaded": "",
    "experiments.evaluation.draws:Drawn": f"""
        {DRAWS} {ROWS} experiments.engine.seeds experiments.evaluation.sources
    """,
    "experiments.evaluation.selections:svm": f"{SVM} {RANKING} experiments.evaluation.svm.judges",
    "experiments.evaluation.tuned:tune_and_judge": f"""
        {SVM} {SCORING} {DRAWS} {ROWS} experiments.evaluation.draws
        experiments.evaluation.readings experiments.evaluation.sources
    """,
    "experiments.evaluation.classifiers:judge_classifier": f"""
        {SVM} {ROWS} experiments.engine.seeds experiments.evaluation.readings
    """,
    "experiments.evaluation.eigenimages:decompose": f"""
        {SCORE} {ROWS} experiments.engine.seeds manifest.composite_kernels
    """,
    "experiments.kinds.operators.eigenvalues:check_kernels": f"""
        {KERNELS} experiments.engine.seeds experiments.kinds.operators.statements
    """,
    "experiments.kinds.operators.drawing:drawn": SPD,
    "manifest.score:manifest_score": f"{SCORE} {APPROXIMATION}",
    "baselines.filters.anova:anova": "baselines._common",
}


def module_of(place):
    module, _, name = place.partition(":")
    return modules_of([getattr(importlib.import_module(module), name)])[0]


def test_these_modules_decide_the_numbers_of_each_kind():
    for place, expected in CLOSURES.items():
        root = module_of(place)
        assert sorted(closure(root)) == sorted({root, *expected.split()}), place
    assert {"numpy", "sklearn"} <= set(packages([module_of(next(iter(CLOSURES)))]))
    assert code.source_of("experiments.evaluation.svm.smo")[1].startswith(b"/*")


def test_every_filter_and_combination_rests_on_no_other_than_it_imports():
    for path in (ROOT / "baselines" / "filters").glob("[!_]*.py"):
        reached = closure(f"baselines.filters.{path.stem}")
        assert "baselines._common" in reached, path.stem
        known = {name for name in reached if name.startswith("manifest")}
        assert known <= {"manifest.decompositions", "manifest.linalg"}, path.stem
    for path in (ROOT / "baselines" / "combined").glob("[!_]*.py"):
        reached = closure(f"baselines.combined.{path.stem}")
        assert {"manifest.composition", "baselines._common"} <= reached, path.stem
        assert not {"manifest", "manifest.selector"} & reached, path.stem


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A function that writes a module anew; all that is known of modules is forgotten."""
    monkeypatch.syspath_prepend(tmp_path)

    def written(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        for each in vars(code).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()
        code._sources.pop(name, None)
        return name

    return written


def test_a_scorer_rests_on_the_filters_that_it_imports_from_their_package(module):
    reached = closure(module("scorer_of_a_test", "from baselines import min_max, t_test"))
    assert {"baselines.filters.ttest", "baselines.combine"} <= reached
    assert "baselines.filters.anova" not in reached


def test_the_digest_is_of_sources_and_versions(module, monkeypatch):
    module("helper_of_a_test", "x = 1")
    digests = set()
    for text in ("import helper_of_a_test as h", "import numpy", "import numpy, math", ""):
        digests.add(code_digest((module("scorer_of_a_test", text),)))
    assert len(digests) == 4
    monkeypatch.setattr(code, "version_of", lambda package: "0.0")
    code_digest.cache_clear()
    assert code_digest(("experiments.engine.seeds",)) not in digests


def test_packages_count_by_version_in_any_folder_that_they_are_installed_in(tmp_path):
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        (tmp_path / path.name).symlink_to(path)
    told = "import numpy; from experiments.engine.code import code_digest as digest"
    told += "; print(numpy.__file__, digest(%r))"
    unit = modules_of([manifest_score])
    done = python("-c", told % (unit,), PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    assert done.returncode == 0, done.stderr
    at, digest = done.stdout.split()
    assert at.startswith(str(tmp_path))
    assert digest == code_digest(unit)


def test_a_module_counts_unless_it_says_that_it_decides_nothing(module):
    both = {module("marked_of_a_test", ""), module("below_of_a_test", "x = 1")}
    scorer = module("scorer_of_a_test", "import marked_of_a_test")
    for mark, counts in (("False", False), ("True", True), ("(False, )", True)):
        module("marked_of_a_test", f"DECIDES_NUMBERS = {mark}\nimport below_of_a_test\n")
        assert closure(scorer) == {scorer} | (both if counts else set()), mark
        assert closure("marked_of_a_test") == both, "a unit begins in it"


def test_a_key_of_other_code_is_refused():
    key = key_of("scores", [manifest_score], draw=1)
    check_code(key)
    key.code = key.code[::-1]
    with pytest.raises(CodeChanged, match="start it again"):
        check_code(key)


def computed(folder, *overrides):
    """The number of units that a run computes."""
    done = python("run.py", *XOR, *overrides, at=folder)
    assert done.returncode == 0, done.stderr
    return units(folder / "run")["computed"]


MINE = """
from helper import weight

def score(X, y):
    return weight * abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
"""
MINE_YAML = "scorers: {mine: {label: Mine, call: 'mine:score'}}"


def replace(path, old, new):
    text = path.read_text()
    assert old in text, path
    path.write_text(text.replace(old, new, 1))


def append(path, text):
    path.write_text(path.read_text() + text)


@pytest.mark.slow
def test_a_run_that_is_started_again_computes_what_rests_on_other_code(tmp_path):
    folder = project_copy(tmp_path / "project")
    experiments, filters = folder / "experiments", folder / "baselines" / "filters"
    (folder / "mine.py").write_text(MINE)
    (folder / "helper.py").write_text("weight = 1.0\n")
    (folder / "configs/method/mine.yaml").write_text(MINE_YAML)
    methods = "method=[anova,fisher,mine]"
    n_svms = computed(folder, methods) - 9
    assert 2 <= n_svms <= 4
    # Words, looks, and what decides no number of these units.
    replace(folder / "manifest" / "linalg.py", '"""', '"""Other words. ')
    replace(folder / "baselines" / "_common.py", '"""', '"""Other words. ')
    replace(filters / "anova.py", '"""', '"""Other words. ')
    replace(experiments / "evaluation" / "scoring.py", '"""', '"""Other words. ')
    append(experiments / "evaluation" / "svm" / "smo.c", "\n/* other words */\n")
    append(folder / "helper.py", "\n# words\n")
    shutil.copy(filters / "anova.py", filters / "another.py")
    for path in (
        *(filters / "gini.py", folder / "manifest" / "sentences.py", experiments / "config.py"),
        *(experiments / "engine" / "store.py", experiments / "engine" / "keys.py"),
        *(experiments / "report" / "figures" / "points.py", experiments / "atomic.py"),
    ):
        append(path, "\nextra = 1\n")
    append(folder / "configs" / "experiment" / "xor100.yaml", "\n# a comment\n")
    assert computed(folder, methods) == 0
    # A scorer, and what another one imports.
    replace(filters / "anova.py", "max(within, 1)", "max(within, 2)")
    replace(folder / "helper.py", "1.0", "-1.0")
    assert 6 <= computed(folder, methods) <= 6 + n_svms
    # The code of the SVM, on which no ranking rests.
    replace(experiments / "evaluation" / "svm" / "smo.c", "k++)", "++k)")
    assert 2 <= computed(folder, methods) <= n_svms


EDITED = """
import pathlib, sys
sys.path[:0] = [{folder!r}, {root!r}]
import experiments.engine
import mine
pathlib.Path({folder!r}, "mine.py").write_text("def score(X, y): return 0 * X[0]  # edited")
from experiments.engine.code import code_digest
print(code_digest(("mine",)))
"""


def test_the_digest_is_of_what_was_imported_not_of_what_lies_on_disk(tmp_path):
    (tmp_path / "helper.py").write_text("weight = 1.0\n")

    def told():
        done = python("-c", EDITED.format(folder=str(tmp_path), root=str(ROOT)))
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / "mine.py").write_text(MINE)
    first = told()
    (tmp_path / "mine.py").write_text(MINE)
    assert told() == first
    assert told() != first  # the edited file is what it now imports
