"""The parts of ManiFeSt that combinations use; no other module of `baselines` knows the method."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from baselines._common import hands_on
from manifest.composite_kernels import operators as operators
from manifest.composition import aggregated, class_scores
from manifest.ranking import TIES as TIES
from manifest.ranking import levels as levels
from manifest.score import manifest_score as manifest_score
from manifest.trust import emit
from manifest.validation import check_samples

#: A decorator: the signature shows the keywords that ``**of_manifest`` hands to ManiFeSt.
takes_manifest = hands_on(manifest_score, "scale_factor", "percentile", "n_normalizations")


def check_weights(weights: Sequence[float], most: float = np.inf) -> list[float]:
    """The weights as floats.

    Raises
    ------
    TypeError, ValueError
        If there is none, or one is not a finite number in [0, most].
    """
    if not len(weights):
        raise ValueError("weights must hold at least one weight, got none.")
    allowed = f"[0, {most:g}{']' if np.isfinite(most) else ')'}"
    for weight in weights:
        if isinstance(weight, bool) or not isinstance(weight, Real):
            raise TypeError(f"weight must be a number in {allowed}, got {weight!r}.")
        if not (0 <= weight <= most and np.isfinite(float(weight))):
            raise ValueError(f"weight must lie in {allowed}, got {weight}.")
    return [float(weight) for weight in weights]


def scores_at_scales(X: Any, y: Any, percentiles: Any, **parameters: Any) -> list[np.ndarray]:
    """The scores of ManiFeSt at the percentiles at which they are more than rounding.

    If they are rounding at all percentiles, all are returned, and ManiFeSt's warning says so.
    Parameters are those of :func:`manifest.manifest_scores`.
    """
    X, y = check_samples(X, y)
    of_scales = list(class_scores(X, y, list(percentiles), **parameters))
    kept = [scores for scores in of_scales if scores.informative] or of_scales
    for scores in kept:
        emit(scores.warnings)
    return [aggregated(scores.rows, "max") for scores in kept]
