"""run.py as a user meets it: --help, typos, values out of range, lists of methods, sweeps."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import manifest
from experiments.command_line import normalise_overrides
from experiments.config import ConfigError

ROOT = Path(__file__).resolve().parents[2]
XOR = ["experiment=xor100", "profile=smoke"]
#: Runs run.py once for each list of arguments, in forks of one process that has imported all.
FORKS = """
import json, os, runpy, sys
import hydra, experiments.errors, experiments.runner

folder, commands = json.load(sys.stdin)
for number, arguments in enumerate(commands):
    if os.fork() == 0:
        for stream in (1, 2):
            os.dup2(os.open(f"{folder}/{number}.{stream}", os.O_CREAT | os.O_WRONLY), stream)
        sys.argv = ["run.py", *arguments]
        runpy.run_path("run.py", run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def arguments_in(folder, *given):
    """The arguments of a run without figures, whose outputs lie in a folder."""
    flags = [argument for argument in given if argument.startswith("-")]
    places = [f"hydra.{name}.dir={folder / name}" for name in ("run", "sweep")]
    places += [f"store={folder / 'store'}", "workers=0", "draw=false"]
    return [*flags, *places, *given[len(flags) :]]


@pytest.fixture
def command(tmp_path):
    """Run run.py in the repository with its outputs in a temporary folder."""

    def finished(*given):
        return subprocess.run(
            [sys.executable, "run.py", *arguments_in(tmp_path, *given)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return finished


def test_help_is_one_screen_with_four_headings(command):
    lines = command("--help").stdout.splitlines()
    assert len(lines) <= 36
    assert all(len(line) <= 80 for line in lines)
    assert len([line for line in lines[1:] if line and line[0] != " "]) == 4


def test_the_list_says_what_each_choice_is(command):
    lines = command("--list").stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    for group in ("dataset", "experiment", "method", "profile"):
        for path in (ROOT / "configs" / group).glob("*.yaml"):
            about = [x.split(maxsplit=1) for x in lines if x.startswith(f"  {path.stem} ")]
            assert any(len(words) == 2 for words in about), f"{path} does not say what it is"


def test_the_version_is_the_projects(command):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert command("--version").stdout.split() == [declared["name"], declared["version"]]
    assert manifest.__version__ == declared["version"]


MISTAKES = [
    (
        ["experiment=xor10"],
        "no experiment 'xor10'; did you mean 'xor100'? (python run.py --list",
    ),
    (
        [*XOR, "method=relif"],
        "no method 'relif'; did you mean 'relief'? (python run.py --list",
    ),
    ([XOR[0], "profile=slow"], "no profile 'slow'. Valid: smoke, fast, paper, many"),
    ([*XOR, "seeed=1"], "no key 'seeed'; did you mean 'seed'?"),
    (
        ["experiment=colon", "protocol.fewer_splits.nested=3"],
        "which is empty; a plus before it adds one: +protocol.fewer_splits.nested=VALUE",
    ),
    ([*XOR, "method.percntile=1"], "did you mean 'percentile'?"),
    ([*XOR, "seed=one"], "seed: Value 'one' of type 'str' could not be converted to Integer"),
    (["experiment=colon_many"], "colon_many is now experiment=colon profile=many"),
    (["experiment=gisette_1000"], "gisette_1000 is now experiment=gisette_rebuilt_scaled"),
    (
        ["experiment=xor100_embedded"],
        "is now experiment=xor100 method=[stg,linear_stg,lassonet",
    ),
    ([*XOR, "method=[manifest,ig_sklearn]"], "ig_sklearn is now ig_ross"),
    (
        ["experiment=toy", "profile=many"],
        "no profile many of the experiment 'toy'. Valid: colon",
    ),
    (["experiment=toy", "profile=paper,many"], "profile=many is run by itself, not in a list"),
    ([*XOR, "experiment=toy"], "are two runs; choose one, or run each: -m experiment=xor100,toy"),
    (["experiment=colon,xor100"], "several values; a run has one experiment"),
    ([*XOR, "dataset.drop=a,b"], "several values; write 'dataset.drop=[a,b]'"),
    ([*XOR, "dataset.drop=[a,b"], "has a bracket too few"),
    ([*XOR, "method=[anova gini]"], "has no comma between values"),
    ([*XOR, "seed=]"], "has a bracket too few"),
    (["xor100"], "'xor100' is no KEY=VALUE; write experiment=xor100"),
    (["--experiment", "xor100"], "no flag --experiment; write experiment=VALUE instead"),
    ([*XOR, "method=manifest,,relieff"], "an empty name; write method=NAME,NAME"),
    ([*XOR, "name=../../evil"], "name must be letters, digits"),
    ([*XOR, "hydra.run.dir=/proc/nope"], "cannot write /proc/nope: no such file or directory"),
    (
        [*XOR, "dataset=colon"],
        "known of generated samples alone; choose dataset=expression_like",
    ),
    ([*XOR, "workers=-1"], "workers must be at least 0, got -1"),
    ([*XOR, "method=manifest", "method.percentile=500"], "lie in [0, 100], got 500"),
    ([*XOR, "figure=pie"], "no figure 'pie'. Valid: arena"),
    ([], "no experiment is chosen; run with experiment=NAME"),
]


@pytest.mark.parametrize(
    "mistakes", [MISTAKES[:8], pytest.param(MISTAKES[8:], marks=pytest.mark.slow)]
)
def test_a_mistake_ends_with_one_sentence_and_the_valid_choices(tmp_path, mistakes):
    commands = [arguments_in(tmp_path, *arguments) for arguments, _ in mistakes]
    answer = subprocess.run(
        [sys.executable, "-c", FORKS],
        input=json.dumps([str(tmp_path), commands]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert answer.stdout.split() == ["1"] * len(mistakes)
    for number, (arguments, expected) in enumerate(mistakes):
        (line,) = (tmp_path / f"{number}.2").read_text().strip().splitlines()
        assert line.startswith("run.py: "), arguments
        assert expected in line, arguments


def test_two_choices_of_a_group_are_refused():
    for given, expected in {
        ("method=anova", "method=[gini,ig]"): r"write method=\[anova,gini,ig\]",
        ("profile=paper", "profile=smoke"): "or run each: -m profile=paper,smoke",
        ("profile=paper", "profile=many"): "profile=paper and profile=many are two runs",
        ("dataset=wine", "dataset=colon"): "choose one, or run each: -m dataset=wine,colon",
    }.items():
        with pytest.raises(ConfigError, match=expected):
            normalise_overrides(["experiment=colon", *given])


def test_a_list_of_methods_runs_them_in_one_table(command, tmp_path):
    answer = command(*XOR, "method=gini,anova")
    assert answer.returncode == 0, answer.stderr
    summary = pd.read_csv(tmp_path / "run" / "summary.csv")
    assert list(summary["method"]) == ["gini", "anova"]
    assert str(tmp_path / "run") in answer.stdout
    assert "xor, SYNTHETIC" in answer.stdout


def test_the_profile_many_is_a_file_of_the_experiment():
    given = ["-m", "experiment=colon,xor100", "profile=many", "workers=2"]
    made = ["-m", "experiment=many/colon,many/xor100", "workers=2"]
    assert normalise_overrides(given) == made


def test_a_run_keeps_the_arguments_that_compose_its_config(command, tmp_path):
    """They have neither folders nor workers, on which no number depends."""
    assert command(*XOR, "method=gini,anova", "name=mine").returncode == 0
    record = json.loads((tmp_path / "run" / "provenance.json").read_text())
    assert record["overrides"] == [*XOR, "method=[gini,anova]", "name=mine"]
