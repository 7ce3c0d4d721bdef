"""A classifier that selects features itself: tuned on the training rows of a split, tested once."""

import importlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments import seeds
from experiments.cache import Row, Task, key_of
from experiments.evaluation.rows import inner_folds, outer_split, scaled
from experiments.evaluation.tuning import first_best

if TYPE_CHECKING:
    from experiments.evaluation.sources import Source

#: Packages that only some classifiers need, and the extra of this project that brings them.
EXTRAS = {"xgboost": "embedded"}


@dataclass(frozen=True)
class Classifier:
    """A classifier with its grid."""

    #: As in the config, and as in tables and figures.
    name: str
    label: str
    call: str
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, list] = field(default_factory=dict)
    #: True if a StandardScaler comes before it.
    scale: bool = False
    #: Folds of the cross-validation that tunes it; None takes the number of the axes.
    inner_folds: int | None = None

    def candidates(self) -> list[dict[str, Any]]:
        """Every combination of the grid's values, the last parameter varying fastest."""
        products = itertools.product(*self.grid.values())
        return [dict(zip(self.grid, values, strict=True)) for values in products]

    def estimator(self, parameters: Mapping[str, Any], random_state: int):
        """The unfitted estimator of one candidate, behind a scaler if `scale`."""
        estimator = load(self)(**{**self.params, **parameters})
        if estimator.get_params().get("random_state", 0) is None:
            estimator.set_params(random_state=random_state)
        return make_pipeline(StandardScaler(), estimator) if self.scale else estimator


class NoClassifier(ValueError):
    """The call of a classifier names no class that there is."""


def load(classifier: Classifier):
    """The class that the call of a classifier names.

    Raises
    ------
    NoClassifier
        If there is none; it says which extra to install if a package is missing.
    """
    place, who = classifier.call, f"classifier {classifier.name}"
    module, _, name = place.partition(":")
    try:
        named = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        package = str(error.name or module).partition(".")[0]
        if package not in EXTRAS:
            raise NoClassifier(f"{who}: {place!r} cannot be imported ({error})") from error
        raise NoClassifier(
            f"{who} needs {package}, which is not installed: pip install '.[{EXTRAS[package]}]', "
            f"or leave it out by ~protocol.classifiers.{classifier.name}"
        ) from error
    except (ValueError, TypeError):  # no module has such a name
        named = None
    if not callable(named) or not hasattr(named, "get_params"):
        raise NoClassifier(
            f"{who}: call must name a class with scikit-learn's interface as MODULE:CLASS, "
            f"got {place!r}"
        )
    return named


def evaluate_classifier(classifier: Classifier, source: "Source", axes: dict) -> Row:
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
        "test": accuracy on the rows held out. "validation": mean accuracy over the inner folds of
        the candidate that was taken, the first of the best; NaN for a single one, which needs no
        folds. "n_features": see :func:`n_used`. "parameters": that candidate, as JSON.
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
    """The number of features that a fitted classifier looks at.

    It looks at those whose coefficient, importance or weight into the first layer is not zero. A
    kernel machine has none of these and looks at all features.
    """
    final = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
    layers = getattr(final, "coefs_", None)
    weights = getattr(final, "coef_", None) if layers is None else layers[0].T
    weights = getattr(final, "feature_importances_", None) if weights is None else weights
    if weights is None:
        return n_features
    return int(np.any(np.atleast_2d(weights) != 0, axis=0).sum())


def task_of(classifier: Classifier, source: "Source", axes: dict) -> Task:
    """The task of a classifier on a split; for `axes` see :func:`evaluate_classifier`."""
    axes = {**axes, "inner_folds": classifier.inner_folds or axes["inner_folds"]}
    identity = [classifier.call, dict(classifier.params), classifier.candidates(), classifier.scale]
    key = key_of("classifiers", [load(classifier)], axes=axes, classifier=identity)
    return Task(key, partial(evaluate_classifier, classifier, source, axes))
