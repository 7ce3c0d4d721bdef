"""Classifiers that select features themselves, beside the methods: their config and their tables.

An entry of ``protocol.classifiers`` is a scikit-learn classifier with a grid, or a pair of numbers
from the literature, which stands beside ours as quoted and is never computed.
"""

import json
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from sklearn.exceptions import ConvergenceWarning

from experiments.config import ConfigError, plain, suggest
from experiments.evaluation.classifiers import Classifier, NoClassifier, load, units
from experiments.evaluation.comparison import accuracy_columns, most_common
from experiments.evaluation.method_config import thin

__all__ = ["Classifier", "per_split_rows", "resolve", "summary_rows", "units"]


@dataclass
class ClassifierConfig:
    """One entry of ``protocol.classifiers``."""

    label: str = ""
    #: "module:Class", with scikit-learn's interface.
    call: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    #: Parameter -> values, simplest first: of equally good ones the first is taken.
    grid: dict[str, Any] = field(default_factory=dict)
    #: Whether features get mean 0 and variance 1 on the rows that it is fitted to.
    scale: bool = False
    #: Mean accuracy and standard deviation in percent, as published.
    quoted: list[float] | None = None


def resolve(config: DictConfig, n_classes: int = 2) -> list[Classifier]:
    """The classifiers of a config, in its order, grids thinned to ``protocol.grid_size``.

    Each candidate is tried on a few samples of so many classes.

    Raises
    ------
    ConfigError
        Where an entry is incomplete, a package is missing, or a classifier refuses a parameter.
    """
    entries = plain(config.protocol.classifiers)
    classifiers = [_read(name, entry, config.protocol.grid_size) for name, entry in entries.items()]
    for classifier in classifiers:
        if classifier.quoted is None:
            _try(classifier, n_classes)
    return classifiers


def _read(name, entry, grid_size):
    try:
        read = plain(OmegaConf.merge(OmegaConf.structured(ClassifierConfig), entry))
    except OmegaConfBaseException as error:
        valid = ", ".join(ClassifierConfig.__dataclass_fields__)
        reason = str(error.msg or error).splitlines()[0]
        raise ConfigError(f"classifier {name}: {reason}; valid keys: {valid}") from error
    label, quoted = read["label"] or name, read["quoted"]
    if (read["call"] is None) == (quoted is None):
        raise ConfigError(f"classifier {name} needs either call: MODULE:CLASS or quoted: [%, %]")
    if quoted is None:
        for key, values in read["grid"].items():
            if not isinstance(values, list) or not values:
                raise ConfigError(f"classifier {name}: grid.{key} must list values, got {values}")
        grid = {key: thin(values, grid_size) for key, values in read["grid"].items()}
        return Classifier(name, label, read["call"], read["params"], grid, read["scale"])
    if len(quoted) != 2 or not all(0 <= number <= 100 for number in quoted):
        raise ConfigError(
            f"classifier {name}: quoted must be a mean accuracy and its standard deviation, both "
            f"in percent, got {quoted}"
        )
    if not name.endswith("_quoted"):
        raise ConfigError(
            f"classifier {name} holds published numbers; call it {name}_quoted, so that a "
            "classifier that is computed can have the name"
        )
    return Classifier(name, label, quoted=(quoted[0] / 100, quoted[1] / 100))


def _try(classifier, n_classes):
    """Fit every candidate to a few samples: what it refuses or ignores is found before the run."""
    try:
        known = sorted(load(classifier)().get_params())
    except NoClassifier as error:
        raise ConfigError(str(error)) from error
    for key in (*classifier.params, *classifier.grid):
        if key not in known:
            raise ConfigError(
                f"classifier {classifier.name} has no parameter {key!r}{suggest(key, known)}"
            )
    rng = np.random.default_rng(0)
    n_samples = max(24, 4 * n_classes)
    X, y = rng.normal(size=(n_samples, 6)), np.arange(n_samples) % n_classes
    for parameters in classifier.candidates():
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                classifier.estimator(parameters, random_state=0).fit(X, y)
            except (TypeError, ValueError, UserWarning) as error:
                tried = json.dumps({**classifier.params, **parameters})
                reason = " ".join(str(error).split())
                raise ConfigError(f"classifier {classifier.name} {tried}: {reason}") from error


def summary_rows(classifiers, found, n_splits, test_share, reading) -> list[dict]:
    """One row a classifier, for the summary of the methods.

    Parameters
    ----------
    classifiers : sequence of Classifier
    found : dict of (name, split) to Row or None
        None where the unit failed.
    n_splits : int
    test_share : float
        Test rows over training rows.
    reading : str
        The reading that the rows stand beside; it makes no difference to a classifier.
    """
    return [
        {
            "method": c.name,
            "label": c.label,
            "combination": False,
            "reading": reading,
            "ranking_share": 1.0,
            **(_quoted(c) if c.quoted else _summary(_done(c, found), n_splits, test_share)),
            "quoted": c.quoted is not None,
        }
        for c in classifiers
    ]


def per_split_rows(classifiers, found, reading) -> list[dict]:
    """One row a classifier and split that is done."""
    return [
        {"method": c.name, "label": c.label, "reading": reading, "split": split, **row}
        for c in classifiers
        for split, row in _done(c, found).items()
    ]


def _done(classifier, found):
    return {split: row for (name, split), row in found.items() if name == classifier.name and row}


def _quoted(classifier):
    return dict(zip(("accuracy", "std"), classifier.quoted, strict=True))


def _summary(rows, n_splits, test_share):
    counts = {"n_splits": len(rows), "n_failed": n_splits - len(rows)}
    if not rows:
        return counts
    tests = np.array([row["test"] for row in rows.values()])
    return {
        **accuracy_columns(tests, test_share),
        "n_features": int(np.median([row["n_features"] for row in rows.values()])),
        "validation": float(np.mean([row["validation"] for row in rows.values()])),
        "parameters": most_common(row["parameters"] for row in rows.values()),
        **counts,
    }
