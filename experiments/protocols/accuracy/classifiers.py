"""Classifiers that select features themselves, beside the methods: their config and their tables.

An entry of ``protocol.classifiers`` is a scikit-learn classifier with a grid, or a pair of numbers
from the literature, which stands beside ours as quoted and is never computed.
"""

import json
import logging
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from sklearn.exceptions import ConvergenceWarning

from experiments.config import ConfigError, plain, suggest
from experiments.engine.keys import Unit
from experiments.evaluation import classifiers as evaluation
from experiments.evaluation.classifiers import Classifier, NoClassifier, load
from experiments.evaluation.comparison import accuracy_columns, most_common
from experiments.evaluation.method_config import thin

__all__ = ["Classifier", "per_split_rows", "resolve", "summary_rows", "units"]

log = logging.getLogger(__name__)


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
    #: Folds of the cross-validation that tunes it; those of the protocol where null.
    inner_folds: int | None = None
    #: Whether the run goes on without it where a package is missing, and says what to install.
    optional: bool = False


@dataclass(frozen=True)
class Tuned(Classifier):
    """A classifier with inner folds of its own; None where it has those of the protocol."""

    inner_folds: int | None = None


def resolve(config: DictConfig, n_classes: int = 2) -> list[Classifier]:
    """The classifiers of a config, in its order, grids thinned to ``protocol.grid_size``.

    Each candidate is tried on a few samples of so many classes. A classifier that is optional is
    left out where a package that it needs is missing; the log says what to install.

    Raises
    ------
    ConfigError
        Where an entry is incomplete, a package is missing, or a classifier refuses a parameter.
    """
    entries = plain(config.protocol.classifiers)
    classifiers = [
        classifier
        for name, entry in entries.items()
        if (classifier := _read(name, entry, config.protocol.grid_size)) is not None
    ]
    for classifier in classifiers:
        if classifier.quoted is None:
            _try(classifier, n_classes)
    return classifiers


def units(classifiers, source, axes, n_splits):
    """As :func:`experiments.evaluation.classifiers.units`, each with its own inner folds."""
    found: dict[tuple[str, int], Unit] = {}
    for c in classifiers:
        folds = getattr(c, "inner_folds", None) or axes["inner_folds"]
        found |= evaluation.units([c], source, {**axes, "inner_folds": folds}, n_splits)
    return found


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
        folds = read["inner_folds"]
        if folds is not None and folds < 2:
            raise ConfigError(f"classifier {name}: inner_folds must be at least 2, got {folds}")
        found = Tuned(
            name, label, read["call"], read["params"], grid, read["scale"], inner_folds=folds
        )
        return None if read["optional"] and _is_missing(found) else found
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


def _is_missing(classifier):
    """Whether a package that a classifier needs is not installed; the log then says which."""
    try:
        load(classifier)
    except NoClassifier as error:
        if not isinstance(error.__cause__, ImportError):
            return False  # The fault is another one, and is told where the classifier is tried.
        log.warning("%s; the run goes on without it", error)
        return True
    return False


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
