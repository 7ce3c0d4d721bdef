"""What every filter does to its input and its scores: see the package for the contract itself."""

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_X_y

Scorer = Callable[..., np.ndarray]
"""A callable ``(X, y, **params) -> scores (n_features,)``; higher is better."""


class NeedsPackage(ImportError, ValueError):
    """A package is not installed: a fault of the environment, or of what asks for it."""

    def __init__(self, what: str, package: str, extra: str):
        command = f"pip install '.[{extra}]' in a clone, or pip install 'manifest-fs[{extra}]'"
        super().__init__(f"{what} needs {package}, which is not installed: {command}", name=package)


#: Two distances are equal if they differ by at most this part of their size: far above the
#: rounding of a distance, and far below what data tell apart.
TIES = 1e-9
#: Constant features are this part of the largest score below all others. It is twice what a
#: ranking takes for a tie (`manifest.ranking`), so that the ranking puts them last too.
_BELOW = 2e-9


def validated(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The data as float64 and the labels as codes 0..C-1 in the sorted order of the labels.

    X is never written to. It is returned as it is if it is float64 in C order, and is copied
    otherwise, so that sums round alike for all layouts.

    Raises
    ------
    TypeError
        If X is sparse.
    ValueError
        If X or y is not finite or not of the right shape; if there are fewer than two samples or
        classes; if y is continuous.
    """
    X, y = check_X_y(X, y, dtype=np.float64, order="C", ensure_min_samples=2)
    try:
        labels, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in y})
        raise ValueError(
            f"The labels y mix types that cannot be sorted ({', '.join(kinds)}): use one type."
        ) from error
    if labels.size < 2:
        raise ValueError(
            f"All {codes.size} labels in y are {labels.tolist()[0]!r}: "
            "a filter compares classes and needs at least two."
        )
    if labels.size > 2 and labels.dtype.kind == "f" and (labels != np.round(labels)).any():
        raise ValueError(
            f"The labels y are continuous ({labels.size} values such as {labels.tolist()[0]!r}): "
            "a filter compares classes, give each sample a class."
        )
    return X, codes


def one_against_rest(codes: np.ndarray) -> list[np.ndarray]:
    """For each class c, labels that are 1 in c and 0 elsewhere; for two classes their codes alone.

    Either of two classes against the rest is the same comparison, so that one of them is enough.
    """
    if codes.max() == 1:
        return [codes]
    return [(codes == code).astype(int) for code in range(codes.max() + 1)]


def constants_last(
    X: np.ndarray, score: Callable[[np.ndarray], np.ndarray], rows: tuple[int, ...] = ()
) -> np.ndarray:
    """Score the features that vary, and put the constant features strictly last.

    A constant feature tells nothing about the classes, and many formulas give it 0 / 0. Here its
    score is finite and just below all other scores, by 2e-9 of the largest magnitude among them: a
    ranking that takes differences of 1e-9 for ties still puts it last. No other score changes.
    If all features are constant, all scores are 0.

    `score` takes the columns that vary and returns their scores, ``(*rows, n_varying)``; the result
    is of shape ``(*rows, n_features)``. If a score is not finite, which only an overflow can cause,
    a ValueError says so.
    """
    varies = X.max(axis=0) > X.min(axis=0)
    scores = np.zeros((*rows, varies.size))
    if not varies.any():
        return scores
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        varying = X if varies.all() else np.compress(varies, X, axis=1)
        values = np.asarray(score(varying), dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("The scores overflow: the values in X are too large, rescale them first.")
    scores[..., varies] = values
    least, size = (f(axis=-1, keepdims=True) for f in (values.min, np.abs(values).max))
    scores[..., ~varies] = np.minimum(least - _BELOW * size, np.nextafter(least, -np.inf))
    return scores


def power_scaled(X: np.ndarray) -> np.ndarray:
    """Each column times the power of two that brings its largest magnitude into [1/2, 1).

    Squares then neither overflow nor vanish. Such a product is exact, so that a formula that does
    not depend on the scale gives the same bits as before.
    """
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    return np.ldexp(X, -np.frexp(largest)[1])


def shifted(X: np.ndarray) -> np.ndarray:
    """Each column less its minimum, then power-scaled: its maximum lies in [1/2, 1).

    Formulas that depend on neither the location nor the scale of a feature use it. Without it, the
    sums of squares of a feature such as 1e9 + noise hold no digit of the noise. It is exact for
    integers.
    """
    scaled = power_scaled(X)
    return power_scaled(scaled - scaled.min(axis=0))


def min_max_scaled(X: np.ndarray) -> np.ndarray:
    """Each column mapped to [0, 1] by (x - min) / (max - min); no column may be constant."""
    scaled = shifted(X)
    return scaled / scaled.max(axis=0)


def scatter(X: np.ndarray, codes: np.ndarray, unit: float = 1) -> tuple[np.ndarray, np.ndarray]:
    """The spread of each feature between the classes and within them, divided by a unit.

    With class c of n_c samples, mean mu_c and variance var_c, these are sum_c n_c (mu_c - mu)^2 and
    sum_c n_c var_c.
    """
    mean = X.mean(axis=0)
    between, within = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for code in range(codes.max() + 1):
        members = X[codes == code]
        centre = members.mean(axis=0)
        between += len(members) / unit * (centre - mean) ** 2
        within += ((members - centre) ** 2).sum(axis=0) / unit
    return between, within


def integer(name: str, value: Any, least: int) -> int:
    """The value as an int, or an error that says what the parameter of that name must be."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")
    return int(value)


def number(name: str, value: Any, least: float, most: float) -> float:
    """The value as a float, or an error that says what the parameter of that name must be."""
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= float(value) <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}.")
    return float(value)


def numbers_of_neighbours(ks: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The different values among ``ks``, ascending, and the index of each k among them."""
    if not len(ks):
        raise ValueError("ks, the numbers of neighbours, must hold at least one k, got none.")
    grid, place = np.unique([integer("k", k, 1) for k in ks], return_inverse=True)
    return grid, place
