"""run.py as a user meets it: --help, --list, and one sentence for a mistake."""

import pickle

import pytest

from baselines.contract import NeedsPackage
from experiments.cache import RunStopped
from experiments.config import ConfigError
from experiments.datasets import DataError
from experiments.errors import sentence
from experiments.evaluation.methods import resolve
from experiments.files import CannotWrite
from experiments.run import room_of
from tests.commands import ROOT, python
from tests.experiments.conftest import chosen as hydra_composed
from tests.experiments.conftest import words

RUN = "experiment=xor100 profile=smoke"
COLON = "experiment=colon method=manifest_relieff"
#: A command line -> what its sentence names.
MISTAKES = {
    "experiment=xor10": "'xor100'",
    "experimnt=xor100": "'experiment'",
    "experiment=null": "--list",
    "": "experiment=NAME",
    "experiment=xor100 profile=slow": "smoke",
    "experiment=colon protocol.fewer_splits.nested=3": "+protocol.fewer_splits.nested=VALUE",
    f"{RUN} method=relif": "'relief'",
    f"{RUN} method=gini,anova": "'method=[gini,anova]'",
    f"{RUN} method=[0.5,0.5]": "method=NAME",
    f"{RUN} method=gini method.k=3": "'k'",
    f"{RUN} method=manifest method.percentile=500": "500",
    f"{RUN} method=anova method.scorers.anova=1": "method.scorers.anova",
    f"{COLON} +parameters.releiff.k=3": "releiff",
    f"{COLON} +parameters.relieff=3": "parameters.relieff",
    f"{COLON} +method.scorers.manifest_relieff.params.relief.k=3": "'relief'",
    f"{COLON} +method.scorers.manifest_relieff.grid.relieff=3": "grid.relieff",
    "experiment=select dataset=colon": "own table",
    "experiment=select dataset=colon dataset.path=a.csv": "'dataset.path'",
    f"{RUN} seeed=1": "'seed'",
    f"{RUN} seed=one": "seed",
    f"{RUN} seed=]": "seed=]",
    f"{RUN} xor100": "KEY=VALUE",
    f"{RUN} name=../../evil": "name",
    f"{RUN} workers=-1": "workers",
    f"{RUN} store=": "store",
    f"{RUN} data.max_gib={'9' * 400}": "data.max_gib",
    "experiment=colon dataset=openml": "dataset.id=NUMBER",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_sentence_that_names_what_is_valid(line):
    told = said_of(*words(line))
    assert "\n" not in told
    assert MISTAKES[line] in told


def said_of(*overrides):
    """The sentence on a wrong command; the error is of Hydra, PyYAML or ours."""
    try:
        config = hydra_composed(*overrides)
        room_of(config).validate(config)
        resolve(config)
    except Exception as error:
        return sentence(error) or ""
    pytest.fail("it is not refused")


def test_a_fault_of_the_program_is_no_sentence():
    assert sentence(ValueError("a fault")) is None
    full, absent = OSError(28, "No space left"), OSError(17, "File exists")
    assert "free some space" in (sentence(CannotWrite("x", full)) or "")
    assert "free some space" in (sentence(full) or "")
    assert "space" not in (sentence(CannotWrite("x", absent)) or "space")
    assert "folder" in (sentence(FileNotFoundError(2, "No such file or directory")) or "")
    missing = sentence(FileNotFoundError(2, "No such file or directory", "a.csv"))
    assert "a.csv" in (missing or "")
    assert "write" not in (missing or "write")


def test_no_sign_of_a_name_is_obeyed_by_a_terminal():
    signs = "\x1b\x9b\x00\x7f\u202e\u2066\u200f\u061c\u2028"
    told = sentence(ConfigError(f"a{signs}b\n"))
    assert told == "a" + "".join(repr(sign)[1:-1] for sign in signs) + "b\n"


@pytest.mark.parametrize("error", [
    CannotWrite("x", OSError(28, "No space left")), NeedsPackage("it", "jax", "neural"),
    ConfigError("a"), DataError("b"), RunStopped("c"),
])  # fmt: skip
def test_an_error_reaches_another_process_as_it_is(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (type(error), str(error))


@pytest.mark.parametrize(("file", "content", "override", "named"), [
    ("dataset/mine.yaml", "name: x\n label: y\n", "dataset=mine", "line 2"),
    ("method/mine.yaml", "mine:\n  call: m:f\n", "method=[gini,mine]", "'mine'"),
])  # fmt: skip
def test_a_mistake_in_a_config_file_is_named(tmp_path, file, content, override, named):
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_text(content, encoding="utf-8")
    searched = f"hydra.searchpath=[file://{tmp_path}]"
    assert named in said_of("experiment=colon", searched, override)


def test_the_command_ends_with_that_sentence_and_status_1(tmp_path):
    run = [f"hydra.run.dir={tmp_path / 'run'}", f"store={tmp_path / 'store'}", "draw=false"]
    for given in ("experiment=xor10", f"{RUN} workers=0", "--experimental-rerun=x", "--resolve"):
        left = python("run.py", *words(given), *run)
        (line,) = left.stderr.strip().splitlines()
        assert (left.returncode, line[:8]) == (1, "run.py: ")
    left = python("run.py", *words(RUN), "method=anova", *run)
    assert left.returncode == 0, left.stderr
    assert f"results {tmp_path / 'run'}" in left.stdout


def test_help_and_list_fit_a_terminal_and_name_all_choices():
    lines = python("run.py", "--help").stdout.splitlines()
    assert any("experiment=xor100" in line for line in lines)
    for group in ("experiment", "dataset", "method", "profile"):
        choice = [] if group == "experiment" else [f"{group}s"]
        listed = python("run.py", "--list", *choice).stdout.splitlines()
        named = {line.split()[0] for line in listed if len(line.split()) > 1}
        assert {path.stem for path in (ROOT / "configs" / group).glob("*.yaml")} <= named
        lines += listed
    assert max(map(len, lines)) <= 80
