"""The command line of ``run.py``: its help, and arguments in the form that Hydra reads."""

import re
import sys
import textwrap
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from experiments.config import (
    CONFIGS,
    MANY,
    PROFILES,
    TOPICS,
    ConfigError,
    about,
    choice_of,
    command_of,
    is_plain_name,
    one_of,
    topic_of,
)
from experiments.system import memory_limit, program

#: Group of configs -> its heading in the list, below the experiments.
GROUPS = {
    "method": "Methods (method=NAME or method=NAME,NAME)",
    "dataset": "Data sets (dataset=NAME), if it is not the experiment's own",
    "profile": "Profiles (profile=NAME)",
}
#: Columns of a terminal that the help and the list fit into.
WIDTH = 80

HELP = """\
ManiFeSt: feature selection for few samples, on your table or as in the paper.

Start
  python run.py experiment=select dataset.path=my.csv dataset.target=COLUMN
                      your own table: which features to keep, and how sure
  python run.py experiment=xor100
                      an experiment of the paper: table, figure, report
  python run.py --list
                      all experiments, methods, data sets and profiles

Choose
  profile=smoke|fast|paper   seconds to try it, minutes (default), hours
  method=manifest,relieff    methods to compare
  dataset=NAME               another data set
  method.KEY=VALUE           fix a parameter; without it several are tried

Control
  workers=N           processes; results are the same for any number
  seed=N              the random seed
  store=FOLDER        cache of finished work; start a killed run again to resume
  refresh=true        compute again
  data.home=FOLDER    folder of data sets; without it they are downloaded

More
  python run.py experiment=NAME --cfg job     all settings, without a run
  python run.py -m experiment=xor100 method=manifest method.scale_factor=0.1,0.5
                      a sweep: a comma makes one job for each value
  Lists need brackets and quotes: 'dataset.drop=[age,batch]'
  README.md           when to use ManiFeSt, did the paper hold, BibTeX
  docs/faq.md         questions; for others open an issue in this repository
"""

#: MiB of address space that the libraries need to load.
LEAST_MEMORY = 1024

#: The folder of the experiments' settings in the profile many.
WITH_MANY = f"experiment/{MANY}"

#: Hydra's flags of a sweep.
MULTIRUN = {"-m", "--multirun"}
#: Hydra's long flags; those that a value follows come second.
FLAGS = {"help", "list", "hydra-help", "version", "resolve", "multirun", "run", "info"}
FLAGS |= {"cfg", "package", "config-path", "config-name", "config-dir", "shell-completion"}
FLAGS |= {"experimental-rerun"}

#: Former name of an experiment -> its arguments now. A name that ended in _many is a profile.
FORMER = {
    "xor100_embedded": "experiment=xor100 method=[stg,linear_stg,lassonet,manifest]",
    "hypercube_embedded": "experiment=hypercube method=[stg,linear_stg,lassonet,manifest]",
    "colon_gene_orders": "experiment=colon method=[ig_ross,manifest] protocol.readings=[paper] "
    "protocol.n_repetitions=20 protocol.order_splits=20",
    "gisette_1000": "experiment=gisette_rebuilt dataset.scaling=standard",
    "gisette_like": "experiment=gisette_rebuilt dataset.scaling=standard",
    "gisette_rebuilt_scaled": "experiment=gisette_rebuilt dataset.scaling=standard",
    "arena_combinations": "experiment=arena method=[manifest_relieff_regularized,"
    "manifest_regularized,relieff,anova,manifest_relieff_weighted,manifest_anova_weighted,"
    "rank_average,robust_rank_aggregation,manifest_pooled,manifest_greedy]",
}

#: Former name of a method -> its name now.
FORMER_METHODS = {"ig_sklearn": "ig_ross"}

#: Keys that hold one text, whatever signs are in it.
TEXTS = {
    f"dataset.{name}"
    for name in (
        *("path", "target", "labels", "labels_index", "features", "index", "groups", "sheet"),
        *("separator", "decimal", "thousands", "quote"),
        *("labels_sheet", "labels_separator", "labels_quote"),
    )
}
#: Keys that hold a list of texts.
LISTS = {f"dataset.{name}" for name in ("drop", "adjust", "numbers", "na")}
#: A sign that Hydra would not take for a part of a text.
SIGNS = re.compile(r"[^\w .*?%+@|/:$-]")
#: Texts that Hydra would take for a number or another value; the name of a column is a text.
VALUES = re.compile(r"[-+]?[\d._]+(e[-+]?\d+)?|true|false|[-+]?(inf|nan)", re.IGNORECASE)


def refuse_little_memory() -> None:
    """End the program if it may not have the memory that its libraries need.

    It is called before they are imported: OpenBLAS would try for memory without end.
    """
    limit = memory_limit()
    if limit is not None and limit >> 20 < LEAST_MEMORY:
        sys.exit(
            f"{program()}: this process may take {limit >> 20} MiB of memory and needs "
            f"{LEAST_MEMORY} MiB to begin with; raise the limit (ulimit -v)"
        )


def refuse_other_package() -> None:
    """End the program if the package `manifest` that Python finds is not this project's.

    It is called before that package is imported. Another project has a package of this name; pip
    installs both into one folder.
    """
    spec = find_spec("manifest")
    found = Path(spec.origin) if spec and spec.origin else None
    beside = CONFIGS.parent
    ours = beside.parent if beside.parent.name == "manifest" else beside / "manifest"
    if found and found.parent == ours and "ManiFeSt" in found.read_text(encoding="utf-8"):
        return
    others = {*metadata.packages_distributions().get("manifest", ())} - {"manifest-fs"}
    whose = ", ".join(sorted(others)) or "another project"
    sys.exit(
        f"{program()}: the package manifest in {found} is that of {whose}, not of manifest-fs; use "
        "an environment without it, and install manifest-fs anew"
    )


def list_text() -> str:
    """The text of ``--list``: a line for every experiment and every choice of a group."""
    experiments = _names("experiment")
    parts = []
    for topic, heading in TOPICS.items():
        names = [name for name in experiments if topic_of(name) == topic]
        lines = {name: about("experiment", name) for name in names}
        if topic == "beyond":
            exchanged = ", ".join(_names("experiment/exchanged"))
            lines["exchanged/NAME"] = f"the classes of ManiFeSt exchanged, on {exchanged}"
        parts.append(_listed(heading, lines))
    for group, heading in GROUPS.items():
        lines = {name: about(group, name) for name in _names(group)}
        if group == "profile":
            lines[MANY] = f"more repetitions than the paper's: {', '.join(_names(WITH_MANY))}"
        parts.append(_listed(heading, lines))
    return "\n".join(parts)


def _names(group):
    return sorted(path.stem for path in (CONFIGS / group).glob("*.yaml"))


def _listed(heading, lines):
    width = min(28, max(map(len, lines)))
    texts = [
        textwrap.fill(
            f"{name:<{width}}  {text}",
            WIDTH,
            initial_indent="  ",
            subsequent_indent=" " * (width + 4),
            break_on_hyphens=False,
        )
        for name, text in lines.items()
    ]
    return "\n".join([heading, *texts, ""])


def normalise_overrides(arguments: list[str]) -> list[str]:
    """Turn what a user may write into what Hydra reads.

    ``method=a,b`` is the list ``method=[a,b]`` in a single run; under multirun a comma makes a
    sweep, and it stays. ``profile=many`` takes an experiment's file in the folder ``many``. Hydra
    takes letters that are not ASCII only between quotes, and a path may have them; so may brackets
    and other signs stand in the path and the names of a table.

    ``-m`` comes first: Hydra's parser takes no flag between two values. ``dataset=null`` leaves
    the data set out, as in the files of experiments without one.

    Raises
    ------
    ConfigError
        If Hydra would explain an argument in its own terms, or take it in another sense.
    """
    _check_once(arguments)
    arguments = _with_many(arguments)
    spread = not MULTIRUN & set(arguments)
    overrides, before = [], ""
    for argument in arguments:
        name, equals, value = argument.partition("=")
        _check(name, equals, value, before)
        before = argument
        if name == "method" and spread and "," in value and "[" not in value:
            value = f"[{value}]"
        if spread and equals and name not in TEXTS:
            _check_list(name, value)
        if name == "dataset.order" and value.startswith("{"):
            name = "+dataset.order"  # Hydra takes no new key of an empty dict without a plus.
        if name in LISTS and spread and value != "null":
            value = _list_of_texts(value)
        is_text = spread and name in TEXTS and (SIGNS.search(value) or VALUES.fullmatch(value))
        is_quoted = re.fullmatch(r"""(['"]).*\1""", value, re.DOTALL)
        is_odd = is_text or (not value.isascii() and value[0] not in "[{")
        if is_odd and not is_quoted:
            escaped = value.replace("'", "\\'")
            value = f"'{escaped}'"
        overrides.append("~dataset" if argument == "dataset=null" else f"{name}{equals}{value}")
    return sorted(overrides, key=lambda override: override not in MULTIRUN)


def _list_of_texts(value: str) -> str:
    """A list of texts as Hydra reads it; brackets may be left out."""
    inner = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    items = re.findall(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]+)\s*(?:,|$)""", inner)
    quoted = [
        item if item[0] in "'\"" else "'" + item.strip().replace("'", "\\'") + "'" for item in items
    ]
    return f"[{','.join(quoted)}]"


def _with_many(arguments):
    """The arguments, in which ``profile=many`` is a choice of the experiment's file."""
    if f"profile={MANY}" not in arguments:
        return arguments
    chosen = []
    for argument in arguments:
        name, _, value = argument.partition("=")
        if name == "experiment":
            names = [
                one_of(each, _names(WITH_MANY), f"profile {MANY} of the experiment")
                for each in value.split(",")
            ]
            argument = "experiment=" + ",".join(f"{MANY}/{each}" for each in names)
        if argument != f"profile={MANY}":
            chosen.append(argument)
    return chosen


def _check_once(arguments):
    """Refuse two choices of a group: Hydra would take the last one without a word."""
    for group in ("experiment", *GROUPS):
        given = [argument for argument in arguments if argument.startswith(f"{group}=")]
        if len(given) < 2:
            continue
        names = ",".join(argument.partition("=")[2].strip("[]") for argument in given)
        if group == "method":
            raise ConfigError(f"{' and '.join(given)} are two choices; write method=[{names}]")
        raise ConfigError(
            f"{' and '.join(given)} are two runs; choose one, or run each: -m {group}={names}"
        )


def _check_list(name, value):
    """Refuse a list without brackets, and brackets or commas that do not fit."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", value)
    if "," in bare and not re.search(r"[\[({]", bare):
        is_choice = name in ("experiment", "dataset", "profile")
        hint = f"a run has one {name}" if is_choice else f"write '{name}=[{value}]'"
        raise ConfigError(f"{name}={value} is several values; {hint}, or -m for a job each")
    if any(bare.count(a) != bare.count(b) for a, b in ("[]", "{}", "()")):
        raise ConfigError(f"{name}={value} has a bracket too few; write '{name}=[A,B]'")
    if name == "method" and re.search(r"\w\s+\w", bare):  # The name of a column may have a space.
        raise ConfigError(f"{name}={value} has no comma between values; write '{name}=[A,B]'")


def _check(name, equals, value, before):
    if name.startswith("--") and name[2:] not in FLAGS:
        raise ConfigError(f"there is no flag {name}; write {name[2:]}={value or 'VALUE'} instead")
    if not equals and not name.startswith(("-", "~", "+")) and not before.startswith("-"):
        raise ConfigError(f"{name!r} is no KEY=VALUE; write experiment={name}, or see --help")
    if name == "method" and value != "[]" and "" in value.strip("[]").split(","):
        raise ConfigError(f"method={value} has an empty name; write method=NAME,NAME")
    if name == "method" and (former := FORMER_METHODS.keys() & re.findall(r"\w+", value)):
        raise ConfigError("; ".join(f"{each} is now {FORMER_METHODS[each]}" for each in former))
    if name == "profile" and re.fullmatch(r"[\w,]*", value):
        for each in value.split(","):
            one_of(each, (*PROFILES, MANY), "profile")
        if MANY in value.split(","):
            raise ConfigError(f"profile={MANY} is run by itself, not in a list; got {value}")
    if name in ("experiment", "method", "profile") and value == "null":
        raise ConfigError(f"{name}=null chooses nothing; name one, see --list")
    if name == "experiment" and (value in FORMER or choice_of(value) != value):
        raise ConfigError(f"{value} is now {FORMER.get(value) or command_of(value)}")
    if name == "name" and not is_plain_name(value):
        raise ConfigError(f"name must be letters, digits, '.', '_' and '-' alone, got {value!r}")
