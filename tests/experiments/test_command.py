"""run.py as a user meets it: --help, typos, values out of range, lists of methods, sweeps."""

import json
import tomllib

import pandas as pd
import pytest

import manifest
from experiments.command_line import normalise_overrides
from experiments.config import ConfigError
from experiments.errors import user_message
from experiments.evaluation.method_config import resolve
from tests.experiments.conftest import chosen as hydra_composed
from tests.experiments.conftest import words
from tests.forks import ROOT, forked

#: A run in seconds, and one of a list of methods.
RUN = "experiment=xor100 profile=smoke"
XOR = words(RUN)
TWO = f"{RUN} method=gini,anova name=mine"


def arguments_in(folder, *given):
    """The arguments of a run without figures, whose outputs lie in a folder."""
    flags = [argument for argument in given if argument.startswith("-")]
    places = [f"hydra.{name}.dir={folder / name}" for name in ("run", "sweep")]
    places += [f"store={folder / 'store'}", "workers=0", "draw=false"]
    return [*flags, *places, *given[len(flags) :]]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """The folder of a run, and what commands and the first mistakes leave, by their lines."""
    folder = tmp_path_factory.mktemp("commands")
    lines = ["--help", "--list", "--version", TWO, *FIRST]
    return folder, dict(zip(lines, left_by(folder, lines), strict=True))


def left_by(folder, lines):
    """The results of commands, one after another."""
    return [forked("run.py", *arguments_in(folder, *words(line))) for line in lines]


def test_help_is_one_screen_with_four_headings(ended):
    lines = ended[1]["--help"].stdout.splitlines()
    assert len(lines) <= 36
    assert all(len(line) <= 80 for line in lines)
    assert len([line for line in lines[1:] if line and line[0] != " "]) == 4


def test_the_list_says_what_each_choice_is(ended):
    lines = ended[1]["--list"].stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    for group in ("dataset", "experiment", "method", "profile"):
        for path in (ROOT / "configs" / group).glob("*.yaml"):
            about = [x.split(maxsplit=1) for x in lines if x.startswith(f"  {path.stem} ")]
            assert any(len(words) == 2 for words in about), f"{path} does not say what it is"


def test_the_version_is_the_projects(ended):
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ended[1]["--version"].stdout.split() == [declared["name"], declared["version"]]
    assert manifest.__version__ == declared["version"]


MISTAKES = {
    "experiment=xor10": "no experiment 'xor10'; did you mean 'xor100'? (python run.py --list",
    f"{RUN} method=relif": "no method 'relif'; did you mean 'relief'? (python run.py --list",
    f"{XOR[0]} profile=slow": "no profile 'slow'. Valid: smoke, fast, paper, many",
    f"{RUN} seeed=1": "no key 'seeed'; did you mean 'seed'?",
    "experiment=colon protocol.fewer_splits.nested=3": "which is empty; a plus before it adds "
    "one: +protocol.fewer_splits.nested=VALUE",
    f"{RUN} method.percntile=1": "did you mean 'percentile'?",
    f"{RUN} seed=one": "seed: Value 'one' of type 'str' could not be converted to Integer",
    "experiment=colon_many": "colon_many is now experiment=colon profile=many",
    "experiment=gisette_1000": "is now experiment=gisette_rebuilt dataset.scaling=standard",
    "experiment=xor100_embedded": "is now experiment=xor100 method=[stg,linear_stg,lassonet",
    f"{RUN} method=[manifest,ig_sklearn]": "ig_sklearn is now ig_ross",
    "experiment=toy profile=many": "no profile many of the experiment 'toy'. Valid: colon",
    "experiment=toy profile=paper,many": "profile=many is run by itself, not in a list",
    f"{RUN} experiment=toy": "two runs; choose one, or run each: -m experiment=xor100,toy",
    "experiment=colon,xor100": "several values; a run has one experiment",
    f"{RUN} dataset.drop=a,b": "several values; write 'dataset.drop=[a,b]'",
    f"{RUN} dataset.drop=[a,b": "has a bracket too few",
    f"{RUN} 'method=[anova gini]'": "has no comma between values",
    f"{RUN} seed=]": "has a bracket too few",
    "xor100": "'xor100' is no KEY=VALUE; write experiment=xor100",
    "--experiment xor100": "no flag --experiment; write experiment=VALUE instead",
    f"{RUN} method=manifest,,relieff": "an empty name; write method=NAME,NAME",
    f"{RUN} name=../../evil": "name must be letters, digits",
    f"{RUN} hydra.run.dir=/proc/nope": "cannot write /proc/nope: no such file or directory",
    f"{RUN} dataset=colon": "known of generated samples alone; choose dataset=expression_like",
    f"{RUN} workers=-1": "workers must be at least 0, got -1",
    f"{RUN} method=manifest method.percentile=500": "lie in [0, 100], got 500",
    f"{RUN} figure=pie": "no figure 'pie'. Valid: arena",
    "": "no experiment is chosen; run with experiment=NAME",
    f"{RUN} store=": "store= is empty",
    "experiment=null": "experiment=null chooses nothing",
    f"{RUN} +sed=1": "no key 'sed'; did you mean 'seed'",
    f"{RUN} +protocol.n_repetition=9": "'protocol.n_repetition'; did you mean 'n_repetitions'",
    f"{RUN} method=gini method.k=3": "no chosen method has a parameter 'k'",
    f"-m {RUN} method=glob(nobody*)": "method=glob(nobody*) matches nothing",
    f"-m {RUN} method=relieff method.k=interval(1,5)": "add hydra/sweeper=search",
}
#: A few of them, one of each kind, are in every run of the tests.
FIRST, REST = list(MISTAKES)[:5], list(MISTAKES)[5:]


def check(left, mistake):
    assert left.returncode == 1, mistake
    (line,) = left.stderr.strip().splitlines()
    assert line.startswith("run.py: "), mistake
    assert MISTAKES[mistake] in line, mistake


def test_a_mistake_ends_with_one_sentence_and_the_valid_choices(ended):
    for mistake in FIRST:
        check(ended[1][mistake], mistake)


@pytest.mark.slow
def test_every_mistake_ends_with_one_sentence_and_the_valid_choices(tmp_path):
    for mistake, left in zip(REST, left_by(tmp_path, REST), strict=True):
        check(left, mistake)


def test_a_mistake_in_a_config_file_is_named_with_its_file(tmp_path):
    table = "defaults: [file]\npath: my.csv\n"
    for folder, content, message in (
        ("dataset", table + "taget: y\n", "dataset/mine: there is no key 'dataset.taget' in data"),
        ("dataset", "name: x\n label: y\n", "mine.yaml, line 2, column 7: no YAML (mapping values"),
        (
            "method",
            "mine:\n  call: m:f\n",
            "parameter 'mine'; a file of configs/method has its methods below",
        ),
    ):
        path = tmp_path / folder / "mine.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        chosen = ["experiment=colon", f"hydra.searchpath=[file://{tmp_path}]", f"{folder}=mine"]
        if folder == "method":
            chosen[-1] = "method=[gini,mine]"
        with pytest.raises(Exception) as caught:  # noqa: PT011 - of Hydra, PyYAML, or ours
            resolve(hydra_composed(*chosen))
        assert message in str(user_message(caught.value))
        path.unlink()


def test_a_data_set_can_be_left_out_and_the_flag_of_a_sweep_stands_anywhere():
    given = ["experiment=propositions", "dataset=null", "-m", "seed=0,1"]
    assert normalise_overrides(given) == ["-m", "experiment=propositions", "~dataset", "seed=0,1"]


def test_two_choices_of_a_group_are_refused():
    for given, expected in {
        ("method=anova", "method=[gini,ig]"): r"write method=\[anova,gini,ig\]",
        ("profile=paper", "profile=smoke"): "or run each: -m profile=paper,smoke",
        ("profile=paper", "profile=many"): "profile=paper and profile=many are two runs",
        ("dataset=wine", "dataset=colon"): "choose one, or run each: -m dataset=wine,colon",
    }.items():
        with pytest.raises(ConfigError, match=expected):
            normalise_overrides(["experiment=colon", *given])


def test_a_list_of_methods_runs_them_in_one_table_and_the_run_keeps_its_arguments(ended):
    """No folders and no workers are kept: no number depends on them."""
    folder, answers = ended
    answer = answers[TWO]
    assert answer.returncode == 0, answer.stderr
    summary = pd.read_csv(folder / "run" / "summary.csv")
    assert list(summary["method"]) == ["gini", "anova"]
    assert str(folder / "run") in answer.stdout
    assert "xor, SYNTHETIC" in answer.stdout
    record = json.loads((folder / "run" / "provenance.json").read_text())
    assert record["overrides"] == [*XOR, "method=[gini,anova]", "name=mine"]


def test_signs_and_names_of_a_table_reach_it_as_they_are():
    given = ["dataset.thousands='", "dataset.target='a b'", 'dataset.groups=b"c']
    made = [r"dataset.thousands='\''", "dataset.target='a b'", "dataset.groups='b\"c'"]
    assert normalise_overrides(given) == made
    order = "dataset.order={stage: [I, II]}"
    assert normalise_overrides([order]) == [f"+{order}"]


def test_the_profile_many_is_a_file_of_the_experiment():
    given = ["-m", "experiment=colon,xor100", "profile=many", "workers=2"]
    made = ["-m", "experiment=many/colon,many/xor100", "workers=2"]
    assert normalise_overrides(given) == made
