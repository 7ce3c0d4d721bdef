"""Classifiers that select features themselves, beside the methods: their config and their tables.

An entry of ``protocol.classifiers`` is a scikit-learn classifier with a grid, or a pair of numbers
from the literature, which stands beside ours as quoted and is never computed.
"""

import json
import logging
import warnings
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from sklearn.exceptions import ConvergenceWarning

from experiments.config import ConfigError, plain, suggest
from experiments.engine.keys import Unit
from experiments.evaluation import classifiers as evaluation
from experiments.evaluation.classifiers import Classifier, NoClassifier, load
from experiments.evaluation.method_config import thin
from experiments.kinds.adoption import Check, NumberOf, differing

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


def units_of(setup) -> tuple[list[Classifier], dict[tuple[str, int], Unit]]:
    """The classifiers of a config, and the unit of each computed one on each split.

    Parameters
    ----------
    setup : experiments.kinds.splits.Setup
    """
    run, protocol = setup.run, setup.run.config.protocol
    if not protocol.classifiers:
        return [], {}
    classifiers = resolve(run.config, len(np.unique(setup.data.y)))
    axes = {
        "fingerprint": setup.source.fingerprint,
        "seed": run.config.seed,
        "test_size": protocol.test_size,
        "scaling": run.config.dataset.scaling,
    }
    axes["inner_folds"] = protocol.inner_folds
    return classifiers, units(classifiers, setup.source, axes, protocol.n_repetitions)


def units(classifiers, source, axes, n_splits) -> dict[tuple[str, int], Unit]:
    """Units as of :func:`experiments.evaluation.classifiers.units`, with own inner folds."""
    by_split: dict[tuple[str, int], Unit] = {}
    for classifier in classifiers:
        folds = getattr(classifier, "inner_folds", None) or axes["inner_folds"]
        by_split |= evaluation.units([classifier], source, {**axes, "inner_folds": folds}, n_splits)
    return by_split


def rows(setup) -> list[dict[str, Any]]:
    """A row for each reading, classifier and split; a reading makes no difference to them."""
    classifiers, by_split = units_of(setup)
    setup.run.complete(list(by_split.values()), "classifiers")
    labels = {classifier.name: classifier.label for classifier in classifiers}
    table = []
    for reading in setup.run.config.protocol.readings:
        for (name, split), unit in by_split.items():
            if (row := setup.run.outcome.rows.get(unit.key)) is not None:
                head = {"method": name, "label": labels[name], "reading": reading, "split": split}
                table.append({**head, **row, **setup.about(split)})
    return table


def checks(setup, rows: pd.DataFrame, rng: np.random.Generator, number_of: NumberOf) -> list[Check]:
    """Checks of random splits of each classifier that is computed."""
    classifiers, by_split = units_of(setup)
    chosen = []
    for classifier in classifiers:
        stored = rows[rows["method"] == classifier.name].drop_duplicates("split")
        for split in rng.permutation(stored["split"].astype(int))[: number_of(classifier.name)]:
            row = stored[stored["split"] == split].iloc[0]
            unit = by_split[classifier.name, int(split)]
            compare = partial(_compared, row, f"{classifier.name}, split {split}")
            chosen.append(Check(classifier.name, (str(classifier.call),), [unit], compare))
    return chosen


def _compared(stored, axes, computed):
    return list(differing(stored, computed[0], axes))


def summary_rows(config: DictConfig, known: dict[tuple, dict]) -> list[dict[str, Any]]:
    """Rows of the summary: those of computed classifiers, and the quoted numbers of others.

    Parameters
    ----------
    config : DictConfig
    known : dict of (name, reading, ranking share) to dict
        The summary of what was computed.
    """
    table = []
    for reading in config.protocol.readings:
        for name, entry in plain(config.protocol.classifiers).items():
            head = {
                "method": name,
                "label": entry.get("label") or name,
                "combination": False,
                "reading": reading,
                "ranking_share": 1.0,
            }
            quoted = entry.get("quoted")
            if quoted is not None:
                numbers = {"accuracy": quoted[0] / 100, "std": quoted[1] / 100}
                table.append({**head, **numbers, "quoted": True})
            else:
                row = known.get((name, reading, 1.0), {"n_splits": 0})
                table.append({**row, **head, "quoted": False})
    return table


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
