"""The scikit-learn classifier that all embedded systems derive from."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .layers import BatchNorm
from .training import train

POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
COUNT = Interval(Integral, 1, None, closed="left")


def _hashable(name, value):
    """A parameter of a system; hidden widths, which a YAML file has as a list, become a tuple."""
    if not name.endswith("_layers"):
        return value
    if isinstance(value, (str, bytes)) or not all(map(COUNT.is_satisfied_by, value)):
        raise ValueError(f"{name} must hold widths of layers, each at least 1, got {value!r}.")
    return tuple(int(width) for width in value)


@dataclass(kw_only=True, eq=False, repr=False)
class EmbeddedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that learns which features it needs; the eight systems derive from it.

    Features that are constant in the training rows are left out, and their importance is 0. The
    others get mean 0 and variance 1 over the training rows.

    Parameters
    ----------
    learning_rate : float
        The step of the optimizer, above 0.
    max_epochs : int
        The number of passes over the training rows, at least 1.
    batch_size : int or None
        Rows of a step; None is all of them.
    random_state : int, RandomState instance or None
        An int gives the same bits each time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    feature_importances_ : ndarray of shape (n_features,)
        The gate of each feature, for instance-wise systems its mean over the training rows: in
        [0, 1], and exactly 0 if a gate is closed for all of them.
    loss_ : float
        The mean loss of the last epoch.
    """

    learning_rate: float = 0.01
    max_epochs: int = 1000
    batch_size: int | None = None
    random_state: Any = None

    #: A parameter has the same constraint in every system that has it.
    _parameter_constraints: ClassVar[dict[str, list]] = {
        "learning_rate": [POSITIVE],
        "sigma": [POSITIVE],
        "temperature": [POSITIVE],
        "hierarchy": [POSITIVE],
        "lam": [NOT_NEGATIVE],
        "weight_decay": [NOT_NEGATIVE],
        "relaxation": [Interval(Real, 1, None, closed="left")],
        "multiplier": [Interval(Real, 1, None, closed="neither")],
        "max_epochs": [COUNT],
        "path_epochs": [COUNT],
        "n_selected": [COUNT],
        "width": [COUNT],
        "n_steps": [COUNT],
        "selector_layers": [Iterable],
        "gating_layers": [Iterable],
        "hidden_layers": [Iterable],
        "weight_std": [Interval(Real, 0, np.inf, closed="neither"), None],
        "batch_size": [COUNT, None],
        "random_state": ["random_state"],
    }
    #: The class of the model and its loss, a `baselines.embedded.training.Model`; its fields are
    #: attributes of the classifier, or have defaults.
    _system: ClassVar[Any]
    #: The parameters of a class that the loss is given.
    _numbers: ClassVar[tuple[str, ...]] = ()
    #: One of `baselines.embedded.training.OPTIMIZERS`.
    _optimizer: ClassVar[str] = "adam"

    def fit(self, X, y):
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        self : object

        Raises
        ------
        TypeError, ValueError
            If a parameter or the data cannot be used, or if the loss stops being finite; the
            message says what to do.
        """
        self._validate_params()
        name = type(self).__name__
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{name} needs samples of at least two classes, and y has one class: "
                f"{self.classes_.tolist()[0]!r}."
            )
        self._varies = X.max(axis=0) > X.min(axis=0)
        if not self._varies.any():
            raise ValueError(f"All {X.shape[1]} features are constant: there is nothing to learn.")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        varying = X[:, self._varies]
        with np.errstate(over="ignore", invalid="ignore"):
            self._mean, std = varying.mean(axis=0), varying.std(axis=0)
            self._std = np.where(std > 0, std, 1.0)
            scaled = np.ascontiguousarray(self._scaled(X))
        if not (np.isfinite(scaled).all() and np.isfinite(std).all()):
            raise ValueError("The values in X are too large for their variance: rescale X first.")
        given = [field.name for field in fields(self._system) if hasattr(self, field.name)]
        self._model = self._system(**{key: _hashable(key, getattr(self, key)) for key in given})
        self._params, n_epochs, self.loss_ = train(
            self._model,
            self._optimizer,
            self.batch_size,
            seed,
            (scaled, np.eye(len(self.classes_))[codes]),
            weights={key: float(getattr(self, key)) for key in self._numbers},
            rate=float(self.learning_rate),
            epochs=int(self.max_epochs),
        )
        if not np.isfinite(self.loss_):
            raise ValueError(
                f"The loss of {name} is {self.loss_} in epoch {n_epochs}: use a smaller "
                f"learning_rate than {self.learning_rate}."
            )
        norms = BatchNorm()
        _, gates = self._model.forward(self._params, scaled, norms, np)
        self._statistics = norms.seen
        self.feature_importances_ = self._all(np.atleast_2d(gates).mean(axis=0))
        return self

    def predict_proba(self, X):
        """The probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return softmax(self._forward(X)[0], axis=1)

    def predict(self, X):
        """The class of each sample, the one with the largest probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        logits, _ = self._forward(X)
        return self.classes_[np.argmax(logits, axis=1)]

    def _forward(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._model.forward(self._params, self._scaled(X), BatchNorm(self._statistics), np)

    def _scaled(self, X):
        return (X[:, self._varies] - self._mean) / self._std

    def _all(self, values):
        """Values of the features that vary, with 0 for those that do not."""
        filled = np.zeros((*values.shape[:-1], self._varies.size))
        filled[..., self._varies] = values
        return filled


@dataclass(kw_only=True, eq=False, repr=False)
class InstanceWise(EmbeddedClassifier):
    """A system that chooses features anew for each sample."""

    def gates(self, X):
        """The gate of each feature for each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        gates : ndarray of shape (n_samples, n_features)
            In [0, 1], and exactly 0 if a gate is closed.
        """
        return self._all(self._forward(X)[1])
