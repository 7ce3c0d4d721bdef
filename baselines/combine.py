"""The sum of normalised scores: two filters, or a filter and ManiFeSt, as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from baselines._common import Scorer, min_max_scaled


def min_max(scores: Any) -> np.ndarray:
    """Scores mapped to [0, 1] by (s - min) / (max - min); equal scores become zeros.

    Whatever lies above the minimum stays above 0, even where the quotient vanishes in double
    precision: constant features, a last digit below all others, stay strictly last in a sum.

    Parameters
    ----------
    scores : array-like (n_features,)

    Returns
    -------
    normalised : ndarray (n_features,)

    Raises
    ------
    ValueError
        Where the scores are not one finite vector.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or not scores.size or not np.isfinite(scores).all():
        raise ValueError(
            f"Scores to normalise must be one vector of finite numbers, got shape {scores.shape}"
            f"{'' if np.isfinite(scores).all() else ' with NaN or infinity'}."
        )
    above = scores > scores.min()
    if not above.any():
        return np.zeros(scores.size)
    unit = min_max_scaled(scores[:, None])[:, 0]
    return np.where(above, np.maximum(unit, np.nextafter(0, 1)), 0.0)


def sum_of_normalised(scores: Sequence[Any]) -> np.ndarray:
    """The sum of several score vectors, each mapped to [0, 1] by `min_max` first.

    Parameters
    ----------
    scores : sequence of array-like (n_features,)

    Returns
    -------
    total : ndarray (n_features,)
        In [0, len(scores)], higher is better.

    Raises
    ------
    ValueError
        Where there is no vector, one is not finite, or their lengths differ.
    """
    vectors = [min_max(vector) for vector in scores]
    lengths = sorted({vector.size for vector in vectors})
    if len(lengths) != 1:
        raise ValueError(
            f"Scores to sum must be of the same features, got vectors of lengths {lengths}."
        )
    return np.sum(vectors, axis=0)


@dataclass(frozen=True)
class Combination:
    """A scorer that sums the normalised scores of others; see `combine`."""

    scorers: tuple[Scorer, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The parts' names, under which their parameters are given."""
        return tuple(getattr(scorer, "__name__", repr(scorer)) for scorer in self.scorers)

    @property
    def __name__(self) -> str:
        return "+".join(self.names)

    def __call__(self, X: Any, y: Any, **params: Mapping[str, Any]) -> np.ndarray:
        unknown = sorted(set(params) - set(self.names))
        if unknown:
            raise TypeError(
                f"{self.__name__} has no part {', '.join(unknown)}: "
                f"its parameters go under {' and '.join(self.names)}, each a mapping."
            )
        parts = zip(self.names, self.scorers, strict=True)
        return sum_of_normalised([scorer(X, y, **params.get(name, {})) for name, scorer in parts])


def combine(*scorers: Scorer) -> Combination:
    """A scorer: the sum of the min-max normalised scores of others.

    This is how the paper combines ManiFeSt with ReliefF (Cohen, Shnitzer, Kluger, Talmon 2022,
    section on the colon data). Parameters of a part go under the name of its function::

        combine(manifest_score, relieff)(X, y, manifest_score={"percentile": 5}, relieff={"k": 10})

    Parameters
    ----------
    *scorers : callables
        Two or more, of different names.

    Returns
    -------
    scorer : Combination
        ``(X, y, **params) -> scores (n_features,)`` in [0, len(scorers)]; can be pickled if its
        parts can.

    Raises
    ------
    ValueError
        Where there are fewer than two scorers or two share a name.
    """
    combination = Combination(scorers)
    names = combination.names
    if len(names) < 2 or len(set(names)) < len(names):
        given = ", ".join(names) or "none"
        raise ValueError(f"combine takes two or more scorers of different names, got {given}.")
    return combination
