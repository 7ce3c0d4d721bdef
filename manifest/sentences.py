"""The wording of errors and warnings about undefined or unreliable scores.

Warnings have no numbers, so that Python shows each of them once; they are attributes.
"""

#: Values of magnitude 1 beside such a value have no square in its unit.
_HUGE = 1e150

#: Of an AmbiguousScoreWarning.
AMBIGUOUS = (
    "the score of Algorithm 2 is not unique on these data: there are directions that rounding, the "
    "order of the features and the coding of the classes pair, so that exchanged labels change the "
    "score, too. Features that are duplicates within one class, constant features and large kernel "
    "scales cause this. Use geometry='regularized' for a score that depends on the data alone."
)
#: Of a MeanNotConvergedWarning.
NOT_CONVERGED = (
    "the Riemannian mean of the kernels has not converged, and scores may be wrong by about the "
    "share `residual`. Nearly singular kernels cause this: use a smaller kernel scale."
)
#: Of an UninformativeScoreWarning.
TWO_FEATURES = (
    "two features have a single distance in each class, and the kernel scale is a multiple of it, "
    "so that the kernels of all classes are equal and both features tie. The score needs three "
    "features or more."
)
NO_PART = (
    "all parts of the relevance are rounding: the kernels of the classes hardly differ at any "
    "scale. Two features have a single distance; take more features, or other scales."
)
_HARDLY = "the kernels of the classes hardly differ, and rounding is a part of the scores. "
_OTHER_SCALE = (
    "A kernel scale far below the distances between the features makes every kernel the identity, "
    "and one far above them makes all entries 1. Change scale_factor or percentile."
)
ROUNDING = f"{_HARDLY}It decides the order of the features. {_OTHER_SCALE}"
NEAR = f"{_HARDLY}It decides the order of features whose scores are near each other. {_OTHER_SCALE}"


def zero_scale(label, distance, *, largest, scale_factor, percentile, n_features):
    """For a class whose kernel scale is zero; the percentile `distance` is in units of the data."""
    which = "median" if percentile is None else f"percentile {percentile:g}"
    # Squares of what is this much smaller than the largest value are zero.
    is_rounding = distance > 0 or largest > _HUGE
    zero, beside = ("zero to rounding", "too small next to") if is_rounding else ("zero", "with")
    size = "lost" if is_rounding and not distance else f"{distance:g}"
    return (
        f"the kernel scale of class {label!r} is {zero}: the {which} of the distances between its "
        f"{n_features} features is {size}, {beside} values of up to {largest:g} "
        f"(scale_factor={scale_factor:g}). Rescale features that are far larger than the others, "
        "drop duplicated and constant features, or use a higher percentile or scale_factor."
    )


def not_positive_definite(labels, n_classes=2):
    """For classes whose kernels Algorithm 1 cannot take."""
    other = ", or 'spsd' for the paper's Algorithm 2" if n_classes == 2 else ""
    return (
        f"the kernel of class {' and '.join(map(repr, labels))} is not numerically positive "
        "definite, which Algorithm 1 (geometry='spd') needs; use geometry='regularized'" + other
    )


def two_classes_only(n_classes):
    """For Algorithm 2 if there are more classes."""
    return (
        f"geometry='spsd', the paper's Algorithm 2, is defined for two classes only, y has "
        f"{n_classes}; use geometry='regularized', or multiclass='ovo' to compare the classes in "
        "pairs"
    )
