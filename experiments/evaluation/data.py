"""The data set of a config, whole or a part of it, as the run loads it once."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from experiments import seeds
from experiments.config import TableConfig, plain
from experiments.datasets import DataError, Dataset, load
from experiments.datasets.columns import TableOptions
from experiments.datasets.fingerprint import canonical_order as canonical_rows
from experiments.datasets.user_table import UserTable

#: Keys of a user's table that only one kind of experiment obeys.
OF_SELECT = ("groups", "adjust", "transform")


def load_dataset(config, *, gaps: bool = False) -> Dataset:
    """The data set of a config, or the part of it that the config asks for.

    Parameters
    ----------
    config
    gaps : bool
        True if the experiment fills gaps and obeys groups, covariates and a transform.

    Raises
    ------
    DataError
        If the data cannot be had; or if `gaps` is false, and values are missing or the config has
        groups, covariates or a transform.
    """
    wanted = plain(config.dataset)
    given = [f"dataset.{key}" for key in OF_SELECT if wanted.get(key)]
    if given and not gaps:
        verb = "needs" if len(given) == 1 else "need"
        raise DataError(
            f"{' and '.join(given)} {verb} experiment=select: other experiments take samples as "
            "independent, and values as they are; dataset.drop leaves columns out"
        )
    data = load(
        wanted["name"],
        **plain(config.data),
        path=wanted["path"],
        target=wanted["target"],
        params={name: value for name, value in wanted["params"].items() if value is not None},
        seed=config.seed,
        reading={
            option.name: wanted[option.name]
            for option in fields(TableOptions)
            if option.name in wanted and wanted[option.name] != getattr(TableConfig(), option.name)
        },
    )
    if wanted["name"] == "file" and not gaps and np.isnan(data.X).any():
        raise DataError("dataset.missing needs experiment=select, which fills gaps in each split")
    return part(data, wanted["max_samples"], wanted["max_features"], config.seed)


def part(data: Dataset, max_samples: int | None, max_features: int | None, seed: int) -> Dataset:
    """A random part of a data set with at most these numbers of samples and features.

    Classes keep their shares. Rows and columns stay in their order. The part has its own
    fingerprint, and its source names it a part.

    Raises
    ------
    DataError
        If so many samples, or all others, are fewer than the classes.
    """
    n, d = data.X.shape
    rows, columns = np.arange(n), np.arange(d)
    if max_samples is not None and max_samples < n:
        state = seeds.integer(seed, "part", data.fingerprint, "samples", max_samples)
        split = StratifiedShuffleSplit(1, train_size=max_samples, random_state=state)
        try:
            rows = np.sort(next(split.split(np.zeros((n, 1)), data.y))[0])
        except ValueError as error:  # scikit-learn says which number is too small
            raise DataError(
                f"dataset.max_samples={max_samples} of the {n} samples of {data.name} cannot keep "
                f"the shares of the classes: {error}; choose another number, or null"
            ) from error
    if max_features is not None and max_features < d:
        rng = seeds.generator(seed, "part", data.fingerprint, "features", max_features)
        columns = np.sort(rng.choice(d, max_features, replace=False))
    if (len(rows), len(columns)) == (n, d):
        return data
    X, y = data.X[np.ix_(rows, columns)], data.y[rows]
    order, fingerprint = canonical_rows(X, y)
    names = data.feature_names
    of_table: dict[str, Any] = {}
    if isinstance(data, UserTable):
        kept = rows[order]
        of_table = {"file_rows": data.file_rows[kept]}
        of_table["adjust"] = {name: [v[row] for row in kept] for name, v in data.adjust.items()}
        if data.groups is not None:
            of_table["groups"] = tuple(data.groups[row] for row in kept)
        if data.row_names is not None:
            of_table["row_names"] = tuple(data.row_names[row] for row in kept)
    return replace(
        data,
        name=f"{data.name}, a part",
        X=X[order],
        y=y[order],
        feature_names=None if names is None else tuple(names[j] for j in columns),
        fingerprint=fingerprint,
        **of_table,
        source=f"{len(rows)} of {n} samples and {len(columns)} of {d} features, at random, of: "
        + data.source,
    )


def described(data: Dataset) -> dict:
    """The entries of a run's provenance about its data."""
    return {
        "name": data.name,
        "shape": list(data.X.shape),
        "fingerprint": data.fingerprint,
        "verified": data.verified,
        "synthetic": data.synthetic,
        "source": data.source,
    }
