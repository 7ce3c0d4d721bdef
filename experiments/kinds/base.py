"""A kind of experiment: what it declares, and how a run of it becomes tables."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf

from experiments.cache import Cache, Outcome, Row, Task, complete
from experiments.config import CONFIGS, ConfigError, DatasetConfig, at_least, increasing, plain
from experiments.datasets import Dataset
from experiments.evaluation.methods import Method

#: Name of a table -> the table.
Tables = dict[str, pd.DataFrame]
#: Value of a column -> its label.
Labels = Mapping[str, str]
#: The parameter k of these filters is a number of neighbours.
OF_NEIGHBOURS = ("relieff", "ig")
#: Keys of a data set that take a part of it at random.
PARTS = ("max_samples", "max_features")


@dataclass
class Run:
    """One run of an experiment: its config and methods, and where results are remembered.

    A kind may replace the config and the methods by ones that it has adjusted to the samples; the
    tables and the provenance are those of the adjusted config.
    """

    config: DictConfig
    methods: list[Method]
    cache: Cache
    outcome: Outcome
    #: Where the results go; a kind may write files there before it is done.
    folder: Path | None = None

    def complete(self, tasks: list[Task], what: str) -> None:
        """Compute the tasks that are not stored yet."""
        workers = self.config.scheduler or self.config.workers
        complete(tasks, self.cache, self.outcome, workers, what)

    def row(self, task: Task) -> Row | None:
        """The task's row; None if it failed."""
        return self.outcome.rows.get(task.key)

    def rows(self, tasks: list[Task]) -> list[Row] | None:
        """The tasks' rows; None if one of them failed."""
        rows = [row for task in tasks if (row := self.row(task)) is not None]
        return rows if len(rows) == len(tasks) else None

    def rows_at(
        self, tasks: Mapping[tuple, Task], what: str, end: int | None = None
    ) -> dict[tuple, Row]:
        """Compute tasks that axes name, and return their rows group by group.

        Tasks whose axes up to `end` are equal are a group, which has no rows if one of them failed.
        """
        self.complete(list(tasks.values()), what)
        groups: dict[tuple, list[tuple]] = {}
        for at in tasks:
            groups.setdefault(at[:end], []).append(at)
        return {
            at: row
            for group in groups.values()
            for at, row in zip(group, self.rows([tasks[at] for at in group]) or (), strict=False)
        }


@dataclass
class Results:
    """All that is stored of a run.

    `rows` are tidy tables of one type of row each, stored as NAME.parquet; the main one is called
    "rows". Every other table is a function of them and of the config. The provenance has `data`,
    name and fingerprint of the samples. A run without rows has files and a text for the terminal in
    place of tables and a page.
    """

    rows: Tables | None
    data: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True)
class Kind:
    """The declaration of a kind; a module of this package has one as KIND."""

    #: The dataclass of ``protocol`` in a config.
    schema: type
    #: It raises a ConfigError if a value is out of range.
    check: Callable[[DictConfig], None]
    run: Callable[[Run], Results]
    #: All tables of a run, "summary" among them, from its rows and its config.
    tables: Callable[[Tables, DictConfig], Tables] | None = None
    #: The column of "summary" that compares methods, higher is better, and the columns within which
    #: it does; empty if no row is better than another.
    measure: str = ""
    by: tuple[str, ...] = ()
    #: True if the measure lies in [0, 1] and is shown in percent.
    is_share: bool = False


def check_numbers(config: DictConfig, *grids: str, **least: float) -> None:
    """Raise a ConfigError unless values of the protocol are so large, and its grids increase."""
    for key, value in least.items():
        at_least(config, f"protocol.{key}", value)
    for key in grids:
        increasing(config, f"protocol.{key}")


def check_dataset(config: DictConfig, *unread: str, instead: str) -> None:
    """Raise a ConfigError if a key of the data set that the kind does not read has a new value.

    Parameters
    ----------
    config : DictConfig
    *unread : str
        Keys below ``dataset``; their usual values are those of the data set's own file. The kind
        has other data sets if "name" is among them.
    instead : str
        The advice at the end of the sentence.
    """
    name = config.dataset.name
    path = CONFIGS / "dataset" / f"{name}.yaml"
    file: Any = OmegaConf.load(path) if name and path.is_file() else {}
    usual = OmegaConf.merge(OmegaConf.create(vars(DatasetConfig())), file, {"name": ""})
    values = {key: OmegaConf.select(config.dataset, key) for key in unread}
    given = [
        f"dataset.{key}={value}".replace("dataset.name=", "dataset=")
        for key, value in values.items()
        if value != OmegaConf.select(usual, key)
    ]
    if given:
        raise ConfigError(
            f"{' and '.join(given)} would have no effect under the protocol "
            f"{config.protocol.kind}; {instead}"
        )


def check_rectangle(config: DictConfig) -> None:
    """Raise a ConfigError unless ``protocol.shape`` is the rows and columns of an image."""
    shape = list(config.protocol.shape)
    if len(shape) != 2 or min(shape) < 1:
        raise ConfigError(f"protocol.shape must be [rows, columns] of an image, got {shape}")


def check_shape(config: DictConfig, data: Dataset) -> None:
    """Raise a ConfigError if ``protocol.shape`` has another number of pixels than the samples."""
    shape, n_features = list(config.protocol.shape), data.X.shape[1]
    if n_features != np.prod(shape):
        raise ConfigError(
            f"protocol.shape {shape} has {np.prod(shape)} pixels, "
            f"{data.name} has {n_features} features"
        )


def check_neighbours(methods: Iterable[Method], n_samples: int) -> None:
    """Raise a ConfigError if a filter is to look at more neighbours than there are samples.

    Values of a grid may be larger, as the paper's are: all samples of a class are then taken.
    """
    for part in (part for method in methods for part in method.parts):
        k = part.fixed.get("k", 1)
        if part.call in OF_NEIGHBOURS and k > n_samples:
            raise ConfigError(
                f"method.k={k} asks {part.name} for more neighbours than the {n_samples} samples "
                f"that there are; it must be at most {n_samples}"
            )


def stored_config(config: dict[str, Any], kind: Kind) -> DictConfig:
    """The config of a stored run; options that it is too old to know have their defaults."""
    known = OmegaConf.create(config)
    protocol = OmegaConf.create({**vars(kind.schema()), **plain(known.protocol)})
    return OmegaConf.merge(known, {"protocol": protocol})  # type: ignore[return-value]


def labels(config: DictConfig) -> dict[str, str]:
    """Method -> its label, in the order of the config."""
    return {
        name: entry.get("label") or name
        for name, entry in (plain(config.method).get("scorers") or {}).items()
    }


def tables_of(kind: Kind, stored: Tables, config: DictConfig) -> Tables:
    """All tables of a run: functions of its stored rows and its config.

    "summary" is always among them. If every task failed, it says so for each method.
    """
    methods = labels(config)
    if stored["rows"].empty:
        failed = pd.DataFrame({"method": list(methods), "failed": True})
        return {"summary": labelled(failed, {"method": methods})}
    stored = {  # Rows have the labels of their time.
        name: rows.assign(label=rows["method"].map(methods).fillna(rows["label"]))
        if "label" in rows
        else rows
        for name, rows in stored.items()
    }
    tables = kind.tables(stored, config) if kind.tables else {}
    return {name: t for name, t in tables.items() if name == "summary" or len(t)}


def complete_table(table: pd.DataFrame, axes: Mapping[str, Labels]) -> pd.DataFrame:
    """The table with labels and a row for each combination of the axes; "failed" marks new rows."""
    asked = pd.DataFrame(itertools.product(*axes.values()), columns=list(axes))
    complete = asked.merge(table, how="left", indicator="failed")
    complete["failed"] = complete["failed"].eq("left_only")
    return labelled(with_whole_counts(complete), axes)


def with_whole_counts(table: pd.DataFrame) -> pd.DataFrame:
    """The table, whose numbers n_* stay whole if some are missing."""
    return table.astype({name: "Int64" for name in table if str(name).startswith("n_")})


def labelled(table: pd.DataFrame, axes: Mapping[str, Labels]) -> pd.DataFrame:
    """The table with a column of labels after each axis that it has; that of methods is "label"."""
    for name, of_values in axes.items():
        if name in table:
            column = "label" if name == "method" else f"{name}_label"
            table.insert(list(table).index(name) + 1, column, table[name].map(of_values))
    return table
