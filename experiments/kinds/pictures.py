"""Pictures of the operators of a ranking: samples, eigenvectors and the score as tidy rows."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from omegaconf import DictConfig

from experiments.config import ConfigError
from experiments.engine.keys import Row, Unit, key_of
from experiments.evaluation.eigenimages import show
from experiments.evaluation.methods import Method
from manifest import manifest_score

if TYPE_CHECKING:
    from experiments.datasets import Dataset
    from experiments.evaluation.ranking import Problem
    from experiments.kinds.base import Run


def check_rectangle(config: DictConfig) -> None:
    """Raise a ConfigError unless ``protocol.shape`` is the rows and columns of an image."""
    shape = list(config.protocol.shape)
    if len(shape) != 2 or min(shape) < 1:
        raise ConfigError(f"protocol.shape must be [rows, columns] of an image, got {shape}")


def check_shape(config: DictConfig, data: "Dataset") -> None:
    """Raise a ConfigError if ``protocol.shape`` has another number of pixels than the samples."""
    shape, n_features = list(config.protocol.shape), data.X.shape[1]
    if n_features != np.prod(shape):
        raise ConfigError(
            f"protocol.shape {shape} has {np.prod(shape)} pixels, "
            f"{data.name} has {n_features} features"
        )


def picture_rows(run: "Run", problem: "Problem", data: "Dataset") -> list[dict[str, Any]]:
    """Rows with an "image", its class and "pixels"; none without ``protocol.shape``.

    The rows are of the first method that compares all classes with their mean, at its first
    candidate: a sample of each class, eigenvectors of M and of each D, and the score. The training
    rows of the problem are decomposed.
    """
    protocol, choice = run.config.protocol, pictured_method(run.methods)
    if not protocol.shape or choice is None:
        return []
    check_shape(run.config, data)
    method, parameters = choice
    numbers = {"n_mean": protocol.n_mean, "n_difference": protocol.n_difference}
    at = {"problem": problem.trained_by, "parameters": parameters, **numbers}
    key = key_of("pictures", [show], **at)
    unit = Unit(key, partial(show, problem, parameters, **numbers))
    run.complete([unit], "operators")
    if (row := run.row(unit)) is None:
        return []
    train = problem.division(np.unique(data.y, return_inverse=True)[1]).train
    return _rows(method, data, train, row)


def pictured_method(methods: Sequence[Method]) -> tuple[Method, dict[str, Any]] | None:
    """The first method that compares all classes with their mean, and its first candidate."""
    for method in methods:
        keywords = dict(method.candidates()[0][method.parts[0].name])
        with_mean = keywords.pop("multiclass", "mean") == "mean" and "approximation" not in keywords
        if with_mean and method.scorers() == [manifest_score]:
            return method, keywords
    return None


def _rows(method: Method, data: "Dataset", train: np.ndarray, row: Row) -> list[dict[str, Any]]:
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
