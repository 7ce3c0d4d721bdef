"""The parts of ManiFeSt that combinations use; `calibrated` alone takes manifest.relevance."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from manifest.composite_kernels import operators as operators
from manifest.composition import aggregated, class_scores
from manifest.ranking import TIES as TIES
from manifest.ranking import levels as levels
from manifest.score import manifest_score as manifest_score
from manifest.trust import emit
from manifest.validation import check_samples

from .._common import hands_on, number

#: A decorator: the signature shows the keywords that ``**of_manifest`` hands to ManiFeSt.
takes_manifest = hands_on(manifest_score, "scale_factor", "percentile", "n_normalizations")


def check_weights(weights: Sequence[float], most: float = np.finfo(float).max) -> list[float]:
    """The weights as floats; an error if there is none, or one is no number in [0, most]."""
    if not len(weights):
        raise ValueError("weights must hold at least one weight, got none.")
    return [number("weight", weight, 0, most) for weight in weights]


def scores_at_scales(X: Any, y: Any, percentiles: Any, **parameters: Any) -> list[np.ndarray]:
    """The scores of ManiFeSt at the percentiles at which they are more than rounding.

    If they are rounding at all percentiles, all are returned, and ManiFeSt's warning says so.
    Parameters are those of `manifest.manifest_scores`.
    """
    X, y = check_samples(X, y)
    of_scales = list(class_scores(X, y, list(percentiles), **parameters))
    kept = [scores for scores in of_scales if scores.informative] or of_scales
    for scores in kept:
        emit(scores.warnings)
    return [aggregated(scores.rows, "max") for scores in kept]
