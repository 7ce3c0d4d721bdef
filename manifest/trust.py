"""When a score can be relied on: the part that rounding has in it, and the warnings.

Rounding moves the entries of the kernels, and with them those of D, by about d eps max |M|. Where
the difference between the classes is not well above that, rounding decides the order of the scores.

The measure fits kernels whose eigenvalues are bounded away from zero, as those of "regularized" are
(see `manifest.regularized`): there, a score without a warning moves by at most
:data:`SHARE` of the largest when the features are permuted, which is tested. Algorithms 1 and 2
lose more digits on nearly singular kernels; `AmbiguousScoreWarning` covers the cases in which they
lose most.

Warnings have no numbers in their text, so that Python shows each of them once; they are attributes.
"""

import warnings

import numpy as np

from manifest.linalg import EPS

#: The largest share of the largest score that rounding may have for the scores to be relied on.
SHARE = 1e-6


class ScoreWarning(UserWarning):
    """The base of warnings about a score: a text without numbers, and the numbers as attributes."""

    #: The classes that it is about, if not all.
    classes: tuple = ()

    def __init__(self, text: str, **numbers: float):
        super().__init__(text)
        vars(self).update(numbers)


class AmbiguousScoreWarning(ScoreWarning):
    """The score of Algorithm 2 is not unique: rounding and the coding of the classes decide, too.

    `n_orthogonal` of `rank` principal angles between the ranges of the kernels reach 90 degrees,
    and `n_cut` of `n_features` directions are kept that cannot be told from dropped ones.
    """

    n_orthogonal: int
    rank: int
    n_cut: int
    n_features: int


class MeanNotConvergedWarning(ScoreWarning):
    """The Riemannian mean of the kernels was not reached to the accuracy that was aimed at.

    After `n_steps` steps the gradient is the share `residual` of the mean distance to the kernels.
    """

    n_classes: int
    n_steps: int
    residual: float


class UninformativeScoreWarning(ScoreWarning):
    """Rounding moves scores by `rounding`, more than a millionth of `largest`, the largest one.

    It then decides the order of features whose scores are that near, in the worst case of all.
    """

    largest: float
    rounding: float


_TWO_FEATURES = (
    "two features have a single distance in each class, and the kernel scale is a multiple of it, "
    "so that the kernels of all classes are equal and both features tie. The score needs three "
    "features or more."
)
_ROUNDING = (
    "the kernels of the classes hardly differ, and rounding is a part of the scores. It decides "
    "the order of {}. A kernel scale far below the distances between the features makes every "
    "kernel the identity, and one far above them makes all entries 1. Change scale_factor or "
    "percentile."
)


def magnitude_of(diagonals):
    """An upper bound of the entries of M: the largest geometric mean of diagonal entries.

    A positive linear map, such as taking a diagonal entry, maps the mean of two matrices to at most
    the mean of their images (Ando 1979), and the mean of several is a limit of means of two. The
    entries of a positive definite matrix are bounded by those of its diagonal, here of shape (d,).
    """
    return float(np.exp(np.mean(np.log(diagonals), axis=0).max()))


def rounding_of(n_features, magnitude):
    """The amount by which rounding moves scores, about d eps max |M|; see `magnitude_of`."""
    return n_features * EPS * magnitude


def is_informative(scores, rounding):
    """True if rounding is at most a share :data:`SHARE` of the largest of the scores."""
    return bool(SHARE * scores.max() > rounding)


def pending_warnings(warnings_of_parts, scores, rounding):
    """The warnings of the compositions, and the warning of scores that are rounding.

    Scores that are rounding have no use for a mean of many digits, so nothing is said of that.
    """
    if is_informative(scores, rounding):
        return warnings_of_parts
    decides_all = np.ptp(scores) <= rounding
    text = _ROUNDING.format(
        "the features" if decides_all else "features whose scores are near each other"
    )
    if scores.shape[-1] == 2:
        text = _TWO_FEATURES
    own = UninformativeScoreWarning(text, largest=float(scores.max()), rounding=float(rounding))
    return [own, *(w for w in warnings_of_parts if not isinstance(w, MeanNotConvergedWarning))]


def one_of_each(pending):
    """The first warning of each category."""
    return list({type(warning): warning for warning in reversed(pending)}.values())[::-1]


def emit(pending):
    """Issue warnings where the caller of the caller is."""
    for warning in pending:
        warnings.warn(warning, stacklevel=3)
