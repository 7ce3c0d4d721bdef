"""Define a kind of experiment, and make tables from a run of it."""

import hashlib
import itertools
from collections.abc import Callable, Mapping
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
    tables: Callable[[Tables, DictConfig], Tables] | None = None
    #: The column of "summary" by which methods are compared (higher is better), and the columns
    #: within which they are; empty if there is nothing to compare.
    measure: str = ""
    by: tuple[str, ...] = ()


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


def tables_of(kind: Kind, stored: Tables, config: DictConfig) -> Tables:
    """Make all tables of a run from its stored rows and its config.

    "summary" is always among them. If every task failed, it says so for each method.
    """
    methods = method_labels(config)
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


def outputs(kind: Kind, run: Run) -> Outputs:
    """Compute the rows of a run, and make its tables from them.

    A kind may complete the config of the run; tables and provenance are then those of that config.
    """
    config = run.config
    figure = config.figure if isinstance(config.figure, str) else plain(config.figure)
    figures.check(figure)
    results = kind.run(run)
    tables = tables_of(kind, results.rows, config)
    files = {
        f"{name}.parquet": rows.to_parquet(index=False, compression="zstd")
        for name, rows in results.rows.items()
    }
    files |= {f"{name}.csv": as_csv(table).encode() for name, table in tables.items()}
    files["differences.txt"] = "".join(f"{line}\n" for line in differences(config)).encode()

    def draw(folder: Path) -> list[Path]:
        drawn = [] if results.rows["rows"].empty else figures.draw(figure, folder)
        return [*drawn, pages.write(folder)]

    return Outputs(files, results.data, terminal(tables["summary"]), draw)


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
