"""What all filters share: one validation, exact rescaling, and constant features last."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_X_y

Scorer = Callable[..., np.ndarray]
"""A callable ``(X, y, **params) -> scores (n_features,)``; higher is better."""

Grid = Callable[..., np.ndarray]
"""A callable ``(X, y, values, **params) -> scores (len(values), n_features)``; see `with_grid`."""

ENGINES = ("numpy", "skfeature")

_AnyScorer = TypeVar("_AnyScorer", bound=Scorer)
_NOTE = "_scores_a_grid"


def with_grid(parameter: str, grid: Grid) -> Callable[[_AnyScorer], _AnyScorer]:
    """A decorator that tells how a scorer scores many values of one of its parameters at once.

    Where an experiment tunes that parameter, the grid function is called once for all its values,
    and each row is stored as the scores of its value. It must therefore be what the scorer returns
    for that value alone, to the last bit and whatever the other values are::

        @with_grid("k", mine_grid)
        def mine(X, y, *, k=5):
            return mine_grid(X, y, [k])[0]

    Parameters
    ----------
    parameter : str
        A keyword of the scorer.
    grid : callable
        ``(X, y, values, **params) -> scores (len(values), n_features)``, the keywords being others
        of the scorer. Where an experiment sets one that it does not take, it is not called.

    Returns
    -------
    decorator : callable
        Returns the scorer itself; the note can be read by `grid_of`.
    """

    def noted(scorer: _AnyScorer) -> _AnyScorer:
        setattr(scorer, _NOTE, (parameter, grid))
        return scorer

    return noted


def grid_of(scorer: Scorer) -> tuple[str, Grid] | None:
    """The parameter and the function that `with_grid` noted on a scorer; None where it has none."""
    return getattr(scorer, _NOTE, None)


def validated(X: Any, y: Any, *, two_classes: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The data as float64 and the labels as codes 0..C-1 in the sorted order of the labels.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
        Dense, real and finite. It is never written to, and may be returned as it is. Otherwise it
        is copied into C order, so that sums round alike for all layouts.
    y : array-like (n_samples,)
        Labels of any sortable kind.
    two_classes : str, optional
        Who can only compare two classes, to be named in the error where there are more.

    Raises
    ------
    TypeError
        Where X is sparse.
    ValueError
        Where X or y is not finite or not of the right shape, where there are fewer than two
        samples or classes, where y is continuous, or has more than two classes (see above).
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
    if two_classes and labels.size > 2:
        raise ValueError(
            f"{two_classes} compares two classes, but y has {labels.size}: "
            "keep two of them, or use a filter for several."
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
    """Score the features that vary, and put those that do not strictly last.

    A constant feature tells nothing of the classes, but many formulas give it 0 / 0. Here it gets
    the largest number below every other score, which is finite and changes no other score. Where
    all features are constant, all scores are 0.

    Parameters
    ----------
    X : ndarray (n_samples, n_features)
    score : callable
        From the columns that vary to their scores, ``(*rows, n_varying)``.
    rows : tuple of int
        Leading shape of the scores, where there are several for each feature.

    Returns
    -------
    scores : ndarray (*rows, n_features)

    Raises
    ------
    ValueError
        Where a score is not finite, which only an overflow can cause.
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
    scores[..., ~varies] = np.nextafter(values.min(axis=-1, keepdims=True), -np.inf)
    return scores


def power_scaled(X: np.ndarray) -> np.ndarray:
    """Each column times the power of two that brings its largest magnitude into [1/2, 1).

    Squares then neither overflow nor vanish, and as such a product is exact, a formula that does
    not depend on the scale gives the same bits as before.
    """
    largest = np.maximum(X.max(axis=0), -X.min(axis=0))
    return np.ldexp(X, -np.frexp(largest)[1])


def shifted(X: np.ndarray) -> np.ndarray:
    """Each column moved to start at 0 and power-scaled: in [0, 1), the largest at least 1/2.

    For formulas that depend on neither the location nor the scale of a feature. Without it, the
    sums of squares of a feature such as 1e9 + noise hold no digit of the noise. Exact for integers.
    """
    scaled = power_scaled(X)
    return power_scaled(scaled - scaled.min(axis=0))


def min_max_scaled(X: np.ndarray) -> np.ndarray:
    """Each column, none of them constant, mapped to [0, 1]: (x - min) / (max - min)."""
    scaled = shifted(X)
    return scaled / scaled.max(axis=0)


def from_order(order: Sequence[int] | np.ndarray) -> np.ndarray:
    """Scores d - 1, ..., 0 from an order that lists the best feature first."""
    scores = np.empty(len(order))
    scores[np.asarray(order)] = np.arange(len(order))[::-1]
    return scores


def integer(name: str, value: Any, least: int) -> int:
    """The value as an int, or an error that says what the parameter of that name must be."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")
    return int(value)


def numbers_of_neighbours(ks: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The different k, ascending, and the place of each one given among them, or an error."""
    if not len(ks):
        raise ValueError("ks, the numbers of neighbours, must hold at least one k, got none.")
    grid, place = np.unique([integer("k", k, 1) for k in ks], return_inverse=True)
    return grid, place


def use_skfeature(engine: str) -> bool:
    """Whether ``engine`` is "skfeature", after checking that it is one of the two."""
    if engine not in ENGINES:
        raise ValueError(f'engine must be "numpy" or "skfeature", got {engine!r}.')
    return engine == "skfeature"
