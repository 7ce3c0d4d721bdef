"""Decide whether a score can be relied on: the effect of rounding, and the warnings.

Rounding changes the entries of the kernels, and therefore of D, by about d eps max |M|. If the
difference between the classes is not well above that, rounding decides the order of the scores.

The estimate is valid for kernels whose eigenvalues are bounded away from zero, such as those of
"regularized" (see `manifest.regularized`). If a score gives no warning, permuting the features then
changes it by at most :data:`SHARE` of the largest, which is tested. Algorithms 1 and 2 lose more
digits on nearly singular kernels; `AmbiguousScoreWarning` covers the worst cases.

The text of a warning has no numbers, so that Python shows it once; the numbers are attributes.
"""

import warnings

import numpy as np

from manifest.linalg import EPS

#: Scores are reliable if rounding is at most this share of the largest score.
SHARE = 1e-6


class ScoreWarning(UserWarning):
    """Base of the warnings about a score; their numbers are attributes."""

    def __init__(self, text: str, **numbers: float):
        super().__init__(text)
        vars(self).update(numbers)


class AmbiguousScoreWarning(ScoreWarning):
    """Warns that the score of Algorithm 2 depends on rounding and on the coding of the classes.

    `n_orthogonal` of `rank` principal angles between the ranges of the kernels reach 90 degrees,
    and `n_cut` of `n_features` kept directions cannot be distinguished from dropped ones.
    """

    n_orthogonal: int
    rank: int
    n_cut: int
    n_features: int


class MeanNotConvergedWarning(ScoreWarning):
    """Warns that the Riemannian mean of the kernels has not converged.

    After `n_steps` steps the gradient is `residual` times the mean distance to the kernels.
    """

    n_classes: int
    n_steps: int
    residual: float


class UninformativeScoreWarning(ScoreWarning):
    """Warns that rounding changes scores by `rounding`, more than a millionth of `largest`.

    `largest` is the largest score. Rounding then decides the order of features with scores that
    differ by less, in the worst case of all features.
    """

    largest: float
    rounding: float


class HiddenPairWarning(ScoreWarning):
    """Warns that the kernel scale hides the pair of features that differs most.

    The entries of the features `first` and `second` differ most between the kernels of the classes,
    by :data:`LEAD` times the next pair or more, as those of near-copies in one class do. Both
    features are in the lower half of the ranking all the same.
    """

    first: int
    second: int


#: The lead of a pair of features over all others from which it must not be in the lower half.
LEAD = 1.25
_HIDDEN = (
    "the two features whose relation differs most between the classes are in the lower half of the "
    "ranking: at this kernel scale, differences by chance of all other pairs hide them. Give a "
    "smaller scale_factor, such as 0.1, or use ManiFeStSet, which has no kernel scale."
)
_TWO_FEATURES = (
    "two features always tie: they have one distance in each class, the kernel scale is a multiple "
    "of it, and the kernels of all classes are therefore equal. Give three features or more."
)
_ROUNDING = (
    "the kernels of the classes hardly differ, so that rounding decides the order of {}. If the "
    "kernel scale is far below the distances between the features, every kernel is the identity; "
    "if it is far above, all entries are 1. Change scale_factor or percentile."
)


def magnitude_of(diagonals):
    """Return an upper bound of the entries of M: the largest geometric mean of diagonal entries.

    A positive linear map, such as taking a diagonal entry, maps the mean of two matrices to at most
    the mean of their images (Ando 1979). The mean of several matrices is a limit of means of two.
    The diagonal of a positive definite matrix, here of shape (d,), bounds all entries.
    """
    return float(np.exp(np.mean(np.log(diagonals), axis=0).max()))


def rounding_of(n_features, magnitude):
    """Return the rounding error of the scores, about d eps max |M|; see `magnitude_of`."""
    return n_features * EPS * magnitude


def is_informative(scores, rounding):
    """Return True if rounding is at most :data:`SHARE` times the largest score."""
    return bool(SHARE * scores.max() > rounding)


def pending_warnings(warnings_of_parts, scores, rounding):
    """Return the warnings of the compositions, and a warning if the scores are rounding.

    In that case a mean that has not converged does not matter and is not reported.
    """
    if is_informative(scores, rounding):
        return warnings_of_parts
    decides_all = np.ptp(scores) <= rounding
    text = _ROUNDING.format("the features" if decides_all else "features with similar scores")
    if scores.shape[-1] == 2:
        text = _TWO_FEATURES
    own = UninformativeScoreWarning(text, largest=float(scores.max()), rounding=float(rounding))
    return [own, *(w for w in warnings_of_parts if not isinstance(w, MeanNotConvergedWarning))]


def hidden_pair(scores, first, second, lead):
    """Return a warning in a list if a pair that leads has low scores; see `HiddenPairWarning`."""
    n_better = (scores > max(scores[first], scores[second])).sum()
    if lead < LEAD or 2 * n_better < scores.size:
        return []
    return [HiddenPairWarning(_HIDDEN, first=first, second=second)]


def one_of_each(pending):
    """Return the first warning of each category."""
    return list({type(warning): warning for warning in reversed(pending)}.values())[::-1]


def emit(pending):
    """Issue warnings at the line of the caller's caller."""
    for warning in pending:
        warnings.warn(warning, stacklevel=3)
