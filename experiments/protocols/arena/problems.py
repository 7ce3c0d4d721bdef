"""The data sets of an arena, composed from their files, and the splits that each one allows."""

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments.config import ConfigError, DatasetConfig, TableConfig, one_of, plain
from experiments.datasets import Dataset
from experiments.datasets.fingerprint import canonical_order
from experiments.engine.keys import canonical_json
from experiments.evaluation.method_config import computes_manifest
from experiments.evaluation.methods import Method
from experiments.evaluation.samples import DataChanged, Source, dataset, part, source_of
from experiments.evaluation.splits import outer_split
from experiments.protocols.arena.schema import ALL

#: The files of the data sets.
FILES = Path(__file__).resolve().parents[3] / "configs" / "dataset"
#: Keys of an entry of `protocol.sets` that a data set itself does not have.
OWN = ("dataset", "classes", "unit", "percentiles", "label")


@dataclass(frozen=True)
class Competition:
    """A data set of an arena.

    Attributes
    ----------
    name, label : str
        As the config calls it, and as tables and figures do.
    config : DictConfig
        What ``config.dataset`` is in an experiment on this data set alone.
    data : Dataset
    source : Source or Classes
    percentiles : tuple of float
        Those that ManiFeSt's scale is tuned over; empty where they are the method's own.
    """

    name: str
    label: str
    config: DictConfig
    data: Dataset
    source: Source
    percentiles: tuple[float, ...] = ()

    def fitted(self, method: Method) -> Method:
        """The method with the percentiles of this data set in place of ManiFeSt's own."""
        if not self.percentiles:
            return method
        values = list(self.percentiles)
        parts = []
        for own in method.parts:
            if computes_manifest(own):
                if "percentile" in own.grid:
                    own = replace(own, grid={**own.grid, "percentile": values})
                if "percentiles" in own.keywords:
                    own = replace(own, fixed={**own.fixed, "percentiles": values})
            parts.append(own)
        return replace(method, parts=tuple(parts))


@dataclass(frozen=True)
class Setting:
    """How the rows of a data set are split for a number of training samples.

    Attributes
    ----------
    wanted : str
        The number as the config has it, or "all".
    test_size : float
        As of :func:`experiments.evaluation.splits.outer_split`.
    n_train, n_test : int
        Of the first split.
    inner_folds : int
    """

    wanted: str
    test_size: float
    n_train: int
    n_test: int
    inner_folds: int


@dataclass(frozen=True)
class Prepared(Source):
    """A source of some classes in another unit.

    Attributes
    ----------
    classes : tuple of int
        All where it is empty.
    unit : float
        What all values are divided by.
    """

    classes: tuple[int, ...] = ()
    unit: float = 1.0

    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """X as float64 and y as 0, 1, ...; read-only, since a process keeps and shares them."""
        return _samples(self)


@lru_cache(maxsize=2)
def _samples(source: Prepared):
    data = prepared(source.arguments, source.classes, source.unit)
    if data.fingerprint != source.fingerprint:
        raise DataChanged(f"the samples of {data.name} were changed while this run was under way")
    y = np.unique(data.y, return_inverse=True)[1]
    data.X.flags.writeable = y.flags.writeable = False
    return data.X, y


@lru_cache(maxsize=1)
def _whole(arguments: str) -> Dataset:
    return dataset(**json.loads(arguments))


def prepared(arguments: str, classes: tuple[int, ...], unit: float) -> Dataset:
    """Some classes of a data set, or a part of them, in another unit.

    Raises
    ------
    ConfigError
        If there is no such class.
    """
    wanted = json.loads(arguments)
    most = {key: wanted.pop(key) for key in ("max_samples", "max_features")}
    data = _whole(canonical_json(wanted))
    classes = classes or tuple(data.label_names)
    if len(classes) < 2 or not set(classes) <= set(data.label_names):
        raise ConfigError(
            f"classes must be two or more of {sorted(data.label_names)}, those of {data.name}, "
            f"got {list(classes)}"
        )
    names = {label: data.label_names[label] for label in sorted(classes)}
    if len(names) < len(data.label_names):
        rows = np.isin(data.y, classes)
        data = replace(
            data,
            X=data.X[rows],
            y=data.y[rows],
            label_names=names,
            source=f"the classes {' and '.join(names.values())} of: {data.source}",
            fingerprint=canonical_order(data.X[rows], data.y[rows])[1],
        )
    data = part(data, most["max_samples"], most["max_features"], wanted["seed"])
    X = np.asarray(data.X, dtype=np.float64) / unit
    order, fingerprint = canonical_order(X, data.y)
    return replace(data, X=X[order], y=data.y[order], fingerprint=fingerprint)


def composed(config: DictConfig, name: str) -> tuple[DictConfig, dict]:
    """The ``dataset`` of a config for one data set, and the keys of its entry that are not part.

    A value is, in this order: that of the entry in ``protocol.sets``, what ``config.dataset`` has
    for all (a scaling "none" says nothing), that of the file.

    Raises
    ------
    ConfigError
        If there is no such data set, or it has no such key.
    """
    entry = dict(plain(config.protocol.sets).get(name) or {})
    own = {key: entry.pop(key, None) for key in OWN}
    known = sorted(path.stem for path in FILES.glob("*.yaml"))
    if own["dataset"] is None:
        one_of(
            name,
            [*config.protocol.sets, *(n for n in known if n not in config.protocol.sets)],
            "data set",
        )
    stem = one_of(own["dataset"] or name, known, "data set")
    file = OmegaConf.load(FILES / f"{stem}.yaml")
    assert isinstance(file, DictConfig)
    schema = TableConfig if "table_schema" in file.pop("defaults", []) else DatasetConfig
    shared = {key: config.dataset[key] for key in ("scaling", "max_samples", "max_features")}
    shared = {key: value for key, value in shared.items() if value not in (None, "none")}
    for key in entry:
        one_of(key, [*OWN, *schema.__dataclass_fields__], f"key of protocol.sets.{name}")
    try:
        found = OmegaConf.merge(OmegaConf.structured(schema), file, shared, entry)
    except OmegaConfBaseException as error:
        told = str(error).splitlines()[0]
        raise ConfigError(f"protocol.sets.{name}: {told}") from error
    if missing := sorted(map(str, OmegaConf.missing_keys(file) - set(entry))):
        raise ConfigError(f"protocol.sets.{name} must say what its {' and '.join(missing)} is")
    assert isinstance(found, DictConfig)
    return found, own


def opened(config: DictConfig, name: str) -> Competition:
    """A data set of an arena, loaded."""
    found, own = composed(config, name)
    alone = config.copy()
    OmegaConf.update(alone, "dataset", found, merge=False)
    arguments = source_of(alone)
    label = str(own["label"] or name)
    percentiles = tuple(own["percentiles"] or ())
    if own["classes"] is None and own["unit"] is None:
        data = dataset(**arguments)
        source = Source.of(arguments, data)
    else:
        classes, unit = tuple(map(int, own["classes"] or ())), float(own["unit"] or 1)
        data = prepared(canonical_json(arguments), classes, unit)
        source = Prepared(canonical_json(arguments), data.fingerprint, classes, unit)
    return Competition(name, label, found, data, source, percentiles)


def share_of(n: int, n_train: int) -> float:
    """The test share with which random splits of n rows leave so many for training.

    The number of test rows is rounded up from the share, so half a row less is asked for. A share
    of 1 / m would mean cross-validation; then three quarters of a row less are.
    """
    shares = [(n - n_train - less) / n for less in (0.5, 0.75)]
    return next(share for share in shares if abs(1 / share - round(1 / share)) > 1e-9)


def setting(data: Dataset, wanted, protocol, seed: int) -> Setting | str:
    """How a data set is split for a number of training samples, or why it cannot be."""
    n = len(data.y)
    most = int((1 - protocol.test_size) * n)
    if wanted == ALL:
        share = protocol.test_size
        if most > protocol.max_train:
            share = share_of(n, protocol.max_train)
    elif wanted >= most:
        return (
            f"{wanted} of {n} samples leave less than {protocol.test_size:g} of them for the test"
        )
    else:
        share = share_of(n, wanted)
    labels = np.unique(data.y, return_inverse=True)[1]
    try:
        splits = [
            outer_split(labels, data.fingerprint, seed, split, share)
            for split in range(protocol.n_repetitions)
        ]
    except ValueError as error:  # scikit-learn says which class is too small
        return f"{wanted} training samples: {error}"
    n_classes = labels.max() + 1
    counts = [np.bincount(labels[train], minlength=n_classes) for train, _ in splits]
    least = int(np.min(counts))
    train, test = splits[0]
    if least < 3:
        return f"{len(train)} training samples are {least} of the smallest class, 3 are needed"
    folds = min(protocol.inner_folds, least)
    if least - -(-least // folds) < 2:
        folds = least
    return Setting(str(wanted), share, len(train), len(test), folds)
