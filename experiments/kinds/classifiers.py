"""Classifiers that select features themselves, beside the methods: their config and their tables.

An entry of ``protocol.classifiers`` is a scikit-learn classifier with a grid, or a pair of numbers
from the literature, which stands beside ours as quoted and is never computed.
"""

import json
import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from sklearn.exceptions import ConvergenceWarning

from experiments.cache import Task
from experiments.config import ConfigError, plain, suggest
from experiments.evaluation.classifiers import Classifier, NoClassifier, load, task_of
from experiments.evaluation.methods import thin

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
    #: Features get mean 0 and variance 1 on the rows that it is fitted to.
    scale: bool = False
    #: Mean accuracy and standard deviation in percent, as published.
    quoted: list[float] | None = None
    #: Folds of the cross-validation that tunes it; those of the protocol if null.
    inner_folds: int | None = None
    #: The run goes on without it if a package is missing, and says what to install.
    optional: bool = False


def resolve(config: DictConfig, n_classes: int = 2) -> list[Classifier]:
    """The classifiers that a config computes, grids thinned to ``protocol.grid_size``.

    Every candidate is fitted to a few samples of `n_classes` classes first, so that wrong
    parameters fail early. An optional classifier is left out if a package that it needs is missing;
    the log says what to install.

    Raises
    ------
    ConfigError
        If an entry is incomplete, a package is missing, or a classifier refuses a parameter.
    """
    classifiers = []
    for name, entry in plain(config.protocol.classifiers).items():
        if (classifier := _read(name, entry, config.protocol.grid_size)) is None:
            continue
        try:
            _try(classifier, n_classes)
            classifiers.append(classifier)
        except NoClassifier as error:
            if not (entry.get("optional") and isinstance(error.__cause__, ImportError)):
                raise ConfigError(str(error)) from error
            log.warning("%s; the run goes on without it", error)
    return classifiers


def n_splits(config: DictConfig, method: str, tuning: str) -> int:
    """Number of splits that a method or a classifier is evaluated on under a tuning."""
    protocol = config.protocol
    fewer = [n for name, n in protocol.fewer_splits.items() if name in (method, tuning)]
    return min([protocol.n_repetitions, *fewer])


def tasks_of(setup) -> dict[tuple[str, int], Task]:
    """The task of each classifier that a config computes on each split."""
    run, protocol = setup.run, setup.run.config.protocol
    axes = {
        "fingerprint": setup.source.fingerprint,
        "seed": run.config.seed,
        "test_size": protocol.test_size,
        "inner_folds": protocol.inner_folds,
        "scaling": run.config.dataset.scaling,
    }
    return {
        (classifier.name, split): task_of(classifier, setup.source, {**axes, "split": split})
        for classifier in resolve(run.config, len(np.unique(setup.data.y)))
        for split in range(max(n_splits(run.config, classifier.name, r) for r in protocol.tuning))
    }


def rows(setup) -> Iterator[dict[str, Any]]:
    """A row for each tuning, classifier and split; a tuning makes no difference to them.

    It may have fewer splits than others.
    """
    config, done = setup.run.config, setup.run.rows_at(tasks_of(setup), "classifiers")
    entries = plain(config.protocol.classifiers)
    for tuning in config.protocol.tuning:
        for (name, split), row in done.items():
            if split < n_splits(config, name, tuning):
                label = entries[name].get("label") or name
                head = {"method": name, "label": label, "tuning": tuning, "split": split}
                yield {**head, **row, **setup.counts[split]}


def summary_rows(config: DictConfig, known: dict[tuple, dict]) -> Iterator[dict[str, Any]]:
    """Rows of the summary: those of computed classifiers, and the quoted numbers of others.

    `known` has the summary of what was computed, by name, tuning and ranking share.
    """
    for tuning in config.protocol.tuning:
        for name, entry in plain(config.protocol.classifiers).items():
            head = {"method": name, "label": entry.get("label") or name, "combination": False}
            head |= {"tuning": tuning, "ranking_share": 1.0}
            if quoted := entry.get("quoted"):
                numbers = {"accuracy": quoted[0] / 100, "std": quoted[1] / 100}
                yield {**head, **numbers, "quoted": True}
            else:
                row = known.get((name, tuning, 1.0), {"n_splits": 0})
                yield {**row, **head, "quoted": False}


def _read(name, entry, grid_size) -> Classifier | None:
    """A classifier from its entry in the config; None for published numbers."""
    try:
        read = plain(OmegaConf.merge(OmegaConf.structured(ClassifierConfig), entry))
    except OmegaConfBaseException as error:
        valid = ", ".join(ClassifierConfig.__dataclass_fields__)
        reason = str(error.msg or error).splitlines()[0]
        raise ConfigError(f"classifier {name}: {reason}; valid keys: {valid}") from error
    quoted, folds = read.pop("quoted"), read["inner_folds"]
    if (read["call"] is None) == (quoted is None):
        raise ConfigError(f"classifier {name} needs either call: MODULE:CLASS or quoted: [%, %]")
    if quoted is not None:
        if len(quoted) != 2 or not all(0 <= number <= 100 for number in quoted):
            raise ConfigError(
                f"classifier {name}: quoted must be a mean accuracy and its standard deviation, "
                f"both in percent, got {quoted}"
            )
        if not name.endswith("_quoted"):
            raise ConfigError(
                f"classifier {name} holds published numbers; call it {name}_quoted, so that a "
                "classifier that is computed can have the name"
            )
        return None
    for key, values in read["grid"].items():
        if not isinstance(values, list) or not values:
            raise ConfigError(f"classifier {name}: grid.{key} must list values, got {values}")
        read["grid"][key] = thin(values, grid_size)
    if folds is not None and folds < 2:
        raise ConfigError(f"classifier {name}: inner_folds must be at least 2, got {folds}")
    del read["optional"]
    return Classifier(name, **{**read, "label": read["label"] or name})


def _try(classifier, n_classes):
    """Fit every candidate to a few samples: what it refuses or ignores is found before the run."""
    known = sorted(load(classifier)().get_params())
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
