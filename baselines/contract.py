"""Functions by which every filter keeps the contract, which the package describes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from manifest.ranking import varying, with_constants_last
from manifest.validation import check_integer, is_number

Scorer = Callable[..., np.ndarray]
"""A callable ``(X, y, **params) -> scores (n_features,)``; higher is better."""


class NeedsPackage(ImportError, ValueError):
    """Raised if an optional package is not installed."""

    def __init__(self, what: str, package: str, extra: str):
        command = f"pip install '.[{extra}]' in a clone, or pip install 'manifest-fs[{extra}]'"
        super().__init__(f"{what} needs {package}, which is not installed: {command}", name=package)
        self.given = what, package, extra

    def __reduce__(self):
        """Reach another process by what it was made of."""
        return NeedsPackage, self.given


#: Two distances are equal if they differ by at most this share of their size. It is far above the
#: rounding of a distance and far below differences between data.
TIES = 1e-9


def validated(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the data as float64 and the labels as codes 0..C-1 in sorted order of the labels.

    X is never changed. It is copied unless it is float64 in C order, so that sums round in the same
    way for all layouts.

    Raises
    ------
    TypeError
        If X is sparse.
    ValueError
        If X or y is not finite or has the wrong shape, if there are fewer than two samples or
        classes, or if y is continuous.
    """
    X, y = check_X_y(X, y, dtype=np.float64, order="C", ensure_min_samples=2)
    check_classification_targets(y)
    labels, codes = np.unique(y, return_inverse=True)
    if labels.size < 2:
        raise ValueError(
            f"All {codes.size} labels in y are {labels.tolist()[0]!r}; "
            "a filter compares classes and needs at least two."
        )
    return X, codes


def one_against_rest(codes: np.ndarray) -> list[np.ndarray]:
    """Return, for each class c, labels that are 1 in c and 0 elsewhere.

    With two classes, both comparisons are the same, so only the codes are returned.
    """
    if codes.max() == 1:
        return [codes]
    return [(codes == code).astype(int) for code in range(codes.max() + 1)]


def constants_last(
    X: np.ndarray, score: Callable[[np.ndarray], np.ndarray], rows: tuple[int, ...] = ()
) -> np.ndarray:
    """Score the features that vary, and put the constant features strictly last.

    A constant feature says nothing about the classes, and many formulas give 0 / 0. Its score
    is set just below all other scores (see `manifest.ranking.with_constants_last`). No other score
    changes. If all features are constant, all scores are 0.

    `score` takes the columns that vary and returns their scores, ``(*rows, n_varying)``; the result
    has shape ``(*rows, n_features)``. A score that is not finite, which only an overflow can cause,
    raises a ValueError.
    """
    varies = varying(X)
    if not varies.any():
        return np.zeros((*rows, varies.size))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        columns = X if varies.all() else np.compress(varies, X, axis=1)
        scores = np.asarray(score(columns), dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("The scores overflow: the values in X are too large; rescale them first.")
    return with_constants_last(scores, varies)


def power_scaled(X: np.ndarray) -> np.ndarray:
    """Multiply each column by the power of two that brings its largest magnitude into [1/2, 1).

    Squares then neither overflow nor vanish. The product is exact, so a formula that does not
    depend on the scale gives the same bits as before.
    """
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    return np.ldexp(X, -np.frexp(largest)[1])


def shifted(X: np.ndarray) -> np.ndarray:
    """Subtract the minimum of each column, then power-scale it: its maximum lies in [1/2, 1).

    This is for formulas that depend on neither the location nor the scale of a feature. Without it,
    the sum of squares of a feature such as 1e9 + noise has no digit of the noise. For integers it
    is exact.
    """
    scaled = power_scaled(X)
    return power_scaled(scaled - scaled.min(axis=0))


def min_max_scaled(X: np.ndarray) -> np.ndarray:
    """Map each column to [0, 1] by (x - min) / (max - min); no column may be constant."""
    scaled = shifted(X)
    return scaled / scaled.max(axis=0)


def scatter(X: np.ndarray, codes: np.ndarray, unit: float = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the spread of each feature between the classes and within them, divided by a unit.

    For classes c of n_c samples, mean mu_c and variance var_c, these are sum_c n_c (mu_c - mu)^2
    and sum_c n_c var_c.
    """
    mean = X.mean(axis=0)
    between, within = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for code in range(codes.max() + 1):
        members = X[codes == code]
        centre = members.mean(axis=0)
        between += len(members) / unit * (centre - mean) ** 2
        within += ((members - centre) ** 2).sum(axis=0) / unit
    return between, within


def number(name: str, value: Any, least: float, most: float) -> float:
    """Return the value as a float, or raise an error that names the parameter."""
    if not is_number(value) or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}.")
    return float(value)


def numbers_of_neighbours(ks: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct values among ``ks``, ascending, and the index of each k among them."""
    if not len(ks):
        raise ValueError("ks, the numbers of neighbours, must contain at least one k, got none.")
    grid, place = np.unique([check_integer("k", k, 1) for k in ks], return_inverse=True)
    return grid, place
