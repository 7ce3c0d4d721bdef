"""An approximate score, and how good it is by what two approximations have in common."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from manifest.ranking import best_first

#: Agreement that a ranking should have.
ENOUGH = 0.9


class Agreement(NamedTuple):
    """The agreement of two approximations of one score: 1 if they are equal."""

    spearman: float
    top: float


@dataclass(frozen=True)
class ContextScore:
    """An approximation of the score, and how good it is.

    Attributes
    ----------
    scores : ndarray of shape (d,)
        The mean over the repeats.
    error : ndarray of shape (d,)
        Its standard error by the spread of the repeats: NaN if there is one repeat only, 0 where
        the score is exact.
    repeats : ndarray of shape (repeats, d)
        Independent of each other but for the kernel scales.
    half_size : ndarray of shape (d,)
        The score from blocks and contexts of half the size, independent too.
    scales : tuple of floats
        The kernel scale of each class.
    n_blocks : int
        Blocks of a repeat; 1 where the score is exact.
    """

    scores: np.ndarray
    error: np.ndarray
    repeats: np.ndarray
    half_size: np.ndarray
    scales: tuple[float, ...]
    n_blocks: int

    @property
    def is_exact(self):
        """True if all features were scored together."""
        return self.n_blocks == 1

    def agreement(self, k=None):
        """The agreement of two independent halves of the repeats: the part that chance plays.

        The mean of both is nearer to the exact score than each.

        Parameters
        ----------
        k : int, optional
            Of the share of the k best features of either that are among the k best of the other.
            The default is a tenth of the features, at most 200.

        Returns
        -------
        Agreement
            NaN if there is one repeat only.
        """
        if self.is_exact:
            return Agreement(1.0, 1.0)
        if len(self.repeats) == 1:
            return Agreement(np.nan, np.nan)
        return agreement(self.repeats[::2].mean(axis=0), self.repeats[1::2].mean(axis=0), k)

    def agreement_of_sizes(self, k=None):
        """The agreement with blocks of half the size: the part that the size of a block plays.

        Parameters and result are those of :meth:`agreement`.
        """
        if self.is_exact:
            return Agreement(1.0, 1.0)
        return agreement(self.scores, self.half_size, k)

    def warning(self, k=None):
        """The text of an :class:`manifest.ApproximationWarning`, empty where none is due."""
        both = self.agreement(k), self.agreement_of_sizes(k)
        if all(not value < ENOUGH for one in both for value in one):
            return ""
        chance, size = (f"{one.spearman:.2f} and {one.top:.2f}" for one in both)
        return (
            f"the approximate score is not certain: rank correlation and share of the best "
            f"features in common are {chance} between two independent halves of its repeats, and "
            f"{size} between its blocks and blocks of half the size, where {ENOUGH} is expected. "
            "Take larger blocks (block=...), which helps against both, or more repeats, which "
            "helps against the first."
        )


def agreement(one, other, k=None):
    """Spearman's rank correlation of two scores, and the share of the k best in common.

    Parameters
    ----------
    one, other : ndarray of shape (d,)
    k : int, optional
        In 1..d. The default is a tenth of the features, at most 200.

    Returns
    -------
    Agreement
    """
    k = max(1, min(200, len(one) // 10)) if k is None else k
    first, second = (best_first(scores)[:k] for scores in (one, other))
    ranks = np.array([rankdata(one), rankdata(other)])
    ranks -= ranks.mean(axis=1, keepdims=True)
    norm = np.sqrt((ranks**2).sum(axis=1).prod())
    # Where all scores of one are equal there is no order to agree with.
    spearman = float(ranks[0] @ ranks[1] / norm) if norm > 0 else np.nan
    return Agreement(spearman, float(np.isin(first, second).mean()))
