"""Load the data set of a config, or a part of it."""

import re
import shlex
from dataclasses import replace
from typing import Any

import numpy as np
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig
from sklearn.model_selection import StratifiedShuffleSplit

from experiments import seeds
from experiments.config import TableConfig, plain
from experiments.datasets import DataError, Dataset, load
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.datasets.loading import Store
from experiments.datasets.own.table import Table, read_table
from experiments.datasets.sources import openml_file

#: An override of an option of a table.
OF_TABLE = re.compile(r"[+~]*dataset\.")


def load_dataset(config: DictConfig) -> Dataset:
    """The data set of a config, or the part of it that the config asks for.

    Raises
    ------
    DataError
        If the data cannot be had, or an own table has gaps, groups or covariates.
    """
    wanted = plain(config.dataset)
    if wanted["name"] == TableConfig().name:
        _refuse_own_options(TableConfig(**wanted))
        data: Dataset = load_table(config)
    else:
        params = {name: value for name, value in wanted["params"].items() if value is not None}
        data = load(
            wanted["name"],
            home=config.data.home,
            cache=config.data.cache,
            params=params,
            seed=config.seed,
        )
    return part(data, wanted["max_samples"], wanted["max_features"], config.seed)


def _refuse_own_options(options: TableConfig) -> None:
    """Raise a DataError if a table has options that an experiment does not know."""
    keys = []
    if options.groups not in (None, TableConfig().groups):
        keys.append("dataset.groups")
    if options.adjust:
        keys.append("dataset.adjust")
    if options.missing == "median":
        keys.append("dataset.missing=median")
    if keys:
        raise DataError(
            f"{' and '.join(keys)}: only experiment=select knows this; other experiments take "
            "samples as independent, and values as they are; dataset.drop leaves columns out"
        )


def load_table(config: DictConfig) -> Table:
    """The own table of a config, which may have gaps, groups and covariates."""
    options = TableConfig(**plain(config.dataset))
    if options.params:
        raise DataError(f"a table takes no dataset.params, got {', '.join(options.params)}")
    table = read_table(options, max_gib=config.data.max_gib, command=_command(config))
    if options.id is None:
        return table
    told = f"OpenML {options.id}, version {options.version}, md5 {options.md5}"
    return replace(table, name=f"OpenML {options.id}", source=f"{told}: {table.source}")


def with_openml(config: DictConfig) -> DictConfig:
    """Return the config with the table that its data set on OpenML is, if it has one.

    Raises
    ------
    DataError
        If it cannot be had, or has another version or MD5 than the config.
    """
    given = config.dataset
    if given.get("id") is None:
        for key in ("version", "md5"):
            if given.get(key) is not None:
                raise DataError(f"dataset.{key} is of OpenML; give dataset=openml dataset.id=N")
        return config
    store = Store(config.data.home, config.data.cache)
    file, facts = openml_file(given.id, store.cache)
    if given.path not in (None, str(file)):
        raise DataError(f"dataset.id={given.id} and dataset.path={given.path} are two tables")
    for key in ("version", "md5"):
        if given[key] not in (None, facts[key]):
            raise DataError(
                f"OpenML {given.id} has the {key} {facts[key]}, not dataset.{key}={given[key]}; "
                f"leave out dataset.{key} to take it, or give the number of the other one"
            )
    ignored = [name for name in facts["ignored"] if name not in given.drop]
    config = config.copy()
    config.dataset.update(
        path=str(file),
        version=facts["version"],
        md5=facts["md5"],
        target=given.target or facts["target"],
        drop=[*given.drop, *ignored],
    )
    config.title = f"{facts['name']} (OpenML {given.id})"
    return config


def _command(config: DictConfig) -> str:
    """Return the command of this run without its data set options."""
    chosen = [f"experiment={config.name}", "dataset=table"]
    if HydraConfig.initialized():
        overrides = HydraConfig.get().overrides.task
        chosen = [override for override in overrides if not OF_TABLE.match(override)]
    return " ".join(["python run.py", *map(shlex.quote, chosen)])


def part(data: Dataset, max_samples: int | None, max_features: int | None, seed: int) -> Dataset:
    """Draw a random part of a data set with at most these numbers of samples and features.

    Classes keep their shares. Rows and columns stay in their order, but for those of an own table,
    which loses its row names. The part has its own fingerprint, and its source names it a part.

    Raises
    ------
    DataError
        If this number of samples, or of the others, is smaller than the number of classes.
    """
    n_samples, n_features = data.X.shape
    rows = _drawn_rows(data, max_samples, seed)
    columns = np.arange(n_features)
    if max_features is not None and max_features < n_features:
        rng = seeds.generator(seed, "part", data.fingerprint, "features", max_features)
        columns = np.sort(rng.choice(n_features, max_features, replace=False))
    if (len(rows), len(columns)) == (n_samples, n_features):
        return data
    X = data.X[np.ix_(rows, columns)]
    y = data.y[rows]
    order, fingerprint = canonical_rows(X, y)
    feature_names = data.feature_names
    if feature_names is not None:
        feature_names = tuple(feature_names[column] for column in columns)
    of_table: Any = {"row_names": None} if isinstance(data, Table) else {}
    drawn = f"{len(rows)} of {n_samples} samples and {len(columns)} of {n_features} features"
    return replace(
        data,
        name=f"{data.name}, a part",
        X=X[order],
        y=y[order],
        feature_names=feature_names,
        fingerprint=fingerprint,
        **of_table,
        source=f"{drawn}, at random, of: {data.source}",
    )


def _drawn_rows(data: Dataset, max_samples: int | None, seed: int) -> np.ndarray:
    """Return at most this number of rows, in order, with the shares of the classes."""
    n_samples = len(data.X)
    if max_samples is None or max_samples >= n_samples:
        return np.arange(n_samples)
    state = seeds.integer(seed, "part", data.fingerprint, "samples", max_samples)
    splitter = StratifiedShuffleSplit(1, train_size=max_samples, random_state=state)
    try:
        rows, _ = next(splitter.split(np.zeros((n_samples, 1)), data.y))
    except ValueError as error:  # the message of scikit-learn has the number
        raise DataError(
            f"dataset.max_samples={max_samples} of the {n_samples} samples of {data.name} cannot "
            f"keep the shares of the classes: {error}; choose another number, or null"
        ) from error
    return np.sort(rows)


def described(data: Dataset) -> dict:
    """Return the entries about the data for a run's provenance."""
    return {
        "name": data.name,
        "shape": list(data.X.shape),
        "fingerprint": data.fingerprint,
        "verified": data.verified,
        "synthetic": data.synthetic,
        "source": data.source,
    }
