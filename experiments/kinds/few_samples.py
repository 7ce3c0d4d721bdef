"""Rank from a few samples of each class, and evaluate by an SVM on all other samples.

The paper's 2023 version evaluates several classes in this way. A draw takes a given number of
samples of each class. Features are ranked from them, and an SVM with an RBF kernel is trained on
them, one class against one. Its C and gamma, and the tuned parameters of a method, have the best
accuracy in cross-validation inside these samples. The test uses all other samples.

Draws are treated as independent, because few of many samples are used for training and two draws
share few. The intervals describe other draws from the same data set.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.config import ConfigError
from experiments.evaluation import summary
from experiments.evaluation.accuracies import BY, of_splits
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.rows import PerClass
from experiments.evaluation.svm.evaluators import SvmBestCell
from experiments.kinds import accuracy, base


@dataclass
class FewSamplesProtocol(accuracy.AccuracyProtocol):
    """Number of samples of each class, and the SVM's grid."""

    kind: str = "few_samples"
    #: Training samples of each class; all others are test samples.
    n_per_class: int = 300
    #: Not used by this kind: `n_per_class` decides how many samples are left for the test.
    test_size: float | None = None  # type: ignore[assignment]
    tuning: list[str] = field(default_factory=lambda: ["paper"])


def check(config: DictConfig) -> None:
    """Raise a ConfigError if numbers or grids make no sense, or belong to another kind."""
    accuracy.check_rankings(config)
    accuracy.must_stay(config, test_size=None, tuning=["paper"], classifiers={}, inner_repeats=1)
    base.check_numbers(config, n_per_class=config.protocol.inner_folds)


def setup_of(run: base.Run) -> accuracy.Setup:
    """Return the samples, draws and evaluator of a config."""
    protocol, data = run.config.protocol, load_dataset(run.config)
    labels, counts = np.unique(data.y, return_counts=True)
    if counts.min() <= protocol.n_per_class:
        raise ConfigError(
            f"protocol.n_per_class={protocol.n_per_class} must leave samples of each class to test "
            f"on, class {labels[counts.argmin()]} of {run.config.dataset.name} has {counts.min()}"
        )
    plan = PerClass(protocol.n_per_class, protocol.inner_folds)
    return accuracy.Setup.of(run, data, plan, SvmBestCell)


def run(run: base.Run) -> base.Results:
    """Rank and evaluate all methods on all draws."""
    setup = setup_of(run)
    return base.Results({"rows": pd.DataFrame(accuracy.rows(setup))}, described(setup.data))


def accuracies(rows: pd.DataFrame, config: DictConfig) -> pd.DataFrame:
    """Return a row for each method, ranking share and number of features.

    "difference" is the reference minus the method, paired by draw.
    """
    by = ["ranking_share", "n_features"]
    draws = of_splits(rows).sort_values(by, kind="stable")
    table = summary.table(draws, by, "test", title="accuracy", heads=["label"])
    table = table.drop(columns=["n_ambiguous", "n_uninformative"], errors="ignore")
    ends = {"ci_low": "difference_low", "ci_high": "difference_high", "other": "method"}
    pairs = summary.pairs(draws, by, summary.reference_of([*base.labels(config)]), "test")
    pairs = pairs.drop(columns=["method", "n_splits"]).rename(columns=ends)
    return base.with_whole_counts(table.merge(pairs, on=[*by, "method"], how="left"))


def tables(stored: base.Tables, config: DictConfig) -> base.Tables:
    """Return the tables of splits, and the accuracies at each number of features."""
    of_splits = accuracy.split_tables(stored, config, overlap=0.0)
    return {**of_splits, "accuracies": accuracies(stored["rows"], config)}


KIND = base.Kind(FewSamplesProtocol, check, run, tables, "accuracy", BY, is_share=True)
