"""Define a kind of experiment, and make tables from a run of it."""

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from omegaconf import DictConfig, OmegaConf

from experiments.cache import Run
from experiments.config import Config, DataConfig, method_labels, plain
from experiments.evaluation.summary import means
from experiments.files import Outputs, as_csv
from experiments.report import figures, pages
from experiments.report.columns import terminal
from experiments.report.differences import differences

#: Name of a table -> the table.
Tables = dict[str, pd.DataFrame]
#: Value of a column -> its label.
Labels = Mapping[str, str]


class Results(NamedTuple):
    """The stored results of a run.

    `rows` are tidy tables, each with one type of row, stored as NAME.parquet; the main one is
    called "rows". All other tables are functions of them and of the config. `data`, the name and
    fingerprint of the samples, goes into the provenance.
    """

    rows: Tables
    data: dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """The declaration of a kind; each module of this package has one, KIND."""

    #: The dataclass of ``protocol`` in a config.
    schema: type
    #: Raises a ConfigError if a value is out of range.
    check: Callable[[DictConfig], None]
    run: Callable[[Run], Results]
    #: Makes all tables of a run, including "summary", from its rows and its config.
    tables: Callable[[Tables, DictConfig], Tables]
    #: The column of "summary" by which methods are compared (higher is better), and the columns
    #: within which they are; empty if there is nothing to compare.
    measure: str = ""
    by: tuple[str, ...] = ()


def described_together(sets: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the data of a run on several data sets, from the data of each by its name."""
    fingerprints = []
    sources = []
    are_verified = True
    for name, facts in sets.items():
        fingerprints.append(str(facts.get("fingerprint", facts)))
        sources.append(f"{name}: {facts['name']}")
        if not (facts.get("verified") or facts.get("synthetic") or facts.get("generated")):
            are_verified = False
    together = "\n".join(fingerprints)
    return {
        "name": f"{len(sets)} data set{'s' * (len(sets) > 1)}",
        "fingerprint": hashlib.sha256(together.encode()).hexdigest()[:32],
        "verified": are_verified,
        "synthetic": all(facts.get("synthetic", False) for facts in sets.values()),
        "source": "; ".join(sources),
        "sets": dict(sets),
    }


def stored_config(config: dict[str, Any], kind: Kind) -> DictConfig:
    """Return the config of a stored run, with the options that there are today."""
    today = plain(OmegaConf.structured(Config))
    known = OmegaConf.create({**today, **config})
    for group, options in {"protocol": kind.schema, "data": DataConfig}.items():
        schema = OmegaConf.structured(options)
        stored = plain(known[group])
        given = {name: value for name, value in stored.items() if name in schema}
        known[group] = OmegaConf.merge(schema, given)
    return known


def tables_of(kind: Kind, stored: Tables, config: DictConfig) -> Tables:
    """Make all tables of a run from its stored rows and its config.

    "summary" is always among them. If every task failed, it says so for each method.
    """
    methods = method_labels(config)
    if stored["rows"].empty:
        failed = pd.DataFrame({"method": list(methods), "failed": True})
        return {"summary": labelled(failed, {"method": methods})}
    relabelled = {}
    for name, rows in stored.items():
        if "label" in rows:  # Rows may have older labels.
            labels = rows["method"].map(methods)
            rows = rows.assign(label=labels.fillna(rows["label"]))
        relabelled[name] = rows
    tables = kind.tables(relabelled, config)
    return {name: table for name, table in tables.items() if name == "summary" or len(table)}


def outputs(kind: Kind, run: Run) -> Outputs:
    """Compute the rows of a run, and make its tables from them.

    A kind may complete the config of the run; tables and provenance are then those of that config.
    """
    config = run.config
    figure = config.figure if isinstance(config.figure, str) else plain(config.figure)
    figures.check(figure)
    results = kind.run(run)
    tables = tables_of(kind, results.rows, config)
    files = {}
    for name, rows in results.rows.items():
        files[f"{name}.parquet"] = rows.to_parquet(index=False, compression="zstd")
    for name, table in tables.items():
        files[f"{name}.csv"] = as_csv(table).encode()
    lines = [f"{line}\n" for line in differences(config)]
    files["differences.txt"] = "".join(lines).encode()

    def draw(folder: Path) -> list[Path]:
        drawn = [] if results.rows["rows"].empty else figures.draw(figure, folder)
        return [*drawn, pages.write(folder)]

    return Outputs(files, results.data, terminal(tables["summary"]), draw)


def with_means(
    table: pd.DataFrame, rows: pd.DataFrame, by: Sequence[str], *measures: str
) -> pd.DataFrame:
    """Add mean, deviation and interval over the draws of more measures to a table of methods."""
    for measure in measures:
        summary = means(rows, by, measure, "draw").reset_index(drop=True)
        names = [measure, f"{measure}_std", f"{measure}_low", f"{measure}_high"]
        table[names] = summary[["mean", "std", "ci_low", "ci_high"]]
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
    for name, labels in axes.items():
        if name in table:
            column = "label" if name == "method" else f"{name}_label"
            place = list(table).index(name) + 1
            table.insert(place, column, table[name].map(labels))
    return table
