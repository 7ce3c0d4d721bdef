"""A config fitted to the samples: folds for small classes, blocks for many features."""

from dataclasses import replace

import numpy as np
from omegaconf import OmegaConf

import baselines
from experiments.config import ConfigError
from experiments.datasets import DataError, Dataset
from experiments.evaluation.method_config import try_methods
from experiments.evaluation.methods import Method
from experiments.protocols.base import Run, check_neighbours
from manifest import manifest_score


def fitted(run: Run, data: Dataset) -> tuple[Run, list[str]]:
    """The run with no more folds than the smallest class allows, and what was changed."""
    protocol = run.config.protocol
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
        try_methods(run.methods, len(labels))
    told = []
    changed: dict = {"sizes": [size for size in protocol.sizes if size < d]}
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
    config = run.config.copy()
    for key, value in changed.items():
        OmegaConf.update(config, f"protocol.{key}", value)
    run = replace(run, config=config)
    check_neighbours(run.methods, n)
    return run, told


def with_blocks(methods: list[Method], d: int, protocol) -> tuple[list[Method], list[str]]:
    """The methods, in which ManiFeSt scores many features in blocks, and a sentence that says so.

    Methods whose approximation or geometry is chosen otherwise are left as they are.
    """
    if d <= protocol.exact_features:
        return methods, []
    changed, labels = [], []
    for method in methods:
        parts = []
        for part in method.parts:
            own = {**part.fixed}
            exact = own.get("approximation") is None and own.get("geometry") in (
                None,
                "auto",
                "regularized",
            )
            if baselines.get(part.call) is manifest_score and exact:
                own |= {"approximation": "context", "geometry": "regularized"}
                own |= {"block": protocol.block, "repeats": 1}
            parts.append(replace(part, fixed=own))
        changed.append(replace(method, parts=tuple(parts)))
        if changed[-1] != method:
            labels.append(method.label)
    told = (
        f"{d} features: {' and '.join(labels)} in random blocks of {protocol.block} "
        f"(exact up to protocol.exact_features={protocol.exact_features})"
    )
    return changed, [told] if labels else []
