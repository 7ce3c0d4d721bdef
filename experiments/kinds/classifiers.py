"""Evaluate classifiers that select features themselves: config, tasks and tables.

An entry of ``protocol.classifiers`` is a scikit-learn classifier with a grid, which is tuned on the
training rows of a split and tested once; or a pair of numbers from the literature, which is shown
as quoted and never computed.
"""

import importlib
import itertools
import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from baselines.contract import NeedsPackage
from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.config import ConfigError, plain, suggest
from experiments.evaluation.methods import thin
from experiments.evaluation.rows import inner_folds, outer_split, scaled
from experiments.evaluation.samples import Source
from experiments.evaluation.tuning import first_best

log = logging.getLogger(__name__)

#: Packages that only some classifiers need, and the extra of this project that brings each.
EXTRAS = {"xgboost": "embedded", "jax": "neural", "jaxlib": "neural"}


@dataclass(frozen=True)
class Classifier:
    """One entry of ``protocol.classifiers``."""

    label: str = ""
    #: "module:Class", with scikit-learn's interface.
    call: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    #: Parameter -> values, the simplest first; ties go to the first.
    grid: dict[str, Any] = field(default_factory=dict)
    #: Whether features are scaled to mean 0 and variance 1 on the rows used for fitting.
    scale: bool = False
    #: Mean accuracy and standard deviation in percent, as published.
    quoted: list[float] | None = None
    #: Folds of the cross-validation for tuning; null means those of the protocol.
    inner_folds: int | None = None

    def candidates(self) -> list[dict[str, Any]]:
        """Return all combinations of the grid's values; the last parameter varies fastest."""
        products = itertools.product(*self.grid.values())
        return [dict(zip(self.grid, values, strict=True)) for values in products]

    def estimator(self, parameters: Mapping[str, Any], random_state: int):
        """Return the unfitted estimator of one candidate, after a scaler if `scale`."""
        estimator = load(self.call)(**{**self.params, **parameters})
        if estimator.get_params().get("random_state", 0) is None:
            estimator.set_params(random_state=random_state)
        return make_pipeline(StandardScaler(), estimator) if self.scale else estimator


def load(call: str | None):
    """Import the class in the call of a classifier.

    Raises
    ------
    NeedsPackage
        If the package of an extra is not installed.
    ValueError
        If there is no such class.
    """
    module, _, name = str(call).partition(":")
    named, reason = None, ""
    try:
        named = getattr(importlib.import_module(module), name, None)
    except (ImportError, ValueError, TypeError) as error:
        package = str(getattr(error, "name", None)).partition(".")[0]
        if package in EXTRAS:
            raise NeedsPackage(str(call), package, EXTRAS[package]) from error
        reason = f", which cannot be imported ({error})"
    if not callable(named) or not hasattr(named, "get_params"):
        raise ValueError(
            f"call must name a class with scikit-learn's interface as MODULE:CLASS, got {call!r}"
            f"{reason}"
        )
    return named


def resolve(config: DictConfig, n_classes: int = 2) -> dict[str, Classifier]:
    """Return the classifiers to compute, by name, with grids thinned to ``protocol.grid_size``.

    Every candidate is fitted to a few samples of `n_classes` classes first, so that wrong
    parameters fail early. A classifier whose extra is not installed is left out; the log says what
    to install.

    Raises
    ------
    ConfigError
        If an entry is incomplete, there is no such class, or it refuses a parameter.
    """
    classifiers = {}
    for name, entry in plain(config.protocol.classifiers).items():
        try:
            classifier = _read(entry, config.protocol.grid_size, name)
            if classifier.quoted is None:
                _try(classifier, n_classes)
                classifiers[name] = classifier
        except NeedsPackage as error:
            log.warning("classifier %s: %s; the run goes on without it", name, error)
        except ValueError as error:
            raise ConfigError(f"classifier {name}: {error}") from error
    return classifiers


def _read(entry, grid_size, name) -> Classifier:
    """Read a classifier from its entry in the config; raise a ValueError if it is incomplete."""
    try:
        read = plain(OmegaConf.merge(OmegaConf.structured(Classifier), entry))
    except OmegaConfBaseException as error:
        valid = ", ".join(Classifier.__dataclass_fields__)
        raise ValueError(f"{str(error.msg).splitlines()[0]}; valid keys: {valid}") from error
    quoted = read["quoted"]
    if (read["call"] is None) == (quoted is None):
        raise ValueError("it needs either call: MODULE:CLASS or quoted: [%, %]")
    if quoted and not (len(quoted) == 2 and name.endswith("_quoted")):
        raise ValueError(
            f"it quotes published numbers, so its name must end with _quoted, and they are a mean "
            f"accuracy and its standard deviation in percent, got {quoted}"
        )
    for key, values in read["grid"].items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"grid.{key} must list values, got {values}")
        read["grid"][key] = thin(values, grid_size)
    if (folds := read["inner_folds"]) is not None and folds < 2:
        raise ValueError(f"inner_folds must be at least 2, got {folds}")
    return Classifier(**read)


def _try(classifier, n_classes) -> None:
    """Fit every candidate to a few samples, to find invalid parameters before the run."""
    known = sorted(load(classifier.call)().get_params())
    for key in (*classifier.params, *classifier.grid):
        if key not in known:
            raise ValueError(f"there is no parameter {key!r}{suggest(key, known)}")
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
                raise ValueError(f"{tried}: {' '.join(str(error).split())}") from error


def evaluate_classifier(classifier: Classifier, source: Source, axes: dict) -> Row:
    """Tune a classifier on the training rows of a split and test it.

    Parameters
    ----------
    classifier : Classifier
    source : Source
    axes : dict
        "fingerprint", "seed", "split", "test_size", "inner_folds" and "scaling".

    Returns
    -------
    Row
        "test": accuracy on the held-out rows. "validation": mean accuracy of the chosen candidate,
        the first of the best, over the inner folds; NaN for a single candidate, which needs no
        folds. "n_features": see :func:`n_used`. "parameters": the chosen candidate, as JSON.
    """
    X, y = source.samples()[:2]
    fingerprint, seed, split = axes["fingerprint"], axes["seed"], axes["split"]
    train, test = outer_split(y, fingerprint, seed, split, axes["test_size"])
    folds = inner_folds(y, train, fingerprint, seed, split, axes["inner_folds"])
    X = scaled(X, train, axes["scaling"])
    state = seeds.integer(seed, "classifier", fingerprint, split)
    candidates = classifier.candidates()
    estimators = [classifier.estimator(parameters, state) for parameters in candidates]
    best, validations = 0, [np.nan]
    if len(estimators) > 1:
        validations = [
            cross_val_score(e, X, y, cv=folds, scoring="accuracy", error_score="raise").mean()
            for e in estimators
        ]
        best = first_best(validations)
    fitted = estimators[best].fit(X[train], y[train])
    return {
        "test": float(np.mean(fitted.predict(X[test]) == y[test])),
        "validation": float(validations[best]),
        "n_features": n_used(fitted, X.shape[1]),
        "parameters": json.dumps(candidates[best], sort_keys=True),
    }


def n_used(fitted, n_features: int) -> int:
    """Return the number of features that a fitted classifier uses.

    It uses those with a non-zero coefficient, importance or weight into the first layer. A kernel
    machine has none of these and uses all features.
    """
    final = fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted
    layers = getattr(final, "coefs_", None)
    weights = getattr(final, "coef_", None) if layers is None else layers[0].T
    weights = getattr(final, "feature_importances_", None) if weights is None else weights
    if weights is None:
        return n_features
    return int(np.any(np.atleast_2d(weights) != 0, axis=0).sum())


def task_of(classifier: Classifier, source: Source, axes: dict) -> Task:
    """Return the task of a classifier on a split (`axes`: see :func:`evaluate_classifier`)."""
    axes = {**axes, "inner_folds": classifier.inner_folds or axes["inner_folds"]}
    identity = [classifier.call, dict(classifier.params), classifier.candidates(), classifier.scale]
    key = key_of("classifiers", [load(classifier.call)], axes=axes, classifier=identity)
    return Task(key, partial(evaluate_classifier, classifier, source, axes))


def n_splits(config: DictConfig, method: str, tuning: str) -> int:
    """Return the number of splits used to evaluate a method or classifier under a tuning."""
    protocol = config.protocol
    fewer = [n for name, n in protocol.fewer_splits.items() if name in (method, tuning)]
    return min([protocol.n_repetitions, *fewer])


def tasks_of(setup) -> dict[tuple[str, int], Task]:
    """Return the task of each classifier to compute on each split."""
    run, protocol = setup.run, setup.run.config.protocol
    axes = {
        "fingerprint": setup.source.fingerprint,
        "seed": run.config.seed,
        "test_size": protocol.test_size,
        "inner_folds": protocol.inner_folds,
        "scaling": run.config.dataset.scaling,
    }
    return {
        (name, split): task_of(classifier, setup.source, {**axes, "split": split})
        for name, classifier in resolve(run.config, len(np.unique(setup.data.y))).items()
        for split in range(max(n_splits(run.config, name, tuning) for tuning in protocol.tuning))
    }


def rows(setup) -> Iterator[dict[str, Any]]:
    """Return a row for each tuning, classifier and split; they are the same for all tunings.

    A tuning may have fewer splits than others.
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
    """Return rows of the summary for computed classifiers and for quoted numbers.

    `known` has the computed summary by name, tuning and ranking share.
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
