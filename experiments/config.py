"""The schema of a composed config, and one sentence for a user whose config does not fit it."""

import difflib
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
PROFILES = ("smoke", "fast", "paper")
SCALINGS = ("none", "standard", "ternary")

#: Topic of an experiment -> its heading in `run.py --list`.
TOPICS = {
    "paper": "Experiments of the paper: figure, time on two cores with profile=paper",
    "beyond": "Beyond the paper",
    "filters": "Compare filters",
    "own": "Your own table",
}

#: The longest name of a job's folder, in characters; a file system allows 255 bytes.
LONGEST = 120
#: Choices that a sentence lists; a table of a user's may have thousands of columns.
LISTED = 20
#: Choices that are named after a suggestion, too.
FEW = 8


def visible(text: str) -> str:
    """The text with its control characters written out, so that no terminal obeys them."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda sign: repr(sign[0])[1:-1], text)


class Formatter(logging.Formatter):
    """The formatter of all logs: names and labels of a user's table may hold escape codes."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record without control characters."""
        return visible(super().format(record))


class ConfigError(ValueError):
    """A config that cannot be run; its text is one sentence with the valid choices."""


@dataclass
class ProfileConfig:
    """The amount of work: seconds, minutes, or the published numbers."""

    name: str = "fast"


@dataclass
class DatasetConfig:
    """The source of samples, and their scaling by the training part."""

    name: str = ""
    scaling: str = "none"
    #: Arguments of a generator; those that are null keep their defaults.
    params: dict[str, Any] = field(default_factory=dict)
    path: str | None = None
    target: str | None = None
    #: At most this many samples, in which classes keep their shares, and features, at random.
    max_samples: int | None = None
    max_features: int | None = None


@dataclass
class TableConfig(DatasetConfig):
    """A table of the user's, and the options by which it is read."""

    name: str = "table"
    #: The sign between columns: comma, semicolon or tab; detected if it is null.
    sep: str | None = None
    #: The signs of numbers: a point, or a comma; and a sign between thousands.
    decimal: str | None = None
    thousands: str | None = None
    #: Texts that are missing values beside the empty one and those that pandas knows.
    na: list[str] = field(default_factory=list)
    #: The encoding of a text file without a mark; UTF-8 if it is null.
    encoding: str | None = None
    #: The column of row names; auto takes a first one that is called so, null says there is none.
    index: str | None = "auto"
    #: Columns that are neither features nor classes.
    drop: list[str] = field(default_factory=list)
    #: Columns of text that become a feature for each value, one if there are two values.
    onehot: list[str] = field(default_factory=list)
    #: Of a workbook with more than one sheet.
    sheet: str | None = None
    #: True if features stand in rows and samples in columns.
    transpose: bool = False
    #: A second table with classes, groups or covariates, joined by row names.
    labels: str | None = None
    #: The column of samples that belong together; auto refuses row names that repeat, null says
    #: that samples are independent.
    groups: str | None = "auto"
    #: Covariates, which are no features.
    adjust: list[str] = field(default_factory=list)
    #: A function of the values of each sample: log1p, log2 or rank.
    transform: str | None = None
    #: What becomes of missing values: median or drop; null refuses them.
    missing: str | None = None


@dataclass
class DataConfig:
    """The folders of data, and limits for reading them."""

    #: Folder with local files.
    home: str | None = None
    #: Folder of parsed data.
    cache: str | None = None
    #: GiB of a file, on disk and unpacked.
    max_gib: float = 4.0
    #: Seconds for a download.
    timeout: float = 900.0


@dataclass
class ScorerConfig:
    """One method: a scorer, or a sum of several, and the grid of its own parameters."""

    #: The method's name in tables and figures.
    label: str = ""
    #: A filter's name, or "package.module:function".
    call: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)
    #: Name of a part -> what would be its call; the parts' normalised scores are added.
    combine: dict[str, str] = field(default_factory=dict)
    #: Name of a part -> its grid; the part is tuned alone, before the sum is.
    tune_first: dict[str, Any] = field(default_factory=dict)
    #: Colour in figures, as Matplotlib calls it; figures choose one if it is null.
    color: str | None = None
    #: The method that this one is a variant of: figures show that method alone, tables both.
    form_of: str | None = None


@dataclass
class ProtocolConfig:
    """The evaluation of a ranking."""

    kind: str = ""
    #: How many draws, or splits.
    n_repetitions: int = 1
    #: At most this many values of each tuning grid, evenly spread; all if null.
    grid_size: int | None = None


@dataclass
class Config:
    """A run: an experiment in a profile."""

    name: str = ""
    title: str = ""
    #: The heading under which `run.py --list` lists the experiment, a key of TOPICS.
    topic: str = ""
    #: One of experiments.report.figures, or a mapping of its name, its options and a caption.
    figure: Any = ""
    #: Whether the run draws its figures and writes its page. If it does not, scripts/figures.py
    #: FOLDER does both later.
    draw: bool = True
    seed: int = 0
    #: Processes; one per core if null. With 1 the run computes all tasks in its own process, which
    #: a debugger can follow.
    workers: int | None = None
    #: Address of a dask scheduler, tcp://HOST:PORT, whose workers compute the tasks.
    scheduler: str | None = None
    #: Folder in which the results of tasks are remembered, shared by all runs.
    store: str = "outputs/cache"
    #: Compute tasks again that are remembered, and replace them.
    refresh: bool = False
    #: Replace another run in the same folder.
    overwrite: bool = False
    profile: ProfileConfig = field(default_factory=ProfileConfig)
    data: DataConfig = field(default_factory=DataConfig)
    dataset: DatasetConfig = field(default_factory=DatasetConfig)
    protocol: ProtocolConfig = field(default_factory=ProtocolConfig)
    method: Any = field(default_factory=dict)
    #: What an experiment fixes for a method, by name: {manifest: {scale_factor: 0.1}}.
    parameters: dict[str, Any] = field(default_factory=dict)
    #: The paper's own settings, by dotted key: {protocol.inner_folds: 10}. A run says in
    #: differences.txt which of them are others here.
    published: dict[str, Any] = field(default_factory=dict)


def register() -> None:
    """Make the schema of all runs and two resolvers known to Hydra.

    ``${by_profile:2,10,50}`` is the first, second or third value in the profiles smoke, fast and
    paper, which has the second one if there is no third.
    ``${folder_name:NUMBER,OVERRIDES}`` is the name of a job's folder.
    """

    def by_profile(smoke, *others, _root_):
        values = dict(zip(PROFILES, (smoke, others[0], others[-1]), strict=True))
        return values[one_of(_root_.profile.name, values, "profile")]

    OmegaConf.register_new_resolver("by_profile", by_profile, replace=True)
    OmegaConf.register_new_resolver("folder_name", folder_name, replace=True)
    store = ConfigStore.instance()
    store.store(name="schema", node=Config)
    store.store(group="dataset", name="table_schema", node=TableConfig)


def plain(node: Any) -> Any:
    """A config node as dicts and lists, with its interpolations resolved."""
    return OmegaConf.to_container(node, resolve=True)


def one_of(value, choices: Iterable[str], what: str) -> str:
    """Return the value if it is one of the choices, else raise a ConfigError that lists them."""
    choices = [str(choice) for choice in choices]
    if str(value) in choices:
        return str(value)
    raise ConfigError(f"there is no {what} {str(value)!r}{suggest(value, choices)}")


def suggest(value: object, choices: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the closest match, or the choices.

    A few choices are always named; without any, the end is empty.
    """
    choices = list(choices)
    if not choices:
        return ""
    near = difflib.get_close_matches(str(value), choices, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else "."
    if near and len(choices) > FEW:
        return guess
    more = f" and {len(choices) - LISTED} more" if len(choices) > LISTED else ""
    return f"{guess} Valid: {', '.join(choices[:LISTED])}{more}"


@cache
def entry_of(method: str) -> dict[str, Any]:
    """The entry of a method in configs/method, empty if there is none."""
    path = CONFIGS / "method" / f"{method}.yaml"
    config = plain(OmegaConf.load(path)) if path.is_file() else {}
    return (config.get("scorers") or {}).get(method) or {}


def about(group: str, name: str) -> str:
    """The line of a config that begins with ``#:`` and says what it is; empty without a line."""
    return _first(group, name, r"^#:(.*)$").rpartition("| ")[2]


def place_of(experiment: str) -> tuple[str, str]:
    """The figure or table of the paper that an experiment makes, and its time; "-" if none.

    They stand before the text of the line that :func:`about` reads: ``#: Fig. 4 | 90 min | ...``.
    """
    figure, *rest = _first("experiment", experiment, r"^#:(.*)$").split(" | ")
    return (figure, rest[0]) if len(rest) == 2 else ("-", "")


def in_order(experiments: Iterable[str]) -> list[str]:
    """Experiments in the paper's order: figures and tables, then the rest of it, then others."""

    def order(experiment):
        place = place_of(experiment)[0].replace("Table 1", "Fig. 8.5").removeprefix("-")
        number = re.search(r"Fig\. (\d+(?:\.5)?)", place)
        return float(number[1]) if number else 50.0 if place else 99.0, experiment

    return sorted(experiments, key=order)


def topic_of(experiment: str) -> str:
    """The topic that an experiment's file names; empty if it names none."""
    return _first("experiment", experiment, r"^topic:(.*)$")


def _first(group, name, pattern):
    path = CONFIGS / group / f"{name}.yaml"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    line = re.search(pattern, text, re.MULTILINE)
    return line[1].strip() if line else ""


def check_methods(config: DictConfig, names: Iterable[str], key: str, *others: str) -> None:
    """Raise a ConfigError unless each name is that of a method, chosen or not, or one of others."""
    entries = plain(config.method).get("scorers") or {}
    files = sorted(path.stem for path in (CONFIGS / "method").glob("*.yaml"))
    for name in names:
        one_of(name, dict.fromkeys([*others, *entries, *files]), f"method for {key},")


def at_least(config: DictConfig, key: str, least: float) -> None:
    """Raise a ConfigError if there is a value at the key and it is smaller."""
    value = OmegaConf.select(config, key)
    if value is not None and value < least:
        raise ConfigError(f"{key} must be at least {least}, got {value}")


def increasing(config: DictConfig, key: str) -> None:
    """Raise a ConfigError unless the key holds increasing numbers, at least one."""
    values = list(OmegaConf.select(config, key))
    if not values or sorted(set(values)) != values:
        raise ConfigError(f"{key} must be increasing numbers, got {values}")


def share(config: DictConfig, key: str) -> None:
    """Raise a ConfigError unless the key holds a number strictly between 0 and 1."""
    value = OmegaConf.select(config, key)
    if not 0 < value < 1:
        raise ConfigError(f"{key} must lie in (0, 1), got {value}")


def validate(config: DictConfig) -> None:
    """Raise a ConfigError if a value that all experiments have is out of range."""
    _check_keys(config)
    if not config.name:
        raise ConfigError("no experiment is chosen; run with experiment=NAME, see --help")
    if not is_plain_name(config.name):
        raise ConfigError(
            f"name must be letters, digits, '.', '_' and '-' alone, got {config.name!r}"
        )
    if not config.store:
        raise ConfigError("store= is empty, and this folder would fill with files; name a folder")
    one_of(config.profile.name, PROFILES, "profile")
    one_of(config.dataset.scaling, SCALINGS, "dataset.scaling")
    _check_table(config)
    for key, least in (
        ("seed", 0),
        ("dataset.max_samples", 4),
        ("dataset.max_features", 2),
        ("protocol.n_repetitions", 1),
        ("protocol.grid_size", 1),
        ("workers", 1),
    ):
        at_least(config, key, least)


def _check_keys(node, where=""):
    """Refuse a key that a plus has added to a node of a schema: nothing would read it."""
    valid = getattr(OmegaConf.get_type(node), "__dataclass_fields__", node)
    for key in node:
        if key not in valid:
            raise ConfigError(f"there is no key {f'{where}{key}'!r}{suggest(key, sorted(valid))}")
        if not OmegaConf.is_missing(node, key) and isinstance(node[key], DictConfig):
            _check_keys(node[key], f"{where}{key}.")


def _check_table(config):
    """Refuse a user's table that no kind reads, because the data set is another one."""
    name = config.dataset.name
    of_table = {key: config.dataset[key] for key in ("path", "target")} if name != "table" else {}
    if given := [f"dataset.{key}={value}" for key, value in of_table.items() if value is not None]:
        raise ConfigError(
            f"{' and '.join(given)} would have no effect with dataset={name or 'null'}; for a "
            "table of your own add dataset=table; a file in configs/dataset begins with "
            "defaults: [table] and has no name"
        )


def is_plain_name(text: str) -> bool:
    """True if a text can name a folder and leads nowhere else."""
    return re.fullmatch(r"\w[\w.-]*", text, flags=re.ASCII) is not None


def folder_name(number: int, overrides: str) -> str:
    """The name of a job's folder: its number and overrides, in characters that file systems take.

    >>> folder_name(7, "dataset.path=/data/a b.csv,method=[ig,manifest]")
    '007_dataset.path=_data_a_b.csv,method=ig,manifest'
    """
    plain = re.sub(r"[\[\]{}'\"]", "", overrides)
    plain = re.sub(r"[^\w.,=+-]", "_", plain, flags=re.ASCII)
    return f"{number:03d}_{plain}"[:LONGEST].rstrip(",_")
