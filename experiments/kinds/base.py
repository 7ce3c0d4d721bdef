"""Define a kind of experiment, and make tables from a run of it."""

import hashlib
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from omegaconf import DictConfig, OmegaConf

from experiments.cache import Cache, Outcome, Row, Task, complete
from experiments.config import (
    Config,
    ConfigError,
    DataConfig,
    DatasetConfig,
    at_least,
    increasing,
    plain,
)
from experiments.evaluation.methods import Method
from experiments.evaluation.summary import means
from experiments.files import write_text
from experiments.report.stored import former_files, write_provenance

#: Name of a table -> the table.
Tables = dict[str, pd.DataFrame]
#: Value of a column -> its label.
Labels = Mapping[str, str]
#: Keys of a data set that take a part of it at random.
PARTS = ("max_samples", "max_features")
#: Keys of a data set, for kinds that have none, or others.
DATASET = ("name", "scaling", "params", *PARTS)


@dataclass
class Run:
    """One run of an experiment: its config, its methods, and the store of results.

    A kind may adjust the config and the methods to the samples. The tables and the provenance are
    then those of the adjusted config.
    """

    config: DictConfig
    methods: list[Method]
    cache: Cache
    outcome: Outcome
    #: The folder of the results.
    folder: Path | None = None

    def write_early(self, name: str, text: str) -> None:
        """Write a file of the results during the run, in place of an earlier run."""
        if self.folder is not None:
            for path in former_files(self.folder):
                path.unlink()
            write_provenance(self.folder, {"config": {"name": self.config.name}}, [name])
            write_text(self.folder / name, text)

    def complete(self, tasks: list[Task], what: str) -> None:
        """Compute the tasks that are not yet stored."""
        workers = self.config.scheduler or self.config.workers
        complete(tasks, self.cache, self.outcome, workers, what)

    def rows(self, tasks: list[Task]) -> list[Row] | None:
        """Return the rows of tasks; None if one of them failed."""
        done = self.outcome.rows
        rows = [done[task.key] for task in tasks if task.key in done]
        return rows if len(rows) == len(tasks) else None

    def rows_at(
        self, tasks: Mapping[tuple, Task], what: str, end: int | None = None
    ) -> dict[tuple, Row]:
        """Compute tasks that are named by axes, and return their rows group by group.

        Tasks with equal axes up to `end` are a group. If one of them failed, it has no rows.
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
    """The stored results of a run.

    `rows` are tidy tables, each with one type of row, stored as NAME.parquet; the main one is
    called "rows". All other tables are functions of them and of the config. `data`, the name and
    fingerprint of the samples, goes into the provenance. A run without rows has files and a text
    for the terminal instead of tables and a page.
    """

    rows: Tables | None
    data: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True)
class Kind:
    """The declaration of a kind; each module of this package has one, KIND."""

    #: The dataclass of ``protocol`` in a config.
    schema: type
    #: Raises a ConfigError if a value is out of range.
    check: Callable[[DictConfig], None]
    run: Callable[[Run], Results]
    #: Makes all tables of a run, including "summary", from its rows and its config.
    tables: Callable[[Tables, DictConfig], Tables] | None = None
    #: The column of "summary" by which methods are compared (higher is better), and the columns
    #: within which they are; empty if there is nothing to compare.
    measure: str = ""
    by: tuple[str, ...] = ()


def check_numbers(config: DictConfig, *grids: str, **least: float) -> None:
    """Raise a ConfigError if a value of the protocol is too small or a grid does not increase."""
    for key, value in least.items():
        at_least(config, f"protocol.{key}", value)
    for key in grids:
        increasing(config, f"protocol.{key}")


def check_dataset(config: DictConfig, *unread: str, instead: str) -> None:
    """Raise a ConfigError if a data set key that the kind does not use has a value.

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


def described_together(sets: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the data of a run on several data sets, from the data of each by its name."""
    fingerprints = "\n".join(str(one.get("fingerprint", one)) for one in sets.values())
    made = ("synthetic", "generated")
    return {
        "name": f"{len(sets)} data set{'s' * (len(sets) > 1)}",
        "fingerprint": hashlib.sha256(fingerprints.encode()).hexdigest()[:32],
        "verified": all(any(map(one.get, ("verified", *made))) for one in sets.values()),
        "synthetic": all(one.get("synthetic", False) for one in sets.values()),
        "source": "; ".join(f"{name}: {one['name']}" for name, one in sets.items()),
        "sets": dict(sets),
    }


def stored_config(config: dict[str, Any], kind: Kind) -> DictConfig:
    """Return the config of a stored run, with the options that there are today."""
    known = OmegaConf.create({**plain(OmegaConf.structured(Config)), **config})
    for group, options in {"protocol": kind.schema, "data": DataConfig}.items():
        schema = OmegaConf.structured(options)
        given = {name: value for name, value in plain(known[group]).items() if name in schema}
        known[group] = OmegaConf.merge(schema, given)
    return known


def labels(config: DictConfig) -> dict[str, str]:
    """Return the label of each method, in the order of the config."""
    return {
        name: entry.get("label") or name
        for name, entry in (plain(config.method).get("scorers") or {}).items()
    }


def tables_of(kind: Kind, stored: Tables, config: DictConfig) -> Tables:
    """Make all tables of a run from its stored rows and its config.

    "summary" is always among them. If every task failed, it says so for each method.
    """
    methods = labels(config)
    if stored["rows"].empty:
        failed = pd.DataFrame({"method": list(methods), "failed": True})
        return {"summary": labelled(failed, {"method": methods})}
    stored = {  # Rows may have older labels.
        name: rows.assign(label=rows["method"].map(methods).fillna(rows["label"]))
        if "label" in rows
        else rows
        for name, rows in stored.items()
    }
    tables = kind.tables(stored, config) if kind.tables else {}
    return {name: t for name, t in tables.items() if name == "summary" or len(t)}


def with_means(table: pd.DataFrame, rows: pd.DataFrame, by, *measures: str) -> pd.DataFrame:
    """Add mean, deviation and interval over the draws of more measures to a table of methods."""
    for measure in measures:
        found = means(rows, by, measure, "draw").reset_index(drop=True)
        names = [measure, *(f"{measure}_{end}" for end in ("std", "low", "high"))]
        table[names] = found[["mean", "std", "ci_low", "ci_high"]]
    return table


def complete_table(table: pd.DataFrame, axes: Mapping[str, Labels]) -> pd.DataFrame:
    """Add labels, and a row for each missing combination of the axes, marked as "failed"."""
    asked = pd.DataFrame(itertools.product(*axes.values()), columns=list(axes))
    complete = asked.merge(table, how="left", indicator="failed")
    complete["failed"] = complete["failed"].eq("left_only")
    return labelled(with_whole_counts(complete), axes)


def with_whole_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Make the columns n_* whole numbers, even if some are missing."""
    return table.astype({name: "Int64" for name in table if str(name).startswith("n_")})


def labelled(table: pd.DataFrame, axes: Mapping[str, Labels]) -> pd.DataFrame:
    """Add a column of labels after each axis of the table; that of methods is "label"."""
    for name, of_values in axes.items():
        if name in table:
            column = "label" if name == "method" else f"{name}_label"
            table.insert(list(table).index(name) + 1, column, table[name].map(of_values))
    return table
