"""Rankings evaluated by the accuracy of an SVM on nested feature subsets.

See :mod:`experiments.evaluation.tuning` for the ways of tuning. All of them read the same tasks.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.config import ConfigError, share
from experiments.evaluation.accuracies import BY, first_overlap
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.rows import KFold
from experiments.evaluation.svm.evaluators import SvmGrid
from experiments.kinds import base, splits


@dataclass
class Schema(splits.Schema):
    """Splits of a data set, the SVM's grid, and how the tasks are read."""

    kind: str = "accuracy"


def check(config: DictConfig) -> None:
    """Raise a ConfigError unless splits, folds, grids and ways of tuning make sense."""
    share(config, "protocol.test_size")
    splits.check_rankings(config)


def setup_of(run: base.Run) -> splits.Setup:
    """The samples, splits and evaluator of a config."""
    data, protocol = load_dataset(run.config), run.config.protocol
    _, counts = np.unique(data.y, return_counts=True)
    least = int(counts.min() * (1 - protocol.test_size))
    if least < protocol.inner_folds:
        raise ConfigError(
            f"protocol.inner_folds={protocol.inner_folds} needs as many training samples of "
            f"each class, the smallest class of {run.config.dataset.name} leaves {least}"
        )
    plan = KFold(protocol.test_size, protocol.inner_folds, protocol.inner_repeats)
    return splits.Setup.of(run, data, plan, SvmGrid, refit=protocol.refit)


def run(run: base.Run) -> base.Results:
    """Rank and evaluate all methods on all splits; evaluate the classifiers beside them."""
    setup = setup_of(run)
    return base.Results({"rows": pd.DataFrame(splits.rows(setup))}, described(setup.data))


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """The tables of splits, whose training parts overlap."""
    return splits.tables(stored, config, first_overlap(stored["rows"]))


KIND = base.Kind(Schema, check, run, tables, "accuracy", BY, is_share=True)
