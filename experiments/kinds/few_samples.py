"""Rank from a few samples of each class, and evaluate by an SVM on all other samples.

The paper's 2023 version evaluates several classes in this way. A draw takes a given number of
samples of each class. Features are ranked from them, and an SVM with an RBF kernel is trained on
them, one class against one. Its C and gamma, and the tuned parameters of a method, have the best
accuracy in cross-validation inside these samples. The test uses all other samples.

Draws are treated as independent, because few of many samples are used for training and two draws
share few. The intervals describe other draws from the same data set.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig

from experiments.cache import Row, Task, key_of
from experiments.config import ConfigError
from experiments.datasets import Dataset
from experiments.evaluation import summary
from experiments.evaluation.accuracies import BY, of_splits
from experiments.evaluation.data import described, load_dataset
from experiments.evaluation.eigenimages import show
from experiments.evaluation.methods import Method
from experiments.evaluation.rows import PerClass
from experiments.evaluation.svm.evaluators import SvmBestCell
from experiments.kinds import accuracy, base
from manifest import manifest_score


@dataclass
class FewSamplesProtocol(accuracy.AccuracyProtocol):
    """Number of samples of each class, grid of the SVM, and contents of pictures."""

    kind: str = "few_samples"
    #: Training samples of each class; all others are test samples.
    n_per_class: int = 300
    #: Not used by this kind: `n_per_class` decides how many samples are left for the test.
    test_size: float | None = None  # type: ignore[assignment]
    tuning: list[str] = field(default_factory=lambda: ["paper"])
    #: Rows and columns of an image; if empty, no operators are shown.
    shape: list[int] = field(default_factory=list)
    #: Leading eigenvectors of M and of each D that are shown.
    n_mean: int = 2
    n_difference: int = 1


def check(config: DictConfig) -> None:
    """Raise a ConfigError if numbers or grids make no sense, or belong to another kind."""
    accuracy.check_rankings(config)
    accuracy.must_stay(
        config, test_size=None, tuning=["paper"], classifiers={}, inner_repeats=1, refit="all"
    )
    least = {"n_per_class": config.protocol.inner_folds, "n_mean": 1, "n_difference": 1}
    base.check_numbers(config, **least)
    if config.protocol.shape:
        base.check_rectangle(config)


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
    """Rank and evaluate all methods on all draws, and make pictures of the first draw."""
    setup = setup_of(run)
    tables = {"rows": accuracy.rows(setup), "images": picture_rows(setup)}
    stored = {name: pd.DataFrame(rows) for name, rows in tables.items() if rows}
    return base.Results({"rows": pd.DataFrame(), **stored}, described(setup.data))


def picture_rows(setup: accuracy.Setup) -> list[dict[str, Any]]:
    """Return rows with an "image", its class and "pixels"; none without ``protocol.shape``.

    The images are a sample of each class, eigenvectors of M and of each D, and the score. They are
    those of the first candidate of the first method that compares all classes with their mean, on
    the training rows of the first draw.
    """
    run, problem = setup.run, setup.problem(0)
    protocol, choice = run.config.protocol, pictured_method(run.methods)
    if not protocol.shape or choice is None:
        return []
    base.check_shape(run.config, setup.data)
    method, parameters = choice
    numbers = {"n_mean": protocol.n_mean, "n_difference": protocol.n_difference}
    at = {"problem": problem.trained_by, "parameters": parameters, **numbers}
    key = key_of("pictures", **at)
    task = Task(key, partial(show, problem, parameters, **numbers))
    train = setup.division(0).train
    done = run.rows_at({(): task}, "operators").values()
    return [picture for row in done for picture in _pictures(method, setup.data, train, row)]


def pictured_method(methods: Sequence[Method]) -> tuple[Method, dict[str, Any]] | None:
    """Return the first method that compares all classes with their mean, and a candidate."""
    for method in methods:
        keywords = dict(method.candidates()[0][method.parts[0].name])
        with_mean = keywords.pop("multiclass", "mean") == "mean" and "block" not in keywords
        if with_mean and method.scorers() == [manifest_score]:
            return method, keywords
    return None


def _pictures(method: Method, data: Dataset, train: np.ndarray, row: Row) -> list[dict[str, Any]]:
    def picture(name, pixels, *, label=None, value=np.nan):
        image = {"image": name, "class": label, "eigenvalue": value}
        pixels = np.asarray(pixels, dtype=np.float64)
        return {"method": method.name, "label": method.label, **image, "pixels": pixels}

    labels, rows = np.unique(data.y), []
    for label in labels:
        first = train[data.y[train] == label][0]
        rows.append(picture("sample", data.X[first], label=data.label_names[label]))
    for value, vector in zip(row["mean_values"], row["mean_vectors"], strict=True):
        rows.append(picture("mean", vector, value=value))
    # Two classes have one difference operator, which is that of the first.
    of_classes = zip(labels, row["difference_values"], row["difference_vectors"], strict=False)
    for label, values, vectors in of_classes:
        for value, vector in zip(values, vectors, strict=True):
            rows.append(picture("difference", vector, label=data.label_names[label], value=value))
    return [*rows, picture("score", row["score"])]


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
