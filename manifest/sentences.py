"""The wording of errors and warnings about undefined or unreliable scores."""

#: Values of magnitude 1 beside such a value have no square in its unit.
_HUGE = 1e150


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


def ambiguous(*, n_orthogonal, n_cut, rank, n_features):
    """For an AmbiguousScoreWarning."""
    return (
        f"the score of Algorithm 2 is not unique on these data: {n_orthogonal} of the "
        f"{rank} principal angles between the ranges of the two kernels reach 90 degrees and "
        f"{n_cut} directions kept at rank {rank} of {n_features} cannot be told from dropped ones, "
        "so rounding and the order of the features decide how they are paired; exchanged classes "
        "change the score, too. Features that are duplicates within one class, constant features "
        "and large kernel scales cause this. Use geometry='regularized' for a score that depends "
        "on the data alone."
    )


def not_converged(n_classes, mean, tolerance):
    """For a MeanNotConvergedWarning."""
    return (
        f"the Riemannian mean of the {n_classes} kernels has not converged: after {mean.n_steps} "
        f"steps the gradient is {mean.residual:.1e} of the mean distance between the mean and the "
        f"kernels, and at most {tolerance:g} was aimed at. The scores may be wrong by about that "
        "share. Nearly singular kernels cause this: use a smaller kernel scale."
    )


def uninformative(largest, *, rounding, n_features):
    """For an UninformativeScoreWarning."""
    if n_features == 2:
        return (
            "two features have a single distance in each class, and the kernel scale is a multiple "
            "of it, so that the kernels of all classes are equal and both features tie. The score "
            "needs three features or more."
        )
    return (
        f"the largest score is {largest:.1e} and rounding moves scores by about {rounding:.1e}: "
        "the kernels of the classes hardly differ, and rounding decides the order of the features. "
        "A kernel scale far below the distances between the features makes every kernel the "
        "identity, and one far above them makes all entries 1. Change scale_factor or percentile."
    )


def of_pair(classes, text):
    """For a warning about two of several classes."""
    return f"classes {classes[0]!r} and {classes[1]!r}: {text}"
