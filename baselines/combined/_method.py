"""What combinations take from ManiFeSt; no other module of `baselines` knows the method."""

from typing import Any

import numpy as np

from manifest.composite_kernels import operators
from manifest.composition import aggregated, class_scores
from manifest.ranking import TIES, levels
from manifest.score import manifest_score
from manifest.trust import emit
from manifest.validation import check_samples

__all__ = ["TIES", "levels", "manifest_score", "operators", "scores_at_scales"]


def scores_at_scales(X: Any, y: Any, percentiles: Any, **parameters: Any) -> list[np.ndarray]:
    """The scores of ManiFeSt at those percentiles at which they are more than rounding.

    Where they are rounding at all percentiles, all are returned, and ManiFeSt's warning says so.

    Parameters
    ----------
    X, y, percentiles, **parameters
        As in :func:`manifest.manifest_scores`.

    Returns
    -------
    list of ndarray (n_features,)
    """
    X, y = check_samples(X, y)
    of_scales = list(class_scores(X, y, list(percentiles), **parameters))
    kept = [scores for scores in of_scales if scores.informative] or of_scales
    for scores in kept:
        emit(scores.warnings)
    return [aggregated(scores.rows, "max") for scores in kept]
