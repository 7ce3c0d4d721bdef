"""The command line of ``run.py``: its help, and arguments in the form that Hydra reads."""

import re

from experiments.config import CONFIGS, ConfigError, about, is_plain_name

#: Group of configs -> its heading.
GROUPS = {
    "experiment": "Experiments (experiment=NAME)",
    "method": "Methods (method=NAME or method=NAME,NAME)",
    "dataset": "Data sets (dataset=NAME), where another than the experiment's own is wanted",
    "profile": "Profiles (profile=NAME)",
}

HEAD = """\
Run one experiment: python run.py experiment=NAME [profile=NAME] [KEY=VALUE ...]
Your own table:     python run.py experiment=select dataset.path=my.csv dataset.target=COLUMN
"""

FOOT = """\
Keys that every experiment has
  workers=N           processes; the results are the same for any number (0: none but the run's own)
  seed=N              another draw of everything random
  store=FOLDER        where finished units are kept; a run that was killed goes on at its next start
  refresh=true        compute units again that are stored
  data.home=FOLDER    where data sets lie; without it they are fetched
  method.KEY=VALUE    a parameter of every chosen method that has it, in place of its grid

Examples
  python run.py experiment=xor100 profile=paper
  python run.py experiment=colon data.home=FOLDER method=manifest,relieff
  python run.py -m experiment=xor100 method=manifest method.scale_factor=0.05,0.1,0.5,1
  python run.py -m 'experiment=glob(*)' profile=smoke hydra/launcher=joblib

The whole config of a run, without running it: python run.py experiment=NAME --cfg job
"""

#: Hydra's long flags; those that a value follows come second.
FLAGS = {"help", "hydra-help", "version", "resolve", "multirun", "run", "info"}
FLAGS |= {"cfg", "package", "config-path", "config-name", "config-dir", "shell-completion"}
FLAGS |= {"experimental-rerun"}

#: Keys that hold one text, whatever signs are in it.
TEXTS = {
    f"dataset.{name}"
    for name in ("path", "target", "labels", "features", "index", "separator", "decimal", "quote")
}


def help_text() -> str:
    """The text of ``--help``: a line for every choice of :data:`GROUPS`; 100 columns."""
    parts = [HEAD]
    for group, heading in GROUPS.items():
        names = sorted(path.stem for path in (CONFIGS / group).glob("*.yaml"))
        width = max(map(len, names))
        lines = [f"  {name:<{width}}  {about(group, name)}" for name in names]
        parts.append("\n".join([heading, *lines, ""]))
    return "\n".join([*parts, FOOT])


def normalise_overrides(arguments: list[str]) -> list[str]:
    """Turn what a user may write into what Hydra reads.

    ``method=a,b`` is the list ``method=[a,b]`` in a single run; under multirun a comma makes a
    sweep, and it stays. ``store.refresh`` is the key ``refresh``: ``store`` itself is a path. Hydra
    takes letters that are not ASCII only between quotes, and a path may have them; so may brackets
    and other signs stand in the path and the names of a table.

    Raises
    ------
    ConfigError
        If Hydra would explain an argument in its own terms, or take it in another sense.
    """
    spread = not {"-m", "--multirun"} & set(arguments)
    overrides, before = [], ""
    for argument in arguments:
        name, equals, value = argument.partition("=")
        _check(name, equals, value, before)
        before = argument
        if name == "method" and spread and "," in value and "[" not in value:
            value = f"[{value}]"
        if name == "store.refresh":
            name = "refresh"
        is_text = spread and name in TEXTS and re.search(r"[^\w .*?%+@|/:$-]", value)
        if (is_text or not value.isascii()) and value[0] not in ("'\"" if is_text else "'\"[{"):
            escaped = value.replace("'", "\\'")
            value = f"'{escaped}'"
        overrides.append(f"{name}{equals}{value}")
    return overrides


def _check(name, equals, value, before):
    if name.startswith("--") and name[2:] not in FLAGS:
        raise ConfigError(f"there is no flag {name}; write {name[2:]}={value or 'VALUE'} instead")
    if not equals and not name.startswith(("-", "~", "+")) and not before.startswith("-"):
        raise ConfigError(f"{name!r} is no KEY=VALUE; write experiment={name}, or see --help")
    if name == "method" and value != "[]" and "" in value.strip("[]").split(","):
        raise ConfigError(f"method={value} has an empty name; write method=NAME,NAME")
    if name == "name" and not is_plain_name(value):
        raise ConfigError(f"name must be letters, digits, '.', '_' and '-' alone, got {value!r}")
