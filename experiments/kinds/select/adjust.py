"""A config adjusted to the samples: sizes below all features, folds for small classes."""

import numpy as np
from omegaconf import DictConfig, OmegaConf

from experiments.config import ConfigError
from experiments.datasets import DataError, Dataset
from experiments.evaluation.method_config import try_methods
from experiments.evaluation.methods import Method
from experiments.kinds.base import check_neighbours


def adjusted(
    config: DictConfig, methods: list[Method], data: Dataset
) -> tuple[DictConfig, list[str]]:
    """The config with no more folds than the smallest class allows, and sentences on changes."""
    protocol = config.protocol
    n, d = data.X.shape
    labels, counts = np.unique(data.y, return_counts=True)
    least, name = int(counts.min()), data.label_names[int(labels[counts.argmin()])]
    if d < 2:
        raise DataError(f"{data.name} has one feature; there is nothing to select")
    if least < 3:
        raise DataError(
            f"class {name!r} has {least} samples; three of each class are needed to choose "
            "features on some and judge them on others"
        )
    if protocol.n_features is not None and protocol.n_features >= d:
        raise ConfigError(
            f"protocol.n_features={protocol.n_features} must be below the {d} features that there "
            "are"
        )
    if len(labels) > 2:
        try_methods(methods, len(labels))
    told = []
    wanted = {*(size for size in protocol.sizes if size < d), d}
    wanted |= {protocol.n_features} if protocol.n_features else set()
    changed: dict = {"sizes": sorted(wanted)}
    n_folds = max(2, round(1 / protocol.test_size))
    if least < n_folds:
        repeats = max(1, protocol.n_repetitions // n_folds)
        n_folds = least
        changed |= {"test_size": 1 / least, "n_repetitions": repeats * least}
    inner = least - -(-least // n_folds)
    if inner < protocol.inner_folds:
        changed["inner_folds"] = inner
    if len(changed) > 1:
        told.append(
            f"class {name!r} has {least} samples: {n_folds} outer and "
            f"{changed.get('inner_folds', protocol.inner_folds)} inner folds, "
            "and an accuracy that tells little"
        )
    config = config.copy()
    for key, value in changed.items():
        OmegaConf.update(config, f"protocol.{key}", value)
    check_neighbours(methods, n)
    return config, told
