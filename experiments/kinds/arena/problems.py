"""Compose the data sets of an arena from their files, and choose the splits of each."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from baselines import get
from experiments.config import CONFIGS, ConfigError, ProtocolConfig, TableConfig, one_of, plain
from experiments.datasets import DataError, Dataset
from experiments.datasets.fingerprint import canonical_order
from experiments.evaluation.data import described, load_dataset, part
from experiments.evaluation.division import KFold, outer_split
from experiments.evaluation.methods import Method
from experiments.report.stored import standing_of
from manifest import manifest_score

#: The word for as many training samples as possible.
ALL = "all"
#: The files of the data sets.
FOLDER = CONFIGS / "dataset"
FILES = sorted(path.stem for path in FOLDER.glob("*.yaml"))


@dataclass
class ArenaSet(TableConfig):
    """A data set of an arena: the keys of ``dataset``, and those that only an arena reads."""

    name: str = ""
    #: The file that it is of, if that has another name.
    dataset: str | None = None
    #: Two or more of its classes.
    classes: list[int] | None = None
    #: What all values are divided by.
    unit: float | None = None
    #: Those that ManiFeSt's scale is tuned over; if empty, they are the method's own.
    percentiles: list[Any] = field(default_factory=list)
    #: Its name in tables and figures, if that is another one.
    label: str | None = None


@dataclass(frozen=True)
class ArenaDataset:
    """A data set of an arena."""

    #: Its name in tables and figures.
    label: str
    #: The config of a run on this data set alone.
    config: DictConfig
    data: Dataset
    #: See :class:`ArenaSet`.
    percentiles: list[float]

    def fitted(self, method: Method) -> Method:
        """Return the method with the percentiles of this data set for ManiFeSt."""
        if not self.percentiles:
            return method
        parts = []
        for scorer in method.parts:
            if "percentile" in scorer.grid and get(scorer.call) is manifest_score:
                scorer = replace(scorer, grid={**scorer.grid, "percentile": self.percentiles})
            parts.append(scorer)
        return replace(method, parts=tuple(parts))

    def facts(self) -> dict[str, Any]:
        """Return the columns that describe the data set."""
        data = self.data
        classes, counts = np.unique(data.y, return_counts=True)
        return {
            "data_set": self.label,
            "samples": len(data.y),
            "n_features": data.X.shape[1],
            "classes": len(classes),
            "smallest_class": int(counts.min()),
            "scaling": self.config.dataset.scaling,
            "standing": standing_of(described(data)),
            "fingerprint": data.fingerprint[:12],
            "source": data.source,
        }


def dataset_label(protocol: ProtocolConfig, name: str) -> str:
    """Return the name of a data set in tables."""
    entry = plain(protocol.sets).get(name)  # type: ignore[attr-defined]
    label = entry.get("label") if isinstance(entry, dict) else None
    return str(label or name)


def dataset_names(protocol: ProtocolConfig) -> list[str]:
    """Return all valid names of data sets of an arena: the entries, then the files."""
    sets = plain(protocol.sets)  # type: ignore[attr-defined]
    return [*sets, *(name for name in FILES if name not in sets)]


def dataset_config(config: DictConfig, name: str) -> DictConfig:
    """Return the config of a data set of an arena, an :class:`ArenaSet`, or raise a ConfigError.

    A value is taken, in this order, from the entry in ``protocol.sets``, from ``config.dataset``
    for all data sets (a scaling "none" is ignored), or from the file.
    """
    entry = plain(config.protocol.sets).get(name) or {}
    if not isinstance(entry, dict):
        raise ConfigError(
            f"protocol.sets.{name} must be keys, such as {{dataset: wine}}, got {entry!r}"
        )
    for key in entry:
        one_of(key, ArenaSet.__dataclass_fields__, f"key of protocol.sets.{name}")
    known = dataset_names(config.protocol) if "dataset" not in entry else FILES
    stem = one_of(entry.get("dataset", name), known, "data set")
    file: Any = OmegaConf.load(FOLDER / f"{stem}.yaml")
    file.pop("defaults", None)
    shared = {}
    for key in ("scaling", "max_samples", "max_features"):
        value = config.dataset[key]
        if value not in (None, "none"):
            shared[key] = value
    try:
        merged: Any = OmegaConf.merge(OmegaConf.structured(ArenaSet), file, shared, entry)
    except OmegaConfBaseException as error:
        message = str(error).splitlines()[0]
        raise ConfigError(f"protocol.sets.{name}.{error.full_key}: {message}") from error
    missing = sorted(OmegaConf.missing_keys(merged))
    if missing:
        raise ConfigError(f"protocol.sets.{name} must say what its {' and '.join(missing)} is")
    return merged


def load_arena_dataset(config: DictConfig, name: str) -> ArenaDataset:
    """Load a data set of an arena, with the classes and the unit of its entry."""
    entry = dataset_config(config, name)
    values = plain(entry)
    options = {key: values[key] for key in TableConfig.__dataclass_fields__}
    whole = TableConfig(**options | {"max_samples": None, "max_features": None})
    alone = config.copy()
    OmegaConf.update(alone, "dataset", whole, merge=False)
    data = _of_classes(load_dataset(alone), entry.classes)
    data = part(data, entry.max_samples, entry.max_features, config.seed)
    if entry.classes is not None or entry.unit is not None:
        X = np.asarray(data.X, dtype=np.float64) / (entry.unit or 1.0)
        order, fingerprint = canonical_order(X, data.y)
        data = replace(data, X=X[order], y=data.y[order], fingerprint=fingerprint)
    # Tables do not contain paths of one machine.
    source, _, _ = data.source.partition("; read from ")
    data = replace(data, source=source)
    label = dataset_label(config.protocol, name)
    return ArenaDataset(label, alone, data, list(entry.percentiles))


def _of_classes(data: Dataset, classes: list[int] | None) -> Dataset:
    """Return the samples of some classes of a data set, or of all."""
    wanted = set(map(int, classes or data.label_names))
    if len(wanted) < 2 or not wanted <= set(data.label_names):
        raise ConfigError(
            f"classes must be two or more of {sorted(data.label_names)}, as in {data.name}, "
            f"got {list(classes or wanted)}"
        )
    if len(wanted) == len(data.label_names):
        return data
    names = {label: data.label_names[label] for label in sorted(wanted)}
    rows = np.isin(data.y, list(wanted))
    X = data.X[rows]
    y = data.y[rows]
    source = f"the classes {' and '.join(names.values())} of: {data.source}"
    _, fingerprint = canonical_order(X, y)
    return replace(data, X=X, y=y, label_names=names, source=source, fingerprint=fingerprint)


def share_of(n: int, n_train: int) -> float:
    """Return the test share for which random splits of n rows have n_train training rows.

    The number of test rows is the share rounded up, so half a row is subtracted. A share of 1 / m
    would mean cross-validation; then more than half a row is subtracted.
    """
    for less in (0.5, 0.75, 0.9):
        share = (n - n_train - less) / n
        n_folds = 1 / share
        if abs(n_folds - round(n_folds)) > 1e-9:
            break
    return share


def divider_of(data: Dataset, wanted: int | str, protocol: Any, seed: int) -> KFold:
    """Return splits with a number of training samples, and two rows per class in inner folds.

    Raises
    ------
    DataError
        If there are too few samples, or too few of a class.
    """
    n = len(data.y)
    most = int((1 - protocol.test_size) * n)
    n_train = protocol.max_train if wanted == ALL else int(wanted)
    if n_train < most:
        share = share_of(n, n_train)
    elif wanted == ALL or n_train == most:
        share = protocol.test_size
    else:
        raise DataError(
            f"{wanted} of {n} samples leave less than {protocol.test_size:g} of them for the test"
        )
    classes, codes = np.unique(data.y, return_inverse=True)
    sizes_of_classes = []
    try:
        for split in range(protocol.n_repetitions):
            train, _ = outer_split(codes, data.fingerprint, seed, split, share)
            sizes_of_classes.append(np.bincount(codes[train], minlength=len(classes)))
    except ValueError as error:  # the message of scikit-learn has the class
        raise DataError(f"{wanted} training samples: {error}") from error
    least = int(np.min(sizes_of_classes))
    if least < 3:
        n_train = int(sizes_of_classes[0].sum())
        raise DataError(
            f"{n_train} training samples have {least} of the smallest class, but 3 are needed"
        )
    folds = min(protocol.inner_folds, least)
    largest_fold = -(-least // folds)
    return KFold(share, folds if least - largest_fold >= 2 else least)
