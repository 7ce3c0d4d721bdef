"""What is said where the score is undefined or not unique: one wording for all arrays."""


def zero_scale(label, distance, *, scale_factor, percentile, n_features):
    """Of a class whose kernel scale is zero; `distance` is the percentile in units of the data."""
    which = "median" if percentile is None else f"{percentile}th percentile"
    return (
        f"the kernel scale of class {label!r} is zero: the {which} of the distances between "
        f"its {n_features} features is {distance:g} (scale_factor={scale_factor:g}). Drop "
        "duplicated and constant features, or use a higher percentile."
    )


def not_positive_definite(labels):
    """Of the classes whose kernels Algorithm 1 cannot take."""
    return (
        f"the kernel of class {' and '.join(map(repr, labels))} is not numerically positive "
        "definite, which Algorithm 1 (geometry='spd') needs; use geometry='regularized', or 'spsd' "
        "for the paper's Algorithm 2"
    )


def ambiguous(*, n_orthogonal, n_cut, rank, n_features):
    """Of an AmbiguousScoreWarning."""
    return (
        f"the score of Algorithm 2 is not unique on these data: {n_orthogonal} of the "
        f"{rank} principal angles between the ranges of the two kernels reach 90 degrees and "
        f"{n_cut} directions kept at rank {rank} of {n_features} cannot be told from dropped ones, "
        "so rounding decides how they are paired. Features that are duplicates within one class, "
        "constant features and large kernel scales cause this. Use geometry='regularized' for a "
        "score that depends on the data alone."
    )
