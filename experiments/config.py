"""Define the schema of a composed config, and check a config against it."""

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

#: The families of methods: ManiFeSt's score as it stands beside others, its other forms, and its
#: sums with another score; then filters, scores of a learner, and rankings that know no labels.
FAMILIES = ("manifest", "form", "sum", "filter", "embedded", "control")
#: Keys of a method that no number depends on.
LOOKS = ("label", "family", "of_paper", "color", "form_of")

#: Most choices that a message lists; a user's table may have thousands of columns.
LISTED = 20


#: Signs that a terminal obeys: control characters, and those that turn the direction of text.
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """Return the text with the signs escaped that a terminal would obey."""
    return OBEYED.sub(lambda sign: repr(sign[0])[1:-1], text)


class Formatter(logging.Formatter):
    """The formatter of all logs; it escapes such signs in names from a user's table."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record without control characters."""
        return visible(super().format(record))


class ToldError(Exception):
    """Base of the errors that end a run with their message, without a traceback."""


class ConfigError(ToldError, ValueError):
    """Raised if a config cannot be run; the message is one sentence with the valid choices."""


@dataclass
class ProfileConfig:
    """The amount of work: seconds, minutes, or the published numbers."""

    name: str = "fast"


@dataclass
class DatasetConfig:
    """The source of samples, and their scaling by the training part."""

    name: str = ""
    scaling: str = "none"
    #: Arguments of a generator; null keeps the default.
    params: dict[str, Any] = field(default_factory=dict)
    #: At most this many random samples (classes keep their shares) and random features.
    max_samples: int | None = None
    max_features: int | None = None


@dataclass
class TableConfig(DatasetConfig):
    """A user's table, and the options for reading it."""

    name: str = "table"
    path: str | None = None
    #: In place of a path, the number of a data set on OpenML. With its version or MD5, no other
    #: file is taken.
    id: int | None = None
    version: int | None = None
    md5: str | None = None
    #: The column of classes.
    target: str | None = None
    #: The sign between columns: comma, semicolon or tab; null detects it.
    sep: str | None = None
    #: The signs of numbers: a point, or a comma; and a sign between thousands.
    decimal: str | None = None
    thousands: str | None = None
    #: Texts for missing values, in addition to the empty text and those that pandas knows.
    na: list[str] = field(default_factory=list)
    #: The encoding of a text file without a byte-order mark; null means UTF-8.
    encoding: str | None = None
    #: The column of row names; auto uses the first column if its name says so, null none.
    index: str | None = "auto"
    #: Columns that are neither features nor classes.
    drop: list[str] = field(default_factory=list)
    #: Columns of text that become a feature for each value, or one feature for two values.
    onehot: list[str] = field(default_factory=list)
    #: True if the first line has names, although they look like the values of a sample.
    header: bool = False
    #: The sheet of a workbook with more than one.
    sheet: str | None = None
    #: True if features are in rows and samples in columns.
    transpose: bool = False
    #: A second table with classes, groups or covariates, joined by row names.
    labels: str | None = None
    #: How to handle samples without a class, or not in the second table: drop; null reports them.
    unlabelled: str | None = None
    #: The column that says which samples belong together; auto rejects repeated row names, null
    #: means that samples are independent.
    groups: str | None = "auto"
    #: Columns that are covariates and not features.
    adjust: list[str] = field(default_factory=list)
    #: A transformation of the values of each sample: log1p, log2 or rank.
    transform: str | None = None
    #: How to handle missing values: median or drop; null reports them as errors.
    missing: str | None = None


@dataclass
class DataConfig:
    """The folders of data, and the limit for a user's table."""

    #: Folder with local files.
    home: str | None = None
    #: Folder of parsed data.
    cache: str | None = None
    #: Largest file of a user's table in GiB, on disk and unpacked.
    max_gib: float = 4.0


@dataclass
class ScorerConfig:
    """One method: a scorer, or a sum of several, and the grid of its own parameters."""

    #: The method's name in tables and figures.
    label: str = ""
    #: One of FAMILIES, by which figures sort and colour, and whether the paper has the method.
    family: str = "filter"
    of_paper: bool = False
    #: A filter's name, or "package.module:function".
    call: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)
    #: Name of a part -> its call; the normalised scores of the parts are added.
    combine: dict[str, str] = field(default_factory=dict)
    #: Name of a part -> its grid; the part is tuned alone, before the sum.
    tune_first: dict[str, Any] = field(default_factory=dict)
    #: True if the ranking gets shuffled labels, a control; the SVM keeps the true ones.
    blind: bool = False
    #: True if it selects nothing, but takes all features.
    takes_all: bool = False
    #: Colour in figures, as Matplotlib calls it; figures choose one if it is null.
    color: str | None = None
    #: The method of which this one is a variant: figures show only that method, tables both.
    form_of: str | None = None


@dataclass
class ProtocolConfig:
    """The evaluation of a ranking."""

    kind: str = ""
    #: Number of draws or splits.
    n_repetitions: int = 1
    #: At most this many values of each tuning grid, evenly spread; all if null.
    grid_size: int | None = None


@dataclass
class Config:
    """A run: an experiment in a profile."""

    name: str = ""
    title: str = ""
    #: The figure or table of the paper, and its place among them; its minutes on two cores with the
    #: profile paper; and a line about it.
    of_paper: str = ""
    place: float = 99
    minutes: float = 0
    about: str = ""
    #: One of experiments.report.figures, or a mapping of its name, its options and a caption.
    figure: Any = ""
    #: Methods that show what a result rests on: with shuffled labels, or the simplest that finds as
    #: much. The experiment's figure leaves them out, and a second one has them.
    controls: list[str] = field(default_factory=list)
    #: Whether the run draws its figures and writes its page; scripts/figures.py FOLDER can do
    #: both later.
    draw: bool = True
    seed: int = 0
    #: Number of processes; null means one per core. With 1, all tasks run in the process of the
    #: run, which helps debugging.
    workers: int | None = None
    #: Address of a dask scheduler, tcp://HOST:PORT, whose workers compute the tasks.
    scheduler: str | None = None
    #: Folder in which the results of tasks are stored, shared by all runs.
    store: str = "outputs/cache"
    profile: ProfileConfig = field(default_factory=ProfileConfig)
    data: DataConfig = field(default_factory=DataConfig)
    dataset: DatasetConfig = field(default_factory=DatasetConfig)
    protocol: ProtocolConfig = field(default_factory=ProtocolConfig)
    method: Any = field(default_factory=dict)
    #: Parameters that the experiment fixes, by method: {manifest: {scale_factor: 0.1}}.
    parameters: dict[str, Any] = field(default_factory=dict)


def register() -> None:
    """Register the schema of all runs and a resolver with Hydra.

    ``${by_profile:2,10,50}`` is the first, second or third value in the profiles smoke, fast and
    paper; without a third value, paper has the second.
    """

    def by_profile(smoke: Any, *others: Any, _root_: Any) -> Any:
        values = dict(zip(PROFILES, (smoke, others[0], others[-1]), strict=True))
        return values[one_of(_root_.profile.name, values, "profile")]

    OmegaConf.register_new_resolver("by_profile", by_profile, replace=True)
    store = ConfigStore.instance()
    store.store(name="schema", node=Config)
    store.store(group="dataset", name="table_schema", node=TableConfig)


def plain(node: Any, *, resolve: bool = True) -> Any:
    """Return a config node as dicts and lists, with its interpolations resolved, or as texts."""
    return OmegaConf.to_container(node, resolve=resolve)


def one_of(value: Any, choices: Iterable[str], what: str) -> str:
    """Return the value if it is one of the choices; otherwise raise a ConfigError."""
    choices = [str(choice) for choice in choices]
    if str(value) in choices:
        return str(value)
    raise ConfigError(f"there is no {what} {str(value)!r}{suggest(value, choices)}")


def suggest(value: object, choices: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the closest match and the choices."""
    choices = list(choices)
    near = difflib.get_close_matches(str(value), choices, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else "."
    more = f" and {len(choices) - LISTED} more" if len(choices) > LISTED else ""
    return f"{guess} Valid: {', '.join(choices[:LISTED]) or 'none'}{more}"


@cache
def entry_of(method: str) -> dict[str, Any]:
    """Return the entry of a method in its file, or in an experiment; empty if there is none."""
    path = CONFIGS / "method" / f"{method}.yaml"
    if path.is_file():
        return (plain(OmegaConf.load(path)).get("scorers") or {}).get(method) or {}
    for path in sorted((CONFIGS / "experiment").glob("*.yaml")):
        scorers = (experiment_file(path.stem).get("method") or {}).get("scorers") or {}
        if method in scorers:
            return scorers[method]
    return {}


def family_of(method: str) -> str:
    """Return the family of a method, one of FAMILIES."""
    return entry_of(method).get("family", ScorerConfig.family)


def is_own(method: str) -> bool:
    """Return True for ManiFeSt, its forms, and its sums with another score."""
    return family_of(method) in ("manifest", "form", "sum")


def about(group: str, name: str) -> str:
    """Return the line of a config that begins with ``#:`` and describes it; empty if none."""
    path = CONFIGS / group / f"{name}.yaml"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    line = re.search(r"^#:(.*)$", text, re.MULTILINE)
    return line[1].strip() if line else ""


@cache
def experiment_file(name: str) -> dict[str, Any]:
    """Return what the file of an experiment says itself, empty if there is none."""
    path = CONFIGS / "experiment" / f"{name}.yaml"
    return plain(OmegaConf.load(path), resolve=False) if path.is_file() else {}


@cache
def published(name: str) -> dict[str, Any]:
    """Return the paper's settings of an experiment, empty if the paper does not have it.

    They are in configs/published: the value for each dotted key of a config, or words if the paper
    does not state one. An entry ``{here: ..., paper: ...}`` is a setting without a key. "methods"
    lists those of the paper.
    """
    path = CONFIGS / "published" / f"{name}.yaml"
    return plain(OmegaConf.load(path)) if path.is_file() else {}


def in_order(experiments: Iterable[str]) -> list[str]:
    """Sort experiments by the paper: its figures and tables, its other results, then others."""
    return sorted(experiments, key=lambda name: (experiment_file(name).get("place", 99), name))


def duration(minutes: float) -> str:
    """Return a time in minutes, hours or months."""
    if minutes < 120:
        return f"{minutes:g} min"
    return f"{minutes / 60:g} h" if minutes < 2880 else "months"


def method_labels(config: DictConfig) -> dict[str, str]:
    """Return the label of each method, in the order of the config."""
    return {
        name: entry.get("label") or name
        for name, entry in (plain(config.method).get("scorers") or {}).items()
    }


def check_methods(config: DictConfig, names: Iterable[str], key: str, *others: str) -> None:
    """Raise a ConfigError unless each name is a method, chosen or not, or one of `others`."""
    entries = plain(config.method).get("scorers") or {}
    files = sorted(path.stem for path in (CONFIGS / "method").glob("*.yaml"))
    for name in names:
        one_of(name, dict.fromkeys([*others, *entries, *files]), f"method for {key},")


def without_selection(config: DictConfig) -> list[str]:
    """Return the methods that take all features."""
    names = []
    for name, entry in (plain(config.method).get("scorers") or {}).items():
        if isinstance(entry, dict) and entry.get("takes_all"):
            names.append(name)
    return names


def check_rankings(config: DictConfig, *, beside: bool = False) -> None:
    """Raise a ConfigError if a method takes all features and there must be a ranking.

    With `beside`, such a method may stand beside others.
    """
    whole = without_selection(config)
    if whole and not (beside and len(whole) < len(config.method.scorers)):
        where = "stands beside others" if beside else "has no place here"
        raise ConfigError(f"method={whole[0]} selects nothing, so it {where}; give methods that do")


def at_least(config: DictConfig, key: str, least: float) -> None:
    """Raise a ConfigError if the key has a value and it is smaller than `least`."""
    value = OmegaConf.select(config, key)
    if value is not None and value < least:
        raise ConfigError(f"{key} must be at least {least}, got {value}")


def increasing(config: DictConfig, key: str) -> None:
    """Raise a ConfigError unless the key has one or more increasing numbers."""
    values = list(OmegaConf.select(config, key))
    if not values or sorted(set(values)) != values:
        raise ConfigError(f"{key} must be increasing numbers, got {values}")


def share(config: DictConfig, key: str) -> None:
    """Raise a ConfigError unless the key has a number strictly between 0 and 1."""
    value = OmegaConf.select(config, key)
    if not 0 < (value or 0) < 1:
        raise ConfigError(f"{key} must lie in (0, 1), got {value}")


#: Keys of a data set that take a part of it at random.
PARTS = ("max_samples", "max_features")
#: Keys of a data set, for protocols that have none, or others.
DATASET = ("name", "scaling", "params", *PARTS)


def check_numbers(config: DictConfig, *grids: str, **least: float) -> None:
    """Raise a ConfigError if a value of the protocol is too small or a grid does not increase."""
    for key, value in least.items():
        at_least(config, f"protocol.{key}", value)
    for key in grids:
        increasing(config, f"protocol.{key}")


def check_dataset(config: DictConfig, *unread: str, instead: str) -> None:
    """Raise a ConfigError if a data set key that the protocol does not use has a value.

    Parameters
    ----------
    config : DictConfig
    *unread : str
        Keys below ``dataset``; those of :data:`DATASET` if there are none.
    instead : str
        The advice at the end of the message.
    """
    usual = vars(DatasetConfig())
    for key in unread or DATASET:
        if (value := config.dataset[key]) != usual[key]:
            name = "dataset" if key == "name" else f"dataset.{key}"
            raise ConfigError(
                f"{name}={value} would have no effect under the protocol "
                f"{config.protocol.kind}; {instead}"
            )


def validate(config: DictConfig) -> None:
    """Raise a ConfigError if a value common to all experiments is out of range."""
    _check_keys(config)
    if not config.name:
        raise ConfigError("no experiment is chosen; run with experiment=NAME, see --help")
    if not re.fullmatch(r"\w[\w.-]*", config.name, flags=re.ASCII):
        raise ConfigError(
            f"name must have only letters, digits, '.', '_' and '-', got {config.name!r}"
        )
    if not config.store:
        raise ConfigError("store= is empty, so files would be written here; give a folder")
    if config.dataset.get("id") == 0:
        raise ConfigError("give dataset.id=NUMBER, the number of a data set on OpenML")
    one_of(config.profile.name, PROFILES, "profile")
    one_of(config.dataset.scaling, SCALINGS, "dataset.scaling")
    for key, least in (
        ("seed", 0),
        ("dataset.max_samples", 4),
        ("dataset.max_features", 2),
        ("protocol.n_repetitions", 1),
        ("protocol.grid_size", 1),
        ("dataset.id", 1),
        ("workers", 1),
    ):
        at_least(config, key, least)


def _check_keys(node: Any, where: str = "") -> None:
    """Reject a key that was added with a plus to a node of a schema and would be ignored."""
    valid = getattr(OmegaConf.get_type(node), "__dataclass_fields__", node)
    for key in node:
        if key not in valid:
            raise ConfigError(f"there is no key {f'{where}{key}'!r}{suggest(key, sorted(valid))}")
        if not OmegaConf.is_missing(node, key) and isinstance(node[key], DictConfig):
            _check_keys(node[key], f"{where}{key}.")
