"""The scikit-learn classifier from which all embedded systems derive."""

from abc import ABC, abstractmethod
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

from .layers import BatchNorm, init_network, network
from .training import train

POSITIVE = Interval(Real, 0, None, closed="neither")
COUNT = Interval(Integral, 1, None, closed="left")


def _hashable(name, value):
    """Return a parameter; hidden widths, a list in a YAML file, become a tuple."""
    if not name.endswith("_layers"):
        return value
    if isinstance(value, (str, bytes)) or not all(map(COUNT.is_satisfied_by, value)):
        raise ValueError(f"{name} must contain widths of layers, each at least 1, got {value!r}.")
    return tuple(int(width) for width in value)


@dataclass(kw_only=True, eq=False, repr=False)
class EmbeddedClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base of the eight classifiers that learn which features they need.

    Features that are constant in the training rows are not used, and their importance is 0. The
    others are scaled to mean 0 and variance 1 over the training rows.

    Parameters
    ----------
    learning_rate : float
        The step size of the optimiser, above 0.
    max_epochs : int
        The number of passes over the training rows, at least 1.
    batch_size : int or None
        Number of rows per step; None uses all.
    random_state : int, RandomState instance or None
        With an int, every fit gives the same bits.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    feature_importances_ : ndarray of shape (n_features,)
        The gate of each feature; for instance-wise systems its mean over the training rows. It is
        in [0, 1], and exactly 0 if the gate is closed for all rows.
    loss_ : float
        The mean loss of the last epoch.
    """

    learning_rate: float = 0.01
    max_epochs: int = 1000
    batch_size: int | None = None
    random_state: Any = None

    #: A parameter has the same constraint in all systems.
    _parameter_constraints: ClassVar[dict[str, list]] = {
        **{name: [POSITIVE] for name in ("learning_rate", "sigma", "temperature")},
        **{name: [Interval(Real, 0, None, closed="left")] for name in ("lam", "weight_decay")},
        **{name: [COUNT] for name in ("max_epochs", "n_selected", "width", "n_steps")},
        **{name: [Iterable] for name in ("selector_layers", "gating_layers", "hidden_layers")},
        "relaxation": [Interval(Real, 1, None, closed="left")],
        "weight_std": [POSITIVE, None],
        "batch_size": [COUNT, None],
        "random_state": ["random_state"],
    }
    #: Parameters that are arguments of the compiled program; the others change the program.
    _numbers: ClassVar[tuple[str, ...]] = ()
    #: Adam (Kingma and Ba 2015), or "sgd" for plain gradient descent.
    optimizer: ClassVar[str] = "adam"

    @abstractmethod
    def initial(self, rng, n_features, n_classes):
        """Return the initial parameters: nested dictionaries and lists of arrays."""

    @abstractmethod
    def loss(self, params, x, y, key, weights):
        """Return the loss on a batch, a jax scalar. `y` is one-hot, `weights` are `_numbers`."""

    @abstractmethod
    def forward(self, params, x, norms, xp):
        """Return logits (n, classes) and gates, (features,) or (n, features), for prediction."""

    def fit(self, X, y):
        """Fit the classifier to X (n_samples, n_features) and labels y of two or more classes.

        Returns
        -------
        self : object

        Raises
        ------
        TypeError, ValueError
            If a parameter or the data are not valid, or if the loss is no longer finite.
        """
        self._validate_params()
        name = type(self).__name__
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{name} needs samples of at least two classes, but y has one class: "
                f"{self.classes_.tolist()[0]!r}."
            )
        self._varies = X.max(axis=0) > X.min(axis=0)
        if not self._varies.any():
            raise ValueError(f"All {X.shape[1]} features are constant; give features that vary.")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        varying = X[:, self._varies]
        with np.errstate(over="ignore", invalid="ignore"):
            self._mean, std = varying.mean(axis=0), varying.std(axis=0)
            self._std = np.where(std > 0, std, 1.0)
            scaled = np.ascontiguousarray(self._scaled(X))
        if not (np.isfinite(scaled).all() and np.isfinite(std).all()):
            raise ValueError("The values in X are too large for their variance; rescale X first.")
        self._params, n_epochs, self.loss_ = train(
            self._program(),
            self.batch_size,
            seed,
            (scaled, np.eye(len(self.classes_))[codes]),
            {key: float(getattr(self, key)) for key in self._numbers},
            float(self.learning_rate),
            int(self.max_epochs),
        )
        if not np.isfinite(self.loss_):
            raise ValueError(
                f"The loss of {name} is {self.loss_} in epoch {n_epochs}; use a smaller "
                f"learning_rate than {self.learning_rate}."
            )
        norms = BatchNorm()
        _, gates = self.forward(self._params, scaled, norms, np)
        self._statistics = norms.seen
        self.feature_importances_ = self._all(np.atleast_2d(gates).mean(axis=0))
        return self

    def predict_proba(self, X):
        """Return the probability of each class, (n_samples, n_classes), in order of `classes_`."""
        return softmax(self._predicted(X)[0], axis=1)

    def predict(self, X):
        """Return the class of each sample, (n_samples,): the most probable one."""
        logits, _ = self._predicted(X)
        return self.classes_[np.argmax(logits, axis=1)]

    def _predicted(self, X):
        """Return logits and gates."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.forward(self._params, self._scaled(X), BatchNorm(self._statistics), np)

    def _program(self):
        """Return the class and the parameters that decide what is compiled, hashable."""
        left_out = {*(field.name for field in fields(EmbeddedClassifier)), *self._numbers}
        given = [(key, value) for key, value in self.get_params().items() if key not in left_out]
        return type(self), tuple((key, _hashable(key, value)) for key, value in given)

    def _scaled(self, X):
        return (X[:, self._varies] - self._mean) / self._std

    def _all(self, values):
        """Return values for all features, 0 for constant ones."""
        filled = np.zeros((*values.shape[:-1], self._varies.size))
        filled[..., self._varies] = values
        return filled


@dataclass(kw_only=True, eq=False, repr=False)
class InstanceWise(EmbeddedClassifier):
    """A system that chooses features for each sample separately."""

    def gates(self, X):
        """Return the gates, (n_samples, n_features), in [0, 1]; exactly 0 if a gate is closed."""
        return self._all(self._predicted(X)[1])


@dataclass(kw_only=True, eq=False, repr=False)
class SelectThenPredict(InstanceWise):
    """One network that scores the features of a sample, and one that uses the selected features.

    In prediction a feature is selected if its score is above 0.
    """

    selector_layers: tuple[int, ...] = (100, 100)
    hidden_layers: tuple[int, ...] = (200, 200)

    activation: ClassVar[str] = "relu"
    #: Batch normalisation in the predictor.
    norm: ClassVar[bool] = True

    def initial(self, rng, n_features, n_classes):
        widths = [n_features, *self.hidden_layers, n_classes]
        return {
            "selector": init_network(rng, [n_features, *self.selector_layers, n_features]),
            "predictor": init_network(rng, widths, norm=self.norm),
        }

    def selected(self, scores, xp):
        """Return 1 for selected features, and 0 for the others."""
        return xp.where(scores > 0, 1.0, 0.0)

    def forward(self, params, x, norms, xp):
        z = self.selected(network(params["selector"], x, self.activation, xp), xp)
        norms = norms if self.norm else None
        return network(params["predictor"], x * z, self.activation, xp, norms), z
