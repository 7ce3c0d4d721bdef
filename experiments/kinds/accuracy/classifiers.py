"""Evaluate classifiers that select features themselves: config, tasks and tables.

An entry of ``protocol.classifiers`` is a scikit-learn classifier with a grid, which is tuned on the
training rows of a split and tested once.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from omegaconf import DictConfig
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from baselines import get
from baselines.contract import NeedsPackage
from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.code import elsewhere
from experiments.config import ConfigError, plain
from experiments.evaluation.division import KFold
from experiments.evaluation.methods import thin
from experiments.evaluation.tasks import Problem
from experiments.evaluation.tuning import cross_validated, first_best
from experiments.kinds.accuracy.setup import Setup, n_splits
from experiments.schemas import Classifier

log = logging.getLogger(__name__)

#: Packages that only some classifiers need, and the extra of this project that brings each.
EXTRAS = {"xgboost": "embedded", "jax": "neural", "jaxlib": "neural"}


def estimator_of(classifier: Classifier, parameters: Mapping[str, Any], random_state: int) -> Any:
    """Return the unfitted estimator of one candidate, after a scaler if `scale`."""
    estimator = load(classifier.call)(**{**classifier.params, **parameters})
    if estimator.get_params().get("random_state", 0) is None:
        estimator.set_params(random_state=random_state)
    return make_pipeline(StandardScaler(), estimator) if classifier.scale else estimator


def load(call: str) -> Any:
    """Import the class in the call of a classifier.

    Raises
    ------
    NeedsPackage
        If the package of an extra is not installed.
    ValueError
        If there is no such class.
    """
    try:
        loaded = get(call)
    except (Exception, SystemExit) as error:  # Its module may raise any.
        module = getattr(error.__cause__ or error, "name", None)
        package = str(module).partition(".")[0]
        if package in EXTRAS:
            raise NeedsPackage(call, package, EXTRAS[package]) from error
        raise ValueError(f"{call} cannot be imported, {error!r}") from error
    if not hasattr(loaded, "get_params"):
        raise ValueError(f"{call} must be a class with scikit-learn's interface, as MODULE:CLASS")
    return loaded


def entries(config: DictConfig) -> dict[str, Classifier]:
    """Return all classifiers of a config by name."""
    classifiers = {}
    for name, entry in plain(config.protocol.classifiers).items():
        label = entry.get("label") or name
        classifiers[name] = Classifier(**{**entry, "label": label})
    return classifiers


def resolve(config: DictConfig) -> dict[str, Classifier]:
    """Return the classifiers to compute, by name, with grids thinned to ``protocol.grid_size``.

    A classifier whose extra is not installed is left out; the log says what to install.

    Raises
    ------
    ConfigError
        If an entry is incomplete, or there is no such class.
    """
    size = config.protocol.grid_size
    classifiers = {}
    for name, entry in entries(config).items():
        try:
            if not entry.call:
                raise ValueError("it needs call: MODULE:CLASS")
            load(entry.call)
        except NeedsPackage as error:
            log.warning("classifier %s: %s; the run goes on without it", name, error)
        except ValueError as error:
            raise ConfigError(f"classifier {name}: {error}") from error
        else:
            grid = {key: thin(values, size) for key, values in entry.grid.items()}
            classifiers[name] = replace(entry, grid=grid)
    return classifiers


def evaluate_classifier(classifier: Classifier, problem: Problem) -> Row:
    """Tune a classifier on the training rows of a split and test it.

    Returns
    -------
    Row
        "test": accuracy on the held-out rows. "validation": mean accuracy of the chosen candidate,
        the first of the best, over the inner folds; NaN for a single candidate, which needs no
        folds. "n_features": see :func:`n_used`. "parameters": the chosen candidate, as JSON.
    """
    (X, y, _), division = problem.prepared()
    state = seeds.integer(problem.seed, "classifier", problem.source.fingerprint, problem.number)
    candidates = classifier.candidates()
    estimators = [estimator_of(classifier, parameters, state) for parameters in candidates]

    def accuracies(train: np.ndarray, held_out: np.ndarray) -> list[float]:
        scores = []
        for estimator in estimators:
            fitted = clone(estimator).fit(X[train], y[train])
            predicted = fitted.predict(X[held_out])
            scores.append(accuracy_score(y[held_out], predicted))
        return scores

    best = 0
    validations = np.array([np.nan])
    if len(estimators) > 1:
        validations = cross_validated(division.folds, accuracies)
        best = first_best(validations)
    fitted = estimators[best].fit(X[division.train], y[division.train])
    is_right = fitted.predict(X[division.test]) == y[division.test]
    return {
        "test": float(np.mean(is_right)),
        "validation": float(validations[best]),
        "n_features": n_used(fitted, X.shape[1]),
        "parameters": json.dumps(candidates[best], sort_keys=True),
    }


def n_used(fitted: Any, n_features: int) -> int:
    """Return the number of features that a fitted classifier uses.

    It uses those with a non-zero coefficient, importance or weight into the first layer. A kernel
    machine has none of these and uses all features.
    """
    final = fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted
    if hasattr(final, "coefs_"):
        weights = final.coefs_[0].T
    elif hasattr(final, "coef_"):
        weights = final.coef_
    elif hasattr(final, "feature_importances_"):
        weights = final.feature_importances_
    else:
        return n_features
    is_used = np.any(np.atleast_2d(weights) != 0, axis=0)
    return int(is_used.sum())


def problem_of(classifier: Classifier, setup: Setup, split: int) -> Problem:
    """Return the samples of a split and their division, with the inner folds of a classifier."""
    config = setup.run.config
    protocol = config.protocol
    divider = KFold(protocol.test_size, classifier.inner_folds or protocol.inner_folds)
    scaling = config.dataset.scaling
    return Problem(setup.source, divider, None, config.seed, scaling, number=split)


def task_of(classifier: Classifier, problem: Problem) -> Task:
    """Return the task of a loaded classifier."""
    identity = [
        classifier.call,
        dict(classifier.params),
        classifier.candidates(),
        classifier.scale,
        elsewhere(classifier.call),
    ]
    key = key_of("classifiers", problem=problem.identity, classifier=identity)
    return Task(key, partial(evaluate_classifier, classifier, problem))


def tasks_of(setup: Setup) -> dict[tuple[str, int], Task]:
    """Return the task of each classifier to compute on each split."""
    config = setup.run.config
    tasks = {}
    for name, classifier in resolve(config).items():
        n_most = max(n_splits(config, name, tuning) for tuning in config.protocol.tuning)
        for split in range(n_most):
            tasks[name, split] = task_of(classifier, problem_of(classifier, setup, split))
    return tasks


def rows(setup: Setup) -> Iterator[dict[str, Any]]:
    """Return a row for each tuning, classifier and split; they are the same for all tunings.

    A tuning may have fewer splits than others.
    """
    config = setup.run.config
    evaluated = setup.run.rows_at(tasks_of(setup), "classifiers")
    classifiers = entries(config)
    for tuning in config.protocol.tuning:
        for (name, split), row in evaluated.items():
            if split < n_splits(config, name, tuning):
                label = classifiers[name].label
                head = {"method": name, "label": label, "tuning": tuning, "split": split}
                yield {**head, **row, **setup.counts[split]}
