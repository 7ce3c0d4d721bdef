"""A measure of the part that rounding has in a score, and the warnings about it.

Rounding moves the entries of the kernels, and with them those of D, by about d eps max |M|. Where
the difference between the classes is not well above that, rounding decides the order of the scores.

The measure fits kernels whose eigenvalues are bounded away from zero, as those of "regularized" are
(see `manifest.regularized`): there, a score without a warning moves by at most
:data:`SHARE` of the largest when the features are permuted, which is tested. Algorithms 1 and 2
lose more digits on nearly singular kernels; `manifest.AmbiguousScoreWarning` covers the
cases in which they lose most.
"""

import warnings

import numpy as np

from manifest import sentences
from manifest.categories import MeanNotConvergedWarning, UninformativeScoreWarning
from manifest.linalg import EPS

#: The largest share of the largest score that rounding may have for the scores to be relied on.
SHARE = 1e-6


def magnitude_of(diagonals):
    """An upper bound of the entries of M: the largest geometric mean of diagonal entries.

    A positive linear map, such as taking a diagonal entry, maps the mean of two matrices to at most
    the mean of their images (Ando 1979), and the mean of several is a limit of means of two. The
    entries of a positive definite matrix are bounded by those of its diagonal.

    Parameters
    ----------
    diagonals : sequence of ndarray of shape (d,)
        Diagonals of the kernels, positive.
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
    text = sentences.ROUNDING if np.ptp(scores) <= rounding else sentences.NEAR
    if scores.shape[-1] == 2:
        text = sentences.TWO_FEATURES
    own = UninformativeScoreWarning(text, largest=float(scores.max()), rounding=float(rounding))
    return [own, *(w for w in warnings_of_parts if not isinstance(w, MeanNotConvergedWarning))]


def one_of_each(pending):
    """The first warning of each category."""
    return list({type(warning): warning for warning in reversed(pending)}.values())[::-1]


def emit(pending):
    """Issue warnings where the caller of the caller is."""
    for warning in pending:
        warnings.warn(warning, stacklevel=3)
